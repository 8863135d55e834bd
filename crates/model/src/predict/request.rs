//! Requests to a profile: the one way to predicted times ([`Profile::predict`]) and to rankings of
//! algorithms ([`Profile::rank`]). No other file puts together what a prediction needs.

use std::borrow::Cow;

use netsig_base::algorithm::{Collective, Layout, Method, PairSizes};
use netsig_base::network::{Grid, Network};
use netsig_base::text::refusal::Refusal;
use strum::{EnumIter, EnumMessage, EnumString, IntoStaticStr};

use super::Asked;
use super::basis::Knowledge;
use super::hosts::refuse_other_ranks;
use super::line::{Line, Reason};
use super::outside::TooFar;
use super::predictor::CasePredictor;
use super::speaker::{Models, Question};
use crate::model::segment::{Search, Segment};
use crate::model::{Model, ModelError, REGIMES, Segments};
use crate::profile::Profile;

/// A request to a profile. `W` is wanted: times, or a ranking.
#[derive(Debug, Clone)]
#[must_use]
pub struct ProfileRequest<'a, W> {
    pub(super) profile: Cow<'a, Profile>,
    pub(super) name: &'a str,
    pub(super) collective: Collective,
    pub(super) network: Option<&'a Network>,
    pub(super) pairs: Option<&'a PairSizes>,
    pub(super) too_far: TooFar,
    pub(super) wanted: W,
    statistic: Asked,
    given: &'a [(String, f64)],
    segments: Segments,
}

/// A request for the times of one algorithm, or of all algorithms.
pub type PredictionRequest<'a> = ProfileRequest<'a, WantedTimes<'a>>;

/// A request for the ranking of all algorithms.
pub type RankingRequest<'a> = ProfileRequest<'a, WantedRanking>;

/// Options of a request for times.
#[derive(Debug, Clone, Copy)]
pub struct WantedTimes<'a> {
    pub(super) algorithm: Option<&'a str>,
    pub(super) models: Models<'a>,
}

/// All algorithms, each by the model that speaks for it.
const SPEAKING: WantedTimes = WantedTimes {
    algorithm: None,
    models: Models::Speaking,
};

/// Options of a request for a ranking.
#[derive(Debug, Clone, Copy)]
pub struct WantedRanking {
    pub(super) binomial: Binomial,
    pub(super) most: usize,
}

/// Form of the binomial models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumIter, EnumMessage, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Binomial {
    /// As printed.
    #[default]
    Printed,
    /// Exact for every process count.
    Exact,
}

impl Profile {
    /// A request for times: of all algorithms of the profile, each by the model that speaks for it, unless
    /// options say otherwise.
    pub fn predict(&self, collective: Collective) -> PredictionRequest<'_> {
        ProfileRequest::new(self, collective, SPEAKING)
    }

    /// A request for a ranking of the algorithms.
    pub fn rank(&self, collective: Collective) -> RankingRequest<'_> {
        let wanted = WantedRanking {
            binomial: Binomial::default(),
            most: usize::MAX,
        };
        ProfileRequest::new(self, collective, wanted)
    }
}

/// Options of both kinds.
impl<'a, W> ProfileRequest<'a, W> {
    fn new(profile: &'a Profile, collective: Collective, wanted: W) -> Self {
        Self {
            profile: Cow::Borrowed(profile),
            name: "the profile",
            collective,
            network: None,
            pairs: None,
            too_far: TooFar::Refused,
            wanted,
            statistic: Asked::default(),
            given: &[],
            segments: Segments::Best(Search::default(), Segment::BYTE),
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
    pub fn clusters(mut self, grid: impl Into<Option<Grid>>) -> Self {
        if let Some(grid) = grid.into() {
            self.profile.to_mut().set_grid(grid);
        }
        self
    }

    /// Clusters of the ranks in place of those of the profile, if they are given.
    pub fn layout(mut self, layout: Option<&Layout>) -> Self {
        if let Some(layout) = layout {
            self.profile.to_mut().set_layout(layout);
        }
        self
    }

    /// Ranks on a host, if stated.
    ///
    /// # Errors
    /// If they are others than those of the measurements.
    pub fn per_host(self, ranks: Option<u32>) -> Result<Self, Refusal> {
        refuse_other_ranks((&self.profile, self.name), ranks)?;
        Ok(self)
    }

    /// Statistic of the predicted times; the median unless it is stated.
    pub fn statistic(self, statistic: impl Into<Asked>) -> Self {
        let statistic = statistic.into();
        Self { statistic, ..self }
    }

    /// Sizes of an alltoallv from pair to pair, if they are known.
    pub fn pairs(self, pairs: impl Into<Option<&'a PairSizes>>) -> Self {
        let pairs = pairs.into();
        Self { pairs, ..self }
    }

    /// Treatment of cases that are too far from the measurements, and of links of another rate than the
    /// profile's; they are refused unless it is stated.
    pub fn too_far(self, too_far: TooFar) -> Self {
        Self { too_far, ..self }
    }

    fn question<'q>(&'q self, wanted: WantedTimes<'q>) -> Question<'q> {
        Question {
            profile: &self.profile,
            name: self.name,
            collective: self.collective,
            algorithm: wanted.algorithm,
            models: wanted.models,
            given: self.given,
        }
    }

    /// Predictor of an algorithm by the model of a line, of pieces of one size.
    pub(super) fn of_line(&self, line: Line) -> Result<CasePredictor<'a>, ModelError> {
        let knowledge = Knowledge {
            profile: &self.profile,
            algorithm: &line.algorithm,
            network: self.network,
            given: self.given,
            asked: self.statistic,
        };
        let basis = knowledge.basis(line.model)?;
        Ok(CasePredictor::new(line, basis, self.segments))
    }
}

impl<'a> PredictionRequest<'a> {
    /// The algorithm; all of the profile unless it is stated.
    pub fn algorithm(mut self, algorithm: impl Into<Option<&'a str>>) -> Self {
        self.wanted.algorithm = algorithm.into();
        self
    }

