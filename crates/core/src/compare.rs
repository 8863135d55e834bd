//! Every model's error on what it was not fitted to.
//!
//! # Method
//! The models are fitted to one part of a dataset and predict the cells of the rest. The
//! error of a cell is predicted/measured − 1. A model's score is the median, the 90th
//! percentile (nearest rank) and the largest of the absolute errors, and their signed mean
//! (bias). Models rank by the median.

use std::collections::BTreeMap;

use crate::cells::{CellKey, Sorted, Summary, summarise};
use crate::collective::Collective;
use crate::dataset::{Dataset, Experiment, Provenance, Sample};
use crate::fit::network::{self, NetworkFit, NetworkFitError, Options};
use crate::predict::{self, Networks};
use crate::profile::Profile;
use crate::registry::{self, Case, Estimator, ModelError, SIGNATURE};
use crate::units::{Bytes, Procs, Seconds};

/// How well one model did for one algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// What was measured.
    pub collective: Collective,
    /// Who ran it.
    pub algorithm: String,
    /// The model.
    pub model: &'static str,
    /// The median of the absolute errors.
    pub median: f64,
    /// Their 90th percentile.
    pub p90: f64,
    /// The largest.
    pub worst: f64,
    /// The mean of the signed errors.
    pub bias: f64,
    /// How many cells were predicted.
    pub points: usize,
}

/// The scores, best first within each algorithm, and what could not be judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// One for each algorithm and model.
    pub scores: Vec<Score>,
    /// What could not be fitted.
    pub failures: Vec<NetworkFitError>,
}

/// Fits all models to the cells that `trains` wants, and to all ping-pongs, and scores them
/// on the other cells.
///
/// # Errors
/// If the training samples support no fit at all.
pub fn compare(
    data: &Dataset,
    trains: impl Fn(Procs, Bytes) -> bool,
    options: &Options,
) -> Result<Comparison, NetworkFitError> {
    let is_seen = |sample: &&Sample| {
        sample.experiment == Experiment::PingPong || trains(sample.procs, sample.size)
    };
    let (train, rest): (Vec<&Sample>, Vec<&Sample>) = data.samples.iter().partition(is_seen);
    let part = |samples: Vec<&Sample>| Dataset {
        provenance: Provenance::default(),
        samples: samples.into_iter().cloned().collect(),
    };
    let fitted = network::fit(&part(train), options)?;
    let judge = Judge::new(&fitted, options);
    let cells = summarise(&part(rest));
    let all = by_algorithm(&cells);
    let scores = all.iter().flat_map(|((collective, algorithm), cells)| {
        let mut scores = judge.scores(*collective, algorithm, cells);
        scores.sort_by(|a, b| a.median.total_cmp(&b.median));
        scores
    });
    Ok(Comparison {
        scores: scores.collect(),
        failures: fitted.failures,
    })
}

type Cells<'a> = Vec<(&'a CellKey, &'a Summary)>;

fn by_algorithm(cells: &BTreeMap<CellKey, Summary>) -> BTreeMap<(Collective, String), Cells<'_>> {
    let mut all: BTreeMap<(Collective, String), Cells> = BTreeMap::new();
    for (key, summary) in cells {
        if let Experiment::Collective(collective) = key.experiment {
            let who = (collective, key.algorithm.to_string());
            all.entry(who).or_default().push((key, summary));
        }
    }
    all
}

/// What the training part says.
struct Judge<'a> {
    profile: Profile,
    networks: Networks,
    options: &'a Options,
}

impl<'a> Judge<'a> {
    fn new(fitted: &NetworkFit, options: &'a Options) -> Self {
        let profile = fitted.profile(Provenance::default(), options.signature.confidence);
        Self {
            networks: Networks::of(&profile, |network| network),
            profile,
            options,
        }
    }

