//! Contention in measured cells.
//!
//! # Method
//! The strength of a cell is its median over a contention-free time T₀; a cell is contended from
//! [`CONTENDED_RATIO`] on. T₀ is known in two ways:
//! * of an all-to-all it is the bound of any algorithm ([`Profile::contention_free_time`]);
//! * of other collectives it is that of the cell's algorithm, by its field or its exact pLogP model. The bound alone then shows only that a
//!   collective is not contended: what takes longer may have a slow algorithm.
//!
//! # Domain
//! Profiles whose α and β are of messages between two processes. Cells without a T₀ and cells whose processes
//! waited for processors do not count.

use std::collections::BTreeMap;
use std::fmt;

use itertools::{Either, Itertools as _};
use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::sentence::{among_counts, enumeration, size_text};
use super::{CellFinding, VerdictSubject};
use crate::profile::Profile;

/// Least ratio of a measured to a contention-free time that counts as contention.
pub const CONTENDED_RATIO: f64 = 1.2;

/// The answer to the question whether a collective is contended.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentionFinding {
    /// What the cells show.
    pub state: ContentionState,
    /// Process count to whose times contention is relative, without a ping-pong.
    pub relative_to: Option<Procs>,
}

/// Contention that cells show.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentionState {
    /// A measured cell takes longer than contention-free times allow.
    Contended {
        /// The cell with the largest ratio.
        worst: RatedCell,
        /// By process count, the size from which on all measured sizes are contended, if there is one.
        onsets: Vec<(Procs, Option<Bytes>)>,
    },
    /// No measured cell is contended.
    Free {
        /// The cell with the largest ratio.
        worst: RatedCell,
    },
    /// The data cannot tell.
    Unknown {
        /// The reason, as a sentence.
        reason: String,
    },
}

/// A cell beside its contention-free time.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedCell {
    /// Collective and algorithm.
    pub subject: String,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Measured median.
    pub measured: Seconds,
    /// Contention-free time.
    pub contention_free: Seconds,
}

impl RatedCell {
    fn of(subject: &VerdictSubject, cell: &CellFinding, contention_free: Seconds) -> Option<Self> {
        (contention_free.0 > 0.0).then(|| Self {
            subject: format!("{} {}", subject.collective, cell.algorithm),
            procs: cell.procs,
            size: cell.size,
            measured: cell.median(),
            contention_free,
        })
    }

    /// Measured over contention-free time.
    pub fn ratio(&self) -> f64 {
        self.measured / self.contention_free
    }
}

/// The cell with the largest ratio.
fn worst(cells: &[RatedCell]) -> Option<&RatedCell> {
    cells.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
}

impl ContentionFinding {
    /// True or false where the data can tell.
    pub fn is_contended(&self) -> Option<bool> {
        match self.state {
            ContentionState::Contended { .. } => Some(true),
            ContentionState::Free { .. } if self.relative_to.is_none() => Some(false),
            _ => None,
        }
    }

    pub(super) fn of(subject: &VerdictSubject) -> Self {
        Self {
            state: ContentionState::of(subject),
            relative_to: subject.request.profile.and_then(Profile::substitute_procs),
        }
    }
}

impl ContentionState {
    fn of(subject: &VerdictSubject) -> Self {
        if let Some(reason) = missing_input(subject) {
            return Self::Unknown {
                reason: reason.to_owned(),
            };
        }
        let is_exchange = subject.collective == Collective::Alltoall;
        let reference = subject.reference_algorithm().unwrap_or_default();
        let judged = subject
            .cells()
            .filter(|cell| !is_exchange || cell.algorithm == reference);
        let (rated, bounded): (Vec<RatedCell>, Vec<RatedCell>) = judged
            .filter_map(|cell| rate(subject, cell))
            .partition_map(|rated| rated);
        match (worst(&rated), worst(&bounded)) {
            (Some(found), _) if found.ratio() >= CONTENDED_RATIO => Self::Contended {
                worst: found.clone(),
                onsets: onsets(&rated, &found.subject),
            },
            (found, Some(bound)) if bound.ratio() >= CONTENDED_RATIO => Self::Unknown {
                reason: undecided(bound, found),
            },
            (Some(found), _) | (None, Some(found)) => Self::Free { worst: found.clone() },
            (None, None) => Self::Unknown {
                reason: "the profile has no contention-free time of it".to_owned(),
            },
        }
    }
}

/// The input without which nothing can be told, if it is missing.
fn missing_input(subject: &VerdictSubject) -> Option<&'static str> {
    if subject.request.profile.is_none() {
        return Some("without a profile there is no contention-free time; netsig fit makes one");
    }
    match (subject.all_cells.is_empty(), subject.cells().next()) {
        (true, _) => Some("no measured time was given; name the data beside the profile"),
        (false, None) => {
            Some("in all cells the processes waited for processors; measure with a processor for each process")
        }
        _ => None,
    }
}

