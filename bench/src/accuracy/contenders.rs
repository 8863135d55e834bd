//! The contenders of each collective and their predictions.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_core::algorithm::{Collective, Method};
use netsig_core::data::Experiment;
use netsig_core::data::cells::{CellKey, Summary};
use netsig_core::model::segment::Segment;
use netsig_core::model::{self, Case, Segments};
use netsig_core::predict::line::Reason;
use netsig_core::predict::speaker::{Models, Question};
use netsig_core::predict::{Interval, Knowledge};
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Procs, Seconds};

use super::Times;
use super::naive::Lines;
use super::regression::Regression;
use super::score::Row;
use super::split::Fitted;

/// netsig's own model, to which the targets apply.
pub(super) const OURS: &str = "regimes";

/// The published model, the reference for improvements.
pub(super) const PUBLISHED: &str = "full";

/// The algorithm (empty: all of the collective), the contender's name and the source of its times.
type Contender = (&'static str, &'static str, How);

#[derive(Clone, Copy)]
enum How {
    /// The model chosen by the fit.
    Chosen,
    /// A model with the parameters of the profile.
    Model(&'static str),
    /// A model with α and β instead of pLogP tables.
    OnHockney(&'static str),
    /// A line in n for every size, with interpolation between sizes.
    Lines,
    /// Products of powers and logarithms, chosen by cross-validation.
    Regression,
    /// A simulation by SMPI.
    Smpi,
}

use How::{Model, OnHockney};

/// Contenders of every collective.
const ALL: [Contender; 3] = [
    ("", OURS, Model(OURS)),
    ("", "lines", How::Lines),
    ("", "regression", How::Regression),
];

const ALLTOALL: [Contender; 16] = [
    ("", "regimes or simpler", How::Chosen),
    ("", "hockney", Model("hockney")),
    ("direct", "plogp", Model("plogp_b")),
    ("pairwise", "plogp", Model("plogp_a")),
    ("library", "plogp", Model("plogp_b")),
    ("throttled:2", "plogp", Model("plogp_b")),
    ("", PUBLISHED, Model(PUBLISHED)),
    ("", "bandwidth", Model("bandwidth")),
    ("", "full_delta_once", Model("full_delta_once")),
    ("", "signature", Model("signature")),
    ("", "factor_001", Model("factor_001")),
    ("", "throughput", Model("throughput")),
    ("", "slowdown", Model("slowdown")),
    ("", "clement", Model("clement")),
    ("direct", "smpi", How::Smpi),
    ("library", "smpi", How::Smpi),
];

/// The first model of an algorithm also gives its contention-free time, also in [`SCATTER`].
const BCAST: [Contender; 5] = [
    ("binomial", "plogp", Model("binomial_exact")),
    ("binomial", "plogp_printed", Model("binomial")),
    ("binomial", "hockney", OnHockney("binomial_exact")),
    ("pipeline:8192", "plogp", Model("chain_seg")),
    ("pipeline:8192", "hockney", OnHockney("chain_seg")),
];

const SCATTER: [Contender; 5] = [
    ("flat", "plogp", Model("flat")),
    ("flat", "hockney", OnHockney("flat")),
    ("binomial", "plogp", Model("binomial_exact")),
    ("binomial", "plogp_printed", Model("binomial")),
    ("binomial", "hockney", OnHockney("binomial_exact")),
];

fn of(collective: Collective) -> &'static [Contender] {
    match collective {
        Collective::Alltoall => &ALLTOALL,
        Collective::Bcast => &BCAST,
        Collective::Scatter => &SCATTER,
        _ => &[],
    }
}

/// The time and the interval of a case; `None` if the contender does not apply.
type Predictor<'a> = Box<dyn Fn(Procs, Bytes) -> Option<(Seconds, Option<Interval>)> + 'a>;

/// The data for the predictions of the contenders.
pub(super) struct Judge<'a> {
    pub(super) network: &'static str,
    pub(super) fitted: &'a Fitted,
    /// The profile for contention-free times.
    pub(super) free: &'a Profile,
    pub(super) smpi: &'a Times,
}

