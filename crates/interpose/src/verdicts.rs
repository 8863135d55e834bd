//! Verdicts of trials and other findings, for further communicators of the same processes: programs duplicate communicators
//! for each plan of a library or phase of work. Rank 0 of a communicator keeps them, and shares verdicts with its decisions.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use netsig_base::algorithm::Algorithm;
use netsig_model::predict::runtime_choice::GainCertainty;

use crate::decision::CallDecision;
use crate::size_class::CallClass;

/// Most kept findings; the oldest gives way.
const MOST_KNOWN: usize = 256;

/// Verdict of a trial: a schedule is faster than the MPI library in this program, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialVerdict {
    /// The class of calls.
    pub call_class: CallClass,
    /// The schedule.
    pub algorithm: Algorithm,
    /// True if it is faster.
    pub stays: bool,
}

/// What was found out in calls among processes, each with a hash of their ranks in `MPI_COMM_WORLD` and what it is about.
#[derive(Debug)]
pub struct KnownByRanks<K, V>(VecDeque<(u64, K, V)>);

impl<K, V> Default for KnownByRanks<K, V> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K: PartialEq, V: Copy> KnownByRanks<K, V> {
    /// Keeps a finding, in place of an earlier one on the same.
    pub fn keep(&mut self, ranks: &[c_int], key: K, found: V) {
        let these = hash(ranks);
        self.0.retain(|(of, known, _)| *of != these || *known != key);
        if self.0.len() == MOST_KNOWN {
            self.0.pop_front();
        }
        self.0.push_back((these, key, found));
    }

    /// The finding, if there is one.
    pub fn get(&self, ranks: &[c_int], key: &K) -> Option<V> {
        let these = hash(ranks);
        let mut all = self.0.iter();
        all.find(|(of, known, _)| *of == these && known == key)
            .map(|(_, _, found)| *found)
    }
}

fn hash(ranks: &[c_int]) -> u64 {
    let mut hasher = DefaultHasher::new();
    ranks.hash(&mut hasher);
    hasher.finish()
}

/// Verdicts of trials on classes of calls and schedules: true if the schedule is faster.
#[derive(Debug, Default)]
pub struct TrialVerdicts(KnownByRanks<(CallClass, Algorithm), bool>);

impl TrialVerdicts {
    /// Keeps a verdict on calls among `ranks`, in place of an earlier verdict.
    pub fn keep(&mut self, ranks: &[c_int], verdict: TrialVerdict) {
        let about = (verdict.call_class, verdict.algorithm);
        self.0.keep(ranks, about, verdict.stays);
    }

    /// Adapts a decision for calls among `ranks` to the verdict on its schedule.
    pub fn apply(&self, ranks: &[c_int], call_class: CallClass, decision: CallDecision) -> CallDecision {
        let verdict_on = |algorithm| self.0.get(ranks, &(call_class, algorithm));
        match decision.algorithm.and_then(verdict_on) {
            Some(true) => CallDecision {
                certainty: GainCertainty::Sure,
                ..decision
            },
            Some(false) => decision.library_is_as_fast(),
            None => decision,
        }
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::Collective;
    use netsig_base::units::Bytes;

    use super::*;

    #[test]
    fn the_last_verdict_holds_for_the_same_ranks_class_and_schedule() {
        let call_class = |size| CallClass {
            size,
            ..CallClass::of_pieces(Collective::Alltoall.into(), Bytes(0))
        };
        let algorithm = |name| Algorithm::parse(Collective::Alltoall, name).unwrap();
        let decision = |name| CallDecision {
            algorithm: Some(algorithm(name)),
            certainty: GainCertainty::Unsure,
            ..CallDecision::library("")
        };
        let mut verdicts = TrialVerdicts::default();
        let mut keep = |stays| {
            let verdict = TrialVerdict {
                call_class: call_class(3),
                algorithm: algorithm("pairwise-ring"),
                stays,
            };
            verdicts.keep(&[0, 2], verdict);
            let applied = |ranks: &[c_int], class, name| verdicts.apply(ranks, call_class(class), decision(name));
            for other in [
                applied(&[0, 1], 3, "pairwise-ring"),
                applied(&[0, 2], 4, "pairwise-ring"),
                applied(&[0, 2], 3, "direct"),
            ] {
                assert_eq!(other.certainty, GainCertainty::Unsure);
                assert!(other.algorithm.is_some());
            }
            applied(&[0, 2], 3, "pairwise-ring")
        };
        assert_eq!(keep(true).certainty, GainCertainty::Sure);
        assert_eq!(keep(false).algorithm, None);
    }
}
