//! Proof of delivery: runs a schedule over symbolic data, round by round, and reports the first
//! broken rule.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::value::{BlockValue, BlockValues};
use super::{BlockAccess, BlockCounts, BlockResult, BlockSlot, Datum, Round, ScheduleError, ScheduleExtent};
use crate::units::Rank;

/// Runs a schedule over symbolic data. Checks every rule of [`schedule`](crate::schedule), and
/// that each output block ends with the data that the collective promises. A result that is combined has the
/// contribution of each rank once, in rank order where that is promised, and is the same expression on all ranks.
///
/// `round` returns the operations of a rank in a round. It is called twice per rank and round, so
/// that memory holds only one rank's round. `expected` returns the final output blocks of each
/// rank by their numbers.
///
/// # Errors
/// Returns the first broken rule.
pub fn check_delivery(
    extent: ScheduleExtent,
    round: impl Fn(Rank, usize) -> Round,
    expected: impl Fn(Rank) -> Vec<(u32, BlockResult)>,
) -> Result<(), ScheduleError> {
    let mut state = ProofState::new(&extent);
    for index in 0..extent.rounds {
        let round_check = |rank| RoundCheck {
            extent: &extent,
            index,
            rank,
            round: round(rank, index),
        };
        // All sends read the memory before any write.
        for rank in extent.procs.ranks() {
            round_check(rank).post(&mut state)?;
        }
        for rank in extent.procs.ranks() {
            round_check(rank).write(&mut state)?;
        }
        state.end_round();
    }
    let mut combined = FxHashMap::default();
    for rank in extent.procs.ranks() {
        for (block, result) in expected(rank) {
            let place = extent.blocks.place(BlockSlot::Output(block));
            let held = place.and_then(|place| state.memory(rank)[place]);
            state.check_result((rank, block), held, result, &mut combined)?;
        }
    }
    Ok(())
}

/// Checks that no rank of a barrier ends before it has heard of all others, directly or through others.
///
/// # Errors
/// Names the first rank that does not.
pub fn check_synchronisation(
    extent: ScheduleExtent,
    round: impl Fn(Rank, usize) -> Round,
) -> Result<(), ScheduleError> {
    let ranks = extent.procs.get() as usize;
    let mut heard_of: Vec<Vec<bool>> = (0..ranks)
        .map(|rank| (0..ranks).map(|other| other == rank).collect())
        .collect();
    for index in 0..extent.rounds {
        let before = heard_of.clone();
        for rank in extent.procs.ranks() {
            for send in round(rank, index).sends.iter() {
                let signs = before[rank.0 as usize].iter();
                for (heard, sign) in heard_of[send.partner.0 as usize].iter_mut().zip(signs) {
                    *heard |= sign;
                }
            }
        }
    }
    for (rank, heard) in extent.procs.ranks().zip(heard_of) {
        if let Some(missing) = extent.procs.ranks().find(|other| !heard[other.0 as usize]) {
            return Err(ScheduleError::NotSynchronised { rank, missing });
        }
    }
    Ok(())
}

/// Memory of all ranks, and the messages under way.
struct ProofState {
    /// Contents by rank and then by [`BlockCounts::place`].
    memories: Vec<Vec<Option<BlockValue>>>,
    /// All contents of blocks.
    values: BlockValues,
    /// Messages by receiver, sorted by sender and then by age, oldest first.
    inboxes: Vec<Vec<SentMessage>>,
    /// Contents of all messages of this round.
    data: Vec<BlockValue>,
    /// Marks of places in one rank's memory.
    marked_places: PlaceSet,
    /// Marks of parts in one message.
    marked_parts: PlaceSet,
}

/// A message under way.
struct SentMessage {
    from: Rank,
    /// Range of its data among those of the round.
    data: Range<usize>,
}

/// A set of places that can be cleared in constant time.
struct PlaceSet {
    /// Time of the last insertion of each place.
    insertion_times: Vec<u64>,
    epoch: u64,
}

/// Operations of one rank in one round.
struct RoundCheck<'a> {
    extent: &'a ScheduleExtent,
    index: usize,
    rank: Rank,
    round: Round,
}

