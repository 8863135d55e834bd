//! Runs one rank's round of a schedule over MPI.
//!
//! Up to the round's limit, receives and then sends are posted in the order of their
//! lists; whenever one is complete the next of its list takes its place. Local copies
//! are made while messages are under way.

use std::os::raw::c_int;

use mpi::ffi;
use netsig_core::schedule::{InFlight, Round};

use crate::blocks::Blocks;

/// All messages of the executor carry this tag; order tells them apart.
const TAG: c_int = 0x5167;

/// A round under way.
struct Posting<'a> {
    round: &'a Round,
    blocks: &'a mut Blocks,
    comm: ffi::MPI_Comm,
    /// Receives first, then sends; null where a list has run out.
    requests: Vec<ffi::MPI_Request>,
}

/// Carries out `round` on `comm`, to which all its ranks belong, and waits until all of
/// it is complete.
pub fn run(round: &Round, blocks: &mut Blocks, comm: ffi::MPI_Comm) {
    let limit = match round.in_flight {
        InFlight::Unlimited => usize::MAX,
        InFlight::AtMost(most) => most.get() as usize,
    };
    let receives = round.receives.len().min(limit);
    let sends = round.sends.len().min(limit);
    let mut posting = Posting {
        round,
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
    for &copy in &round.copies {
        posting.blocks.copy(copy);
    }
    posting.keep_full(receives, sends);
    posting.wait_all();
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
        let receive = &self.round.receives[index];
        let block = self.blocks.block_mut(receive.slot);
        let mut request = null_request();
        // SAFETY: the block lies in memory that is neither moved nor dropped before
        // `run` has waited for this request, and a proven schedule touches it nowhere
        // else in this round. MPI's default error handler ends the program on failure.
        unsafe {
            ffi::MPI_Irecv(
                block.as_mut_ptr().cast(),
                length(block),
                ffi::RSMPI_UINT8_T,
                rank(receive.from.0),
                TAG,
                self.comm,
                &raw mut request,
            );
        }
        request
    }

    fn send(&mut self, index: usize) -> ffi::MPI_Request {
        let send = &self.round.sends[index];
        let block = self.blocks.block(send.slot);
        let mut request = null_request();
        // SAFETY: as for `receive`; a proven schedule does not write the block in this
        // round.
        unsafe {
            ffi::MPI_Isend(
                block.as_ptr().cast(),
                length(block),
                ffi::RSMPI_UINT8_T,
                rank(send.to.0),
                TAG,
                self.comm,
                &raw mut request,
            );
        }
        request
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

fn null_request() -> ffi::MPI_Request {
    // SAFETY: a constant of the MPI library.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}

fn length(block: &[u8]) -> c_int {
    c_int::try_from(block.len()).expect("plans limit messages to what a C int counts")
}

fn rank(rank: u32) -> c_int {
    c_int::try_from(rank).expect("MPI numbers ranks with a C int")
}
