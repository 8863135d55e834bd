//! Runs one rank's rounds of a schedule over MPI.
//!
//! Up to the round's limit, receives and then sends are posted in the order of their
//! lists; whenever one is complete the next of its list takes its place. Local copies
//! are made while messages are under way.

use std::os::raw::c_int;

use mpi::ffi;
use netsig_core::schedule::{Copy, InFlight, Round};

use crate::blocks::Blocks;
use crate::message::Message;

/// A round with all that can be made ready before the clock starts.
pub struct ReadyRound {
    receives: Vec<Message>,
    sends: Vec<Message>,
    copies: Vec<Copy>,
    in_flight: InFlight,
    /// The bytes of memory that the messages lie in.
    memory: usize,
}

/// A round under way.
struct Posting<'a> {
    round: &'a ReadyRound,
    blocks: &'a mut Blocks,
    comm: ffi::MPI_Comm,
    /// Receives first, then sends; null where a list has run out.
    requests: Vec<ffi::MPI_Request>,
}

impl ReadyRound {
    /// Prepares `round` of a proven schedule for `blocks`.
    pub fn new(round: Round, blocks: &Blocks) -> Self {
        let receives = round.receives.iter();
        let sends = round.sends.iter();
        Self {
            receives: receives
                .map(|receive| Message::new(receive.from, &receive.slots, blocks))
                .collect(),
            sends: sends
                .map(|send| Message::new(send.to, &send.slots, blocks))
                .collect(),
            copies: round.copies,
            in_flight: round.in_flight,
            memory: blocks.bytes(),
        }
    }

    /// Carries the round out on `comm`, to which all its ranks belong, and waits until
    /// all of it is complete. `blocks` are those that it was prepared for.
    pub fn run(&self, blocks: &mut Blocks, comm: ffi::MPI_Comm) {
        assert_eq!(blocks.bytes(), self.memory, "prepared for other blocks");
        let limit = match self.in_flight {
            InFlight::Unlimited => usize::MAX,
            InFlight::AtMost(most) => most.get() as usize,
        };
        let receives = self.receives.len().min(limit);
        let sends = self.sends.len().min(limit);
        let mut posting = Posting {
            round: self,
            blocks,
            comm,
            requests: Vec::with_capacity(receives + sends),
        };
        for index in 0..receives {
            let request = posting.receive(index);
            posting.requests.push(request);
        }
        for index in 0..sends {
            let request = posting.send(index);
            posting.requests.push(request);
        }
        for &copy in &self.copies {
            posting.blocks.copy(copy);
        }
        posting.keep_full(receives, sends);
        posting.wait_all();
    }
}

impl Posting<'_> {
    /// Posts the rest of both lists, one for each that completes.
    fn keep_full(&mut self, receives: usize, sends: usize) {
        let (mut next_receive, mut next_send) = (receives, sends);
        while next_receive < self.round.receives.len() || next_send < self.round.sends.len() {
            let done = self.wait_any();
            if done < receives && next_receive < self.round.receives.len() {
                self.requests[done] = self.receive(next_receive);
                next_receive += 1;
            } else if done >= receives && next_send < self.round.sends.len() {
                self.requests[done] = self.send(next_send);
                next_send += 1;
            }
        }
    }

    fn receive(&mut self, index: usize) -> ffi::MPI_Request {
        let memory = self.blocks.memory();
        // SAFETY: the message was made for blocks of just this memory, which is neither
        // moved nor dropped before `run` has waited for this request, and a proven
        // schedule touches the message's blocks nowhere else in this round.
        unsafe { self.round.receives[index].receive(memory, self.comm) }
    }

    fn send(&mut self, index: usize) -> ffi::MPI_Request {
        let memory = self.blocks.memory();
        // SAFETY: as for `receive`; a proven schedule does not write the blocks in this
        // round.
        unsafe { self.round.sends[index].send(memory, self.comm) }
    }

    /// Waits for any request and gives its place; it is null afterwards.
    fn wait_any(&mut self) -> usize {
        let mut index: c_int = 0;
        // SAFETY: the array holds valid or null requests, of which one at least is
        // active: a list that has not run out keeps its places filled.
        unsafe {
            ffi::MPI_Waitany(
                self.count(),
                self.requests.as_mut_ptr(),
                &raw mut index,
                ffi::RSMPI_STATUS_IGNORE,
            );
        }
        usize::try_from(index).expect("an active request completes")
    }

    fn wait_all(&mut self) {
        // SAFETY: the array holds valid or null requests.
        unsafe {
            ffi::MPI_Waitall(
                self.count(),
                self.requests.as_mut_ptr(),
                ffi::RSMPI_STATUSES_IGNORE,
            );
        }
    }

    fn count(&self) -> c_int {
        c_int::try_from(self.requests.len()).expect("fewer requests than a C int counts")
    }
}
