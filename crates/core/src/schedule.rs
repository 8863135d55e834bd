//! An algorithm as data: what each rank sends, receives and copies, round by round.
//!
//! One description serves four uses: it is proved here ([`check_delivery`]), predicted
//! by a formula, simulated on a network model, and executed over MPI.
//!
//! # Meaning
//! A rank's memory is two arrays of equal blocks ([`Slot`]). Within a round, sends
//! and copies read the memory as it was when the round began; receives and copies
//! write, and the writes are seen from the next round on. So all of a round's
//! operations may proceed at once and in any order. The next round starts when all
//! of them are complete. Messages between two ranks match in the order they are listed.

use std::collections::{HashMap, HashSet, VecDeque};
use std::num::NonZeroU32;

use crate::units::{Procs, Rank};

/// A block-sized place in one rank's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// Block `i` of what the caller handed in; never written.
    Input(u32),
    /// Block `i` of what the caller gets back.
    Output(u32),
}

/// One message out: a block to one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// The receiver.
    pub to: Rank,
    /// The block that is sent.
    pub slot: Slot,
}

/// One message in: from one rank, into a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receive {
    /// The sender.
    pub from: Rank,
    /// The block that is filled.
    pub slot: Slot,
}

/// A local copy of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    /// The block read.
    pub from: Slot,
    /// The block written.
    pub to: Slot,
}

/// How many sends, and likewise how many receives, a rank keeps in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlight {
    /// Everything in the round is posted at once.
    Unlimited,
    /// The next of the list is posted only when one of so many is complete.
    AtMost(NonZeroU32),
}

/// What one rank does in one round. Posting follows the order of the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Messages out, in the order they are posted.
    pub sends: Vec<Send>,
    /// Messages in, in the order they are posted; posted before the sends.
    pub receives: Vec<Receive>,
    /// Local copies.
    pub copies: Vec<Copy>,
    /// The limit on what is in progress at once.
    pub in_flight: InFlight,
}

/// How a round of one rank, or the whole, breaks the rules; found by [`check_delivery`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A block is read before anything was put there.
    #[error("round {round}: rank {rank} reads {slot:?}, which holds nothing yet")]
    ReadsNothing {
        /// The round, from 0.
        round: usize,
        /// Who.
        rank: Rank,
        /// Where.
        slot: Slot,
    },
    /// A block is written twice in one round, written while it is read, or is input.
    #[error("round {round}: rank {rank} writes {slot:?}, which is input or in use in that round")]
    BadWrite {
        /// The round, from 0.
        round: usize,
        /// Who.
        rank: Rank,
        /// Where.
        slot: Slot,
    },
    /// A receive without its send, or a send without its receive.
    #[error("round {round}: messages from rank {from} to rank {to} do not match")]
    Unmatched {
        /// The round, from 0.
        round: usize,
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// An output block holds the wrong data, or none.
    #[error("rank {rank} ends with {held:?} in output block {block}, expected {expected:?}")]
    NotDelivered {
        /// Who.
        rank: Rank,
        /// Which output block.
        block: u32,
        /// What it holds.
        held: Option<Datum>,
        /// What it should hold.
        expected: Datum,
    },
}

/// The identity of a block of user data: input block `block` of rank `origin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Datum {
    /// The rank that handed it in.
    pub origin: Rank,
    /// Its place in that rank's input.
    pub block: u32,
}

type Memory = HashMap<Slot, Datum>;

