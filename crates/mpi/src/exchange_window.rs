//! Exchanges of one rank in a sparse table of sizes, where some exchanges have a single message.
//!
//! # Order
//! In a sparse table the first segments of all pieces come before the second ones (`SegmentOrder::Together`). So a rank
//! with a few pieces serves them together, and a port that many ranks wait for is busy throughout. In groups of partners
//! it would be idle in the groups in which nobody has data for it. Dense tables keep the groups of the schedule: there a
//! rank that has served a group waits for the slower ones, which protects their ports.
//!
//! # Pace
//! In that order receives and sends are posted, at most w of each at a time. An exchange with both messages keeps its
//! places until both are complete: the receive tells that the network keeps up. A send without a receive is synchronous,
//! so that it is complete only when its receiver has a place for it. A port then takes w segments of each sender at
//! most, as in exchanges of equal pieces.
//!
//! # No deadlock
//! All ranks have the messages between them in one order, because send and receive of a message have the same place in
//! the schedule, and the same segment. Consider the first of the messages that are not complete. All before it are complete, so
//! its sender and its receiver have a place for it, and nothing stands before it in their lists. Both post it, and it
//! completes.

use std::num::NonZeroU32;

use itertools::Itertools as _;
use netsig_base::schedule::Round;

use crate::layout::MemoryLayout;

/// A message of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangePart {
    /// The receive.
    Receive,
    /// The send.
    Send,
}

/// The messages that an exchange has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeParts {
    /// True if there is a receive.
    pub receives: bool,
    /// True if there is a send.
    pub sends: bool,
}

/// Progress of the messages of one direction.
#[derive(Debug, Clone, Copy)]
struct PartProgress {
    /// First exchange whose message may still have to be posted.
    next: usize,
    /// Number of messages that may be posted.
    places: usize,
}

/// The exchanges of a round.
#[derive(Debug)]
pub struct ExchangeWindow {
    exchanges: Vec<ExchangeParts>,
    /// For each exchange, its number of messages that are not complete.
    open: Vec<u8>,
    receives: PartProgress,
    sends: PartProgress,
}

/// The exchanges of a round in the order in which they begin, each with its place in the lists of the round. Exchanges
/// without a message are left out.
pub fn ordered_exchanges(round: &Round, layout: &MemoryLayout) -> Vec<(usize, ExchangeParts)> {
    let all = round.receives.iter().zip_eq(round.sends.iter()).enumerate();
    let with_rank = all.map(|(place, (receive, send))| {
        let rank = send.slots.first().map(|slot| layout.exchange_rank(*slot));
        let parts = ExchangeParts {
            receives: layout.is_sent(&receive.slots),
            sends: layout.is_sent(&send.slots),
        };
        (rank, (place, parts))
    });
    let ordered = with_rank.sorted_by_key(|(rank, _)| *rank).map(|(_, exchange)| exchange);
    ordered.filter(|(_, parts)| parts.receives || parts.sends).collect()
}

impl ExchangeParts {
    fn has(self, part: ExchangePart) -> bool {
        match part {
            ExchangePart::Receive => self.receives,
            ExchangePart::Send => self.sends,
        }
    }

    /// True if one of the messages is missing.
    pub fn is_one_way(self) -> bool {
        self.receives != self.sends
    }
}

impl ExchangeWindow {
    /// The exchanges in their order, of which none has begun.
    pub fn new(exchanges: Vec<ExchangeParts>, window: NonZeroU32) -> Self {
        let all_open = PartProgress {
            next: 0,
            places: window.get() as usize,
        };
        let messages = |one: &ExchangeParts| u8::from(one.receives) + u8::from(one.sends);
        Self {
            open: exchanges.iter().map(messages).collect(),
            exchanges,
            receives: all_open,
            sends: all_open,
        }
    }

    /// The next message to post, with the place of its exchange; `None` until another message is complete.
    pub fn next(&mut self) -> Option<(usize, ExchangePart)> {
        let mut parts = [ExchangePart::Receive, ExchangePart::Send].into_iter();
        parts.find_map(|part| Some((self.next_of(part)?, part)))
    }

    fn next_of(&mut self, part: ExchangePart) -> Option<usize> {
        let progress = match part {
            ExchangePart::Receive => &mut self.receives,
            ExchangePart::Send => &mut self.sends,
        };
        if progress.places == 0 {
            return None;
        }
        let left = &self.exchanges[progress.next..];
        let place = progress.next + left.iter().position(|one| one.has(part))?;
        progress.next = place + 1;
        progress.places -= 1;
        Some(place)
    }

