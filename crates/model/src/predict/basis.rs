//! Basis of a prediction by a model: a fit in the profile, given parameter values, or the
//! parameters between two processes alone.

use netsig_base::algorithm::{Algorithm, LIBRARY, PairSizes, PieceSizes, Traffic};
use netsig_base::network::Network;
use netsig_base::units::{Seconds, SecondsPerByte};

use super::borrowed;
use super::fitted::Fitting;
use super::measured::{Measured, Overflow};
use super::outside::Outside;
use super::regimes::{self, Asked};
use super::{Interval, Prediction, Standing};
use crate::fit::fitted::Base;
use crate::fit::flows::Flows;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::{Patterns, Times};
use crate::model::signature::Signature;
use crate::model::{
    Case, Kind, Known, Model, ModelError, Need, REGIMES, Segments, Subject, Timed, Values,
};
use crate::profile::{Profile, RegimesEntry};

/// Parameter that measured transfers supply, beside `rho`.
const CONTENDED_GAP: &str = "beta_contended_s_per_byte";

/// Knowledge about one algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'a, 'n> {
    /// Fitted models and parameters.
    pub profile: &'n Profile,
    /// The algorithm; a strategy is its own model and needs none.
    pub algorithm: &'n str,
    /// Network with its links, where known.
    pub network: Option<&'a Network>,
    /// Parameters by name, which take precedence over fitted ones.
    pub given: &'n [(String, f64)],
    /// Statistic of the predicted distribution (regimes only; other models give a single time).
    pub asked: Asked,
}

/// A model with the basis of its predictions.
#[derive(Debug)]
pub struct Basis<'a> {
    model: &'static Model,
    source: Source<'a>,
    networks: Networks,
}

#[derive(Debug)]
enum Source<'a> {
    /// A fitted model.
    Fitted(Box<Fitting>),
    /// Measured regimes.
    Regimes(Measured<'a>),
    /// Parameter values without a fit of their own.
    Given(Values),
}

/// Known properties of a network, at the best, lower and upper values of α and β.
#[derive(Debug)]
struct Networks {
    best: Known,
    low: Known,
    high: Known,
    /// True if the model's time depends on α and β.
    are_apart: bool,
}

impl<'a, 'n> Knowledge<'a, 'n> {
    /// Basis of the predictions by `model`.
    ///
    /// # Errors
    /// If a parameter of the model is neither fitted nor given and has no default.
    pub fn basis(&self, model: &'static Model) -> Result<Basis<'a>, ModelError> {
        let source = match (
            self.profile.model(model, self.algorithm),
            self.regimes(model)?,
        ) {
            (Some(entry), _) => Source::Fitted(Box::new(Fitting::of(entry, self.given)?)),
            (None, Some(regimes)) => Source::Regimes(regimes),
            _ => Source::Given(self.values(model).map_err(|error| self.without(error))?),
        };
        Ok(Basis {
            model,
            source,
            networks: self.networks(model),
        })
    }

    /// Contention signature of the algorithm, on top of `hockney`; of one that follows clusters, that of the direct
    /// exchange inside them, or of the library's own choice.
    fn signature(&self, model: &Model, hockney: Hockney) -> Option<Signature> {
        let Subject::Collective(collective) = model.subject else {
            return None;
        };
        let of = |algorithm| self.profile.signature(collective, algorithm, hockney);
        let algorithm = self.schedule(model);
        if algorithm.is_some_and(|own| own.traffic() == Some(Traffic::Clusters)) {
            return of("direct").or_else(|| of(LIBRARY));
        }
        of(self.algorithm)
    }

    /// The algorithm, if it is netsig's own.
    fn schedule(&self, model: &Model) -> Option<Algorithm> {
        let Subject::Collective(collective) = model.subject else {
            return None;
        };
        Algorithm::parse(collective, self.algorithm).ok()
    }

    /// Extends the error of missing regime parameters: a profile usually supplies the regimes.
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

    /// Regimes of the algorithm, with given parameters in place of fitted ones; `None` if `model`
    /// is another model or the profile has no regimes of the algorithm.
    fn regimes(&self, model: &Model) -> Result<Option<Measured<'a>>, ModelError> {
        let Subject::Collective(collective) = model.subject else {
            return Ok(None);
        };
        let all = self.profile.regimes.iter();
        let own = all.filter(|own| own.collective == collective && own.algorithm == self.algorithm);
        let mut entries: Vec<RegimesEntry> = own.cloned().collect();
        let own = entries.len();
        let who = (collective, self.algorithm);
        let mpi = self.profile.provenance.get("data_mpi");
        let patterns = Patterns::of(collective, self.algorithm, mpi);
        for pattern in patterns.all() {
            if !entries.iter().any(|own| own.model.pattern == pattern) {
                entries.extend(borrowed::regimes(self.profile, who, pattern));
            }
        }
        if !model.is_regimes() || entries.is_empty() {
            return Ok(None);
        }
        for (name, value) in self.given {
            for entry in &mut entries {
                entry.set(name, *value)?;
            }
        }
        Ok(Some(Measured {
            entries,
            own,
            patterns,
            network: self.network,
            pieces: collective.sizes().into(),
            asked: self.asked,
        }))
    }