/// Runs a schedule over symbolic data and checks every rule of this module and that
/// each output block ends with what the collective promises.
///
/// `input_blocks` is the number of input blocks of every rank, `round` gives what a
/// rank does in a round, and `expected` gives the blocks each rank must end with.
///
/// # Errors
/// The first rule that is broken.
pub fn check_delivery(
    procs: Procs,
    input_blocks: u32,
    rounds: usize,
    round: impl Fn(Rank, usize) -> Round,
    expected: impl Fn(Rank) -> Vec<Datum>,
) -> Result<(), ScheduleError> {
    let mut memories: Vec<Memory> = procs
        .ranks()
        .map(|origin| {
            (0..input_blocks)
                .map(|block| (Slot::Input(block), Datum { origin, block }))
                .collect()
        })
        .collect();
    for index in 0..rounds {
        let work: Vec<Round> = procs.ranks().map(|rank| round(rank, index)).collect();
        run_round(index, &work, &mut memories)?;
    }
    for (rank, memory) in procs.ranks().zip(&memories) {
        for (block, datum) in (0..).zip(expected(rank)) {
            let held = memory.get(&Slot::Output(block)).copied();
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

/// The data of messages under way, by sender and receiver, oldest first.
type Mailbox = HashMap<(Rank, Rank), VecDeque<Datum>>;

fn run_round(round: usize, work: &[Round], memories: &mut [Memory]) -> Result<(), ScheduleError> {
    let mut mail = Mailbox::new();
    let mut writes: Vec<Vec<(Slot, Datum)>> = Vec::with_capacity(work.len());
    for ((rank, mine), memory) in (0..).map(Rank).zip(work).zip(&*memories) {
        let read = |slot: &Slot| {
            memory
                .get(slot)
                .copied()
                .ok_or(ScheduleError::ReadsNothing {
                    round,
                    rank,
                    slot: *slot,
                })
        };
        for send in &mine.sends {
            mail.entry((rank, send.to))
                .or_default()
                .push_back(read(&send.slot)?);
        }
        let copied = mine
            .copies
            .iter()
            .map(|copy| Ok((copy.to, read(&copy.from)?)));
        writes.push(copied.collect::<Result<_, _>>()?);
    }
    for ((rank, mine), writes) in (0..).map(Rank).zip(work).zip(&mut writes) {
        for receive in &mine.receives {
            let datum = mail
                .get_mut(&(receive.from, rank))
                .and_then(VecDeque::pop_front);
            let datum = datum.ok_or(ScheduleError::Unmatched {
                round,
                from: receive.from,
                to: rank,
            })?;
            writes.push((receive.slot, datum));
        }
        check_writes(round, rank, mine, writes)?;
    }
    if let Some((&(from, to), _)) = mail.iter().find(|(_, queue)| !queue.is_empty()) {
        return Err(ScheduleError::Unmatched { round, from, to });
    }
    for (memory, writes) in memories.iter_mut().zip(writes) {
        memory.extend(writes);
    }
    Ok(())
}

fn check_writes(
    round: usize,
    rank: Rank,
    mine: &Round,
    writes: &[(Slot, Datum)],
) -> Result<(), ScheduleError> {
    let sent = mine.sends.iter().map(|send| &send.slot);
    let mut in_use: HashSet<Slot> = sent
        .chain(mine.copies.iter().map(|c| &c.from))
        .copied()
        .collect();
    for (slot, _) in writes {
        if matches!(slot, Slot::Input(_)) || !in_use.insert(*slot) {
            return Err(ScheduleError::BadWrite {
                round,
                rank,
                slot: *slot,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Procs {
        Procs::new(2).unwrap()
    }

    fn swap(rank: Rank) -> Round {
        let other = rank.ahead(1, two());
        Round {
            sends: vec![Send {
                to: other,
                slot: Slot::Input(0),
            }],
            receives: vec![Receive {
                from: other,
                slot: Slot::Output(0),
            }],
            copies: vec![],
            in_flight: InFlight::Unlimited,
        }
    }

    fn other_block(rank: Rank) -> Vec<Datum> {
        vec![Datum {
            origin: rank.ahead(1, two()),
            block: 0,
        }]
    }

    fn check(round: impl Fn(Rank) -> Round) -> Result<(), ScheduleError> {
        check_delivery(two(), 1, 1, |rank, _| round(rank), other_block)
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
                round.receives.clear();
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
    fn reading_an_empty_slot_is_found() {
        let early = |rank| {
            let mut round = swap(rank);
            round.sends[0].slot = Slot::Output(0);
            round
        };
        assert!(matches!(
            check(early),
            Err(ScheduleError::ReadsNothing { .. })
        ));
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
        assert!(matches!(check(clash), Err(ScheduleError::BadWrite { .. })));
    }

    #[test]
    fn the_wrong_data_is_found() {
        let own = |_rank| Round {
            sends: vec![],
            receives: vec![],
            copies: vec![Copy {
                from: Slot::Input(0),
                to: Slot::Output(0),
            }],
            in_flight: InFlight::Unlimited,
        };
        let result = check(own);
        assert!(matches!(result, Err(ScheduleError::NotDelivered { .. })));
    }
}
