//! What a prediction by a model draws on: a fit in the profile, values that are given, or
//! the parameters between two processes alone.

use super::regimes::{self, Asked, Outside};
use super::{Interval, Prediction, Spread, Standing, signature, unsaturated};
use crate::algorithm::Collective;
use crate::fit::bandwidth_share;
use crate::model::Threshold;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::Point;
use crate::model::signature::{Form, Signature};
use crate::network::tree::Tree;
use crate::profile::{Base, FlowsEntry, ModelEntry, Profile, RegimesEntry, SignatureEntry};
use crate::registry::{
    self, Case, Kind, Model, ModelError, Need, Network, REGIMES, SIGNATURE, Subject, THROUGHPUT,
    Timed, Values,
};
use crate::units::parameter::volume;
use crate::units::{Seconds, SecondsPerByte};

/// What is known of one algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'a> {
    /// What was measured.
    pub profile: &'a Profile,
    /// The algorithm; a strategy is its own model and needs none.
    pub algorithm: &'a str,
    /// The links of the network, where they are known.
    pub tree: Option<&'a Tree>,
    /// Parameters by name, which take precedence over fitted ones.
    pub given: &'a [(String, f64)],
    /// What is asked of regimes; other models have one time alone.
    pub asked: Asked,
}

/// A model with what its predictions draw on.
#[derive(Debug)]
pub struct Basis<'a> {
    model: &'static Model,
    source: Source<'a>,
    networks: Networks,
}

