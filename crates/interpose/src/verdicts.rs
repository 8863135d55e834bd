//! What trials have shown, for further communicators of the same processes: programs duplicate them for each plan of a
//! library or phase of work. Rank 0 of a communicator keeps and applies it, and shares it with its decisions.

use std::collections::VecDeque;
use std::ffi::c_int;

use netsig_base::algorithm::Algorithm;

use crate::choice::{Certainty, Decision};
use crate::size_class::Place;

/// Most verdicts that are kept; the oldest gives way.
const MOST: usize = 256;

/// Whether a schedule is faster than the MPI library in this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialVerdict {
    /// The class of calls.
    pub place: Place,
    /// The schedule.
    pub algorithm: Algorithm,
    /// True if it is faster.
    pub stays: bool,
}

/// Verdicts by the ranks in `MPI_COMM_WORLD` of the processes.
#[derive(Debug, Default)]
pub struct TrialVerdicts(VecDeque<(Vec<c_int>, TrialVerdict)>);

impl TrialVerdicts {
    /// Keeps a verdict on calls among these ranks, in place of an earlier one.
    pub fn keep(&mut self, ranks: &[c_int], verdict: TrialVerdict) {
        let TrialVerdict { place, algorithm, .. } = verdict;
        self.0
            .retain(|(of, known)| of != ranks || (known.place, known.algorithm) != (place, algorithm));
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((ranks.to_vec(), verdict));
    }

    /// A decision for calls among these ranks, in view of the verdict on its schedule.
    pub fn applied(&self, ranks: &[c_int], place: Place, decision: Decision) -> Decision {
        let is_about = |(of, known): &&(Vec<c_int>, TrialVerdict)| {
            of == ranks && known.place == place && Some(known.algorithm) == decision.algorithm
        };
        match self.0.iter().find(is_about) {
            Some((_, TrialVerdict { stays: true, .. })) => Decision {
                certainty: Certainty::Sure,
                ..decision
            },
            Some(_) => decision.as_fast(),
            None => decision,
        }
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::Collective;

    use super::*;

    #[test]
    fn the_last_verdict_holds_for_the_same_ranks_class_and_schedule() {
        let place = (Collective::Alltoall, 3);
        let algorithm = |name| Algorithm::parse(Collective::Alltoall, name).unwrap();
        let decision = |name| Decision {
            algorithm: Some(algorithm(name)),
            certainty: Certainty::Unsure,
            ..Decision::library("")
        };
        let mut verdicts = TrialVerdicts::default();
        let mut keep = |stays| {
            let verdict = TrialVerdict {
                place,
                algorithm: algorithm("pairwise-ring"),
                stays,
            };
            verdicts.keep(&[0, 2], verdict);
            let applied =
                |ranks: &[c_int], class, name| verdicts.applied(ranks, (Collective::Alltoall, class), decision(name));
            for other in [
                applied(&[0, 1], 3, "pairwise-ring"),
                applied(&[0, 2], 4, "pairwise-ring"),
                applied(&[0, 2], 3, "direct"),
            ] {
                assert_eq!(other.certainty, Certainty::Unsure);
                assert!(other.algorithm.is_some());
            }
            applied(&[0, 2], 3, "pairwise-ring")
        };
        assert_eq!(keep(true).certainty, Certainty::Sure);
        assert_eq!(keep(false).algorithm, None);
    }
}
