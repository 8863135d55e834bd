//! Predictions by the field of an algorithm.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±z·s), with s the deviation of ln γ, which holds the noise of a cell
//! and the doubt about hyperparameters and form, and z the quantile of a normal distribution. Where messages
//! travel by TCP and more bytes pass a port than any that was measured, a repetition may stall: the upper end
//! is later by the least time-out of Linux, and the best value stays.

use netsig_base::network::Network;
use netsig_base::units::Seconds;
use netsig_base::units::parameter::volume;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::entry::FieldEntry;
use super::free::FreeTime;
use crate::fitted::AlgorithmForecast;
use crate::fitted::asked::Asked;
use crate::fitted::outside::Outside;
use crate::fitted::prediction::{Interval, Overflow, Prediction, Standing, UnseenLoad};
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
    pub fn of(entry: &FieldEntry, mpi: Option<&str>, network: Option<&'a Network>, asked: Asked) -> Option<Self> {
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

    /// The bytes through a port of a case in which a repetition may stall.
    fn unseen(&self, case: Case) -> Option<UnseenLoad> {
        let beyond = self.entry.stalls_beyond_bytes;
        UnseenLoad::of(beyond, self.free_time.port_bytes(case.procs, case.size))
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
        let interval = Interval::around(time, self.quantile * deviation);
        let interval = match self.unseen(case) {
            Some(_) => UnseenLoad::later(interval),
            None => interval,
        };
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
        self.entry.domain.too_far(case.procs.min(*largest), case.size)
    }

    fn overflow(&self, case: Case) -> Option<Overflow> {
        self.unseen(case).map(|load| load.overflow(case.size))
    }

    fn distribution(&self, case: Case) -> Option<Times> {
        Some(self.times(self.median(case).0))
    }
}
