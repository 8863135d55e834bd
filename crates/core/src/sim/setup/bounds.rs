//! How much there is to follow in a case, and how much is too much.

use super::{Case, MOST_RANKS, SimulationError};
use crate::algorithm::{Collective, Schedule};
use crate::units::{Procs, Rank};

/// More messages than this would take hours.
const MOST_MESSAGES: u64 = 10_000_000_000;

/// The most rounds of a rank, so that the last of any other has a number too: no rank ends
/// more rounds later than there are ranks.
const MOST_ROUNDS: usize = (u32::MAX - MOST_RANKS) as usize;

/// How many rounds of a rank are looked at to find out how many messages it has.
const SAMPLE: usize = 256;

/// Refuses a message in more segments than can be counted.
pub(super) fn refuse_uncounted(case: Case) -> Result<(), SimulationError> {
    let division = case.schedule().extent().division;
    let held = u64::from(division.parts()).saturating_mul(division.bytes(0));
    if held < case.size.0 {
        let messages = u64::MAX;
        return Err(SimulationError::TooMany { case, messages });
    }
    Ok(())
}

/// Refuses what events cannot be followed of.
pub(super) fn refuse_too_many(case: Case) -> Result<(), SimulationError> {
    if case.procs.get() > MOST_RANKS {
        return Err(SimulationError::TooManyRanks(case));
    }
    let messages = most_messages(case);
    let schedule = case.schedule();
    let has_too_many_rounds = ranks_of_all_kinds(case.procs)
        .into_iter()
        .any(|rank| schedule.active(rank).end > MOST_ROUNDS);
    if messages > MOST_MESSAGES || has_too_many_rounds {
        return Err(SimulationError::TooMany { case, messages });
    }
    Ok(())
}

/// No fewer than the messages of all ranks: for each as many as the busiest has. They are counted
/// at the end that is not the root, where all ranks have about as many.
pub fn most_messages(case: Case) -> u64 {
    let schedule = case.schedule();
    let each = ranks_of_all_kinds(case.procs).map(|rank| messages_of(&schedule, rank));
    let each = each.into_iter().max().unwrap_or(0);
    each.saturating_mul(case.procs.get().into())
}

/// The root, the first of the others, and the last: no rank has more messages than one of
/// these.
fn ranks_of_all_kinds(procs: Procs) -> [Rank; 3] {
    let last = procs.get() - 1;
    [0, last.min(1), last].map(Rank)
}

/// No fewer than the messages that a rank receives, where data spread from the root, or else
/// sends: those of its first round, and in each of the others the most of any in a sample.
fn messages_of(schedule: &Schedule, rank: Rank) -> u64 {
    let of_round = |index| {
        let round = schedule.round(rank, index);
        let messages = match schedule.algorithm().collective() {
            Collective::Bcast | Collective::Scatter => round.receives.len(),
            Collective::Gather | Collective::Alltoall | Collective::Allgather => round.sends.len(),
        };
        messages as u64
    };
    let mut rounds = schedule.active(rank);
    let first = rounds.next().map_or(0, of_round);
    let others = rounds.len() as u64;
    let step = rounds.len().div_ceil(SAMPLE).max(1);
    let most = rounds.step_by(step).map(of_round).max();
    first.saturating_add(most.unwrap_or(0).saturating_mul(others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{ALGORITHMS, Algorithm};
    use crate::units::Bytes;

    /// Against the sends of all rounds of all ranks.
    #[test]
    fn no_algorithm_has_more_messages_than_the_most() {
        for (entry, procs) in ALGORITHMS
            .iter()
            .flat_map(|entry| (1..40).map(move |n| (entry, n)))
        {
            let case = Case {
                algorithm: Algorithm::parse(entry.collective, &entry.example()).unwrap(),
                procs: Procs::new(procs).unwrap(),
                size: Bytes(100_000),
            };
            let schedule = case.schedule();
            let rounds = schedule.extent().rounds;
            let all = case
                .procs
                .ranks()
                .flat_map(|rank| (0..rounds).map(move |index| (rank, index)));
            let sends = |(rank, index)| schedule.round(rank, index).sends.len() as u64;
            let (exact, most) = (all.map(sends).sum::<u64>(), most_messages(case));
            assert!(exact <= most, "{} {procs}: {exact} {most}", case.algorithm);
        }
    }
}
