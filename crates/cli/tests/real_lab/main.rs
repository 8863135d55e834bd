//! Real MPI in the emulated cluster: plans are measured over the shaped links, and foreign programs run. Without the
//! lab or the MPI the tests say SKIPPED, or fail if `NETSIG_LAB_TESTS=required`; with `NETSIG_LAB_TESTS=no` they pass
//! at once. With `NETSIG_TESTS=all` they take their long forms. Simultaneous clusters disturb each other's times: `make
//! test` runs the tests that assert times first and one by one, and `cargo test` skips them.

mod cluster;
mod clusters;
mod delay;
mod discovery;
mod doctor;
mod documents;
mod early_ends;
#[path = "../../../base/tests/long_form/mod.rs"]
mod long_form;
mod losses;
mod reductions;
mod slurm;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use long_form::is_long_form;
use netsig_base::algorithm::{ALGORITHMS, AlgorithmEntry, Collective};
use netsig_base::data::{Dataset, Experiment};
use support::skipped;
use tempfile::TempDir;

const SCENARIO: &str = "ethernet-4x50";

/// The rate of its links.
const BYTES_PER_SECOND: f64 = 50e6 / 8.0;

/// `NETSIG_LAB_TESTS`: required, no, or nothing.
fn lab_tests_variable() -> String {
    std::env::var("NETSIG_LAB_TESTS").unwrap_or_default()
}

/// True if the tests shall run and the lab works on this machine; prints a message if it does not work.
fn has_lab() -> bool {
    if lab_tests_variable() == "no" {
        return false;
    }
    let Some(missing) = missing() else {
        return true;
    };
    assert_ne!(lab_tests_variable(), "required", "{missing}");
    skipped(&missing);
    false
}

