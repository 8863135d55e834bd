//! All-to-all in few rounds: other ranks relay the blocks, and each round handles one digit of
//! their distance.
//!
//! # Formula
//! The block of rank i for rank i + j (modulo P) has distance j, written in base r with ⌈log P / log r⌉ digits. In
//! round x it moves on by rˣ·z ranks, z = ⌊j/rˣ⌋ mod r, if z > 0. For each z = 1 … r − 1, a rank thus sends one
//! message to rank i + z·rˣ. It carries all blocks with that digit: of the P distances j < P, those with ⌊j/rˣ⌋ mod r
//! = z.
//!
//! # Source
//! Bruck, Ho, Kipnis, Upfal, Weathersby 1997 (TPDS). The rotations at both ends are left out: a
//! block starts in the caller's input and ends in the caller's output. In between it alternates
//! between its final place and the scratch memory, so that no round overwrites the data that it
//! sends (Träff, Rougier, Hunold 2014, who call this zero-copy). All messages of a round are sent
//! at once.

use super::offer::{intel, mpich, tuned};
use super::setting::RADIX;
use super::traffic::AlgorithmTraffic;
use super::{AlgorithmEntry, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape, alltoall};
use crate::schedule::{BlockSlot, Round, ScheduleMessage};
use crate::units::{Procs, Rank};

pub(super) const BRUCK: AlgorithmEntry = AlgorithmEntry {
    name: "bruck",
    collective: Collective::Alltoall,
    summary: "one digit of the distance, in base RADIX, in each of ceil(log n) rounds",
    settings: &[RADIX],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(outline, round),
    traffic: Some(AlgorithmTraffic::Digits),
    closed_form: None,
    offered: &[
        tuned(3, "modified_bruck", Some(AlgorithmTraffic::Digits)).with_radix(2),
        mpich("brucks", Some(AlgorithmTraffic::Digits)).with_radix(2),
        intel(1, "bruck", Some(AlgorithmTraffic::Digits)).with_radix(2),
    ],
};

fn rounds(shape: ScheduleShape) -> usize {
    weights(shape.procs, shape.setting_value(RADIX)).count().max(1)
}

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    let (procs, radix) = (shape.procs, shape.setting_value(RADIX));
    let block_counts = weights(procs, radix).map(|weight| {
        let moves = BruckMove {
            weight,
            radix,
            digit: 1,
        };
        moves.distances(procs).count()
    });
    let longest = u32::try_from(block_counts.max().unwrap_or(1)).expect("fewer than ranks");
    ScheduleOutline {
        rounds: rounds(shape),
        scratch: procs.get().saturating_sub(radix).saturating_sub(1),
        buffers: 0,
        longest_message: longest,
    }
}

/// Work of one rank in Bruck's algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BruckWork {
    /// Number of rounds.
    pub rounds: u64,
    /// Number of messages that the rank sends.
    pub messages: u64,
    /// Number of blocks in these messages.
    pub blocks: u64,
}

/// Work of one of `procs` ranks in base `radix`.
pub fn bruck_work(procs: Procs, radix: u32) -> BruckWork {
    let moves = weights(procs, radix).flat_map(|weight| {
        let digits = (1..u64::from(radix)).take_while(move |digit| weight * digit < procs.get().into());
        digits.map(move |digit| (weight, digit))
    });
    let n = u64::from(procs.get());
    let none = BruckWork {
        rounds: weights(procs, radix).count() as u64,
        messages: 0,
        blocks: 0,
    };
    moves.fold(none, |all, (weight, digit)| {
        let period = weight * u64::from(radix);
        let rest = (n % period).saturating_sub(weight * digit).min(weight);
        BruckWork {
            messages: all.messages + 1,
            blocks: all.blocks + n / period * weight + rest,
            ..all
        }
    })
}

/// 1, r, r², … below the number of ranks.
fn weights(procs: Procs, radix: u32) -> impl Iterator<Item = u64> {
    let power = move |weight: &u64| weight.checked_mul(radix.into());
    std::iter::successors(Some(1), power).take_while(move |&weight| weight < procs.get().into())
}

/// The move of all blocks whose distance has `digit` at the place of `weight`.
#[derive(Debug, Clone, Copy)]
struct BruckMove {
    weight: u64,
    radix: u32,
    digit: u32,
}

impl BruckMove {
    /// Number of ranks that the blocks move on by.
    fn rank_offset(self) -> u64 {
        self.weight * u64::from(self.digit)
    }

