//! Tuning: the rules that make an MPI library take the fastest of its algorithms.
//!
//! # Method
//! For each collective a map of predicted times: over the process counts and sizes that `predict`
//! answers, the library's own decision and every algorithm of the library whose time stands on
//! measurements (`candidates`). From the map the fewest rules that are within 1 % of the best at
//! every point and gain over the own decision in the mean (`map`, `fewest`). Of scatter and gather
//! one algorithm serves all sizes of a process count, and is nowhere slower than the own decision.
//! All of this compares cautious times ([`Prediction::cautious`](crate::predict::Prediction::cautious)).
//! A file for the library, with comments that say where each rule comes from and what it is predicted
//! to gain by the times themselves (`openmpi`, `mpich`, `intelmpi`, `comments`).
//!
//! `MPI_Alltoallv` is left out: one rule would have to hold for all sizes and patterns of them.
//!
//! # Domain
//! Rules hold for process counts and sizes of the map; elsewhere the library decides. Below the
//! smallest size the first rule goes on, and in a block of several counts the last size is that of
//! the block. Times are those of one process on each host.

pub mod candidates;
mod comments;
mod fewest;
pub mod intelmpi;
pub mod loggopsim;
mod map;
pub mod mpich;
pub mod openmpi;
mod origin;
pub mod simgrid;
mod single;
mod target;
#[cfg(test)]
mod tests;

use netsig_base::algorithm::{COLLECTIVES, Collective};
use netsig_base::network::Network;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds};

pub use self::candidates::{Choices, Origin};
pub use self::comments::Names;
pub use self::fewest::{Block, Measure, Rule};
pub use self::map::{Map, TOLERANCE};
pub use self::target::{Release, Simulator, TARGETS, Target, UnknownTarget, Version, Wanted, known};

use self::candidates::{Timed, reach};
use self::fewest::fewest;
use self::map::{OWN, Point};
use crate::predict::select::least_gain;
use crate::profile::Profile;

/// Sizes for each doubling.
const STEPS: f64 = 4.0;

/// Largest count up to which every count is on the map; beyond, [`STEPS`] for each doubling.
const EVERY_COUNT: u32 = 64;

/// What rules are wanted.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The fitted models.
    pub profile: &'a Profile,
    /// The links of the network, if they are known.
    pub network: Option<&'a Network>,
    /// The library.
    pub release: &'a Release,
    /// Process counts, ascending; `None` for all that `predict` answers.
    pub counts: Option<Vec<Procs>>,
    /// Sizes, ascending; likewise.
    pub sizes: Option<Vec<Bytes>>,
}

/// The rules of one collective.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The collective.
    pub collective: Collective,
    /// What was considered and what was not.
    pub choices: Choices,
    /// Predicted times.
    pub times: Map,
    /// The rules, for all counts of the map.
    pub blocks: Vec<Block>,
    /// Measure of size in the rules.
    measure: Measure,
}

/// Ratio of the own decision's time to that of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// Geometric mean over the points of the rule.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

/// The rules of every collective of the profile among whose algorithms the library can choose.
///
/// # Errors
/// If the model of an algorithm lacks a parameter.
pub fn tune(request: &Request) -> Result<Vec<Tuned>, Refusal> {
    let of = |collective: &Collective| {
        let choices = Choices::of(request.profile, request.release, *collective);
        choices.can_choose().then(|| tuned(request, *collective, choices))
    };
    let ruled = COLLECTIVES.iter().filter(|own| has_rules(**own));
    ruled.filter_map(of).collect()
}

/// True for the collectives that rules are written for.
fn has_rules(collective: Collective) -> bool {
    collective.operation() != Collective::Alltoallv
}

fn tuned(request: &Request, collective: Collective, choices: Choices) -> Result<Tuned, Refusal> {
    let (times, map) = maps(request, collective, &choices)?;
    let measure = request.release.measure(collective);
    let blocks = match measure {
        Some(measure) => {
            let mut blocks = fewest(&map, measure);
            for block in &mut blocks {
                single::merge(block, &map, measure);
            }
            blocks
        }
        None => for_all_sizes(fewest(&map.over_sizes(), Measure::Each)),
    };
    Ok(Tuned {
        collective,
        choices,
        times,
        blocks,
        measure: measure.unwrap_or(Measure::Each),
    })
}

