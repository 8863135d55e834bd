//! The schedule that the preloaded library runs for a call, by the ranking of a profile.
//!
//! # Rule
//! The first eligible candidate of the ranking ([`CandidateRanker::rank_all`]) that a schedule can run, unless the
//! library's own choice is before it. A gain is sure if the intervals of both times are apart. Schedules that could change
//! the result of a reduction are left out ([`ResultRule`]).
//!
//! For operations of which no profile has times, another algorithm stands for the library. The fastest eligible
//! candidate that a schedule can run is then chosen, if it is faster. The gain is never sure.

use netsig_base::algorithm::{
    Algorithm, ClusterLayout, Collective, CollectiveCall, CollectiveMethod, LIBRARY, MpiFlavour,
};
use netsig_base::schedule::{BlockCounts, ScheduleExtent};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::Prediction;
use super::outside_domain::OutsideDomain;
use super::result_rule::ResultRule;
use super::select::{CandidateRanker, RankedCandidate};
use crate::model::ModelError;

/// A call for which a schedule is chosen.
#[derive(Debug, Clone, Copy)]
pub struct RuntimeCall<'a> {
    /// The operation.
    pub collective: Collective,
    /// Number of processes.
    pub procs: Procs,
    /// Length of a piece, or the mean length.
    pub size: Bytes,
    /// Clusters of the processes, where they are known.
    pub layout: Option<&'a ClusterLayout>,
    /// The MPI library of the program.
    pub flavour: MpiFlavour,
    /// Time that a schedule takes beside its messages.
    pub check: Seconds,
    /// Schedules that do not change the result.
    pub results: ResultRule,
}

/// The choice for a call.
#[derive(Debug, Clone, Copy)]
pub struct RuntimeChoice<'a> {
    /// The library's own choice.
    pub library: RankedCandidate<'a>,
    /// The candidate whose schedule runs; `None` if the library's own choice is the fastest.
    pub schedule: Option<ChosenSchedule<'a>>,
    /// A faster candidate whose schedule could change the result.
    pub left: Option<RankedCandidate<'a>>,
}

/// A candidate with its schedule.
#[derive(Debug, Clone, Copy)]
pub struct ChosenSchedule<'a> {
    /// The candidate.
    pub candidate: RankedCandidate<'a>,
    /// Its schedule.
    pub algorithm: Algorithm,
    /// Certainty of the gain over the library's own choice.
    pub certainty: GainCertainty,
}

/// Certainty that an algorithm is faster than the library's own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum GainCertainty {
    /// The user gives the algorithm.
    Given,
    /// The intervals of both times are apart.
    Sure,
    /// The profile expects a gain, which the program must show.
    Unsure,
}

/// Start of the reason for a call too far from the measurements.
pub const OUTSIDE_PROFILE: &str = "outside of the profile";

/// Reason why a profile chooses no schedule for a call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoRuntimeChoice {
    /// No candidate has a time.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is nothing to compare with.
    #[error("the profile has no times of the library's own choice")]
    NoLibrary,
    /// The library's own choice is too far from the measurements.
    #[error("{OUTSIDE_PROFILE}: {0}")]
    Outside(OutsideDomain),
    /// The time of the library's own choice is a bound.
    #[error("no comparable time of the library's own choice")]
    NotComparable,
}

impl GainCertainty {
    /// Certainty of the gain of one prediction over that of the library.
    pub fn of(one: &Prediction, library: &Prediction) -> Self {
        let ends = one.interval.zip(library.interval);
        match ends {
            Some((faster, slower)) if faster.upper < slower.lower => Self::Sure,
            _ => Self::Unsure,
        }
    }
}

