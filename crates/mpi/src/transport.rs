//! The transport over MPI: starts the ranks of a cell together, repeats its steps in batches, and
//! collects the results on rank 0.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use anyhow::Result;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use netsig_base::algorithm::{ClusterLayout, ReductionOperands};
use netsig_base::units::{Procs, Rank, Seconds};
use netsig_measure::plan::{MeasurementPlan, PlanCell, Synchronisation, TimedOperation};
use netsig_measure::transport::{MeasuredRepetition, Transport};
use netsig_measure::trials;

use crate::batch::{BatchRows, RankTools, StartMethod, StepRun};
use crate::clocks::RankClock;
use crate::counters::{self, CounterFiles, CounterSums};
use crate::flow::FlowTask;
use crate::group::{RankGroup, sleeping_barrier};
use crate::local_reduction_task::LocalReductionTask;
use crate::locations::RankLocations;
use crate::operation::OperationTask;
use crate::plogp_task::PLogPTask;
use crate::reduction_task::ReductionTask;
use crate::schedules::ProvenSchedules;
use crate::task::StepTask;
use crate::window::WindowChoice;

/// Numbers of the trial repetitions; they occur in no plan.
const TRIALS: Range<u32> = u32::MAX - trials::MOST_TRIALS..u32::MAX;

/// One rank's side of a campaign over MPI.
pub struct MpiTransport {
    world: SimpleCommunicator,
    /// Number of ranks that the plan needs.
    ranks: Procs,
    synchronisation: Synchronisation,
    operands: ReductionOperands,
    locations: RankLocations,
    groups: BTreeMap<Procs, Option<Rc<RankGroup>>>,
    schedules: ProvenSchedules,
    counters: CounterFiles,
    clocks: RankClock,
    tools: RankTools,
    /// Overhead of reading the clock twice.
    overhead: Seconds,
    windows: WindowChoice,
    batch: BatchRows,
    /// The ranks of the entered cell, if this rank takes part.
    entered: Option<Rc<RankGroup>>,
    /// The last repeated step of the cell, with this rank's part.
    task: Option<(PlanCell, Box<dyn StepTask>)>,
}

impl MpiTransport {
    /// Proves the schedules, creates the communicators of `plan`, and compares the clocks; all
    /// ranks must call this.
    ///
    /// # Errors
    /// If a schedule breaks a rule, or needs too much memory.
    pub fn new(
        world: &SimpleCommunicator,
        plan: &MeasurementPlan,
        locations: RankLocations,
        layout: Option<&ClusterLayout>,
        tools: RankTools,
    ) -> Result<Self> {
        let cells = plan.cells();
        let ranks = plan.procs();
        let sizes: BTreeSet<Procs> = cells.iter().map(|cell| cell.procs).collect();
        let group = |procs| {
            let group = RankGroup::split(world, locations.taking_part(procs));
            (procs, group.map(Rc::new))
        };
        let of_cell = |procs: Procs| {
            let ranks = locations.taking_part(procs).into_iter().map(Rank);
            Some((procs, layout?.of_ranks(ranks)))
        };
        let layouts = sizes.iter().filter_map(|&procs| of_cell(procs)).collect();
        let mut transport = Self {
            world: world.duplicate(),
            ranks,
            synchronisation: plan.synchronisation,
            operands: plan.operands,
            groups: sizes.into_iter().map(group).collect(),
            schedules: ProvenSchedules::prove(plan, layouts)?,
            counters: CounterFiles::open(locations.duty()),
            locations,
            clocks: RankClock::new(tools.watch),
            overhead: tools.watch.overhead(),
            tools,
            windows: WindowChoice::new(),
            batch: BatchRows::default(),
            entered: None,
            task: None,
        };
        if let Some(group) = &transport.groups[&ranks] {
            let activity = "the comparison of the clocks".to_owned();
            transport.tools.watchdog.enter(activity, group.ranks());
            transport.clocks.compare_if_due(group);
            transport.tools.watchdog.leave_activity();
        }
        Ok(transport)
    }

    fn group(&self) -> Rc<RankGroup> {
        let entered = self.entered.as_ref();
        Rc::clone(entered.expect("only participants of a cell carry it out"))
    }

