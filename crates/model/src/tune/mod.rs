//! Tuning: the rules that make an MPI library take the fastest of its algorithms.
//!
//! # Method
//! 1. For each collective a map of predicted times is made, over the process counts and sizes that `predict`
//!    answers (`map`). It has the library's own decision and the library's measured algorithms (`candidates`).
//! 2. From the map follow the fewest rules that are within 1 % of the best at every point and gain over the own
//!    decision in the mean (`fewest_rules`). For scatter and gather one algorithm serves all sizes of a process
//!    count, and is nowhere slower than the library's own decision. The compared times are the cautious ones
//!    ([`Prediction::cautious_time`](crate::predict::Prediction::cautious_time)).
//! 3. The file for the library states the origin of each rule and its predicted gain, by the times themselves, in
//!    comments (`openmpi`, `mpich`, `intelmpi`, `comments`).
//!
//! `MPI_Alltoallv` is left out: one rule would have to hold for all sizes and their patterns.
//!
//! # Reductions
//! * Rules are right for every operation, unless the request says that all operations commute (`candidates`).
//! * No rule holds where the library would run another algorithm than the one named: from the known fallbacks follows
//!   the least size of a rule. Rules of MPICH ask each call for the number of elements.
//! * A barrier has no size, and one algorithm for each process count.
//!
//! # Domain
//! Rules hold for process counts and sizes of the map; elsewhere the library decides. The first rule also holds
//! below the smallest size. In a block of several counts the last size is that of the block. Times are those of
//! one process on each host.

pub mod candidates;
mod comments;
mod exported_facts;
mod fewest_rules;
pub mod intelmpi;
pub mod loggopsim;
mod map;
pub mod mpich;
pub mod openmpi;
mod rules;
pub mod simgrid;
mod single_size;
mod target;
#[cfg(test)]
mod tests;

use netsig_base::algorithm::{COLLECTIVES, Collective, ServedOperations};
use netsig_base::network::Network;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds};

pub use self::candidates::{DataOrigin, TuningChoice, TuningChoices};
pub use self::comments::CommentNames;
pub use self::fewest_rules::{RuleBlock, SizeMeasure, TuningRule};
pub use self::map::{TOLERANCE, TuningMap};
pub use self::rules::{RulesFile, TunedLibrary};
pub use self::target::{
    LibraryVersion, NamedTarget, TARGETS, TargetRelease, TargetSimulator, TuningTarget, UnknownTarget, target_names,
};

use self::candidates::{ChoicePredictor, largest_answered};
use self::fewest_rules::fewest_blocks;
use self::map::{MapPoint, OWN_DECISION};
use crate::predict::select::least_gain;
use crate::profile::Profile;

/// Sizes for each doubling.
const STEPS: f64 = 4.0;

/// Largest count up to which every count is on the map; beyond, [`STEPS`] for each doubling.
const EVERY_COUNT: u32 = 64;

/// A request for rules.
#[derive(Debug, Clone)]
pub struct TuningRequest<'a> {
    /// The fitted models.
    pub profile: &'a Profile,
    /// The links of the network, if they are known.
    pub network: Option<&'a Network>,
    /// The library.
    pub release: &'a TargetRelease,
    /// Process counts, ascending; `None` for all that `predict` answers.
    pub counts: Option<Vec<Procs>>,
    /// Sizes, ascending; `None` for all that `predict` answers.
    pub sizes: Option<Vec<Bytes>>,
    /// Operations for which reductions under the rules must be right.
    pub operations: ServedOperations,
}

/// The rules of one collective.
#[derive(Debug, Clone)]
pub struct TunedCollective {
    /// The collective.
    pub collective: Collective,
    /// The considered choices, and the algorithms left out.
    pub choices: TuningChoices,
    /// Predicted times.
    pub times: TuningMap,
    /// The rules, for all counts of the map.
    pub blocks: Vec<RuleBlock>,
    /// Measure of size in the rules.
    measure: SizeMeasure,
}

/// Ratio of the time of the library's own decision to that of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleGain {
    /// Geometric mean over the points of the rule.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