/// A cell beside the contention-free time of its algorithm, else (right) beside the bound of any algorithm. Between
/// clusters of hosts only the bound of an all-to-all is that of the algorithm.
fn rate(subject: &VerdictSubject, cell: &CellFinding) -> Option<Either<RatedCell, RatedCell>> {
    let profile = subject.request.profile?;
    let (collective, procs, size) = (subject.collective, cell.procs, cell.size);
    let is_known = collective == Collective::Alltoall || !profile.is_between_clusters();
    let known = is_known.then(|| profile.known_contention_free_time(collective, &cell.algorithm, procs, size));
    match known.flatten() {
        Some(time) => RatedCell::of(subject, cell, time).map(Either::Left),
        None => RatedCell::of(subject, cell, profile.contention_free_time(collective, procs, size)?).map(Either::Right),
    }
}

/// Why the bound alone does not tell: an algorithm may be slow without contention.
fn undecided(bound: &RatedCell, found: Option<&RatedCell>) -> String {
    let RatedCell {
        subject, procs, size, ..
    } = bound;
    let known = found.map_or_else(
        || "no algorithm whose contention-free time is known was measured".to_owned(),
        |known| {
            format!(
                "{} is not contended (at most {:.2} times)",
                known.subject,
                known.ratio()
            )
        },
    );
    format!(
        "{known}; {subject} takes up to {:.1} times as long as the least contention-free time of any algorithm ({}among \
         {procs}), by contention or by its algorithm",
        bound.ratio(),
        size_before(*size)
    )
}

/// By process count, the size from which on all measured sizes of a subject are contended.
fn onsets(cells: &[RatedCell], subject: &str) -> Vec<(Procs, Option<Bytes>)> {
    let mut by_count: BTreeMap<Procs, Vec<&RatedCell>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.subject == subject) {
        by_count.entry(cell.procs).or_default().push(cell);
    }
    let onset = |mut sized: Vec<&RatedCell>| {
        sized.sort_by_key(|cell| cell.size);
        let contended = sized.iter().rev().take_while(|cell| cell.ratio() >= CONTENDED_RATIO);
        contended.last().map(|cell| cell.size)
    };
    by_count
        .into_iter()
        .map(|(procs, sized)| (procs, onset(sized)))
        .collect()
}

impl fmt::Display for ContentionFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relative = self
            .relative_to
            .map(|procs| format!("than among {procs} (no ping-pong was measured)"));
        match (&self.state, relative) {
            (ContentionState::Contended { .. }, None) => write!(f, "Yes. ")?,
            (ContentionState::Contended { .. }, Some(relative)) => write!(f, "Yes, more {relative}. ")?,
            (ContentionState::Free { .. }, None) => write!(f, "No. ")?,
            (ContentionState::Free { .. }, Some(relative)) => write!(f, "No more {relative}. ")?,
            (ContentionState::Unknown { .. }, _) => {}
        }
        write!(f, "{}", self.state)
    }
}

impl fmt::Display for ContentionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contended { worst, onsets } => {
                write!(
                    f,
                    "{} among {} takes up to {:.1} times as long as without contention: {} against {}{}",
                    worst.subject,
                    worst.procs,
                    worst.ratio(),
                    worst.measured,
                    worst.contention_free,
                    with_size(" at", worst.size)
                )?;
                write_onsets(f, onsets)
            }
            Self::Free { worst } => write!(
                f,
                "No measured cell takes {CONTENDED_RATIO} times as long as without contention; the most is {:.2} times \
                 ({}{} among {}).",
                worst.ratio(),
                worst.subject,
                with_size(",", worst.size),
                worst.procs
            ),
            Self::Unknown { reason } => write!(f, "Not known: {reason}."),
        }
    }
}

/// A size after a word or sign; nothing for a barrier, whose size is 0.
fn with_size(before: &str, size: Bytes) -> String {
    match size {
        Bytes(0) => String::new(),
        size => format!("{before} {size}"),
    }
}

/// A size before further words; nothing for a barrier.
fn size_before(size: Bytes) -> String {
    match size {
        Bytes(0) => String::new(),
        size => format!("{size} "),
    }
}

/// Ends the sentence of a contended cell with the onsets of contention.
fn write_onsets(f: &mut fmt::Formatter<'_>, onsets: &[(Procs, Option<Bytes>)]) -> fmt::Result {
    let known = onsets.iter().filter_map(|(procs, from)| Some((*procs, (*from)?)));
    let text = |from: Bytes| match from {
        Bytes(0) => String::new(),
        from => format!("from {} on", size_text(from)),
    };
    let contended = among_counts(known.map(|(procs, from)| (procs, text(from))));
    let others = onsets
        .iter()
        .filter(|(_, from)| from.is_none())
        .map(|(procs, _)| procs)
        .collect_vec();
    if !contended.is_empty() {
        write!(f, ". It takes at least {CONTENDED_RATIO} times as long {contended}")?;
    }
    if !others.is_empty() && !contended.is_empty() {
        write!(f, ", but not at the largest size among {}", enumeration(others))?;
    }
    write!(f, ".")
}