fn missing() -> Option<String> {
    let works = |command: &mut Command| command.output().is_ok_and(|o| o.status.success());
    if !works(Command::new(env!("CARGO_BIN_EXE_netsig")).args(["lab", "check"])) {
        return Some("`netsig lab check` says that no cluster can be emulated".to_owned());
    }
    for program in ["mpirun.openmpi", "mpicc.openmpi", "mpirun.mpich", "mpicc.mpich"] {
        if !works(Command::new(program).arg("--version")) {
            return Some(format!("{program} is not installed"));
        }
    }
    let program = rank_program();
    (!program.is_file()).then(|| {
        let shown = program.display();
        format!("{shown}: there is no rank program; run `make test`")
    })
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rank_program() -> PathBuf {
    std::env::var_os("NETSIG_RANK_PROGRAM")
        .map_or_else(|| workspace().join("target/openmpi/debug/netsig-rank"), PathBuf::from)
}

fn netsig(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netsig"));
    command.args(arguments).current_dir(home).stdin(Stdio::null());
    command
}

/// netsig about to measure `plan.toml` of `home` in the lab.
fn measuring(home: &Path) -> Command {
    measuring_on(home, &format!("lab:{SCENARIO}"))
}

/// As [`measuring`], in the emulated cluster `place`.
fn measuring_on(home: &Path, place: &str) -> Command {
    let mut command = netsig(home, &["measure", "plan.toml", "-o", "data.csv", "--on", place]);
    command
        .args(["--mpirun", &path_of("mpirun.openmpi")])
        .env("NETSIG_RANK_PROGRAM", rank_program())
        // Marks every process of the job, see `processes`.
        .env("NETSIG_TEST_HOME", home);
    command
}

fn path_of(program: &str) -> String {
    let path = std::env::var_os("PATH").unwrap();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
    let found = places.find(|place| place.is_file()).unwrap();
    found.to_str().unwrap().to_owned()
}

/// Repeats a run in the lab until the machine keeps up with it: a run during which the machine itself dropped packets
/// is void.
fn run_unless_void(mut command: Command, home: &Path) -> Output {
    for _ in 0..3 {
        let output = command.output().unwrap();
        if !stderr_text(&output).contains("is void") {
            return output;
        }
        eprintln!("again: {}", stderr_text(&output));
        let _ = fs::remove_file(home.join("data.csv"));
    }
    panic!("this machine is too busy to emulate a cluster");
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn data(home: &Path) -> Dataset {
    Dataset::read("data.csv", fs::File::open(home.join("data.csv")).unwrap()).unwrap()
}

/// The library's own all-to-all and some of netsig's, in the long form all of them.
fn algorithms() -> Vec<String> {
    let all_entries = ALGORITHMS.iter();
    let alltoall_entries = all_entries.filter(|entry| entry.collective == Collective::Alltoall);
    let step = if is_long_form() { 1 } else { 4 };
    let names = alltoall_entries.step_by(step).map(AlgorithmEntry::example);
    names.chain(["library".to_owned()]).collect()
}

#[test]
fn algorithms_are_measured_over_the_shaped_wire() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    let algorithms = algorithms();
    let plan = format!(
        "[pingpong]\nsizes = \"1, 64KiB\"\nrepetitions = 3\n\
         [[collective]]\nname = \"alltoall\"\nalgorithms = {algorithms:?}\n\
         procs = \"2, 3, 4\"\nsizes = \"1, 1000, 64KiB\"\nrepetitions = 2\n"
    );
    fs::write(home.join("plan.toml"), plan).unwrap();
    let output = run_unless_void(measuring(home), home);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let data = data(home);

    let cells = 2 + algorithms.len() * 3 * 3;
    assert_eq!(data.completed.len(), cells);
    assert_eq!(data.samples.len(), 2 * 3 + (cells - 2) * 2);
    // A loss in a batch of several repetitions belongs to none of them.
    let counted = data.samples.iter().filter(|sample| {
        let losses = &sample.losses;
        let counts = [losses.retransmits, losses.rtos, losses.tail_probes];
        counts.iter().all(Option::is_some)
    });
    assert!(2 * counted.count() > data.samples.len());
    for sample in &data.samples {
        let bytes = match sample.cell.experiment {
            Experiment::Collective(_) => sample.cell.procs.partners() * sample.cell.size.as_f64(),
            _ => sample.cell.size.as_f64(),
        };
        // Small messages may pass on the burst that a shaped link allows.
        let wire = bytes / BYTES_PER_SECOND;
        assert!(
            sample.cell.size.0 < 65536 || sample.time.0 > 0.8 * wire,
            "faster than the wire: {sample:?}"
        );
    }

    let fact = |key| data.provenance.get(key).unwrap_or("absent");
    assert!(fact("mpi").starts_with("Open MPI v"), "{}", fact("mpi"));
    assert_eq!(fact("lab"), SCENARIO);
    assert_eq!(fact("hosts"), "h0,h1,h2,h3");
    assert_eq!(fact("congestion_control"), "reno");
    assert_eq!(data.void_reason(), None);
}

/// Compiles the program, which does not use netsig, under the name of the MPI.
fn compile(home: &Path, mpi: &str, options: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign.c");
    let compiled = Command::new(format!("mpicc.{mpi}"))
        .args(["-std=c99", "-o", mpi])
        .args(options)
        .arg(source)
        .current_dir(home)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", stderr_text(&compiled));
}

/// Under either MPI, and MPICH again and again: without the shim every other of its runs hangs
/// in `MPI_Finalize`.
#[test]
fn foreign_programs_run_and_their_exit_code_comes_through() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    let scenario = workspace().join(format!("scenarios/{SCENARIO}.toml"));
    let exec = |words: &[&str]| {
        let mut command = netsig(home, &["lab", "exec", scenario.to_str().unwrap(), "--"]);
        command.args(words);
        run_unless_void(command, home)
    };
    for (mpi, runs) in [("openmpi", 1), ("mpich", 5)] {
        compile(home, mpi, &[]);
        for _ in 0..runs {
            let (mpirun, program) = (format!("mpirun.{mpi}"), format!("./{mpi}"));
            let output = exec(&["timeout", "30", &mpirun, "-np", "4", &program]);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{mpi}: {text}{}", stderr_text(&output));
            assert_eq!(text, "h0\nh1\nh2\nh3\n0 wrong\n", "{mpi}");
        }
    }
    assert_eq!(exec(&["sh", "-c", "exit 7"]).status.code(), Some(7));
}

/// Two jobs a launch: one lets the library choose, the other forces algorithms.
const FORCED: &str = r#"synchronisation = "window"

[pingpong]
sizes = "1, 1KiB"
repetitions = 20

[[collective]]
name = "alltoall"
algorithms = ["direct", "library:pairwise"]
procs = [3, 4]
sizes = "16, 1000"
repetitions = 10

[[collective]]
name = "bcast"
algorithms = ["library:pipeline:8KiB"]
procs = 4
sizes = "64KiB"
repetitions = 10
"#;

/// Asserts that everything was measured, in windows, and by the forced algorithms in the second job.
fn assert_forced(data: &Dataset) {
    let of = |name: &str| {
        let places = data.completed.iter();
        places.filter(|p| p.algorithm.to_string() == name).count()
    };
    let found = ["", "direct", "library:pairwise", "library:pipeline:8192"].map(of);
    assert_eq!(found, [2, 4, 4, 1]);
    let measured: BTreeSet<_> = data.samples.iter().map(|s| s.cell.clone()).collect();
    assert_eq!(measured, data.completed.iter().cloned().collect());
    for sample in &data.samples {
        let error = sample.sync_error.expect("the clocks are compared");
        assert!((0.0..1.0).contains(&error.0), "{sample:?}");
    }
    assert_eq!(data.provenance.get("synchronisation"), Some("window"));
    // The numbers of the two algorithms in Open MPI's documentation of its variables.
    for (name, number) in [
        ("alltoall_algorithm", "2"),
        ("bcast_algorithm", "3"),
        ("bcast_algorithm_segmentsize", "8192"),
    ] {
        let key = format!("setting_coll_tuned_{name}");
        assert_eq!(data.provenance.get(&key), Some("0"));
        let forced = format!("launch_0_job_1_{key}");
        assert_eq!(data.provenance.get(&forced), Some(number));
    }
    for name in ["coll_han_priority", "coll_hcoll_enable"] {
        let forced = format!("launch_0_job_1_env_OMPI_MCA_{name}");
        assert_eq!(data.provenance.get(&forced), Some("0"));
    }
    let priority = data.provenance.get("setting_coll_han_priority");
    assert_eq!(priority, Some("0"), "the default of 4.1");
}