/// The rules of every collective for which the profile has at least two choices of the library.
///
/// # Errors
/// If the model of an algorithm lacks a parameter.
pub fn tune(request: &TuningRequest) -> Result<Vec<TunedCollective>, Refusal> {
    let mut all: Vec<TunedCollective> = Vec::new();
    // In this order the collectives that algorithms call come before them.
    for &collective in COLLECTIVES {
        let with_rules = all.iter().filter(|tuned| tuned.has_rules());
        let ruled: Vec<Collective> = with_rules.map(|tuned| tuned.collective).collect();
        all.extend(tune_beside(request, collective, &ruled)?);
    }
    Ok(all)
}

/// The rules of a collective; `None` if rules are not written for it, or the profile has fewer than two choices of the
/// library.
///
/// # Errors
/// If the model of an algorithm lacks a parameter.
pub fn tune_collective(request: &TuningRequest, collective: Collective) -> Result<Option<TunedCollective>, Refusal> {
    tune_beside(request, collective, &[])
}

/// The rules of a collective in a file that has rules for the collectives `ruled`.
fn tune_beside(
    request: &TuningRequest,
    collective: Collective,
    ruled: &[Collective],
) -> Result<Option<TunedCollective>, Refusal> {
    let measured = TuningChoices::of(request.profile, request.release, collective, request.operations);
    let choices = measured.without_calls_of(collective, ruled);
    let is_tuned = is_tuned_collective(collective) && choices.can_choose();
    is_tuned.then(|| tune_choices(request, collective, choices)).transpose()
}

/// True for the collectives that rules are written for.
fn is_tuned_collective(collective: Collective) -> bool {
    collective.operation() != Collective::Alltoallv
}

fn tune_choices(
    request: &TuningRequest,
    collective: Collective,
    choices: TuningChoices,
) -> Result<TunedCollective, Refusal> {
    let (times, map) = time_maps(request, collective, &choices)?;
    let measure = request.release.measure(collective);
    let blocks = match measure {
        Some(measure) => {
            let mut blocks = fewest_blocks(&map, measure);
            for block in &mut blocks {
                single_size::merge_single_sizes(block, &map, measure);
            }
            blocks
        }
        None => for_all_sizes(fewest_blocks(&map.over_sizes(), SizeMeasure::Each)),
    };
    Ok(TunedCollective {
        collective,
        choices,
        times,
        blocks,
        measure: measure.unwrap_or(SizeMeasure::Each),
    })
}

/// The predicted times of all choices, and the times by which they are compared.
fn time_maps(
    request: &TuningRequest,
    collective: Collective,
    choices: &TuningChoices,
) -> Result<(TuningMap, TuningMap), Refusal> {
    let predictor_of = |choice| ChoicePredictor::new(request, collective, choice);
    let made_predictors = choices.all.iter().map(predictor_of);
    let predictors = made_predictors.collect::<Result<Vec<_>, Refusal>>()?;
    let profile = request.profile;
    let (most, largest) = largest_answered(profile, collective);
    let requested_counts = request.counts.clone();
    let requested_sizes = request.sizes.clone();
    let counts = requested_counts.unwrap_or_else(|| every_count(most));
    let sizes = match requested_sizes {
        _ if !collective.has_data() => vec![Bytes(0)],
        Some(sizes) => sizes,
        None => every_size(largest),
    };
    let map = |time: &dyn Fn(usize, Procs, Bytes) -> Option<Seconds>| {
        TuningMap::new(
            counts.clone(),
            sizes.clone(),
            predictors.len(),
            |choice, procs, size| Some(time(choice, procs, size)?.0),
        )
    };
    let times = map(&|choice, procs, size| Some(predictors[choice].prediction(procs, size)?.time));
    let cautious = map(&|choice, procs, size| {
        let own_decision = predictors[OWN_DECISION].prediction(procs, size);
        let prediction = predictors[choice].prediction(procs, size)?;
        Some(prediction.cautious_time(own_decision.as_ref(), least_gain(profile)))
    });
    if request.release.rules_see_operands() {
        return Ok((times, cautious));
    }
    let runs_itself = |choice: usize, procs, sizes| {
        let named = choices.all[choice].library_algorithm;
        named.is_none_or(|named| named.runs_itself(collective, procs, sizes))
    };
    Ok((times, cautious.only_where(runs_itself)))
}

