//! Plans over MPI: communicators, buffers, the clock, the checks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use mpi::collective::SystemOperation;
use mpi::ffi;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives, Root};
use netsig_core::collective::{Method, Proven};
use netsig_core::dataset::LossCounters;
use netsig_core::units::{Procs, Rank, Seconds};
use netsig_measure::plan::{Cell, Operation, Plan};
use netsig_measure::transport::{Observation, Outcome, Role, Transport};

use crate::counters::{self, Counters};
use crate::operation::{Fault, Prepared};

/// How long an idle rank sleeps between looks at whether the others are done.
const NAP: Duration = Duration::from_micros(500);

/// The first so many ranks of the world.
struct Group {
    comm: SimpleCommunicator,
    /// Whether this rank reads the TCP counters for its host.
    reads_counters: bool,
}

/// One rank's side of a campaign.
pub struct OverMpi {
    world: SimpleCommunicator,
    groups: BTreeMap<Procs, Option<Group>>,
    /// The schedules of the plan.
    schedules: Vec<Proven>,
    counters: Counters,
    prepared: Option<Prepared>,
    started: Instant,
}

impl OverMpi {
    /// Proves the schedules and makes the communicators that `plan` needs; all ranks call
    /// it together.
    ///
    /// # Errors
    /// If a schedule breaks a rule.
    pub fn new(world: &SimpleCommunicator, plan: &Plan) -> Result<Self> {
        let schedules = prove(plan.cells())?;
        let mut sizes: Vec<Procs> = plan.cells().iter().map(|cell| cell.procs).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Ok(Self {
            world: world.duplicate(),
            groups: sizes
                .into_iter()
                .map(|procs| (procs, Group::split(world, procs)))
                .collect(),
            schedules,
            counters: Counters::open(),
            prepared: None,
            started: Instant::now(),
        })
    }

    fn group(&self, procs: Procs) -> &Group {
        self.groups[&procs]
            .as_ref()
            .expect("only participants repeat")
    }
}

impl Group {
    fn split(world: &SimpleCommunicator, procs: Procs) -> Option<Self> {
        let takes_part = world.rank() < i32::try_from(procs.get()).unwrap_or(i32::MAX);
        let color = if takes_part {
            Color::with_value(0)
        } else {
            Color::undefined()
        };
        let comm = world.split_by_color(color)?;
        let reads_counters = comm.split_shared(0).rank() == 0;
        Some(Self {
            comm,
            reads_counters,
        })
    }

    fn rank(&self) -> Rank {
        Rank(u32::try_from(self.comm.rank()).expect("ranks are not negative"))
    }
}

impl Transport for OverMpi {
    type Error = anyhow::Error;

    fn enter(&mut self, cell: &Cell) -> Result<Role> {
        let Some(group) = &self.groups[&cell.procs] else {
            return Ok(Role::Idle);
        };
        let proven = match cell.operation {
            Operation::Collective(_, Method::Schedule(algorithm)) => {
                let is_it = |it: &&Proven| it.is_for(algorithm, cell.procs, cell.size);
                let found = self.schedules.iter().find(is_it);
                Some(found.expect("the schedules of the plan are proved first"))
            }
            _ => None,
        };
        self.prepared = Some(Prepared::new(cell, group.rank(), proven));
        Ok(Role::Participant)
    }

    fn is_recorder(&self) -> bool {
        self.world.rank() == 0
    }

    fn now(&self) -> Seconds {
        Seconds(self.started.elapsed().as_secs_f64())
    }

    fn prepare(&mut self, _: &Cell) -> Result<()> {
        Ok(())
    }

    fn repeat(
        &mut self,
        cell: &Cell,
        numbers: Range<u32>,
        seen: &mut Vec<Observation>,
    ) -> Result<()> {
        for number in numbers {
            seen.push(self.once(cell, number)?);
        }
        Ok(())
    }

    fn agree(&mut self, _: &mut [u64]) -> Result<()> {
        Ok(())
    }

    fn leave(&mut self, _: &Cell) -> Result<()> {
        self.prepared = None;
        sleepy_barrier(&self.world).context("the ranks cannot meet after a cell")
    }
}

