//! Runs one rank's rounds of a schedule over MPI.
//!
//! Receives and then sends are posted in list order, up to the round's limits; a completed message
//! is replaced by the next of its list, or a completed exchange by the next. Local copies run while
//! messages are in flight. Combinations follow when all are complete. Where pieces differ in size, messages of empty
//! blocks are not sent. An exchange without both its messages is left out. One with a single message keeps its place, since
//! partners that skip different places would wait for each other. In sparse tables exchanges take another order and pace
//! (`exchange_window`).

use std::ops::Range;
use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::Iter;

use itertools::Itertools as _;
use mpi::ffi;
use netsig_base::algorithm::ProvenSchedule;
use netsig_base::schedule::{InFlightLimit, Round, RoundMessages};
use netsig_base::units::Rank;

use crate::channel::MpiChannel;
use crate::combination::{LocalOperation, MemoryCombination};
use crate::error::MpiError;
use crate::exchange_window::{ExchangePart, ExchangeParts, ExchangeWindow, ordered_exchanges};
use crate::layout::{MemoryCopy, MemoryLayout, SegmentOrder};
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
    /// Order of the segments, where pieces differ in size.
    order: SegmentOrder,
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
        let (receives, sends) = match round.in_flight {
            InFlightLimit::Exchanges(_) => listed_exchanges(&round, layout),
            _ => (
                kept_messages(MessageDirection::Receive, &round.receives, layout),
                kept_messages(MessageDirection::Send, &round.sends, layout),
            ),
        };
        Self {
            receives,
            sends,
            copies: round.copies.iter().map(|&copy| layout.transfer(copy)).collect(),
            combinations: MemoryCombination::of_round(&round.combinations, layout),
            in_flight: round.in_flight,
            order: layout.order(),
        }
    }

    /// The window of exchanges of a sparse table of which some have a single message; `None` in other rounds.
    fn one_way_window(&self) -> Option<ExchangeWindow> {
        let (InFlightLimit::Exchanges(window), SegmentOrder::Together) = (self.in_flight, self.order) else {
            return None;
        };
        let pairs = self.receives.iter().zip(&self.sends);
        let parts = pairs.map(|(receive, send)| ExchangeParts {
            receives: receive.is_some(),
            sends: send.is_some(),
        });
        let exchanges: Vec<ExchangeParts> = parts.collect();
        let has_one_way = exchanges.iter().any(|parts| parts.is_one_way());
        has_one_way.then(|| ExchangeWindow::new(exchanges, window))
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
        let one_way_window = self.one_way_window();
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
        let done = catch_unwind(AssertUnwindSafe(|| match one_way_window {
            Some(window) => posting.carry_out_exchanges(window, self),
            None => posting.carry_out(&first, self, later_receives, later_sends),
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
        copy_blocks(round);
        if matches!(round.in_flight, InFlightLimit::Exchanges(_)) {
            self.refill_pairs(later_receives, later_sends);
        } else {
            let places = round.receives.len() - later_receives.len();
            self.refill_requests(places, later_receives.iter(), later_sends.iter());
        }
        self.wait(0..self.requests.len());
    }

    /// Carries out exchanges of which some have a single message.
    fn carry_out_exchanges(&mut self, mut window: ExchangeWindow, round: &ReadyRound) {
        // Places of the exchanges to which the requests belong.
        let mut places = Vec::new();
        self.post_next(&mut window, &mut places, round);
        copy_blocks(round);
        for _ in 0..round.receives.iter().chain(&round.sends).flatten().count() {
            let done = self.wait_any(0);
            window.complete(places[done]);
            self.post_next(&mut window, &mut places, round);
        }
    }

    /// Posts the messages for which there is room; a null request gives its index to a message.
    fn post_next(&mut self, window: &mut ExchangeWindow, places: &mut Vec<usize>, round: &ReadyRound) {
        // SAFETY: a constant of the MPI library.
        let none = unsafe { ffi::RSMPI_REQUEST_NULL };
        while let Some((place, part)) = window.next() {
            let message = match part {
                ExchangePart::Receive => &round.receives[place],
                ExchangePart::Send => &round.sends[place],
            };
            let request = self.post(message.as_ref());
            if let Some(index) = self.requests.iter().position(|one| *one == none) {
                (self.requests[index], places[index]) = (request, place);
            } else {
                self.requests.push(request);
                places.push(place);
            }
        }
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

/// Makes the copies of a round whose messages are in progress.
fn copy_blocks(round: &ReadyRound) {
    for copy in &round.copies {
        // SAFETY: the caller of `run` guarantees the memory. The schedule is proven: no message
        // writes the copy's source or accesses its destination.
        unsafe { copy.run() }
    }
}

/// The messages of a list that are sent.
fn kept_messages(direction: MessageDirection, messages: &RoundMessages, layout: &MemoryLayout) -> Vec<ListedMessage> {
    let sent = messages.iter().filter(|it| layout.is_sent(&it.slots));
    let ready = sent.map(|it| Some(MpiMessage::new(direction, it.partner, &it.slots, layout)));
    ready.collect()
}

/// The receive and the send of each exchange. In a sparse table a send is synchronous if no receive paces it.
fn listed_exchanges(round: &Round, layout: &MemoryLayout) -> (Vec<ListedMessage>, Vec<ListedMessage>) {
    let exchanges = ordered_exchanges(round, layout).into_iter();
    let message = |direction, messages: &RoundMessages, place: usize| {
        let it = messages.get(place).expect("the round has the exchange");
        MpiMessage::new(direction, it.partner, &it.slots, layout)
    };
    let listed = exchanges.map(|(place, parts)| {
        let send_direction = match (layout.order(), parts.receives) {
            (SegmentOrder::Together, false) => MessageDirection::SynchronousSend,
            _ => MessageDirection::Send,
        };
        let receive = || message(MessageDirection::Receive, &round.receives, place);
        let send = || message(send_direction, &round.sends, place);
        (parts.receives.then(receive), parts.sends.then(send))
    });
    listed.unzip()
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
