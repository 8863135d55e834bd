//! An algorithm as data: what each rank sends, receives and copies, round by round.
//!
//! One description serves four uses: it is proved here ([`check_delivery`]), predicted
//! by a formula, simulated on a network model, and executed over MPI.
//!
//! # Meaning
//! A rank's memory is three arrays of equal blocks ([`Slot`]). A message carries any
//! number of blocks; the receiver takes them in the order in which the sender lists
//! them. Within a round, sends and copies read the memory as it was when the round
//! began; receives and copies write, and the writes are seen from the next round on. So
//! all of a round's operations may proceed at once and in any order. The next round
//! starts when all of them are complete. Messages between two ranks match in the order
//! they are listed.

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
    /// Block `i` of the memory for data on their way to other ranks.
    Scratch(u32),
}

/// How many blocks of each kind every rank has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockCounts {
    /// Blocks that the caller hands in.
    pub input: u32,
    /// Blocks that the caller gets back.
    pub output: u32,
    /// Blocks for data on their way to other ranks.
    pub scratch: u32,
}

/// The outer measures of a schedule, the same for all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Who takes part.
    pub procs: Procs,
    /// The number of rounds.
    pub rounds: usize,
    /// The memory that it needs.
    pub blocks: BlockCounts,
    /// No message has more blocks.
    pub longest_message: u32,
}

/// One message out: blocks to one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// The receiver.
    pub to: Rank,
    /// The blocks that are sent, all different.
    pub slots: Vec<Slot>,
}

