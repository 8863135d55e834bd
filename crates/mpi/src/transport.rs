//! The transport over MPI: starts the ranks of a cell together, repeats its steps in batches, and
//! collects the results on rank 0.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use anyhow::Result;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use netsig_base::algorithm::Layout;
use netsig_base::units::{Procs, Rank, Seconds};
use netsig_measure::plan::{Cell, Operation, Plan, Synchronisation};
use netsig_measure::transport::{Observation, Transport};
use netsig_measure::trials;

use crate::batch::{Batch, Scene, Starts, Tools};
use crate::clocks::Clocks;
use crate::counters::{self, Counters, Sums};
use crate::flow::Flow;
use crate::group::{Group, sleepy_barrier};
use crate::operation::Prepared;
use crate::pair::Pair;
use crate::schedules::Schedules;
use crate::scope::Scopes;
use crate::task::Task;
use crate::window::Pace;

/// Numbers of the trial repetitions; they occur in no plan.
const TRIALS: Range<u32> = u32::MAX - trials::MOST..u32::MAX;

/// One rank's side of a campaign over MPI.
pub struct OverMpi {
    world: SimpleCommunicator,
    /// Number of ranks that the plan needs.
    ranks: Procs,
    synchronisation: Synchronisation,
    scopes: Scopes,
    groups: BTreeMap<Procs, Option<Rc<Group>>>,
    schedules: Schedules,
    counters: Counters,
    clocks: Clocks,
    tools: Tools,
    /// Overhead of reading the clock twice.
    overhead: Seconds,
    pace: Pace,
    batch: Batch,
    /// The ranks of the entered cell, if this rank takes part.
    entered: Option<Rc<Group>>,
    /// The last repeated step of the cell, with this rank's part.
    task: Option<(Cell, Box<dyn Task>)>,
}

impl OverMpi {
    /// Proves the schedules, creates the communicators of `plan`, and compares the clocks; all
    /// ranks must call this.
    ///
    /// # Errors
    /// If a schedule breaks a rule, or needs too much memory.
    pub fn new(
        world: &SimpleCommunicator,
        plan: &Plan,
        (scopes, layout): (Scopes, Option<&Layout>),
        tools: Tools,
    ) -> Result<Self> {
        let cells = plan.cells();
        let ranks = plan.procs();
        let sizes: BTreeSet<Procs> = cells.iter().map(|cell| cell.procs).collect();
        let group = |procs| {
            let group = Group::split(world, scopes.taking_part(procs));
            (procs, group.map(Rc::new))
        };
        let of_cell = |procs: Procs| {
            let ranks = scopes.taking_part(procs).into_iter().map(Rank);
            Some((procs, layout?.of_ranks(ranks)))
        };
        let layouts = sizes.iter().filter_map(|&procs| of_cell(procs)).collect();
        let mut transport = Self {
            world: world.duplicate(),
            ranks,
            synchronisation: plan.synchronisation,
            groups: sizes.into_iter().map(group).collect(),
            schedules: Schedules::prove(plan, layouts)?,
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
        if let Some(group) = &transport.groups[&ranks] {
            let activity = "the comparison of the clocks".to_owned();
            transport.tools.dog.enter(activity, group.ranks());
            transport.clocks.compare_if_due(group);
            transport.tools.dog.rest();
        }
        Ok(transport)
    }

    fn group(&self) -> Rc<Group> {
        let entered = self.entered.as_ref();
        Rc::clone(entered.expect("only participants of a cell carry it out"))
    }

    /// This rank's part in a step of the entered cell.
    fn task(&self, step: &Cell) -> Box<dyn Task> {
        let rank = self.group().rank();
        match step.operation {
            Operation::Flows => Box::new(Flow::new(step, rank, self.ranks)),
            Operation::PingPong | Operation::PLogP | Operation::Collective(..) => {
                Box::new(Prepared::new(step, rank, self.schedules.of(step).as_ref()))
            }
            _ => Box::new(Pair::new(step, rank, self.tools.watch, self.overhead)),
        }
    }

    /// Prepares a step. If it starts at agreed times, determines the length of windows by trial
    /// repetitions that start with a barrier.
    fn prepare(&mut self, step: &Cell) {
        self.tools.dog.begin(step.to_string());
        let mut task = self.task(step);
        if self.starts_by_windows(&*task) {
            let group = self.group();
            let mut scene = Scene {
                cell: step,
                task: &mut *task,
                group: &group,
                tools: &mut self.tools,
            };
            let starts = Starts::Barrier(self.clocks.clock());
            let (mut longest, mut spent) = ([Seconds(0.0); 2], Seconds(0.0));
            for trial in TRIALS {
                self.batch.run(&mut scene, trial..trial + 1, &starts);
                self.batch.reduce(&group);
                let seen = self.batch.longest();
                longest = [0, 1].map(|span| Seconds(longest[span].0.max(seen[span].0)));
                spent = spent + seen[0];
                let mut is_enough = [u8::from(trials::are_enough(spent, seen[0]))];
                group.broadcast(&mut is_enough);
                if is_enough != [0] {
                    break;
                }
            }
            let [longest, preparation] = longest;
            self.pace.suit(longest, preparation);
        }
        self.task = Some((*step, task));
    }

    /// True if a step starts at agreed times.
    fn starts_by_windows(&self, task: &dyn Task) -> bool {
        self.synchronisation == Synchronisation::Window && task.has_common_start()
    }
}

impl Transport for OverMpi {
    type Error = anyhow::Error;