    /// Notes that a message of the exchange at a place is complete.
    pub fn complete(&mut self, place: usize) {
        self.open[place] -= 1;
        if self.open[place] == 0 {
            let ExchangeParts { receives, sends } = self.exchanges[place];
            self.receives.places += usize::from(receives);
            self.sends.places += usize::from(sends);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use netsig_base::algorithm::{Algorithm, Collective};
    use netsig_base::units::{Bytes, Procs, Rank};
    use proptest::prelude::*;

    use super::*;
    use crate::layout::{PieceAddresses, SegmentOrder};

    /// Length of a segment.
    const SEGMENT: u64 = 10;

    /// A rank that runs its exchanges.
    struct RunningRank {
        round: Round,
        layout: MemoryLayout,
        exchanges: Vec<(usize, ExchangeParts)>,
        window: ExchangeWindow,
    }

    /// A message in progress: the rank and its exchange, with the length that the rank expects.
    #[derive(Debug, Clone, Copy)]
    struct PostedMessage {
        rank: usize,
        place: usize,
        bytes: usize,
    }

    impl RunningRank {
        /// The rank with these lengths for and from each rank. It cuts its pieces into as many segments as the longest of
        /// them has, at least.
        fn new(rank: u32, window: u32, order: SegmentOrder, [sent, received]: [Vec<usize>; 2]) -> Self {
            let procs = Procs::new(u32::try_from(sent.len()).unwrap()).unwrap();
            let name = format!("windowed:segment={SEGMENT},window={window}");
            let algorithm = Algorithm::parse(Collective::Alltoallv, &name).unwrap();
            let longest = sent.iter().chain(&received).max().unwrap();
            let parts = (*longest as u64).div_ceil(SEGMENT).next_power_of_two();
            let schedule = algorithm.schedule(procs, Bytes(parts * SEGMENT));
            let pieces = |lengths: Vec<usize>| PieceAddresses::Ranges(lengths.into_iter().map(|end| 0..end).collect());
            let layout = MemoryLayout::new(&schedule.extent(), pieces(sent), pieces(received), 0).in_order(order);
            let round = schedule.round(Rank(rank), 0);
            let exchanges = ordered_exchanges(&round, &layout);
            let messages = exchanges.iter().map(|(_, parts)| *parts).collect();
            Self {
                window: ExchangeWindow::new(messages, NonZeroU32::new(window).unwrap()),
                round,
                layout,
                exchanges,
            }
        }

        /// The next message to post, as sender, receiver and message.
        fn next(&mut self, rank: usize) -> Option<(ExchangePart, [usize; 2], PostedMessage)> {
            let (place, part) = self.window.next()?;
            let (messages, rank_place) = match part {
                ExchangePart::Receive => (&self.round.receives, 1),
                ExchangePart::Send => (&self.round.sends, 0),
            };
            let message = messages.get(self.exchanges[place].0).unwrap();
            let bytes = self.layout.place(message.slots[0]).len();
            let mut ends = [message.partner.0 as usize; 2];
            ends[rank_place] = rank;
            Some((part, ends, PostedMessage { rank, place, bytes }))
        }
    }

    /// Runs all ranks. A message is complete on both sides, once both have posted it; `draw` chooses among such
    /// messages.
    fn run(mut ranks: Vec<RunningRank>, mut draw: impl FnMut(usize) -> usize) -> Result<(), TestCaseError> {
        let mut posted: BTreeMap<[usize; 2], [Vec<PostedMessage>; 2]> = BTreeMap::new();
        let all: usize = ranks
            .iter()
            .map(|rank| rank.window.open.iter().map(|open| *open as usize).sum::<usize>())
            .sum();
        for done in 0..all / 2 {
            for (index, rank) in ranks.iter_mut().enumerate() {
                while let Some((part, ends, message)) = rank.next(index) {
                    posted.entry(ends).or_default()[usize::from(part == ExchangePart::Receive)].push(message);
                }
            }
            let matched = |sides: &&mut [Vec<PostedMessage>; 2]| sides.iter().all(|side| !side.is_empty());
            let mut ready: Vec<_> = posted.values_mut().filter(matched).collect();
            prop_assert!(!ready.is_empty(), "stuck after {done} messages");
            let chosen = draw(ready.len());
            let ends = ready[chosen].each_mut().map(|side| side.remove(0));
            prop_assert_eq!(ends[0].bytes, ends[1].bytes);
            for message in ends {
                ranks[message.rank].window.complete(message.place);
            }
        }
        prop_assert!(ranks.iter().all(|rank| rank.window.open.iter().all(|open| *open == 0)));
        Ok(())
    }

    proptest! {
        /// Sparse tables of sizes, by sender, and small windows. Ranks cut pieces into different numbers of segments.
        #[test]
        fn no_rank_waits_for_ever(
            (count, bytes) in (2usize..9).prop_flat_map(|count| {
                let length = prop_oneof![3 => Just(0usize), 1 => 1usize..80];
                (Just(count), prop::collection::vec(length, count * count))
            }),
            window in 1u32..5,
            order in prop_oneof![Just(SegmentOrder::ByGroup), Just(SegmentOrder::Together)],
            seed in any::<u64>(),
        ) {
            let ranks = (0..count).map(|rank| {
                let sent = (0..count).map(|to| bytes[rank * count + to]).collect();
                let received = (0..count).map(|from| bytes[from * count + rank]).collect();
                RunningRank::new(u32::try_from(rank).unwrap(), window, order, [sent, received])
            });
            let mut state = seed;
            run(ranks.collect(), |count| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).unwrap() % count
            })?;
        }
    }

    /// By hand, with a window of 1. The send of the second exchange begins beside the receive of the first. The third
    /// exchange begins only after both messages of the second.
    #[test]
    fn receives_and_sends_have_places_of_their_own() {
        let parts = |receives, sends| ExchangeParts { receives, sends };
        let exchanges = vec![parts(true, false), parts(true, true), parts(false, true)];
        let mut window = ExchangeWindow::new(exchanges, NonZeroU32::MIN);
        assert_eq!(window.next(), Some((0, ExchangePart::Receive)));
        assert_eq!(window.next(), Some((1, ExchangePart::Send)));
        assert_eq!(window.next(), None);
        window.complete(1);
        assert_eq!(window.next(), None);
        window.complete(0);
        assert_eq!(window.next(), Some((1, ExchangePart::Receive)));
        assert_eq!(window.next(), None);
        window.complete(1);
        assert_eq!(window.next(), Some((2, ExchangePart::Send)));
    }
}
