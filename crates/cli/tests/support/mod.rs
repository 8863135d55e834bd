//! A directory to run netsig in, and what its output says.
#![allow(dead_code, reason = "each test program uses its part of this")]

pub mod guide;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write as _, stderr};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

/// No command here takes more than a moment; one that hangs must not hang the tests.
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

/// Its truth: gamma = 1.8.
pub const ON: &str = "--on sim:ethernet-12x40";

/// Says that a test passes over what this machine cannot do, past the test harness, which hides what
/// passing tests say.
pub fn skipped(why: &str) {
    stderr().write_all(format!("SKIPPED: {why}\n").as_bytes()).unwrap();
}

/// A row of printed values by column.
pub type Row = BTreeMap<String, String>;

/// A directory to run netsig in.
pub struct Home(pub TempDir);

impl Home {
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
        home.does(&format!("measure plan.toml -o data.csv {ON}"));
        home
    }

    /// With `profile.toml` too.
    pub fn fitted() -> Self {
        Self::fitted_by(PLAN)
    }

    /// As [`Home::fitted`], from a small plan.
    pub fn small() -> Self {
        Self::fitted_by(SMALL_PLAN)
    }

    fn fitted_by(plan: &str) -> Self {
        let home = Self::measured_by(plan);
        home.does("fit data.csv -o profile.toml");
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

    /// netsig with `arguments`, which are separated by spaces; those between quotes are one.
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
    pub fn does(&self, arguments: &str) -> String {
        let output = self.netsig(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// All that netsig prints for each of the arguments, with its exit code if it is not 0.
    pub fn transcript(&self, commands: &[&str]) -> String {
        self.each(commands, |output| String::from_utf8_lossy(&output.stdout).into())
    }

    /// As [`Home::transcript`], but standard error alone.
    pub fn told(&self, commands: &[&str]) -> String {
        self.each(commands, |_| String::new())
    }

    fn each(&self, commands: &[&str], printed: impl Fn(&Output) -> String) -> String {
        let run = |arguments: &&str| {
            let output = self.netsig(arguments).output().unwrap();
            let code = match output.status.code() {
                Some(0) => String::new(),
                code => format!("? {}\n", code.unwrap_or(-1)),
            };
            let (printed, said) = (printed(&output), said(&output));
            format!("$ netsig {arguments}\n{code}{printed}{said}\n")
        };
        commands.iter().map(run).collect()
    }

    /// netsig refuses with `code` and one line that begins with the place of the fault and
    /// ends in what to do, and no file changes.
    pub fn refuses(&self, arguments: &str, code: i32, [place, remedy]: [&str; 2]) {
        let before = self.files();
        let output = self.netsig(arguments).output().unwrap();
        let message = said(&output);
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
pub fn script(home: &Home, name: &str, text: &str) {
    home.write(name, text);
    fs::set_permissions(home.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The columns of CSV text in order, and its rows by column.
pub fn table(text: &str) -> (Vec<String>, Vec<Row>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().iter().map(str::to_owned);
    let columns = columns.collect();
    (columns, reader.deserialize().map(Result::unwrap).collect())
}

/// The rows that netsig prints.
pub fn rows(home: &Home, arguments: &str) -> Vec<Row> {
    table(&home.does(&format!("{arguments} --format csv"))).1
}

/// As JSON netsig prints the same as in `rows` of CSV.
pub fn assert_same_json(home: &Home, arguments: &str, rows: &[Row]) {
    let json = home.does(&format!("{arguments} --format json"));
    let objects: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&json).unwrap();
    assert_eq!(objects.len(), rows.len());
    for (object, row) in objects.iter().zip(rows) {
        assert!(object.keys().eq(row.keys()), "{object:?}");
        for (key, value) in object {
            // serde_json may be off by the last bit when it reads.
            let is_same = match value.as_f64() {
                Some(found) => (found - number(row, key)).abs() <= 1e-15 * found.abs(),
                None => value.as_str().unwrap_or_default() == row[key],
            };
            assert!(is_same, "{key}: {value} {row:?}");
        }
    }
}

pub fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}

/// Data with other times: `change` gets the cells of a row and its time in seconds.
pub fn retimed(data: &str, change: impl Fn(&[String], f64) -> f64) -> String {
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
