//! Basis of a prediction by a model: a fit in the profile, given parameter values, or the
//! parameters between two processes alone.

use netsig_base::algorithm::{Algorithm, AlgorithmTraffic, LIBRARY, PairSizes};
use netsig_base::network::Network;
use netsig_base::units::{Seconds, SecondsPerByte};

use crate::field::FieldForecast;
use crate::fit::flows::FlowGaps;
use crate::fitted::outside_domain::OutsideDomain;
use crate::fitted::prediction::{Interval, PortOverflow, Prediction, PredictionStanding};
use crate::fitted::statistic::PredictedStatistic;
use crate::fitted::{AlgorithmForecast, ContentionFreeBase, ModelForecast};
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::TimeDistribution;
use crate::model::signature::Signature;
use crate::model::{
    Case, FIELD, KnownNetwork, Model, ModelError, ModelInput, ModelKind, ModelSubject, ModelTime, ParameterValues,
    REGIMES, SegmentChoice,
};
use crate::profile::Profile;
use crate::regimes::forecast::{RegimesForecast, RegimesRequest};

/// Parameter that measured transfers supply, beside `rho`.
const CONTENDED_GAP: &str = "beta_contended_s_per_byte";

/// Inputs of a [`PredictionBasis`] for one algorithm.
#[derive(Debug, Clone, Copy)]
pub struct BasisInputs<'a, 'n> {
    /// Fitted models and parameters.
    pub profile: &'n Profile,
    /// The algorithm; a pLogP model needs none.
    pub algorithm: &'n str,
    /// Network with its links, where known.
    pub network: Option<&'a Network>,
    /// Parameters by name, which take precedence over fitted ones.
    pub given: &'n [(String, f64)],
    /// Statistic of the predicted distribution (regimes only; other models give a single time).
    pub statistic: PredictedStatistic,
}

/// A model with the forecast that its predictions come from.
#[derive(Debug)]
pub struct PredictionBasis<'a> {
    model: &'static Model,
    network: Option<&'a Network>,
    /// True if the model takes a signature and there is none.
    pub(super) lacks_signature: bool,
    forecast: Box<dyn AlgorithmForecast + 'a>,
}

/// Forecast from parameter values that were not fitted to the algorithm.
#[derive(Debug)]
struct GivenForecast {
    model: &'static Model,
    values: ParameterValues,
    bounds: NetworkBounds,
    /// Mean relative error of the model where the fit chose it.
    error: f64,
}

/// Half-width of an interval that holds 90 % of normal errors, relative to their mean size.
const INTERVAL_OF_MEAN_ERROR: f64 = 2.06;

/// Known properties of a network, at the best, lower and upper values of α and β.
#[derive(Debug)]
struct NetworkBounds {
    best: KnownNetwork,
    low: KnownNetwork,
    high: KnownNetwork,
    /// True if the model's time depends on α and β.
    depends_on_hockney: bool,
}

impl<'a, 'n> BasisInputs<'a, 'n> {
    /// Basis of the predictions by `model`.
    ///
    /// # Errors
    /// If a parameter of the model is neither fitted nor given and has no default.
    pub fn basis(&self, model: &'static Model) -> Result<PredictionBasis<'a>, ModelError> {
        let fitted = self.profile.model(model, self.algorithm);
        let forecast: Box<dyn AlgorithmForecast + 'a> = match fitted {
            Some(entry) => {
                let known = self.network_bounds(model).best;
                Box::new(ModelForecast::of(entry, self.given, known)?)
            }
            None => match self.stored_forecast(model)? {
                Some(forecast) => forecast,
                None => Box::new(GivenForecast {
                    values: self.values(model).map_err(|error| self.mention_regimes(error))?,
                    bounds: self.network_bounds(model),
                    error: self.error(model),
                    model,
                }),
            },
        };
        let takes_signature = model.needs.contains(&ModelInput::Signature);
        Ok(PredictionBasis {
            model,
            network: self.network,
            lacks_signature: takes_signature && self.network_bounds(model).best.signature.is_none(),
            forecast,
        })
    }

