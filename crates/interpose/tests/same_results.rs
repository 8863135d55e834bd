//! Programs with the library preloaded beside the same programs without it: every result is the same bit by
//! bit. The programs call each collective by its own name, which the library intercepts, and by its `PMPI_`
//! name. `NETSIG_TESTS=all` takes a quarter of an hour with each MPI instead of seconds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Seconds of all random calls in the long form, which runs with both MPIs: half an hour in all.
const LONG: u32 = 900;

/// Algorithms with all kinds of messages: whole, in segments, relayed, several blocks in one message.
const ALGORITHMS: [&str; 3] = [
    "alltoall windowed:segment=100,window=2; alltoallv windowed:segment=100,window=3; bcast pipeline:100; \
     scatter binomial; gather binomial; allgather bruck",
    "alltoall bruck:3; alltoallv pairwise-segmented:1000; bcast scatter-allgather; scatter chain; gather chain; \
     allgather ring",
    "alltoall pairwise; alltoallv windowed:segment=4096,window=4; bcast scatter-allgather-ring; scatter flat; \
     gather flat; allgather recursive-doubling",
];

/// A job of a program in a folder of its own.
struct Job {
    home: TempDir,
    program: PathBuf,
}

impl Job {
    /// Compiles a program of `tests/programs` with the compiler in `MPICC`.
    fn of(source: &str) -> Self {
        Self::compiled(&compiler(), &["-lpthread", "-lm"], source)
    }

    /// Compiles a program with this compiler and these options.
    fn compiled(compiler: &str, options: &[&str], source: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("program");
        compile(compiler, options, source, &program);
        Self { home, program }
    }

    /// Runs it on so many ranks, with the library preloaded and these variables.
    fn run(&self, ranks: u32, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.run_apart(&[(ranks, &[])], arguments, variables)
    }

    /// Runs it on groups of ranks that have further variables, `NAME=VALUE`.
    fn run_apart(
        &self,
        groups: &[(u32, &[&str])],
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Output {
        let mut preload = OsString::from("LD_PRELOAD=");
        preload.push(library());
        if is_mpich() {
            // Without it idle ranks of MPICH take the processors of the others.
            preload.push(":");
            preload.push(root().join("target/debug/libnetsig_yield_shim.so"));
        }
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=10", "3600"])
            .arg(compiler().replace("mpicc", "mpirun"));
        for (place, (ranks, own)) in groups.iter().enumerate() {
            command
                .args((place > 0).then_some(":"))
                .args(["-np", &ranks.to_string(), "env"])
                .arg(&preload)
                .args(*own)
                .arg(&self.program)
                .args(arguments);
        }
        command
            .current_dir(self.home.path())
            .envs([
                ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
                ("OMPI_MCA_mpi_yield_when_idle", "1"),
                ("OMPI_MCA_btl", "tcp,self"),
                // The binomial gather of Open MPI 4.1 mixes up elements where datatypes differ.
                ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
                ("OMPI_MCA_coll_tuned_gather_algorithm", "1"),
                ("NETSIG_REPORT", "report.csv"),
            ])
            .envs(variables.iter().copied());
        command.output().unwrap()
    }

    /// The algorithms in the report.
    fn report(&self) -> String {
        std::fs::read_to_string(self.home.path().join("report.csv")).unwrap()
    }

    /// Calls of the six collectives in the report, whose rows name the number of ranks.
    fn caught(&self) -> u32 {
        let report = self.report();
        let rows = report.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let of_ranks =
            rows.filter(|row| row.get(1).is_some_and(|ranks| ranks.parse::<u32>().is_ok()));
        of_ranks.map(|row| row[3].parse::<u32>().unwrap()).sum()
    }
}

/// Compiles a source file of `tests/programs`.
fn compile(compiler: &str, options: &[&str], source: &str, to: &Path) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let built = Command::new(compiler)
        .args(["-O1", "-o"])
        .args([to, &folder.join(source)])
        .args(options)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
}

/// The Fortran compiler, if there is one.
fn fortran() -> Option<String> {
    if Command::new("gfortran").arg("--version").output().is_err() {
        eprintln!("SKIPPED: gfortran is not installed");
        return None;
    }
    Some(compiler().replace("mpicc", "mpif90"))
}

fn compiler() -> String {
    option_env!("MPICC").unwrap_or("mpicc").to_owned()
}

