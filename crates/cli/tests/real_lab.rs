//! Real Open MPI in the emulated cluster: what a plan asks for is measured over the shaped
//! wire, foreign programs run, and a job that dies midway keeps its samples and leaves no
//! process. Where the lab or the MPI is missing the tests say SKIPPED, or fail if
//! `NETSIG_LAB_TESTS=required`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Write, stderr};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use netsig_core::collective::{ALGORITHMS, Collective, Entry};
use netsig_core::dataset::{Dataset, Experiment, Rejection, Sample};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

const SCENARIO: &str = "ethernet-4x50";

/// The rate of its links.
const BYTES_PER_SECOND: f64 = 50e6 / 8.0;

/// After this a thing that should come about counts as failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Two clusters at once would disturb each other.
static ALONE: Mutex<()> = Mutex::new(());

/// The right to use the lab, if this machine has what it takes.
fn lab() -> Option<MutexGuard<'static, ()>> {
    let Some(missing) = missing() else {
        return Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let required = std::env::var_os("NETSIG_LAB_TESTS").is_some_and(|v| v == "required");
    assert!(!required, "{missing}");
    // Past the test harness, which hides what passing tests say.
    let line = format!("SKIPPED: {missing}\n");
    stderr().write_all(line.as_bytes()).unwrap();
    None
}