    /// Mean relative error of a model that the fit chose for the algorithm, else 0.
    fn error(&self, model: &Model) -> f64 {
        let mut choices = self.profile.choices.iter();
        let chosen = choices.find(|choice| {
            model.subject == ModelSubject::Collective(choice.collective)
                && choice.algorithm == self.algorithm
                && choice.model == model.name
        });
        chosen.and_then(|choice| choice.error).unwrap_or(0.0)
    }

    /// Contention signature of the algorithm on top of `hockney`. An algorithm that follows clusters has the
    /// signature of the direct exchange inside them, or of the library's own choice.
    fn signature(&self, model: &Model, hockney: Hockney) -> Option<Signature> {
        let ModelSubject::Collective(collective) = model.subject else {
            return None;
        };
        let signature_of = |algorithm| self.profile.signature(collective, algorithm, hockney);
        let algorithm = self.schedule(model);
        if algorithm.is_some_and(|schedule| schedule.traffic() == Some(AlgorithmTraffic::Clusters)) {
            return signature_of("direct").or_else(|| signature_of(LIBRARY));
        }
        signature_of(self.algorithm)
    }

    /// The algorithm, if it is netsig's own.
    fn schedule(&self, model: &Model) -> Option<Algorithm> {
        let ModelSubject::Collective(collective) = model.subject else {
            return None;
        };
        Algorithm::parse(collective, self.algorithm).ok()
    }

    /// Extends the error of missing regime parameters: a profile usually supplies the regimes.
    fn mention_regimes(&self, error: ModelError) -> ModelError {
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

    /// Forecast by the regimes or the field of the profile; `None` if it has none of this algorithm and model.
    fn stored_forecast(&self, model: &'static Model) -> Result<Option<Box<dyn AlgorithmForecast + 'a>>, ModelError> {
        let regimes = self.regimes(model)?;
        Ok(match (regimes, self.field(model)) {
            (Some(regimes), _) => Some(Box::new(regimes)),
            (None, Some(field)) => Some(Box::new(field)),
            (None, None) => None,
        })
    }

    /// Forecast by the field of the profile; `None` if `model` is another model, parameters are given in
    /// its place, or the profile has no field of the algorithm.
    fn field(&self, model: &Model) -> Option<FieldForecast<'a>> {
        let ModelSubject::Collective(collective) = model.subject else {
            return None;
        };
        let mpi = self.profile.provenance.get("data_mpi");
        let forecast = |algorithm: &str| {
            let entry = self.profile.field(collective, algorithm)?;
            FieldForecast::of(entry, mpi, self.network, self.statistic)
        };
        let of_algorithm = forecast(self.algorithm).filter(|_| model.name == FIELD && self.given.is_empty())?;
        Some(of_algorithm.with_runs(|name| forecast(&format!("{LIBRARY}:{name}"))))
    }

    /// Forecast by the regimes of the profile; `None` if `model` is another model or the profile has no
    /// regimes of the algorithm.
    fn regimes(&self, model: &Model) -> Result<Option<RegimesForecast<'a>>, ModelError> {
        match model.subject {
            ModelSubject::Collective(collective) if model.has_distribution() => {
                let question = RegimesRequest {
                    collective,
                    algorithm: self.algorithm,
                    mpi: self.profile.provenance.get("data_mpi"),
                    given: self.given,
                    network: self.network,
                    statistic: self.statistic,
                };
                RegimesForecast::of(&self.profile.regimes, question)
            }
            _ => Ok(None),
        }
    }

