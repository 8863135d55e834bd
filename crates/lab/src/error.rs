//! Errors of the lab, each in one line: fault, place, remedy.

use std::path::PathBuf;

use netsig_base::text::refusal::Refusal;

/// An error of the lab.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// No such scenario, or its file cannot be used.
    #[error(transparent)]
    Scenario(#[from] Refusal),
    /// This machine lacks something that the lab needs.
    #[error("this machine cannot emulate {scenario}: {lacking}")]
    Unsupported {
        /// The scenario's name.
        scenario: String,
        /// Missing capability, reason and remedy.
        lacking: String,
    },
    /// A program that the lab needs is not installed.
    #[error("{tool} is in neither PATH nor /usr/sbin; install the package {package}")]
    NoTool {
        /// The program.
        tool: &'static str,
        /// The package that usually contains it.
        package: &'static str,
    },
    /// A program that builds the network failed.
    #[error("{tool} failed in {place}: {reason}; run `netsig lab check` for the missing capabilities")]
    Tool {
        /// The program.
        tool: &'static str,
        /// The namespace of the program.
        place: String,
        /// The command at which it stopped and its message.
        reason: String,
    },
    /// The operating system refused an operation.
    #[error("cannot {action} {}: {source}; {remedy}", .target.display())]
    System {
        /// The refused operation.
        action: &'static str,
        /// Object of the operation.
        target: PathBuf,
        /// The system's error.
        source: std::io::Error,
        /// Advice for the user.
        remedy: &'static str,
    },
    /// This process asked for its emulated cluster, but runs in none.
    #[error("no emulated cluster is here; run the command in one: `netsig lab exec SCENARIO -- COMMAND`")]
    Outside,
    /// A hidden command was called by hand or by a program that misuses it.
    #[error("{command} is called by the lab itself; use `netsig lab exec SCENARIO -- COMMAND`")]
    Misused {
        /// The hidden command.
        command: &'static str,
    },
}

/// Converts a system error of `action` on `target` to a [`LabError`].
pub(crate) fn system<E: Into<std::io::Error>>(
    action: &'static str,
    target: impl Into<PathBuf>,
) -> impl FnOnce(E) -> LabError {
    system_or(action, target, RUN_CHECK)
}

/// Like [`system`], with a `remedy` for errors that `lab check` does not explain.
pub(crate) fn system_or<E: Into<std::io::Error>>(
    action: &'static str,
    target: impl Into<PathBuf>,
    remedy: &'static str,
) -> impl FnOnce(E) -> LabError {
    let target = target.into();
    move |source| LabError::System {
        action,
        target,
        source: source.into(),
        remedy,
    }
}

/// Remedy if the kernel refuses something that `lab check` tests.
const RUN_CHECK: &str = "run `netsig lab check` for the missing capabilities";
