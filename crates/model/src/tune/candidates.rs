//! The choices of a library whose times stand on measurements.
//!
//! A choice is measured if the profile has a model of it: `library:NAME` and `library` in data of
//! the very library, and netsig's schedules that the library runs as an algorithm of its own
//! ([`LibraryAlgorithm`]), whatever MPI they were measured on. `predict` gives its times. A time
//! counts if the model was fitted to the algorithm and answers for the point; borrowed parameters,
//! contention-free times and counts that do not saturate the network do not.

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LibraryAlgorithm, Method, MpiFlavour, offers};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::Request;
use super::target::Release;
use crate::predict::outside::FAR;
use crate::predict::predictor::CasePredictor;
use crate::predict::{Prediction, Standing};
use crate::profile::Profile;

/// MPI of a profile's data, beside the target's library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The same library.
    Same,
    /// Not stated.
    Unknown,
    /// Another MPI, by the first words of its version text.
    Other(String),
}

/// A choice of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The algorithm as measured.
    pub measured: String,
    /// What a rule says; `None` for the library's own decision.
    pub taken: Option<LibraryAlgorithm>,
}

/// The algorithms of a collective, by what a rule can do with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// The own decision, measured or not, and the measured algorithms that a rule can name.
    pub all: Vec<Choice>,
    /// Measured algorithms that no rule can name.
    pub beyond_rules: Vec<String>,
    /// Algorithms of the library that were not measured.
    pub unmeasured: Vec<&'static str>,
}

/// The predictor of a choice's times, if the choice was measured.
#[derive(Debug)]
pub(super) struct Timed<'a>(Option<CasePredictor<'a>>);

impl Origin {
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

impl Choices {
    /// The choices of a collective for `release`.
    pub fn of(profile: &Profile, release: &Release, collective: Collective) -> Self {
        let flavour = release.target.flavour;
        let is_foreign = matches!(Origin::of(profile, flavour), Origin::Other(_));
        let mut found = Self {
            all: vec![Choice {
                measured: String::new(),
                taken: None,
            }],
            ..Self::default()
        };
        for algorithm in profile.algorithms(collective) {
            let Ok(method) = Method::parse(collective, algorithm) else {
                found.beyond_rules.push(algorithm.to_owned());
                continue;
            };
            let is_library = matches!(method, Method::Library(_));
            let is_own = matches!(&method, Method::Library(choice) if !choice.is_forced());
            let taken = LibraryAlgorithm::of(flavour, collective, &method);
            let taken = taken.filter(|own| own.window.is_none() || release.has_windows());
            let choice = Choice {
                measured: algorithm.to_owned(),
                taken,
            };
            match taken {
                _ if is_library && is_foreign => found.beyond_rules.push(choice.measured),
                _ if is_own => found.all[0] = choice,
                None => found.beyond_rules.push(choice.measured),
                Some(_) => found.add(choice, is_library),
            }
        }
        let known = |name: &&str| {
            let mut taken = found.all.iter().filter_map(|own| own.taken);
            taken.any(|own| own.offer.name == *name)
        };
        let of_library = offers(collective).into_iter();
        let of_library = of_library.filter(|offer| offer.flavour == flavour);
        let names = of_library.map(|offer| offer.name);
        found.unmeasured = names.filter(|name| !known(name)).unique().collect();
        found
    }

    /// Adds a choice, unless the library's own algorithm was measured in its place.
    fn add(&mut self, choice: Choice, is_library: bool) {
        let mut others = self.all.iter_mut();
        match others.find(|own| own.taken == choice.taken) {
            Some(other) if is_library => *other = choice,
            Some(_) => {}
            None => self.all.push(choice),
        }
    }

    /// True if the own decision was measured.
    pub fn has_own(&self) -> bool {
        !self.all[0].measured.is_empty()
    }

    /// True if a rule has something to choose.
    pub fn can_choose(&self) -> bool {
        let measured = self.all.iter().filter(|own| !own.measured.is_empty());
        measured.count() > 1
    }
}

impl<'a> Timed<'a> {
    /// The predictor of a choice's times.
    ///
    /// # Errors
    /// If the model lacks a parameter.
    pub(super) fn new(request: &Request<'a>, collective: Collective, choice: &'a Choice) -> Result<Self, Refusal> {
        if choice.measured.is_empty() {
            return Ok(Self(None));
        }
        let times = request.profile.predict(collective);
        let times = times.algorithm(choice.measured.as_str());
        Ok(Self(Some(times.network(request.network).predictor()?)))
    }

    /// Prediction at a point, if it counts.
    pub(super) fn prediction(&self, procs: Procs, size: Bytes) -> Option<Prediction> {
        let predicted = self.0.as_ref()?.predict(procs, size).ok()?;
        let counts = matches!(predicted.standing, Standing::Interpolated | Standing::Extrapolated);
        (counts && predicted.time.0 > 0.0).then_some(predicted)
    }
}

/// Greatest process count and size for which `predict` may answer about `collective`.
pub(super) fn reach(profile: &Profile, collective: Collective) -> (u32, Bytes) {
    let (mut counts, mut size) = (0, 0);
    for own in profile.contention_of(collective) {
        let domain = own.domain();
        counts = counts.max(domain.procs.last().map_or(0, |own| own.get()));
        size = size.max(domain.largest.0);
    }
    let size = size.saturating_mul(FAR.into());
    (counts.saturating_mul(FAR), Bytes(size))
}