impl ProofState {
    /// Creates a state in which every rank holds its input.
    fn new(extent: &ScheduleExtent) -> Self {
        let BlockCounts { input, .. } = extent.blocks;
        let total = extent.blocks.total();
        let values = BlockValues::new(extent.procs, input);
        let memory = |origin| {
            let data = (0..input).map(|block| Some(values.of_input(Datum { origin, block })));
            let mut memory: Vec<_> = data.collect();
            memory.resize(total, None);
            memory
        };
        Self {
            memories: extent.procs.ranks().map(memory).collect(),
            values,
            inboxes: extent.procs.ranks().map(|_| Vec::new()).collect(),
            data: Vec::new(),
            marked_places: PlaceSet::new(total),
            marked_parts: PlaceSet::new(extent.division.parts() as usize),
        }
    }

    fn memory(&self, rank: Rank) -> &[Option<BlockValue>] {
        &self.memories[rank.0 as usize]
    }

    /// Checks the content of an output block of a rank. `combined` has the first result of each combined block.
    fn check_result(
        &self,
        place: (Rank, u32),
        held: Option<BlockValue>,
        expected: BlockResult,
        combined: &mut FxHashMap<u32, BlockValue>,
    ) -> Result<(), ScheduleError> {
        let (rank, block) = place;
        let (number, order) = match expected {
            BlockResult::Moved(datum) if held == Some(self.values.of_input(datum)) => return Ok(()),
            BlockResult::Moved(expected) => {
                let held = held.and_then(|value| self.values.datum(value));
                return Err(ScheduleError::NotDelivered {
                    rank,
                    block,
                    held,
                    expected,
                });
            }
            BlockResult::Combined(number, order) => (number, order),
        };
        let expression = || held.map_or_else(|| "nothing".to_owned(), |value| self.values.expression(value));
        let of_block = held.filter(|value| self.values.block(*value) == number);
        let Some(value) = of_block else {
            let held = expression();
            return Err(ScheduleError::NotReduced {
                rank,
                block,
                held,
                order,
            });
        };
        match combined.get(&number) {
            Some(known) if *known == value => Ok(()),
            Some(_) => Err(ScheduleError::ResultsDiffer {
                rank,
                block,
                held: expression(),
            }),
            None if self.values.is_complete(value, order) => {
                combined.insert(number, value);
                Ok(())
            }
            None => Err(ScheduleError::NotReduced {
                rank,
                block,
                held: expression(),
                order,
            }),
        }
    }

    fn end_round(&mut self) {
        self.inboxes.iter_mut().for_each(Vec::clear);
        self.data.clear();
    }
}

impl PlaceSet {
    /// Creates an empty set of `places`.
    fn new(places: usize) -> Self {
        Self {
            insertion_times: vec![0; places],
            epoch: 0,
        }
    }

    fn clear(&mut self) {
        self.epoch += 1;
    }

    /// Inserts a place; true if it was absent.
    fn insert(&mut self, place: usize) -> bool {
        std::mem::replace(&mut self.insertion_times[place], self.epoch) != self.epoch
    }
}