    fn scores(&self, collective: Collective, algorithm: &str, cells: &Cells) -> Vec<Score> {
        let score = |model: &'static str, errors: Vec<f64>| {
            let bias = errors.iter().sum::<f64>() / errors.len() as f64;
            let sorted = Sorted::new(errors.into_iter().map(f64::abs).collect());
            Score {
                collective,
                algorithm: algorithm.to_owned(),
                model,
                points: cells.len(),
                bias,
                median: sorted.median(),
                p90: sorted.quantile(0.9),
                worst: sorted.quantile(1.0),
            }
        };
        let signature = self
            .profile
            .signature(collective, algorithm)
            .and_then(|entry| {
                let time = |procs, size| predict::signature_time(entry, procs, size);
                Some(score(SIGNATURE, self.errors(cells, time)?))
            });
        let others = registry::of(collective).filter_map(|model| {
            let values = match self.profile.model(model, algorithm) {
                Some(entry) => entry.values.clone(),
                None if model.estimator == Estimator::None => model.values(|_| None).ok()?,
                None => return None,
            };
            let time = |procs, size| {
                let timed = model.time(self.networks.best(), &values, Case::new(procs, size))?;
                Ok(timed.time)
            };
            Some(score(model.name, self.errors(cells, time)?))
        });
        signature.into_iter().chain(others).collect()
    }

    /// The signed errors over all cells; `None` where the model does not apply to one.
    fn errors(
        &self,
        cells: &Cells,
        time: impl Fn(Procs, Bytes) -> Result<Seconds, ModelError>,
    ) -> Option<Vec<f64>> {
        let error = |(key, summary): &(&CellKey, &Summary)| {
            let measured = summary.value(self.options.statistic);
            Some(time(key.procs, key.size).ok()? / measured - 1.0)
        };
        cells.iter().map(error).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dataset::LossCounters;
    use crate::model::hockney::Hockney;
    use crate::units::SecondsPerByte;

    /// All-to-alls that take 1.5 times their contention-free time at 4, 6 and 8 processes.
    fn data() -> Dataset {
        let base = Hockney::new(Seconds(1e-4), SecondsPerByte(2e-7)).unwrap();
        let mut data = Dataset::default();
        let mut push = |experiment, algorithm: &str, n: u32, size, time: f64| {
            for repetition in 0..4 {
                data.samples.push(Sample {
                    experiment,
                    algorithm: Arc::from(algorithm),
                    procs: Procs::new(n).unwrap(),
                    size,
                    repetition,
                    launch: 0,
                    time: Seconds(time * (0.99 + 0.02 * f64::from(repetition % 2))),
                    losses: LossCounters::default(),
                });
            }
        };
        for size in (0..10).map(|i| Bytes(256 << i)) {
            push(Experiment::PingPong, "", 2, size, base.time(size).0);
            for n in [4, 6, 8] {
                let time = base.alltoall(Procs::new(n).unwrap(), size).0 * 1.5;
                let who = Experiment::Collective(Collective::Alltoall);
                push(who, "direct", n, size, time);
            }
        }
        data
    }

    /// The truth is a factor on the contention-free time: the models that hold it are right
    /// about eight processes, the bound is a third too low, and so they rank.
    #[test]
    fn models_are_judged_on_what_they_have_not_seen() {
        let judged = compare(&data(), |n, _| n.get() < 8, &Options::default()).unwrap();
        let find = |name| {
            judged
                .scores
                .iter()
                .find(|score| score.model == name)
                .unwrap()
        };
        assert_eq!(find("full").points, 10);
        assert!(find("full").worst < 0.01 && find("slowdown").worst < 0.01);
        assert!((find("hockney").bias + 1.0 / 3.0).abs() < 0.01);
        assert!((find("hockney").median - 1.0 / 3.0).abs() < 0.01);
        let ascending = judged
            .scores
            .windows(2)
            .all(|pair| pair[0].median <= pair[1].median);
        assert!(ascending && judged.scores.len() >= 8);
    }
}
