//! Whether all processes of the job have this library: without it a process would take the library's first
//! message for one of the program's.
//!
//! The processes are a binomial tree: the children of rank r are r + 2ᵏ, for all 2ᵏ below the lowest bit of r.
//! A child without the library sends nothing, which its parent notices after some seconds. The call has two
//! rounds. In the first, children report and parents answer, and all may lose patience. Only those who were
//! answered report in the second, in which they wait for the answer as long as it takes: so all act alike.

use std::ffi::c_int;
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_mpi::MpiError;

/// Time for a report or an answer to come, for each level of the tree below.
const PATIENCE: Duration = Duration::from_secs(5);

const TAG: c_int = 0x6e73;

/// The rank of a process without the library, as a message; this if there is none.
const NOBODY: c_int = c_int::MAX;

/// This process among all of the job.
pub struct Place {
    /// All processes.
    pub world: ffi::MPI_Comm,
    /// This one.
    pub rank: c_int,
    /// Their number.
    pub procs: c_int,
}

impl Place {
    /// The rank of a process without the library, if there is one. Several may be missing; the processes
    /// need not name the same one.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn absent(&self) -> Result<Option<c_int>, MpiError> {
        let mut absent = self.round(true)?;
        if absent == NOBODY {
            absent = self.round(false)?;
        }
        Ok((absent != NOBODY).then_some(absent))
    }

    /// One round.
    fn round(&self, may_give_up: bool) -> Result<c_int, MpiError> {
        let start = Instant::now();
        let mut absent = NOBODY;
        let mut present = Vec::new();
        for (level, child) in children(self.rank, self.procs) {
            let reported = self.received(child, Some(start + PATIENCE * (level + 1)))?;
            // In the second round all have the library, and the slowest one waits, too.
            if reported.is_some() || !may_give_up {
                present.push(child);
            }
            absent = absent.min(reported.unwrap_or(child));
        }
        if self.rank > 0 {
            let parent = self.rank & (self.rank - 1);
            self.send(parent, absent)?;
            let deadline = may_give_up.then(|| start + PATIENCE * (levels(self.procs) + 1));
            absent = self.received(parent, deadline)?.unwrap_or(parent);
        }
        for child in present {
            self.send(child, absent)?;
        }
        Ok(absent)
    }

    fn send(&self, to: c_int, absent: c_int) -> Result<(), MpiError> {
        // SAFETY: one int, which is sent when the function returns.
        MpiError::check(unsafe {
            ffi::PMPI_Send(
                (&raw const absent).cast(),
                1,
                ffi::RSMPI_INT32_T,
                to,
                TAG,
                self.world,
            )
        })
    }

    /// A message of a rank; `None` if there is none at the deadline.
    fn received(&self, from: c_int, deadline: Option<Instant>) -> Result<Option<c_int>, MpiError> {
        let mut absent = NOBODY;
        let mut is_done = 0;
        // SAFETY: one int, which is written before the request is complete or cancelled.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            MpiError::check(ffi::PMPI_Irecv(
                (&raw mut absent).cast(),
                1,
                ffi::RSMPI_INT32_T,
                from,
                TAG,
                self.world,
                &raw mut request,
            ))?;
            loop {
                let ignored = ffi::RSMPI_STATUS_IGNORE;
                MpiError::check(ffi::PMPI_Test(&raw mut request, &raw mut is_done, ignored))?;
                if is_done != 0 {
                    return Ok(Some(absent));
                }
                if deadline.is_some_and(|end| Instant::now() > end) {
                    MpiError::check(ffi::PMPI_Cancel(&raw mut request))?;
                    MpiError::check(ffi::PMPI_Wait(&raw mut request, ignored))?;
                    return Ok(None);
                }
                std::thread::yield_now();
            }
        }
    }
}

/// The children of a rank with the levels of the trees below them.
fn children(rank: c_int, procs: c_int) -> impl Iterator<Item = (u32, c_int)> {
    let below = match rank {
        0 => levels(procs),
        own => own.trailing_zeros(),
    };
    (0..below)
        .map(move |level| (level, rank + (1 << level)))
        .filter(move |(_, child)| *child < procs)
}

/// Levels of the tree below rank 0.
fn levels(procs: c_int) -> u32 {
    c_int::BITS - (procs - 1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use itertools::Itertools as _;

    use super::*;

    #[test]
    fn every_process_but_rank_0_has_one_parent() {
        for procs in 1..40 {
            let parents = (0..procs).flat_map(|rank| {
                children(rank, procs).map(move |(level, child)| {
                    assert!(children(child, procs).all(|(below, _)| below < level));
                    assert_eq!(child & (child - 1), rank);
                    child
                })
            });
            assert!(parents.sorted().eq(1..procs));
        }
    }
}
