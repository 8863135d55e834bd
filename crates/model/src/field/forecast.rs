//! Predictions by the field of an algorithm.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±z·s). s is the deviation of ln γ, which contains the noise of a cell and the
//! doubt about hyperparameters and form. z is the quantile of a normal distribution. If messages travel by TCP and
//! more bytes pass a port than in any measurement, a repetition may stall. The upper end is then later by Linux's
//! least time-out; the predicted time stays.
//!
//! A library takes one of its algorithms by its rules, or another one than it is told to, because that does not suit a
//! case. If the algorithm that runs has a field, that field predicts the case.

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
    /// Forecasts of algorithms that the library may run, by their names in the library.
    runs: Vec<(&'static str, Self)>,
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
            runs: Vec::new(),
        })
    }

    /// The same, with the forecasts of the algorithms that the library may run, from `forecast_of` their names in the
    /// library.
    #[must_use]
    pub fn with_runs(self, forecast_of: impl Fn(&str) -> Option<Self>) -> Self {
        let names = self.contention_free_time.patterns().running_algorithms().into_iter();
        let runs = names.filter_map(|name| Some((name, forecast_of(name)?))).collect();
        Self { runs, ..self }
    }

    /// The forecast of the algorithm that runs in a case.
    fn of_case(&self, case: Case) -> &Self {
        let patterns = self.contention_free_time.patterns();
        let name = patterns.running_algorithm(case.procs, case.size);
        let mut runs = self.runs.iter();
        let run = name.and_then(|name| runs.find(|(other, _)| *other == name));
        run.map_or(self, |(_, forecast)| forecast)
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
        let patterns = self.contention_free_time.patterns();
        let instead = patterns.replacement(procs, size);
        let is_alike = |procs, size| patterns.replacement(procs, size) == instead;
        let ratio = self.entry.ratio.at_alike(procs, size, is_alike);
        let contention_free = self.contention_free_time.time_of(procs, size);
        (contention_free.0 * ratio.gamma, ratio.deviation)
    }

    /// Predicts a case in which this algorithm runs.
    fn predict_run(&self, case: Case) -> Result<Prediction, ModelError> {
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
        let standing = match self.reason_outside_domain(case) {
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
    fn reason_outside_domain(&self, case: Case) -> Option<OutsideDomain> {
        let largest = self.entry.domain.procs.last()?;
        self.entry.domain.too_far(case.procs.min(*largest), case.size)
    }
}

impl AlgorithmForecast for FieldForecast<'_> {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        volume(case.procs, case.size)?;
        self.of_case(case).predict_run(case)
    }

    fn reason_outside(&self, case: Case) -> Option<OutsideDomain> {
        self.of_case(case).reason_outside_domain(case)
    }

    fn overflow(&self, case: Case) -> Option<PortOverflow> {
        let load = self.of_case(case).unseen_load(case);
        load.map(|load| load.overflow(case.size))
    }

    fn distribution(&self, case: Case) -> Option<TimeDistribution> {
        let forecast = self.of_case(case);
        Some(forecast.distribution_around(forecast.median(case).0))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use netsig_base::algorithm::Collective;
    use netsig_base::data::Dataset;
    use netsig_base::units::Bytes;

    use crate::fit::network::NetworkFitOptions;
    use crate::profile::Profile;
    use crate::testing::procs;

    /// 16 doubles are fewer than 32 ranks, so that Open MPI reduces to one rank. It does so too if its rules take
    /// Rabenseifner's algorithm, of which few such cells were measured. 512 doubles it halves.
    #[test]
    fn what_runs_instead_predicts_the_case() {
        let mut text =
            "#@mpi=Open MPI v4.1.4\nexperiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n"
                .to_owned();
        for (n, size) in itertools::iproduct!([4, 8, 16], [32, 256, 1 << 10, 1 << 12, 1 << 14]) {
            let message = 5e-5 + 1e-8 * f64::from(size);
            let linear = 2.0 * f64::from(n - 1) * message;
            let halving = 2.0 * f64::from(n).log2() * 5e-5 + 2e-8 * f64::from(size);
            let is_replaced = size / 8 < n;
            for (name, time) in [
                (":basic_linear", linear),
                (":rabenseifner", if is_replaced { linear } else { halving }),
                ("", 1.5 * halving),
            ] {
                for (repetition, factor) in [0.99, 1.0, 1.01].into_iter().enumerate() {
                    let cell = format!("collective,allreduce,library{name},{n},{size},{repetition},0");
                    writeln!(text, "{cell},{}", time * factor).unwrap();
                }
            }
        }
        let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
        let (_, profile) = Profile::fit(&data, "data.csv", &NetworkFitOptions::default(), &[]).unwrap();
        let time = |name: &str, size| {
            let question = profile.predict(Collective::Allreduce).algorithm(name);
            let predictor = question.predictor().unwrap();
            predictor.predict(procs(32), Bytes(size)).unwrap().time.0
        };
        let (linear, halving) = ("library:basic_linear", "library:rabenseifner");
        for name in [halving, "library"] {
            assert!((time(name, 128) / time(linear, 128) - 1.0).abs() < 1e-12, "{name}");
        }
        assert!((time(linear, 128) / 3.2e-3 - 1.0).abs() < 0.2);
        assert!((time(halving, 4096) / 5.8e-4 - 1.0).abs() < 0.2);
    }
}