    /// The name of the model; the one that speaks for the algorithm unless it is stated.
    pub fn model(mut self, model: impl Into<Option<&'a str>>) -> Self {
        self.wanted.models = model.into().map_or(Models::Speaking, Models::Named);
        self
    }

    /// Every model that applies.
    pub fn all_models(mut self) -> Self {
        self.wanted.models = Models::All;
        self
    }

    /// Parameters by name, which take precedence over fitted ones.
    pub fn given(mut self, given: &'a [(String, f64)]) -> Self {
        self.given = given;
        self
    }

    /// Segment size of segmented algorithms, if it is not to be the best.
    pub fn segment(mut self, segment: impl Into<Option<Segment>>) -> Self {
        if let Some(segment) = segment.into() {
            self.segments = Segments::Of(segment);
        }
        self
    }

    /// Predictor of the algorithm, or of the first of all algorithms.
    ///
    /// # Errors
    /// If a name is unknown, the profile does not answer, an option does not suit the model, or the model
    /// lacks a parameter.
    pub fn predictor(&self) -> Result<CasePredictor<'a>, Refusal> {
        let line = self.lines()?.swap_remove(0);
        Ok(self.of_line(line)?.of_pairs(self.pairs)?)
    }

    /// Predictor of the algorithm by a model, whether or not the model is one of this algorithm, at the segment
    /// size in the algorithm's name.
    ///
    /// # Errors
    /// If a parameter of the model is neither fitted nor given and has no default.
    pub fn predictor_by(&self, model: &'static Model) -> Result<CasePredictor<'a>, ModelError> {
        let algorithm = self.wanted.algorithm.unwrap_or_default();
        let mut line = Line::new(algorithm, model, Reason::Asked);
        let method = Method::parse(self.collective, algorithm).ok();
        let segment = method.and_then(|own| own.segment());
        line.segment = segment.and_then(|size| Segment::new(size).ok());
        self.of_line(line)?.of_pairs(self.pairs)
    }

    /// The algorithms to predict, each with its model; at least one.
    ///
    /// # Errors
    /// If a name is unknown, the profile does not answer, or an option does not suit the models.
    pub(super) fn lines(&self) -> Result<Vec<Line>, Refusal> {
        let lines = self.question(self.wanted).lines()?;
        let own = lines.iter().find(|line| line.segment.is_some());
        if let (Some(line), Segments::Of(_)) = (own, self.segments) {
            return Err(Refusal::request(format!(
                "{} has its own segment size; leave out --segment",
                line.algorithm
            )));
        }
        let other = lines.iter().find(|line| !line.model.has_distribution());
        match (self.statistic, other) {
            (Asked::Quantile(_), Some(line)) => Err(Refusal::request(format!(
                "{} has no quantiles; give --model {REGIMES} or leave out --quantile",
                line.model.name
            ))),
            _ => Ok(lines),
        }
    }
}

impl RankingRequest<'_> {
    /// Form of the binomial models, for algorithms that were not measured.
    pub fn binomial(mut self, binomial: Binomial) -> Self {
        self.wanted.binomial = binomial;
        self
    }

    /// Search for the segment size among multiples of the datatype.
    pub fn segments(mut self, search: Search, datatype: Segment) -> Self {
        self.segments = Segments::Best(search, datatype);
        self
    }

    /// Greatest number of candidates in each ranking of an answer.
    pub fn most(mut self, most: usize) -> Self {
        self.wanted.most = most;
        self
    }

    /// The candidates.
    pub(super) fn lines(&self) -> Vec<Line> {
        self.question(SPEAKING).candidates()
    }
}
