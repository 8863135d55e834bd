//! Checks that all processes of the job have this library. A process with another build could run another schedule; a
//! process without it would never enter this library's collectives.
//!
//! The ranks form a tree, with rank 0 as its root. Each rank reports to its parent that its subtree is complete, and
//! the answer of rank 0 goes down. The ranks confirm in the same way, and the verdict of rank 0 goes down. A rank that
//! waits some seconds in vain for a report or an answer takes its subtree as incomplete. After its confirmation it
//! waits for the verdict without limit, since a parent passes the verdict on to all that have reported. So all ranks
//! act alike: the verdict says that nobody is absent only if all have confirmed.
//!
//! With a key-value store (`store`) the tree is binomial: its few connections per rank also serve MPI's own small
//! collectives. A rank knows from the store whether its parent and children have this library. Without a store all
//! ranks report to rank 0, and assume that it has this library.
//!
//! # No message reaches the program
//! This library receives each message, however late it comes: it posts the receive in `MPI_Init`, before the program's
//! receives, until `MPI_Finalize`. A rank without the library gets no message, except rank 0 of a job without a store.
//! A program there that receives with `MPI_ANY_TAG` may get the reports of other ranks. The tag is unusual, near the
//! largest, since a posted receive would take a program's message of the same tag from a rank without the library.

use std::ffi::c_int;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::lock;
use crate::store::KeyValueStore;
use crate::world::largest_tag;

/// Time for the reports of children without children; an answer may take twice as long.
const REPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Further time for each level of the tree.
const LEVEL_TIMEOUT: Duration = Duration::from_millis(500);

/// Distance of the tag from the largest.
const TAG_DISTANCE: c_int = 28275;

/// Answer and verdict if nobody is absent; otherwise both are the rank of a process without this library. A report is
/// the number of the sources (`build`) if nobody is absent in the subtree, otherwise the complement of such a rank,
/// which is negative.
const NOBODY_ABSENT: c_int = c_int::MAX;

/// The number of the sources, seven hexadecimal digits at the end.
const SOURCES: &str = concat!("netsig sources ", env!("NETSIG_SOURCES"));

/// The place of this process in the job.
#[derive(Clone, Copy)]
pub struct ProcessPlace {
    /// Communicator of all processes.
    pub world: ffi::MPI_Comm,
    /// Rank of this process.
    pub rank: c_int,
    /// Number of processes.
    pub procs: c_int,
}

/// A message of one int, posted until it is complete or MPI ends. Its memory is never freed.
struct StandingMessage {
    request: ffi::MPI_Request,
    message: &'static mut c_int,
    direction: PostDirection,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PostDirection {
    Receive,
    Send,
}

// SAFETY: a handle of MPI, used by one thread at a time.
unsafe impl Send for StandingMessage {}

/// Messages that were not complete at the end of the roll call. A send waits until its receiver, perhaps a process
/// without this library, takes part in MPI's progress.
static STANDING_MESSAGES: Mutex<Vec<StandingMessage>> = Mutex::new(Vec::new());

/// The neighbours of a rank in the tree.
struct TreeNeighbours {
    parent: Option<c_int>,
    children: Vec<c_int>,
    /// The neighbours known to lack this library, and this rank, if others believe that it lacks it.
    absent: Vec<c_int>,
    /// Time for the reports of the children.
    timeout: Duration,
}

impl TreeNeighbours {
    fn of(place: &ProcessPlace) -> Self {
        let ProcessPlace { rank, procs, .. } = *place;
        let store = KeyValueStore::open();
        let (parent, children) = match store {
            Some(_) => (binomial_parent(rank), binomial_children(rank, procs)),
            None if rank == 0 => (0, (1..procs).collect()),
            None => (0, Vec::new()),
        };
        let parent = (rank > 0).then_some(parent);
        // The first child of a binomial tree has as many levels below it as it has siblings.
        let levels = store.as_ref().map_or(0, |_| children.len());
        let is_absent = |rank: &c_int| {
            let store = store.as_ref();
            store.is_some_and(|store| store.number(*rank) != Some(build()))
        };
        let near = parent.iter().chain(&children).chain([&rank]).copied();
        Self {
            absent: near.filter(is_absent).collect(),
            parent,
            children,
            timeout: REPORT_TIMEOUT + LEVEL_TIMEOUT * u32::try_from(levels).unwrap_or(u32::MAX),
        }
    }

    /// The children that have sent a report, and the least absent rank of the subtree.
    fn gather_reports(&self, messages: &mut [StandingMessage]) -> Result<(Vec<c_int>, c_int), MpiError> {
        let end = Instant::now() + self.timeout;
        let (mut present, mut absent) = (Vec::new(), NOBODY_ABSENT);
        for (&child, message) in self.children.iter().zip(messages) {
            let is_absent = self.absent.contains(&child);
            let found = if is_absent { None } else { message.wait(Some(end))? };
            if found.is_some() {
                present.push(child);
            }
            absent = absent.min(match found {
                Some(report) if report == build() => NOBODY_ABSENT,
                Some(report) if report < 0 => !report,
                _ => child,
            });
        }
        Ok((present, absent))
    }
}

/// The parent in a binomial tree: the rank without the highest bit of its number.
fn binomial_parent(rank: c_int) -> c_int {
    rank - rank.checked_ilog2().map_or(0, |place| 1 << place)
}

/// The children in a binomial tree: the rank with one more bit, above its highest bit.
fn binomial_children(rank: c_int, procs: c_int) -> Vec<c_int> {
    let first = rank.checked_ilog2().map_or(0, |place| place + 1);
    let bits = (first..c_int::BITS - 1).map(|place| 1 << place);
    bits.map_while(|bit| rank.checked_add(bit))
        .take_while(|child| *child < procs)
        .collect()
}

impl ProcessPlace {
    /// The rank of a process without the library of rank 0, if there is one. If there are several, processes may name
    /// different ones.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn absent_rank(&self) -> Result<Option<c_int>, MpiError> {
        if self.procs == 1 {
            return Ok(None);
        }
        let near = TreeNeighbours::of(self);
        let mut reports = self.post_receives(&near.children)?;
        let mut confirmations = self.post_receives(&near.children)?;
        let mut answers = near
            .parent
            .map_or(Ok(Vec::new()), |parent| self.post_receives(&[parent; 2]))?;
        let levels = self.procs.checked_ilog2().unwrap_or(0) + 1;
        let end = Instant::now() + 2 * REPORT_TIMEOUT + levels * LEVEL_TIMEOUT;

