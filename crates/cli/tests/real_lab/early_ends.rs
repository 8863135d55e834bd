//! Early ends of a campaign in the lab: processes that die or hang, wrong data, Ctrl-C. A line states the cause, the
//! place and how to continue. The samples remain, and no process does. An interrupted campaign continues without loss.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use netsig_base::data::{Dataset, Experiment, LaunchCell};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::{data, has_lab, measuring, netsig, stderr_text};
use crate::long_form::is_long_form;

/// Time after which an expected event counts as failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// More work than can be done during any test.
const ENDLESS: &str = r#"
[[collective]]
name = "alltoall"
algorithms = ["direct"]
procs = 4
sizes = "1000, 4KiB"
repetitions = 1000000
"#;

/// A job that ends with its test.
struct LabJob(Child);

impl Drop for LabJob {
    fn drop(&mut self) {
        // Both calls fail only if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ends a measurement by `end` once it has samples, and checks that the samples remain and no process does. Returns the
/// exit status and the message of netsig.
fn end_midway(end: impl Fn(&Child, &Path)) -> (ExitStatus, String) {
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    fs::write(home.join("plan.toml"), ENDLESS).unwrap();
    let spawned = measuring(home)
        .args(["--timeout", "4"])
        .stdout(Stdio::null())
        .stderr(fs::File::create(home.join("said")).unwrap())
        // As a shell does it: Ctrl-C is for all of the job.
        .process_group(0)
        .spawn();
    let mut job = LabJob(spawned.unwrap());
    let message = || fs::read_to_string(home.join("said")).unwrap();
    wait_until("samples", || {
        assert_eq!(job.0.try_wait().unwrap(), None, "{}", message());
        rows(&written(home)) > 20
    });
    let seen = written(home);
    assert!(!processes(home.to_str().unwrap()).is_empty());
    end(&job.0, home);
    wait_until("its end", || job.0.try_wait().unwrap().is_some());
    wait_until("the end of its processes", || {
        processes(home.to_str().unwrap()).is_empty()
    });

    let kept = written(home);
    assert!(kept.starts_with(&seen) && kept.ends_with('\n'));
    assert!(!data(home).samples.is_empty());
    let fit = netsig(home, &["fit", "data.csv", "-o", "profile.toml"]).output();
    assert_eq!(fit.unwrap().status.code(), Some(3), "too little, but sound");
    (job.0.wait().unwrap(), message())
}

/// Content of the data file.
fn written(home: &Path) -> String {
    fs::read_to_string(home.join("data.csv")).unwrap_or_default()
}

fn rows(text: &str) -> usize {
    let is_row = |line: &&str| !line.starts_with('#') && !line.starts_with("experiment");
    text.lines().filter(is_row).count()
}

pub fn wait_until(event: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !happened() {
        assert!(Instant::now() < deadline, "waiting for {event}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes that have `mark` in their command line or environment, other than this.
pub fn processes(mark: &str) -> Vec<i32> {
    let mentions = |process: &Path| {
        ["cmdline", "environ"].iter().any(|file| {
            let text = fs::read(process.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&text).contains(mark)
        })
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let marked = all.filter(|entry| mentions(&entry.path()));
    marked
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

/// The process of the job in `home` that is called `name`, and has `variable` in its
/// environment.
fn process(home: &Path, name: &str, variable: &str) -> Pid {
    let is_it = |pid: &&i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|n| n.trim_end() == name)
            && String::from_utf8_lossy(&environment).contains(variable)
    };
    Pid::from_raw(*processes(home.to_str().unwrap()).iter().find(is_it).unwrap())
}

/// Ends a job, given netsig's process and the directory.
type JobEnder<'a> = &'a dyn Fn(&Child, &Path);

/// Each end has its exit code and its last line, unless netsig itself was killed.
#[test]
fn however_a_job_ends_its_samples_stay_and_its_processes_do_not() {
    if !has_lab() {
        return;
    }
    let end_rank_2 = |home: &Path, signal| {
        kill(process(home, "netsig-rank", "OMPI_COMM_WORLD_RANK=2\0"), signal).unwrap();
    };
    let (status, _) = end_midway(|job, _| kill(pid(job), Signal::SIGKILL).unwrap());
    assert_eq!(status.signal(), Some(9));
    let ends: [(JobEnder, i32, &str); 4] = [
        (
            &|job, _| killpg(pid(job), Signal::SIGINT).unwrap(),
            130,
            "netsig: interrupted; ",
        ),
        (
            &|_, home| end_rank_2(home, Signal::SIGKILL),
            1,
            "netsig: launch 0: rank 2 on host h2 was killed by signal 9; ",
        ),
        (
            &|_, home| end_rank_2(home, Signal::SIGSTOP),
            1,
            "netsig: launch 0: rank 2 on host h2 did not answer for 4 s in \"alltoall direct among 4 ",
        ),
        (
            // As long as the kernel keeps a name.
            &|_, home| kill(process(home, "mpirun.openmpi", ""), Signal::SIGKILL).unwrap(),
            1,
            "netsig: launch 0: the MPI job was killed by signal 9; ",
        ),
    ];
    for (end, code, begin) in ends {
        let (status, message) = end_midway(end);
        assert_eq!(status.code(), Some(code), "{message}");
        let last = message.lines().last().unwrap();
        let kept = " samples are kept in data.csv; --resume measures the rest";
        let is_told = last.starts_with(begin) && last.ends_with(kept);
        assert!(is_told, "{begin:?} {message}");
    }
}

/// Every kind of experiment, in three jobs a launch: two force algorithms of the library.
const KILLED_PLAN: &str = r#"launches = 2

[pingpong]
sizes = "1, 1KiB, 64KiB"
repetitions = 100

[plogp]
sizes = "1..64"

[flows]
pairs = [1, 2]
size = "100000"
repetitions = 10

[[collective]]
name = "alltoall"
algorithms = ["direct", "library:pairwise", "library:linear"]
procs = [3, 4]
sizes = "16, 1000, 16KiB"
repetitions = 60

[[collective]]
name = "bcast"
algorithms = ["library:pipeline:1KiB"]
procs = 4
sizes = "64, 16KiB"
repetitions = 60
"#;

/// Number of rows, except those of pLogP, which sets its own number.
const KILLED_PLAN_ROWS: usize = 2 * (3 * 100 + 3 * 10 + 3 * 2 * 3 * 60 + 2 * 60);

/// Asserts that each row of [`KILLED_PLAN`] is there once.
fn assert_whole(data: &Dataset) {
    let all_samples = data.samples.iter();
    let sample_repetitions = all_samples.map(|s| (&s.cell, s.part, s.repetition));
    let all_rejected = data.rejected.iter();
    let rejected_repetitions = all_rejected.map(|r| (&r.cell, 0, r.repetition));
    let planned = sample_repetitions.clone().filter(|(place, ..)| !is_plogp(place));
    assert_eq!(planned.count(), KILLED_PLAN_ROWS, "nothing lost");
    let mut cells: BTreeMap<(&LaunchCell, u32), BTreeSet<u32>> = BTreeMap::new();
    for (place, part, repetition) in sample_repetitions.chain(rejected_repetitions) {
        let is_new = cells.entry((place, part)).or_default().insert(repetition);
        assert!(is_new, "doubled: repetition {repetition} of {place:?}");
    }
    for (cell, repetitions) in &cells {
        let all = 0..repetitions.len();
        assert!(all.eq(repetitions.iter().map(|r| *r as usize)), "{cell:?}");
    }
    let measured: BTreeSet<_> = cells.keys().map(|(place, _)| *place).collect();
    let completed: BTreeSet<_> = data.completed.iter().collect();
    assert_eq!(measured, completed);
    let is_round_trip = |place: &&&LaunchCell| place.experiment == Experiment::RoundTrip;
    let round_trips = completed.iter().filter(is_round_trip);
    let sizes: BTreeSet<_> = round_trips.map(|place| (place.launch, place.size.0)).collect();
    let wanted = |launch| (0..=6).map(move |power| (launch, 1 << power));
    assert!(wanted(0).chain(wanted(1)).all(|place| sizes.contains(&place)));
}

fn is_plogp(place: &LaunchCell) -> bool {
    ![Experiment::PingPong, Experiment::Flow].contains(&place.experiment)
        && !matches!(place.experiment, Experiment::Collective(_))
}

/// Killed in a job that forces algorithms; in the long form also during pLogP or flows, and in the second launch.
#[test]
fn a_campaign_that_is_killed_loses_and_doubles_nothing() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    fs::write(home.join("plan.toml"), KILLED_PLAN).unwrap();
    let resuming = || {
        let mut command = measuring(home);
        command.arg("--resume");
        command
    };
    let kills = [
        ("experiment", 700),
        ("#@launch_0_job_1_started_unix_s", 300),
        ("#@launch_1_started_unix_s", 500),
    ];
    for &(mark, further) in if is_long_form() { &kills[..] } else { &kills[1..2] } {
        let mut command = resuming();
        command.stderr(fs::File::create(home.join("said")).unwrap());
        let mut job = LabJob(command.spawn().unwrap());
        wait_until("samples", || {
            let text = written(home);
            text.find(mark).is_some_and(|at| rows(&text[at..]) > further)
        });
        kill(pid(&job.0), Signal::SIGKILL).unwrap();
        assert_eq!(job.0.wait().unwrap().signal(), Some(9), "too late");
        wait_until("the end of its processes", || {
            processes(home.to_str().unwrap()).is_empty()
        });
    }
    // As a disk that fills up or a dying machine leaves it.
    let mut file = fs::OpenOptions::new().append(true).open(home.join("data.csv")).unwrap();
    file.write_all(b"collective,alltoall,dir").unwrap();
    let output = resuming().output().unwrap();
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains("the last line was cut short and is dropped"));
    assert_whole(&data(home));
}