impl OverMpi {
    fn once(&mut self, cell: &Cell, number: u32) -> Result<Observation> {
        let group = self.groups[&cell.procs]
            .as_ref()
            .expect("only participants repeat");
        let prepared = self
            .prepared
            .as_mut()
            .expect("a cell is entered before it is repeated");
        prepared.fill(number);
        let before = group.reads_counters.then(|| self.counters.read());
        let waiting = Instant::now();
        group.comm.barrier();
        let start = Instant::now();
        prepared.run(&group.comm);
        let elapsed = start.elapsed();
        let losses = before.map(|before| counters::since(&before, &self.counters.read()));
        prepared
            .verify(number)
            .map_err(|fault| complaint(cell, number, &fault))?;
        let time = match cell.operation {
            Operation::Collective(..) => elapsed,
            _ => elapsed / 2,
        };
        Ok(self.group(cell.procs).reduce(time, start - waiting, losses))
    }
}

/// Every schedule among `cells`, proved once.
fn prove(cells: &[Cell]) -> Result<Vec<Proven>> {
    let mut schedules: Vec<Proven> = Vec::new();
    for cell in cells {
        let Operation::Collective(_, Method::Schedule(algorithm)) = cell.operation else {
            continue;
        };
        let is_it = |schedule: &Proven| schedule.is_for(algorithm, cell.procs, cell.size);
        if !schedules.iter().any(is_it) {
            let proven = algorithm.prove(cell.procs, cell.size).with_context(|| {
                format!("{cell}: netsig's own schedule is wrong; leave it out of the plan")
            })?;
            schedules.push(proven);
        }
    }
    Ok(schedules)
}

fn complaint(cell: &Cell, repetition: u32, fault: &Fault) -> anyhow::Error {
    anyhow!(
        "{cell}, repetition {repetition}: byte {} of the data from rank {} for rank {} is wrong; \
         the times of this run cannot be trusted, check the network and the MPI library",
        fault.byte,
        fault.origin,
        fault.target
    )
}

impl Group {
    /// The maximum of the times and the sum of the losses, complete on rank 0.
    fn reduce(
        &self,
        time: Duration,
        barrier: Duration,
        losses: Option<LossCounters>,
    ) -> Observation {
        let root = self.comm.process_at_rank(0);
        let mine = time.as_secs_f64();
        let mut slowest = mine;
        let counted = losses.unwrap_or_default();
        let known = |counter: Option<u64>| u64::from(losses.is_some() && counter.is_none());
        let counts = [counted.retransmits, counted.rtos, counted.tail_probes];
        // Three sums, and how many hosts could not read each.
        let send: Vec<u64> = counts
            .iter()
            .map(|c| c.unwrap_or(0))
            .chain(counts.map(known))
            .collect();
        let mut sums = [0u64; 6];
        if self.comm.rank() == 0 {
            root.reduce_into_root(&mine, &mut slowest, SystemOperation::max());
            root.reduce_into_root(&send[..], &mut sums[..], SystemOperation::sum());
        } else {
            root.reduce_into(&mine, SystemOperation::max());
            root.reduce_into(&send[..], SystemOperation::sum());
        }
        let total = |i: usize| (sums[i + 3] == 0).then_some(sums[i]);
        Observation {
            outcome: Outcome::Times(vec![Seconds(slowest)]),
            sync_error: None,
            barrier: Seconds(barrier.as_secs_f64()),
            losses: LossCounters {
                retransmits: total(0),
                rtos: total(1),
                tail_probes: total(2),
                softnet_drops: None,
            },
        }
    }
}

/// A barrier whose waiting ranks sleep, so that they leave the processors to the others.
fn sleepy_barrier(comm: &SimpleCommunicator) -> Result<()> {
    // SAFETY: a constant of the MPI library.
    let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
    // SAFETY: the communicator is alive and the request is waited for below.
    let posted = unsafe { ffi::MPI_Ibarrier(comm.as_raw(), &raw mut request) };
    anyhow::ensure!(posted == ok(), "MPI_Ibarrier gave error {posted}");
    loop {
        let mut done = 0;
        // SAFETY: the request is the one posted above, or null once it is complete.
        let tested =
            unsafe { ffi::MPI_Test(&raw mut request, &raw mut done, ffi::RSMPI_STATUS_IGNORE) };
        anyhow::ensure!(tested == ok(), "MPI_Test gave error {tested}");
        if done != 0 {
            return Ok(());
        }
        std::thread::sleep(NAP);
    }
}

fn ok() -> std::os::raw::c_int {
    std::os::raw::c_int::try_from(ffi::MPI_SUCCESS).expect("MPI_SUCCESS is zero")
}