/// The predicted times of all choices, and the times by which they are compared.
fn maps(request: &Request, collective: Collective, choices: &Choices) -> Result<(Map, Map), Refusal> {
    let timed = |choice| Timed::new(request, collective, choice);
    let timed = choices.all.iter().map(timed);
    let timed = timed.collect::<Result<Vec<_>, Refusal>>()?;
    let profile = request.profile;
    let (most, largest) = reach(profile, collective);
    let counts = request.counts.clone();
    let sizes = request.sizes.clone();
    let counts = counts.unwrap_or_else(|| every_count(most));
    let sizes = sizes.unwrap_or_else(|| every_size(largest));
    let map = |time: &dyn Fn(usize, Procs, Bytes) -> Option<Seconds>| {
        Map::new(counts.clone(), sizes.clone(), timed.len(), |choice, procs, size| {
            Some(time(choice, procs, size)?.0)
        })
    };
    let times = map(&|choice, procs, size| Some(timed[choice].prediction(procs, size)?.time));
    let cautious = map(&|choice, procs, size| {
        let own = timed[OWN].prediction(procs, size);
        let prediction = timed[choice].prediction(procs, size)?;
        Some(prediction.cautious(own.as_ref(), least_gain(profile)))
    });
    Ok((times, cautious))
}

/// Blocks of a map over sizes, whose first rule has no end.
fn for_all_sizes(mut blocks: Vec<Block>) -> Vec<Block> {
    for block in &mut blocks {
        block.rules.truncate(1);
    }
    blocks
}

/// Process counts from 2 to `most`.
fn every_count(most: u32) -> Vec<Procs> {
    let dense = 2..=most.min(EVERY_COUNT);
    let sparse = steps(f64::from(EVERY_COUNT), f64::from(most));
    let sparse = sparse.filter_map(|count| u32::try_from(count).ok());
    let mut all: Vec<u32> = dense.chain(sparse.filter(|count| *count > EVERY_COUNT)).collect();
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

impl Tuned {
    /// The process counts of a block, from the first to the last.
    pub fn counts(&self, block: &Block) -> (Procs, Procs) {
        let first = self.times.counts[block.counts.start];
        let last = match self.times.counts.get(block.counts.end) {
            Some(next) => Procs::new(next.get() - 1).unwrap_or(first),
            None => self.times.counts[block.counts.end - 1],
        };
        (first, last)
    }

    /// True if a rule takes an algorithm.
    pub fn has_rules(&self) -> bool {
        self.blocks.iter().any(|block| !block.is_own())
    }

    /// Gain of the rule at `place` of a block over the own decision; `None` if that was not
    /// measured, or is the rule.
    pub fn gain(&self, block: &Block, place: usize) -> Option<Gain> {
        let rule = block.rules[place];
        let end = block.rules.get(place + 1).map(|next| next.from);
        let sizes = 0..self.times.sizes.len();
        let points = block.counts.clone();
        let points = points.flat_map(|count| sizes.clone().map(move |size| Point { count, size }));
        let is_inside = |at: &Point| {
            let size = self.times.sizes[at.size];
            let size = self.measure.of(self.times.counts[at.count], size);
            size >= rule.from && end.is_none_or(|end| size < end)
        };
        let ratio = |at: Point| Some(self.times.time(OWN, at)? / self.times.time(rule.choice, at)?);
        let ratios: Vec<f64> = points.filter(is_inside).filter_map(ratio).collect();
        if rule.choice == OWN || ratios.is_empty() {
            return None;
        }
        let logarithms = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
        let points = f64::from(u32::try_from(ratios.len()).unwrap_or(u32::MAX));
        Some(Gain {
            mean: (logarithms / points).exp(),
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(0.0, f64::max),
        })
    }
}