    /// Parameter values: given ones, else those from measured transfers or between clusters, else the
    /// defaults.
    fn values(&self, model: &'static Model) -> Result<ParameterValues, ModelError> {
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
            given(name).or_else(|| of_flows(name)).or_else(|| of_clusters(name))
        })
    }

    /// Measured transfers, for a model that takes parameters from them and was not fitted.
    fn flows(&self, model: &Model) -> Option<&'n FlowGaps> {
        let mut names = model.parameters.iter().map(|parameter| parameter.name);
        let has_contended_gap = names.any(|name| name == CONTENDED_GAP);
        let is_fitted = self.profile.model(model, self.algorithm).is_some();
        let flows = self.profile.flows.as_ref();
        flows.filter(|_| has_contended_gap && !is_fitted)
    }

    /// Inputs of the models, with the signature of the algorithm and the links.
    fn network_bounds(&self, model: &Model) -> NetworkBounds {
        // Parameters are used with the base on which they were fitted.
        let tables = match self.profile.model(model, self.algorithm) {
            Some(entry) if entry.fitted_on == ContentionFreeBase::Hockney => None,
            _ => self.profile.plogp.as_ref(),
        };
        let at = |hockney: Hockney| KnownNetwork {
            hockney,
            plogp: tables.cloned().unwrap_or_else(|| PLogP::from_hockney(&hockney)),
            operation: self.profile.operation(),
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
        NetworkBounds {
            low: end(entry.alpha.lower, entry.beta.lower),
            high: end(entry.alpha.upper, entry.beta.upper),
            best: end(entry.alpha.value, entry.beta.value),
            depends_on_hockney: model.needs.iter().any(|need| match need {
                ModelInput::Hockney => true,
                ModelInput::PLogP => tables.is_none(),
                ModelInput::Operation | ModelInput::Network | ModelInput::Clusters | ModelInput::Signature => false,
            }),
        }
    }
}

impl<'a> PredictionBasis<'a> {
    /// The basis for an exchange with these sizes.
    ///
    /// # Errors
    /// If the model knows pieces of one size only.
    pub fn with_pair_sizes(self, pairs: &'a PairSizes) -> Result<Self, ModelError> {
        let forecast_of_pairs = self.forecast.with_pair_sizes(pairs);
        let forecast = forecast_of_pairs.ok_or_else(|| ModelError::Missing {
            model: self.model.name,
            what: "pieces of one size where the profile has no regimes of an alltoall".to_owned(),
            remedy: "measure one and fit again",
        })?;
        Ok(Self { forecast, ..self })
    }

    /// Predicts a case.
    ///
    /// # Errors
    /// The errors of [`Model::time`], or if the network has fewer hosts than processes.
    pub fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        if let Some(network) = self.network {
            network.refuse_more_than_hosts(case.procs)?;
        }
        self.forecast.predict(case)
    }

    /// Reason why a case is too far from the data of the fit, if it is; `None` without a fit.
    pub fn reason_outside(&self, case: Case) -> Option<OutsideDomain> {
        self.forecast.reason_outside(case)
    }

    /// Distribution of the times of single repetitions; `None` for a model that has none.
    pub fn distribution(&self, case: Case) -> Option<TimeDistribution> {
        self.forecast.distribution(case)
    }

    /// M(n): size from which the eager messages of a case overflow ports, or its bytes between clusters a link.
    /// `None` if it is not known or the case has no such size.
    pub fn overflow(&self, case: Case) -> Option<PortOverflow> {
        self.forecast.overflow(case)
    }

    /// False for settings that a choice must not try ([`AlgorithmForecast::is_selectable`]).
    pub fn is_selectable(&self, case: Case) -> bool {
        self.forecast.is_selectable(case)
    }
}

impl AlgorithmForecast for GivenForecast {
    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        let NetworkBounds { best, low, high, .. } = &self.bounds;
        let ModelTime { time, segment } = self.model.time(best, &self.values, case)?;
        // The ends of the interval use the segment size of the time.
        let interval = || {
            let mut segmented = case;
            if let Some(segment) = segment {
                segmented.segments = SegmentChoice::Fixed(segment);
            }
            let end = |network| {
                let time = self.model.time(network, &self.values, segmented)?.time;
                Ok::<_, ModelError>(time.0)
            };
            let wider = (INTERVAL_OF_MEAN_ERROR * self.error.ln_1p()).exp();
            Ok::<_, ModelError>(Interval {
                lower: Seconds(end(low)?.min(time.0) / wider),
                upper: Seconds(end(high)?.max(time.0) * wider),
            })
        };
        Ok(Prediction {
            time,
            interval: self.bounds.depends_on_hockney.then(interval).transpose()?,
            standing: match self.model.kind {
                ModelKind::ContentionFree => PredictionStanding::ContentionFree,
                _ => PredictionStanding::Unfitted,
            },
            segment,
        })
    }

    fn reason_outside(&self, _case: Case) -> Option<OutsideDomain> {
        None
    }
}