fn is_mpich() -> bool {
    compiler().contains("mpich")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The library, which `cargo build` puts above the folder of the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let file = folder.join("libnetsig_interpose.so");
    assert!(
        file.is_file(),
        "build netsig-interpose first, as `make test` does"
    );
    file
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn random_calls_give_the_same_bits() {
    let job = Job::of("exercise.c");
    let is_long = std::env::var("NETSIG_TESTS").is_ok_and(|value| value == "all");
    for (seed, algorithms) in (1u32..).zip(ALGORITHMS) {
        for (ranks, arguments) in [(4, &[][..]), (5, &["threads"])] {
            let seconds = if is_long { LONG / 6 } else { 2 }.to_string();
            let seed = seed.to_string();
            let words = [&[&*seed, &*seconds], arguments].concat();
            let done = job.run(ranks, &words, &[("NETSIG_ALGORITHMS", algorithms)]);
            let said = text(&done.stderr);
            assert!(done.status.success(), "{algorithms}, {words:?}: {said}");
            let report = job.report();
            for item in algorithms.split("; ") {
                let (collective, algorithm) = item.split_once(' ').unwrap();
                let rows = report
                    .lines()
                    .filter(|row| row.starts_with(&format!("{collective},")));
                let ran = rows.filter(|row| row.contains(algorithm)).count();
                assert!(ran > 0, "{item} was not run:\n{report}");
            }
        }
    }
}

/// Settings that cannot be used get a line, and the program runs as it does without the library.
#[test]
fn a_program_survives_bad_settings() {
    let job = Job::of("exercise.c");
    let truncated = job.home.path().join("profile.toml");
    std::fs::write(&truncated, "netsig_profile = 3\n[hockney]\n").unwrap();
    let truncated = truncated.to_str().unwrap();
    for (variables, said) in [
        (&[][..], "NETSIG_PROFILE names no profile"),
        (&[("NETSIG_PROFILE", "/nowhere")], "/nowhere: No such file"),
        (&[("NETSIG_PROFILE", truncated)], "profile.toml"),
        (
            &[("NETSIG_INTERPOSE", "perhaps")],
            "NETSIG_INTERPOSE=perhaps",
        ),
        (
            &[("NETSIG_ALGORITHMS", "alltoall best")],
            "NETSIG_ALGORITHMS",
        ),
        (
            &[
                ("NETSIG_ALGORITHMS", "alltoall direct"),
                ("NETSIG_REPORT", "/nowhere/r.csv"),
            ],
            "/nowhere/r.csv",
        ),
    ] {
        let done = job.run(2, &["1", "0"], variables);
        let stderr = text(&done.stderr);
        assert!(done.status.success(), "{variables:?}: {stderr}");
        let mut lines = stderr.lines().filter(|line| line.starts_with("netsig: "));
        assert!(
            lines.any(|line| line.contains(said)),
            "{variables:?}: {stderr}"
        );
    }
    let off = job.run(2, &["1", "0"], &[("NETSIG_INTERPOSE", "off")]);
    assert!(off.status.success() && !text(&off.stderr).contains("netsig: "));
}

/// Other ranks cannot read the profile, or have settings that rank 0 lacks.
#[test]
fn the_settings_of_rank_0_hold_for_all() {
    let job = Job::of("exercise.c");
    let given = format!("NETSIG_ALGORITHMS={}", ALGORITHMS[0]);
    let (given, unreadable): (&[&str], &[&str]) = (&[&given], &["NETSIG_PROFILE=/nowhere"]);
    for (groups, runs) in [
        ([(1, given), (2, unreadable)], true),
        ([(1, unreadable), (2, given)], false),
    ] {
        let _ = std::fs::remove_file(job.home.path().join("report.csv"));
        let done = job.run_apart(&groups, &["1", "0"], &[]);
        let said = text(&done.stderr);
        assert!(done.status.success(), "{said}");
        assert_eq!(said.contains("/nowhere: No such file"), !runs, "{said}");
        assert_eq!(job.home.path().join("report.csv").exists(), runs);
    }
}

/// Threads that cross on two communicators, and processes of another world without the library.
#[test]
fn calls_wait_for_none_that_the_program_does_not() {
    for (source, caught) in [("crossing.c", 5), ("spawning.c", 2)] {
        let job = Job::of(source);
        let done = job.run(2, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
        let said = text(&done.stderr);
        if done.status.code() == Some(77) {
            eprintln!("SKIPPED: this MPI cannot do what {source} does");
            continue;
        }
        assert!(done.status.success(), "{source}: {said}");
        assert_eq!(job.caught(), caught, "{source}: {}", job.report());
    }
}

/// The large-count functions of MPI 4.
#[test]
fn large_counts_give_the_same_bits() {
    if !is_mpich() {
        eprintln!("SKIPPED: Open MPI has no functions with large counts");
        return;
    }
    let job = Job::of("large.c");
    let done = job.run(4, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(job.report().contains("windowed"), "{}", job.report());
}

/// The three interfaces of Fortran: programs that check their results; each of their calls is caught once.
#[test]
fn fortran_is_intercepted() {
    let Some(compiler) = fortran() else {
        return;
    };
    let large = is_mpich().then_some("usempif08_large.f90");
    for source in ["mpif.f", "usempi.f90", "usempif08.f90"]
        .into_iter()
        .chain(large)
    {
        let job = Job::compiled(&compiler, &["-fallow-argument-mismatch"], source);
        let done = job.run(3, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
        assert!(done.status.success(), "{source}: {}", text(&done.stderr));
        let said = text(&done.stdout);
        let words: Vec<&str> = said.split_whitespace().collect();
        let (report, caught) = (job.report(), job.caught());
        assert_eq!(
            words,
            ["ok", &*caught.to_string(), "calls"],
            "{source}: {report}"
        );
    }
}

/// Python loads its modules so that others do not see their symbols.
#[test]
fn fortran_in_a_loaded_module_is_intercepted() {
    let Some(compiler) = fortran() else {
        return;
    };
    let job = Job::of("loads.c");
    let module = job.home.path().join("module.so");
    compile(&compiler, &["-shared", "-fPIC"], "module.f", &module);
    let done = job.run(3, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let report = job.report();
    assert_eq!(job.caught(), 1, "{report}");
    assert!(report.contains("\nallreduce,,,1,"), "{report}");
}

/// A host without the library, or a rank that did not get the variable.
#[test]
fn a_rank_without_the_library_is_noticed_and_gets_no_message() {
    let job = Job::of("any_tag.c");
    let groups: [(u32, &[&str]); 3] = [(2, &[]), (1, &["LD_PRELOAD="]), (1, &[])];
    let done = job.run_apart(&groups, &["2"], &[]);
    let said = text(&done.stderr);
    assert!(done.status.success(), "{said}");
    let mut lines = said.lines().filter(|line| line.starts_with("netsig: "));
    assert!(lines.next().unwrap().contains("rank 2 has no"), "{said}");
    assert_eq!(lines.next(), None);
}

/// Hosts of which one has an older or newer library at the same path, whose schedules may be others.
#[test]
fn another_build_of_the_library_is_noticed() {
    let job = Job::of("exercise.c");
    let mark = b"netsig sources ";
    let mut bytes = std::fs::read(library()).unwrap();
    let places = bytes.windows(mark.len()).enumerate();
    let found: Vec<_> = places.filter(|(_, own)| own == mark).collect();
    let [(place, _)] = found[..] else {
        panic!("{} marks", found.len());
    };
    let digits = place + mark.len()..place + mark.len() + 7;
    assert_ne!(bytes[digits.clone()], *b"0000000");
    bytes[digits].copy_from_slice(b"0000000");
    let other = job.home.path().join("libnetsig_interpose.so");
    std::fs::write(&other, bytes).unwrap();
    let other = format!("LD_PRELOAD={}", other.display());
    let groups: [(u32, &[&str]); 2] = [(2, &[]), (1, &[&other])];
    let done = job.run_apart(
        &groups,
        &["1", "0"],
        &[("NETSIG_ALGORITHMS", ALGORITHMS[0])],
    );
    let said = text(&done.stderr);
    assert!(done.status.success(), "{said}");
    assert!(
        said.contains("rank 2 has no libnetsig_interpose.so, or another build"),
        "{said}"
    );
}

/// A program does not start if a function that a preloaded library is linked to is missing.
#[test]
fn an_mpi_without_large_counts_has_all_that_the_library_is_linked_to() {
    let listed = Command::new("nm")
        .args(["--dynamic", "--undefined-only", "--format=posix"])
        .arg(library())
        .output()
        .unwrap();
    let listed = text(&listed.stdout);
    let names: Vec<_> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| name.starts_with("PMPI_"))
        .collect();
    assert!(names.contains(&"PMPI_Type_get_envelope"), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with("_c")), "{names:?}");
}
