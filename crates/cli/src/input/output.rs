//! The output files of netsig. An [`OutputPath`] is checked before the work starts, and only an
//! `OutputPath` can write a file: no output replaces an input, a measurement or a file of another kind.
//! Files are replaced completely or not at all; pipes and devices are written through, never replaced.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use itertools::Itertools;

use crate::input::claim;
use crate::input::destination::Destination;
use crate::input::draft::OutputDraft;
use crate::input::failure::Failure;
use crate::input::file_kind::{FileKind, RECOGNISABLE_KINDS, head_of_file};
use crate::input::files::{parent, unwritable};
use crate::input::identity::{FileIdentity, identity, identity_of_input};
use crate::input::standard;

/// A checked output path of a command.
#[derive(Debug, Clone)]
pub struct OutputPath {
    /// The option of the path.
    option: &'static str,
    /// The path as given by the user.
    path: PathBuf,
    /// The place behind the path.
    destination: Destination,
}

impl OutputPath {
    /// An output to `path`, named by `option`. It may replace an empty file or one of the same
    /// `kind`, but none of the files that the command `reads`.
    ///
    /// # Errors
    /// If another file exists, or the directory cannot be written.
    pub fn replacing(option: &'static str, path: &Path, kind: FileKind, reads: &[&Path]) -> Result<Self, Failure> {
        Self::replacing_any(option, path, &[kind], reads).map(|(output, _)| output)
    }

    /// As [`Self::replacing`], with a file of one of the `kinds`. Also returns the kind of the file;
    /// the first, if it is empty or does not exist.
    ///
    /// # Errors
    /// The errors of [`Self::replacing`].
    pub fn replacing_any(
        option: &'static str,
        path: &Path,
        kinds: &[FileKind],
        reads: &[&Path],
    ) -> Result<(Self, FileKind), Failure> {
        let output = Self::checked(option, path, reads)?;
        let Some(file) = output.existing_file() else {
            return Ok((output, kinds[0]));
        };
        let head = head_of_file(file)?;
        if head.trim().is_empty() {
            return Ok((output, kinds[0]));
        }
        if let Some(kind) = kinds.iter().find(|kind| kind.is_kind_of_text(&head)) {
            return Ok((output, *kind));
        }
        let other_kind = RECOGNISABLE_KINDS.into_iter().find(|kind| kind.is_kind_of_text(&head));
        let found = other_kind.map_or("no file of netsig".to_owned(), |kind| kind.to_string());
        let wanted = match kinds {
            [only] => format!("not {only}"),
            _ => format!("neither {}", kinds.iter().join(" nor ")),
        };
        Err(Failure::usage(format!("is {found} and {wanted}; choose another {option} or remove it")).about(path))
    }

    /// An output to `path`, named by --output, that may replace an empty file only.
    ///
    /// # Errors
    /// If another file exists (with `remedy` in the message), or the directory cannot be written.
    pub fn fresh(path: &Path, reads: &[&Path], remedy: &str) -> Result<Self, Failure> {
        let output = Self::checked("--output", path, reads)?;
        let file = output.existing_file().and_then(|file| file.metadata().ok());
        if file.is_some_and(|found| found.len() > 0) {
            return Err(Failure::usage(format!("exists already; {remedy}")).about(path));
        }
        Ok(output)
    }

    /// Checks that the file can be written, is not an input, and has no other writer.
    fn checked(option: &'static str, path: &Path, reads: &[&Path]) -> Result<Self, Failure> {
        let destination = Destination::of(path).map_err(|problem| Failure::usage(problem).about(path))?;
        let output = Self {
            option,
            path: path.to_owned(),
            destination,
        };
        let output_identity = output.identity();
        if output_identity.is_some() && reads.iter().any(|read| identity_of_input(read) == output_identity) {
            let problem = format!("is read by the same command; choose another {option}");
            return Err(Failure::usage(format!("{output}: {problem}")));
        }
        match &output.destination {
            Destination::Standard => standard::take_output(),
            Destination::Through(_) => {}
            Destination::Regular(file) => refuse_unwritable(file)
                .with_context(|| unwritable(path))
                .map_err(Failure::unusable)
                .and_then(|()| claim::refuse_claimed(path))?,
        }
        Ok(output)
    }

    /// The regular file that the output replaces, if there is one.
    pub fn existing_file(&self) -> Option<&Path> {
        match &self.destination {
            Destination::Regular(file) => Some(file.as_path()).filter(|file| file.exists()),
            Destination::Standard | Destination::Through(_) => None,
        }
    }

    /// The place behind the path.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// The identity of the regular file behind the path, if there is one.
    fn identity(&self) -> Option<FileIdentity> {
        let metadata = match &self.destination {
            Destination::Standard => Path::new("/proc/self/fd/1").metadata(),
            Destination::Regular(path) | Destination::Through(path) => path.metadata(),
        };
        let found = metadata.ok().filter(std::fs::Metadata::is_file);
        found.map(|found| identity(&found))
    }

    /// Refuses two outputs to the same file.
    ///
    /// # Errors
    /// If two outputs name the same file.
    pub fn refuse_same<'a>(all: impl Iterator<Item = &'a Self>) -> Result<(), Failure> {
        let mut known: Vec<(&Destination, &str)> = Vec::new();
        for output in all {
            let place = &output.destination;
            if let Some((_, other)) = known.iter().find(|(known, _)| *known == place) {
                let conflict = format!("is named by {other} and {}", output.option);
                let problem = format!("{conflict}; give each its own file");
                return Err(Failure::usage(format!("{output}: {problem}")));
            }
            known.push((place, output.option));
        }
        Ok(())
    }

    /// The option of the path.
    pub fn option(&self) -> &'static str {
        self.option
    }

    /// Replaces the file by `content`, completely or not at all.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn replace(&self, content: &[u8]) -> Result<()> {
        self.write(|out| out.write_all(content))
    }

    /// Replaces the file by the output of `content`, completely or not at all.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn write(&self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let mut draft = self.draft()?;
        content(&mut draft).with_context(|| unwritable(&self.path))?;
        draft.publish()
    }

    /// Starts a draft for content in several pieces.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn draft(&self) -> Result<OutputDraft> {
        OutputDraft::begin(&self.path, &self.destination)
    }
}

/// The name of the output in messages.
impl fmt::Display for OutputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        standard::output_name(&self.path).fmt(f)
    }
}

/// Checks that a file can be replaced: its folder, and the file if it exists, must be writable.
fn refuse_unwritable(file: &Path) -> io::Result<()> {
    if file.exists() {
        OpenOptions::new().append(true).open(file)?;
    }
    tempfile::tempfile_in(parent(file)).map(drop)
}