fn missing() -> Option<String> {
    let works = |command: &mut Command| command.output().is_ok_and(|o| o.status.success());
    if !works(Command::new(env!("CARGO_BIN_EXE_netsig")).args(["lab", "check"])) {
        return Some("`netsig lab check` says that no cluster can be emulated".to_owned());
    }
    for program in ["mpirun.openmpi", "mpicc.openmpi"] {
        if !works(Command::new(program).arg("--version")) {
            return Some(format!("{program} is not installed"));
        }
    }
    let program = rank_program();
    (!program.is_file()).then(|| {
        let shown = program.display();
        format!("{shown}: there is no rank program; run `make openmpi`")
    })
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rank_program() -> PathBuf {
    std::env::var_os("NETSIG_RANK_PROGRAM").map_or_else(
        || workspace().join("target/openmpi/release/netsig-rank"),
        PathBuf::from,
    )
}

fn netsig(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netsig"));
    command
        .args(arguments)
        .current_dir(home)
        .stdin(Stdio::null());
    command
}

/// netsig about to measure `plan.toml` of `home` in the lab.
fn measuring(home: &Path) -> Command {
    let place = format!("lab:{SCENARIO}");
    let mut command = netsig(
        home,
        &["measure", "plan.toml", "-o", "data.csv", "--on", &place],
    );
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

/// Runs in the lab until the machine has time for it: a run during which it dropped
/// packets of its own is void and tells nothing.
fn run_unless_void(mut command: Command, home: &Path) -> Output {
    for _ in 0..3 {
        let output = command.output().unwrap();
        if !said(&output).contains("is void") {
            return output;
        }
        eprintln!("again: {}", said(&output));
        let _ = fs::remove_file(home.join("data.csv"));
    }
    panic!("this machine is too busy to emulate a cluster");
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn data(home: &Path) -> Dataset {
    Dataset::read("data.csv", fs::File::open(home.join("data.csv")).unwrap()).unwrap()
}

/// Every all-to-all that netsig has, and the library's own.
fn algorithms() -> Vec<String> {
    let schedules = ALGORITHMS.iter();
    let schedules = schedules.filter(|entry| entry.collective == Collective::Alltoall);
    let schedules = schedules.map(Entry::example);
    schedules.chain(["library".to_owned()]).collect()
}

#[test]
fn every_algorithm_is_measured_over_the_shaped_wire() {
    let Some(_alone) = lab() else { return };
    let home = TempDir::new().unwrap();
    let home = home.path();
    let algorithms = algorithms();
    let plan = format!(
        "[pingpong]\nsizes = \"1, 64KiB\"\nrepetitions = 3\n\
         [[collective]]\nname = \"alltoall\"\nalgorithms = {algorithms:?}\n\
         procs = \"2, 3, 4\"\nsizes = \"1, 1000, 64KiB\"\nrepetitions = 2\n"
    );
    fs::write(home.join("plan.toml"), plan).unwrap();
    let output = run_unless_void(measuring(home), home);
    assert!(output.status.success(), "{}", said(&output));
    let data = data(home);

    let mut planned = BTreeSet::new();
    for (size, repetition) in [(1, 0), (1, 1), (1, 2), (65536, 0), (65536, 1), (65536, 2)] {
        planned.insert((false, String::new(), 2, size, repetition));
    }
    for algorithm in &algorithms {
        for procs in [2, 3, 4] {
            for size in [1, 1000, 65536] {
                planned.extend([0, 1].map(|r| (true, algorithm.clone(), procs, size, r)));
            }
        }
    }
    let taken: BTreeSet<_> = data
        .samples
        .iter()
        .map(|sample| {
            let is_collective = sample.experiment != Experiment::PingPong;
            let (procs, size) = (sample.procs.get(), sample.size.0);
            let algorithm = sample.algorithm.to_string();
            (is_collective, algorithm, procs, size, sample.repetition)
        })
        .collect();
    assert_eq!(taken, planned);
    assert_eq!(data.samples.len(), planned.len(), "each of them once");

    for sample in &data.samples {
        let losses = &sample.losses;
        let counts = [losses.retransmits, losses.rtos, losses.tail_probes];
        assert!(counts.iter().all(Option::is_some), "{sample:?}");
        let bytes = match sample.experiment {
            Experiment::Collective(_) => sample.procs.partners() * sample.size.as_f64(),
            _ => sample.size.as_f64(),
        };
        // Small messages may pass on the burst that a shaped link allows.
        let wire = bytes / BYTES_PER_SECOND;
        assert!(
            sample.size.0 < 65536 || sample.time.0 > 0.8 * wire,
            "faster than the wire: {sample:?}"
        );
    }

    let fact = |key| data.provenance.get(key).unwrap_or("absent");
    assert!(fact("mpi").starts_with("Open MPI v"), "{}", fact("mpi"));
    assert_eq!(fact("lab"), SCENARIO);
    assert_eq!(fact("hosts"), "h0,h1,h2,h3");
    assert_eq!(fact("congestion_control"), "reno");
    assert_eq!(data.void(), None);
}

/// Times of a real network at three process counts: models are fitted to two and judged on
/// the third, and every one that is fitted to all three predicts.
#[test]
fn models_are_compared_on_what_was_measured() {
    let Some(_alone) = lab() else { return };
    let home = TempDir::new().unwrap();
    let home = home.path();
    let plan = "[pingpong]\nsizes = \"1..16, 64KiB..256KiB\"\nrepetitions = 3\n\
                [[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\n\
                procs = [2, 3, 4]\nsizes = \"256..128KiB\"\nrepetitions = 3\n";
    fs::write(home.join("plan.toml"), plan).unwrap();
    let output = run_unless_void(measuring(home), home);
    assert!(output.status.success(), "{}", said(&output));
    let does = |arguments: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = netsig(home, &arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let ranking = does("compare data.csv --format csv");
    let judged = ranking.lines().filter(|line| line.ends_with(",10"));
    assert!(judged.count() >= 8, "{ranking}");
    does("fit data.csv -o profile.toml");
    let of = "predict profile.toml --collective alltoall --procs 3 --size 1KiB --format csv";
    let predicted = does(&format!("{of} --model all"));
    assert!(predicted.lines().count() > 15, "{predicted}");
}

#[test]
fn a_foreign_program_runs_and_its_exit_code_comes_through() {
    let Some(_alone) = lab() else { return };
    let home = TempDir::new().unwrap();
    let home = home.path();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign.c");
    let compiled = Command::new("mpicc.openmpi")
        .args(["-std=c99", "-o", "foreign"])
        .arg(source)
        .current_dir(home)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", said(&compiled));
    let scenario = workspace().join(format!("scenarios/{SCENARIO}.toml"));
    let exec = |words: &[&str]| {
        let mut command = netsig(home, &["lab", "exec", scenario.to_str().unwrap(), "--"]);
        command.args(words);
        run_unless_void(command, home)
    };
    let output = exec(&["mpirun.openmpi", "-np", "4", "./foreign"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", said(&output));
    assert_eq!(text, "h0\nh1\nh2\nh3\n0 wrong\n");
    assert_eq!(exec(&["sh", "-c", "exit 7"]).status.code(), Some(7));
}

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
        .stdout(Stdio::null())
        .stderr(fs::File::create(home.join("said")).unwrap())
        // As a shell does it: Ctrl-C is for all of the job.
        .process_group(0)
        .spawn();
    let mut job = Job(job.unwrap());
    let message = || fs::read_to_string(home.join("said")).unwrap();
    let lines = || fs::read_to_string(home.join("data.csv")).unwrap_or_default();
    wait_until("samples", || {
        assert_eq!(job.0.try_wait().unwrap(), None, "{}", message());
        lines().lines().count() > 20
    });
    let seen = lines();
    assert!(!processes(home).is_empty());
    end(&job.0, home);
    wait_until("its end", || job.0.try_wait().unwrap().is_some());
    wait_until("the end of its processes", || processes(home).is_empty());

    let kept = lines();
    assert!(kept.starts_with(&seen) && kept.ends_with('\n'));
    assert!(!data(home).samples.is_empty());
    let fit = netsig(home, &["fit", "data.csv", "-o", "profile.toml"]).output();
    assert_eq!(fit.unwrap().status.code(), Some(3), "too little, but sound");
    (job.0.wait().unwrap(), message())
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

#[test]
fn a_dying_rank_is_named_and_ends_the_job_which_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, message) = die_midway(|_, home| {
        let is_second = |pid: &&i32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|n| n == "netsig-rank\n")
                && String::from_utf8_lossy(&environment).contains("OMPI_COMM_WORLD_RANK=2\0")
        };
        let rank = *processes(home).iter().find(is_second).unwrap();
        kill(Pid::from_raw(rank), Signal::SIGKILL).unwrap();
    });
    assert_eq!(status.code(), Some(1), "{message}");
    let last = message.lines().last().unwrap();
    let who = "netsig: launch 0: rank 2 on host h2 was killed by signal 9; ";
    let kept = " samples are kept in data.csv; --resume measures the rest";
    assert!(last.starts_with(who) && last.ends_with(kept), "{message}");
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
    let message = said(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let last = message.lines().last().unwrap();
    let who = "netsig: launch 0: rank 1 on host h1 did not answer for 3 s in \"alltoall direct among 4 with ";
    let kept = " samples are kept in data.csv; --resume measures the rest";
    assert!(last.starts_with(who) && last.ends_with(kept), "{message}");
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
            sample.repetition == rejected.repetition && sample.place() == rejected.place
        };
        assert!(!data.samples.iter().any(has_time), "{rejected:?}");
    }
}

/// Long enough to be killed in both of its launches.
const KILLED: &str = r#"launches = 2

[pingpong]
sizes = "1, 1KiB, 64KiB"
repetitions = 100

[[collective]]
name = "alltoall"
algorithms = ["direct", "pairwise"]
procs = [3, 4]
sizes = "1000, 16KiB, 32KiB"
repetitions = 30
"#;

/// How many repetitions it has.
const OF_KILLED: usize = 2 * (3 * 100 + 2 * 2 * 3 * 30);

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
    let rows = || fs::read_to_string(home.join("data.csv")).map_or(0, |text| text.lines().count());
    for percent in [10, 40, 80] {
        let mut command = resuming();
        command.stderr(fs::File::create(home.join("said")).unwrap());
        let mut job = Job(command.spawn().unwrap());
        wait_until("samples", || rows() > percent * OF_KILLED / 100);
        kill(pid(&job.0), Signal::SIGKILL).unwrap();
        job.0.wait().unwrap();
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
    let data = data(home);
    let taken: BTreeSet<_> = data
        .samples
        .iter()
        .map(|sample| (sample.place(), sample.repetition))
        .collect();
    assert_eq!(taken.len(), OF_KILLED, "nothing lost");
    assert_eq!(data.samples.len(), OF_KILLED, "nothing doubled");
}

#[test]
fn an_interrupt_ends_the_job_and_keeps_its_samples() {
    let Some(_alone) = lab() else { return };
    let (status, message) = die_midway(|job, _| killpg(pid(job), Signal::SIGINT).unwrap());
    assert_eq!(status.code(), Some(130), "{message}");
    assert!(message.contains("are kept in data.csv"), "{message}");
}