/// The blocks of [`TuningMap::over_sizes`], each with its first rule for all sizes.
fn for_all_sizes(mut blocks: Vec<RuleBlock>) -> Vec<RuleBlock> {
    for block in &mut blocks {
        block.rules.truncate(1);
    }
    blocks
}

/// Process counts from 2 to `most`.
fn every_count(most: u32) -> Vec<Procs> {
    let dense = 2..=most.min(EVERY_COUNT);
    let sparse_steps = steps(f64::from(EVERY_COUNT), f64::from(most));
    let sparse_counts = sparse_steps.filter_map(|count| u32::try_from(count).ok());
    let mut all: Vec<u32> = dense
        .chain(sparse_counts.filter(|count| *count > EVERY_COUNT))
        .collect();
    all.dedup();
    all.into_iter().filter_map(|count| Procs::new(count).ok()).collect()
}

/// Sizes from 1 byte to `largest`.
fn every_size(largest: Bytes) -> Vec<Bytes> {
    let mut all: Vec<Bytes> = steps(1.0, largest.as_f64()).map(Bytes).collect();
    all.dedup();
    all
}

/// [`STEPS`] whole numbers for each doubling, from `first` to `last`.
fn steps(first: f64, last: f64) -> impl Iterator<Item = u64> {
    let all = (0u32..).map(move |step| (first * (f64::from(step) / STEPS).exp2()).round());
    all.take_while(move |value| *value <= last)
        .map(|value| Bytes::rounded(value).0)
}

impl TunedCollective {
    /// The process counts of a block, from the first to the last.
    pub fn count_range(&self, block: &RuleBlock) -> (Procs, Procs) {
        let first = self.times.counts[block.counts.start];
        (first, self.times.last_count(block.counts.end - 1))
    }

    /// The choice by the rules for a case; `None` where the library decides.
    pub fn choice(&self, procs: Procs, size: Bytes) -> Option<&TuningChoice> {
        let mut blocks = self.blocks.iter();
        let block = blocks.find(|block| {
            let (first, last) = self.count_range(block);
            (first..=last).contains(&procs)
        })?;
        let rule = block.rule_for(self.measure.compared_size(procs, size));
        let is_library = rule.choice == OWN_DECISION || self.times.sizes.last().is_none_or(|largest| size > *largest);
        (!is_library).then(|| &self.choices.all[rule.choice])
    }

    /// True if a rule takes an algorithm that is wrong for operations that do not commute.
    pub fn needs_commutative(&self, release: &TargetRelease) -> bool {
        let mut rules = self.blocks.iter().flat_map(|block| &block.rules);
        rules.any(|rule| {
            let named = self.choices.all[rule.choice].library_algorithm;
            named.is_some_and(|named| !release.may_name(named.offer, ServedOperations::Every))
        })
    }

    /// True if a rule takes an algorithm.
    pub fn has_rules(&self) -> bool {
        self.blocks.iter().any(|block| !block.is_left_to_library())
    }

    /// Gain of the rule at `place` of a block over the library's own decision; `None` if the library's own decision was not measured or
    /// is the rule.
    pub fn gain(&self, block: &RuleBlock, place: usize) -> Option<RuleGain> {
        let rule = block.rules[place];
        let end = block.rules.get(place + 1).map(|next| next.from);
        let sizes = 0..self.times.sizes.len();
        let block_counts = block.counts.clone();
        let points = block_counts.flat_map(|count| sizes.clone().map(move |size| MapPoint { count, size }));
        let is_inside = |at: &MapPoint| {
            let size_each = self.times.sizes[at.size];
            let size = self.measure.compared_size(self.times.counts[at.count], size_each);
            size >= rule.from && end.is_none_or(|end| size < end)
        };
        let ratio = |at: MapPoint| Some(self.times.time(OWN_DECISION, at)? / self.times.time(rule.choice, at)?);
        let ratios: Vec<f64> = points.filter(is_inside).filter_map(ratio).collect();
        if rule.choice == OWN_DECISION || ratios.is_empty() {
            return None;
        }
        let logarithms = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
        let point_count = f64::from(u32::try_from(ratios.len()).unwrap_or(u32::MAX));
        Some(RuleGain {
            mean: (logarithms / point_count).exp(),
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(0.0, f64::max),
        })
    }
}