#[derive(Debug)]
enum Source<'a> {
    /// A signature in full.
    Signature(&'a SignatureEntry),
    /// Another fitted model.
    Fitted(&'a ModelEntry),
    /// Regimes, an entry for each class of process counts.
    Regimes(Knowledge<'a>, Collective),
    /// Parameter values without a fit of their own.
    Given(Values),
}

/// What is known of a network, with α and β at their best, their lower and upper values.
#[derive(Debug)]
struct Networks {
    best: Network,
    low: Network,
    high: Network,
    /// Whether they differ in what the model takes from them.
    are_apart: bool,
}

impl<'a> Knowledge<'a> {
    /// What predictions by `model` draw on.
    ///
    /// # Errors
    /// If a parameter of the model is neither fitted nor given and has no default.
    pub fn basis(&self, model: &'static Model) -> Result<Basis<'a>, ModelError> {
        let is_given = |name: &str| self.given.iter().any(|(given, _)| given == name);
        let touched = model
            .parameters
            .iter()
            .any(|parameter| is_given(parameter.name));
        let source = match (
            self.signature(model),
            self.profile.model(model, self.algorithm),
            self.regimes(model),
        ) {
            _ if touched => Source::Given(self.values(model)?),
            (Some(entry), _, _) if model.name == SIGNATURE => Source::Signature(entry),
            (_, Some(entry), _) => Source::Fitted(entry),
            (_, _, Some(collective)) => Source::Regimes(*self, collective),
            _ => Source::Given(self.values(model).map_err(|error| self.without(error))?),
        };
        Ok(Basis {
            model,
            source,
            networks: self.networks(model),
        })
    }

    fn signature(&self, model: &Model) -> Option<&'a SignatureEntry> {
        let Subject::Collective(collective) = model.subject else {
            return None;
        };
        self.profile.signature(collective, self.algorithm)
    }

    /// Regimes are measured before they are given.
    fn without(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::Missing {
                model: REGIMES,
                what,
                remedy,
            } => ModelError::Missing {
                model: REGIMES,
                what: format!("regimes of {} in the profile, or {what}", self.algorithm),
                remedy,
            },
            other => other,
        }
    }

    /// The collective of the model, if it is the regimes and the algorithm has some.
    fn regimes(&self, model: &Model) -> Option<Collective> {
        match model.subject {
            Subject::Collective(collective) if model.name == REGIMES => {
                let is_own = |entry: &RegimesEntry| {
                    entry.collective == collective && entry.algorithm == self.algorithm
                };
                self.profile
                    .regimes
                    .iter()
                    .any(is_own)
                    .then_some(collective)
            }
            _ => None,
        }
    }

    /// The regimes for the process count of a case, and the case as they see it.
    fn of_case(&self, collective: Collective, case: Case) -> Option<(&'a RegimesEntry, Point<'a>)> {
        let Case { procs, size, .. } = case;
        let entry = self.profile.regimes_of(collective, self.algorithm, procs)?;
        let tree = self.tree;
        Some((entry, Point { procs, size, tree }))
    }

    /// What is given, else what was fitted or measured, else the defaults.
    fn values(&self, model: &'static Model) -> Result<Values, ModelError> {
        let given = |name: &str| Some(self.given.iter().find(|(given, _)| given == name)?.1);
        let entry = self.profile.model(model, self.algorithm);
        let fitted = |name: &str| {
            let place = model
                .parameters
                .iter()
                .position(|parameter| parameter.name == name)?;
            Some(entry?.values.numbers[place])
        };
        let signature = self.signature(model).filter(|_| model.name == SIGNATURE);
        let of_signature = |name: &str| parameter(&signature?.signature, name);
        let flows = self.flows(model);
        let of_flows = |name: &str| match name {
            "beta_contended_s_per_byte" => Some(flows?.beta_contended.0),
            "rho" => Some(flows?.rho),
            _ => None,
        };
        model.values(|parameter| {
            let name = parameter.name;
            given(name)
                .or_else(|| fitted(name))
                .or_else(|| of_signature(name))
                .or_else(|| of_flows(name))
        })
    }

    /// The measured transfers, for the model that is made of them and was not fitted.
    fn flows(&self, model: &Model) -> Option<&'a FlowsEntry> {
        let is_theirs = model.name == THROUGHPUT;
        let is_fitted = self.profile.model(model, self.algorithm).is_some();
        let flows = self.profile.flows.as_ref();
        flows.filter(|_| is_theirs && !is_fitted)
    }

    /// What models know, with the signature of the algorithm and the links.
    fn networks(&self, model: &Model) -> Networks {
        let signature = self.signature(model);
        // Parameters go with what they were fitted on top of.
        let tables = match self.profile.model(model, self.algorithm) {
            Some(entry) if entry.base == Base::Hockney => None,
            _ => self.profile.plogp.as_ref(),
        };
        let at = |hockney: Hockney| Network {
            hockney,
            plogp: tables
                .cloned()
                .unwrap_or_else(|| PLogP::from_hockney(&hockney)),
            signature: signature.map(|entry| Signature {
                base: hockney,
                ..entry.signature
            }),
            tree: self.tree.cloned(),
        };
        let entry = &self.profile.hockney;
        let flows = self.flows(model);
        let end = |alpha: f64, beta: f64| {
            let beta = flows.map_or(beta, |flows| flows.beta_free.0);
            let hockney = Hockney::new(Seconds(alpha.max(0.0)), SecondsPerByte(beta.max(0.0)));
            at(hockney.expect("a profile's intervals have finite ends"))
        };
        Networks {
            low: end(entry.alpha.lower, entry.beta.lower),
            high: end(entry.alpha.upper, entry.beta.upper),
            best: end(entry.model.alpha().0, entry.model.beta().0),
            are_apart: model.needs.iter().any(|need| match need {
                Need::Hockney => true,
                Need::PLogP => tables.is_none(),
                Need::Tree => false,
            }),
        }
    }
}

/// A parameter of a fitted signature, which is in the form of the model `signature`.
fn parameter(fitted: &Signature, name: &str) -> Option<f64> {
    match name {
        _ if fitted.form != Form::Full => None,
        "gamma" => Some(fitted.gamma),
        "gamma_below" => fitted.gamma_below,
        "delta_s" => Some(fitted.delta.0),
        "threshold_bytes" => match fitted.threshold? {
            Threshold::From(size) | Threshold::Above(size) => Some(size.as_f64()),
        },
        _ => None,
    }
}

