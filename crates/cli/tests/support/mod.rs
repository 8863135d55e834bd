//! A directory to run netsig in, and helpers that read its output.
#![allow(dead_code, reason = "each test program uses its part of this")]

pub mod guide;
pub mod profiles;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write as _, stderr};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

/// No command here takes more than a moment; a hanging command must not hang the tests.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ping-pong, and two algorithms at three process counts.
pub const PLAN: &str = r#"seed = 20
launches = 2

[pingpong]
sizes = "1..64, 64KiB..512KiB"
repetitions = 10

[[collective]]
name = "alltoall"
algorithms = ["direct", "library"]
procs = [4, 6, 8]
sizes = "256..256KiB, 96KiB, 192KiB"
repetitions = 8
"#;

/// The same with fewer sizes and repetitions, just enough for a fit.
const SMALL_PLAN: &str = r#"seed = 20
launches = 2

[pingpong]
sizes = "1, 64KiB..256KiB"
repetitions = 4

[[collective]]
name = "alltoall"
algorithms = ["direct", "library"]
procs = [4, 6, 8]
sizes = "256, 4KiB, 64KiB, 256KiB"
repetitions = 3
"#;

/// The simulator, whose true gamma is 1.8.
pub const ON_SIMULATOR: &str = "--on sim:ethernet-12x40";

/// Prints that a test is skipped because of this machine. It bypasses the test harness, which hides the output of
/// passing tests.
pub fn skipped(why: &str) {
    stderr().write_all(format!("SKIPPED: {why}\n").as_bytes()).unwrap();
}

/// A row of printed values by column.
pub type PrintedRow = BTreeMap<String, String>;

/// A directory to run netsig in.
pub struct TestHome(pub TempDir);

impl TestHome {
    /// With `plan.toml`.
    pub fn new() -> Self {
        let home = Self(TempDir::new().unwrap());
        home.write("plan.toml", PLAN);
        home
    }

    /// With `data.csv` too.
    pub fn measured() -> Self {
        Self::measured_by(PLAN)
    }

    fn measured_by(plan: &str) -> Self {
        let home = Self::new();
        home.write("plan.toml", plan);
        home.run(&format!("measure plan.toml -o data.csv {ON_SIMULATOR}"));
        home
    }

    /// With `profile.toml` too.
    pub fn fitted() -> Self {
        Self::fitted_by(PLAN)
    }

    /// As [`TestHome::fitted`], from a small plan.
    pub fn small() -> Self {
        Self::fitted_by(SMALL_PLAN)
    }

    fn fitted_by(plan: &str) -> Self {
        let home = Self::measured_by(plan);
        home.run("fit data.csv -o profile.toml");
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Every file with its content.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    }

    /// netsig with `arguments`, separated by spaces; words between quotes are one argument.
    pub fn netsig(&self, arguments: &str) -> Command {
        let mut command = assert_cmd::cargo_bin_cmd!("netsig");
        for (index, part) in arguments.split('\'').enumerate() {
            match index % 2 {
                0 => command.args(part.split_whitespace()),
                _ => command.arg(part),
            };
        }
        command
            .current_dir(self.0.path())
            .env_remove("NETSIG_RANK_PROGRAM")
            .timeout(PATIENCE);
        command
    }

    /// Standard output of a successful command.
    pub fn run(&self, arguments: &str) -> String {
        let output = self.netsig(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", stderr_text(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The complete output of netsig for each of the commands, with its exit code if it is not 0.
    pub fn transcript(&self, commands: &[&str]) -> String {
        self.transcript_by(commands, |output| String::from_utf8_lossy(&output.stdout).into())
    }

    /// As [`TestHome::transcript`], but standard error alone.
    pub fn stderr_of(&self, commands: &[&str]) -> String {
        self.transcript_by(commands, |_| String::new())
    }

    fn transcript_by(&self, commands: &[&str], printed: impl Fn(&Output) -> String) -> String {
        let run = |arguments: &&str| {
            let output = self.netsig(arguments).output().unwrap();
            let code = match output.status.code() {
                Some(0) => String::new(),
                code => format!("? {}\n", code.unwrap_or(-1)),
            };
            let (printed, said) = (printed(&output), stderr_text(&output));
            format!("$ netsig {arguments}\n{code}{printed}{said}\n")
        };
        commands.iter().map(run).collect()
    }

    /// Asserts that netsig refuses with `code` and one line that begins with the place of the fault and ends with the
    /// remedy, and that no file changes.
    pub fn assert_refused(&self, arguments: &str, code: i32, [place, remedy]: [&str; 2]) {
        let before = self.files();
        let output = self.netsig(arguments).output().unwrap();
        let message = stderr_text(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {message}");
        assert_eq!(message.lines().count(), 1, "one line: {message}");
        let begin = format!("netsig: {place}");
        assert!(message.starts_with(&begin), "{begin:?} before {message:?}");
        let end = format!("{remedy}\n");
        assert!(message.ends_with(&end), "{end:?} at the end of {message:?}");
        assert!(output.stdout.is_empty(), "{arguments} prints a result");
        assert!(before == self.files(), "{arguments} changed a file");
    }
}

/// Writes an executable file.
pub fn write_script(home: &TestHome, name: &str, text: &str) {
    home.write(name, text);
    fs::set_permissions(home.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The columns of CSV text in order, and its rows by column.
pub fn parse_csv(text: &str) -> (Vec<String>, Vec<PrintedRow>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let titles = reader.headers().unwrap().iter().map(str::to_owned);
    let columns = titles.collect();
    (columns, reader.deserialize().map(Result::unwrap).collect())
}

/// The rows that netsig prints.
pub fn printed_rows(home: &TestHome, arguments: &str) -> Vec<PrintedRow> {
    parse_csv(&home.run(&format!("{arguments} --format csv"))).1
}

/// As JSON netsig prints the same as in `rows` of CSV.
pub fn assert_same_json(home: &TestHome, arguments: &str, rows: &[PrintedRow]) {
    let json = home.run(&format!("{arguments} --format json"));
    let objects: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&json).unwrap();
    assert_eq!(objects.len(), rows.len());
    for (object, row) in objects.iter().zip(rows) {
        assert!(object.keys().eq(row.keys()), "{object:?}");
        for (key, value) in object {
            // serde_json may be off by the last bit when it reads.
            let is_same = match value.as_f64() {
                Some(found) => (found - number(row, key)).abs() <= 1e-15 * found.abs(),
                None if value.is_boolean() => value.as_bool() == row[key].parse().ok(),
                None => value.as_str().unwrap_or_default() == row[key],
            };
            assert!(is_same, "{key}: {value} {row:?}");
        }
    }
}

pub fn number(row: &PrintedRow, column: &str) -> f64 {
    row[column].parse().unwrap()
}

/// Data with other times: `change` gets the cells of a row and its time in seconds.
pub fn with_changed_times(data: &str, change: impl Fn(&[String], f64) -> f64) -> String {
    let mut at = None;
    let row = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        match at.and_then(|at: usize| Some((at, cells.get(at)?.parse().ok()?))) {
            Some((at, time)) => cells[at] = format!("{:e}", change(&cells, time)),
            _ => at = at.or_else(|| cells.iter().position(|cell| cell == "time_s")),
        }
        cells.join(",") + "\n"
    };
    data.lines().map(row).collect()
}
