//! The output files of netsig. An [`Output`] is checked before the work starts, and only an
//! `Output` can write a file: no output replaces an input, a measurement or a file of another kind.
//! Files are replaced completely or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use itertools::Itertools;
use tempfile::NamedTempFile;

use crate::input::failure::Failure;
use crate::input::files::{parent, unwritable};
use crate::input::interrupt::{self, Registration};
use crate::input::kind::{KINDS, Kind, head};

/// A checked output path of a command.
#[derive(Debug, Clone)]
pub struct Output {
    /// The option of the path.
    option: &'static str,
    /// The path as given by the user.
    path: PathBuf,
}

/// An unfinished file.
#[derive(Debug)]
pub struct Draft {
    file: BufWriter<NamedTempFile>,
    registration: Registration,
    output: Output,
}

impl Output {
    /// An output to `path`, named by `option`. It may replace an empty file or one of the same
    /// `kind`, but none of the files that the command `reads`.
    ///
    /// # Errors
    /// If another file exists, or the directory cannot be written.
    pub fn replacing(
        option: &'static str,
        path: &Path,
        kind: Kind,
        reads: &[&Path],
    ) -> Result<Self, Failure> {
        Self::replacing_any(option, path, &[kind], reads).map(|(output, _)| output)
    }

    /// As [`Self::replacing`], with a file of one of the `kinds`. Also returns the kind of the file;
    /// the first, if it is empty or does not exist.
    ///
    /// # Errors
    /// As [`Self::replacing`].
    pub fn replacing_any(
        option: &'static str,
        path: &Path,
        kinds: &[Kind],
        reads: &[&Path],
    ) -> Result<(Self, Kind), Failure> {
        let output = Self::unread(option, path, reads)?;
        if !path.exists() {
            return Ok((output, kinds[0]));
        }
        let head = head(path)?;
        if head.trim().is_empty() {
            return Ok((output, kinds[0]));
        }
        if let Some(kind) = kinds.iter().find(|kind| kind.is_of(&head)) {
            return Ok((output, *kind));
        }
        let found = KINDS.into_iter().find(|own| own.is_of(&head));
        let found = found.map_or("no file of netsig".to_owned(), |own| own.to_string());
        let wanted = match kinds {
            [only] => format!("not {only}"),
            _ => format!("neither {}", kinds.iter().join(" nor ")),
        };
        Err(Failure::usage(format!(
            "is {found} and {wanted}; choose another {option} or remove it"
        ))
        .about(path))
    }

    /// An output to `path`, named by --output, that may replace an empty file only.
    ///
    /// # Errors
    /// If another file exists (with `remedy` in the message), or the directory cannot be written.
    pub fn fresh(path: &Path, reads: &[&Path], remedy: &str) -> Result<Self, Failure> {
        let output = Self::unread("--output", path, reads)?;
        if path.metadata().is_ok_and(|found| found.len() > 0) {
            return Err(Failure::usage(format!("exists already; {remedy}")).about(path));
        }
        Ok(output)
    }

    /// Checks that the file can be written and is not an input.
    fn unread(option: &'static str, path: &Path, reads: &[&Path]) -> Result<Self, Failure> {
        let output = Self {
            option,
            path: path.to_owned(),
        };
        let own = resolved(path);
        if reads
            .iter()
            .any(|read| read.exists() && resolved(read) == own)
        {
            let problem = format!("is read by the same command; choose another {option}");
            return Err(Failure::usage(problem).about(path));
        }
        let target = output.target().map_err(Failure::unusable)?;
        tempfile::tempfile_in(parent(&target))
            .with_context(|| unwritable(path))
            .map_err(Failure::unusable)?;
        Ok(output)
    }

    /// Refuses two outputs to the same file.
    ///
    /// # Errors
    /// If two outputs name the same file.
    pub fn refuse_same<'a>(all: impl Iterator<Item = &'a Self>) -> Result<(), Failure> {
        let mut known: Vec<(PathBuf, &str)> = Vec::new();
        for output in all {
            let place = resolved(&output.path);
            if let Some((_, other)) = known.iter().find(|(known, _)| *known == place) {
                let problem = format!("is named by {other} and {}", output.option);
                let problem = format!("{problem}; give each its own file");
                return Err(Failure::usage(problem).about(&output.path));
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
    pub fn draft(&self) -> Result<Draft> {
        let target = self.target()?;
        let made = interrupt::register(|| NamedTempFile::new_in(parent(&target)));
        let (file, registration) = made.with_context(|| unwritable(&self.path))?;
        Ok(Draft {
            file: BufWriter::new(file),
            registration,
            output: self.clone(),
        })
    }

    /// The file behind symbolic links, if it exists; otherwise the path.
    fn target(&self) -> Result<PathBuf> {
        let Ok(found) = self.path.canonicalize() else {
            return Ok(self.path.clone());
        };
        let shown = self.path.display();
        ensure!(
            found.is_file(),
            "{shown}: is not a regular file; choose another path"
        );
        Ok(found)
    }
}

impl Draft {
    /// The message that the draft cannot be written, with a remedy.
    pub fn unwritable(&self) -> String {
        unwritable(&self.output.path)
    }

    /// Moves the finished draft to the output path.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn publish(self) -> Result<()> {
        let what = || unwritable(&self.output.path);
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error);
        let file = file.with_context(what)?.persist(self.output.target()?);
        let file = file.map_err(|error| error.error).with_context(what)?;
        drop(self.registration);
        readable(&file).with_context(what)
    }
}

impl Write for Draft {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The path without symbolic links, also for a file that does not exist.
pub fn resolved(path: &Path) -> PathBuf {
    let in_parent = || {
        let parent = parent(path).canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    };
    let found = path.canonicalize().ok().or_else(in_parent);
    found.unwrap_or_else(|| path.to_owned())
}

/// Makes a file readable for all users: temporary files are private.
fn readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