        let mut verdict = self.rank;
        if !near.absent.contains(&self.rank) {
            let (reported, found) = near.gather_reports(&mut reports)?;
            verdict = self.exchange_verdict(&near, found, answers.first_mut(), Some(end))?;
            self.send(&reported, verdict)?;
            if verdict == NOBODY_ABSENT {
                let (_, found) = near.gather_reports(&mut confirmations)?;
                verdict = self.exchange_verdict(&near, found, answers.last_mut(), None)?;
                self.send(&reported, verdict)?;
            }
        }
        if self.rank == 0 && verdict != NOBODY_ABSENT {
            // Another build may report to rank 0 from everywhere.
            let others = (1..self.procs).filter(|rank| !near.children.contains(rank));
            keep_incomplete(self.post_receives(&others.collect::<Vec<_>>())?);
        }
        keep_incomplete(reports.into_iter().chain(confirmations).chain(answers));
        Ok((verdict != NOBODY_ABSENT).then_some(verdict))
    }

    /// Tells the parent the absent rank of the subtree, and waits until `end` for the absent rank of the whole tree.
    fn exchange_verdict(
        &self,
        near: &TreeNeighbours,
        found: c_int,
        answer: Option<&mut StandingMessage>,
        end: Option<Instant>,
    ) -> Result<c_int, MpiError> {
        match (near.parent, answer) {
            (Some(parent), Some(answer)) if !near.absent.contains(&parent) => {
                let report = if found == NOBODY_ABSENT { build() } else { !found };
                self.send(&[parent], report)?;
                Ok(answer.wait(end)?.unwrap_or(parent))
            }
            (Some(parent), _) => Ok(parent),
            (None, _) => Ok(found),
        }
    }

    fn send(&self, to: &[c_int], message: c_int) -> Result<(), MpiError> {
        let sends = to.iter().map(|&rank| self.post(rank, message, PostDirection::Send));
        keep_incomplete(sends.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// Receives from these ranks.
    fn post_receives(&self, from: &[c_int]) -> Result<Vec<StandingMessage>, MpiError> {
        let receives = from.iter().map(|&rank| self.post(rank, 0, PostDirection::Receive));
        receives.collect()
    }

    fn post(&self, rank: c_int, message: c_int, direction: PostDirection) -> Result<StandingMessage, MpiError> {
        let message = Box::leak(Box::new(message));
        let place = (&raw mut *message).cast();
        // SAFETY: one int, which lives as long as the process.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (int, to) = (ffi::RSMPI_INT32_T, &raw mut request);
            MpiError::check(match direction {
                PostDirection::Receive => ffi::PMPI_Irecv(place, 1, int, rank, tag(), self.world, to),
                PostDirection::Send => ffi::PMPI_Isend(place.cast_const(), 1, int, rank, tag(), self.world, to),
            })?;
            Ok(StandingMessage {
                request,
                message,
                direction,
            })
        }
    }
}

impl StandingMessage {
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
fn keep_incomplete(messages: impl IntoIterator<Item = StandingMessage>) {
    // SAFETY: a constant of the MPI library.
    let complete = unsafe { ffi::RSMPI_REQUEST_NULL };
    let open = messages.into_iter().filter(|message| message.request != complete);
    lock(&STANDING_MESSAGES).extend(open);
}

/// Gives the requests back before the end of MPI, which completes the sends.
pub fn end() {
    for mut message in lock(&STANDING_MESSAGES).drain(..) {
        // SAFETY: a request of this library, whose memory stays.
        unsafe {
            if message.direction == PostDirection::Receive {
                ffi::PMPI_Cancel(&raw mut message.request);
            }
            ffi::PMPI_Request_free(&raw mut message.request);
        }
    }
}

fn tag() -> c_int {
    largest_tag() - TAG_DISTANCE
}

/// The number of the sources, read from the text in the library's file.
pub fn build() -> c_int {
    let digits = black_box(SOURCES).rsplit(' ').next();
    let number = digits.and_then(|digits| c_int::from_str_radix(digits, 16).ok());
    number.expect("seven digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each rank except 0 is a child of its parent and of no other rank.
    #[test]
    fn the_binomial_tree_reaches_every_rank_once() {
        for procs in [1, 2, 3, 8, 15, 16, 33] {
            let of_parent = |parent| {
                binomial_children(parent, procs)
                    .into_iter()
                    .map(move |child| (child, parent))
            };
            let mut reached: Vec<_> = (0..procs).flat_map(of_parent).collect();
            reached.sort_unstable();
            let expected: Vec<_> = (1..procs).map(|rank| (rank, binomial_parent(rank))).collect();
            assert_eq!(reached, expected);
            assert!(expected.iter().all(|(rank, parent)| parent < rank));
        }
        assert_eq!(binomial_children(0, c_int::MAX).len(), 31);
        assert!(binomial_children(c_int::MAX - 1, c_int::MAX).is_empty());
    }
}
