//! Where the messages of a schedule go.

use std::os::raw::c_int;

use mpi::ffi;
use netsig_base::units::Rank;

/// Tag where a communicator has one channel; MPI's order of messages distinguishes them.
const TAG: c_int = 0x5167;

/// A communicator with a tag that no other traffic of it has at the time, and the ranks of a schedule in it.
#[derive(Clone, Copy)]
pub struct Channel<'a> {
    comm: ffi::MPI_Comm,
    /// Ranks in the communicator by those of the schedule; `None` if they are the same.
    ranks: Option<&'a [c_int]>,
    tag: c_int,
}

impl<'a> Channel<'a> {
    /// The ranks of a communicator that has no other traffic.
    pub fn whole(comm: ffi::MPI_Comm) -> Self {
        Self {
            comm,
            ranks: None,
            tag: TAG,
        }
    }

    /// Some `ranks` of a communicator, in the order of the schedule's.
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

    /// A rank of the schedule as one of the communicator, the tag and the communicator.
    pub(crate) fn to(self, rank: Rank) -> (c_int, c_int, ffi::MPI_Comm) {
        let own = match self.ranks {
            Some(ranks) => ranks[rank.0 as usize],
            None => c_int::try_from(rank.0).expect("MPI numbers ranks with a C int"),
        };
        (own, self.tag, self.comm)
    }
}
