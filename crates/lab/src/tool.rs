//! Running the programs that build the network: ip, tc and ethtool, mostly in batches
//! since starting one takes longer than what it then does.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::{LabError, RUN_CHECK, system};

/// A program the lab needs and the package that usually holds it.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
}

pub(crate) const UNSHARE: Tool = Tool {
    name: "unshare",
    package: "util-linux",
};
pub(crate) const IP: Tool = Tool {
    name: "ip",
    package: "iproute2",
};
pub(crate) const TC: Tool = Tool {
    name: "tc",
    package: "iproute2",
};
pub(crate) const ETHTOOL: Tool = Tool {
    name: "ethtool",
    package: "ethtool",
};

/// Where administrators' programs are; users often lack these folders in PATH.
const ADMIN_FOLDERS: [&str; 2] = ["/usr/sbin", "/sbin"];

impl Tool {
    /// The program's path.
    pub(crate) fn find(&self) -> Result<PathBuf, LabError> {
        find(self.name).ok_or(LabError::NoTool {
            tool: self.name,
            package: self.package,
        })
    }

    /// Runs the program with `arguments` in the current network namespace, which
    /// messages call `place`.
    pub(crate) fn run(&self, place: &str, arguments: &[&str]) -> Result<(), LabError> {
        let output = Command::new(self.find()?)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(system("start", self.name, RUN_CHECK))?;
        self.judge(place, &output, || arguments.join(" "))
    }

    /// Gives the program `lines` as its batch, in the current network namespace.
    pub(crate) fn batch(&self, place: &str, lines: &[String]) -> Result<(), LabError> {
        let output = feed(&self.find()?, &lines.join("\n")).map_err(system(
            "run a batch of",
            self.name,
            RUN_CHECK,
        ))?;
        self.judge(place, &output, || stopped_at(&output, lines))
    }

    fn judge(
        &self,
        place: &str,
        output: &Output,
        command: impl FnOnce() -> String,
    ) -> Result<(), LabError> {
        if output.status.success() {
            return Ok(());
        }
        let said = one_line(&output.stderr);
        let reason = format!("`{} {}`: {said}", self.name, command());
        Err(LabError::Tool {
            tool: self.name,
            place: place.to_owned(),
            reason,
        })
    }
}

/// The path of the program `name`, searched in PATH and the administrators' folders.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(ADMIN_FOLDERS.iter().map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// `text` with all line breaks and runs of blanks as one blank.
pub(crate) fn one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `program -batch -` on `text`. Whatever it prints is short, so that writing
/// first and reading after cannot block.
fn feed(program: &Path, text: &str) -> std::io::Result<Output> {
    let mut child = Command::new(program)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that stops at a bad line closes the pipe; its status tells the story.
        let _ = stdin
            .write_all(text.as_bytes())
            .and_then(|()| stdin.write_all(b"\n"));
    }
    child.wait_with_output()
}

/// The line that a batch stopped at: ip and tc say `Command failed -:LINE`.
fn stopped_at(output: &Output, lines: &[String]) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.rsplit_once("-:")
        .and_then(|(_, rest)| rest.trim().parse::<usize>().ok())
        .and_then(|line| lines.get(line.checked_sub(1)?))
        .cloned()
        .unwrap_or_else(|| "-batch -".to_owned())
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
        let lines = ["link show dev lo", "link show dev nosuch0"].map(str::to_owned);
        let message = IP.batch("a test", &lines).unwrap_err().to_string();
        assert!(
            message.starts_with("ip failed in a test: `ip link show dev nosuch0`: "),
            "{message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }

    #[test]
    fn a_missing_tool_names_its_package() {
        let message = Tool {
            name: "nosuch",
            package: "some",
        }
        .find()
        .unwrap_err()
        .to_string();
        assert!(message.ends_with("install the package some"), "{message}");
    }
}
