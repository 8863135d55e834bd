//! The rank program beyond the algorithms: the records of every experiment in both modes of synchronisation, resuming,
//! wrong data and hanging ranks, with failures made on demand.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use netsig_base::data::{Dataset, Experiment, RejectionReason, Sample};
use tempfile::TempDir;

use crate::support::{data, fault, run, start};

const ARGUMENTS: [&str; 3] = ["plan.toml", "-o", "data.csv"];

const REPETITIONS: usize = 40;

/// Ranks that hang report so after a second, but they may be slow to get there.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every kind of experiment, among up to four ranks.
const EVERYTHING: &str = "seed = 5\n\
    [pingpong]\nsizes = \"0, 70000\"\nrepetitions = 5\n\
    [plogp]\nsizes = \"1..64\"\n\
    [flows]\npairs = [1, 2]\nsize = \"100000\"\nrepetitions = 3\n\
    [[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\nprocs = [3, 4]\n\
    sizes = \"64\"\nrepetitions = 10\n";

/// Two cells; rank 1 takes part in both.
fn write_short_plan(home: &Path) {
    let text = format!(
        "[pingpong]\nsizes = \"1, 70000\"\nrepetitions = {REPETITIONS}\n\
         [[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\nprocs = 3\n\
         sizes = \"64\"\nrepetitions = {REPETITIONS}\n"
    );
    fs::write(home.join("plan.toml"), text).unwrap();
}

fn samples_of(data: &Dataset, experiment: Experiment) -> Vec<&Sample> {
    let samples = data.samples.iter();
    samples.filter(|sample| sample.cell.experiment == experiment).collect()
}

/// Asserts that no repetition of a cell is recorded twice.
fn assert_none_doubled(data: &Dataset) {
    let samples = data.samples.iter();
    let mut seen: Vec<_> = samples.map(|s| (s.cell.clone(), s.repetition, s.part)).collect();
    let rejected = data.rejected.iter();
    seen.extend(rejected.map(|r| (r.cell.clone(), r.repetition, 0)));
    let distinct: BTreeSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len());
}

fn assert_plausible(data: &Dataset) {
    assert_none_doubled(data);
    let round_trips = samples_of(data, Experiment::RoundTrip);
    let overheads = samples_of(data, Experiment::SendOverhead);
    assert!(round_trips.len() > 10);
    assert_eq!(round_trips.len(), overheads.len());
    for (round_trip, overhead) in round_trips.iter().zip(overheads) {
        assert_eq!(
            (round_trip.cell.size, round_trip.repetition),
            (overhead.cell.size, overhead.repetition)
        );
        assert!(overhead.time <= round_trip.time, "{overhead:?} {round_trip:?}");
    }
    assert!(!samples_of(data, Experiment::ReceiveOverhead).is_empty());
    assert!(!samples_of(data, Experiment::Gap).is_empty());
    for flow in samples_of(data, Experiment::Flow) {
        assert!(flow.part < flow.cell.procs.get() / 2, "{flow:?}");
    }
    for sample in &data.samples {
        let error = sample.sync_error.expect("the starts are compared");
        assert!((0.0..1.0).contains(&error.0), "{sample:?}");
        assert!(sample.losses.softnet_drops.is_none_or(|drops| drops < 1 << 31));
    }
    let done: BTreeSet<_> = data.completed.iter().cloned().collect();
    let measured: BTreeSet<_> = data.samples.iter().map(|s| s.cell.clone()).collect();
    assert!(measured.is_subset(&done));
}

#[test]
fn every_experiment_is_recorded_in_both_modes() {
    for mode in ["barrier", "window"] {
        let folder = TempDir::new().unwrap();
        let home = folder.path();
        let text = format!("synchronisation = \"{mode}\"\n{EVERYTHING}");
        fs::write(home.join("plan.toml"), &text).unwrap();
        let end = run(home, 4, &ARGUMENTS);
        assert!(end.succeeded, "{}", end.message);
        let data = data(home);
        assert_plausible(&data);
        let late = data.rejected.iter().all(|r| r.reason == RejectionReason::Late);
        assert!(late, "{:?}", data.rejected);
        assert!(mode == "window" || data.rejected.is_empty());

        let fact = |key| data.provenance.get(key).unwrap_or("absent");
        assert_eq!(fact("synchronisation"), mode);
        assert_eq!(fact("seed"), "5");
        assert_eq!(fact("plan"), text.replace('\n', "\\n"));
        assert!(fact("placement").ends_with(":4"), "{}", fact("placement"));
        assert!(data.provenance.iter().any(|(key, _)| key.starts_with("setting_")));
        let [started, ended] = ["started_unix_s", "ended_unix_s"].map(|key| {
            let seconds: u64 = fact(key).parse().unwrap();
            seconds
        });
        assert!(started <= ended);
    }
}

