//! Reductions and barriers over the shaped links.

use std::collections::BTreeSet;
use std::fs;

use netsig_base::algorithm::Collective;
use netsig_base::data::{Dataset, Experiment};
use tempfile::TempDir;

use crate::{SCENARIO, data, has_lab, measuring, netsig, path_of, rank_program, run_unless_void, stderr_text};

/// Counts that are no power of two, and vectors of fewer elements than processes; a job forces algorithms of the library.
const PLAN: &str = r#"reduction = "max:int"

[local_reduction]
sizes = "1KiB, 64KiB"
repetitions = 3

[[collective]]
name = "allreduce"
algorithms = ["library", "rabenseifner", "ring", "library:recursive_doubling"]
procs = [3, 4]
sizes = "8, 64KiB"
repetitions = 2

[[collective]]
name = "barrier"
algorithms = ["library", "dissemination"]
procs = 4
repetitions = 2
"#;

fn cells(data: &Dataset, experiment: Experiment) -> BTreeSet<String> {
    let completed = data.completed.iter().filter(|cell| cell.experiment == experiment);
    let texts = completed.map(|cell| format!("{} {} {}", cell.algorithm, cell.procs, cell.size.0));
    texts.collect()
}

#[test]
fn reductions_are_measured_over_the_shaped_wire() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    fs::write(home.join("plan.toml"), PLAN).unwrap();
    let output = run_unless_void(measuring(home), home);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let data = data(home);
    assert!(data.rejected.is_empty(), "{:?}", data.rejected);
    assert_eq!(data.provenance.get("reduction"), Some("max:int"));
    let barriers = cells(&data, Experiment::Collective(Collective::Barrier));
    assert_eq!(barriers, ["dissemination 4 0", "library 4 0"].map(str::to_owned).into());
    let local = cells(&data, Experiment::LocalReduction);
    assert_eq!(local, ["max:int 1 1024", "max:int 1 65536"].map(str::to_owned).into());
    assert_eq!(
        cells(&data, Experiment::Collective(Collective::Allreduce)).len(),
        4 * 2 * 2
    );
}

#[test]
fn an_allreduce_is_learnt() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    let place = format!("lab:{SCENARIO}");
    let prediction = "allreduce library,rabenseifner,ring up to 32";
    let mut command = netsig(home, &["learn", prediction, "-o", "data.csv", "--on", &place]);
    command
        .args([
            "--budget",
            "20s",
            "--size",
            "1KiB..64KiB",
            "--mpirun",
            &path_of("mpirun.openmpi"),
        ])
        .env("NETSIG_RANK_PROGRAM", rank_program());
    let output = run_unless_void(command, home);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let data = data(home);
    assert_eq!(data.provenance.get("reduction"), Some("sum:double"));
    assert!(!cells(&data, Experiment::LocalReduction).is_empty());
    let names: BTreeSet<String> = data
        .samples
        .iter()
        .map(|sample| sample.cell.algorithm.to_string())
        .collect();
    assert!(
        names.is_superset(&["library", "rabenseifner", "ring"].map(str::to_owned).into()),
        "{names:?}"
    );
}