impl RoundCheck<'_> {
    /// Adds the messages that this rank sends to the inboxes.
    fn post(&self, state: &mut ProofState) -> Result<(), ScheduleError> {
        for send in self.round.sends.iter() {
            let bad = ScheduleError::BadMessage {
                round: self.index,
                from: self.rank,
                to: send.partner,
            };
            if send.slots.len() > self.extent.longest_message as usize {
                return Err(bad);
            }
            let start = state.data.len();
            state.marked_places.clear();
            state.marked_parts.clear();
            for &slot in &send.slots {
                let (place, value) = self.read(slot, state)?;
                let is_new = state.marked_places.insert(place)
                    && (self.parts() == 1 || state.marked_parts.insert(self.part(slot.index())));
                if !is_new {
                    return Err(bad);
                }
                state.data.push(value);
            }
            let inbox = state.inboxes.get_mut(send.partner.0 as usize);
            inbox.ok_or(self.unmatched(self.rank, send.partner))?.push(SentMessage {
                from: self.rank,
                data: start..state.data.len(),
            });
        }
        Ok(())
    }

    /// Writes copied and received data into this rank's memory.
    fn write(&self, state: &mut ProofState) -> Result<(), ScheduleError> {
        let copied = self.round.copies.iter().map(|copy| {
            let (_, value) = self.read(copy.from, state)?;
            Ok((copy.to, value))
        });
        let mut writes: Vec<_> = copied.collect::<Result<_, _>>()?;
        self.receive(state, &mut writes)?;
        self.mark_reads(&mut state.marked_places);
        for (slot, value) in writes {
            let access = self.access(slot);
            let known_place = self.extent.blocks.place(slot);
            let place = known_place.ok_or(ScheduleError::OutsideMemory(access))?;
            if matches!(slot, BlockSlot::Input(_)) || !state.marked_places.insert(place) {
                return Err(ScheduleError::BadWrite(access));
            }
            if self.part(slot.index()) != self.part(state.values.block(value)) {
                return Err(ScheduleError::OtherPart(access));
            }
            state.memories[self.rank.0 as usize][place] = Some(value);
        }
        self.combine(state)
    }

    /// Combines blocks in this rank's memory.
    fn combine(&self, state: &mut ProofState) -> Result<(), ScheduleError> {
        for combination in &self.round.combinations {
            let (left_place, left) = self.read(combination.left, state)?;
            let (place, right) = self.read(combination.right, state)?;
            let access = self.access(combination.right);
            if matches!(combination.right, BlockSlot::Input(_)) {
                return Err(ScheduleError::BadWrite(access));
            }
            if left_place == place || state.values.block(left) != state.values.block(right) {
                return Err(ScheduleError::BadCombination(access));
            }
            state.memories[self.rank.0 as usize][place] = Some(state.values.combined(left, right));
        }
        Ok(())
    }

    /// Adds the received data with their slots to `writes`.
    fn receive(&self, state: &ProofState, writes: &mut Vec<(BlockSlot, BlockValue)>) -> Result<(), ScheduleError> {
        let mut receives: Vec<_> = self.round.receives.iter().collect();
        // The inbox is sorted by sender; receives from one sender keep their order.
        receives.sort_by_key(|receive| receive.partner);
        let mut arrivals = state.inboxes[self.rank.0 as usize].iter();
        for receive in receives {
            let next_arrival = arrivals.next();
            let fits =
                |message: &&SentMessage| message.from == receive.partner && message.data.len() == receive.slots.len();
            let first = next_arrival.map_or(receive.partner, |message| message.from.min(receive.partner));
            let matching = next_arrival.filter(fits).ok_or(self.unmatched(first, self.rank))?;
            let data = &state.data[matching.data.clone()];
            writes.extend(receive.slots.iter().copied().zip(data.iter().copied()));
        }
        match arrivals.next() {
            Some(leftover) => Err(self.unmatched(leftover.from, self.rank)),
            None => Ok(()),
        }
    }

    /// Place and content of a block. A buffer must hold the part as which it is read.
    fn read(&self, slot: BlockSlot, state: &ProofState) -> Result<(usize, BlockValue), ScheduleError> {
        let memory = state.memory(self.rank);
        let place = self.extent.blocks.place(slot);
        let held = place.and_then(|place| Some((place, memory[place]?)));
        let is_of_part = |value: BlockValue| self.part(state.values.block(value)) == self.part(slot.index());
        held.filter(|(_, value)| is_of_part(*value))
            .ok_or(ScheduleError::ReadsNothing(self.access(slot)))
    }

    fn access(&self, slot: BlockSlot) -> BlockAccess {
        BlockAccess {
            round: self.index,
            rank: self.rank,
            slot,
        }
    }

    fn parts(&self) -> u32 {
        self.extent.division.parts()
    }

    /// Number of block `index` among the parts of its piece.
    fn part(&self, index: u32) -> usize {
        (index % self.parts()) as usize
    }

    /// Marks exactly the blocks that this rank reads in this round.
    fn mark_reads(&self, places: &mut PlaceSet) {
        places.clear();
        let mut mark = |slot| {
            if let Some(place) = self.extent.blocks.place(slot) {
                places.insert(place);
            }
        };
        for send in self.round.sends.iter() {
            send.slots.iter().copied().for_each(&mut mark);
        }
        for copy in &self.round.copies {
            mark(copy.from);
        }
    }

    fn unmatched(&self, from: Rank, to: Rank) -> ScheduleError {
        ScheduleError::Unmatched {
            round: self.index,
            from,
            to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{BlockCopy, PieceDivision, RoundMessages, ScheduleMessage};
    use crate::units::{Bytes, Procs};

    use BlockSlot::{Input, Output, Scratch};

    const ABSENT_RANK: Rank = Rank(2);

    fn two_procs() -> Procs {
        Procs::new(2).unwrap()
    }

    fn message(partner: Rank, slots: &[BlockSlot]) -> RoundMessages {
        ScheduleMessage::of(partner, slots.iter().copied()).into()
    }

    /// A message to the other rank and one from there.
    fn exchange(rank: Rank, sent: &[BlockSlot], received: &[BlockSlot]) -> Round {
        let other = rank.successor(1, two_procs());
        Round {
            sends: message(other, sent),
            receives: message(other, received),
            ..Round::default()
        }
    }

    /// Each rank is to end with the first block of the other.
    fn check(division: PieceDivision, round: impl Fn(Rank) -> Round) -> Result<(), ScheduleError> {
        let extent = ScheduleExtent {
            procs: two_procs(),
            rounds: 1,
            division,
            blocks: BlockCounts {
                input: 2 * division.parts(),
                output: 2,
                scratch: 1,
                buffers: 0,
            },
            longest_message: 2,
        };
        let expected = |rank: Rank| {
            let origin = rank.successor(1, two_procs());
            vec![(0, BlockResult::Moved(Datum { origin, block: 0 }))]
        };
        check_delivery(extent, |rank, _| round(rank), expected)
    }

    /// A change to the swap of both ranks.
    fn check_swap(change: impl Fn(Rank, &mut Round)) -> Result<(), ScheduleError> {
        check(PieceDivision::whole(Bytes(1)), |rank| {
            let mut round = exchange(rank, &[Input(0)], &[Output(0)]);
            change(rank, &mut round);
            round
        })
    }

    #[test]
    fn messages_match_by_sender_in_whatever_order_receives_are_listed() {
        let listed = |all: [(Rank, BlockSlot); 2]| {
            let singles = all.map(|(partner, slot)| ScheduleMessage::single(partner, slot));
            singles.into_iter().collect()
        };
        let found = check_swap(|rank, round| {
            let other = rank.successor(1, two_procs());
            round.sends = listed([(rank, Input(1)), (other, Input(0))]);
            round.receives = listed([(other, Output(0)), (rank, Output(1))]);
        });
        assert_eq!(found, Ok(()));
    }

    #[test]
    fn broken_rules_are_found() {
        let copied = |from, to| check_swap(|_, round| round.copies.push(BlockCopy { from, to }));
        let faults = [
            check_swap(|_, round| round.receives = RoundMessages::default()),
            check_swap(|_, round| round.sends = message(ABSENT_RANK, &[Input(0)])),
            check_swap(|_, round| round.receives = message(ABSENT_RANK, &[Output(0)])),
            copied(Input(0), Output(0)),
            copied(Input(1), Scratch(1)),
        ]
        .map(|found| format!("{:?}\n", found.unwrap_err()));
        insta::assert_snapshot!(faults.concat());
    }

    #[test]
    fn blocks_of_a_message_arrive_in_order_and_as_the_parts_that_they_are() {
        let (whole, halves) = (PieceDivision::whole(Bytes(1)), PieceDivision::equal(Bytes(5), 2));
        let both = [Input(0), Input(1)];
        let three = [Input(0), Input(1), Output(0)];
        let outcomes = [
            (whole, &[Input(0)][..], &[Output(0)][..]),
            (whole, &[Input(1), Input(0)], &[Scratch(0), Output(0)]),
            (whole, &both, &[Scratch(0), Output(0)]),
            (whole, &[Input(1)], &[Output(0)]),
            (whole, &[Output(0)], &[Output(0)]),
            (whole, &both, &[Output(0)]),
            (whole, &[Input(0), Input(0)], &[Output(0), Output(1)]),
            (whole, &both, &[Output(0), Output(0)]),
            (whole, &three, &three),
            (halves, &both, &[Output(0), Output(1)]),
            (halves, &both, &[Output(0), Scratch(0)]),
            (halves, &both, &[Output(1), Output(0)]),
            (halves, &[Input(0), Input(2)], &[Output(0), Scratch(0)]),
        ]
        .map(|(division, sent, received)| {
            let found = check(division, |rank| exchange(rank, sent, received));
            let parts = division.parts();
            format!("{sent:?} → {received:?} in {parts}\n  {found:?}\n")
        });
        insta::assert_snapshot!(outcomes.concat());
    }
}
