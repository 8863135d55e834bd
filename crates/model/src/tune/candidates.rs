//! The measured choices of a library.
//!
//! A choice is measured if the profile has a model of it. In data of the same library it is `library:NAME` or
//! `library`. In data of any MPI it is a schedule of netsig that the library has as an algorithm of its own
//! ([`RuleAlgorithm`]). `predict` gives its times. A time counts if the model was fitted to the algorithm and
//! answers for the point. Times by borrowed parameters, contention-free times, and times of process counts that do
//! not saturate the network do not count.
//!
//! A rule may make results wrong: Open MPI runs what a rule names without asking whether the operation commutes. So
//! algorithms that need that are left out, unless the request says that all operations commute. MPICH's rules ask. An
//! algorithm that calls other collectives is left out if the same file has rules for those, because it was measured
//! without them.

use itertools::Itertools as _;
use netsig_base::algorithm::{
    Collective, CollectiveMethod, LibraryDecision, MpiFlavour, RuleAlgorithm, ServedOperations, offered_algorithms,
};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::TuningRequest;
use super::target::TargetRelease;
use crate::predict::outside_domain::FAR;
use crate::predict::predictor::CasePredictor;
use crate::predict::{Prediction, PredictionStanding};
use crate::profile::Profile;

/// MPI of a profile's data, compared with the target's library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataOrigin {
    /// The same library.
    Same,
    /// Not stated.
    Unknown,
    /// Another MPI, by the first words of its version text.
    Other(String),
}

/// A choice of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningChoice {
    /// The algorithm as measured.
    pub measured: String,
    /// The algorithm that a rule names; `None` for the library's own decision.
    pub library_algorithm: Option<RuleAlgorithm>,
}

/// The algorithms of a collective, divided by whether rules can take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TuningChoices {
    /// The own decision, measured or not, and the measured algorithms that a rule can name.
    pub all: Vec<TuningChoice>,
    /// Measured algorithms that no rule can name.
    pub beyond_rules: Vec<String>,
    /// Measured algorithms that are wrong for operations that do not commute.
    pub wrong_for_some: Vec<TuningChoice>,
    /// Measured algorithms that call collectives for which the file has rules.
    pub calling_ruled: Vec<TuningChoice>,
    /// Algorithms of the library that were not measured.
    pub unmeasured: Vec<&'static str>,
}

/// The predictor of a choice's times, if the choice was measured.
#[derive(Debug)]
pub(super) struct ChoicePredictor<'a>(Option<CasePredictor<'a>>);

impl DataOrigin {
    /// Origin of a profile, for rules of `flavour`.
    pub fn of(profile: &Profile, flavour: MpiFlavour) -> Self {
        match profile.provenance.get("data_mpi") {
            None => Self::Unknown,
            Some(mpi) if mpi.starts_with(&flavour.to_string()) => Self::Same,
            Some(mpi) => {
                let name = mpi.split([',', '\t']).next().unwrap_or(mpi);
                Self::Other(name.trim_end_matches(" Version:").to_owned())
            }
        }
    }
}