#[test]
fn forced_algorithms_are_measured_in_windows_and_by_the_commands_of_a_dry_run() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    fs::write(home.join("plan.toml"), FORCED).unwrap();
    let dry_run = measuring(home).arg("--dry-run").output().unwrap();
    let output = run_unless_void(measuring(home), home);
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert_forced(&data(home));

    fs::remove_file(home.join("data.csv")).unwrap();
    let mut commands = String::from_utf8(dry_run.stdout).unwrap();
    commands.insert_str(0, "netsig() { \"$NETSIG\" \"$@\"; }\nset -e\n");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &commands])
        .env("NETSIG", env!("CARGO_BIN_EXE_netsig"))
        .current_dir(home);
    let output = run_unless_void(shell, home);
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert_forced(&data(home));
}

/// An srun that starts the ranks with Open MPI, as a Slurm with support for Open MPI does.
const SRUN: &str = r#"#!/bin/sh
unset SLURM_JOB_ID SLURM_NTASKS SLURM_JOB_NUM_NODES
while :; do
    case $1 in
    -n) ranks=$2; shift 2 ;;
    --mpi=list) echo 'none pmix'; exit ;;
    --kill-on-bad-exit=1|--ntasks-per-node=2|--nodes=2|--mpi=pmix) shift ;;
    --export=ALL,*) set_all=${1#--export=ALL,}; shift ;;
    *) break ;;
    esac
done
IFS=,
for variable in $set_all; do export "$variable"; done
exec mpirun.openmpi -np "$ranks" "$@"
"#;

#[test]
fn srun_starts_the_ranks_of_an_allocation() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    fs::write(home.join("plan.toml"), FORCED).unwrap();
    let bin = home.join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("srun"), SRUN).unwrap();
    fs::set_permissions(bin.join("srun"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(path_of("mpirun.openmpi"), bin.join("mpirun")).unwrap();
    let inherited_path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&inherited_path)));
    let mut command = netsig(home, &["measure", "plan.toml", "-o", "data.csv"]);
    command
        .args(["--ppn", "2", "--rank-program"])
        .arg(rank_program())
        .env("PATH", path.unwrap())
        .envs([
            ("SLURM_JOB_ID", "7"),
            ("SLURM_NTASKS", "4"),
            ("SLURM_JOB_NUM_NODES", "2"),
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
            ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert_forced(&data(home));
}

/// A campaign for a prediction, cut off in its second launch and resumed: every launch has its own
/// plan, nothing is measured twice, and the data support a profile.
#[test]
#[ignore = "asserts times"]
fn a_campaign_steers_itself_and_goes_on_where_it_was_cut_off() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    let campaign = |prediction: &str, further: &[&str]| {
        let place = format!("lab:{SCENARIO}");
        let mut command = netsig(home, &["measure", "--for", prediction, "-o", "data.csv"]);
        command
            .args(["--on", &place, "--budget", "15s", "--size", "1KiB..64KiB"])
            .args(["--mpirun", &path_of("mpirun.openmpi")])
            .args(further)
            .env("NETSIG_RANK_PROGRAM", rank_program());
        run_unless_void(command, home)
    };
    let prediction = "alltoall direct up to 8";
    let output = campaign(prediction, &[]);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let text = fs::read_to_string(home.join("data.csv")).unwrap();
    let second = text.find("#@launch_2_plan").expect("a plan of its own");
    let rows = text[second..].match_indices('\n').nth(8).unwrap().0;
    fs::write(home.join("data.csv"), &text[..second + rows + 20]).unwrap();
    let output = campaign(prediction, &["--resume"]);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let data = data(home);
    let places: BTreeSet<_> = data.completed.iter().collect();
    assert_eq!(places.len(), data.completed.len());
    assert!(data.provenance.get("launch_3_s").is_some(), "{:?}", data.provenance);
    let fit = netsig(home, &["fit", "data.csv", "-o", "p.toml"]).output().unwrap();
    assert!(fit.status.success(), "{}", stderr_text(&fit));
    let other = campaign("alltoall pairwise up to 8", &["--resume"]);
    assert_eq!(other.status.code(), Some(2), "{}", stderr_text(&other));
}
