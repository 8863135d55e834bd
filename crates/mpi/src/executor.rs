//! Runs one rank's rounds of a schedule over MPI.
//!
//! Receives and then sends are posted in list order, up to the round's limits; a completed message
//! is replaced by the next of its list, or a completed exchange by the next. Local copies run while
//! messages are in flight. Combinations follow when all are complete. Where pieces differ in size, messages of empty blocks are not sent. An exchange
//! without both its messages is left out; one with a single message keeps its place, since partners that
//! skip different places would wait for each other.

use std::borrow::Cow;
use std::ops::Range;
use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::Iter;

use itertools::Itertools as _;
use mpi::ffi;
use netsig_base::algorithm::ProvenSchedule;
use netsig_base::schedule::{self, InFlightLimit, RoundMessages};
use netsig_base::units::Rank;

use crate::channel::MpiChannel;
use crate::combination::{LocalOperation, MemoryCombination};
use crate::error::MpiError;
use crate::layout::{MemoryCopy, MemoryLayout};
use crate::message::{MessageDirection, MpiMessage};

/// A message of a list; `None` for one that is not sent.
type ListedMessage = Option<MpiMessage>;

/// A round, prepared as far as possible before it runs.
#[derive(Debug)]
pub struct ReadyRound {
    receives: Vec<ListedMessage>,
    sends: Vec<ListedMessage>,
    copies: Vec<MemoryCopy>,
    combinations: Vec<MemoryCombination>,
    in_flight: InFlightLimit,
}

/// A round in progress. A failure of one message does not end it: partners wait for the others.
struct RunningRound<'a> {
    channel: MpiChannel<'a>,
    /// Requests of receives, followed by those of sends, or in pairs of both where exchanges are
    /// limited; null at places whose list is exhausted.
    requests: Vec<ffi::MPI_Request>,
    /// Memory for the status of each request.
    statuses: Vec<ffi::MPI_Status>,
    /// The first failure.
    first_failure: Option<MpiError>,
}

impl ReadyRound {
    /// Prepares the part of `rank` in round `index` of `schedule`, whose blocks are at the places of
    /// `layout`.
    pub fn new(schedule: &ProvenSchedule, rank: Rank, index: usize, layout: &MemoryLayout) -> Self {
        let round = schedule.round(rank, index);
        let ready = |direction, messages: &RoundMessages| -> Vec<ListedMessage> {
            let message = |it: Cow<schedule::ScheduleMessage>| {
                let message = || MpiMessage::new(direction, it.partner, &it.slots, layout);
                layout.is_sent(&it.slots).then(message)
            };
            messages.iter().map(message).collect()
        };
        let mut receives = ready(MessageDirection::Receive, &round.receives);
        let mut sends = ready(MessageDirection::Send, &round.sends);
        if let InFlightLimit::Exchanges(_) = round.in_flight {
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
            combinations: MemoryCombination::of_round(&round.combinations, layout),
            in_flight: round.in_flight,
        }
    }

    /// Number of messages, copies and combinations.
    pub fn operations(&self) -> usize {
        self.receives.len() + self.sends.len() + self.copies.len() + self.combinations.len()
    }

