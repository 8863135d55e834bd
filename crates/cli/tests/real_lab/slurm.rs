//! A real Slurm in the emulated cluster, with one slurmd on each host. The scripts for sbatch measure, simulate and run
//! a program by the commands of the README and the guide. Jobs that are cancelled, put back in the queue or run out of
//! time lose nothing and continue. Without Slurm the tests say SKIPPED, or fail if `NETSIG_TESTS=all`. Where no cluster
//! can be emulated, root runs these commands on this host alone.

use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::{Command, Stdio};

use itertools::Itertools as _;
use netsig_base::data::Dataset;
use tempfile::TempDir;

use super::documents::PROGRAM;
use super::support::guide::pages;
use super::{data, netsig, path_of, rank_program, run_unless_void, stderr_text, workspace};
use crate::long_form::is_long_form;

const SWEEP: &str = "[[sweep]]\nnetworks = [\"ethernet-4x50\"]\nmodels = [\"fluid\"]\n\
    collective = \"alltoall\"\nprocs = \"2..4\"\nsizes = \"1KiB..4KiB\"\n";

/// Ten launches of one cell, each of less than a second.
const PLAN: &str = "launches = 10\n[[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\n\
    procs = 4\nsizes = \"4KiB\"\nrepetitions = 50\n";

/// The hosts of Slurm.
#[derive(Clone, Copy, PartialEq)]
enum SlurmHosts {
    Emulated,
    Local,
}

/// True if this machine has Slurm.
fn has_slurm() -> bool {
    let has = |program: &str| Path::new("/usr/sbin").join(program).is_file();
    if has("slurmctld") && has("slurmd") {
        return true;
    }
    let missing = "Slurm is not installed (slurm-wlm)";
    assert!(!is_long_form(), "{missing}");
    super::skipped(missing);
    false
}

/// True if the lab works on this machine and it has Slurm as well.
fn has_lab_and_slurm() -> bool {
    super::has_lab() && has_slurm()
}

