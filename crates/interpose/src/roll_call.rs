//! Whether all processes of the job have this library: with another build a process could run another schedule,
//! and one without it would never enter the library's collectives.
//!
//! Each rank reports to rank 0. Rank 0 answers those that reported, an answered rank confirms, and rank 0 ends with
//! its verdict. A rank that waits for a report or an answer loses patience after some seconds; from its
//! confirmation on it waits for the verdict as long as it takes, since rank 0 gives one to all that it answered.
//! So all act alike: only where all have confirmed does the verdict say that nobody is absent.
//!
//! # No message reaches the program
//! Every message is received by this library, however late it comes: its receive is posted in `MPI_Init`, before
//! any of the program's, and stays posted until `MPI_Finalize`. A rank without the library gets no
//! message, unless it is rank 0: its program may take the others' reports for its own where it receives with
//! `MPI_ANY_TAG`. The tag is the largest but some, since a receive that stays posted would take a program's
//! message of the same tag from a rank without the library.

use std::ffi::c_int;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::lock;
use crate::world::most_tag;

/// Time for all reports to come, and half of that for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Distance of the tag from the largest.
const BELOW: c_int = 28275;

/// Verdict, and answer, if nobody is absent; else it is the rank of a process without this library.
const NOBODY: c_int = c_int::MAX;

/// The number of the sources, seven hexadecimal digits at the end.
const SOURCES: &str = concat!("netsig sources ", env!("NETSIG_SOURCES"));

/// This process among all of the job.
#[derive(Clone, Copy)]
pub struct Place {
    /// All processes.
    pub world: ffi::MPI_Comm,
    /// This one.
    pub rank: c_int,
    /// Their number.
    pub procs: c_int,
}

/// A message of one int, posted until it is complete or MPI ends. Its memory is never freed.
struct Standing {
    request: ffi::MPI_Request,
    message: &'static mut c_int,
    direction: Direction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Receive,
    Send,
}

// SAFETY: a handle of MPI, used by one thread at a time.
unsafe impl Send for Standing {}

/// Messages that were not complete at the end of the roll call. A send waits until its receiver, who may be without
/// this library, takes part in MPI's progress.
static STANDING: Mutex<Vec<Standing>> = Mutex::new(Vec::new());

impl Place {
    /// The rank of a process without the library of rank 0, if there is one. There may be several; the
    /// processes need not name the same one.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn absent(&self) -> Result<Option<c_int>, MpiError> {
        let verdict = match self.rank {
            0 => self.call()?,
            _ => self.report()?,
        };
        Ok((verdict != NOBODY).then_some(verdict))
    }

    /// Rank 0's part.
    fn call(&self) -> Result<c_int, MpiError> {
        let mut reports = self.receives(1..self.procs)?;
        let mut confirmations = self.receives(1..self.procs)?;
        let end = Instant::now() + PATIENCE;
        let (mut present, mut absent) = (Vec::new(), NOBODY);
        for (rank, report) in (1..).zip(&mut reports) {
            let reported = report.wait(Some(end))?;
            if reported.is_some() {
                present.push(rank);
            }
            if reported != Some(build()) {
                absent = absent.min(rank);
            }
        }
        self.send(&present, absent)?;
        if absent == NOBODY {
            let end = Instant::now() + PATIENCE;
            for (rank, confirmation) in (1..).zip(&mut confirmations) {
                if confirmation.wait(Some(end))?.is_none() {
                    absent = absent.min(rank);
                }
            }
            self.send(&present, absent)?;
        }
        keep(reports.into_iter().chain(confirmations));
        Ok(absent)
    }

    /// The part of the others.
    fn report(&self) -> Result<c_int, MpiError> {
        let mut answers = self.receives([0, 0])?;
        self.send(&[0], build())?;
        let [answer, verdict] = &mut answers[..] else {
            unreachable!("two receives were posted");
        };
        let mut found = answer.wait(Some(Instant::now() + 2 * PATIENCE))?;
        if found == Some(NOBODY) {
            self.send(&[0], build())?;
            found = verdict.wait(None)?;
        }
        keep(answers);
        Ok(found.unwrap_or(0))
    }

    fn send(&self, to: &[c_int], message: c_int) -> Result<(), MpiError> {
        let sends = to
            .iter()
            .map(|&rank| self.post(rank, message, Direction::Send));
        keep(sends.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// Receives from these ranks.
    fn receives(&self, from: impl IntoIterator<Item = c_int>) -> Result<Vec<Standing>, MpiError> {
        let receives = from
            .into_iter()
            .map(|rank| self.post(rank, 0, Direction::Receive));
        receives.collect()
    }

    fn post(
        &self,
        rank: c_int,
        message: c_int,
        direction: Direction,
    ) -> Result<Standing, MpiError> {
        let message = Box::leak(Box::new(message));
        let place = (&raw mut *message).cast();
        // SAFETY: one int, which lives as long as the process.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (int, to) = (ffi::RSMPI_INT32_T, &raw mut request);
            MpiError::check(match direction {
                Direction::Receive => ffi::PMPI_Irecv(place, 1, int, rank, tag(), self.world, to),
                Direction::Send => {
                    ffi::PMPI_Isend(place.cast_const(), 1, int, rank, tag(), self.world, to)
                }
            })?;
            Ok(Standing {
                request,
                message,
                direction,
            })
        }
    }
}

impl Standing {
    /// The message; `None` if there is none at the deadline.
    fn wait(&mut self, deadline: Option<Instant>) -> Result<Option<c_int>, MpiError> {
        loop {
            let mut is_done = 0;
            // SAFETY: a request of this library, and a constant of the MPI library.
            let code = unsafe {
                let ignored = ffi::RSMPI_STATUS_IGNORE;
                ffi::PMPI_Test(&raw mut self.request, &raw mut is_done, ignored)
            };
            MpiError::check(code)?;
            if is_done != 0 {
                return Ok(Some(*self.message));
            }
            if deadline.is_some_and(|end| Instant::now() > end) {
                return Ok(None);
            }
            std::thread::yield_now();
        }
    }
}

/// Keeps the messages that are not complete.
fn keep(messages: impl IntoIterator<Item = Standing>) {
    // SAFETY: a constant of the MPI library.
    let complete = unsafe { ffi::RSMPI_REQUEST_NULL };
    let open = messages.into_iter().filter(|own| own.request != complete);
    lock(&STANDING).extend(open);
}

/// Gives the requests back, before MPI ends, which completes the sends.
pub fn end() {
    for mut own in lock(&STANDING).drain(..) {
        // SAFETY: a request of this library, whose memory stays.
        unsafe {
            if own.direction == Direction::Receive {
                ffi::PMPI_Cancel(&raw mut own.request);
            }
            ffi::PMPI_Request_free(&raw mut own.request);
        }
    }
}

fn tag() -> c_int {
    most_tag() - BELOW
}

/// What a rank reports: the number of its sources, read from the text in the library's file.
fn build() -> c_int {
    let digits = black_box(SOURCES).rsplit(' ').next();
    let number = digits.and_then(|digits| c_int::from_str_radix(digits, 16).ok());
    number.expect("seven digits")
}
