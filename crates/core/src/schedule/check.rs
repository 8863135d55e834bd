//! Runs a schedule over symbolic data, one round after another, and finds what breaks the
//! rules.

use std::ops::Range;

use super::{Access, BlockCounts, Datum, Extent, Round, ScheduleError, Slot};
use crate::units::Rank;

/// Runs a schedule over symbolic data and checks every rule of
/// [`schedule`](crate::schedule) and that each output block ends with what the collective
/// promises.
///
/// `round` gives what a rank does in a round. It is asked twice, so that no more than one
/// rank's round is in memory. `expected` gives the blocks each rank must end with.
///
/// # Errors
/// The first rule that is broken.
pub fn check_delivery(
    extent: Extent,
    round: impl Fn(Rank, usize) -> Round,
    expected: impl Fn(Rank) -> Vec<Datum>,
) -> Result<(), ScheduleError> {
    let mut state = State::new(&extent);
    for index in 0..extent.rounds {
        let task = |rank| Task {
            extent: &extent,
            index,
            rank,
            round: round(rank, index),
        };
        // All sends have read the memory before anything is written.
        for rank in extent.procs.ranks() {
            task(rank).post(&mut state)?;
        }
        for rank in extent.procs.ranks() {
            task(rank).write(&mut state)?;
        }
        state.end_round();
    }
    for rank in extent.procs.ranks() {
        for (block, datum) in (0..).zip(expected(rank)) {
            let place = extent.blocks.place(Slot::Output(block));
            let held = place.and_then(|place| state.memory(rank)[place]);
            if held != Some(datum) {
                return Err(ScheduleError::NotDelivered {
                    rank,
                    block,
                    held,
                    expected: datum,
                });
            }
        }
    }
    Ok(())
}

/// All ranks' memory and the messages under way.
struct State {
    /// By rank and then by [`BlockCounts::place`].
    memories: Vec<Vec<Option<Datum>>>,
    /// By receiver; in each by sender, and of the same sender oldest first.
    mail: Vec<Vec<Letter>>,
    /// What all letters of this round carry.
    data: Vec<Datum>,
    /// Of places in one rank's memory.
    marks: Marks,
    /// Of parts in one message.
    parts: Marks,
}

/// A message under way.
struct Letter {
    from: Rank,
    /// Where its data are among those of the round.
    data: Range<usize>,
}

/// A set of places that is emptied at no cost.
struct Marks {
    /// When each place was last put in.
    times: Vec<u64>,
    now: u64,
}

/// What one rank does in one round.
struct Task<'a> {
    extent: &'a Extent,
    index: usize,
    rank: Rank,
    round: Round,
}

impl State {
    /// Every rank holds its input.
    fn new(extent: &Extent) -> Self {
        let BlockCounts { input, .. } = extent.blocks;
        let total = extent.blocks.total();
        let memory = |origin| {
            let data = (0..input).map(|block| Some(Datum { origin, block }));
            let mut memory: Vec<_> = data.collect();
            memory.resize(total, None);
            memory
        };
        Self {
            memories: extent.procs.ranks().map(memory).collect(),
            mail: extent.procs.ranks().map(|_| Vec::new()).collect(),
            data: Vec::new(),
            marks: Marks::new(total),
            parts: Marks::new(extent.division.parts() as usize),
        }
    }

    fn memory(&self, rank: Rank) -> &[Option<Datum>] {
        &self.memories[rank.0 as usize]
    }

    fn end_round(&mut self) {
        self.mail.iter_mut().for_each(Vec::clear);
        self.data.clear();
    }
}

impl Marks {
    /// For so many places.
    fn new(places: usize) -> Self {
        Self {
            times: vec![0; places],
            now: 0,
        }
    }

    fn clear(&mut self) {
        self.now += 1;
    }

    /// Puts a place in; tells whether it was not there yet.
    fn insert(&mut self, place: usize) -> bool {
        std::mem::replace(&mut self.times[place], self.now) != self.now
    }
}

