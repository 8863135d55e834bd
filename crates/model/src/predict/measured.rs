//! Measured regimes as the basis of predictions: the entry for a case, its time, and the size from which
//! its ports overflow.

use netsig_base::algorithm::PieceSizes;
use netsig_base::network::Network;
use netsig_base::stats::interval::Estimate;
use netsig_base::units::Bytes;
use netsig_base::units::parameter::volume;

use super::regimes::{self, Asked};
use super::{Prediction, Standing};
use crate::model::regimes::{Pattern, Patterns, Point, Protocol};
use crate::model::{self, Case, ModelError, REGIMES};
use crate::profile::{RegimesEntry, Repetitions};

/// Size from which on M(n) is rounded to KiB.
const SMALL: f64 = 8192.0;

/// Largest share of X that segments on the way may fill.
const ROOM: f64 = 0.9;

/// Regimes of an algorithm, one entry for each class of process counts.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    pub(super) entries: Vec<RegimesEntry>,
    /// Number of entries, from the first, that are not borrowed from another algorithm.
    pub(super) own: usize,
    pub(super) patterns: Patterns,
    pub(super) network: Option<&'a Network>,
    pub(super) pieces: PieceSizes<'a>,
    pub(super) asked: Asked,
}

/// Message size from which ports overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow {
    /// M(n).
    pub from: Bytes,
    /// Its interval.
    pub interval: [Bytes; 2],
    /// False if all that is known is that nothing was lost up to the lower end.
    pub is_known: bool,
}

impl Overflow {
    /// The overflow from a number of bytes on, of which a message of the case contributes `share` times its size.
    pub(super) fn new(onset: Estimate, share: f64, is_known: bool) -> Self {
        let size = |bytes: f64| {
            let bytes = bytes / share;
            let unit = if bytes < SMALL { 1.0 } else { 1024.0 };
            Bytes::rounded((bytes / unit).round() * unit)
        };
        Self {
            from: size(onset.value),
            interval: [onset.lower, onset.upper].map(size),
            is_known,
        }
    }
}

impl Measured<'_> {
    /// Place of the entry for a case.
    fn place(&self, case: Case) -> usize {
        let Case { procs, size, .. } = case;
        let pattern = self.patterns.at(procs, size);
        let rank = |entry: &RegimesEntry| {
            let is_of_pattern = Some(entry.model.pattern) == pattern;
            let is_of_class = entry.class.holds(entry.model.pattern.class(procs));
            (!is_of_pattern, !is_of_class)
        };
        let places = 0..self.entries.len();
        let best = places.min_by_key(|&place| rank(&self.entries[place]));
        best.expect("an algorithm with regimes")
    }

    /// Entry for a case, and the case as arguments of the regimes.
    pub(super) fn of_case(&self, case: Case) -> (&RegimesEntry, Point<'_>) {
        self.at(self.place(case), case)
    }

    /// Entry at a place, and the case as arguments of the regimes.
    fn at(&self, place: usize, case: Case) -> (&RegimesEntry, Point<'_>) {
        let Case { procs, size, .. } = case;
        let network = self.network;
        let point = Point {
            procs,
            size,
            network,
            pieces: self.pieces,
        };
        (&self.entries[place], point)
    }

    /// Predicts a case by the regimes for its process count.
    pub(super) fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        volume(case.procs, case.size)?;
        let place = self.place(case);
        let (entry, point) = self.at(place, case);
        point.check()?;
        if matches!(self.asked, Asked::Quantile(_)) && entry.repetitions == Repetitions::Unknown {
            return Err(ModelError::Missing {
                model: REGIMES,
                what: format!(
                    "times of single repetitions for a quantile, and the data of {} {} are means alone",
                    entry.collective, entry.algorithm
                ),
                remedy: "measure repetitions, or ask for no quantile",
            });
        }
        let predicted = regimes::regimes(entry, point, self.asked);
        let prediction = predicted.ok_or_else(|| ModelError::Missing {
            model: REGIMES,
            what: format!("messages of the protocol that {} are sent by", case.size),
            remedy: "measure some and fit again",
        })?;
        model::possible(REGIMES, prediction.time)?;
        Ok(match prediction.standing {
            Standing::Outside => prediction,
            _ if place >= self.own => Prediction {
                standing: Standing::Unfitted,
                ..prediction
            },
            _ => prediction,
        })
    }

    /// M(n): size from which the eager messages of an exchange among the processes of a case overflow
    /// ports, as far as it is known; `None` for other cases.
    pub(super) fn overflow(&self, case: Case) -> Option<Overflow> {
        let (entry, point) = self.of_case(case);
        let eager = entry.model.eager.as_ref()?;
        let onset = eager.stalls?.onset?;
        point.check().ok()?;
        let is_eager = entry.model.protocol(point.message()) == Protocol::Eager;
        let port_bytes = entry.model.pattern.port_bytes(point)?;
        let bytes = Estimate {
            value: onset.bytes,
            lower: onset.lower,
            upper: onset.upper,
        };
        let share = port_bytes / case.size.as_f64();
        (is_eager && port_bytes > onset.lower)
            .then(|| Overflow::new(bytes, share, onset.is_known()))
    }

    /// False for settings that a choice must not try ([`super::Basis::is_paced`]).
    pub(super) fn is_paced(&self, case: Case) -> bool {
        let (entry, point) = self.of_case(case);
        match entry.model.pattern {
            Pattern::Segments { .. } => {}
            Pattern::Digits { radix } => {
                let blocks = u64::from(case.procs.get().div_ceil(radix));
                let message = Bytes(case.size.0.saturating_mul(blocks));
                let is_eager = entry.model.protocol(message) == Protocol::Eager;
                return is_eager && radix < case.procs.get();
            }
            _ => return true,
        }
        let eager = entry.model.eager.as_ref();
        let onset = eager.and_then(|eager| eager.stalls?.onset);
        if point.check().is_err() {
            return false;
        }
        let port_bytes = entry.model.pattern.port_bytes(point).unwrap_or_default();
        entry.model.protocol(point.message()) == Protocol::Eager
            && onset.is_none_or(|onset| port_bytes < ROOM * onset.bytes)
    }
}
