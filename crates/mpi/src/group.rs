//! The first so many ranks of a job: their communicator and what they do together.

use std::time::Duration;

use anyhow::{Result, ensure};
use mpi::collective::SystemOperation;
use mpi::ffi;
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::{AsRaw, Communicator, Equivalence, Root};
use netsig_core::units::{Procs, Rank};

/// How long an idle rank sleeps between looks at whether the others are done.
const NAP: Duration = Duration::from_micros(500);

/// A communicator of the first ranks.
pub struct Group {
    comm: SimpleCommunicator,
    procs: Procs,
}

impl Group {
    /// The first `procs` of `world`, which has them; all ranks call it together. `None` on
    /// the others.
    pub fn split(world: &SimpleCommunicator, procs: Procs) -> Option<Self> {
        let takes_part = world.rank() < i32::try_from(procs.get()).unwrap_or(i32::MAX);
        let color = if takes_part {
            Color::with_value(0)
        } else {
            Color::undefined()
        };
        let comm = world.split_by_color(color)?;
        Some(Self { comm, procs })
    }

    /// How many ranks it has.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// The number of this rank.
    pub fn rank(&self) -> Rank {
        Rank(u32::try_from(self.comm.rank()).expect("ranks are not negative"))
    }

    /// For MPI's functions.
    pub fn comm(&self) -> &SimpleCommunicator {
        &self.comm
    }

    /// Makes rank 0's values everyone's.
    pub fn broadcast<T: Equivalence>(&self, values: &mut [T]) {
        self.comm.process_at_rank(0).broadcast_into(values);
    }

    /// The greatest of all ranks' values, place by place, on rank 0.
    pub fn greatest(&self, mine: &[f64], all: &mut [f64]) {
        self.reduce(mine, all, SystemOperation::max());
    }

    /// The sum of all ranks' values, place by place, on rank 0.
    pub fn sum(&self, mine: &[u64], all: &mut [u64]) {
        self.reduce(mine, all, SystemOperation::sum());
    }

    fn reduce<T: Equivalence>(&self, mine: &[T], all: &mut [T], operation: SystemOperation) {
        let root = self.comm.process_at_rank(0);
        if self.rank() == Rank(0) {
            root.reduce_into_root(mine, all, operation);
        } else {
            root.reduce_into(mine, operation);
        }
    }
}

/// A barrier whose waiting ranks sleep, so that they leave the processors to the others.
///
/// # Errors
/// If MPI gives one.
pub fn sleepy_barrier(comm: &SimpleCommunicator) -> Result<()> {
    // SAFETY: a constant of the MPI library.
    let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
    // SAFETY: the communicator is alive and the request is waited for below.
    let posted = unsafe { ffi::MPI_Ibarrier(comm.as_raw(), &raw mut request) };
    ensure!(posted == ok(), "MPI_Ibarrier gave error {posted}");
    loop {
        let mut done = 0;
        // SAFETY: the request is the one posted above, or null once it is complete.
        let tested =
            unsafe { ffi::MPI_Test(&raw mut request, &raw mut done, ffi::RSMPI_STATUS_IGNORE) };
        ensure!(tested == ok(), "MPI_Test gave error {tested}");
        if done != 0 {
            return Ok(());
        }
        std::thread::sleep(NAP);
    }
}

fn ok() -> std::os::raw::c_int {
    std::os::raw::c_int::try_from(ffi::MPI_SUCCESS).expect("MPI_SUCCESS is zero")
}
