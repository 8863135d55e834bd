//! The output files of netsig. An [`Output`] is checked before the work starts, and only an
//! `Output` can write a file: no output replaces an input, a measurement or a file of another kind.
//! Files are replaced completely or not at all.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use itertools::Itertools;
use netsig_core::data::names_columns;
use tempfile::NamedTempFile;

use crate::input::failure::Failure;
use crate::input::files::{parent, read, unwritable};
use crate::input::interrupt::{self, Registration};
use crate::input::report;

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

/// The kinds of files that netsig writes, or reads and must not replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Measured times.
    Data,
    /// The result of a fit.
    Profile,
    /// Clusters of hosts.
    Clusters,
    /// A plan of measurements.
    Plan,
    /// A plan of simulations.
    Sweep,
    /// A scenario or another description of a network.
    Network,
    /// CSV with these columns.
    Table(&'static [&'static str]),
    /// A picture.
    Svg,
    /// A timeline.
    Trace,
    /// A program in GOAL.
    Goal,
    /// A report of the interposer.
    Report,
    /// Rules of Open MPI.
    OpenMpiRules,
    /// A selection file of MPICH.
    MpichSelection,
    /// Settings of Intel MPI.
    IntelMpiSettings,
    /// A platform of `SimGrid`.
    Platform,
    /// Parameters of `LogGOPSim`.
    LogGopSim,
    /// A man page, a completion or a module file of netsig.
    Shared,
}

/// The kinds that can be recognised without knowing the columns.
const KINDS: [Kind; 16] = [
    Kind::Data,
    Kind::Profile,
    Kind::Plan,
    Kind::Sweep,
    Kind::Network,
    Kind::Clusters,
    Kind::Svg,
    Kind::Trace,
    Kind::Goal,
    Kind::Report,
    Kind::Platform,
    Kind::LogGopSim,
    Kind::MpichSelection,
    Kind::IntelMpiSettings,
    Kind::OpenMpiRules,
    Kind::Shared,
];

/// Words of the files of [`Kind::Shared`]: of pages, the completions of three shells, and a module file.
const SHARED: [&str; 5] = [
    ".TH netsig",
    "_netsig() {",
    "#compdef netsig",
    "complete -c netsig",
    "#%Module1.0\n# netsig",
];

/// Number of bytes that are read to recognise a file's kind.
const HEAD: u64 = 64 * 1024;

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

impl Kind {
    /// True if a file that begins with `head` is of this kind.
    fn is_of(self, head: &str) -> bool {
        let lines = || head.lines().map(str::trim);
        let states = |key: &str| {
            let rest = |line: &str| {
                line.strip_prefix(key)
                    .map(|rest| rest.trim_start().to_owned())
            };
            lines().any(|line| rest(line).is_some_and(|rest| rest.starts_with('=')))
        };
        let has_section = |sections: &[&str]| lines().any(|line| sections.contains(&line));
        let columns = || lines().find(|line| !line.is_empty() && !line.starts_with('#'));
        match self {
            // A job that is killed early leaves provenance only.
            Self::Data => columns().map_or(head.starts_with("#@"), names_columns),
            Self::Profile => states("netsig_profile"),
            // A profile and a plan may have clusters, too.
            Self::Clusters => {
                let others = [Self::Profile, Self::Plan];
                let has_clusters = has_section(&["[[cluster]]"]) || states("cluster");
                has_clusters && !others.iter().any(|other| other.is_of(head))
            }
            Self::Plan => has_section(&["[pingpong]", "[plogp]", "[flows]", "[[collective]]"]),
            Self::Sweep => has_section(&["[[sweep]]"]),
            Self::Network => states("topology"),
            Self::Table(own) => columns().is_some_and(|line| line == own.join(",")),
            Self::Svg => head.trim_start().starts_with("<svg"),
            Self::Trace => head.starts_with('{') && head.contains("\"traceEvents\""),
            Self::Goal => lines().any(|line| line.starts_with("num_ranks ")),
            Self::Report => head.starts_with(report::HEAD),
            Self::OpenMpiRules => columns().is_some_and(is_rule),
            Self::MpichSelection => head.starts_with("{\"collective="),
            Self::IntelMpiSettings => lines().all(is_setting),
            Self::Platform => head.contains("<platform "),
            Self::LogGopSim => columns().is_some_and(|line| line.starts_with("-L ")),
            Self::Shared => SHARED.iter().any(|words| head.contains(words)),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Data => "a data file",
            Self::Profile => "a profile",
            Self::Clusters => "a file of clusters",
            Self::Plan => "a measurement plan",
            Self::Sweep => "a plan for --sweep",
            Self::Network => "a network",
            Self::Table(columns) => return write!(f, "a table of {}", columns.join(",")),
            Self::Svg => "an SVG picture",
            Self::Trace => "a timeline",
            Self::Goal => "a program in GOAL",
            Self::Report => "a report of netsig run",
            Self::OpenMpiRules => "a rules file of Open MPI",
            Self::MpichSelection => "a selection file of MPICH",
            Self::IntelMpiSettings => "a file of settings of Intel MPI",
            Self::Platform => "a platform of SimGrid",
            Self::LogGopSim => "a file of parameters of LogGOPSim",
            Self::Shared => "a man page, completion or module file of netsig",
        })
    }
}

/// True for a line of Open MPI's rules: the header, or numbers alone.
fn is_rule(line: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    line.starts_with("rule-file-version-") || line.split_whitespace().all(is_number)
}

/// True for a line of a file of Intel MPI's settings.
fn is_setting(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || line.starts_with("export I_MPI_ADJUST_")
}

/// The first bytes of a file as text; invalid characters are replaced.
fn head(path: &Path) -> Result<String, Failure> {
    let mut head = Vec::new();
    read(path, |path| {
        File::open(path)?.take(HEAD).read_to_end(&mut head)
    })?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The path without symbolic links, also for a file that does not exist.
fn resolved(path: &Path) -> PathBuf {
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