/// A directory with the scripts, a program and the files that the README assumes.
fn directory() -> TempDir {
    let home = TempDir::new().unwrap();
    let path = |name: &str| home.path().join(name);
    // So slow that the network, not this machine's processors, determines the growth of times with the size.
    let slow = include_str!("../../../../scenarios/ethernet-4x50.toml").replace("50Mbit/s", "20Mbit/s");
    fs::create_dir(path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_netsig"), path("bin/netsig")).unwrap();
    symlink(workspace().join("slurm"), path("slurm")).unwrap();
    for (name, text) in [
        ("program.c", PROGRAM),
        ("sweep.toml", SWEEP),
        ("plan.toml", PLAN),
        ("slow.toml", &slow),
    ] {
        fs::write(path(name), text).unwrap();
    }
    let mpirun = format!("#!/bin/sh\nexec {} \"$@\"\n", path_of("mpirun.openmpi"));
    fs::write(path("bin/mpirun"), mpirun).unwrap();
    let script = "chmod +x bin/mpirun && mpicc.openmpi -o program program.c";
    let made = Command::new("bash")
        .args(["-c", script])
        .current_dir(home.path())
        .status();
    assert!(made.unwrap().success());
    home
}

/// Runs a test in a new directory, and again, at most twice, if it failed and a rank died by a segmentation fault. Under
/// load, ranks that srun starts with Open MPI 4.1 jump at times to address 0 while they connect; the cause is not known.
fn in_new_directory(test: impl Fn(&Path)) {
    for attempt in 1.. {
        let home = directory();
        let Err(failure) = catch_unwind(AssertUnwindSafe(|| test(home.path()))) else {
            return;
        };
        if attempt == MOST_ATTEMPTS || !outputs(home.path()).contains("Segmentation fault") {
            resume_unwind(failure);
        }
        eprintln!("again: a rank died by a segmentation fault");
    }
}

/// Most attempts of a test in whose jobs ranks may crash.
const MOST_ATTEMPTS: u32 = 3;

/// Output of a shell with Slurm in the emulated cluster. The script must succeed.
fn printed(home: &Path, script: &str) -> String {
    printed_on(SlurmHosts::Emulated, home, script)
}

fn printed_on(hosts: SlurmHosts, home: &Path, script: &str) -> String {
    let mut command = match hosts {
        SlurmHosts::Emulated => netsig(home, &["lab", "exec", "slow.toml", "--", "bash"]),
        SlurmHosts::Local => Command::new("bash"),
    };
    let bin = home.join("bin");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    command
        .args(["slurm/with-slurm", "bash", "-euc", script])
        .current_dir(home)
        .stdin(Stdio::null())
        .env("PATH", path)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("NETSIG_RANK_PROGRAM", rank_program());
    let output = run_unless_void(command, home);
    let said = stderr_text(&output);
    assert!(output.status.success(), "{said}\n{}", outputs(home));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The output files of all jobs.
fn outputs(home: &Path) -> String {
    let files = fs::read_dir(home).unwrap().flatten();
    let outputs = files.filter(|file| file.path().extension().is_some_and(|end| end == "out"));
    let texts = outputs.map(|file| fs::read_to_string(file.path()).unwrap());
    texts.collect()
}

/// The commands for Slurm of the guide, with four hosts or processes and little time.
fn commands(hosts: SlurmHosts) -> String {
    let pages = pages();
    let all_lines = pages.iter().flat_map(|page| page.text.lines());
    let lines: Vec<String> = all_lines
        .filter(|line| line.starts_with("sbatch "))
        .unique()
        .map(|line| line.replacen("sbatch", "sbatch --wait", 1))
        .collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let (nodes, budget) = match hosts {
        SlurmHosts::Emulated => ("--nodes=4 ", "--budget 20s"),
        SlurmHosts::Local => ("--nodes=1 --ntasks-per-node=4 ", "--ppn 4 --budget 40s"),
    };
    let shorter = [
        ("--nodes=8 ", nodes),
        ("--nodes=32 ", nodes),
        ("up to 32", "up to 8"),
        ("--max-procs 8", "--max-procs 4"),
        ("--budget 2m", budget),
        ("--array=1-8", "--array=1-2"),
        ("sweep.toml 8", "sweep.toml 2"),
    ];
    let change = |text: String, (old, new): (&str, &str)| text.replace(old, new);
    shorter.into_iter().fold(lines.join("\n"), change)
}

fn provenance<'a>(data: &'a Dataset, key: &str) -> &'a str {
    data.provenance.get(key).unwrap_or_default()
}

#[test]
fn the_scripts_measure_run_and_sweep() {
    let hosts = if has_lab_and_slurm() {
        SlurmHosts::Emulated
    } else if super::lab_tests_variable() != "no" && nix::unistd::geteuid().is_root() && has_slurm() {
        SlurmHosts::Local
    } else {
        return;
    };
    in_new_directory(|home| measure_run_and_sweep(hosts, home));
}

fn measure_run_and_sweep(hosts: SlurmHosts, home: &Path) {
    printed_on(hosts, home, &commands(hosts));
    let data = fs::File::open(home.join("alltoall.csv")).unwrap();
    let measured = Dataset::read("alltoall.csv", data).unwrap();
    assert_eq!(provenance(&measured, "env_SLURM_MPI_TYPE"), "pmix");
    if hosts == SlurmHosts::Emulated {
        assert_eq!(provenance(&measured, "hosts"), "h0,h1,h2,h3");
    }
    let predict = "predict alltoall.toml --collective alltoall --procs 8 --size 64KiB --format csv";
    let predict_output = netsig(home, &predict.split(' ').collect::<Vec<_>>()).output();
    let predicted = predict_output.unwrap();
    assert!(predicted.status.success(), "{}", stderr_text(&predicted));
    let report = report(home);
    assert!(report.contains("alltoall,4,4096,5,"), "{report}");
    let whole = netsig(home, &["simulate", "--sweep", "sweep.toml"]).output();
    let parts = ["part-1.csv", "part-2.csv"].map(|part| fs::read(home.join(part)).unwrap());
    assert_eq!(parts.concat(), whole.unwrap().stdout);
}

