//! One of several simultaneous transfers between disjoint pairs of ranks.
//!
//! Of n ranks the first k send, rank i to rank i + ⌈n/2⌉. The other ranks only participate in the
//! common start.

use std::os::raw::c_int;

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use netsig_base::units::{Procs, Rank, Seconds};
use netsig_measure::plan::PlanCell;

use crate::pattern::{DataFault, DataLabel};
use crate::task::StepTask;

/// One rank's part in the flows. The time of a pair is measured by its receiver.
pub struct FlowTask {
    pairs: u32,
    rank: Rank,
    /// The pair of this rank, if any.
    pair: Option<FlowPair>,
    memory: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FlowPair {
    from: Rank,
    to: Rank,
}

impl FlowTask {
    /// The part of `rank`, one of all `ranks`, in `cell`.
    pub fn new(cell: &PlanCell, rank: Rank, ranks: Procs) -> Self {
        let pairs = cell.procs.get() / 2;
        let pair = FlowPair::of(rank, pairs, ranks);
        let size = pair.map_or(0, |_| cell.size.0);
        Self {
            pairs,
            rank,
            pair,
            memory: vec![0; usize::try_from(size).expect("plans limit messages")],
        }
    }

    /// The pair of this rank if it is the receiver.
    fn received_pair(&self) -> Option<FlowPair> {
        self.pair.filter(|pair| pair.to == self.rank)
    }
}

impl StepTask for FlowTask {
    fn has_common_start(&self) -> bool {
        true
    }

    fn time_count(&self) -> usize {
        self.pairs as usize
    }

    fn fill(&mut self, repetition: u32) {
        if let Some(pair) = self.pair.filter(|pair| pair.from == self.rank) {
            pair.label(repetition).fill(&mut self.memory);
        }
    }

    fn run(&mut self, comm: &SimpleCommunicator) {
        let at = |rank: Rank| comm.process_at_rank(c_int::try_from(rank.0).expect("MPI numbers ranks with a C int"));
        match self.pair {
            Some(FlowPair { from, to }) if from == self.rank => at(to).send(&self.memory[..]),
            Some(FlowPair { from, .. }) => {
                at(from).receive_into(&mut self.memory[..]);
            }
            None => {}
        }
    }

    fn verify(&self, repetition: u32) -> Result<(), DataFault> {
        match self.received_pair() {
            Some(pair) => pair.label(repetition).check(&self.memory),
            None => Ok(()),
        }
    }

    fn times(&self, elapsed: Seconds, times: &mut [f64]) {
        if let Some(pair) = self.received_pair() {
            times[pair.from.0 as usize] = elapsed.0;
        }
    }
}

impl FlowPair {
    /// The pair of `rank`, if it is in one of the first `pairs` pairs.
    fn of(Rank(rank): Rank, pairs: u32, ranks: Procs) -> Option<Self> {
        let half = ranks.get().div_ceil(2);
        let from = rank % half;
        (from < pairs).then_some(Self {
            from: Rank(from),
            to: Rank(from + half),
        })
    }

    fn label(self, repetition: u32) -> DataLabel {
        DataLabel {
            origin: self.from,
            target: self.to,
            repetition,
        }
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
                let found: Vec<_> = all.ranks().map(|rank| FlowPair::of(rank, pairs, all)).collect();
                let mut senders = 0;
                for rank in all.ranks() {
                    if let Some(pair) = found[rank.0 as usize] {
                        assert!([pair.from, pair.to].contains(&rank));
                        assert_eq!(found[pair.from.0 as usize], found[pair.to.0 as usize]);
                        senders += u32::from(rank == pair.from);
                    }
                }
                assert_eq!(senders, pairs, "of {ranks}");
                let bystanders = found.iter().filter(|pair| pair.is_none());
                assert_eq!(bystanders.count(), (ranks - 2 * pairs) as usize);
            }
        }
    }
}
