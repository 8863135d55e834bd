//! Rankings of the algorithms for a case as an answer: with refusals, gains over the library's own
//! choice, and notes.

use netsig_base::algorithm::{Collective, LIBRARY, Method, MpiFlavour, MpiSetting, PairSizes};
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::answer::TooFar;
use super::cross_over::CrossOver;
use super::notes::{self, Predicting};
use super::rate::refuse_other_rate;
use super::select::{Options, Ranked, Selector, Sources};
use crate::model::{Kind, Model};
use crate::profile::Profile;

/// The algorithms for a process count and size, the fastest first.
#[derive(Debug, Clone)]
pub struct Ranking<'a> {
    /// Number of processes.
    pub procs: Procs,
    /// The size.
    pub size: Bytes,
    /// The algorithms.
    pub ranked: Vec<Ranked<'a>>,
    /// The library's own choice, if its time is comparable.
    library: Option<Ranked<'a>>,
}

/// The candidates of a collective, from a profile with a name.
#[derive(Debug)]
pub struct Ranker<'a> {
    sources: Sources<'a>,
    name: &'a str,
    collective: Collective,
    selector: Selector<'a>,
    too_far: TooFar,
}

impl Ranking<'_> {
    /// Time of the library's own choice over that of a candidate, if both are comparable.
    pub fn gain(&self, one: &Ranked) -> Option<f64> {
        let library = self.library.filter(|_| one.stands())?;
        Some(library.prediction.time / one.prediction.time)
    }
}

impl<'a> Ranker<'a> {
    /// The candidates from `sources`, whose profile has a `name`; `pairs` are the sizes of an alltoallv.
    ///
    /// # Errors
    /// If the network is another than the profile's, the model of a candidate lacks a parameter, or there is no
    /// candidate.
    pub fn new(
        (sources, name): (Sources<'a>, &'a str),
        collective: Collective,
        pairs: Option<&'a PairSizes>,
        (options, too_far): (Options, TooFar),
    ) -> Result<Self, Refusal> {
        refuse_other_rate((sources.profile, name), sources.network, too_far)?;
        let mut selector = Selector::new(sources, collective, options)?;
        if let Some(pairs) = pairs {
            selector = selector.of_pairs(pairs);
        }
        if selector.candidates() == 0 {
            let problem = format!("holds no algorithm of {collective}; measure some and fit them");
            return Err(Refusal::data(problem).about(name));
        }
        Ok(Self {
            sources,
            name,
            collective,
            selector,
            too_far,
        })
    }

    /// All candidates for a case, the fastest first.
    ///
    /// # Errors
    /// If no candidate has a time, or all are too far from the measurements and such are refused.
    pub fn ranking(&self, procs: Procs, size: Bytes) -> Result<Ranking<'_>, Refusal> {
        let ranked = self.selector.rank(procs, size)?;
        let has_choice = self.too_far == TooFar::Extrapolated || ranked.iter().any(Ranked::stands);
        let mut whys = ranked.iter();
        let why = whys.find_map(|one| self.selector.outside(one, procs, size));
        if let Some(why) = why.filter(|_| !has_choice) {
            return Err(Refusal::data(format!(
                "{} of {procs} processes: {why}; measure there, or give --extrapolate to rank all the same",
                self.collective
            ))
            .about(self.name));
        }
        let library = ranked.iter().find(|one| one.algorithm() == LIBRARY);
        let library = library.filter(|one| one.stands()).copied();
        Ok(Ranking {
            procs,
            size,
            ranked,
            library,
        })
    }

    /// Sizes at which the best candidate changes, between ascending `sizes`.
    ///
    /// # Errors
    /// As of [`Ranker::ranking`], for each size.
    pub fn cross_overs(
        &self,
        procs: Procs,
        sizes: &[Bytes],
    ) -> Result<Vec<CrossOver<'_>>, Refusal> {
        for &size in sizes {
            self.ranking(procs, size)?;
        }
        Ok(self.selector.cross_overs(procs, sizes)?)
    }

    /// Notes on the limits of the models for these process counts and sizes.
    pub fn limits(&self, procs: &[Procs], sizes: &[Bytes]) -> Vec<Note> {
        let models: Vec<&Model> = self.selector.models().collect();
        let predicting = Predicting {
            profile: self.sources.profile,
            name: self.name,
            network: self.sources.network,
            collective: self.collective,
            procs,
            sizes,
        };
        let mut notes = notes::on_predictions(&predicting, &models);
        let is_free = |model: &&Model| model.kind == Kind::ContentionFree;
        if self.collective == Collective::Alltoall && models.iter().all(is_free) {
            notes.push(Note::warning(
                "no alltoall was measured: the times are without contention and do not show the fastest algorithm under contention",
            ));
        }
        notes
    }
}

/// The MPI library of the data of a profile, if that names it.
pub fn flavour(profile: &Profile) -> Option<MpiFlavour> {
    MpiFlavour::of(profile.provenance.get("data_mpi")?)
}

/// The setting that makes `mpi` run an algorithm, if there is one.
pub fn setting(collective: Collective, algorithm: &str, mpi: MpiFlavour) -> Option<MpiSetting> {
    let method = Method::parse(collective, algorithm).ok()?;
    method.setting(mpi)
}
