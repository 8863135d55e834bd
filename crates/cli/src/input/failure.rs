//! Errors of commands, with an exit code for each kind of cause.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use itertools::Itertools;
use netsig_base::algorithm::UnknownAlgorithm;
use netsig_base::text::file_error::FileError;
use netsig_base::text::refusal::{Refusal, RefusalCause};
use netsig_lab::{LabError, SIGNAL_EXIT_CODE_BASE};
use netsig_model::model::ModelError;
use netsig_render::svg::DrawingError;
use netsig_sim::setup::SimulationError;

use crate::input::standard::input_name;
use crate::input::terminal::{MessageLabel, message_to_stderr};

/// The two parts of a message of netsig: the problem and the remedy.
pub fn split_remedy(message: &str) -> Option<(&str, &str)> {
    message.rsplit_once("; ")
}

/// The cause of a command's failure, and its exit code.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    /// The error; several causes are on separate lines.
    error: anyhow::Error,
}

impl Failure {
    /// The work failed.
    const WORK: u8 = 1;
    /// Arguments, or files named in them, cannot be used.
    const USAGE: u8 = 2;
    /// The data cannot support the answer.
    const DATA: u8 = 3;
    fn new(code: u8, error: impl Into<anyhow::Error>) -> Self {
        let error = error.into();
        Self { code, error }
    }

    /// Arguments that cannot be used.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::unusable(anyhow!("{message}"))
    }

    /// Arguments, or files named in them, that cannot be used because of `error`.
    pub fn unusable(error: impl Into<anyhow::Error>) -> Self {
        Self::new(Self::USAGE, error)
    }

    /// Data that cannot support the answer.
    pub fn data(message: impl fmt::Display) -> Self {
        Self::new(Self::DATA, anyhow!("{message}"))
    }

    /// Ctrl-C or SIGTERM, with the exit code of the signal; `kept` states what remains and how to continue.
    pub fn interrupted(code: i32, kept: impl fmt::Display) -> Self {
        let code = u8::try_from(code).unwrap_or(Self::WORK);
        Self::new(code, anyhow!("interrupted; {kept}"))
    }

    /// True for Ctrl-C and SIGTERM.
    pub fn is_interrupt(&self) -> bool {
        i32::from(self.code) > SIGNAL_EXIT_CODE_BASE
    }

    /// Passes on the exit code of a command that netsig ran and that printed its own messages.
    ///
    /// # Errors
    /// If the code is not 0.
    pub fn check_exit_code(code: i32) -> Result<(), Self> {
        match u8::try_from(code) {
            Ok(0) => Ok(()),
            code => Err(Self::new(code.unwrap_or(Self::WORK), anyhow!(""))),
        }
    }

    /// Adds the name of `file` to the message.
    #[must_use]
    pub fn about(self, file: impl AsRef<Path>) -> Self {
        let file = input_name(file.as_ref());
        Self::new(self.code, anyhow!("{file}: {}", self.error))
    }

    /// Replaces the message by `error`, with the same exit code.
    #[must_use]
    pub fn with_message(self, error: impl Into<anyhow::Error>) -> Self {
        Self::new(self.code, error)
    }

    /// Prints the message and returns the exit code.
    pub fn report(self) -> ExitCode {
        for line in self.to_string().lines() {
            message_to_stderr(MessageLabel::Error, line);
        }
        ExitCode::from(self.code)
    }
}

/// The message, the causes that it does not mention, and the remedy.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.error.to_string();
        let causes = self.error.chain().skip(1).map(ToString::to_string);
        let unmentioned = causes.filter(|cause| !message.contains(cause)).join(": ");
        match message.rsplit_once("; ") {
            _ if unmentioned.is_empty() => f.write_str(&message),
            Some((what, remedy)) => write!(f, "{what} ({unmentioned}); {remedy}"),
            None => write!(f, "{message}: {unmentioned}"),
        }
    }
}

/// clap's message in one line.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let clap_message = error.to_string();
        let text = clap_message.strip_prefix("error: ").unwrap_or(&clap_message);
        let paragraphs = text.split("\n\n").map(|part| part.split_whitespace().join(" "));
        let mut parts = paragraphs.filter(|part| !part.starts_with("For more"));
        Self::usage(parts.join("; "))
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(Self::WORK, error)
    }
}

impl From<DrawingError> for Failure {
    fn from(error: DrawingError) -> Self {
        anyhow::Error::from(error).into()
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::unusable(error)
    }
}

impl From<UnknownAlgorithm> for Failure {
    fn from(error: UnknownAlgorithm) -> Self {
        Refusal::from(error).into()
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal.cause() {
            RefusalCause::Request => Self::unusable(refusal),
            RefusalCause::Data => Self::new(Self::DATA, refusal),
        }
    }
}

/// An error of the lab is an error of arguments, unless a tool or the system failed.
impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        let code = match error {
            LabError::Tool { .. } | LabError::System { .. } => Self::WORK,
            _ => Self::USAGE,
        };
        Self::new(code, error)
    }
}
