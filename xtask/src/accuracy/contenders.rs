//! Who predicts what: one line a contender and collective.

use std::collections::BTreeMap;

use anyhow::Result;
use netsig_core::algorithm::{Collective, Method};
use netsig_core::data::Experiment;
use netsig_core::data::cells::{CellKey, Summary};
use netsig_core::model::message::loggp::LogGP;
use netsig_core::model::plogp::PLogP;
use netsig_core::model::regimes::Point;
use netsig_core::model::segment::Segment;
use netsig_core::model::{self, Case, Segments};
use netsig_core::predict::regimes::{self, Asked};
use netsig_core::predict::speaker::{Models, Question, Reason};
use netsig_core::predict::{Interval, Knowledge};
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Procs, Seconds};

use super::Times;
use super::naive::Lines;
use super::regression::Regression;
use super::score::Row;
use super::split::{Fitted, Trial};

/// netsig's own model, which the targets are for.
pub(super) const OURS: &str = "regimes";

/// The model that every other has to improve on.
pub(super) const PUBLISHED: &str = "full";

/// One way to predict an algorithm.
struct Contender {
    name: &'static str,
    collective: Collective,
    /// Empty for every algorithm of the collective.
    algorithm: &'static str,
    how: How,
}

/// How a contender comes by its times.
#[derive(Clone, Copy)]
enum How {
    /// The regimes of the profile.
    Regimes,
    /// The model that the fit chose.
    Chosen,
    /// A model with what the profile holds.
    Model(&'static str),
    /// The same with α and β in place of tables.
    OnHockney(&'static str),
    /// `LogGP`, which is a model of single messages.
    LogGP,
    /// A line in n for every size, interpolated between sizes.
    Lines,
    /// Products of powers and logarithms, chosen by cross-validation.
    Regression,
    /// A simulation of another program.
    Smpi,
}

use Collective::{Alltoall, Bcast, Scatter};

const CONTENDERS: [Contender; 36] = [
    of(Alltoall, "", OURS, How::Regimes),
    of(Alltoall, "", "regimes or simpler", How::Chosen),
    of(Alltoall, "", "hockney", How::Model("hockney")),
    of(Alltoall, "", "loggp", How::LogGP),
    of(Alltoall, "direct", "plogp", How::Model("plogp_b")),
    of(Alltoall, "pairwise", "plogp", How::Model("plogp_a")),
    of(Alltoall, "library", "plogp", How::Model("plogp_b")),
    of(Alltoall, "throttled:2", "plogp", How::Model("plogp_b")),
    of(Alltoall, "", PUBLISHED, How::Model(PUBLISHED)),
    of(Alltoall, "", "bandwidth", How::Model("bandwidth")),
    of(
        Alltoall,
        "",
        "full_delta_once",
        How::Model("full_delta_once"),
    ),
    of(Alltoall, "", "signature", How::Model("signature")),
    of(Alltoall, "", "factor_001", How::Model("factor_001")),
    of(Alltoall, "", "throughput", How::Model("throughput")),
    of(Alltoall, "", "slowdown", How::Model("slowdown")),
    of(Alltoall, "", "clement", How::Model("clement")),
    of(Alltoall, "", "lines", How::Lines),
    of(Alltoall, "", "regression", How::Regression),
    of(Alltoall, "direct", "smpi", How::Smpi),
    of(Alltoall, "library", "smpi", How::Smpi),
    of(Bcast, "", OURS, How::Regimes),
    of(Bcast, "binomial", "plogp", How::Model("binomial_exact")),
    of(Bcast, "binomial", "plogp_printed", How::Model("binomial")),
    of(
        Bcast,
        "binomial",
        "hockney",
        How::OnHockney("binomial_exact"),
    ),
    of(Bcast, "pipeline:8192", "plogp", How::Model("chain_seg")),
    of(
        Bcast,
        "pipeline:8192",
        "hockney",
        How::OnHockney("chain_seg"),
    ),
    of(Bcast, "", "lines", How::Lines),
    of(Bcast, "", "regression", How::Regression),
    of(Scatter, "", OURS, How::Regimes),
    of(Scatter, "flat", "plogp", How::Model("flat")),
    of(Scatter, "flat", "hockney", How::OnHockney("flat")),
    of(Scatter, "binomial", "plogp", How::Model("binomial_exact")),
    of(Scatter, "binomial", "plogp_printed", How::Model("binomial")),
    of(
        Scatter,
        "binomial",
        "hockney",
        How::OnHockney("binomial_exact"),
    ),
    of(Scatter, "", "lines", How::Lines),
    of(Scatter, "", "regression", How::Regression),
];

const fn of(
    collective: Collective,
    algorithm: &'static str,
    name: &'static str,
    how: How,
) -> Contender {
    Contender {
        name,
        collective,
        algorithm,
        how,
    }
}

/// The time without contention, by collective and algorithm.
const FREE: [(Collective, &str, &str); 5] = [
    (Alltoall, "", "free"),
    (Bcast, "binomial", "binomial_exact"),
    (Bcast, "pipeline:8192", "chain_seg"),
    (Scatter, "flat", "flat"),
    (Scatter, "binomial", "binomial_exact"),
];

/// A prediction of a contender.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Guess {
    time: Seconds,
    interval: Option<Interval>,
}

/// What a contender says of every case; nothing where it does not apply.
type Predictor<'a> = Box<dyn Fn(Procs, Bytes) -> Option<Guess> + 'a>;

/// The held-out cells of one algorithm.
type Cells<'a> = Vec<(&'a CellKey, &'a Summary)>;

/// What contenders draw on.
pub(super) struct Judge<'a> {
    fitted: &'a Fitted,
    /// The same without tables.
    bare: Profile,
    free: &'a Profile,
    smpi: &'a Times,
}

