//! The rank program over the MPI that it was built against, on this machine. Every algorithm of every collective moves
//! every size among any number of ranks; the rank program itself checks each piece that arrives. Launches append, and
//! an impossible request ends with a message.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use netsig_base::algorithm::{
    AlgorithmEntry, COLLECTIVES, Collective, CollectiveMethod, MpiFlavour, algorithm_entries, offered_algorithms,
};
use netsig_base::data::{COLUMNS, Dataset, Experiment, OPERANDS_KEY, Sample};
use tempfile::TempDir;

use crate::long_form::is_long_form;
use crate::support::{RankJobEnd, data, run, start};

/// Not a power of two, and more than most test machines have processors to spare.
const RANKS: u32 = 5;

/// Process counts of the cells: a power of two, and all ranks; with `NETSIG_TESTS=all` every count from two on.
fn procs() -> &'static [u32] {
    if is_long_form() { &[2, 3, 4, RANKS] } else { &[4, RANKS] }
}

/// Less than a word, odd, and too large to be sent without the receiver's consent. Of a reduction: fewer elements than
/// ranks, an odd number of them, and likewise; in equal blocks a multiple of 2, 3, 4 and 5 elements.
fn sizes(collective: Collective) -> &'static [u64] {
    match collective {
        Collective::Barrier => &[0],
        Collective::ReduceScatterBlock => &[480, 1440, 72_000],
        _ if collective.is_reduction() => &[8, 1000, 70_000],
        _ => &[1, 1001, 70_000],
    }
}

fn write_plan(home: &Path, collective: Collective, algorithms: &[String], procs: &[u32]) {
    write_plan_of(home, collective, sizes(collective), algorithms, procs);
}

fn write_plan_of(home: &Path, collective: Collective, sizes: &[u64], algorithms: &[String], procs: &[u32]) {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let text = format!(
        "[pingpong]\nsizes = \"1, 70000\"\nrepetitions = 2\n\
         [[collective]]\nname = \"{collective}\"\nalgorithms = {algorithms:?}\n\
         procs = {procs:?}\nsizes = {:?}\nrepetitions = 2\n",
        sizes.join(",")
    );
    fs::write(home.join("plan.toml"), text).unwrap();
}

/// Every schedule, with a setting that fewer and more ranks meet, and the library's algorithms. Two-phase schedules
/// also run with the larger cluster first, and schedules that cut messages also with segments of which the smaller
/// sizes take several.
fn algorithms(collective: Collective) -> Vec<String> {
    let schedules = algorithm_entries(collective).map(AlgorithmEntry::example);
    let variants: &[&str] = match collective {
        Collective::Alltoall => &[
            "two-phase:3",
            "two-phase-balanced:3",
            "two-phase-staggered:3",
            "pairwise-segmented:300",
            "windowed:segment=300,window=2",
            "windowed:segment=300,window=3",
            "phased:300",
        ],
        Collective::Bcast => &["pipeline:300", "binomial-segmented:300"],
        Collective::Reduce => &["pipeline:304"],
        Collective::Allreduce => &["ring-segmented:64", "windowed:1"],
        Collective::ReduceScatter | Collective::ReduceScatterBlock => &["windowed:1"],
        _ if collective.operation() == Collective::Alltoallv => &[
            "throttled:1",
            "pairwise-segmented:300",
            "windowed:segment=300,window=1",
            "windowed:segment=300,window=3",
        ],
        _ => &[],
    };
    let others = variants.iter().chain(&["library"]);
    schedules.chain(others.map(|&name| name.to_owned())).collect()
}

#[test]
fn every_algorithm_works_among_any_number_of_ranks() {
    for &collective in COLLECTIVES {
        let folder = TempDir::new().unwrap();
        let home = folder.path();
        write_plan(home, collective, &algorithms(collective), procs());
        let end = run(home, RANKS, &["plan.toml", "-o", "data.csv"]);
        assert!(end.succeeded, "{collective}: {}", end.message);
        let data = data(home);
        let cells = procs().len() * sizes(collective).len() * algorithms(collective).len();
        let of = Experiment::Collective(collective);
        let taken = data.samples.iter().filter(|s| s.cell.experiment == of);
        assert_eq!(taken.count(), 2 * cells, "{collective}");
    }
}

