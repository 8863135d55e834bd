//! The kinds of files that netsig writes or reads, recognised by how they begin.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use netsig_base::data::has_required_columns;
use netsig_base::text::decoded;
use netsig_base::text::refusal::Refusal;

use netsig_render::report::PAGE_START;

use crate::input::failure::Failure;
use crate::input::interposer_report;

/// The kinds of files that netsig writes, or reads and must not replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
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
    /// A page about data and profiles.
    Page,
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
pub(super) const RECOGNISABLE_KINDS: [FileKind; 17] = [
    FileKind::Data,
    FileKind::Profile,
    FileKind::Plan,
    FileKind::Sweep,
    FileKind::Network,
    FileKind::Clusters,
    FileKind::Svg,
    FileKind::Trace,
    FileKind::Goal,
    FileKind::Report,
    FileKind::Page,
    FileKind::Platform,
    FileKind::LogGopSim,
    FileKind::MpichSelection,
    FileKind::IntelMpiSettings,
    FileKind::OpenMpiRules,
    FileKind::Shared,
];

/// Marks of the files of [`FileKind::Shared`]: man pages, the completions of three shells, and a module file.
const SHARED_MARKS: [&str; 5] = [
    ".TH netsig",
    "_netsig() {",
    "#compdef netsig",
    "complete -c netsig",
    "#%Module1.0\n# netsig",
];

/// Number of bytes that are read to recognise a file's kind.
const HEAD_BYTES: usize = 64 * 1024;

impl FileKind {
    /// The kinds that a user may name by mistake.
    const MISNAMED: [Self; 9] = [
        Self::Data,
        Self::Profile,
        Self::Plan,
        Self::Sweep,
        Self::Network,
        Self::Clusters,
        Self::Page,
        Self::MpichSelection,
        Self::OpenMpiRules,
    ];

    /// The refusal of a file of another kind than this one, if it is. A file of this kind is not refused, even if it
    /// looks like others, too.
    pub fn misnamed(self, name: &str, text: &str) -> Option<Refusal> {
        let head = head_of_text(text);
        if self.is_kind_of_text(head) {
            return None;
        }
        let other = Self::MISNAMED.iter().find(|other| other.is_kind_of_text(head))?;
        let remedy = match (self, other) {
            (Self::Data, _) => "name data files".to_owned(),
            (Self::Profile, Self::Data) => format!("fit it with `netsig fit {name} -o PROFILE`"),
            _ => format!("name {self}"),
        };
        let wanted = match self {
            Self::Data => "data".to_owned(),
            _ => self.to_string(),
        };
        Some(Refusal::request(format!("is {other} and not {wanted}; {remedy}")).about(name))
    }

    /// True if the file at `path` is of this kind.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_kind_of_file(self, path: &Path) -> Result<bool, Failure> {
        Ok(self.is_kind_of_text(&head_of_file(path)?))
    }

    /// True if a file that begins with `head` is of this kind.
    pub fn is_kind_of_text(self, head: &str) -> bool {
        let lines = || head.lines().map(str::trim);
        let has_key = |key: &str| {
            let rest = |line: &str| line.strip_prefix(key).map(|rest| rest.trim_start().to_owned());
            lines().any(|line| rest(line).is_some_and(|rest| rest.starts_with('=')))
        };
        let has_section = |sections: &[&str]| lines().any(|line| sections.contains(&line));
        let columns = || lines().find(|line| !line.is_empty() && !line.starts_with('#'));
        match self {
            // A job that is killed early leaves provenance only.
            Self::Data => columns().map_or(head.starts_with("#@"), has_required_columns),
            Self::Profile => has_key("netsig_profile"),
            // A profile and a plan may have clusters, too.
            Self::Clusters => {
                let others = [Self::Profile, Self::Plan];
                let has_clusters = has_section(&["[[cluster]]"]) || has_key("cluster");
                has_clusters && !others.iter().any(|other| other.is_kind_of_text(head))
            }
            Self::Plan => has_section(&["[pingpong]", "[plogp]", "[flows]", "[[collective]]"]),
            Self::Sweep => has_section(&["[[sweep]]"]),
            Self::Network => has_key("topology"),
            Self::Table(table_columns) => columns().is_some_and(|line| line == table_columns.join(",")),
            Self::Svg => head.trim_start().starts_with("<svg"),
            Self::Trace => head.starts_with('{') && head.contains("\"traceEvents\""),
            Self::Goal => lines().any(|line| line.starts_with("num_ranks ")),
            Self::Report => head.starts_with(interposer_report::START_OF_ANY_VERSION),
            Self::Page => head.starts_with(PAGE_START),
            Self::OpenMpiRules => columns().is_some_and(is_rule),
            Self::MpichSelection => head.starts_with("{\"collective="),
            Self::IntelMpiSettings => lines().all(is_setting),
            Self::Platform => head.contains("<platform "),
            Self::LogGopSim => columns().is_some_and(|line| line.starts_with("-L ")),
            Self::Shared => SHARED_MARKS.iter().any(|words| head.contains(words)),
        }
    }
}

impl fmt::Display for FileKind {
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
            Self::Page => "a page of netsig report",
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

/// The beginning of a text that is read to recognise a kind.
pub(super) fn head_of_text(text: &str) -> &str {
    let mut ends = (0..=HEAD_BYTES.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// The beginning of a file as text; invalid characters are replaced.
pub(super) fn head_of_file(path: &Path) -> Result<String, Failure> {
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head))
        .map_err(|error| Refusal::unreadable(path.display(), error))?;
    Ok(decoded::head(&head, HEAD_BYTES as u64))
}