impl<'a> Judge<'a> {
    /// Contenders that know `fitted`, on a network whose times without contention `free`
    /// tells.
    pub(super) fn new(fitted: &'a Fitted, free: &'a Profile, smpi: &'a Times) -> Self {
        let bare = Profile {
            plogp: None,
            ..fitted.profile.clone()
        };
        Self {
            fitted,
            bare,
            free,
            smpi,
        }
    }

    /// The predictions of all contenders for all cells.
    pub(super) fn rows(
        &self,
        cells: &BTreeMap<CellKey, Summary>,
        what: (&'static str, Trial),
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for ((collective, algorithm), cells) in by_algorithm(cells) {
            for contender in contenders(collective, algorithm) {
                if let Some(predict) = self.predictor(contender.how, cells[0].0) {
                    rows.extend(self.judged(&cells, what, (contender.name, predict))?);
                }
            }
        }
        Ok(rows)
    }

    /// Those of the regimes alone, under another name.
    pub(super) fn regimes(
        &self,
        cells: &BTreeMap<CellKey, Summary>,
        what: (&'static str, Trial),
        name: &'static str,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (_, cells) in by_algorithm(cells) {
            if let Some(predict) = self.predictor(How::Regimes, cells[0].0) {
                rows.extend(self.judged(&cells, what, (name, predict))?);
            }
        }
        Ok(rows)
    }

    /// The rows of one contender for the cells of one algorithm.
    fn judged(
        &self,
        cells: &Cells,
        (network, trial): (&'static str, Trial),
        (contender, predict): (&'static str, Predictor),
    ) -> Result<Vec<Row>> {
        let Experiment::Collective(collective) = cells[0].0.experiment else {
            return Ok(Vec::new());
        };
        let algorithm: &str = &cells[0].0.algorithm;
        let free = self.free(collective, algorithm)?;
        let row = |(key, summary): &(&CellKey, &Summary)| {
            let guess = predict(key.procs, key.size)?;
            Some(Row {
                network,
                trial,
                collective,
                algorithm: algorithm.to_owned(),
                contender,
                procs: key.procs,
                size: key.size,
                measured: trial.truth(summary),
                free: free(key.procs, key.size).map(|guess| guess.time),
                predicted: guess.time,
                interval: guess.interval,
            })
        };
        Ok(cells.iter().filter_map(row).collect())
    }

    /// The time without contention; nothing for an algorithm that has no line for it.
    fn free<'b>(&'b self, collective: Collective, algorithm: &'b str) -> Result<Predictor<'b>> {
        let found = FREE
            .iter()
            .find(|(of, who, _)| *of == collective && (who.is_empty() || *who == algorithm));
        let Some((_, _, model)) = found else {
            return Ok(Box::new(|_, _| None));
        };
        let predictor = by_model(self.free, collective, (algorithm, model));
        predictor.ok_or_else(|| anyhow::anyhow!("{collective} {algorithm}: {model} gives no time"))
    }

    /// Nothing if the contender cannot be had: a model that does not exist, one
    /// that could not be fitted, too few points.
    fn predictor<'b>(&'b self, how: How, key: &'b CellKey) -> Option<Predictor<'b>> {
        let Experiment::Collective(collective) = key.experiment else {
            return None;
        };
        let by = |profile, model| by_model(profile, collective, (key.algorithm.as_ref(), model));
        match how {
            How::Regimes => by_regimes(self.fitted, (collective, &key.algorithm)),
            How::Chosen => {
                let question = Question {
                    profile: &self.fitted.profile,
                    collective,
                    algorithm: None,
                    models: Models::Speaking,
                    given: &[],
                };
                match question.speaker(&key.algorithm)? {
                    (model, Reason::Chosen(_)) if model.is_regimes() => {
                        by_regimes(self.fitted, (collective, &key.algorithm))
                    }
                    (model, Reason::Chosen(_)) => by(&self.fitted.profile, model.name),
                    _ => None,
                }
            }
            How::Model(model) => by(&self.fitted.profile, model),
            How::OnHockney(model) => by(&self.bare, model),
            How::LogGP => loggp(&self.fitted.profile.network().plogp),
            How::Lines => {
                let lines = Lines::fit(&self.fitted.points(key))?;
                Some(Box::new(move |n, m| exactly(lines.time(n, m))))
            }
            How::Regression => {
                let fit = Regression::fit(&self.fitted.points(key))?;
                Some(Box::new(move |n, m| exactly(fit.time(n, m))))
            }
            How::Smpi => Some(Box::new(|n, m| exactly(*self.smpi.get(&(n, m))?))),
        }
    }
}

/// The cells of every algorithm.
fn by_algorithm(cells: &BTreeMap<CellKey, Summary>) -> BTreeMap<(Collective, &str), Cells<'_>> {
    let mut algorithms: BTreeMap<(Collective, &str), Cells> = BTreeMap::new();
    for (key, summary) in cells {
        if let Experiment::Collective(collective) = key.experiment {
            let own = algorithms.entry((collective, &key.algorithm)).or_default();
            own.push((key, summary));
        }
    }
    algorithms
}

/// The contenders of an algorithm, in the order of the table.
fn contenders(collective: Collective, algorithm: &str) -> impl Iterator<Item = &'static Contender> {
    CONTENDERS.iter().filter(move |contender| {
        let is_meant = contender.algorithm.is_empty() || contender.algorithm == algorithm;
        contender.collective == collective && is_meant
    })
}

/// A time without an interval.
#[expect(clippy::unnecessary_wraps, reason = "what a predictor returns")]
fn exactly(time: Seconds) -> Option<Guess> {
    Some(Guess {
        time,
        interval: None,
    })
}

/// The regimes of an algorithm; nothing if it has none.
fn by_regimes<'a>(
    fitted: &'a Fitted,
    (collective, algorithm): (Collective, &'a str),
) -> Option<Predictor<'a>> {
    let two = Procs::new(2).ok()?;
    fitted.profile.regimes_of(collective, algorithm, two)?;
    Some(Box::new(move |procs, size| {
        let entry = fitted.profile.regimes_of(collective, algorithm, procs)?;
        let tree = fitted.tree.as_ref();
        let point = Point { procs, size, tree };
        let prediction = regimes::regimes(entry, point, fitted.asked)?;
        Some(Guess {
            time: prediction.time,
            interval: prediction.interval,
        })
    }))
}