impl TuningChoices {
    /// The choices of a collective for `release`, in programs with these operations.
    pub fn of(
        profile: &Profile,
        release: &TargetRelease,
        collective: Collective,
        operations: ServedOperations,
    ) -> Self {
        let flavour = release.target.flavour;
        let is_foreign = matches!(DataOrigin::of(profile, flavour), DataOrigin::Other(_));
        let mut found = Self {
            all: vec![TuningChoice {
                measured: String::new(),
                library_algorithm: None,
            }],
            ..Self::default()
        };
        for algorithm in profile.algorithms(collective) {
            let Ok(method) = CollectiveMethod::parse(collective, algorithm) else {
                found.beyond_rules.push(algorithm.to_owned());
                continue;
            };
            let is_library = matches!(method, CollectiveMethod::Library(_));
            let is_own_decision = matches!(&method, CollectiveMethod::Library(choice) if !choice.is_forced());
            let offered = RuleAlgorithm::of(flavour, collective, &method);
            let library_algorithm = offered.filter(|chosen| chosen.window.is_none() || release.has_windows());
            let choice = TuningChoice {
                measured: algorithm.to_owned(),
                library_algorithm,
            };
            match library_algorithm {
                _ if is_library && is_foreign => found.beyond_rules.push(choice.measured),
                _ if is_own_decision => found.all[0] = choice,
                None => found.beyond_rules.push(choice.measured),
                Some(named) if !release.may_name(named.offer, operations) => found.wrong_for_some.push(choice),
                Some(_) => found.add(choice, is_library),
            }
        }
        let known = |name: &&str| {
            let measured = found.all.iter().chain(&found.wrong_for_some);
            let mut algorithms = measured.filter_map(|choice| choice.library_algorithm);
            algorithms.any(|algorithm| algorithm.offer.name == *name)
        };
        let all_offers = offered_algorithms(collective).into_iter();
        let library_offers = all_offers.filter(|offer| offer.flavour == flavour);
        let names = library_offers.map(|offer| offer.name);
        found.unmeasured = names.filter(|name| !known(name)).unique().collect();
        found
    }

    /// The choices without algorithms that call one of the collectives `ruled`.
    #[must_use]
    pub(super) fn without_calls_of(mut self, collective: Collective, ruled: &[Collective]) -> Self {
        let calls_ruled = |choice: &mut TuningChoice| {
            choice.library_algorithm.is_some_and(|named| {
                let decision = LibraryDecision::of(named.offer.flavour, collective);
                let called = decision.map_or(&[][..], |rules| rules.called_collectives(named.offer.name));
                called.iter().any(|one| ruled.contains(one))
            })
        };
        self.calling_ruled = self.all.extract_if(1.., calls_ruled).collect();
        self
    }

    /// Adds a choice. Of two for the same library algorithm, the one measured in the library remains.
    fn add(&mut self, choice: TuningChoice, is_library: bool) {
        let mut others = self.all.iter_mut();
        match others.find(|other| other.library_algorithm == choice.library_algorithm) {
            Some(other) if is_library => *other = choice,
            Some(_) => {}
            None => self.all.push(choice),
        }
    }

    /// True if the library's own decision was measured.
    pub fn has_own_decision(&self) -> bool {
        !self.all[0].measured.is_empty()
    }

    /// True if at least two choices were measured.
    pub fn can_choose(&self) -> bool {
        let measured = self.all.iter().filter(|choice| !choice.measured.is_empty());
        measured.count() > 1
    }
}

impl<'a> ChoicePredictor<'a> {
    /// The predictor of a choice's times.
    ///
    /// # Errors
    /// If the model lacks a parameter.
    pub(super) fn new(
        request: &TuningRequest<'a>,
        collective: Collective,
        choice: &'a TuningChoice,
    ) -> Result<Self, Refusal> {
        if choice.measured.is_empty() {
            return Ok(Self(None));
        }
        let collective_request = request.profile.predict(collective);
        let algorithm_request = collective_request.algorithm(choice.measured.as_str());
        Ok(Self(Some(algorithm_request.network(request.network).predictor()?)))
    }

    /// Prediction at a point, if it counts.
    pub(super) fn prediction(&self, procs: Procs, size: Bytes) -> Option<Prediction> {
        let predicted = self.0.as_ref()?.predict(procs, size).ok()?;
        let counts = matches!(
            predicted.standing,
            PredictionStanding::Interpolated | PredictionStanding::Extrapolated
        );
        (counts && predicted.time.0 > 0.0).then_some(predicted)
    }
}

/// Greatest process count and size for which `predict` may answer about `collective`.
pub(super) fn largest_answered(profile: &Profile, collective: Collective) -> (u32, Bytes) {
    let (mut counts, mut size) = (0, 0);
    for model in profile.contention_models_of(collective) {
        let domain = model.domain();
        counts = counts.max(domain.procs.last().map_or(0, |procs| procs.get()));
        size = size.max(domain.largest.0);
    }
    let farthest_size = size.saturating_mul(FAR.into());
    (counts.saturating_mul(FAR), Bytes(farthest_size))
}
