//! Predictions by the field of an algorithm.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±z·s), with s the deviation of ln γ, which holds the noise of a cell
//! and the doubt about hyperparameters and form, and z the quantile of a normal distribution. Where messages
//! travel by TCP and more bytes pass a port than any that was measured, a repetition may stall: the upper end
//! is later by the least time-out of Linux, and the best value stays.

use netsig_base::network::{LINUX_RTO, Network};
use netsig_base::stats::interval::Estimate;
use netsig_base::units::Seconds;
use netsig_base::units::parameter::volume;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::entry::FieldEntry;
use super::free::FreeTime;
use crate::fitted::AlgorithmForecast;
use crate::fitted::asked::Asked;
use crate::fitted::outside::Outside;
use crate::fitted::prediction::{Interval, Overflow, Prediction, Standing};
use crate::model::regimes::Times;
use crate::model::{self, Case, FIELD, ModelError};

/// The field of an algorithm on a network.
#[derive(Debug)]
pub struct FieldForecast<'a> {
    entry: FieldEntry,
    free_time: FreeTime<'a>,
    asked: Asked,
    /// z.
    quantile: f64,
}

impl<'a> FieldForecast<'a> {
    /// The forecast by an entry; `mpi` names the library of the data. `None` if the messages of the
    /// algorithm are not described.
    pub fn of(
        entry: &FieldEntry,
        mpi: Option<&str>,
        network: Option<&'a Network>,
        asked: Asked,
    ) -> Option<Self> {
        let free_time = entry.free_time(mpi, network)?;
        let level = f64::midpoint(1.0, entry.confidence);
        Some(Self {
            free_time,
            entry: entry.clone(),
            asked,
            quantile: Normal::standard().inverse_cdf(level),
        })
    }

    fn times(&self, typical: f64) -> Times {
        Times {
            typical: Seconds(typical),
            spread: self.entry.scatter.unwrap_or(0.0),
            stall: None,
        }
    }

    /// The most bytes that were measured through a port, and those of a case, if these are more and a repetition
    /// may stall.
    fn may_stall(&self, case: Case) -> Option<(f64, f64)> {
        let beyond = self.entry.stalls_beyond_bytes?.as_f64();
        let port_bytes = self.free_time.port_bytes(case.procs, case.size)?;
        (port_bytes > beyond).then_some((beyond, port_bytes))
    }

    /// The median in seconds, and the deviation of its logarithm.
    fn median(&self, case: Case) -> (f64, f64) {
        let Case { procs, size, .. } = case;
        let ratio = self.entry.ratio.at(procs, size);
        let free = self.free_time.of(procs, size);
        (free.0 * ratio.gamma, ratio.deviation)
    }
}

impl AlgorithmForecast for FieldForecast<'_> {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        volume(case.procs, case.size)?;
        if matches!(self.asked, Asked::Quantile(_)) && self.entry.scatter.is_none() {
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
        let time = self.asked.of(&self.times(median));
        model::possible(FIELD, time)?;
        let standing = match self.outside(case) {
            None => self.entry.domain.standing(case.procs, case.size),
            Some(_) => Standing::Outside,
        };
        let mut interval = Interval::around(time, self.quantile * deviation);
        if self.may_stall(case).is_some() {
            interval.upper.0 += LINUX_RTO.0;
        }
        Ok(Prediction {
            time,
            interval: Some(interval),
            standing,
            segment: None,
        })
    }

    /// The interval tells how little is known of more processes; of larger messages the protocol may change.
    fn outside(&self, case: Case) -> Option<Outside> {
        let largest = self.entry.domain.procs.last()?;
        self.entry
            .domain
            .too_far(case.procs.min(*largest), case.size)
    }

    fn overflow(&self, case: Case) -> Option<Overflow> {
        let (beyond, port_bytes) = self.may_stall(case)?;
        let share = port_bytes / case.size.as_f64();
        let onset = Estimate {
            value: beyond,
            lower: beyond,
            upper: beyond,
        };
        Some(Overflow::new(onset, share, false))
    }

    fn distribution(&self, case: Case) -> Option<Times> {
        Some(self.times(self.median(case).0))
    }
}