#[test]
fn a_killed_job_goes_on_where_it_was() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    write_short_plan(home);
    for step in ["20", "60"] {
        let dying = fault(&format!("die:0:{step}"));
        let end = start(home, 3, &ARGUMENTS, &dying).end();
        assert!(!end.succeeded, "rank 0 is killed: {}", end.message);
    }
    let before = data(home).samples;
    assert!(!before.is_empty());
    let end = run(home, 3, &ARGUMENTS);
    assert!(end.succeeded, "{}", end.message);
    let data = data(home);
    assert_none_doubled(&data);
    assert_eq!(data.samples.len(), 3 * REPETITIONS);
    assert_eq!(data.completed.len(), 3);
    assert_eq!(data.samples[..before.len()], before, "what was measured stays");
}

#[test]
fn wrong_data_are_no_times() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    write_short_plan(home);
    // Late enough for the warm-ups to be over, and rank 0 sends data in every cell.
    let end = start(home, 3, &ARGUMENTS, &fault("corrupt:0:20")).end();
    assert!(end.succeeded, "{}", end.message);
    assert!(
        end.message.contains("is wrong; the repetition does not count"),
        "{}",
        end.message
    );
    let data = data(home);
    let reasons: Vec<_> = data.rejected.iter().map(|r| r.reason).collect();
    assert_eq!(reasons, [RejectionReason::WrongData]);
    assert_eq!(
        data.samples.len(),
        3 * REPETITIONS,
        "another repetition takes its place"
    );
}

/// Rank 1 contributes wrong values to one repetition, whose result is wrong on all ranks.
#[test]
fn a_wrong_result_of_a_reduction_is_no_time() {
    for algorithm in ["library", "ring"] {
        let folder = TempDir::new().unwrap();
        let home = folder.path();
        let text = format!(
            "[[collective]]\nname = \"allreduce\"\nalgorithms = [{algorithm:?}]\nprocs = 3\nsizes = 800\n\
             repetitions = {REPETITIONS}\n"
        );
        fs::write(home.join("plan.toml"), text).unwrap();
        let end = start(home, 3, &ARGUMENTS, &fault("corrupt:1:20")).end();
        assert!(end.succeeded, "{}", end.message);
        for rank in 0..3 {
            let place = format!("of the result on rank {rank} is ");
            assert!(end.message.contains(&place), "{}", end.message);
        }
        let data = data(home);
        let reasons: Vec<_> = data.rejected.iter().map(|r| r.reason).collect();
        assert_eq!(reasons, [RejectionReason::WrongData]);
        assert_eq!(data.samples.len(), REPETITIONS);
    }
}

#[test]
fn a_hanging_rank_has_entered_the_fewest_steps() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    write_short_plan(home);
    let arguments = [&ARGUMENTS[..], &["--timeout", "1"]].concat();
    let job = start(home, 3, &arguments, &fault("hang:1:60"));
    let deadline = Instant::now() + PATIENCE;
    let mut steps = BTreeSet::new();
    // Waits until all participating ranks have reported.
    while steps.first().is_none_or(|&(_, _, among)| steps.len() < among) {
        let output = job.standard_error();
        assert!(Instant::now() < deadline, "{output}");
        std::thread::sleep(Duration::from_millis(200));
        steps = output.lines().filter_map(report).collect();
    }
    let (_, hanging, _) = steps.first().unwrap();
    assert_eq!(*hanging, 1, "{steps:?}");
}

/// Steps, rank and number of ranks of a report.
fn report(line: &str) -> Option<(u64, u64, usize)> {
    let (_, text) = line.split_once("@netsig-stall ")?;
    let field = |name: &str| text.split(' ').find_map(|word| word.strip_prefix(name));
    let number = |name| field(name)?.parse::<u64>().ok();
    let among = field("among=")?.split(',').count();
    Some((number("steps=")?, number("rank=")?, among))
}
