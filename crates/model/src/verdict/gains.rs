//! The gains of a change by size, and the sentences on them.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};

use super::sentence::{enumeration, size_ranges};

/// Least gain that is worth a change, and least loss that is worth a warning.
pub const LEAST_GAIN: f64 = 1.05;

/// A change with the sizes at which it gains.
#[derive(Debug, Clone, PartialEq)]
pub struct WorthwhileChange {
    /// The sizes at which the algorithm is worth the change, at least one, ascending.
    pub gains: Vec<SizeGain>,
    /// Gains of other algorithms at other sizes.
    pub others: Vec<SizeGain>,
    /// All sizes that were judged, ascending.
    pub(super) sizes: Vec<Bytes>,
    /// What the user does to have the change.
    pub command: String,
    /// The largest measured gain, as a sentence, if there is one.
    pub(super) measured: Option<String>,
    /// Sentences on limits of the change.
    pub(super) limits: Vec<String>,
}

/// The predicted gain of an algorithm over the library's own choice at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeGain {
    /// Bytes per destination or message.
    pub size: Bytes,
    /// The algorithm.
    pub algorithm: String,
    /// Time of the library's own choice over that of the algorithm.
    pub gain: f64,
    /// True if the intervals of both are apart and the algorithm was measured.
    pub is_sure: bool,
    /// True if the algorithm was measured, among whatever processes.
    pub is_measured: bool,
}

impl SizeGain {
    /// Name of the algorithm, with a mark if it was never measured.
    fn marked_name(&self) -> String {
        let mark = if self.is_measured { "" } else { " (never measured)" };
        format!("{}{mark}", self.algorithm)
    }
}

impl WorthwhileChange {
    /// True if this change gains more than another at a size.
    pub(super) fn exceeds(&self, other: &Self) -> bool {
        let gain = |change: &Self, size: Bytes| {
            let mut gains = change.gains.iter().chain(&change.others);
            gains.find(|gain| gain.size == size).map_or(1.0, |gain| gain.gain)
        };
        let mut sizes = self.sizes.iter();
        sizes.any(|size| gain(self, *size) >= LEAST_GAIN * gain(other, *size))
    }

    /// The largest sure gain, or the largest without a sure one.
    pub fn largest(&self) -> &SizeGain {
        let mut gains = self.gains.iter();
        let first = gains.next().expect("a change gains at one size at least");
        gains.fold(first, |most, gain| {
            let is_greater = (gain.is_sure, gain.gain) > (most.is_sure, most.gain);
            if is_greater { gain } else { most }
        })
    }

    /// The gains, at the sizes where they are sure and those where they are not, and the limits.
    pub(super) fn sentences(&self, procs: Option<Procs>) -> String {
        let part = |is_sure: bool, certainty: &str| {
            let gains = self.gains.iter().filter(|gain| gain.is_sure == is_sure).collect_vec();
            let sizes = gains.iter().map(|gain| gain.size).collect_vec();
            let most = gains.iter().max_by(|a, b| a.gain.total_cmp(&b.gain))?;
            let span = match gains.len() {
                1 => format!("{:.1} times as fast", most.gain),
                _ => format!("up to {:.1} times as fast ({})", most.gain, most.size),
            };
            Some(format!("{certainty} {span} at {}", size_ranges(&self.sizes, &sizes)))
        };
        let spans = [part(true, "surely"), part(false, "perhaps")]
            .into_iter()
            .flatten()
            .join("; ");
        let among = procs.map_or_else(String::new, |procs| format!("Among {procs} processes "));
        let first = format!("{among}{}: {spans}.", self.gains[0].marked_name());
        let others = self.others_sentence();
        let sentences = [Some(&first), self.measured.as_ref(), others.as_ref()];
        sentences.into_iter().flatten().chain(&self.limits).join(" ")
    }

    /// The algorithms that gain at other sizes.
    fn others_sentence(&self) -> Option<String> {
        let by_name = self
            .others
            .iter()
            .map(|gain| (gain.marked_name(), gain.size))
            .into_group_map();
        let named = by_name.into_iter().sorted();
        let texts = named
            .map(|(name, sizes)| format!("{name} at {}", size_ranges(&self.sizes, &sizes)))
            .collect_vec();
        (!texts.is_empty()).then(|| format!("Elsewhere: {}.", enumeration(texts)))
    }
}