impl CandidateRanker<'_> {
    /// The choice for a call.
    ///
    /// # Errors
    /// If no candidate has a time, or the library's own choice has no comparable one.
    pub fn runtime_choice(&self, call: &RuntimeCall) -> Result<RuntimeChoice<'_>, NoRuntimeChoice> {
        let ranking = self.rank_all(call.procs, call.size)?;
        let is_library = |one: &&RankedCandidate| one.algorithm() == LIBRARY;
        let library = self.comparable(&ranking, call, LIBRARY)?;
        let library_time = library.prediction.time;
        let before = ranking
            .iter()
            .take_while(|one| one.is_eligible() && !is_library(one))
            .filter(|one| call.check.0 <= 0.0 || one.prediction.time + call.check < library_time);
        let mut left = None;
        let able = before.filter_map(|one| {
            Some(ChosenSchedule {
                candidate: *one,
                algorithm: call.schedule(&one.algorithm())?,
                certainty: GainCertainty::of(&one.prediction, &library.prediction),
            })
        });
        let schedule = able
            .inspect(|chosen| {
                if !call.results.allows(chosen.algorithm) {
                    left.get_or_insert(chosen.candidate);
                }
            })
            .find(|chosen| call.results.allows(chosen.algorithm));
        Ok(RuntimeChoice {
            library,
            schedule,
            left,
        })
    }

    /// The choice for a call in which the library takes as long as the algorithm `known`.
    ///
    /// # Errors
    /// If no candidate has a time, or `known` has no comparable one.
    pub fn choice_beside(&self, call: &RuntimeCall, known: &str) -> Result<RuntimeChoice<'_>, NoRuntimeChoice> {
        let ranking = self.rank_all(call.procs, call.size)?;
        let library = self.comparable(&ranking, call, known)?;
        let is_faster = |one: &&RankedCandidate| one.prediction.time + call.check < library.prediction.time;
        let faster = ranking.iter().filter(|one| one.is_eligible()).filter(is_faster);
        let able = faster.filter_map(|one| {
            Some(ChosenSchedule {
                candidate: *one,
                algorithm: call.schedule(&one.algorithm())?,
                certainty: GainCertainty::Unsure,
            })
        });
        let seconds = |chosen: &ChosenSchedule| chosen.candidate.prediction.time.0;
        let schedule = able.min_by(|one, other| seconds(one).total_cmp(&seconds(other)));
        Ok(RuntimeChoice {
            library,
            schedule,
            left: None,
        })
    }

    /// The candidate of this name, if its time can be compared with others.
    fn comparable<'a>(
        &self,
        ranking: &[RankedCandidate<'a>],
        call: &RuntimeCall,
        name: &str,
    ) -> Result<RankedCandidate<'a>, NoRuntimeChoice> {
        let found = ranking.iter().find(|one| one.algorithm() == name);
        let library = *found.ok_or(NoRuntimeChoice::NoLibrary)?;
        if library.is_eligible() {
            return Ok(library);
        }
        let outside = self.reason_outside(&library, call.procs, call.size);
        Err(outside.map_or(NoRuntimeChoice::NotComparable, NoRuntimeChoice::Outside))
    }
}

impl RuntimeCall<'_> {
    /// The schedule of an algorithm, if it can serve the call.
    pub fn schedule(&self, name: &str) -> Option<Algorithm> {
        let method = CollectiveMethod::parse(self.collective, name).ok()?;
        let algorithm = method.schedule_algorithm(self.flavour)?;
        self.is_served_by(algorithm).then_some(algorithm)
    }

    /// True if the facts of the call suffice to run an algorithm. Pieces that differ in size must be cut into segments,
    /// since only sender and receiver know the length of a piece.
    pub fn is_served_by(&self, algorithm: Algorithm) -> bool {
        let method = CollectiveMethod::Schedule(algorithm);
        let (is_known, follows_clusters) = (!method.follows_links(), method.follows_clusters());
        let is_cut = self.collective != Collective::Alltoallv || algorithm.segment().is_some();
        let has_clusters = self.layout.is_some() || !follows_clusters;
        let call = CollectiveCall {
            layout: self.layout.cloned(),
            ..CollectiveCall::new(self.procs, self.size)
        };
        is_known && has_clusters && is_cut && is_quick(algorithm, &call)
    }
}

/// True if a schedule can be proved and prepared in moments.
pub fn is_quick(algorithm: Algorithm, call: &CollectiveCall) -> bool {
    let schedule = algorithm.serve(call);
    schedule.is_ok_and(|served| is_small(&served.extent()))
}

/// True if the proof takes moments: an exchange in one round is proved for one rank, other schedules for all ranks.
fn is_small(extent: &ScheduleExtent) -> bool {
    const MOST_OF_A_RANK: u64 = 1 << 18;
    const MOST_OF_ALL: u64 = 1 << 24;
    let BlockCounts {
        input,
        output,
        scratch,
        buffers,
    } = extent.blocks;
    let blocks: u64 = [input, output, scratch, buffers].map(u64::from).iter().sum();
    let is_of_all = extent.rounds > 1;
    blocks <= MOST_OF_A_RANK && (!is_of_all || blocks * u64::from(extent.procs.get()) <= MOST_OF_ALL)
}
