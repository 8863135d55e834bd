//! Whether all processes of the job have this library: without it a process would take the library's first
//! message for one of the program's, and with another build it could run another schedule.
//!
//! All ranks report to rank 0 and wait for its answer. A rank without the library sends nothing, which rank 0
//! notices after some seconds, and it gets no message, since rank 0 answers only those that reported. Where
//! rank 0 itself lacks the library, the reports stay unread: a program that receives there with
//! `MPI_ANY_TAG` may take one for its own.
//!
//! The call has two rounds. In the first, all may lose patience. Only those who were answered report in the
//! second, in which they wait for the answer as long as it takes: so all act alike.

use std::ffi::c_int;
use std::hint::black_box;
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_mpi::MpiError;

/// Time for all reports to come, and half of that for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

const TAG: c_int = 0x6e73;

/// Rank 0's answer if all have the library; else it is the rank of a process without.
const NOBODY: c_int = c_int::MAX;

/// The number of the sources, seven hexadecimal digits at the end.
const SOURCES: &str = concat!("netsig sources ", env!("NETSIG_SOURCES"));

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
    /// The rank of a process without the library of rank 0, if there is one. There may be several; the
    /// processes need not name the same one.
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
        match self.rank {
            0 => self.called(may_give_up),
            _ => self.answered(may_give_up),
        }
    }

    /// Rank 0's part.
    fn called(&self, may_give_up: bool) -> Result<c_int, MpiError> {
        let end = Instant::now() + PATIENCE;
        let mut absent = NOBODY;
        let mut present = Vec::new();
        for rank in 1..self.procs {
            let reported = self.received(rank, Some(end))?;
            // In the second round all have the library, and the slowest one waits, too.
            if reported.is_some() || !may_give_up {
                present.push(rank);
            }
            if reported != Some(build()) {
                absent = absent.min(rank);
            }
        }
        for rank in present {
            self.send(rank, absent)?;
        }
        Ok(absent)
    }

    /// The part of the others.
    fn answered(&self, may_give_up: bool) -> Result<c_int, MpiError> {
        self.send(0, build())?;
        let end = may_give_up.then(|| Instant::now() + 2 * PATIENCE);
        Ok(self.received(0, end)?.unwrap_or(0))
    }

    fn send(&self, to: c_int, message: c_int) -> Result<(), MpiError> {
        // SAFETY: one int, which is sent when the function returns.
        MpiError::check(unsafe {
            ffi::PMPI_Send(
                (&raw const message).cast(),
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
        let mut message = 0;
        let mut is_done = 0;
        // SAFETY: one int, which is written before the request is complete or cancelled.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            MpiError::check(ffi::PMPI_Irecv(
                (&raw mut message).cast(),
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
                    return Ok(Some(message));
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

/// What a rank reports: the number of its sources, read from the text in the library's file.
fn build() -> c_int {
    let digits = black_box(SOURCES).rsplit(' ').next();
    let number = digits.and_then(|digits| c_int::from_str_radix(digits, 16).ok());
    number.expect("seven digits")
}
