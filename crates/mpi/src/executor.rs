//! Runs one rank's rounds of a schedule over MPI.
//!
//! Up to the round's limits, receives and then sends are posted in the order of their
//! lists; whenever one is complete the next of its list takes its place. Local copies
//! are made while messages are under way.

use std::os::raw::c_int;
use std::slice::Iter;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw;
use netsig_core::algorithm::Proven;
use netsig_core::schedule::{InFlight, Messages};
use netsig_core::units::Rank;

use crate::blocks::{Blocks, Transfer};
use crate::message::{Direction, Message};

/// A round with all that can be made ready before the clock starts.
pub struct ReadyRound {
    receives: Vec<Message>,
    sends: Vec<Message>,
    copies: Vec<Transfer>,
    in_flight: InFlight,
    /// The bytes of memory that the messages and copies lie in.
    memory: usize,
}

/// A round under way.
struct Posting<'a> {
    blocks: &'a mut Blocks,
    comm: &'a SimpleCommunicator,
    /// Receives first, then sends; null where a list has run out. None once the round is
    /// complete.
    requests: Vec<ffi::MPI_Request>,
}

impl ReadyRound {
    /// Prepares what `rank` does in round `index` of `schedule` for `blocks`.
    pub fn new(schedule: &Proven, rank: Rank, index: usize, blocks: &Blocks) -> Self {
        let round = schedule.round(rank, index);
        let copies = round.copies.iter();
        let ready = |direction, messages: &Messages| {
            let messages = messages.iter();
            messages
                .map(|it| Message::new(direction, it.partner, &it.slots, blocks))
                .collect()
        };
        Self {
            receives: ready(Direction::Receive, &round.receives),
            sends: ready(Direction::Send, &round.sends),
            copies: copies.map(|&copy| blocks.transfer(copy)).collect(),
            in_flight: round.in_flight,
            memory: blocks.bytes(),
        }
    }

    /// Carries the round out on `comm`, to which all its ranks belong, and waits until
    /// all of it is complete. `blocks` are those that it was prepared for.
    pub fn run(&self, blocks: &mut Blocks, comm: &SimpleCommunicator) {
        assert_eq!(blocks.bytes(), self.memory, "prepared for other blocks");
        let (receives, sends) = self.in_flight.at_once();
        let (receives, later_receives) = self.receives.split_at(self.receives.len().min(receives));
        let (sends, later_sends) = self.sends.split_at(self.sends.len().min(sends));
        let mut posting = Posting {
            blocks,
            comm,
            requests: Vec::with_capacity(receives.len() + sends.len()),
        };
        for message in receives.iter().chain(sends) {
            let request = posting.post(message);
            posting.requests.push(request);
        }
        for &copy in &self.copies {
            posting.copy(copy);
        }
        posting.keep_full(receives.len(), later_receives.iter(), later_sends.iter());
        posting.wait_all();
    }
}

impl Posting<'_> {
    /// Posts the rest of both lists, one for each that completes; the first `places` are those
    /// of receives.
    fn keep_full(&mut self, places: usize, mut receives: Iter<Message>, mut sends: Iter<Message>) {
        while receives.len() + sends.len() > 0 {
            // Once all receives are posted, only sends make room.
            let done = self.wait_any(if receives.len() == 0 { places } else { 0 });
            let of_place = if done < places {
                receives.next()
            } else {
                sends.next()
            };
            if let Some(message) = of_place {
                self.requests[done] = self.post(message);
            }
        }
    }

    fn post(&mut self, message: &Message) -> ffi::MPI_Request {
        let memory = self.blocks.memory();
        // SAFETY: the message was made for blocks of just this memory, which stays
        // borrowed until all requests are complete or the program ends (see `drop`).
        // The schedule is proven: it touches the blocks of a receive nowhere else in this
        // round, and does not write those of a send.
        unsafe { message.post(memory, self.comm.as_raw()) }
    }

    fn copy(&mut self, copy: Transfer) {
        // SAFETY: the copy was made for blocks of just this memory. The schedule is
        // proven: no message writes what it reads or touches what it writes.
        unsafe { copy.run(self.blocks.memory()) }
    }

    /// Waits for any request from place `first` on and gives its place; it is null
    /// afterwards.
    fn wait_any(&mut self, first: usize) -> usize {
        let requests = &mut self.requests[first..];
        let mut index: c_int = 0;
        // SAFETY: the array holds valid or null requests, of which one at least is
        // active: a list that has not run out keeps its places filled.
        unsafe {
            ffi::MPI_Waitany(
                count(requests),
                requests.as_mut_ptr(),
                &raw mut index,
                ffi::RSMPI_STATUS_IGNORE,
            );
        }
        first + usize::try_from(index).expect("an active request completes")
    }

    fn wait_all(&mut self) {
        // SAFETY: the array holds valid or null requests.
        unsafe {
            ffi::MPI_Waitall(
                count(&self.requests),
                self.requests.as_mut_ptr(),
                ffi::RSMPI_STATUSES_IGNORE,
            );
        }
        self.requests.clear();
    }
}

fn count(requests: &[ffi::MPI_Request]) -> c_int {
    c_int::try_from(requests.len()).expect("fewer requests than a C int counts")
}

impl Drop for Posting<'_> {
    /// Ends the program if a panic leaves the round while MPI may still use the memory:
    /// to wait for partners that this rank no longer serves could take for ever.
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            std::process::abort();
        }
    }
}
