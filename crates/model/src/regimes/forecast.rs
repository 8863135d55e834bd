//! Forecast of an algorithm by its regimes: the entry for a case, its time, and the size from which its ports
//! overflow.

use netsig_base::algorithm::{Collective, PairSizes, PieceSizes};
use netsig_base::network::Network;
use netsig_base::units::Bytes;
use netsig_base::units::parameter::volume;

use super::entry::{RegimesEntry, RepetitionAvailability};
use super::interval;
use super::transferred;
use crate::fitted::AlgorithmForecast;
use crate::fitted::outside_domain::OutsideDomain;
use crate::fitted::prediction::{PortOverflow, Prediction, PredictionStanding, UnmeasuredLoad};
use crate::fitted::statistic::PredictedStatistic;
use crate::model::regimes::{AlgorithmPatterns, Protocol, RegimesPoint, TimeDistribution, TrafficPattern};
use crate::model::{self, Case, ModelError, REGIMES};

/// Largest share of X that segments on the way may fill.
const MOST_FILL: f64 = 0.9;

/// The algorithm of a forecast, its inputs, and the requested statistic.
#[derive(Debug, Clone, Copy)]
pub struct RegimesRequest<'a, 'n> {
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
    pub statistic: PredictedStatistic,
}

/// Regimes of an algorithm, one entry for each class of process counts and each pattern.
#[derive(Debug)]
pub struct RegimesForecast<'a> {
    entries: Vec<RegimesEntry>,
    /// Number of entries, from the first, that are not transferred from another algorithm.
    measured_count: usize,
    patterns: AlgorithmPatterns,
    network: Option<&'a Network>,
    pieces: PieceSizes<'a>,
    statistic: PredictedStatistic,
}

/// True if parameters of `entries` can be transferred to an algorithm that was not measured.
pub fn has_regimes_for(entries: &[RegimesEntry], collective: Collective, algorithm: &str) -> bool {
    TrafficPattern::of(collective, algorithm)
        .is_some_and(|pattern| !transferred::regimes(entries, collective, algorithm, pattern).is_empty())
}

impl<'a> RegimesForecast<'a> {
    /// The forecast by the `entries` of the algorithm, or by entries transferred from others; `None` if there are
    /// neither.
    ///
    /// # Errors
    /// If a parameter does not allow the value that is given.
    pub fn of(entries: &[RegimesEntry], request: RegimesRequest<'a, '_>) -> Result<Option<Self>, ModelError> {
        let RegimesRequest {
            collective, algorithm, ..
        } = request;
        let all_entries = entries.iter();
        let algorithm_entries =
            all_entries.filter(|entry| entry.collective == collective && entry.algorithm == algorithm);
        let mut found: Vec<RegimesEntry> = algorithm_entries.cloned().collect();
        let measured_count = found.len();
        let patterns = AlgorithmPatterns::of(collective, algorithm, request.mpi);
        for pattern in patterns.all() {
            if !found.iter().any(|entry| entry.model.pattern == pattern) {
                found.extend(transferred::regimes(entries, collective, algorithm, pattern));
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        for (name, value) in request.given {
            for entry in &mut found {
                entry.set(name, *value)?;
            }
        }
        Ok(Some(Self {
            entries: found,
            measured_count,
            patterns,
            network: request.network,
            pieces: collective.size_pattern().into(),
            statistic: request.statistic,
        }))
    }

    /// Place of the entry for a case.
    fn entry_index(&self, case: Case) -> usize {
        let Case { procs, size, .. } = case;
        let pattern = self.patterns.at(procs, size);
        let rank = |entry: &RegimesEntry| {
            let is_of_pattern = Some(entry.model.pattern) == pattern;
            let is_of_class = entry.class.includes(entry.model.pattern.class(procs));
            (!is_of_pattern, !is_of_class)
        };
        let places = 0..self.entries.len();
        let best = places.min_by_key(|&place| rank(&self.entries[place]));
        best.expect("an algorithm with regimes")
    }

    /// Entry for a case, and the case as arguments of the regimes.
    fn entry_and_point(&self, case: Case) -> (&RegimesEntry, RegimesPoint<'_>) {
        self.entry_and_point_at(self.entry_index(case), case)
    }

    /// Entry at a place, and the case as arguments of the regimes.
    fn entry_and_point_at(&self, place: usize, case: Case) -> (&RegimesEntry, RegimesPoint<'_>) {
        let Case { procs, size, .. } = case;
        let network = self.network;
        let point = RegimesPoint {
            procs,
            size,
            network,
            pieces: self.pieces,
        };
        (&self.entries[place], point)
    }
}

/// The load of a port in a case beyond the measured loads, in which a repetition may stall.
fn unmeasured_load(entry: &RegimesEntry, point: RegimesPoint) -> Option<UnmeasuredLoad> {
    point.check().ok()?;
    UnmeasuredLoad::of(entry.stalls_beyond_bytes, entry.model.pattern.port_bytes(point))
}

impl AlgorithmForecast for RegimesForecast<'_> {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        volume(case.procs, case.size)?;
        let place = self.entry_index(case);
        let (entry, point) = self.entry_and_point_at(place, case);
        point.check()?;
        if matches!(self.statistic, PredictedStatistic::Quantile(_))
            && entry.repetitions == RepetitionAvailability::Unknown
        {
            return Err(ModelError::Missing {
                model: REGIMES,
                what: format!(
                    "times of single repetitions for a quantile, and the data of {} {} are means alone",
                    entry.collective, entry.algorithm
                ),
                remedy: "measure repetitions, or ask for no quantile",
            });
        }
        let predicted = interval::predict_by_regimes(entry, point, self.statistic);
        let usual_prediction = predicted.ok_or_else(|| ModelError::Missing {
            model: REGIMES,
            what: format!("messages of the protocol that {} are sent by", case.size),
            remedy: "measure some and fit again",
        })?;
        model::check_time(REGIMES, usual_prediction.time)?;
        let prediction = match unmeasured_load(entry, point) {
            Some(_) => Prediction {
                interval: usual_prediction.interval.map(UnmeasuredLoad::with_one_stall_more),
                ..usual_prediction
            },
            None => usual_prediction,
        };
        Ok(match prediction.standing {
            PredictionStanding::Outside => prediction,
            _ if place >= self.measured_count => Prediction {
                standing: PredictionStanding::Unfitted,
                ..prediction
            },
            _ => prediction,
        })
    }

