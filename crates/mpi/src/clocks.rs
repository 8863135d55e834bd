//! Synchronises this rank's clock with rank 0's, the common clock.
//!
//! Each other rank in turn sends rank 0 a burst of short messages, which rank 0 answers with the time on its clock.
//! This happens at the start of the launch, and before a cell or batch if the last bursts are more than a few seconds
//! old. Ranks on the same host exchange bursts too: the equality of their clocks is not assumed.

use std::collections::{BTreeMap, VecDeque};

use mpi::traits::{Communicator, Destination, Source};
use netsig_base::units::{Rank, Seconds};
use netsig_measure::clock::{ClockConversion, ClockExchange, ExchangeBurst};

use crate::group::RankGroup;
use crate::stopwatch::Stopwatch;

/// Most exchanges of a burst; only the fastest is used.
const MOST_EXCHANGES: u32 = 20;

/// Exchanges after which a burst ends if it has lasted [`LONG_BURST`]: over a wide area an exchange takes longer than
/// its disturbances.
const ENOUGH_EXCHANGES: u32 = 5;
const LONG_BURST: Seconds = Seconds(0.04);

/// Content of a rank's message: the request of an answer, or of the last answer.
const ANSWER: u8 = 0;
const LAST: u8 = 1;

/// Time between bursts.
const COMPARISON_INTERVAL: Seconds = Seconds(5.0);

/// Number of bursts in use: a clock's drift is constant for minutes, not for hours.
const MOST_BURSTS: usize = 24;

/// This rank's conversion to the common clock.
pub struct RankClock {
    watch: Stopwatch,
    bursts: VecDeque<ExchangeBurst>,
    clock: ClockConversion,
    /// On rank 0, the time of the last comparison among these ranks.
    compared: BTreeMap<Vec<u32>, Seconds>,
    /// On rank 0, the largest over the other ranks of the shortest round trip.
    round_trip: Seconds,
}

impl RankClock {
    /// Creates the conversion before any comparison.
    pub fn new(watch: Stopwatch) -> Self {
        Self {
            watch,
            bursts: VecDeque::new(),
            clock: ClockConversion::default(),
            compared: BTreeMap::new(),
            round_trip: Seconds(0.0),
        }
    }

    /// The conversion from this rank's clock to the common one.
    pub fn clock(&self) -> &ClockConversion {
        &self.clock
    }

    /// On rank 0, the largest over the other ranks of the shortest round trip.
    pub fn round_trip(&self) -> Seconds {
        self.round_trip
    }

    /// Converts a time of the common clock to this rank's clock.
    pub fn local(&self, common: Seconds) -> Seconds {
        // The drift is at most 10⁻⁴, so two iterations are exact enough.
        let step = |guess| common - (self.clock.to_common(guess) - guess);
        step(step(common))
    }

    /// Compares the clocks of all ranks of `group` if the last comparison is too old; all ranks of
    /// `group` must call this.
    pub fn compare_if_due(&mut self, group: &RankGroup) {
        let holds = |ranks: &[u32]| group.ranks().iter().all(|rank| ranks.contains(rank));
        let holding = self.compared.iter().filter(|(ranks, _)| holds(ranks));
        let latest = holding
            .map(|(_, &at)| at)
            .fold(Seconds(f64::NEG_INFINITY), |a, b| if a < b { b } else { a });
        let mut is_due = [u8::from(self.watch.now() - latest > COMPARISON_INTERVAL)];
        group.broadcast(&mut is_due);
        if is_due != [0] {
            self.compare(group);
        }
    }

    fn compare(&mut self, group: &RankGroup) {
        if group.rank() == Rank(0) {
            self.answer_requests(group);
            let ranks = group.ranks().to_vec();
            self.compared.insert(ranks, self.watch.now());
            return;
        }
        let burst = self.measure_burst(group);
        if self.bursts.len() == MOST_BURSTS {
            self.bursts.pop_front();
        }
        self.bursts.push_back(burst);
        if let Some(clock) = ClockConversion::fit(self.bursts.make_contiguous()) {
            self.clock = clock;
        }
    }

    fn answer_requests(&mut self, group: &RankGroup) {
        for rank in 1..group.comm().size() {
            let other = group.comm().process_at_rank(rank);
            let (mut request, mut shortest) = (ANSWER, f64::INFINITY);
            let mut answered = None;
            while request != LAST {
                other.receive_into(&mut request);
                let now = self.watch.now();
                if let Some(answered) = answered {
                    shortest = shortest.min((now - answered).0);
                }
                answered = Some(now);
                other.send(&now.0);
            }
            self.round_trip = Seconds(self.round_trip.0.max(shortest));
        }
    }

    fn measure_burst(&self, group: &RankGroup) -> ExchangeBurst {
        let root = group.comm().process_at_rank(0);
        let begun = self.watch.now();
        let mut burst = ExchangeBurst::new();
        for number in 1..=MOST_EXCHANGES {
            let mut remote = 0.0;
            let sent = self.watch.now();
            let is_enough = number >= ENOUGH_EXCHANGES && sent - begun > LONG_BURST;
            let is_last = number == MOST_EXCHANGES || is_enough;
            root.send(if is_last { &LAST } else { &ANSWER });
            root.receive_into(&mut remote);
            burst.push(ClockExchange {
                sent,
                remote: Seconds(remote),
                received: self.watch.now(),
            });
            if is_last {
                break;
            }
        }
        burst
    }
}
