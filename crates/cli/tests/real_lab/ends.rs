//! What ends a campaign before its time, in the lab: processes that die or hang, wrong data,
//! Ctrl-C. Each is told in a line that says what, where and how to go on, the samples are
//! kept and no process is; and an interrupted campaign goes on without loss.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use netsig_core::data::{Dataset, Experiment, Place, Rejection, Sample};
use netsig_core::units::Bytes;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::{data, lab, measuring, netsig, run_unless_void, said};

/// After this a thing that should come about counts as failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// More work than any test waits for.
const ENDLESS: &str = r#"
[[collective]]
name = "alltoall"
algorithms = ["direct"]
procs = 4
sizes = "1000, 4KiB"
repetitions = 1000000
"#;

/// A job that ends with its test.
struct Job(Child);

impl Drop for Job {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ends a measurement by `end` once it has samples, and checks that these are kept and no
/// process is. Gives how netsig ended, and what it said.
fn die_midway(end: impl Fn(&Child, &Path)) -> (ExitStatus, String) {
    let home = TempDir::new().unwrap();
    let home = home.path();
    fs::write(home.join("plan.toml"), ENDLESS).unwrap();
    let job = measuring(home)
        .args(["--timeout", "4"])
        .stdout(Stdio::null())
        .stderr(fs::File::create(home.join("said")).unwrap())
        // As a shell does it: Ctrl-C is for all of the job.
        .process_group(0)
        .spawn();
    let mut job = Job(job.unwrap());
    let message = || fs::read_to_string(home.join("said")).unwrap();
    wait_until("samples", || {
        assert_eq!(job.0.try_wait().unwrap(), None, "{}", message());
        rows(&written(home)) > 20
    });
    let seen = written(home);
    assert!(!processes(home).is_empty());
    end(&job.0, home);
    wait_until("its end", || job.0.try_wait().unwrap().is_some());
    wait_until("the end of its processes", || processes(home).is_empty());

    let kept = written(home);
    assert!(kept.starts_with(&seen) && kept.ends_with('\n'));
    assert!(!data(home).samples.is_empty());
    let fit = netsig(home, &["fit", "data.csv", "-o", "profile.toml"]).output();
    assert_eq!(fit.unwrap().status.code(), Some(3), "too little, but sound");
    (job.0.wait().unwrap(), message())
}

/// What there is of the data file.
fn written(home: &Path) -> String {
    fs::read_to_string(home.join("data.csv")).unwrap_or_default()
}

fn rows(text: &str) -> usize {
    let is_row = |line: &&str| !line.starts_with('#') && !line.starts_with("experiment");
    text.lines().filter(is_row).count()
}

fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !happened() {
        assert!(Instant::now() < deadline, "waiting for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes that have `home` in their command line or environment, other than this.
fn processes(home: &Path) -> Vec<i32> {
    let mark = home.to_str().unwrap();
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

#[test]
fn killing_netsig_ends_the_job_and_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, _) = die_midway(|job, _| kill(pid(job), Signal::SIGKILL).unwrap());
    assert_eq!(status.signal(), Some(9));
}

/// The process of the job in `home` that is called `name`, and has `variable` in its
/// environment.
fn process(home: &Path, name: &str, variable: &str) -> Pid {
    let is_it = |pid: &&i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|n| n.trim_end() == name)
            && String::from_utf8_lossy(&environment).contains(variable)
    };
    Pid::from_raw(*processes(home).iter().find(is_it).unwrap())
}

fn rank_2(home: &Path) -> Pid {
    process(home, "netsig-rank", "OMPI_COMM_WORLD_RANK=2\0")
}

/// netsig has failed, and its last line says so, with this in between.
fn assert_last_line(status: ExitStatus, message: &str, what: &str) {
    assert_eq!(status.code(), Some(1), "{message}");
    let last = message.lines().last().unwrap();
    let begin = format!("netsig: launch 0: {what}");
    let kept = " samples are kept in data.csv; --resume measures the rest";
    assert!(
        last.starts_with(&begin) && last.ends_with(kept),
        "{message}"
    );
}

#[test]
fn a_dying_rank_is_named_and_ends_the_job_which_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, message) = die_midway(|_, home| kill(rank_2(home), Signal::SIGKILL).unwrap());
    let what = "rank 2 on host h2 was killed by signal 9; ";
    assert_last_line(status, &message, what);
}

#[test]
fn a_stopped_rank_is_named_and_ends_the_job_which_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, message) = die_midway(|_, home| kill(rank_2(home), Signal::SIGSTOP).unwrap());
    let what = "rank 2 on host h2 did not answer for 4 s in \"alltoall direct among 4 with ";
    assert_last_line(status, &message, what);
}

#[test]
fn a_killed_launcher_ends_the_job_which_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, message) = die_midway(|_, home| {
        // As long as the kernel keeps a name.
        kill(process(home, "mpirun.openmpi", ""), Signal::SIGKILL).unwrap();
    });
    assert_last_line(status, &message, "the MPI job was killed by signal 9; ");
}