    /// Carries out the round by messages on `channel`, and waits for its completion. Unless the messages failed, then
    /// combines blocks by `operation`, which a reduction needs.
    ///
    /// # Errors
    /// If an MPI call fails and the communicator's error handler returns, or netsig itself fails. MPI may
    /// then go on to use the memory.
    ///
    /// # Safety
    /// The places of the layout are memory of this process, which nothing else writes during the call,
    /// and of which nothing else reads the output and scratch blocks. After an error they stay memory of
    /// this process until it ends. Blocks to combine consist of whole elements of the operation.
    pub unsafe fn run(&self, channel: MpiChannel, operation: Option<LocalOperation>) -> Result<(), MpiError> {
        let (receives, sends) = self.in_flight.receive_and_send_limits();
        let (receives, later_receives) = self.receives.split_at(self.receives.len().min(receives));
        let (sends, later_sends) = self.sends.split_at(self.sends.len().min(sends));
        let mut posting = RunningRound {
            channel,
            requests: Vec::with_capacity(receives.len() + sends.len()),
            statuses: Vec::new(),
            first_failure: None,
        };
        let is_paired = matches!(self.in_flight, InFlightLimit::Exchanges(_));
        let first: Vec<&ListedMessage> = if is_paired {
            receives.iter().interleave(sends).collect()
        } else {
            receives.iter().chain(sends).collect()
        };
        // A panic must not go on to code that frees the memory of messages in flight.
        let done = catch_unwind(AssertUnwindSafe(|| {
            posting.carry_out(&first, self, later_receives, later_sends);
        }));
        let failed = done.map_or(Some(MpiError::INTERNAL), |()| posting.first_failure);
        failed.map_or(Ok(()), Err)?;
        let mut combinations = self.combinations.iter();
        combinations.try_for_each(|combination| {
            // SAFETY: the messages are complete. The schedule is proven: the operands are different blocks that hold
            // data.
            unsafe { combination.run(operation.ok_or(MpiError::INTERNAL)?) }
        })
    }
}

impl RunningRound<'_> {
    /// Carries out `round`: posts the `first` messages, makes the copies, and posts the later messages.
    fn carry_out(
        &mut self,
        first: &[&ListedMessage],
        round: &ReadyRound,
        later_receives: &[ListedMessage],
        later_sends: &[ListedMessage],
    ) {
        for message in first {
            let request = self.post(message.as_ref());
            self.requests.push(request);
        }
        for copy in &round.copies {
            // SAFETY: the caller of `run` guarantees the memory. The schedule is proven: no message
            // writes the copy's source or accesses its destination.
            unsafe { copy.run() }
        }
        if matches!(round.in_flight, InFlightLimit::Exchanges(_)) {
            self.refill_pairs(later_receives, later_sends);
        } else {
            let places = round.receives.len() - later_receives.len();
            self.refill_requests(places, later_receives.iter(), later_sends.iter());
        }
        self.wait(0..self.requests.len());
    }

    /// Posts the rest of both lists, one message for each completed one; the first `places`
    /// requests are receives.
    fn refill_requests(&mut self, places: usize, mut receives: Iter<ListedMessage>, mut sends: Iter<ListedMessage>) {
        while receives.len() + sends.len() > 0 {
            // After the last receive is posted, only completed sends are replaced.
            let done = self.wait_any(if receives.len() == 0 { places } else { 0 });
            let of_place = if done < places { receives.next() } else { sends.next() };
            if let Some(message) = of_place {
                self.requests[done] = self.post(message.as_ref());
            }
        }
    }

    /// Posts the rest of both lists, which are equally long, in their order. A receive and its send take a pair of
    /// requests once both are complete. In another order messages of one partner would match wrong ones.
    fn refill_pairs(&mut self, receives: &[ListedMessage], sends: &[ListedMessage]) {
        assert_eq!(receives.len(), sends.len(), "exchanges have both ends");
        let pairs = (0..self.requests.len()).step_by(2).cycle();
        for (pair, (receive, send)) in pairs.zip(receives.iter().zip(sends)) {
            self.wait(pair..pair + 2);
            self.requests[pair] = self.post(receive.as_ref());
            self.requests[pair + 1] = self.post(send.as_ref());
        }
    }

    /// Posts a message; the request is null if there is none, or MPI refuses it.
    fn post(&mut self, message: Option<&MpiMessage>) -> ffi::MPI_Request {
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
            self.first_failure.get_or_insert(error);
            none
        })
    }

    /// Waits for all requests of a range, which are null afterwards. If requests fail, MPI may return for each of them
    /// before all are complete.
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
            self.first_failure.get_or_insert(error);
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
            self.first_failure.get_or_insert(error);
        }
        // Without an active request, for example because MPI refused all, the first place is free.
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
