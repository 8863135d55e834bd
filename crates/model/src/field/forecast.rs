//! Predictions by the field of an algorithm.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±z·s). s is the deviation of ln γ, which contains the noise of a cell and the
//! doubt about hyperparameters and form. z is the quantile of a normal distribution. If messages travel by TCP and
//! more bytes pass a port than in any measurement, a repetition may stall. The upper end is then later by Linux's
//! least time-out; the predicted time stays.

use netsig_base::network::Network;
use netsig_base::units::Seconds;
use netsig_base::units::parameter::volume;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::contention_free::ContentionFreeTime;
use super::entry::FieldEntry;
use crate::fitted::AlgorithmForecast;
use crate::fitted::outside_domain::OutsideDomain;
use crate::fitted::prediction::{Interval, PortOverflow, Prediction, PredictionStanding, UnmeasuredLoad};
use crate::fitted::statistic::PredictedStatistic;
use crate::model::regimes::TimeDistribution;
use crate::model::{self, Case, FIELD, ModelError};

/// The field of an algorithm on a network.
#[derive(Debug)]
pub struct FieldForecast<'a> {
    entry: FieldEntry,
    contention_free_time: ContentionFreeTime<'a>,
    statistic: PredictedStatistic,
    /// z.
    quantile: f64,
}

impl<'a> FieldForecast<'a> {
    /// Forecast by a stored field; `mpi` names the library of the data. `None` if no traffic pattern describes the
    /// algorithm.
    pub fn of(
        entry: &FieldEntry,
        mpi: Option<&str>,
        network: Option<&'a Network>,
        statistic: PredictedStatistic,
    ) -> Option<Self> {
        let contention_free_time = entry.contention_free_time(mpi, network)?;
        let level = f64::midpoint(1.0, entry.confidence);
        Some(Self {
            contention_free_time,
            entry: entry.clone(),
            statistic,
            quantile: Normal::standard().inverse_cdf(level),
        })
    }

    fn distribution_around(&self, typical: f64) -> TimeDistribution {
        TimeDistribution {
            typical: Seconds(typical),
            spread: self.entry.scatter.unwrap_or(0.0),
            stall: None,
        }
    }

    /// Bytes through a port, if they exceed the measured ones so that a repetition may stall.
    fn unseen_load(&self, case: Case) -> Option<UnmeasuredLoad> {
        let beyond = self.entry.stalls_beyond_bytes;
        UnmeasuredLoad::of(beyond, self.contention_free_time.port_bytes(case.procs, case.size))
    }

    /// The median in seconds, and the deviation of its logarithm.
    fn median(&self, case: Case) -> (f64, f64) {
        let Case { procs, size, .. } = case;
        let ratio = self.entry.ratio.at(procs, size);
        let contention_free = self.contention_free_time.time_of(procs, size);
        (contention_free.0 * ratio.gamma, ratio.deviation)
    }
}

impl AlgorithmForecast for FieldForecast<'_> {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        volume(case.procs, case.size)?;
        if matches!(self.statistic, PredictedStatistic::Quantile(_)) && self.entry.scatter.is_none() {
            let entry = &self.entry;
            return Err(ModelError::Missing {
                model: FIELD,
                what: format!(
                    "times of single repetitions for a quantile, and the data of {} {} are means alone",
                    entry.collective, entry.algorithm
                ),
                remedy: "measure repetitions, or ask for no quantile",
            });
        }
        let (median, deviation) = self.median(case);
        let time = self.statistic.value_of(&self.distribution_around(median));
        model::check_time(FIELD, time)?;
        let standing = match self.reason_outside(case) {
            None => self.entry.domain.standing(case.procs, case.size),
            Some(_) => PredictionStanding::Outside,
        };
        let stall_free_interval = Interval::around(time, self.quantile * deviation);
        let interval = match self.unseen_load(case) {
            Some(_) => UnmeasuredLoad::with_one_stall_more(stall_free_interval),
            None => stall_free_interval,
        };
        Ok(Prediction {
            time,
            interval: Some(interval),
            standing,
            segment: None,
        })
    }

    /// Only a size can be outside: the interval covers more processes, but larger messages may have another protocol.
    fn reason_outside(&self, case: Case) -> Option<OutsideDomain> {
        let largest = self.entry.domain.procs.last()?;
        self.entry.domain.too_far(case.procs.min(*largest), case.size)
    }

    fn overflow(&self, case: Case) -> Option<PortOverflow> {
        self.unseen_load(case).map(|load| load.overflow(case.size))
    }

    fn distribution(&self, case: Case) -> Option<TimeDistribution> {
        Some(self.distribution_around(self.median(case).0))
    }
}
