//! Runs one rank's rounds of a schedule over MPI.
//!
//! Receives and then sends are posted in list order, up to the round's limits; a completed message
//! is replaced by the next of its list, or a completed exchange by the next. Local copies run while
//! messages are in flight. Where pieces differ in size, messages of empty blocks are not sent. An exchange
//! without both its messages is left out; one with a single message keeps its place, since partners that
//! skip different places would wait for each other.

use std::borrow::Cow;
use std::ops::Range;
use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::Iter;

use itertools::Itertools as _;
use mpi::ffi;
use netsig_base::algorithm::Proven;
use netsig_base::schedule::{self, InFlight, Messages};
use netsig_base::units::Rank;

use crate::channel::Channel;
use crate::error::MpiError;
use crate::layout::{Layout, Transfer};
use crate::message::{Direction, Message};

/// A message of a list; `None` for one that is not sent.
type Posted = Option<Message>;

/// A round, prepared as far as possible before it runs.
#[derive(Debug)]
pub struct ReadyRound {
    receives: Vec<Posted>,
    sends: Vec<Posted>,
    copies: Vec<Transfer>,
    in_flight: InFlight,
}

/// A round in progress. A failure of one message does not end it: partners wait for the others.
struct Posting<'a> {
    channel: Channel<'a>,
    /// Requests of receives, followed by those of sends, or in pairs of both where exchanges are
    /// limited; null at places whose list is exhausted.
    requests: Vec<ffi::MPI_Request>,
    /// Memory for MPI's word on each of them.
    statuses: Vec<ffi::MPI_Status>,
    /// The first failure.
    failed: Option<MpiError>,
}

impl ReadyRound {
    /// Prepares the part of `rank` in round `index` of `schedule`, whose blocks are at the places of
    /// `layout`.
    pub fn new(schedule: &Proven, rank: Rank, index: usize, layout: &Layout) -> Self {
        let round = schedule.round(rank, index);
        let ready = |direction, messages: &Messages| -> Vec<Posted> {
            let message = |it: Cow<schedule::Message>| {
                let message = || Message::new(direction, it.partner, &it.slots, layout);
                layout.is_sent(&it.slots).then(message)
            };
            messages.iter().map(message).collect()
        };
        let mut receives = ready(Direction::Receive, &round.receives);
        let mut sends = ready(Direction::Send, &round.sends);
        if let InFlight::Exchanges(_) = round.in_flight {
            let pairs = receives.into_iter().zip_eq(sends);
            let exchanges = pairs.filter(|pair| !matches!(pair, (None, None)));
            (receives, sends) = exchanges.unzip();
        } else {
            receives.retain(Option::is_some);
            sends.retain(Option::is_some);
        }
        Self {
            receives,
            sends,
            copies: round.copies.iter().map(|&copy| layout.transfer(copy)).collect(),
            in_flight: round.in_flight,
        }
    }

    /// Number of messages and copies.
    pub fn operations(&self) -> usize {
        self.receives.len() + self.sends.len() + self.copies.len()
    }

    /// Carries out the round by messages on `channel`, and waits for its completion.
    ///
    /// # Errors
    /// If an MPI call fails and the communicator's error handler returns, or netsig itself fails. MPI may
    /// then go on to use the memory.
    ///
    /// # Safety
    /// The places of the layout are memory of this process, which nothing else writes during the call,
    /// and of which nothing else reads the output and scratch blocks. After an error they stay memory of
    /// this process until it ends.
    pub unsafe fn run(&self, channel: Channel) -> Result<(), MpiError> {
        let (receives, sends) = self.in_flight.at_once();
        let (receives, later_receives) = self.receives.split_at(self.receives.len().min(receives));
        let (sends, later_sends) = self.sends.split_at(self.sends.len().min(sends));
        let mut posting = Posting {
            channel,
            requests: Vec::with_capacity(receives.len() + sends.len()),
            statuses: Vec::new(),
            failed: None,
        };
        let is_paired = matches!(self.in_flight, InFlight::Exchanges(_));
        let first: Vec<&Posted> = if is_paired {
            receives.iter().interleave(sends).collect()
        } else {
            receives.iter().chain(sends).collect()
        };
        let later = (later_receives, later_sends);
        // A panic must not go on to code that frees the memory of messages in flight.
        let done = catch_unwind(AssertUnwindSafe(|| posting.carry_out(&first, self, later)));
        let failed = done.map_or(Some(MpiError::INTERNAL), |()| posting.failed);
        failed.map_or(Ok(()), Err)
    }
}