/// Predicts by the regimes for the process count of a case.
fn by_regimes(
    knowledge: &Knowledge,
    collective: Collective,
    case: Case,
) -> Result<Prediction, ModelError> {
    volume(case.procs, case.size)?;
    let predicted = knowledge
        .of_case(collective, case)
        .and_then(|(entry, point)| regimes::regimes(entry, point, knowledge.asked));
    let prediction = predicted.ok_or_else(|| ModelError::Missing {
        model: REGIMES,
        what: format!("messages of the protocol that {} are sent by", case.size),
        remedy: "measure some and fit again",
    })?;
    registry::possible(REGIMES, prediction.time)?;
    Ok(prediction)
}

impl Basis<'_> {
    /// Predicts a case.
    ///
    /// # Errors
    /// As [`Model::time`].
    pub fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        let prediction = match &self.source {
            Source::Signature(entry) => signature(entry, case.procs, case.size),
            Source::Fitted(entry) => self.fitted(entry, case),
            Source::Regimes(knowledge, collective) => by_regimes(knowledge, *collective, case),
            Source::Given(values) => self.given(values, case),
        }?;
        Ok(match self.outside(case) {
            Some(_) => Prediction {
                standing: Standing::Outside,
                ..prediction
            },
            None => prediction,
        })
    }

    /// Why a case is too far from what the model was fitted to, if it is; never so if it was
    /// not fitted.
    pub fn outside(&self, case: Case) -> Option<Outside> {
        match &self.source {
            Source::Signature(entry) => {
                let unsaturated = unsaturated(entry, case.procs);
                unsaturated.or_else(|| entry.domain.outside(case.procs, case.size))
            }
            Source::Fitted(entry) => entry.domain.outside(case.procs, case.size),
            Source::Regimes(knowledge, collective) => {
                let (entry, point) = knowledge.of_case(*collective, case)?;
                regimes::outside(entry, point)
            }
            Source::Given(_) => None,
        }
    }

    fn given(&self, values: &Values, case: Case) -> Result<Prediction, ModelError> {
        let Networks {
            best, low, high, ..
        } = &self.networks;
        let Timed { time, segment } = self.model.time(best, values, case)?;
        let interval = || {
            let end = |network| Ok::<_, ModelError>(self.model.time(network, values, case)?.time.0);
            Ok::<_, ModelError>(Interval {
                lower: Seconds(end(low)?.min(time.0)),
                upper: Seconds(end(high)?.max(time.0)),
            })
        };
        Ok(Prediction {
            time,
            interval: self.networks.are_apart.then(interval).transpose()?,
            standing: match self.model.kind {
                Kind::ContentionFree => Standing::ContentionFree,
                _ => Standing::Unfitted,
            },
            segment,
        })
    }

    fn fitted(&self, entry: &ModelEntry, case: Case) -> Result<Prediction, ModelError> {
        let network = &self.networks.best;
        let Timed { time, segment } = entry.model.time(network, &entry.values, case)?;
        // The time is linear in every parameter that was estimated: a second point, well
        // apart from the first, tells the slope.
        let mut values = entry.values.clone();
        let mut gradient = Vec::with_capacity(entry.estimates.len());
        for &(place, _) in &entry.estimates {
            let own = entry.values.numbers[place];
            let other = if own.abs() < 0.5 { 1.0 } else { 0.0 };
            values.numbers[place] = other;
            let moved = entry.model.time(network, &values, case)?.time.0;
            values.numbers[place] = own;
            gradient.push((moved - time.0) / (other - own));
        }
        let spread = Spread {
            gradient: &gradient,
            covariance: &entry.covariance,
            residual: entry.residual / bandwidth_share(&network.hockney, case.size).sqrt(),
            t: entry.student.quantile(),
        };
        Ok(Prediction {
            time,
            interval: Some(spread.around(time.0)),
            standing: entry.domain.standing(case.procs, case.size),
            segment,
        })
    }
}
