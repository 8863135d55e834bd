//! Limits on the ranks, rounds and messages that can be simulated event by event.

use netsig_base::algorithm::{Collective, Schedule};
use netsig_base::units::{Procs, Rank};

use super::{MOST_RANKS, SimCase, SimulationError};
use crate::network::tcp::SEGMENT;

/// Largest number of messages; more would take hours.
const MOST_MESSAGES: u64 = 10_000_000_000;

/// Largest number of packets under TCP; where they are lost, each takes about 0.1 µs to follow.
const MOST_PACKETS: f64 = 1e9;

/// Largest number of rounds of a sampled rank. Other ranks end at most as many rounds later as
/// there are ranks, so every round number fits a `u32`.
const MOST_ROUNDS: usize = (u32::MAX - MOST_RANKS) as usize;

/// Number of rounds of a rank that are sampled to bound its number of messages.
const MOST_SAMPLED_ROUNDS: usize = 256;

/// Refuses a message in more segments than can be counted.
pub(super) fn refuse_uncounted(case: SimCase) -> Result<(), SimulationError> {
    let division = case.schedule().extent().division;
    let held = u64::from(division.parts()).saturating_mul(division.longest());
    if held < case.size.0 {
        let messages = u64::MAX;
        return Err(SimulationError::TooMany { case, messages });
    }
    Ok(())
}

/// Refuses a case with too many ranks, rounds or messages to follow each.
pub(super) fn refuse_too_many(case: SimCase) -> Result<(), SimulationError> {
    if case.procs.get() > MOST_RANKS {
        return Err(SimulationError::TooManyRanks(case));
    }
    let messages = most_messages(case);
    let schedule = case.schedule();
    let has_too_many_rounds = ranks_of_all_kinds(case.procs)
        .into_iter()
        .any(|rank| schedule.active_rounds(rank).end > MOST_ROUNDS);
    if messages > MOST_MESSAGES || has_too_many_rounds {
        return Err(SimulationError::TooMany { case, messages });
    }
    Ok(())
}

/// Refuses a case with too many packets to follow TCP's windows.
pub(super) fn refuse_too_many_packets(case: SimCase) -> Result<(), SimulationError> {
    let part = case.schedule().extent().division.longest();
    let bytes = most_messages(case) as f64 * part as f64;
    let packets = bytes / SEGMENT;
    if packets > MOST_PACKETS {
        return Err(SimulationError::TooManyPackets { case, packets });
    }
    Ok(())
}

/// Upper bound on the messages of all ranks: P times the messages of the busiest rank. Messages are counted at the
/// end away from the root, where all ranks have about equally many.
pub fn most_messages(case: SimCase) -> u64 {
    let schedule = case.schedule();
    let message_counts = ranks_of_all_kinds(case.procs).map(|rank| messages_of(&schedule, rank));
    let busiest = message_counts.into_iter().max().unwrap_or(0);
    busiest.saturating_mul(case.procs.get().into())
}

/// Root, first other rank and last rank: no rank has more messages than the busiest of these.
fn ranks_of_all_kinds(procs: Procs) -> [Rank; 3] {
    let last = procs.get() - 1;
    [0, last.min(1), last].map(Rank)
}

/// Upper bound on the messages of a rank: received messages where data spread from the root, otherwise sent ones.
/// Adds the messages of the first round, and for each other round the largest number in a sample.
fn messages_of(schedule: &Schedule, rank: Rank) -> u64 {
    let of_round = |index| {
        let round = schedule.round(rank, index);
        let messages = match schedule.algorithm().collective() {
            Collective::Bcast | Collective::Scatter => round.receives.len(),
            _ => round.sends.len(),
        };
        messages as u64
    };
    let mut rounds = schedule.active_rounds(rank);
    let first = rounds.next().map_or(0, of_round);
    let others = rounds.len() as u64;
    let step = rounds.len().div_ceil(MOST_SAMPLED_ROUNDS).max(1);
    let most = rounds.step_by(step).map(of_round).max();
    first.saturating_add(most.unwrap_or(0).saturating_mul(others))
}

#[cfg(test)]
mod tests {
    use itertools::Itertools as _;
    use netsig_base::algorithm::{ALGORITHMS, Algorithm};
    use netsig_base::units::Bytes;

    use super::*;

    /// Against the sends of all rounds of all ranks.
    #[test]
    fn no_algorithm_has_more_messages_than_the_most() {
        for (entry, procs) in ALGORITHMS.iter().cartesian_product(1..40) {
            let case = SimCase {
                algorithm: Algorithm::parse(entry.collective, &entry.example()).unwrap(),
                procs: Procs::new(procs).unwrap(),
                size: Bytes(100_000),
            };
            let schedule = case.schedule();
            let all = case.procs.ranks().cartesian_product(0..schedule.extent().rounds);
            let sends = all.map(|(rank, index)| schedule.round(rank, index).sends.len() as u64);
            let (exact, most) = (sends.sum::<u64>(), most_messages(case));
            assert!(exact <= most, "{} {procs}: {exact} {most}", case.algorithm);
        }
    }
}