impl Posting<'_> {
    /// Carries out `round`: the messages that are posted at once, the copies, and the messages after
    /// those.
    fn carry_out(&mut self, first: &[&Posted], round: &ReadyRound, (receives, sends): (&[Posted], &[Posted])) {
        for message in first {
            let request = self.post(message.as_ref());
            self.requests.push(request);
        }
        for copy in &round.copies {
            // SAFETY: the caller of `run` guarantees the memory. The schedule is proven: no message
            // writes the copy's source or accesses its destination.
            unsafe { copy.run() }
        }
        if matches!(round.in_flight, InFlight::Exchanges(_)) {
            self.keep_paired(receives, sends);
        } else {
            let places = round.receives.len() - receives.len();
            self.keep_full(places, receives.iter(), sends.iter());
        }
        self.wait(0..self.requests.len());
    }

    /// Posts the rest of both lists, one message for each completed one; the first `places`
    /// requests are receives.
    fn keep_full(&mut self, places: usize, mut receives: Iter<Posted>, mut sends: Iter<Posted>) {
        while receives.len() + sends.len() > 0 {
            // After the last receive is posted, only completed sends are replaced.
            let done = self.wait_any(if receives.len() == 0 { places } else { 0 });
            let of_place = if done < places { receives.next() } else { sends.next() };
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
            self.wait(pair..pair + 2);
            self.requests[pair] = self.post(receive.as_ref());
            self.requests[pair + 1] = self.post(send.as_ref());
        }
    }

    /// Posts a message; the request is null if there is none, or MPI refuses it.
    fn post(&mut self, message: Option<&Message>) -> ffi::MPI_Request {
        // SAFETY: a constant of the MPI library.
        let none = unsafe { ffi::RSMPI_REQUEST_NULL };
        let Some(message) = message else {
            return none;
        };
        // SAFETY: the caller of `run` guarantees the memory until all requests are complete. The schedule
        // is proven: during this round it does not otherwise access the blocks of a receive, and does not
        // write the blocks of a send.
        let posted = unsafe { message.post(self.channel) };
        posted.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            none
        })
    }

    /// Waits for all requests of a range, which are null afterwards. MPI may return before all are complete if
    /// one fails, each time with another.
    fn wait(&mut self, range: Range<usize>) {
        for _ in 0..=range.len() {
            let requests = &mut self.requests[range.clone()];
            self.statuses.clear();
            self.statuses.reserve(requests.len());
            let statuses: *mut ffi::MPI_Status = self.statuses.as_mut_ptr();
            // SAFETY: the array holds valid or null requests, and the other one has as many places. MPI fills
            // them all if it fails for one of the requests.
            let code = unsafe {
                let code = ffi::PMPI_Waitall(count(requests), requests.as_mut_ptr(), statuses);
                if code == ffi::MPI_ERR_IN_STATUS.cast_signed() {
                    self.statuses.set_len(requests.len());
                }
                code
            };
            let Err(error) = MpiError::check(code) else {
                return;
            };
            let error = first_of(&self.statuses).unwrap_or(error);
            self.failed.get_or_insert(error);
        }
    }

    /// Waits for any request from index `first` on and returns its index; the request is null
    /// afterwards.
    fn wait_any(&mut self, first: usize) -> usize {
        let requests = &mut self.requests[first..];
        let mut index: c_int = 0;
        // SAFETY: the array holds valid or null requests.
        let code = unsafe {
            ffi::PMPI_Waitany(
                count(requests),
                requests.as_mut_ptr(),
                &raw mut index,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        if let Err(error) = MpiError::check(code) {
            self.failed.get_or_insert(error);
        }
        // Without an active request, as after refused ones, the first place is free.
        first + usize::try_from(index).unwrap_or(0)
    }
}

/// The first failure among requests.
fn first_of(statuses: &[ffi::MPI_Status]) -> Option<MpiError> {
    let codes = statuses.iter().map(|status| status.MPI_ERROR);
    let mut failed = codes.filter(|code| *code != ffi::MPI_ERR_PENDING.cast_signed());
    failed.find_map(|code| MpiError::check(code).err())
}

fn count(requests: &[ffi::MPI_Request]) -> c_int {
    c_int::try_from(requests.len()).expect("fewer requests than a C int counts")
}
