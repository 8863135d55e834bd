//! Forecast of an algorithm by its regimes: the entry for a case, its time, and the size from which its ports
//! overflow.

use netsig_base::algorithm::{Collective, PairSizes, PieceSizes};
use netsig_base::network::Network;
use netsig_base::stats::interval::Estimate;
use netsig_base::units::Bytes;
use netsig_base::units::parameter::volume;

use super::borrowed;
use super::entry::{RegimesEntry, Repetitions};
use super::interval;
use crate::fitted::AlgorithmForecast;
use crate::fitted::asked::Asked;
use crate::fitted::outside::Outside;
use crate::fitted::prediction::{Overflow, Prediction, Standing, UnseenLoad};
use crate::model::regimes::{Pattern, Patterns, Point, Protocol, Times};
use crate::model::{self, Case, ModelError, REGIMES};

/// Largest share of X that segments on the way may fill.
const ROOM: f64 = 0.9;

/// An algorithm, and what is known and asked of its times.
#[derive(Debug, Clone, Copy)]
pub struct RegimesQuestion<'a, 'n> {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: &'n str,
    /// The MPI library of the data, whose rules its own choice follows.
    pub mpi: Option<&'n str>,
    /// Parameters by name, which take precedence over fitted ones.
    pub given: &'n [(String, f64)],
    /// Network with its links, where known.
    pub network: Option<&'a Network>,
    /// Statistic of the predicted distribution.
    pub asked: Asked,
}

/// Regimes of an algorithm, one entry for each class of process counts and each pattern.
#[derive(Debug)]
pub struct RegimesForecast<'a> {
    entries: Vec<RegimesEntry>,
    /// Number of entries, from the first, that are not borrowed from another algorithm.
    own: usize,
    patterns: Patterns,
    network: Option<&'a Network>,
    pieces: PieceSizes<'a>,
    asked: Asked,
}

/// True if `entries` tell of an algorithm that was not measured.
pub fn tell_of(entries: &[RegimesEntry], who: (Collective, &str)) -> bool {
    let pattern = Pattern::of(who.0, who.1);
    pattern.is_some_and(|pattern| !borrowed::regimes(entries, who, pattern).is_empty())
}

impl<'a> RegimesForecast<'a> {
    /// The forecast by the `entries` of the algorithm, or by those that others lend it; `None` if none tell of
    /// it.
    ///
    /// # Errors
    /// If a parameter does not allow the value that is given.
    pub fn of(entries: &[RegimesEntry], question: RegimesQuestion<'a, '_>) -> Result<Option<Self>, ModelError> {
        let RegimesQuestion {
            collective, algorithm, ..
        } = question;
        let own = entries.iter();
        let own = own.filter(|own| own.collective == collective && own.algorithm == algorithm);
        let mut found: Vec<RegimesEntry> = own.cloned().collect();
        let own = found.len();
        let patterns = Patterns::of(collective, algorithm, question.mpi);
        for pattern in patterns.all() {
            if !found.iter().any(|own| own.model.pattern == pattern) {
                found.extend(borrowed::regimes(entries, (collective, algorithm), pattern));
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        for (name, value) in question.given {
            for entry in &mut found {
                entry.set(name, *value)?;
            }
        }
        Ok(Some(Self {
            entries: found,
            own,
            patterns,
            network: question.network,
            pieces: collective.sizes().into(),
            asked: question.asked,
        }))
    }

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
    fn of_case(&self, case: Case) -> (&RegimesEntry, Point<'_>) {
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
}

/// The bytes through a port of a case in which a repetition may stall.
fn unseen(entry: &RegimesEntry, point: Point) -> Option<UnseenLoad> {
    point.check().ok()?;
    UnseenLoad::of(entry.stalls_beyond_bytes, entry.model.pattern.port_bytes(point))
}

impl AlgorithmForecast for RegimesForecast<'_> {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
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
        let predicted = interval::regimes(entry, point, self.asked);
        let prediction = predicted.ok_or_else(|| ModelError::Missing {
            model: REGIMES,
            what: format!("messages of the protocol that {} are sent by", case.size),
            remedy: "measure some and fit again",
        })?;
        model::possible(REGIMES, prediction.time)?;
        let prediction = match unseen(entry, point) {
            Some(_) => Prediction {
                interval: prediction.interval.map(UnseenLoad::later),
                ..prediction
            },
            None => prediction,
        };
        Ok(match prediction.standing {
            Standing::Outside => prediction,
            _ if place >= self.own => Prediction {
                standing: Standing::Unfitted,
                ..prediction
            },
            _ => prediction,
        })
    }

    fn outside(&self, case: Case) -> Option<Outside> {
        let (entry, point) = self.of_case(case);
        interval::outside(entry, point)
    }

    fn distribution(&self, case: Case) -> Option<Times> {
        let (entry, point) = self.of_case(case);
        point.check().ok()?;
        entry.model.times(point)
    }

    /// Corrections of pieces of one size do not hold for pieces that differ.
    fn of_pairs<'p>(self: Box<Self>, pairs: &'p PairSizes) -> Option<Box<dyn AlgorithmForecast + 'p>>
    where
        Self: 'p,
    {
        let mut entries = self.entries;
        entries.iter_mut().for_each(borrowed::uncorrected);
        Some(Box::new(RegimesForecast {
            entries,
            pieces: PieceSizes::Known(pairs),
            ..*self
        }))
    }

    fn overflow(&self, case: Case) -> Option<Overflow> {
        let (entry, point) = self.of_case(case);
        if let Some(load) = unseen(entry, point) {
            return Some(load.overflow(case.size));
        }
        let eager = entry.model.eager.as_ref()?;
        let onset = eager.stalls?.onset;
        point.check().ok()?;
        let is_eager = entry.model.protocol(point.message()) == Protocol::Eager;
        let port_bytes = entry.model.pattern.port_bytes(point)?;
        let bytes = Estimate {
            value: onset.bytes,
            lower: onset.lower,
            upper: onset.upper,
        };
        let share = port_bytes / case.size.as_f64();
        (is_eager && port_bytes > onset.lower).then(|| Overflow::new(bytes, share, onset.is_known()))
    }

    fn is_paced(&self, case: Case) -> bool {
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
        let onset = eager.and_then(|eager| Some(eager.stalls?.onset));
        if point.check().is_err() {
            return false;
        }
        let crowded = entry.model.pattern.crowded_bytes(point).unwrap_or_default();
        entry.model.protocol(point.message()) == Protocol::Eager
            && onset.is_none_or(|onset| crowded < ROOM * onset.bytes)
    }
}