/// One message in: from one rank, into blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receive {
    /// The sender.
    pub from: Rank,
    /// The blocks that are filled, as many as were sent and in that order.
    pub slots: Vec<Slot>,
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
    /// A block is written that the rank does not have.
    #[error("round {round}: rank {rank} writes {slot:?}, more than it has memory for")]
    OutsideMemory {
        /// The round, from 0.
        round: usize,
        /// Who.
        rank: Rank,
        /// Where.
        slot: Slot,
    },
    /// A message is longer than the schedule says, or has a block twice.
    #[error("round {round}: rank {from} sends rank {to} too long a message or a block twice")]
    BadMessage {
        /// The round, from 0.
        round: usize,
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// A receive without its send, a send without its receive, or one of another length.
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
/// `round` gives what a rank does in a round, and `expected` gives the blocks each rank
/// must end with.
///
/// # Errors
/// The first rule that is broken.
pub fn check_delivery(
    extent: Extent,
    round: impl Fn(Rank, usize) -> Round,
    expected: impl Fn(Rank) -> Vec<Datum>,
) -> Result<(), ScheduleError> {
    let mut memories: Vec<Memory> = extent
        .procs
        .ranks()
        .map(|origin| {
            (0..extent.blocks.input)
                .map(|block| (Slot::Input(block), Datum { origin, block }))
                .collect()
        })
        .collect();
    for index in 0..extent.rounds {
        let ranks = extent.procs.ranks();
        let work: Vec<Round> = ranks.map(|rank| round(rank, index)).collect();
        run_round(&extent, index, &work, &mut memories)?;
    }
    for (rank, memory) in extent.procs.ranks().zip(&memories) {
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

/// Messages under way, by sender and receiver, oldest first.
type Mailbox = HashMap<(Rank, Rank), VecDeque<Vec<Datum>>>;

/// What one rank does in one round, in its memory as it was before.
struct Task<'a> {
    extent: &'a Extent,
    index: usize,
    rank: Rank,
    round: &'a Round,
    memory: &'a Memory,
}

fn run_round(
    extent: &Extent,
    index: usize,
    work: &[Round],
    memories: &mut [Memory],
) -> Result<(), ScheduleError> {
    let task = |((rank, round), memory)| Task {
        extent,
        index,
        rank,
        round,
        memory,
    };
    let tasks: Vec<Task> = (0..)
        .map(Rank)
        .zip(work)
        .zip(&*memories)
        .map(task)
        .collect();
    let mut mail = Mailbox::new();
    for task in &tasks {
        task.post(&mut mail)?;
    }
    let writes: Vec<_> = tasks
        .iter()
        .map(|task| task.writes(&mut mail))
        .collect::<Result<_, _>>()?;
    if let Some((&(from, to), _)) = mail.iter().find(|(_, queue)| !queue.is_empty()) {
        return Err(ScheduleError::Unmatched {
            round: index,
            from,
            to,
        });
    }
    for (memory, writes) in memories.iter_mut().zip(writes) {
        memory.extend(writes);
    }
    Ok(())
}

impl Task<'_> {
    /// Puts the messages out into the mail.
    fn post(&self, mail: &mut Mailbox) -> Result<(), ScheduleError> {
        for send in &self.round.sends {
            let mut slots = send.slots.clone();
            slots.sort_unstable();
            let has_one_twice = slots.windows(2).any(|two| two[0] == two[1]);
            if has_one_twice || slots.len() > self.extent.longest_message as usize {
                return Err(ScheduleError::BadMessage {
                    round: self.index,
                    from: self.rank,
                    to: send.to,
                });
            }
            let data = send.slots.iter().map(|&slot| self.read(slot));
            mail.entry((self.rank, send.to))
                .or_default()
                .push_back(data.collect::<Result<_, _>>()?);
        }
        Ok(())
    }

    /// What copies and the messages in the mail put into this rank's memory.
    fn writes(&self, mail: &mut Mailbox) -> Result<Vec<(Slot, Datum)>, ScheduleError> {
        let copied = self
            .round
            .copies
            .iter()
            .map(|copy| Ok((copy.to, self.read(copy.from)?)));
        let mut writes: Vec<_> = copied.collect::<Result<_, _>>()?;
        for receive in &self.round.receives {
            let data = mail
                .get_mut(&(receive.from, self.rank))
                .and_then(VecDeque::pop_front)
                .filter(|data| data.len() == receive.slots.len())
                .ok_or(ScheduleError::Unmatched {
                    round: self.index,
                    from: receive.from,
                    to: self.rank,
                })?;
            writes.extend(receive.slots.iter().copied().zip(data));
        }
        self.check_writes(&writes)?;
        Ok(writes)
    }

    fn read(&self, slot: Slot) -> Result<Datum, ScheduleError> {
        let held = self.memory.get(&slot).copied();
        held.ok_or(ScheduleError::ReadsNothing {
            round: self.index,
            rank: self.rank,
            slot,
        })
    }

    fn check_writes(&self, writes: &[(Slot, Datum)]) -> Result<(), ScheduleError> {
        let (round, rank) = (self.index, self.rank);
        let sent = self.round.sends.iter().flat_map(|send| &send.slots);
        let copied = self.round.copies.iter().map(|copy| &copy.from);
        let mut in_use: HashSet<Slot> = sent.chain(copied).copied().collect();
        for &(slot, _) in writes {
            if !self.extent.blocks.have(slot) {
                return Err(ScheduleError::OutsideMemory { round, rank, slot });
            }
            if matches!(slot, Slot::Input(_)) || !in_use.insert(slot) {
                return Err(ScheduleError::BadWrite { round, rank, slot });
            }
        }
        Ok(())
    }
}

impl BlockCounts {
    fn have(&self, slot: Slot) -> bool {
        match slot {
            Slot::Input(index) => index < self.input,
            Slot::Output(index) => index < self.output,
            Slot::Scratch(index) => index < self.scratch,
        }
    }
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
                slots: vec![Slot::Input(0)],
            }],
            receives: vec![Receive {
                from: other,
                slots: vec![Slot::Output(0)],
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
        let extent = Extent {
            procs: two(),
            rounds: 1,
            blocks: BlockCounts {
                input: 2,
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
            round.sends[0].slots = vec![Slot::Output(0)];
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
            Err(ScheduleError::OutsideMemory { .. })
        ));
    }

    /// A swap that sends `sent` and receives into `received`.
    fn check_message(sent: &[Slot], received: &[Slot]) -> Result<(), ScheduleError> {
        check(|rank| {
            let mut round = swap(rank);
            round.sends[0].slots = sent.to_vec();
            round.receives[0].slots = received.to_vec();
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
            Err(ScheduleError::BadWrite { .. })
        ));
        let three = [Input(0), Input(1), Output(0)];
        assert!(matches!(
            check_message(&three, &three),
            Err(ScheduleError::BadMessage { .. })
        ));
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