/// Every operation, and every type, in schedules that combine whole vectors, blocks and windows of blocks, and in the
/// library.
#[test]
fn every_operation_on_every_type_is_right() {
    let operands = [
        "prod:double",
        "max:float",
        "min:int",
        "land:int",
        "lor:long",
        "lxor:int",
        "band:byte",
        "bor:long",
    ];
    for operands in operands.into_iter().chain(["bxor:byte", "sum:float"]) {
        let folder = TempDir::new().unwrap();
        let home = folder.path();
        let entry = |name: &str, algorithms: &[&str]| {
            format!(
                "[[collective]]\nname = {name:?}\nalgorithms = {algorithms:?}\nprocs = {RANKS}\nsizes = \"8,1000\"\n\
                 repetitions = 2\n"
            )
        };
        let text = format!(
            "reduction = {operands:?}\n[local_reduction]\nsizes = \"8,1000\"\nrepetitions = 2\n{}{}{}",
            entry("allreduce", &["library", "recursive-doubling", "rabenseifner", "ring"]),
            entry("reduce", &["library", "binomial", "rabenseifner"]),
            entry("reduce-scatter", &["library", "recursive-halving", "butterfly"]),
        );
        fs::write(home.join("plan.toml"), text).unwrap();
        let end = run(home, RANKS, &["plan.toml", "-o", "data.csv"]);
        assert!(end.succeeded, "{operands}: {}", end.message);
        let data = data(home);
        assert_eq!(
            (data.samples.len(), data.rejected.len()),
            (44, 0),
            "{operands}: {}",
            end.message
        );
        assert_eq!(data.provenance.get(OPERANDS_KEY), Some(operands));
        let local = data
            .samples
            .iter()
            .filter(|s| s.cell.experiment == Experiment::LocalReduction);
        let cells: Vec<_> = local.map(|s| (&*s.cell.algorithm, s.cell.procs.get())).collect();
        assert_eq!(cells, [(operands, 1); 4]);
    }
}

/// The MPI library of the ranks, from the provenance of their data.
fn flavour() -> MpiFlavour {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    write_plan(home, Collective::Bcast, &["library".to_owned()], &[2]);
    let end = run(home, 2, &["plan.toml", "-o", "data.csv"]);
    assert!(end.succeeded, "{}", end.message);
    match data(home).provenance.get("mpi") {
        Some(name) if name.starts_with("Open MPI") => MpiFlavour::OpenMpi,
        _ => MpiFlavour::Mpich,
    }
}

/// Runs `collective` with the library's algorithm `name` forced, on `ranks` ranks. If the job succeeds, its samples are
/// complete and of that algorithm.
fn force(flavour: MpiFlavour, collective: Collective, name: &str, ranks: u32) -> RankJobEnd {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    let text = format!("library:{name}");
    let Ok(CollectiveMethod::Library(choice)) = CollectiveMethod::parse(collective, &text) else {
        panic!("{text} is a library's algorithm")
    };
    let variables = choice.environment(flavour).unwrap();
    // Its blocks must have one length.
    let sizes = sizes(if name == "noncommutative" {
        Collective::ReduceScatterBlock
    } else {
        collective
    });
    write_plan_of(home, collective, sizes, std::slice::from_ref(&text), &[ranks]);
    let arguments = ["plan.toml", "-o", "data.csv", "--variant", "1"];
    let end = start(home, ranks, &arguments, &variables).end();
    if end.succeeded {
        let samples = data(home).samples;
        assert_eq!(samples.len(), 2 * sizes.len(), "{text}");
        assert!(samples.iter().all(|s| s.cell.algorithm.to_string() == text));
    }
    end
}

/// The libraries refuse names and numbers that they do not know.
#[test]
fn the_library_takes_every_choice_that_it_is_said_to_offer() {
    let flavour = flavour();
    for &collective in COLLECTIVES {
        let mut offers = offered_algorithms(collective);
        offers.retain(|offer| offer.flavour == flavour);
        for offer in offers {
            let end = force(flavour, collective, offer.name, 2);
            assert!(end.succeeded, "{offer:?}: {}", end.message);
        }
    }
}