/// A model on what a profile holds.
fn by_model<'a>(
    profile: &'a Profile,
    collective: Collective,
    (algorithm, model): (&'a str, &str),
) -> Option<Predictor<'a>> {
    let model = model::find(collective, model).ok()?;
    let knowledge = Knowledge {
        profile,
        algorithm,
        tree: None,
        given: &[],
        asked: Asked::default(),
    };
    let basis = knowledge.basis(model).ok()?;
    let longest = segment(collective, algorithm);
    Some(Box::new(move |procs, size| {
        let mut case = Case::new(procs, size);
        if let Some(longest) = longest {
            // A shorter message is a segment of its own.
            let segment = Segment::new(size).ok()?.min(longest);
            case.segments = Segments::Of(segment);
        }
        let prediction = basis.predict(case).ok()?;
        Some(Guess {
            time: prediction.time,
            interval: prediction.interval,
        })
    }))
}

/// The segment size that is set, as in `pipeline:BYTES`.
fn segment(collective: Collective, algorithm: &str) -> Option<Segment> {
    let method = Method::parse(collective, algorithm).ok()?;
    Segment::new(method.segment()?).ok()
}

/// n − 1 messages of one rank after the other: T = L + 2·o + (n−1)·(m−1)·G + (n−2)·max(g, o),
/// a train of messages of Alexandrov, Ionescu, Schauser, Scheiman 1995, while as many come
/// in. G is that of the largest measured message.
fn loggp(network: &PLogP) -> Option<Predictor<'static>> {
    let model = LogGP::from_plogp(network, Bytes(256 << 10)).ok()?;
    Some(Box::new(move |procs, size| {
        let further = procs.partners() - 1.0;
        let between = model.gap().0.max(model.overhead().0);
        let bytes = model.message(size) - model.message(Bytes(1));
        let more = (bytes + Seconds(between)) * further;
        exactly(model.message(size) + more)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name is that of a model.
    #[test]
    fn the_table_names_models_that_there_are() {
        for Contender {
            collective, how, ..
        } in &CONTENDERS
        {
            if let How::Model(model) | How::OnHockney(model) = how {
                let found = model::find(*collective, model);
                assert!(found.is_ok(), "{collective} {model}");
            }
        }
    }

    #[test]
    fn a_pipeline_is_predicted_with_its_own_segments() {
        let pipeline = segment(Bcast, "pipeline:8192").unwrap();
        assert_eq!(pipeline.bytes(), Bytes(8192));
        assert_eq!(segment(Alltoall, "throttled:2"), None);
    }
}
