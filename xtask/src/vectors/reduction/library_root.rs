//! Rabenseifner's reduce to another root than rank 0, as in MPI libraries: the ranks keep their numbers, and the windows
//! are gathered at the root. A root that waits after the fold takes the window and number of rank 0 first.

use anyhow::Result;
use netsig_base::algorithm::{Algorithm, Collective, CollectiveCall, Schedule};
use netsig_base::schedule::{BlockSlot, Round, ScheduleExtent, ScheduleMessage};
use netsig_base::units::{Procs, Rank};

use super::super::inputs::VectorInputs;

/// The schedule of a library.
pub struct LibraryGather {
    /// The schedule with root 0.
    schedule: Schedule,
    root: Rank,
}

impl LibraryGather {
    /// `None` for other algorithms, or root 0.
    pub fn of(inputs: &VectorInputs, algorithm: Algorithm, schedule: &Schedule) -> Result<Option<Self>> {
        let root = Rank(inputs.find("root")?.unwrap_or(0));
        let is_gather =
            algorithm.collective() == Collective::Reduce && algorithm.to_string().starts_with("rabenseifner");
        if root == Rank(0) || !is_gather {
            return Ok(None);
        }
        let call = CollectiveCall {
            element: inputs.get("type_bytes")?,
            ..CollectiveCall::new(schedule.procs(), schedule.extent().division.size())
        };
        let schedule = algorithm.serve(&call)?;
        Ok(Some(Self { schedule, root }))
    }

    fn procs(&self) -> Procs {
        self.schedule.procs()
    }

    /// r.
    fn pairs(&self) -> u32 {
        self.procs().get() - (1 << self.procs().floor_log2())
    }

    /// True if the root waits after the fold.
    fn is_late(&self) -> bool {
        self.root.0 < 2 * self.pairs() && self.root.0 % 2 == 1
    }

    pub fn extent(&self) -> ScheduleExtent {
        let extent = self.schedule.extent();
        ScheduleExtent {
            rounds: extent.rounds + usize::from(self.is_late()),
            ..extent
        }
    }

    /// Number of a rank in the gather.
    fn number(&self, rank: Rank) -> Option<u32> {
        match rank.0 {
            _ if self.is_late() && rank == self.root => Some(0),
            0 if self.is_late() => None,
            rank if rank >= 2 * self.pairs() => Some(rank - self.pairs()),
            rank => rank.is_multiple_of(2).then_some(rank / 2),
        }
    }

    fn rank(&self, number: u32) -> Rank {
        let mut ranks = self.procs().ranks();
        ranks
            .find(|rank| self.number(*rank) == Some(number))
            .expect("every number has a rank")
    }

    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let steps = self.procs().floor_log2();
        let before = self.schedule.extent().rounds - steps as usize;
        let Some(after) = index.checked_sub(before) else {
            return self.schedule.round(rank, index);
        };
        let window = |number: u32, level: u32| {
            let length = |step: u32| (1u32 << steps) >> (step + 1);
            let start: u32 = (0..=level).map(|step| (number >> step & 1) * length(step)).sum();
            start..start + length(level)
        };
        let exchange = |from: Rank, to: Rank, parts: std::ops::Range<u32>| {
            let message = |partner| ScheduleMessage::of(partner, parts.clone().map(BlockSlot::Scratch)).into();
            match rank {
                rank if rank == from => Round {
                    sends: message(to),
                    ..Round::default()
                },
                rank if rank == to => Round {
                    receives: message(from),
                    ..Round::default()
                },
                _ => Round::default(),
            }
        };
        let Some(step) = after.checked_sub(usize::from(self.is_late())) else {
            return exchange(Rank(0), self.root, window(0, steps.saturating_sub(1)));
        };
        let distance = steps - 1 - u32::try_from(step).expect("fewer steps than bits");
        let to_root = self.number(self.root).expect("the root has a number");
        let Some(number) = self.number(rank).filter(|number| number ^ to_root < 2 << distance) else {
            return Round::default();
        };
        let sender = if (number ^ to_root) >> distance & 1 == 1 {
            number
        } else {
            number ^ 1 << distance
        };
        exchange(
            self.rank(sender),
            self.rank(sender ^ 1 << distance),
            window(sender, distance),
        )
    }
}
