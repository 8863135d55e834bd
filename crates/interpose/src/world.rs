//! The communicator on which the messages of all schedules travel: a copy of `MPI_COMM_WORLD`, made in
//! `MPI_Init`.
//!
//! Each communicator of the program has its own tag there. A copy of each communicator would have to be made inside a
//! collective call, which with several threads could wait for calls on other communicators. MPI libraries also have
//! room for only a few thousand communicators.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

use mpi::ffi;
use netsig_mpi::{MpiChannel, MpiError};

/// The communicator, and its tags.
pub struct InterposeWorld {
    comm: ffi::MPI_Comm,
    group: ffi::MPI_Group,
    /// Rank of this process, and number of processes.
    rank: u32,
    procs: u32,
    /// Number of tags.
    tags: u32,
    /// True if several threads may call MPI at a time.
    is_threaded: bool,
    /// Communicators of the program that got a tag from this process.
    tagged: AtomicU32,
}

impl InterposeWorld {
    /// Makes the communicator; all processes call it.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn new() -> Result<Self, MpiError> {
        let (mut rank, mut procs) = (0, 0);
        // SAFETY: constants of the MPI library, and handles that `free` frees.
        unsafe {
            let mut group = ffi::RSMPI_GROUP_NULL;
            let mut comm = ffi::RSMPI_COMM_NULL;
            MpiError::check(ffi::PMPI_Comm_group(ffi::RSMPI_COMM_WORLD, &raw mut group))?;
            MpiError::check(ffi::PMPI_Comm_create(ffi::RSMPI_COMM_WORLD, group, &raw mut comm))?;
            MpiError::check(ffi::PMPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN))?;
            MpiError::check(ffi::PMPI_Comm_rank(comm, &raw mut rank))?;
            MpiError::check(ffi::PMPI_Comm_size(comm, &raw mut procs))?;
            Ok(Self {
                comm,
                group,
                rank: u32::try_from(rank).unwrap_or(0),
                procs: u32::try_from(procs).unwrap_or(1),
                tags: largest_tag().unsigned_abs().saturating_add(1),
                is_threaded: is_threaded(),
                tagged: AtomicU32::new(0),
            })
        }
    }

    /// The ranks in `MPI_COMM_WORLD` of the processes of a communicator; `None` if a process is of another world, as
    /// after `MPI_Comm_spawn`.
    pub fn ranks(&self, comm: ffi::MPI_Comm) -> Option<Vec<c_int>> {
        let mut size = 0;
        // SAFETY: a valid communicator; the group is freed here. The arrays have its size.
        let ranks = unsafe {
            let mut group = ffi::RSMPI_GROUP_NULL;
            MpiError::check(ffi::PMPI_Comm_group(comm, &raw mut group)).ok()?;
            ffi::PMPI_Group_size(group, &raw mut size);
            let all: Vec<c_int> = (0..size).collect();
            let mut ranks = vec![ffi::MPI_UNDEFINED; all.len()];
            let code = ffi::PMPI_Group_translate_ranks(group, size, all.as_ptr(), self.group, ranks.as_mut_ptr());
            ffi::PMPI_Group_free(&raw mut group);
            MpiError::check(code).ok()?;
            ranks
        };
        (!ranks.contains(&ffi::MPI_UNDEFINED)).then_some(ranks)
    }

    /// A tag for a communicator whose rank 0 is this process; `None` if no unused tag is left.
    ///
    /// Each process has its share of the tags. Without threads tags are used again, since the order of messages then
    /// tells communicators apart.
    pub fn tag(&self) -> Option<c_int> {
        let before = u64::from(self.tagged.fetch_add(1, Ordering::Relaxed));
        let number = u64::from(self.rank) + before * u64::from(self.procs);
        let is_other = number < u64::from(self.tags);
        let tag = c_int::try_from(number % u64::from(self.tags)).ok();
        tag.filter(|_| is_other || !self.is_threaded)
    }

    /// The channel for a communicator with these ranks and this tag.
    pub fn channel<'a>(&self, ranks: &'a [c_int], tag: c_int) -> MpiChannel<'a> {
        MpiChannel::part(self.comm, ranks, tag)
    }

    /// Frees the communicator; all processes call it.
    pub fn free(&self) {
        let (mut comm, mut group) = (self.comm, self.group);
        // SAFETY: made by `new`; no call follows.
        unsafe {
            ffi::PMPI_Group_free(&raw mut group);
            ffi::PMPI_Comm_free(&raw mut comm);
        }
    }
}

/// True if several threads may call MPI at a time.
fn is_threaded() -> bool {
    let mut provided = 0;
    // SAFETY: an int.
    unsafe { ffi::PMPI_Query_thread(&raw mut provided) };
    provided == ffi::MPI_THREAD_MULTIPLE.cast_signed()
}

/// The largest tag of the MPI library.
pub fn largest_tag() -> c_int {
    /// The least upper bound that MPI guarantees.
    const LEAST: c_int = 32767;
    let mut found: *mut c_void = std::ptr::null_mut();
    let mut is_set: c_int = 0;
    // SAFETY: the attribute is the address of an int, which MPI keeps.
    let most = unsafe {
        ffi::PMPI_Comm_get_attr(
            ffi::RSMPI_COMM_WORLD,
            ffi::MPI_TAG_UB.cast_signed(),
            (&raw mut found).cast(),
            &raw mut is_set,
        );
        found.cast::<c_int>().as_ref().filter(|_| is_set != 0)
    };
    most.copied().unwrap_or(LEAST)
}
