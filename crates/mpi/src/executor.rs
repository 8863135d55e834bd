//! Runs one rank's rounds of a schedule over MPI.
//!
//! Receives and then sends are posted in list order, up to the round's limits; a completed message
//! is replaced by the next of its list, or a completed exchange by the next. Local copies run while
//! messages are in flight. Where pieces differ in size, messages of empty blocks are not sent; exchanges
//! keep their places in the lists, since partners that skip different places would wait for each other.

use std::borrow::Cow;
use std::os::raw::c_int;
use std::slice::Iter;

use itertools::Itertools as _;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw;
use netsig_core::algorithm::Proven;
use netsig_core::schedule::{self, InFlight, Messages};
use netsig_core::units::Rank;

use crate::blocks::{Blocks, Transfer};
use crate::message::{Direction, Message};

/// A message of a list; `None` for one that is not sent.
type Posted = Option<Message>;

/// A round, prepared as far as possible before the clock starts.
pub struct ReadyRound {
    receives: Vec<Posted>,
    sends: Vec<Posted>,
    copies: Vec<Transfer>,
    in_flight: InFlight,
    /// Length in bytes of the blocks' memory.
    memory: usize,
}

/// A round in progress.
struct Posting<'a> {
    blocks: &'a mut Blocks,
    comm: &'a SimpleCommunicator,
    /// Requests of receives, followed by those of sends, or in pairs of both where exchanges are
    /// limited; null at places whose list is exhausted. Empty after the round.
    requests: Vec<ffi::MPI_Request>,
}

impl ReadyRound {
    /// Prepares the part of `rank` in round `index` of `schedule` for `blocks`.
    pub fn new(schedule: &Proven, rank: Rank, index: usize, blocks: &Blocks) -> Self {
        let round = schedule.round(rank, index);
        let copies = round.copies.iter();
        let ready = |direction, messages: &Messages| {
            let message = |it: Cow<schedule::Message>| {
                let message = || Message::new(direction, it.partner, &it.slots, blocks);
                blocks.is_sent(&it.slots).then(message)
            };
            let messages = messages.iter().map(message);
            let keeps_places = matches!(round.in_flight, InFlight::Exchanges(_));
            messages
                .filter(|own| keeps_places || own.is_some())
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

    /// Carries out the round on `comm`, which must contain all its ranks, and waits for its
    /// completion. `blocks` must be those of the preparation.
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
        let is_paired = matches!(self.in_flight, InFlight::Exchanges(_));
        let first: Vec<&Posted> = if is_paired {
            receives.iter().interleave(sends).collect()
        } else {
            receives.iter().chain(sends).collect()
        };
        for message in first {
            let request = posting.post(message.as_ref());
            posting.requests.push(request);
        }
        for &copy in &self.copies {
            posting.copy(copy);
        }
        if is_paired {
            posting.keep_paired(later_receives, later_sends);
        } else {
            posting.keep_full(receives.len(), later_receives.iter(), later_sends.iter());
        }
        posting.wait_all();
    }
}

impl Posting<'_> {
    /// Posts the rest of both lists, one message for each completed one; the first `places`
    /// requests are receives.
    fn keep_full(&mut self, places: usize, mut receives: Iter<Posted>, mut sends: Iter<Posted>) {
        while receives.len() + sends.len() > 0 {
            // After the last receive is posted, only completed sends are replaced.
            let done = self.wait_any(if receives.len() == 0 { places } else { 0 });
            let of_place = if done < places {
                receives.next()
            } else {
                sends.next()
            };
            if let Some(message) = of_place {
                self.requests[done] = self.post(message.as_ref());
            }
        }
    }

    /// Posts the rest of both lists, which are equally long, in their order: the receive and the send of
    /// a place when those that hold its pair of requests are complete. Messages of one partner would
    /// match others out of order.
    fn keep_paired(&mut self, receives: &[Posted], sends: &[Posted]) {
        assert_eq!(receives.len(), sends.len(), "exchanges have both ends");
        let pairs = (0..self.requests.len()).step_by(2).cycle();
        for (pair, (receive, send)) in pairs.zip(receives.iter().zip(sends)) {
            wait(&mut self.requests[pair..pair + 2]);
            self.requests[pair] = self.post(receive.as_ref());
            self.requests[pair + 1] = self.post(send.as_ref());
        }
    }

    /// Posts a message; the request is null if there is none.
    fn post(&mut self, message: Option<&Message>) -> ffi::MPI_Request {
        let Some(message) = message else {
            // SAFETY: a constant of the MPI library.
            return unsafe { ffi::RSMPI_REQUEST_NULL };
        };
        let memory = self.blocks.memory();
        // SAFETY: the message was made for blocks of this memory, which stays borrowed until all
        // requests are complete or the program ends (see `drop`). The schedule is proven: during
        // this round it does not otherwise access the blocks of a receive, and does not write the
        // blocks of a send.
        unsafe { message.post(memory, self.comm.as_raw()) }
    }

    fn copy(&mut self, copy: Transfer) {
        // SAFETY: the copy was made for blocks of this memory. The schedule is proven: no message
        // writes its source or accesses its destination.
        unsafe { copy.run(self.blocks.memory()) }
    }

    /// Waits for any request from index `first` on and returns its index; the request is null
    /// afterwards.
    fn wait_any(&mut self, first: usize) -> usize {
        let requests = &mut self.requests[first..];
        let mut index: c_int = 0;
        // SAFETY: the array holds valid or null requests, at least one of them active: the places
        // of a list that is not exhausted are filled.
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
        wait(&mut self.requests);
        self.requests.clear();
    }
}

/// Waits for all of the requests, which are null afterwards.
fn wait(requests: &mut [ffi::MPI_Request]) {
    // SAFETY: the array holds valid or null requests.
    unsafe {
        ffi::MPI_Waitall(
            count(requests),
            requests.as_mut_ptr(),
            ffi::RSMPI_STATUSES_IGNORE,
        );
    }
}

fn count(requests: &[ffi::MPI_Request]) -> c_int {
    c_int::try_from(requests.len()).expect("fewer requests than a C int counts")
}

impl Drop for Posting<'_> {
    /// Aborts the program if a panic leaves the round while MPI may still access the memory:
    /// waiting for partners could take for ever, since this rank no longer serves them.
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            std::process::abort();
        }
    }
}