    /// This rank's part in a step of the entered cell.
    fn task(&self, step: &PlanCell) -> Box<dyn StepTask> {
        let rank = self.group().rank();
        let proven = self.schedules.schedule_of(step);
        match step.operation {
            TimedOperation::Flows => Box::new(FlowTask::new(step, rank, self.ranks)),
            TimedOperation::LocalReduction => Box::new(LocalReductionTask::new(step, self.operands, self.overhead)),
            TimedOperation::Collective(collective, _) if collective.is_reduction() => Box::new(ReductionTask::new(
                step,
                collective,
                self.operands,
                rank,
                proven.as_ref(),
            )),
            TimedOperation::PingPong | TimedOperation::PLogP | TimedOperation::Collective(..) => {
                Box::new(OperationTask::new(step, rank, proven.as_ref()))
            }
            _ => Box::new(PLogPTask::new(step, rank, self.tools.watch, self.overhead)),
        }
    }

    /// Prepares a step. If it starts at agreed times, determines the length of windows by trial
    /// repetitions that start with a barrier.
    fn prepare(&mut self, step: &PlanCell) {
        self.tools.watchdog.begin(step.to_string());
        let mut task = self.task(step);
        if self.starts_by_windows(&*task) {
            let group = self.group();
            let mut step_run = StepRun {
                cell: step,
                task: &mut *task,
                group: &group,
                tools: &mut self.tools,
            };
            let starts = StartMethod::Barrier(self.clocks.clock());
            let (mut longest, mut spent) = ([Seconds(0.0); 2], Seconds(0.0));
            for trial in TRIALS {
                self.batch.run(&mut step_run, trial..trial + 1, &starts);
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
            self.windows.set_length(longest, preparation);
        }
        self.task = Some((*step, task));
    }

    /// True if a step starts at agreed times.
    fn starts_by_windows(&self, task: &dyn StepTask) -> bool {
        self.synchronisation == Synchronisation::Window && task.has_common_start()
    }
}

impl Transport for MpiTransport {
    type Error = anyhow::Error;

    fn is_recorder(&self) -> bool {
        self.world.rank() == 0
    }

    fn now(&self) -> Seconds {
        self.tools.watch.now()
    }

    fn enter(&mut self, cell: &PlanCell) -> Result<bool> {
        let size = match cell.operation {
            TimedOperation::Flows => self.ranks,
            _ => cell.procs,
        };
        self.entered.clone_from(&self.groups[&size]);
        if let Some(group) = &self.entered {
            self.tools.watchdog.enter(cell.to_string(), group.ranks());
            self.clocks.compare_if_due(group);
            self.tools.watch.always_yields = self.locations.share_processors(group.ranks());
        }
        Ok(self.entered.is_some())
    }

    fn repeat(&mut self, step: &PlanCell, numbers: Range<u32>) -> Result<Vec<MeasuredRepetition>> {
        if self.task.as_ref().is_none_or(|(cell, _)| cell != step) {
            self.prepare(step);
        }
        let group = self.group();
        let (_, mut task) = self.task.take().expect("the step is prepared");
        let count = numbers.len();
        let by_windows = self.starts_by_windows(&*task);
        if by_windows {
            self.clocks.compare_if_due(&group);
            self.windows.set_lead(self.clocks.round_trip());
        }
        // The recorder's order has reached all ranks, so all have ended their earlier work.
        let before = self.counters.read();
        let starts = if by_windows {
            let windows = self.windows.announce(&group, &self.clocks, &self.tools.watch);
            StartMethod::Windows(windows)
        } else {
            StartMethod::Barrier(self.clocks.clock())
        };
        let mut step_run = StepRun {
            cell: step,
            task: &mut *task,
            group: &group,
            tools: &mut self.tools,
        };
        self.batch.run(&mut step_run, numbers, &starts);
        self.task = Some((*step, task));
        self.tools.announce_step();
        self.batch.reduce(&group);
        // A rank that is done may still have to retransmit segments for which others wait.
        group.await_all();
        let lost = before.differences_to(&self.counters.read());
        let mut sums = CounterSums::default();
        group.reduce(&lost, &mut sums, SystemOperation::sum());
        if !self.is_recorder() {
            return Ok(Vec::new());
        }
        if by_windows {
            self.windows.adapt(&self.batch.late());
        }
        let losses = counters::losses_of_each(&sums, count);
        Ok(self.batch.observations(losses).collect())
    }

    fn broadcast_words(&mut self, words: &mut [u64]) -> Result<()> {
        self.tools.announce_step();
        self.group().broadcast(words);
        Ok(())
    }

    fn leave(&mut self) -> Result<()> {
        self.task = None;
        self.entered = None;
        self.tools.watchdog.leave_activity();
        sleeping_barrier(&self.world);
        Ok(())
    }
}
