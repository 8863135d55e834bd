//! Whether all processes of the job have this library: with another build a process could run another schedule,
//! and one without it would never enter the library's collectives.
//!
//! The ranks form a tree, with rank 0 as its root. Each rank reports to its parent that its subtree is complete; rank 0's
//! answer goes down, the ranks confirm in the same way, and rank 0's verdict goes down, too. A rank that waits for a
//! report or an answer loses patience after some seconds, and its subtree is not complete; from its confirmation on it
//! waits for the verdict as long as it takes, since a parent passes one on to all that have reported.
//! So all act alike: only where all have confirmed does the verdict say that nobody is absent.
//!
//! With a key-value store (`store`) the tree is binomial: its few connections per rank are those of MPI's own small
//! collectives. A rank knows from the store whether its parent and children have this library. Without a store all
//! report to rank 0: of it alone the others assume that it has this library.
//!
//! # No message reaches the program
//! Every message is received by this library, however late it comes: its receive is posted in `MPI_Init`, before
//! any of the program's, and stays posted until `MPI_Finalize`. A rank without the library gets no
//! message, unless it is rank 0 of a job without a store: its program may take the others' reports for its own where it
//! receives with `MPI_ANY_TAG`. The tag is the largest but some, since a receive that stays posted would take a program's
//! message of the same tag from a rank without the library.

use std::ffi::c_int;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_mpi::MpiError;

use crate::lock;
use crate::store::KeyValueStore;
use crate::world::most_tag;

/// Time for the reports of children that have none themselves; an answer may take twice as long.
const PATIENCE: Duration = Duration::from_secs(10);

/// What each level of the tree adds to it.
const PER_LEVEL: Duration = Duration::from_millis(500);

/// Distance of the tag from the largest.
const BELOW: c_int = 28275;

/// Verdict, and answer, if nobody is absent; else it is the rank of a process without this library. A report is the number
/// of the sources (`build`) if nobody is absent in the subtree, or the complement of a rank, which is negative.
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

/// The neighbours of a rank in the tree.
struct TreeNeighbours {
    parent: Option<c_int>,
    children: Vec<c_int>,
    /// Those that are known to be without this library, and this rank, if others take it for one of them.
    absent: Vec<c_int>,
    /// Time for the reports of the children.
    patience: Duration,
}

impl TreeNeighbours {
    fn of(place: &Place) -> Self {
        let Place { rank, procs, .. } = *place;
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
            patience: PATIENCE + PER_LEVEL * u32::try_from(levels).unwrap_or(u32::MAX),
        }
    }

    /// The children that have sent these messages, and the least rank that is absent in the subtree.
    fn gathered(&self, messages: &mut [Standing]) -> Result<(Vec<c_int>, c_int), MpiError> {
        let end = Instant::now() + self.patience;
        let (mut present, mut absent) = (Vec::new(), NOBODY);
        for (&child, message) in self.children.iter().zip(messages) {
            let is_absent = self.absent.contains(&child);
            let found = if is_absent { None } else { message.wait(Some(end))? };
            if found.is_some() {
                present.push(child);
            }
            absent = absent.min(match found {
                Some(report) if report == build() => NOBODY,
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

/// The children in a binomial tree: the rank with one further bit, above those of its own.
fn binomial_children(rank: c_int, procs: c_int) -> Vec<c_int> {
    let first = rank.checked_ilog2().map_or(0, |place| place + 1);
    let bits = (first..c_int::BITS - 1).map(|place| 1 << place);
    bits.map_while(|bit| rank.checked_add(bit))
        .take_while(|child| *child < procs)
        .collect()
}

impl Place {
    /// The rank of a process without the library of rank 0, if there is one. There may be several; the
    /// processes need not name the same one.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn absent(&self) -> Result<Option<c_int>, MpiError> {
        if self.procs == 1 {
            return Ok(None);
        }
        let near = TreeNeighbours::of(self);
        let mut reports = self.receives(&near.children)?;
        let mut confirmations = self.receives(&near.children)?;
        let mut answers = near
            .parent
            .map_or(Ok(Vec::new()), |parent| self.receives(&[parent; 2]))?;
        let levels = self.procs.checked_ilog2().unwrap_or(0) + 1;
        let end = Instant::now() + 2 * PATIENCE + levels * PER_LEVEL;

        let mut verdict = self.rank;
        if !near.absent.contains(&self.rank) {
            let (reported, found) = near.gathered(&mut reports)?;
            verdict = self.settled(&near, found, (answers.first_mut(), Some(end)))?;
            self.send(&reported, verdict)?;
            if verdict == NOBODY {
                let (_, found) = near.gathered(&mut confirmations)?;
                verdict = self.settled(&near, found, (answers.last_mut(), None))?;
                self.send(&reported, verdict)?;
            }
        }
        if self.rank == 0 && verdict != NOBODY {
            // Another build may report to rank 0 from everywhere.
            let others = (1..self.procs).filter(|rank| !near.children.contains(rank));
            keep(self.receives(&others.collect::<Vec<_>>())?);
        }
        keep(reports.into_iter().chain(confirmations).chain(answers));
        Ok((verdict != NOBODY).then_some(verdict))
    }

    /// Tells the parent who is absent in the subtree, and waits until `end` to hear who is in the whole tree.
    fn settled(
        &self,
        near: &TreeNeighbours,
        found: c_int,
        (answer, end): (Option<&mut Standing>, Option<Instant>),
    ) -> Result<c_int, MpiError> {
        match (near.parent, answer) {
            (Some(parent), Some(answer)) if !near.absent.contains(&parent) => {
                let report = if found == NOBODY { build() } else { !found };
                self.send(&[parent], report)?;
                Ok(answer.wait(end)?.unwrap_or(parent))
            }
            (Some(parent), _) => Ok(parent),
            (None, _) => Ok(found),
        }
    }

    fn send(&self, to: &[c_int], message: c_int) -> Result<(), MpiError> {
        let sends = to.iter().map(|&rank| self.post(rank, message, Direction::Send));
        keep(sends.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// Receives from these ranks.
    fn receives(&self, from: &[c_int]) -> Result<Vec<Standing>, MpiError> {
        let receives = from.iter().map(|&rank| self.post(rank, 0, Direction::Receive));
        receives.collect()
    }

    fn post(&self, rank: c_int, message: c_int, direction: Direction) -> Result<Standing, MpiError> {
        let message = Box::leak(Box::new(message));
        let place = (&raw mut *message).cast();
        // SAFETY: one int, which lives as long as the process.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (int, to) = (ffi::RSMPI_INT32_T, &raw mut request);
            MpiError::check(match direction {
                Direction::Receive => ffi::PMPI_Irecv(place, 1, int, rank, tag(), self.world, to),
                Direction::Send => ffi::PMPI_Isend(place.cast_const(), 1, int, rank, tag(), self.world, to),
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

/// The number of the sources, read from the text in the library's file.
pub fn build() -> c_int {
    let digits = black_box(SOURCES).rsplit(' ').next();
    let number = digits.and_then(|digits| c_int::from_str_radix(digits, 16).ok());
    number.expect("seven digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each rank but 0 is a child of its parent alone.
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