    /// The distances of the blocks, ascending.
    fn distances(self, procs: Procs) -> impl Iterator<Item = u32> {
        let period = self.weight * u64::from(self.radix);
        let starts =
            (self.rank_offset()..u64::from(procs.get())).step_by(usize::try_from(period).unwrap_or(usize::MAX));
        let all = starts.flat_map(move |start| start..start + self.weight);
        all.map_while(move |distance| u32::try_from(distance).ok())
            .take_while(move |&distance| distance < procs.get())
    }

    /// Number of moves that a block of this distance makes before this move, and from this move on.
    fn moves_before_and_left(self, distance: u32) -> (u32, u32) {
        let (mut before, mut left, mut weight) = (0, 0, 1);
        while weight <= u64::from(distance) {
            let moves = !(u64::from(distance) / weight).is_multiple_of(self.radix.into());
            if weight < self.weight {
                before += u32::from(moves);
            } else {
                left += u32::from(moves);
            }
            weight *= u64::from(self.radix);
        }
        (before, left)
    }
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let (procs, radix) = (shape.procs, shape.setting_value(RADIX));
    let weight = weights(procs, radix).nth(index);
    let round_moves = weight.into_iter().flat_map(|weight| {
        let digits = (1..radix).map(move |digit| BruckMove { weight, radix, digit });
        digits.take_while(|moves| moves.rank_offset() < u64::from(procs.get()))
    });
    let moves_and_offsets: Vec<(BruckMove, u32)> = round_moves
        .map(|moves| (moves, u32::try_from(moves.rank_offset()).expect("less than ranks")))
        .collect();
    let own_copy = (index == 0).then(|| alltoall::copy_to_output(rank.0));
    Round {
        sends: moves_and_offsets
            .iter()
            .map(|&(moves, offset)| ScheduleMessage::of(rank.successor(offset, procs), sent_slots(shape, rank, moves)))
            .collect(),
        receives: moves_and_offsets
            .iter()
            .map(|&(moves, offset)| {
                ScheduleMessage::of(rank.predecessor(offset, procs), received_slots(shape, rank, moves))
            })
            .collect(),
        copies: own_copy.into_iter().collect(),
        ..Round::default()
    }
}

fn sent_slots(shape: ScheduleShape, rank: Rank, moves: BruckMove) -> impl Iterator<Item = BlockSlot> {
    moves
        .distances(shape.procs)
        .map(move |distance| match moves.moves_before_and_left(distance) {
            (0, _) => BlockSlot::Input(rank.successor(distance, shape.procs).0),
            (_, left) => relayed_slot(shape, rank, distance, left),
        })
}

fn received_slots(shape: ScheduleShape, rank: Rank, moves: BruckMove) -> impl Iterator<Item = BlockSlot> {
    moves.distances(shape.procs).map(move |distance| {
        let (_, left) = moves.moves_before_and_left(distance);
        relayed_slot(shape, rank, distance, left - 1)
    })
}

/// Slot of a relayed block, by its distance and its number of moves left. Only distances with two digits other than
/// zero, r + 1 and more, need memory between two moves.
fn relayed_slot(shape: ScheduleShape, rank: Rank, distance: u32, left: u32) -> BlockSlot {
    if left.is_multiple_of(2) {
        BlockSlot::Output(rank.predecessor(distance, shape.procs).0)
    } else {
        BlockSlot::Scratch(distance - shape.setting_value(RADIX) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use crate::testing::procs;
    use crate::units::Bytes;

    /// Checks messages against digits that are counted as in the formula.
    #[test]
    fn messages_carry_the_blocks_of_their_digit() {
        let radices = [2, 3, 4, 7, 39, 64];
        for (count, radix) in (1..40u32).flat_map(|count| radices.map(|radix| (count, radix))) {
            let algorithm = Algorithm::parse(Collective::Alltoall, &format!("bruck:{radix}"));
            let schedule = algorithm.unwrap().schedule(procs(count), Bytes(1));
            let extent = schedule.extent();
            let mut weight = 1;
            for index in 0..extent.rounds {
                let with = |z| (0..count).filter(move |i| i / weight % radix == z).count();
                let expected: Vec<usize> = (1..radix).map(with).filter(|&n| n > 0).collect();
                let round = schedule.round(Rank(count / 2), index);
                let sent: Vec<usize> = round.sends.iter().map(|send| send.slots.len()).collect();
                assert_eq!(sent, expected, "{radix} among {count}");
                weight *= radix;
            }
            assert!(weight >= count, "all digits have their round");
            assert!(extent.rounds > 1 || extent.blocks.scratch == 0, "{radix}");
        }
    }
}