    fn reason_outside(&self, case: Case) -> Option<OutsideDomain> {
        let (entry, point) = self.entry_and_point(case);
        interval::reason_outside(entry, point)
    }

    fn distribution(&self, case: Case) -> Option<TimeDistribution> {
        let (entry, point) = self.entry_and_point(case);
        point.check().ok()?;
        entry.model.times(point)
    }

    /// Corrections of pieces of one size do not hold for pieces that differ.
    fn with_pair_sizes<'p>(self: Box<Self>, pairs: &'p PairSizes) -> Option<Box<dyn AlgorithmForecast + 'p>>
    where
        Self: 'p,
    {
        let mut entries = self.entries;
        entries.iter_mut().for_each(transferred::remove_corrections);
        Some(Box::new(RegimesForecast {
            entries,
            pieces: PieceSizes::Known(pairs),
            ..*self
        }))
    }

    fn overflow(&self, case: Case) -> Option<PortOverflow> {
        let (entry, point) = self.entry_and_point(case);
        if let Some(load) = unmeasured_load(entry, point) {
            return Some(load.overflow(case.size));
        }
        let eager = entry.model.eager.as_ref()?;
        let onset = eager.stalls?.onset;
        point.check().ok()?;
        let is_eager = entry.model.protocol(point.procs, point.message()) == Protocol::Eager;
        let port_bytes = entry.model.pattern.port_bytes(point)?;
        let share = port_bytes / case.size.as_f64();
        (is_eager && port_bytes > onset.lower).then(|| PortOverflow::new(onset, share))
    }

    fn is_selectable(&self, case: Case) -> bool {
        let (entry, point) = self.entry_and_point(case);
        match entry.model.pattern {
            TrafficPattern::Segments { .. } => {}
            TrafficPattern::Digits { radix } => {
                let blocks = u64::from(case.procs.get().div_ceil(radix));
                let message = Bytes(case.size.0.saturating_mul(blocks));
                let is_eager = entry.model.protocol(case.procs, message) == Protocol::Eager;
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
        entry.model.protocol(point.procs, point.message()) == Protocol::Eager
            && onset.is_none_or(|onset| crowded < MOST_FILL * onset.bytes)
    }
}