/// Ranks 2 and 3 have had less to do than the one that hangs. The fault comes after more
/// steps than the estimate takes.
#[test]
fn a_hanging_rank_is_named_and_ends_the_job_which_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let home = TempDir::new().unwrap();
    let home = home.path();
    let plan = format!("[pingpong]\nsizes = \"1..256\"\nrepetitions = 50\n{ENDLESS}");
    fs::write(home.join("plan.toml"), plan).unwrap();
    let mut command = measuring(home);
    command.args(["--timeout", "3"]);
    command.env("NETSIG_TEST_FAULT", "hang:1:3000");
    let output = run_unless_void(command, home);
    let what = "rank 1 on host h1 did not answer for 3 s in \"alltoall direct among 4 with ";
    assert_last_line(output.status, &said(&output), what);
    assert!(!data(home).samples.is_empty());
    wait_until("the end of its processes", || processes(home).is_empty());
}

#[test]
fn wrong_data_are_recorded_as_failures() {
    let Some(_alone) = lab() else { return };
    let home = TempDir::new().unwrap();
    let home = home.path();
    let plan = ENDLESS.replace("1000000", "1000");
    fs::write(home.join("plan.toml"), plan).unwrap();
    let mut command = measuring(home);
    command.env("NETSIG_TEST_FAULT", "corrupt:1:500");
    let output = run_unless_void(command, home);
    let message = said(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("wrong data arrived in "), "{message}");
    let data = data(home);
    assert!(!data.rejected.is_empty());
    for rejected in &data.rejected {
        assert_eq!(rejected.reason, Rejection::WrongData);
        let has_time = |sample: &Sample| {
            sample.repetition == rejected.repetition && sample.place == rejected.place
        };
        assert!(!data.samples.iter().any(has_time), "{rejected:?}");
    }
}

/// Every kind of experiment, in three jobs a launch: two force algorithms of the library.
const KILLED: &str = r#"launches = 2

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

/// How many rows it has but for pLogP, which decides itself.
const OF_KILLED: usize = 2 * (3 * 100 + 3 * 10 + 3 * 2 * 3 * 60 + 2 * 60);

/// All of [`KILLED`] is there, each of it once.
fn assert_whole(data: &Dataset) {
    let samples = data.samples.iter();
    let mut seen: Vec<_> = samples
        .map(|s| (s.place.clone(), s.part, s.repetition))
        .collect();
    let planned = seen.iter().filter(|(place, ..)| !is_plogp(place)).count();
    let rejected = data.rejected.iter();
    seen.extend(rejected.map(|r| (r.place.clone(), 0, r.repetition)));
    seen.sort();
    let distinct: BTreeSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "nothing doubled");
    assert_eq!(planned, OF_KILLED, "nothing lost");
    for pair in seen.windows(2) {
        let [(before, part, last), (place, other, next)] = pair else {
            continue;
        };
        let expected = if (before, part) == (place, other) {
            last + 1
        } else {
            0
        };
        assert_eq!(*next, expected, "a repetition of {place:?} is missing");
    }
    let measured: BTreeSet<_> = seen.into_iter().map(|(place, ..)| place).collect();
    let completed: BTreeSet<_> = data.completed.iter().cloned().collect();
    assert_eq!(measured, completed);
    for launch in [0, 1] {
        for size in (0..=6).map(|power| Bytes(1 << power)) {
            let is_it = |place: &&Place| {
                place.experiment == Experiment::RoundTrip
                    && (place.launch, place.size) == (launch, size)
            };
            assert!(completed.iter().any(|place| is_it(&place)), "{size}");
        }
    }
}

fn is_plogp(place: &Place) -> bool {
    ![Experiment::PingPong, Experiment::Flow].contains(&place.experiment)
        && !matches!(place.experiment, Experiment::Collective(_))
}

/// Amid pLogP or flows, in a job that forces algorithms, and in the second launch.
#[test]
fn a_campaign_killed_three_times_loses_and_doubles_nothing() {
    let Some(_alone) = lab() else { return };
    let home = TempDir::new().unwrap();
    let home = home.path();
    fs::write(home.join("plan.toml"), KILLED).unwrap();
    let resuming = || {
        let mut command = measuring(home);
        command.arg("--resume");
        command
    };
    for (mark, further) in [
        ("experiment", 700),
        ("#@launch_0_job_1_started_unix_s", 300),
        ("#@launch_1_started_unix_s", 500),
    ] {
        let mut command = resuming();
        command.stderr(fs::File::create(home.join("said")).unwrap());
        let mut job = Job(command.spawn().unwrap());
        wait_until("samples", || {
            let text = written(home);
            text.find(mark)
                .is_some_and(|at| rows(&text[at..]) > further)
        });
        kill(pid(&job.0), Signal::SIGKILL).unwrap();
        assert_eq!(job.0.wait().unwrap().signal(), Some(9), "too late");
        wait_until("the end of its processes", || processes(home).is_empty());
    }
    // As a disk that fills up or a dying machine leaves it.
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(home.join("data.csv"))
        .unwrap();
    file.write_all(b"collective,alltoall,dir").unwrap();
    let output = resuming().output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("the last line was cut short and is dropped"));
    assert_whole(&data(home));
}

#[test]
fn an_interrupt_ends_the_job_and_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, message) = die_midway(|job, _| killpg(pid(job), Signal::SIGINT).unwrap());
    assert_eq!(status.code(), Some(130), "{message}");
    assert!(message.contains("are kept in data.csv"), "{message}");
}
