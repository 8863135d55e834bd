//! How a command fails: the exit code belongs to the cause.

use std::fmt;
use std::process::ExitCode;

use netsig_core::algorithm::UnknownAlgorithm;
use netsig_core::model::ModelError;
use netsig_core::sim::setup::SimulationError;
use netsig_core::text::file_error::FileError;
use netsig_lab::LabError;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The work failed: exit code 1.
    Work(anyhow::Error),
    /// Arguments, or files named in them, that cannot be used: exit code 2.
    Usage(anyhow::Error),
    /// The data cannot support the answer: exit code 3.
    Data(anyhow::Error),
    /// Ctrl-C: exit code 130.
    Interrupted(anyhow::Error),
    /// Files that cannot be used for several causes, a line each: exit code 2.
    Causes(Vec<String>),
    /// A command that netsig ran ended with this code and has said why itself.
    Passed(u8),
}

impl Failure {
    /// Arguments that cannot be used.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::Usage(anyhow::anyhow!("{message}"))
    }

    /// Data that cannot support the answer.
    pub fn data(message: impl std::fmt::Display) -> Self {
        Self::Data(anyhow::anyhow!("{message}"))
    }

    /// The same failure, told by `error`.
    #[must_use]
    pub fn told_by(self, error: impl Into<anyhow::Error>) -> Self {
        match self {
            Self::Work(_) => Self::Work(error.into()),
            Self::Data(_) => Self::Data(error.into()),
            Self::Usage(_) | Self::Causes(_) => Self::Usage(error.into()),
            Self::Interrupted(_) | Self::Passed(_) => self,
        }
    }

    /// Tells the user and gives the exit code.
    pub fn report(self) -> ExitCode {
        let code = match self {
            Self::Work(_) => 1,
            Self::Usage(_) | Self::Causes(_) => 2,
            Self::Data(_) => 3,
            Self::Interrupted(_) => 130,
            Self::Passed(code) => return ExitCode::from(code),
        };
        for line in self.to_string().lines() {
            eprintln!("netsig: {line}");
        }
        ExitCode::from(code)
    }
}

/// Each cause in one line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(error)
            | Self::Usage(error)
            | Self::Data(error)
            | Self::Interrupted(error) => f.write_str(&one_line(error)),
            Self::Causes(lines) => f.write_str(&lines.join("\n")),
            Self::Passed(code) => write!(f, "a command ended with code {code}"),
        }
    }
}

/// The message, the causes that it does not name itself, and what to do.
fn one_line(error: &anyhow::Error) -> String {
    let told = error.to_string();
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    let untold: Vec<&str> = causes
        .iter()
        .map(String::as_str)
        .filter(|cause| !told.contains(cause))
        .collect();
    match told.rsplit_once("; ") {
        _ if untold.is_empty() => told,
        Some((what, remedy)) => format!("{what} ({}); {remedy}", untold.join(": ")),
        None => format!("{told}: {}", untold.join(": ")),
    }
}

/// clap's message, in one line.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = text.split("\n\n").map(words);
        let parts: Vec<String> = parts.filter(|part| !part.starts_with("For more")).collect();
        Self::usage(parts.join("; "))
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Work(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::Usage(error.into())
    }
}

impl From<UnknownAlgorithm> for Failure {
    fn from(error: UnknownAlgorithm) -> Self {
        Self::Usage(error.into())
    }
}

/// What is not known or does not suit the network is the data's fault, the rest the
/// arguments'.
impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Missing { .. } | ModelError::Impossible { .. } => Self::Data(error.into()),
            ModelError::Parameter(_) | ModelError::Unknown { .. } => Self::Usage(error.into()),
        }
    }
}

/// Where no formula is exact there is no answer; the rest is the arguments' fault.
impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::NoClosedForm(_) => Self::Data(error.into()),
            _ => Self::Usage(error.into()),
        }
    }
}

/// What the lab cannot do here is the arguments' fault unless a tool or the system failed.
impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Tool { .. } | LabError::System { .. } => Self::Work(error.into()),
            _ => Self::Usage(error.into()),
        }
    }
}
