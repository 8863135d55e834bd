//! Plans over MPI: brings the ranks of a cell together, repeats its steps in batches, and
//! tells rank 0 what came of them.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use netsig_core::units::{Procs, Seconds};
use netsig_measure::plan::{Cell, Operation, Plan, Synchronisation};
use netsig_measure::transport::{Observation, Role, Transport};

use crate::batch::{Batch, Scene, Starts, Tools};
use crate::clocks::Clocks;
use crate::counters::{self, Counters, Sums};
use crate::flow::Flow;
use crate::group::{Group, sleepy_barrier};
use crate::operation::Prepared;
use crate::pair::Pair;
use crate::schedules::Schedules;
use crate::scope::Scopes;
use crate::task::{Task, takes_all_ranks};
use crate::window::Pace;

/// So many repetitions show how long a window must be; their numbers are none of a plan's.
const TRIALS: Range<u32> = u32::MAX - 3..u32::MAX;

/// One rank's side of a campaign.
pub struct OverMpi {
    world: SimpleCommunicator,
    /// How many ranks the plan needs.
    ranks: Procs,
    synchronisation: Synchronisation,
    scopes: Scopes,
    groups: BTreeMap<Procs, Option<Group>>,
    schedules: Schedules,
    counters: Counters,
    clocks: Clocks,
    tools: Tools,
    /// What reading the clock twice adds to a time.
    overhead: Seconds,
    pace: Pace,
    batch: Batch,
    /// How many ranks take part in the cell that this rank takes part in.
    entered: Option<Procs>,
    /// What this rank does in the step that was prepared.
    task: Option<Task>,
}

impl OverMpi {
    /// Proves the schedules, makes the communicators that `plan` needs, and compares the
    /// clocks; all ranks call it together.
    ///
    /// # Errors
    /// If a schedule breaks a rule.
    pub fn new(
        world: &SimpleCommunicator,
        plan: &Plan,
        scopes: Scopes,
        tools: Tools,
    ) -> Result<Self> {
        let cells = plan.cells();
        let ranks = plan.procs();
        let mut sizes: Vec<Procs> = cells.iter().map(|cell| cell.procs).collect();
        sizes.push(ranks);
        sizes.sort_unstable();
        sizes.dedup();
        let groups = sizes.into_iter();
        let mut transport = Self {
            world: world.duplicate(),
            ranks,
            synchronisation: plan.synchronisation,
            groups: groups
                .map(|procs| (procs, Group::split(world, procs)))
                .collect(),
            schedules: Schedules::prove(cells)?,
            counters: Counters::open(scopes.duty()),
            scopes,
            clocks: Clocks::new(tools.watch),
            overhead: tools.watch.overhead(),
            tools,
            pace: Pace::new(),
            batch: Batch::default(),
            entered: None,
            task: None,
        };
        transport.compare_clocks();
        Ok(transport)
    }

    fn compare_clocks(&mut self) {
        if let Some(group) = &self.groups[&self.ranks] {
            let activity = "the comparison of the clocks".to_owned();
            self.tools.dog.enter(activity, self.ranks);
            self.clocks.compare_if_due(group);
            self.tools.dog.rest();
        }
    }

    /// How many ranks take part in a cell.
    fn size(&self, cell: &Cell) -> Procs {
        if takes_all_ranks(cell) {
            self.ranks
        } else {
            cell.procs
        }
    }

    /// Whether the step that was prepared starts at agreed moments.
    fn starts_by_windows(&self) -> bool {
        let has_common_start = self.task.as_ref().is_some_and(Task::has_common_start);
        self.synchronisation == Synchronisation::Window && has_common_start
    }

    /// What this rank does in a step of a cell that it takes part in.
    fn task(&self, step: &Cell, group: &Group) -> Task {
        let rank = group.rank();
        if let Some(pair) = Pair::new(step, rank, self.tools.watch, self.overhead) {
            return Task::Pair(pair);
        }
        match step.operation {
            Operation::Flows => Task::Flow(Flow::new(step, rank, self.ranks)),
            Operation::Collective(..) => {
                Task::Collective(Prepared::new(step, rank, self.schedules.of(step)))
            }
            _ => Task::PingPong(Prepared::new(step, rank, None), rank),
        }
    }

    /// Finds out how long windows must be: some repetitions that start by a barrier.
    fn try_out(&mut self, step: &Cell) {
        let group = entered(&self.groups, self.entered);
        let mut scene = Scene {
            cell: step,
            task: prepared(&mut self.task),
            group,
            tools: &mut self.tools,
        };
        let starts = Starts::Barrier(self.clocks.clock());
        self.batch.run(&mut scene, TRIALS, &starts);
        self.batch.reduce(group);
        let [longest, preparation] = self.batch.longest();
        self.pace.suit(longest, preparation);
    }
}

/// The group of the cell that this rank takes part in.
fn entered(groups: &BTreeMap<Procs, Option<Group>>, size: Option<Procs>) -> &Group {
    let group = size.and_then(|size| groups[&size].as_ref());
    group.expect("only participants of a cell carry it out")
}

fn prepared(task: &mut Option<Task>) -> &mut Task {
    task.as_mut().expect("a step is prepared first")
}

impl Transport for OverMpi {
    type Error = anyhow::Error;

    fn is_recorder(&self) -> bool {
        self.world.rank() == 0
    }

    fn now(&self) -> Seconds {
        self.tools.watch.now()
    }

    fn enter(&mut self, cell: &Cell) -> Result<Role> {
        let size = self.size(cell);
        let Some(group) = &self.groups[&size] else {
            return Ok(Role::Idle);
        };
        self.tools.dog.enter(cell.to_string(), size);
        self.clocks.compare_if_due(group);
        self.tools.watch.wait_by(self.scopes.waiting(size));
        self.entered = Some(size);
        Ok(Role::Participant)
    }

    fn prepare(&mut self, step: &Cell) -> Result<()> {
        let group = entered(&self.groups, self.entered);
        self.tools.dog.begin(step.to_string());
        self.task = Some(self.task(step, group));
        if self.starts_by_windows() {
            self.try_out(step);
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        step: &Cell,
        numbers: Range<u32>,
        seen: &mut Vec<Observation>,
    ) -> Result<()> {
        let group = entered(&self.groups, self.entered);
        let count = numbers.len();
        let by_windows = self.starts_by_windows();
        if by_windows {
            self.clocks.compare_if_due(group);
        }
        let before = self.counters.read();
        let starts = if by_windows {
            let windows = self.pace.announce(group, &self.clocks, &self.tools.watch);
            Starts::Windows(windows)
        } else {
            Starts::Barrier(self.clocks.clock())
        };
        let mut scene = Scene {
            cell: step,
            task: prepared(&mut self.task),
            group,
            tools: &mut self.tools,
        };
        self.batch.run(&mut scene, numbers, &starts);
        let lost = before.until(&self.counters.read());
        self.tools.step();
        self.batch.reduce(group);
        let mut sums = Sums::default();
        group.sum(&lost, &mut sums);
        if self.is_recorder() {
            seen.extend(self.batch.observations(counters::of_each(&sums, count)));
            if by_windows {
                self.pace.learn(&self.batch.late());
            }
        }
        Ok(())
    }

    fn agree(&mut self, words: &mut [u64]) -> Result<()> {
        self.tools.step();
        entered(&self.groups, self.entered).broadcast(words);
        Ok(())
    }

    fn leave(&mut self, _: &Cell) -> Result<()> {
        self.task = None;
        self.entered = None;
        self.tools.dog.rest();
        sleepy_barrier(&self.world).context("the ranks cannot meet after a cell")
    }
}