impl Task<'_> {
    /// Puts the messages out into the mail.
    fn post(&self, state: &mut State) -> Result<(), ScheduleError> {
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
            state.marks.clear();
            state.parts.clear();
            for &slot in &send.slots {
                let (place, datum) = self.read(slot, state)?;
                let is_new = state.marks.insert(place)
                    && (self.parts() == 1 || state.parts.insert(self.part(slot.index())));
                if !is_new {
                    return Err(bad);
                }
                state.data.push(datum);
            }
            let inbox = state.mail.get_mut(send.partner.0 as usize);
            inbox
                .ok_or(self.unmatched(self.rank, send.partner))?
                .push(Letter {
                    from: self.rank,
                    data: start..state.data.len(),
                });
        }
        Ok(())
    }

    /// Puts what is copied and what came by mail into this rank's memory.
    fn write(&self, state: &mut State) -> Result<(), ScheduleError> {
        let copied = self.round.copies.iter().map(|copy| {
            let (_, datum) = self.read(copy.from, state)?;
            Ok((copy.to, datum))
        });
        let mut writes: Vec<_> = copied.collect::<Result<_, _>>()?;
        self.receive(state, &mut writes)?;
        self.mark_reads(&mut state.marks);
        for (slot, datum) in writes {
            let access = self.access(slot);
            let place = self.extent.blocks.place(slot);
            let place = place.ok_or(ScheduleError::OutsideMemory(access))?;
            if matches!(slot, Slot::Input(_)) || !state.marks.insert(place) {
                return Err(ScheduleError::BadWrite(access));
            }
            if self.part(slot.index()) != self.part(datum.block) {
                return Err(ScheduleError::OtherPart(access));
            }
            state.memories[self.rank.0 as usize][place] = Some(datum);
        }
        Ok(())
    }

    /// Adds what the mail puts where to `writes`.
    fn receive(&self, state: &State, writes: &mut Vec<(Slot, Datum)>) -> Result<(), ScheduleError> {
        let mut receives: Vec<_> = self.round.receives.iter().collect();
        // As the mail is; those from one sender stay in their order.
        receives.sort_by_key(|receive| receive.partner);
        let mut letters = state.mail[self.rank.0 as usize].iter();
        for receive in receives {
            let letter = letters.next();
            let fits = |letter: &&Letter| {
                letter.from == receive.partner && letter.data.len() == receive.slots.len()
            };
            let first = letter.map_or(receive.partner, |letter| letter.from.min(receive.partner));
            let letter = letter
                .filter(fits)
                .ok_or(self.unmatched(first, self.rank))?;
            let data = &state.data[letter.data.clone()];
            writes.extend(receive.slots.iter().copied().zip(data.iter().copied()));
        }
        match letters.next() {
            Some(letter) => Err(self.unmatched(letter.from, self.rank)),
            None => Ok(()),
        }
    }

    /// What a block holds, and its place.
    fn read(&self, slot: Slot, state: &State) -> Result<(usize, Datum), ScheduleError> {
        let memory = state.memory(self.rank);
        let held = self.extent.blocks.place(slot);
        held.and_then(|place| Some((place, memory[place]?)))
            .ok_or(ScheduleError::ReadsNothing(self.access(slot)))
    }

    fn access(&self, slot: Slot) -> Access {
        Access {
            round: self.index,
            rank: self.rank,
            slot,
        }
    }

    fn parts(&self) -> u32 {
        self.extent.division.parts()
    }

    /// Which part of its piece block `index` is.
    fn part(&self, index: u32) -> usize {
        (index % self.parts()) as usize
    }

    /// Marks what this rank reads in this round, and nothing else.
    fn mark_reads(&self, marks: &mut Marks) {
        marks.clear();
        let mut mark = |slot| {
            if let Some(place) = self.extent.blocks.place(slot) {
                marks.insert(place);
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
    use smallvec::smallvec;

    use super::*;
    use crate::schedule::{Copy, Division, Message, Messages};
    use crate::units::{Bytes, Procs};

    fn two() -> Procs {
        Procs::new(2).unwrap()
    }

    fn message(partner: Rank, slots: &[Slot]) -> Messages {
        Message::of(partner, slots.iter().copied()).into()
    }

    fn swap(rank: Rank) -> Round {
        let other = rank.ahead(1, two());
        Round {
            sends: message(other, &[Slot::Input(0)]),
            receives: message(other, &[Slot::Output(0)]),
            ..Round::default()
        }
    }

    fn other_block(rank: Rank) -> Vec<Datum> {
        vec![Datum {
            origin: rank.ahead(1, two()),
            block: 0,
        }]
    }

    fn check(round: impl Fn(Rank) -> Round) -> Result<(), ScheduleError> {
        check_divided(Division::whole(Bytes(1)), round)
    }

    fn check_divided(
        division: Division,
        round: impl Fn(Rank) -> Round,
    ) -> Result<(), ScheduleError> {
        let extent = Extent {
            procs: two(),
            rounds: 1,
            division,
            blocks: BlockCounts {
                input: 2 * division.parts(),
                output: 2,
                scratch: 1,
            },
            longest_message: 2,
        };
        check_delivery(extent, |rank, _| round(rank), other_block)
    }

    #[test]
    fn a_swap_delivers() {
        assert_eq!(check(swap), Ok(()));
    }

    #[test]
    fn a_missing_receive_is_found() {
        let lame = |rank| {
            let mut round = swap(rank);
            if rank == Rank(1) {
                round.receives = Messages::default();
            }
            round
        };
        let unmatched = ScheduleError::Unmatched {
            round: 0,
            from: Rank(0),
            to: Rank(1),
        };
        assert_eq!(check(lame), Err(unmatched));
    }

    #[test]
    fn a_partner_who_does_not_exist_is_found() {
        let ghost = Rank(2);
        let to_ghost = |rank| {
            let mut round = swap(rank);
            round.sends = message(ghost, &[Slot::Input(0)]);
            round
        };
        let from_ghost = |rank| {
            let mut round = swap(rank);
            round.receives = message(ghost, &[Slot::Output(0)]);
            round
        };
        let unmatched = |to| ScheduleError::Unmatched {
            round: 0,
            from: Rank(0),
            to,
        };
        assert_eq!(check(to_ghost), Err(unmatched(ghost)));
        // The receiver has mail from rank 0 that it does not ask for.
        let found = check(|rank| {
            if rank == Rank(1) {
                from_ghost(rank)
            } else {
                swap(rank)
            }
        });
        assert_eq!(found, Err(unmatched(Rank(1))));
    }

    #[test]
    fn messages_match_by_sender_in_whatever_order_receives_are_listed() {
        let to_itself_and_other = |rank: Rank| {
            let other = rank.ahead(1, two());
            let sends = [(rank, Slot::Input(1)), (other, Slot::Input(0))];
            let receives = [(other, Slot::Output(0)), (rank, Slot::Output(1))];
            let listed = |all: [(Rank, Slot); 2]| {
                let all = all.into_iter();
                all.map(|(partner, slot)| Message::single(partner, slot))
                    .collect()
            };
            Round {
                sends: listed(sends),
                receives: listed(receives),
                ..Round::default()
            }
        };
        assert_eq!(check(to_itself_and_other), Ok(()));
    }

    #[test]
    fn reading_an_empty_slot_is_found() {
        let early = |rank| {
            let mut round = swap(rank);
            round.sends = message(rank.ahead(1, two()), &[Slot::Output(0)]);
            round
        };
        assert!(matches!(check(early), Err(ScheduleError::ReadsNothing(..))));
    }

    #[test]
    fn writing_what_is_in_use_is_found() {
        let clash = |rank| {
            let mut round = swap(rank);
            round.copies.push(Copy {
                from: Slot::Input(0),
                to: Slot::Output(0),
            });
            round
        };
        assert!(matches!(check(clash), Err(ScheduleError::BadWrite(..))));
    }

    #[test]
    fn writing_outside_memory_is_found() {
        let astray = |rank| {
            let mut round = swap(rank);
            round.copies.push(Copy {
                from: Slot::Input(1),
                to: Slot::Scratch(1),
            });
            round
        };
        assert!(matches!(
            check(astray),
            Err(ScheduleError::OutsideMemory(..))
        ));
    }

    /// A swap that sends `sent` and receives into `received`.
    fn check_message(sent: &[Slot], received: &[Slot]) -> Result<(), ScheduleError> {
        check(|rank| {
            let mut round = swap(rank);
            let other = rank.ahead(1, two());
            round.sends = message(other, sent);
            round.receives = message(other, received);
            round
        })
    }

    #[test]
    fn blocks_of_a_message_arrive_in_order() {
        use Slot::{Input, Output, Scratch};
        assert_eq!(
            check_message(&[Input(1), Input(0)], &[Scratch(0), Output(0)]),
            Ok(())
        );
        assert!(matches!(
            check_message(&[Input(0), Input(1)], &[Scratch(0), Output(0)]),
            Err(ScheduleError::NotDelivered { .. })
        ));
    }

    #[test]
    fn wrong_lengths_and_repeated_blocks_are_found() {
        use Slot::{Input, Output};
        assert!(matches!(
            check_message(&[Input(0), Input(1)], &[Output(0)]),
            Err(ScheduleError::Unmatched { .. })
        ));
        assert!(matches!(
            check_message(&[Input(0), Input(0)], &[Output(0), Output(1)]),
            Err(ScheduleError::BadMessage { .. })
        ));
        assert!(matches!(
            check_message(&[Input(0), Input(1)], &[Output(0), Output(0)]),
            Err(ScheduleError::BadWrite(..))
        ));
        let three = [Input(0), Input(1), Output(0)];
        assert!(matches!(
            check_message(&three, &three),
            Err(ScheduleError::BadMessage { .. })
        ));
    }

    #[test]
    fn parts_of_a_piece_stay_what_they_are() {
        use Slot::{Input, Output, Scratch};
        let halves = Division::equal(Bytes(5), 2);
        let sending = |sent: [Slot; 2], received: [Slot; 2]| {
            check_divided(halves, |rank| {
                let mut round = swap(rank);
                let other = rank.ahead(1, two());
                round.sends = message(other, &sent);
                round.receives = message(other, &received);
                round
            })
        };
        let both = [Input(0), Input(1)];
        assert_eq!(sending(both, [Output(0), Output(1)]), Ok(()));
        let crossed = sending(both, [Output(0), Scratch(0)]);
        assert!(matches!(crossed, Err(ScheduleError::OtherPart(..))));
        let turned = sending(both, [Output(1), Output(0)]);
        assert!(matches!(turned, Err(ScheduleError::OtherPart(..))));
        let same_half_twice = sending([Input(0), Input(2)], [Output(0), Scratch(0)]);
        assert!(matches!(
            same_half_twice,
            Err(ScheduleError::BadMessage { .. })
        ));
    }

    #[test]
    fn the_wrong_data_is_found() {
        let own = |_rank| Round {
            copies: smallvec![Copy {
                from: Slot::Input(0),
                to: Slot::Output(0),
            }],
            ..Round::default()
        };
        let result = check(own);
        assert!(matches!(result, Err(ScheduleError::NotDelivered { .. })));
    }
}
