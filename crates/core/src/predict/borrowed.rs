//! Regimes of an algorithm that was not measured: its own traffic pattern, with the parameters that
//! were fitted to another algorithm of the collective.
//!
//! # Method
//! The wire, the onset of losses and the eager limit belong to the network and to the MPI library;
//! start-ups, γ and the rate of stalls are those of an algorithm with the same pattern, or else of
//! one that exchanges everything as well. The intervals widen accordingly.
//!
//! # Domain
//! Algorithms whose pattern is an exchange, beside a measured exchange.
//!
//! # Source
//! netsig.

use crate::algorithm::Collective;
use crate::model::regimes::{Class, Pattern, Regimes};
use crate::profile::{Profile, RegimesEntry};

/// Standard deviation of ln T that is added, since γ and start-ups belong to another algorithm.
const OTHER_ALGORITHM: f64 = 0.25;

/// The regimes; `None` if no other algorithm has parameters for the pattern.
pub(super) fn regimes(
    profile: &Profile,
    collective: Collective,
    algorithm: &str,
) -> Option<RegimesEntry> {
    let pattern = Pattern::of(collective, algorithm).filter(|own| is_exchange(*own))?;
    let of_collective = profile.regimes.iter();
    let all =
        of_collective.filter(|own| own.collective == collective && is_exchange(own.model.pattern));
    let alike = all.clone().find(|own| own.model.pattern == pattern);
    let source = alike.or_else(|| all.max_by_key(|own| own.domain.procs.len()))?;
    let mut entry = RegimesEntry {
        algorithm: algorithm.to_owned(),
        class: Class::Every,
        model: Regimes {
            pattern,
            ..source.model.clone()
        },
        ..source.clone()
    };
    for error in &mut entry.errors {
        error.deviation = error.deviation.hypot(OTHER_ALGORITHM);
    }
    Some(entry)
}

fn is_exchange(pattern: Pattern) -> bool {
    matches!(pattern, Pattern::Exchange(_))
}
