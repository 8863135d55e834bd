//! Requests to a profile: the one way to predicted times ([`Profile::predict`]) and to rankings of
//! algorithms ([`Profile::rank`]). No other file combines the inputs of a prediction.

use std::borrow::Cow;

use netsig_base::algorithm::{ClusterLayout, Collective, CollectiveMethod, PairSizes};
use netsig_base::network::{ClusterGrid, Network};
use netsig_base::text::refusal::Refusal;
use strum::{EnumIter, EnumMessage, EnumString, IntoStaticStr};

use super::PredictedStatistic;
use super::basis::BasisInputs;
use super::hosts::refuse_other_ranks;
use super::model_question::{ModelQuestion, RequestedModels};
use super::modelled_algorithm::{ModelReason, ModelledAlgorithm};
use super::outside_domain::ExtrapolationRule;
use super::predictor::CasePredictor;
use crate::model::segment::{Segment, SegmentSearch};
use crate::model::{Model, ModelError, REGIMES, SegmentChoice};
use crate::profile::Profile;

/// A request to a profile; `W` has the options of the wanted answer, times or a ranking.
#[derive(Debug, Clone)]
#[must_use]
pub struct ProfileRequest<'a, W> {
    pub(super) profile: Cow<'a, Profile>,
    pub(super) name: &'a str,
    pub(super) collective: Collective,
    pub(super) network: Option<&'a Network>,
    pub(super) pairs: Option<&'a PairSizes>,
    pub(super) too_far: ExtrapolationRule,
    pub(super) wanted: W,
    statistic: PredictedStatistic,
    given: &'a [(String, f64)],
    segments: SegmentChoice,
}

/// A request for the times of one algorithm, or of all algorithms.
pub type PredictionRequest<'a> = ProfileRequest<'a, WantedTimes<'a>>;

/// A request for the ranking of all algorithms.
pub type RankingRequest<'a> = ProfileRequest<'a, WantedRanking>;

/// Options of a request for times.
#[derive(Debug, Clone, Copy)]
pub struct WantedTimes<'a> {
    pub(super) algorithm: Option<&'a str>,
    pub(super) models: RequestedModels<'a>,
}

/// All algorithms, each with the model chosen by the rule.
const ALL_BY_RULE: WantedTimes = WantedTimes {
    algorithm: None,
    models: RequestedModels::ByRule,
};

/// Options of a request for a ranking.
#[derive(Debug, Clone, Copy)]
pub struct WantedRanking {
    pub(super) binomial: BinomialForm,
    pub(super) most_candidates: usize,
}

/// Form of the binomial models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumIter, EnumMessage, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum BinomialForm {
    /// As printed.
    #[default]
    Printed,
    /// Exact for every process count.
    Exact,
}

impl Profile {
    /// A request for times, by default of all algorithms of the profile, each with the model chosen by the rule.
    pub fn predict(&self, collective: Collective) -> PredictionRequest<'_> {
        ProfileRequest::new(self, collective, ALL_BY_RULE)
    }

    /// A request for a ranking of the algorithms.
    pub fn rank(&self, collective: Collective) -> RankingRequest<'_> {
        let wanted = WantedRanking {
            binomial: BinomialForm::default(),
            most_candidates: usize::MAX,
        };
        ProfileRequest::new(self, collective, wanted)
    }
}

/// Options of both kinds of requests.
impl<'a, W> ProfileRequest<'a, W> {
    fn new(profile: &'a Profile, collective: Collective, wanted: W) -> Self {
        Self {
            profile: Cow::Borrowed(profile),
            name: "the profile",
            collective,
            network: None,
            pairs: None,
            too_far: ExtrapolationRule::Refused,
            wanted,
            statistic: PredictedStatistic::default(),
            given: &[],
            segments: SegmentChoice::Best(
                SegmentSearch::default(),
                whole_elements(profile, collective, Segment::BYTE),
            ),
        }
    }

    /// Name of the profile in messages.
    pub fn named(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// The links of the network, if they are known.
    pub fn network(self, network: impl Into<Option<&'a Network>>) -> Self {
        let network = network.into();
        Self { network, ..self }
    }

    /// Clusters of the hosts in place of those of the profile, if they are given ([`Profile::set_grid`]).
    pub fn clusters(mut self, grid: impl Into<Option<ClusterGrid>>) -> Self {
        if let Some(grid) = grid.into() {
            self.profile.to_mut().set_grid(grid);
        }
        self
    }

    /// Clusters of the ranks in place of those of the profile, if they are given.
    pub fn layout(mut self, layout: Option<&ClusterLayout>) -> Self {
        if let Some(layout) = layout {
            self.profile.to_mut().set_layout(layout);
        }
        self
    }

    /// Ranks on a host, if stated.
    ///
    /// # Errors
    /// If the measurements had another number.
    pub fn per_host(self, ranks: Option<u32>) -> Result<Self, Refusal> {
        refuse_other_ranks(&self.profile, self.name, ranks)?;
        Ok(self)
    }

    /// Statistic of the predicted times; by default the median.
    pub fn statistic(self, statistic: impl Into<PredictedStatistic>) -> Self {
        let statistic = statistic.into();
        Self { statistic, ..self }
    }

    /// Sizes of an alltoallv from pair to pair, if they are known.
    pub fn pairs(self, pairs: impl Into<Option<&'a PairSizes>>) -> Self {
        let pairs = pairs.into();
        Self { pairs, ..self }
    }

    /// Treatment of cases too far from the measurements, and of links with another rate than the profile's; by
    /// default they are refused.
    pub fn too_far(self, too_far: ExtrapolationRule) -> Self {
        Self { too_far, ..self }
    }

    fn question<'q>(&'q self, wanted: WantedTimes<'q>) -> ModelQuestion<'q> {
        ModelQuestion {
            profile: &self.profile,
            name: self.name,
            collective: self.collective,
            algorithm: wanted.algorithm,
            models: wanted.models,
            given: self.given,
        }
    }

    /// Predictor of a modelled algorithm with pieces of one size.
    pub(super) fn predictor_of(&self, modelled: ModelledAlgorithm) -> Result<CasePredictor<'a>, ModelError> {
        let inputs = BasisInputs {
            profile: &self.profile,
            algorithm: &modelled.algorithm,
            network: self.network,
            given: self.given,
            statistic: self.statistic,
        };
        let basis = inputs.basis(modelled.model)?;
        Ok(CasePredictor::new(modelled, basis, self.segments))
    }
}

