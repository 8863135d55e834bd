//! Sizes at which the best candidate of a selection changes.
//!
//! # Method
//! A cross-over is found by bisection between two neighbouring sizes of a list whose best
//! candidates differ. The best candidate does change at the byte found, but other changes may be
//! missed: with segments from hill climbing, times jump, and the best candidate may alternate
//! several times. Between two sizes with the same best candidate there is no search, so that a
//! change from A to B and back to A is missed as well. A denser list finds more.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::select::{CandidateRanker, RankedCandidate};
use crate::model::ModelError;

/// A size from which on another candidate is the best.
#[derive(Debug, Clone, Copy)]
pub struct CrossOver<'a> {
    /// Number of processes.
    pub procs: Procs,
    /// First size at which `to` is the best.
    pub size: Bytes,
    /// Best candidate one byte before.
    pub from: RankedCandidate<'a>,
    /// Best candidate from this size on.
    pub to: RankedCandidate<'a>,
}

impl CandidateRanker<'_> {
    /// Sizes at which the best candidate changes, between ascending `sizes`. If two neighbouring sizes have
    /// different best candidates, a chain of changes leads from one to the other. Changes to another candidate and
    /// back are missed.
    ///
    /// # Errors
    /// If there is no ranking for one of the sizes.
    pub fn cross_overs(&self, procs: Procs, sizes: &[Bytes]) -> Result<Vec<CrossOver<'_>>, Refusal> {
        for &size in sizes {
            self.ranking(procs, size)?;
        }
        let mut found = Vec::new();
        for pair in sizes.windows(2) {
            let (mut low, high) = (pair[0], pair[1]);
            while let Some(next) = self.next_cross_over(procs, low, high)? {
                found.push(next);
                low = next.size;
            }
        }
        Ok(found)
    }

    /// One change of the best candidate after `low` and up to `high`, found by bisection.
    fn next_cross_over(
        &self,
        procs: Procs,
        mut low: Bytes,
        mut high: Bytes,
    ) -> Result<Option<CrossOver<'_>>, ModelError> {
        let is_same = |a: &RankedCandidate, b: &RankedCandidate| a.family() == b.family();
        let (Some(mut from), Some(mut to)) = (self.best(procs, low)?, self.best(procs, high)?) else {
            return Ok(None);
        };
        if low >= high || is_same(&from, &to) {
            return Ok(None);
        }
        while high.0 - low.0 > 1 {
            let middle = Bytes(low.0.midpoint(high.0));
            let Some(best) = self.best(procs, middle)? else {
                return Ok(None);
            };
            if is_same(&best, &from) {
                (low, from) = (middle, best);
            } else {
                (high, to) = (middle, best);
            }
        }
        Ok(Some(CrossOver {
            procs,
            size: high,
            from,
            to,
        }))
    }
}
