//! One of several simultaneous transfers between disjoint pairs of ranks.
//!
//! Of n ranks the first k send, rank i to rank i + ⌈n/2⌉. The others only take part in the
//! common start.

use std::os::raw::c_int;

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use netsig_core::units::{Procs, Rank};
use netsig_measure::plan::Cell;

use crate::operation::Fault;
use crate::pattern::Label;

/// What one rank does.
pub struct Flow {
    pairs: usize,
    part: Part,
    memory: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Sender { to: Rank, from: Rank },
    Receiver { to: Rank, from: Rank },
    Bystander,
}

impl Flow {
    /// What `rank` of all `ranks` does in `cell`.
    pub fn new(cell: &Cell, rank: Rank, ranks: Procs) -> Self {
        let pairs = cell.procs.get() / 2;
        let part = Part::of(rank, pairs, ranks);
        let size = match part {
            Part::Bystander => 0,
            _ => usize::try_from(cell.size.0).expect("plans limit messages"),
        };
        Self {
            pairs: pairs as usize,
            part,
            memory: vec![0; size],
        }
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// The pair whose data this rank receives, if any.
    pub fn receives(&self) -> Option<usize> {
        match self.part {
            Part::Receiver { from, .. } => Some(from.0 as usize),
            _ => None,
        }
    }

    /// Writes what this rank sends.
    pub fn fill(&mut self, repetition: u32) {
        if let Part::Sender { to, from } = self.part {
            label(from, to, repetition).fill(&mut self.memory);
        }
    }

    /// Carries the transfer out among all ranks, which `comm` has.
    pub fn run(&mut self, comm: &SimpleCommunicator) {
        let at = |rank: Rank| {
            comm.process_at_rank(c_int::try_from(rank.0).expect("MPI numbers ranks with a C int"))
        };
        match self.part {
            Part::Sender { to, .. } => at(to).send(&self.memory[..]),
            Part::Receiver { from, .. } => {
                at(from).receive_into(&mut self.memory[..]);
            }
            Part::Bystander => {}
        }
    }

    /// Checks what this rank received.
    ///
    /// # Errors
    /// The first byte that is not what was sent in this repetition.
    pub fn verify(&self, repetition: u32) -> Result<(), Fault> {
        match self.part {
            Part::Receiver { to, from } => label(from, to, repetition).check(&self.memory),
            _ => Ok(()),
        }
    }
}

impl Part {
    fn of(rank: Rank, pairs: u32, ranks: Procs) -> Self {
        let half = ranks.get().div_ceil(2);
        if rank.0 < pairs {
            let (to, from) = (Rank(rank.0 + half), rank);
            return Self::Sender { to, from };
        }
        match rank.0.checked_sub(half) {
            Some(from) if from < pairs => {
                let (to, from) = (rank, Rank(from));
                Self::Receiver { to, from }
            }
            _ => Self::Bystander,
        }
    }
}

fn label(from: Rank, to: Rank, repetition: u32) -> Label {
    Label {
        origin: from.0,
        target: to.0,
        repetition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sender_has_its_receiver() {
        for ranks in 2..10 {
            let all = Procs::new(ranks).unwrap();
            for pairs in 1..=ranks / 2 {
                let parts: Vec<Part> = all.ranks().map(|rank| Part::of(rank, pairs, all)).collect();
                let mut senders = 0;
                for rank in all.ranks() {
                    if let Part::Sender { to, from } = parts[rank.0 as usize] {
                        assert_eq!(from, rank);
                        assert_eq!(parts[to.0 as usize], Part::Receiver { to, from });
                        senders += 1;
                    }
                }
                assert_eq!(senders, pairs, "of {ranks}");
                let bystanders = parts.iter().filter(|part| **part == Part::Bystander);
                assert_eq!(bystanders.count(), (ranks - 2 * pairs) as usize);
            }
        }
    }
}