/// An algorithm that cannot serve three ranks fails, which shows that the library called it.
#[test]
fn the_choice_takes_effect() {
    let flavour = flavour();
    let (collective, name) = match flavour {
        MpiFlavour::OpenMpi => (Collective::Alltoall, "two_proc"),
        MpiFlavour::Mpich | MpiFlavour::IntelMpi => (Collective::Allgather, "recursive_doubling"),
    };
    assert!(!force(flavour, collective, name, 3).succeeded);
}

#[test]
fn samples_are_taken_launch_after_launch() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    let algorithms = ["direct", "throttled:2", "library"].map(str::to_owned);
    write_plan(home, Collective::Alltoall, &algorithms, procs());
    for launch in ["0", "1"] {
        let arguments = ["plan.toml", "-o", "data.csv", "--launch", launch];
        let end = run(
            home,
            RANKS,
            &[&arguments[..], &["--note", "network=none=here"]].concat(),
        );
        assert!(end.succeeded, "{}", end.message);
    }
    let text = fs::read_to_string(home.join("data.csv")).unwrap();
    let headers = text.lines().filter(|line| *line == COLUMNS.join(","));
    assert_eq!(headers.count(), 1);
    let data = Dataset::read("data.csv", text.as_bytes()).unwrap();

    let cells = 2 + algorithms.len() * procs().len() * sizes(Collective::Alltoall).len();
    let samples = data.samples.iter();
    let distinct: BTreeSet<_> = samples.map(|s| (s.cell.clone(), s.repetition)).collect();
    assert_eq!(distinct.len(), 2 * 2 * cells, "launches and repetitions");
    assert_eq!(data.samples.len(), distinct.len(), "each of them once");
    // Other traffic of this machine leaves a count of several repetitions unknown, though not often.
    let is_counted = |sample: &&Sample| {
        let losses = &sample.losses;
        let counts = [losses.retransmits, losses.rtos, losses.tail_probes];
        counts.iter().all(Option::is_some)
    };
    let counted = data.samples.iter().filter(is_counted).count();
    assert!(2 * counted > data.samples.len(), "{counted}");

    let fact = |key| data.provenance.get(key).unwrap_or("absent");
    assert_eq!(fact("ranks"), RANKS.to_string());
    assert_eq!(fact("network"), "none=here");
    let hosts: BTreeSet<_> = fact("hosts").split(',').collect();
    assert_eq!(hosts.len(), 1, "one machine: {hosts:?}");
    assert_eq!(fact("hosts").split(',').count(), RANKS as usize);
    for launch in ["launch_0_s", "launch_1_s"] {
        assert!(fact(launch).starts_with("wall "), "{}", fact(launch));
    }
}

/// Like an srun whose interface is not that of the MPI library: every process is a job of its own.
#[test]
fn a_launcher_of_which_mpi_knows_nothing_is_named() {
    let home = TempDir::new().unwrap();
    write_plan(home.path(), Collective::Bcast, &["library".to_owned()], &[2]);
    let ended = Command::new(env!("CARGO_BIN_EXE_netsig-rank"))
        .args(["plan.toml", "-o", "data.csv"])
        .current_dir(home.path())
        .env("SLURM_STEP_NUM_TASKS", "3")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&ended.stderr);
    let begin = "netsig-rank: rank 0: srun started 3 processes and MPI shows 1 to each: ";
    assert!(message.contains(begin), "{message}");
    assert!(!ended.status.success() && !home.path().join("data.csv").exists());
}

#[test]
fn what_cannot_be_done_ends_with_a_message_and_without_samples() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    let direct = ["direct".to_owned()];
    write_plan(home, Collective::Alltoall, &direct, &[4]);
    fs::write(home.join("nothing.toml"), "seed = 1\n").unwrap();
    for (ranks, arguments, complaint) in [
        (3, ["plan.toml", "-o", "data.csv"], "start more with mpirun -np 4"),
        (
            2,
            ["missing.toml", "-o", "data.csv"],
            "missing.toml: the plan cannot be read",
        ),
        (
            2,
            ["nothing.toml", "-o", "data.csv"],
            "nothing.toml: the plan measures nothing",
        ),
        (4, ["plan.toml", "-o", "no/data.csv"], "no/data.csv: cannot be written"),
    ] {
        let end = run(home, ranks, &arguments);
        assert!(!end.succeeded, "{arguments:?}");
        assert!(end.message.contains(complaint), "{}", end.message);
        assert!(!home.join("data.csv").exists(), "{arguments:?}");
    }
}
