//! What can go wrong in the lab, each in one line: what, where, how to fix.

use std::path::PathBuf;

use netsig_core::text::file_error::FileError;

/// Why the lab could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The scenario's text is not a scenario.
    #[error(transparent)]
    Scenario(#[from] FileError),
    /// No shipped scenario has this name.
    #[error("no scenario is called {name:?}; use one of {known}, or a path that ends in .toml")]
    UnknownScenario {
        /// The name asked for.
        name: String,
        /// The shipped names, for the reader.
        known: String,
    },
    /// A scenario file cannot be read.
    #[error("{}: cannot be read ({source}); give the path of a scenario file, or a shipped name", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// This machine lacks something that the lab needs.
    #[error("this machine cannot emulate {scenario}: {lacking}")]
    Unsupported {
        /// The scenario's name.
        scenario: String,
        /// What is missing, why, and what to do about it.
        lacking: String,
    },
    /// A program that the lab needs is not installed.
    #[error("{tool} is in neither PATH nor /usr/sbin; install the package {package}")]
    NoTool {
        /// The program.
        tool: &'static str,
        /// Where it usually comes from.
        package: &'static str,
    },
    /// A program that builds the network failed.
    #[error(
        "{tool} failed in {place}: {reason}; run `netsig lab check` for the missing capabilities"
    )]
    Tool {
        /// The program.
        tool: &'static str,
        /// The namespace it worked in.
        place: String,
        /// The command it stopped at and what it said about it.
        reason: String,
    },
    /// The operating system refused an operation.
    #[error("cannot {action} {}: {source}; {remedy}", .target.display())]
    System {
        /// What was tried.
        action: &'static str,
        /// On what.
        target: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A hidden command was called by hand or by a program that misuses it.
    #[error("{command} is called by the lab itself; use `netsig lab exec SCENARIO -- COMMAND`")]
    Misused {
        /// The hidden command.
        command: &'static str,
    },
}

/// Turns what the system said about `action` on `target` into a [`LabError`].
pub(crate) fn system<E: Into<std::io::Error>>(
    action: &'static str,
    target: impl Into<PathBuf>,
) -> impl FnOnce(E) -> LabError {
    system_or(action, target, RUN_CHECK)
}

/// The same with what to do where `lab check` does not help.
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

/// What to do where the kernel refuses what `lab check` probes for.
const RUN_CHECK: &str = "run `netsig lab check` for the missing capabilities";
