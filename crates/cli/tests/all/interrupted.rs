//! Ctrl-C and SIGTERM during work: the exit code of the signal, a line on what remains and how to continue, and no
//! temporary file. (`../real_lab/early_ends.rs` interrupts measurements.)

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::TestHome;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Time after which work that should begin or end counts as failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Far more points than can be simulated during the test.
const SWEEP: &str = "[[sweep]]\nnetworks = [\"ethernet-24x25\"]\nmodels = [\"tcp\"]\n\
    collective = \"alltoall\"\nalgorithms = [\"direct\"]\nprocs = \"2..24+1\"\n\
    sizes = \"1KiB..256KiB+1KiB\"\n";

/// A simulation that takes long.
const SIMULATION: &str = "simulate --network ethernet-24x25 --collective alltoall \
    --algorithm direct --procs 24 --size 64MiB --model tcp";

/// A running netsig that ends with its test.
struct RunningNetsig(Child);

impl Drop for RunningNetsig {
    fn drop(&mut self) {
        // Both calls fail only if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Interrupts netsig with `arguments` once it `has_begun`, and returns its message.
fn interrupted(home: &TestHome, arguments: &str, signal: Signal, has_begun: impl Fn() -> bool) -> String {
    fs::create_dir_all(home.path("temporary")).unwrap();
    let spawned = Command::new(env!("CARGO_BIN_EXE_netsig"))
        .args(arguments.split_whitespace())
        .current_dir(home.0.path())
        .env("TMPDIR", home.path("temporary"))
        .stdout(Stdio::null())
        .stderr(fs::File::create(home.path("said")).unwrap())
        .spawn();
    let mut netsig = RunningNetsig(spawned.unwrap());
    let read_said = || home.read("said");
    wait_until(|| {
        assert_eq!(netsig.0.try_wait().unwrap(), None, "{}", read_said());
        has_begun()
    });
    kill(Pid::from_raw(netsig.0.id().cast_signed()), signal).unwrap();
    wait_until(|| netsig.0.try_wait().unwrap().is_some());
    let code = netsig.0.wait().unwrap().code();
    assert_eq!(code, Some(128 + signal as i32), "{}", read_said());
    assert_eq!(files(&home.path("temporary")), Vec::<PathBuf>::new());
    let said = read_said();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

fn wait_until(mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !happened() {
        assert!(Instant::now() < deadline, "waited in vain");
        sleep(Duration::from_millis(10));
    }
}

/// The files of a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_sweep_keeps_its_rows_and_goes_on() {
    let home = TestHome::new();
    home.write("sweep.toml", SWEEP);
    let rows = || {
        let text = fs::read_to_string(home.path("rows.csv")).unwrap_or_default();
        text.lines().count().saturating_sub(1)
    };
    let sweep = "simulate --sweep sweep.toml -o rows.csv";
    let said = interrupted(&home, sweep, Signal::SIGTERM, || rows() > 0);
    let kept = rows();
    let begin = format!("netsig: interrupted; {kept} of ");
    assert!(said.starts_with(&begin), "{begin:?} before {said:?}");
    let resume = format!("{sweep} --resume");
    interrupted(&home, &resume, Signal::SIGINT, || rows() > kept);
}

#[test]
fn an_unfinished_file_does_not_stay() {
    let home = TestHome::new();
    let before = files(home.0.path());
    let has_draft = || files(home.0.path()).iter().any(|path| is_hidden(path));
    let simulate = format!("{SIMULATION} --timeline trace.json");
    let said = interrupted(&home, &simulate, Signal::SIGINT, has_draft);
    assert_eq!(
        said,
        "netsig: interrupted; nothing was written; start the command again\n"
    );
    let mut after = files(home.0.path());
    after.retain(|path| !["said", "temporary"].map(|name| home.path(name)).contains(path));
    assert_eq!(after, before);
}

/// True for the name of a temporary file.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap();
    name.as_encoded_bytes().starts_with(b".")
}