impl Judge<'_> {
    /// The predictions of all contenders for all cells; if `called` is given, those of the regimes
    /// alone, under that name.
    pub(super) fn rows(
        &self,
        cells: &BTreeMap<CellKey, Summary>,
        called: Option<&'static str>,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        let groups = cells.iter().chunk_by(|(key, _)| {
            let Experiment::Collective(collective) = key.experiment else {
                panic!("only collectives are held out");
            };
            (collective, &*key.algorithm)
        });
        for ((collective, algorithm), cells) in &groups {
            let cells: Vec<_> = cells.collect();
            let who = (collective, algorithm);
            let free = without_contention(who);
            let free = free.and_then(|model| self.by_model(self.free, who, model));
            let own = ALL.iter().chain(of(collective));
            let own = own.filter(|(of, ..)| of.is_empty() || *of == algorithm);
            for (_, name, how) in own.filter(|(_, name, _)| called.is_none() || *name == OURS) {
                let Some(predict) = self.predictor(*how, who, cells[0].0) else {
                    continue;
                };
                rows.extend(cells.iter().filter_map(|(key, summary)| {
                    let (predicted, interval) = predict(key.procs, key.size)?;
                    let free = free.as_ref().and_then(|free| free(key.procs, key.size));
                    Some(Row {
                        network: self.network,
                        trial: self.fitted.trial,
                        collective,
                        algorithm: algorithm.to_owned(),
                        contender: called.unwrap_or(name),
                        procs: key.procs,
                        size_bytes: key.size,
                        measured_s: summary.value(self.fitted.trial.statistic()),
                        free_s: free.map(|(time, _)| time),
                        predicted_s: predicted,
                        lower_s: interval.map(|interval| interval.lower),
                        upper_s: interval.map(|interval| interval.upper),
                    })
                }));
            }
        }
        rows
    }

    /// `None` if the contender is not available: the model does not exist or could not be fitted,
    /// or there are too few points.
    fn predictor<'b>(
        &'b self,
        how: How,
        who: (Collective, &'b str),
        key: &'b CellKey,
    ) -> Option<Predictor<'b>> {
        let profile = &self.fitted.profile;
        match how {
            How::Chosen => {
                let question = Question {
                    profile,
                    collective: who.0,
                    algorithm: None,
                    models: Models::Speaking,
                    given: &[],
                };
                let (model, reason) = question.speaker(who.1)?;
                let is_chosen = matches!(reason, Reason::Chosen(_));
                is_chosen.then(|| self.by_model(profile, who, model.name))?
            }
            Model(model) => self.by_model(profile, who, model),
            OnHockney(model) => self.by_model(&self.fitted.bare, who, model),
            How::Lines => {
                let lines = Lines::fit(&self.fitted.points(key))?;
                Some(Box::new(move |n, m| Some((lines.time(n, m), None))))
            }
            How::Regression => {
                let fit = Regression::fit(&self.fitted.points(key))?;
                Some(Box::new(move |n, m| Some((fit.time(n, m), None))))
            }
            How::Smpi => Some(Box::new(|n, m| Some((*self.smpi.get(&(n, m))?, None)))),
        }
    }

    /// Predictions of a model with the parameters of a profile.
    fn by_model<'b>(
        &'b self,
        profile: &'b Profile,
        (collective, algorithm): (Collective, &'b str),
        model: &str,
    ) -> Option<Predictor<'b>> {
        let model = model::find(collective, model).ok()?;
        let knowledge = Knowledge {
            profile,
            algorithm,
            network: self.fitted.network.as_ref(),
            given: &[],
            asked: self.fitted.trial.statistic().into(),
        };
        let basis = knowledge.basis(model).ok()?;
        let longest = segment(collective, algorithm);
        Some(Box::new(move |procs, size| {
            let mut case = Case::new(procs, size);
            if let Some(longest) = longest {
                // A shorter message is one segment.
                let segment = Segment::new(size).ok()?.min(longest);
                case.segments = Segments::Of(segment);
            }
            let prediction = basis.predict(case).ok()?;
            Some((prediction.time, prediction.interval))
        }))
    }
}

/// The contention-free model of an algorithm.
fn without_contention((collective, algorithm): (Collective, &str)) -> Option<&'static str> {
    if collective == Collective::Alltoall {
        return Some("free");
    }
    of(collective).iter().find_map(|own| match own {
        (of, _, Model(model)) if *of == algorithm => Some(*model),
        _ => None,
    })
}

/// The segment size in an algorithm's name, as in `pipeline:BYTES`.
fn segment(collective: Collective, algorithm: &str) -> Option<Segment> {
    let method = Method::parse(collective, algorithm).ok()?;
    Segment::new(method.segment()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that is no model's would leave its contender out without a word.
    #[test]
    fn the_tables_name_models_that_there_are() {
        for collective in [Collective::Alltoall, Collective::Bcast, Collective::Scatter] {
            for (_, _, how) in ALL.iter().chain(of(collective)) {
                if let Model(model) | OnHockney(model) = how {
                    let found = model::find(collective, model);
                    assert!(found.is_ok(), "{collective} {model}");
                }
            }
        }
    }
}
