//! Runs the programs that build the network: ip, tc and ethtool. Commands are batched, since
//! starting a program takes longer than a command.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::{LabError, system};

/// A program that the lab needs and the package that usually contains it.
pub(crate) struct LabTool {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
}

pub(crate) const UNSHARE: LabTool = LabTool {
    name: "unshare",
    package: "util-linux",
};
pub(crate) const IP: LabTool = LabTool {
    name: "ip",
    package: "iproute2",
};
pub(crate) const TC: LabTool = LabTool {
    name: "tc",
    package: "iproute2",
};
pub(crate) const ETHTOOL: LabTool = LabTool {
    name: "ethtool",
    package: "ethtool",
};

impl LabTool {
    /// The program's path.
    pub(crate) fn find(&self) -> Result<PathBuf, LabError> {
        find(self.name).ok_or(LabError::NoTool {
            tool: self.name,
            package: self.package,
        })
    }

    /// Runs the program with `arguments` in the current network namespace and returns its output;
    /// `place` names the namespace in messages.
    pub(crate) fn run(&self, place: &str, arguments: &[&str]) -> Result<String, LabError> {
        let output = Command::new(self.find()?)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(system("start", self.name))?;
        self.check_status(place, &output, || arguments.join(" "))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs the program with the lines of `script` as its batch, in the current network namespace.
    pub(crate) fn batch(&self, place: &str, script: &str) -> Result<(), LabError> {
        let output = run_batch(&self.find()?, script).map_err(system("run a batch of", self.name))?;
        self.check_status(place, &output, || stopped_at(&output, script))
    }

    fn check_status(&self, place: &str, output: &Output, command: impl FnOnce() -> String) -> Result<(), LabError> {
        if output.status.success() {
            return Ok(());
        }
        let message = one_line(&output.stderr);
        Err(LabError::Tool {
            tool: self.name,
            place: place.to_owned(),
            reason: format!("`{} {}`: {message}", self.name, command()),
        })
    }
}

/// PATH with the folders of administrators' programs, which users' PATH often lacks.
pub(crate) fn path() -> OsString {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin");
    path
}

/// The path of the program `name`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&path())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// `text` with each run of white space replaced by one blank.
pub(crate) fn one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `program -batch -` on `text`. Its output is short, so writing all input before reading
/// cannot block.
fn run_batch(program: &Path, text: &str) -> std::io::Result<Output> {
    let mut child = Command::new(program)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that stops at a bad line closes the pipe; its exit status reports the error.
        let _ = stdin.write_all(text.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
    }
    child.wait_with_output()
}

/// The line of the script at which a batch stopped: ip and tc print `Command failed -:LINE`.
fn stopped_at(output: &Output, script: &str) -> String {
    let message = String::from_utf8_lossy(&output.stderr);
    let line = message.rsplit_once("-:").and_then(|(_, rest)| {
        let line: usize = rest.trim().parse().ok()?;
        script.lines().nth(line.checked_sub(1)?)
    });
    line.unwrap_or("-batch -").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_batch_names_the_line_it_stopped_at() {
        if IP.find().is_err() {
            eprintln!("SKIPPED: no ip on this machine");
            return;
        }
        let script = "link show dev lo\nlink show dev nosuch0";
        let message = IP.batch("a test", script).unwrap_err().to_string();
        assert!(
            message.starts_with("ip failed in a test: `ip link show dev nosuch0`: "),
            "{message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }

    #[test]
    fn a_missing_tool_names_its_package() {
        let message = LabTool {
            name: "nosuch",
            package: "some",
        }
        .find()
        .unwrap_err()
        .to_string();
        assert!(message.ends_with("install the package some"), "{message}");
    }
}
