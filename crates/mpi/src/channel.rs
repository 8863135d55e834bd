//! The communicator, tag and ranks of the messages of a schedule.

use std::os::raw::c_int;

use mpi::ffi;
use netsig_base::units::Rank;

/// Tag where a communicator has a single channel.
const TAG: c_int = 0x5167;

/// A communicator, a tag that its other traffic does not use at the time, and the ranks of a schedule.
#[derive(Clone, Copy)]
pub struct MpiChannel<'a> {
    comm: ffi::MPI_Comm,
    /// Rank in the communicator of each rank of the schedule; `None` if they are the same.
    ranks: Option<&'a [c_int]>,
    tag: c_int,
}

impl<'a> MpiChannel<'a> {
    /// The channel over all ranks of a communicator that has no other traffic.
    pub fn whole(comm: ffi::MPI_Comm) -> Self {
        Self {
            comm,
            ranks: None,
            tag: TAG,
        }
    }

    /// The channel over some `ranks` of a communicator, in the order of the schedule's ranks.
    pub fn part(comm: ffi::MPI_Comm, ranks: &'a [c_int], tag: c_int) -> Self {
        Self {
            comm,
            ranks: Some(ranks),
            tag,
        }
    }

    /// The communicator.
    pub fn comm(self) -> ffi::MPI_Comm {
        self.comm
    }

    /// The rank in the communicator of a rank of the schedule, with the tag and the communicator.
    pub(crate) fn destination(self, rank: Rank) -> (c_int, c_int, ffi::MPI_Comm) {
        let mpi_rank = match self.ranks {
            Some(ranks) => ranks[rank.0 as usize],
            None => c_int::try_from(rank.0).expect("MPI numbers ranks with a C int"),
        };
        (mpi_rank, self.tag, self.comm)
    }
}
