//! A barrier by dissemination (Hensgen, Finkel and Manber 1988) in ⌈log₂ n⌉ rounds. In round k every rank sends an
//! empty message to the rank 2ᵏ after it and waits for the message of the rank 2ᵏ before it.
//!
//! All ranks do the same at any count, so that none leaves later than the others. Barriers of MPI
//! libraries release some ranks later at counts that are no power of two, and an operation after
//! them seems to take less time.

use std::iter::successors;

use mpi::point_to_point::send_receive_into_with_tags;
use mpi::topology::{Rank, SimpleCommunicator};
use mpi::traits::Communicator;

/// Tag of the messages of a barrier.
const TAG: mpi::Tag = 0x5168;

/// Waits until all ranks of `comm` have called this.
pub fn barrier(comm: &SimpleCommunicator) {
    for partners in rounds(comm.rank(), comm.size()) {
        let [after, before] = partners.map(|rank| comm.process_at_rank(rank));
        let (empty, nothing) = (&[0u8; 0], &mut [0u8; 0]);
        send_receive_into_with_tags(&empty[..], &after, TAG, &mut nothing[..], &before, TAG);
    }
}

/// The partners of `rank` among `ranks` ranks in each round: the rank after it and the rank before it.
fn rounds(rank: Rank, ranks: Rank) -> impl Iterator<Item = [Rank; 2]> {
    let powers = successors(Some(1), |distance: &Rank| distance.checked_mul(2));
    let distances = powers.take_while(move |distance| *distance < ranks);
    distances.map(move |distance| [rank + distance, rank - distance].map(|r| r.rem_euclid(ranks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rank that has heard of all, directly or through others, has waited for all.
    #[test]
    fn every_rank_hears_of_all_others() {
        for ranks in 1..=33 {
            let partners: Vec<Vec<[Rank; 2]>> = (0..ranks).map(|r| rounds(r, ranks).collect()).collect();
            let mut heard: Vec<u64> = (0..ranks).map(|rank| 1 << rank).collect();
            for index in 0..partners[0].len() {
                let heard_before = heard.clone();
                for (rank, rounds) in partners.iter().enumerate() {
                    let before = usize::try_from(rounds[index][1]).unwrap();
                    let [back, _] = partners[before][index];
                    assert_eq!(usize::try_from(back).unwrap(), rank);
                    heard[rank] |= heard_before[before];
                }
            }
            let all = (1u64 << ranks) - 1;
            assert!(heard.iter().all(|known| *known == all), "{ranks} ranks");
        }
    }
}