/// The report of the program's calls.
fn report(home: &Path) -> String {
    let files = fs::read_dir(home).unwrap().flatten();
    let run_files = files.filter(|file| file.file_name().as_encoded_bytes().starts_with(b"netsig-run"));
    let mut reports = run_files.filter(|file| file.path().extension().is_some_and(|end| end == "csv"));
    let first_report = reports.next();
    let report = first_report.unwrap_or_else(|| panic!("no report: {}", outputs(home)));
    fs::read_to_string(report.path()).unwrap()
}

/// Functions that submit a job, and wait until the data have the given number of rows.
const UNTIL: &str = r#"
submit() { sbatch --parsable --nodes=4 "$@" slurm/netsig.sbatch measure plan.toml -o data.csv; }
rows() { grep --count '^[^#]' data.csv 2>/dev/null || true; }
until_rows() { for _ in $(seq 600); do [ "$(rows)" -ge "$1" ] && return; sleep 0.1; done; exit 9; }
"#;

/// A cancelled job, a job that is put back into the queue, and a job that ends.
#[test]
fn jobs_that_were_ended_go_on() {
    if !has_lab_and_slurm() {
        return;
    }
    in_new_directory(end_jobs_and_go_on);
}

fn end_jobs_and_go_on(home: &Path) {
    let script = "job=$(submit); until_rows 60; scancel $job; \
        while squeue --noheader | grep -q .; do sleep 0.1; done; rows; \
        job=$(submit); until_rows 200; scontrol requeue $job; sleep 1; rows; \
        scontrol update JobId=$job StartTime=now; until_rows 501; \
        while squeue --noheader | grep -q .; do sleep 0.1; done; ls -A";
    let printed = printed(home, &format!("{UNTIL}{script}"));
    let told = outputs(home);
    assert_eq!(told.matches("--resume measures the rest").count(), 2, "{told}");
    assert_eq!(told.matches("going on from").count(), 2, "{told}");
    let samples = data(home).samples;
    let places: std::collections::BTreeSet<_> = samples
        .iter()
        .map(|sample| (sample.cell.launch, sample.repetition))
        .collect();
    assert_eq!((samples.len(), places.len()), (500, 500), "{told}");
    assert!(
        !printed.contains("netsig-plan") && !printed.contains(".tmp"),
        "{printed}"
    );
}

/// Slurm warns the job a minute before its end.
#[test]
fn a_job_out_of_time_goes_on() {
    if !(is_long_form() && has_lab_and_slurm()) {
        return;
    }
    let home_directory = directory();
    let home = home_directory.path();
    fs::write(home.join("plan.toml"), PLAN.replace("10", "200")).unwrap();
    let script = "job=$(submit --time=2); sleep 1; \
        while squeue --noheader | grep -q .; do sleep 0.5; done; \
        job=$(submit --time=2); sleep 1; until_rows $(($(rows) + 50)); scancel $job; \
        while squeue --noheader | grep -q .; do sleep 0.1; done";
    printed(home, &format!("{UNTIL}{script}"));
    let told = outputs(home);
    assert!(told.contains("interrupted; "), "{told}");
    assert!(told.contains("going on from "), "{told}");
}

/// Neither MPI starts to measure if srun starts it through an interface that the MPI lacks.
#[test]
fn an_interface_that_does_not_fit_is_told() {
    if !(is_long_form() && has_lab_and_slurm()) {
        return;
    }
    let home_directory = directory();
    let home = home_directory.path();
    let mpich = workspace().join("target/mpich/debug/netsig-rank");
    let measure = "salloc --quiet --nodes=4 --ntasks-per-node=1 netsig measure plan.toml";
    let script = format!(
        "! {measure} -o openmpi.csv --launcher-option=--mpi=none 2>&1\n\
         ! {measure} -o mpich.csv --launcher-option=--mpi=pmix --rank-program {} 2>&1",
        mpich.display()
    );
    let told = printed(home, &script);
    for expected in [
        "netsig: Open MPI was not built with the interface through which it was started; \
         give --launcher-option=--mpi=NAME",
        "srun started 4 processes and MPI shows 1 to each",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    for data in ["openmpi.csv", "mpich.csv"] {
        assert!(!home.join(data).exists(), "{told}");
    }
}