    fn is_recorder(&self) -> bool {
        self.world.rank() == 0
    }

    fn now(&self) -> Seconds {
        self.tools.watch.now()
    }

    fn enter(&mut self, cell: &Cell) -> Result<bool> {
        let size = match cell.operation {
            Operation::Flows => self.ranks,
            _ => cell.procs,
        };
        self.entered.clone_from(&self.groups[&size]);
        if let Some(group) = &self.entered {
            self.tools.dog.enter(cell.to_string(), group.ranks());
            self.clocks.compare_if_due(group);
            self.tools.watch.yields = self.scopes.share_processors(group.ranks());
        }
        Ok(self.entered.is_some())
    }

    fn repeat(&mut self, step: &Cell, numbers: Range<u32>) -> Result<Vec<Observation>> {
        if self.task.as_ref().is_none_or(|(cell, _)| cell != step) {
            self.prepare(step);
        }
        let group = self.group();
        let (_, mut task) = self.task.take().expect("the step is prepared");
        let count = numbers.len();
        let by_windows = self.starts_by_windows(&*task);
        if by_windows {
            self.clocks.compare_if_due(&group);
            self.pace.reach(self.clocks.round_trip());
        }
        // Every rank has the recorder's order, so all have ended what came before.
        let before = self.counters.read();
        let starts = if by_windows {
            let windows = self.pace.announce(&group, &self.clocks, &self.tools.watch);
            Starts::Windows(windows)
        } else {
            Starts::Barrier(self.clocks.clock())
        };
        let mut scene = Scene {
            cell: step,
            task: &mut *task,
            group: &group,
            tools: &mut self.tools,
        };
        self.batch.run(&mut scene, numbers, &starts);
        self.task = Some((*step, task));
        self.tools.step();
        self.batch.reduce(&group);
        // A rank that is done may still send segments again for which others wait.
        group.await_all();
        let lost = before.until(&self.counters.read());
        let mut sums = Sums::default();
        group.reduce(&lost, &mut sums, SystemOperation::sum());
        if !self.is_recorder() {
            return Ok(Vec::new());
        }
        if by_windows {
            self.pace.learn(&self.batch.late());
        }
        let losses = counters::of_each(&sums, count);
        Ok(self.batch.observations(losses).collect())
    }

    fn agree(&mut self, words: &mut [u64]) -> Result<()> {
        self.tools.step();
        self.group().broadcast(words);
        Ok(())
    }

    fn leave(&mut self) -> Result<()> {
        self.task = None;
        self.entered = None;
        self.tools.dog.rest();
        sleepy_barrier(&self.world);
        Ok(())
    }
}
