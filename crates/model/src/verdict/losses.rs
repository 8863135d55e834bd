//! The size from which on a collective loses packets, measured and predicted.
//!
//! # Method
//! A cell loses steadily if at least half of its repetitions lost a packet or stalled. The measured onset among n
//! processes is the smallest size that loses steadily, if the next measured size does so too or if every repetition
//! lost. The predicted onset is M(n) of the regimes, where the data of the fit show it. A measured cell denies M(n) if
//! it loses steadily below the interval of M(n), or loses in no repetition above it. Then the data count, and
//! the answer says that the fit is wrong there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};

use super::sentence::{among_counts, enumeration, percent, size_text};
use super::{CellFinding, VerdictSubject};
use crate::predict::PortOverflow;
use crate::predict::predictor::CasePredictor;

/// Least share of the repetitions that lose in a cell that loses steadily.
const STEADY_SHARE: f64 = 0.5;

/// The onset of losses of a collective.
#[derive(Debug, Clone, PartialEq)]
pub struct LossFinding {
    /// Collective and algorithm.
    subject: String,
    /// What the data show, by process count.
    pub measured: BTreeMap<Procs, MeasuredLosses>,
    /// M(n) of the profile among the measured and the next larger process counts, where it is known.
    pub predicted: BTreeMap<Procs, PortOverflow>,
    /// True if a measured cell was given, counted or not.
    has_cells: bool,
}

/// Losses in the measured cells of a process count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredLosses {
    /// Size from which on cells lose steadily, if any do.
    pub from: Option<Bytes>,
    /// Next smaller measured size, which does not lose steadily.
    pub below: Option<Bytes>,
    /// Largest measured size whose cell lost in no repetition, if there is one.
    pub largest_clean: Option<Bytes>,
    /// Largest measured size.
    pub largest: Bytes,
    /// Largest share of repetitions that lost, with the size of its cell.
    pub most: (f64, Bytes),
}

impl LossFinding {
    pub(super) fn of(subject: &VerdictSubject) -> Self {
        let algorithm = subject.reference_algorithm().unwrap_or_default();
        Self {
            subject: format!("{} {algorithm}", subject.collective),
            measured: losses_by_count(subject.cells_of(algorithm)),
            predicted: predicted_onsets(subject, algorithm),
            has_cells: subject.cells_of(algorithm).next().is_some(),
        }
    }

    /// True if measured cells among `procs` deny the predicted onset.
    pub(super) fn denies(&self, procs: Procs) -> bool {
        let (Some(measured), Some(onset)) = (self.measured.get(&procs), self.predicted.get(&procs)) else {
            return false;
        };
        let [least, greatest] = onset.interval;
        let is_earlier = measured.from.is_some_and(|from| from < least);
        let is_later = measured.largest_clean.is_some_and(|clean| clean > greatest);
        is_earlier || is_later
    }
}

/// Losses by process count in cells of one algorithm, where they are counted. Cells in which processes waited for
/// processors do not count.
pub fn losses_by_count<'c>(cells: impl Iterator<Item = &'c CellFinding>) -> BTreeMap<Procs, MeasuredLosses> {
    let counted = cells.filter(|cell| cell.lossy_share.is_some() && !cell.is_busy);
    let by_count = counted.map(|cell| (cell.procs, cell)).into_group_map().into_iter();
    by_count
        .filter_map(|(procs, cells)| Some((procs, measured_losses(cells)?)))
        .collect()
}

/// Losses of the cells of a process count, at least one of which counts them.
fn measured_losses(mut cells: Vec<&CellFinding>) -> Option<MeasuredLosses> {
    cells.sort_by_key(|cell| cell.size);
    let share = |cell: &CellFinding| cell.lossy_share.unwrap_or_default();
    let is_steady = |place: usize| cells.get(place).is_none_or(|cell| share(cell) >= STEADY_SHARE);
    let begins = |place: &usize| is_steady(*place) && (is_steady(place + 1) || share(cells[*place]) >= 1.0);
    let first = (0..cells.len()).find(begins);
    let clean = cells.iter().filter(|cell| share(cell) <= 0.0).map(|cell| cell.size);
    Some(MeasuredLosses {
        from: first.map(|place| cells[place].size),
        below: first.and_then(|place| Some(cells[place.checked_sub(1)?].size)),
        largest_clean: clean.max(),
        largest: cells.last()?.size,
        most: cells
            .iter()
            .map(|cell| (share(cell), cell.size))
            .max_by(|a, b| a.0.total_cmp(&b.0))?,
    })
}