impl<'a> PredictionRequest<'a> {
    /// The algorithm; by default all algorithms of the profile.
    pub fn algorithm(mut self, algorithm: impl Into<Option<&'a str>>) -> Self {
        self.wanted.algorithm = algorithm.into();
        self
    }

    /// The name of the model; by default the rule chooses it.
    pub fn model(mut self, model: impl Into<Option<&'a str>>) -> Self {
        self.wanted.models = model.into().map_or(RequestedModels::ByRule, RequestedModels::Named);
        self
    }

    /// Every model that applies.
    pub fn all_models(mut self) -> Self {
        self.wanted.models = RequestedModels::All;
        self
    }

    /// Parameters by name, which take precedence over fitted ones.
    pub fn with_parameters(mut self, given: &'a [(String, f64)]) -> Self {
        self.given = given;
        self
    }

    /// Segment size of segmented algorithms; by default the best.
    pub fn segment(mut self, segment: impl Into<Option<Segment>>) -> Self {
        if let Some(segment) = segment.into() {
            self.segments = SegmentChoice::Fixed(segment);
        }
        self
    }

    /// Predictor of the algorithm, or of the first of all algorithms.
    ///
    /// # Errors
    /// If a name is unknown, the profile does not answer, an option does not suit the model, or the model
    /// lacks a parameter.
    pub fn predictor(&self) -> Result<CasePredictor<'a>, Refusal> {
        let modelled = self.modelled_algorithms()?.swap_remove(0);
        Ok(self.predictor_of(modelled)?.with_pair_sizes(self.pairs)?)
    }

    /// Predictor of the algorithm by any model, even by one of another algorithm, at the segment size in the
    /// algorithm's name.
    ///
    /// # Errors
    /// If a parameter of the model is neither fitted nor given and has no default.
    pub fn predictor_by(&self, model: &'static Model) -> Result<CasePredictor<'a>, ModelError> {
        let algorithm = self.wanted.algorithm.unwrap_or_default();
        let mut modelled = ModelledAlgorithm::new(algorithm, model, ModelReason::NamedByUser);
        let method = CollectiveMethod::parse(self.collective, algorithm).ok();
        let segment = method.and_then(|parsed| parsed.segment());
        modelled.segment = segment.and_then(|size| Segment::new(size).ok());
        self.predictor_of(modelled)?.with_pair_sizes(self.pairs)
    }

    /// The algorithms to predict, each with its model; at least one.
    ///
    /// # Errors
    /// If a name is unknown, the profile does not answer, or an option does not suit the models.
    pub(super) fn modelled_algorithms(&self) -> Result<Vec<ModelledAlgorithm>, Refusal> {
        let modelled_algorithms = self.question(self.wanted).modelled_algorithms()?;
        let with_segment = modelled_algorithms.iter().find(|modelled| modelled.segment.is_some());
        if let (Some(modelled), SegmentChoice::Fixed(_)) = (with_segment, self.segments) {
            return Err(Refusal::request(format!(
                "{} has its own segment size; leave out --segment",
                modelled.algorithm
            )));
        }
        let without_quantiles = modelled_algorithms
            .iter()
            .find(|modelled| !modelled.model.has_distribution());
        match (self.statistic, without_quantiles) {
            (PredictedStatistic::Quantile(_), Some(modelled)) => Err(Refusal::request(format!(
                "{} has no quantiles; give --model {REGIMES} or leave out --quantile",
                modelled.model.name
            ))),
            _ => Ok(modelled_algorithms),
        }
    }
}

/// The datatype, or in a reduction an element of the profile's data if no other one is asked for.
fn whole_elements(profile: &Profile, collective: Collective, datatype: Segment) -> Segment {
    let element = Segment::new(profile.operands().element().bytes()).ok();
    let of_reduction = element.filter(|_| collective.is_reduction() && datatype == Segment::BYTE);
    of_reduction.unwrap_or(datatype)
}

impl RankingRequest<'_> {
    /// Form of the binomial models, for algorithms that were not measured.
    pub fn binomial(mut self, binomial: BinomialForm) -> Self {
        self.wanted.binomial = binomial;
        self
    }

    /// Search for the segment size among multiples of the datatype. A reduction takes its elements in place of bytes.
    pub fn segments(mut self, search: SegmentSearch, datatype: Segment) -> Self {
        let unit = whole_elements(&self.profile, self.collective, datatype);
        self.segments = SegmentChoice::Best(search, unit);
        self
    }

    /// Greatest number of candidates in each ranking of an answer.
    pub fn most_candidates(mut self, most: usize) -> Self {
        self.wanted.most_candidates = most;
        self
    }

    /// The candidates.
    pub(super) fn modelled_candidates(&self) -> Vec<ModelledAlgorithm> {
        self.question(ALL_BY_RULE).candidates()
    }
}