    /// Parameter values: given ones, else those from measured transfers or between clusters, else the
    /// defaults.
    fn values(&self, model: &'static Model) -> Result<Values, ModelError> {
        let given = |name: &str| Some(self.given.iter().find(|(given, _)| given == name)?.1);
        let flows = self.flows(model);
        let of_flows = |name: &str| match name {
            CONTENDED_GAP => Some(flows?.beta_contended.0),
            "rho" => Some(flows?.rho),
            _ => None,
        };
        let clusters = self.profile.clustered();
        let of_clusters = |name: &str| clusters.as_ref()?.parameter(name);
        model.values(|parameter| {
            let name = parameter.name;
            given(name)
                .or_else(|| of_flows(name))
                .or_else(|| of_clusters(name))
        })
    }

    /// Measured transfers, for a model that takes parameters from them and was not fitted.
    fn flows(&self, model: &Model) -> Option<&'n Flows> {
        let mut names = model.parameters.iter().map(|own| own.name);
        let is_theirs = names.any(|name| name == CONTENDED_GAP);
        let is_fitted = self.profile.model(model, self.algorithm).is_some();
        let flows = self.profile.flows.as_ref();
        flows.filter(|_| is_theirs && !is_fitted)
    }

    /// Inputs of the models, with the signature of the algorithm and the links.
    fn networks(&self, model: &Model) -> Networks {
        // Parameters are used with the base on which they were fitted.
        let tables = match self.profile.model(model, self.algorithm) {
            Some(entry) if entry.fitted_on == Base::Hockney => None,
            _ => self.profile.plogp.as_ref(),
        };
        let at = |hockney: Hockney| Known {
            hockney,
            plogp: tables
                .cloned()
                .unwrap_or_else(|| PLogP::from_hockney(&hockney)),
            signature: self.signature(model, hockney),
            network: self.network.cloned(),
            clusters: self.profile.clustered(),
            algorithm: self.schedule(model),
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
            best: end(entry.alpha.value, entry.beta.value),
            are_apart: model.needs.iter().any(|need| match need {
                Need::Hockney => true,
                Need::PLogP => tables.is_none(),
                Need::Network | Need::Clusters => false,
            }),
        }
    }
}

impl<'a> Basis<'a> {
    /// The basis for an exchange with these sizes.
    ///
    /// # Errors
    /// If the model is of pieces of one size.
    pub fn of_pairs(mut self, pairs: &'a PairSizes) -> Result<Self, ModelError> {
        let Source::Regimes(measured) = &mut self.source else {
            return Err(ModelError::Missing {
                model: self.model.name,
                what: "pieces of one size where the profile has no regimes of an alltoall"
                    .to_owned(),
                remedy: "measure one and fit again",
            });
        };
        measured.pieces = PieceSizes::Known(pairs);
        measured.entries.iter_mut().for_each(borrowed::uncorrected);
        Ok(self)
    }

    /// Predicts a case.
    ///
    /// # Errors
    /// As [`Model::time`], or if the network has fewer hosts than processes.
    pub fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        if let Some(network) = &self.networks.best.network {
            network.refuse_more_than_hosts(case.procs)?;
        }
        let prediction = match &self.source {
            Source::Fitted(fitting) => fitting.predict(&self.networks.best, case),
            // It tells itself where it is outside.
            Source::Regimes(measured) => return measured.predict(case),
            Source::Given(values) => return self.given(values, case),
        }?;
        Ok(match self.outside(case) {
            Some(_) => Prediction {
                standing: Standing::Outside,
                ..prediction
            },
            None => prediction,
        })
    }

    /// Reason why a case is too far from the data of the fit, if it is; `None` without a fit.
    pub fn outside(&self, case: Case) -> Option<Outside> {
        match &self.source {
            Source::Fitted(fitting) => fitting.domain().outside(case.procs, case.size),
            Source::Regimes(measured) => {
                let (entry, point) = measured.of_case(case);
                regimes::outside(entry, point)
            }
            Source::Given(_) => None,
        }
    }

    /// Distribution of the times of single repetitions; `None` for a model that has none.
    pub fn distribution(&self, case: Case) -> Option<Times> {
        let Source::Regimes(measured) = &self.source else {
            return None;
        };
        let (entry, point) = measured.of_case(case);
        point.check().ok()?;
        entry.model.times(point)
    }

    /// M(n): size from which the eager messages of an exchange among the processes of a case overflow
    /// ports, or what it sends between clusters a link, as far as it is known; `None` for other cases.
    pub fn overflow(&self, case: Case) -> Option<Overflow> {
        match &self.source {
            Source::Regimes(measured) => measured.overflow(case),
            Source::Fitted(fitting) => fitting.overflow(&self.networks.best, case),
            Source::Given(_) => None,
        }
    }

    /// False for settings that a choice must not try: segments that may fill a port up to its overflow,
    /// relayed or segmented messages that ask for permission, and a radix that relays nothing.
    pub fn is_paced(&self, case: Case) -> bool {
        match &self.source {
            Source::Regimes(measured) => measured.is_paced(case),
            _ => true,
        }
    }

    fn given(&self, values: &Values, case: Case) -> Result<Prediction, ModelError> {
        let Networks {
            best, low, high, ..
        } = &self.networks;
        let Timed { time, segment } = self.model.time(best, values, case)?;
        // The ends of the interval use the segment size of the time.
        let interval = || {
            let mut case = case;
            if let Some(segment) = segment {
                case.segments = Segments::Of(segment);
            }
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
}