/// M(n) among the measured process counts and the largest that predictions reach by one doubling.
fn predicted_onsets(subject: &VerdictSubject, algorithm: &str) -> BTreeMap<Procs, PortOverflow> {
    let Some(fitted) = subject.predictors.get(algorithm) else {
        return BTreeMap::new();
    };
    let measured: BTreeSet<Procs> = subject.known_procs();
    let next = measured
        .last()
        .and_then(|most| Procs::new(most.get().saturating_mul(2)).ok());
    let counts = measured.iter().copied().chain(next).filter(|procs| procs.get() > 2);
    let onset = |procs: Procs| Some((procs, known_onset(&fitted.predictor, procs)?));
    counts.filter_map(onset).collect()
}

/// M(n) among some processes, if the data of the fit show it, from the predictions of sizes up to 1 GiB.
pub fn known_onset(predictor: &CasePredictor, procs: Procs) -> Option<PortOverflow> {
    let steps = (0..=LARGEST_POWER * STEPS)
        .rev()
        .map(|step| f64::from(step) / f64::from(STEPS));
    let sizes = steps.map(|power| Bytes::rounded(power.exp2()));
    let mut onsets = sizes.filter_map(|size| predictor.overflow(procs, size));
    onsets.find(|onset| onset.is_known)
}

/// Power of two of the largest size whose overflow is asked for, and sizes of each doubling.
const LARGEST_POWER: u32 = 30;
const STEPS: u32 = 16;

impl fmt::Display for LossFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences = [
            Some(self.measured_sentence()),
            self.predicted_sentence(),
            self.denied_sentence(),
        ];
        write!(f, "{}", sentences.into_iter().flatten().join(" "))
    }
}

impl LossFinding {
    fn measured_sentence(&self) -> String {
        if self.measured.is_empty() {
            return if self.has_cells {
                "Not known from the data, which count no lost packets and show no stall.".to_owned()
            } else {
                "Not measured.".to_owned()
            };
        }
        let lossy = self.measured.iter().filter_map(|(procs, losses)| {
            let from = losses.from?;
            let below = losses
                .below
                .map_or_else(String::new, |below| format!(" (not at {})", size_text(below)));
            Some((*procs, format!("from {} on{below}", size_text(from))))
        });
        let lossy_text = among_counts(lossy);
        let clean = self
            .measured
            .iter()
            .filter(|(_, losses)| losses.from.is_none())
            .collect_vec();
        let clean_counts = enumeration(clean.iter().map(|(procs, _)| procs));
        let largest = clean.iter().map(|(_, losses)| losses.largest).min().unwrap_or_default();
        let subject = &self.subject;
        match (lossy_text.is_empty(), clean.is_empty()) {
            (true, _) => self.unsteady_sentence(largest, &clean_counts),
            (false, true) => format!("Measured: {subject} loses packets {lossy_text}."),
            (false, false) => {
                format!(
                    "Measured: {subject} loses packets {lossy_text}, and not steadily up to {largest} among {clean_counts}."
                )
            }
        }
    }

    /// The sentence where no cell loses steadily up to the size `largest` among these counts; a barrier has no sizes.
    fn unsteady_sentence(&self, largest: Bytes, counts: &str) -> String {
        let shares = self
            .measured
            .iter()
            .map(|(procs, losses)| (losses.most.0, losses.most.1, procs));
        let subject = &self.subject;
        match shares.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((share, size, procs)) if share > 0.0 => {
                let size_text = if size == Bytes(0) {
                    String::new()
                } else {
                    format!("{size} ")
                };
                format!(
                    "Not steadily: at most {} of the repetitions of {subject} lost packets or stalled \
                     ({size_text}among {procs}).",
                    percent(share)
                )
            }
            _ if largest == Bytes(0) => {
                format!("None: no repetition of {subject} lost packets or stalled among {counts}.")
            }
            _ => format!("None: no repetition of {subject} lost packets or stalled, up to {largest} among {counts}."),
        }
    }

    /// The predicted onset among the most measured processes and beyond, unless measured cells deny it or show nothing.
    fn predicted_sentence(&self) -> Option<String> {
        let is_baseless = self.has_cells && self.measured.is_empty();
        if is_baseless || self.predicted.keys().any(|procs| self.denies(*procs)) {
            return None;
        }
        let most = self.measured.keys().last();
        let beyond = self
            .predicted
            .iter()
            .filter(|(procs, _)| most.is_none_or(|most| *procs >= most));
        let texts = beyond.map(|(procs, onset)| {
            let text = format!("from {} on{}", size_text(onset.from), onset.doubt(size_text));
            (*procs, text)
        });
        let onsets = among_counts(texts);
        (!onsets.is_empty()).then(|| format!("Predicted: {onsets}."))
    }

    /// The process counts where the data deny the fit.
    fn denied_sentence(&self) -> Option<String> {
        let denied = self.predicted.iter().filter(|(procs, _)| self.denies(**procs));
        let onsets = enumeration(denied.map(|(procs, onset)| format!("{} among {procs}", size_text(onset.from))));
        (!onsets.is_empty())
            .then(|| format!("The fit puts the onset at {onsets}; the measured cells contradict it, and hold."))
    }
}
