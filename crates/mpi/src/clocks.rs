//! Synchronises this rank's clock with rank 0's, the common clock.
//!
//! Rank 0 answers a burst of short messages from each other rank in turn with the time on its
//! clock: at the start of the launch, and before a cell or batch if the last bursts are more than a
//! few seconds old. Ranks on the same host exchange bursts too: the equality of their clocks is not
//! assumed.

use std::collections::{BTreeMap, VecDeque};

use mpi::traits::{Communicator, Destination, Source};
use netsig_base::units::{Rank, Seconds};
use netsig_measure::clock::{Burst, Clock, Exchange};

use crate::group::Group;
use crate::stopwatch::Stopwatch;

/// Most exchanges of a burst; only the fastest is used.
const EXCHANGES: u32 = 20;

/// Exchanges after which a burst ends if it has lasted [`LONG`]: over a wide area each takes longer than what
/// disturbs it.
const ENOUGH: u32 = 5;
const LONG: Seconds = Seconds(0.04);

/// What a rank asks for: an answer, or the last one.
const ANSWER: u8 = 0;
const LAST: u8 = 1;

/// Time between bursts.
const EVERY: Seconds = Seconds(5.0);

/// Number of bursts in use: a clock's drift is constant for minutes, not for hours.
const REMEMBERED: usize = 24;

/// This rank's conversion to the common clock.
pub struct Clocks {
    watch: Stopwatch,
    bursts: VecDeque<Burst>,
    clock: Clock,
    /// On rank 0, the time of the last comparison among these ranks.
    compared: BTreeMap<Vec<u32>, Seconds>,
    /// On rank 0, the longest round trip to another rank, of each the shortest.
    round_trip: Seconds,
}

impl Clocks {
    /// Creates the conversion before any comparison.
    pub fn new(watch: Stopwatch) -> Self {
        Self {
            watch,
            bursts: VecDeque::new(),
            clock: Clock::default(),
            compared: BTreeMap::new(),
            round_trip: Seconds(0.0),
        }
    }

    /// The conversion from this rank's clock to the common one.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// On rank 0, the longest round trip to another rank: of each the shortest that was seen.
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
    pub fn compare_if_due(&mut self, group: &Group) {
        let holds = |ranks: &[u32]| group.ranks().iter().all(|rank| ranks.contains(rank));
        let holding = self.compared.iter().filter(|(ranks, _)| holds(ranks));
        let latest = holding
            .map(|(_, &at)| at)
            .fold(Seconds(f64::NEG_INFINITY), |a, b| if a < b { b } else { a });
        let mut is_due = [u8::from(self.watch.now() - latest > EVERY)];
        group.broadcast(&mut is_due);
        if is_due != [0] {
            self.compare(group);
        }
    }

    fn compare(&mut self, group: &Group) {
        if group.rank() == Rank(0) {
            self.answer(group);
            let ranks = group.ranks().to_vec();
            self.compared.insert(ranks, self.watch.now());
            return;
        }
        let burst = self.ask(group);
        if self.bursts.len() == REMEMBERED {
            self.bursts.pop_front();
        }
        self.bursts.push_back(burst);
        if let Some(clock) = Clock::fit(self.bursts.make_contiguous()) {
            self.clock = clock;
        }
    }

    fn answer(&mut self, group: &Group) {
        for rank in 1..group.comm().size() {
            let other = group.comm().process_at_rank(rank);
            let (mut asked, mut shortest) = (ANSWER, f64::INFINITY);
            let mut answered = None;
            while asked != LAST {
                other.receive_into(&mut asked);
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

    fn ask(&self, group: &Group) -> Burst {
        let root = group.comm().process_at_rank(0);
        let begun = self.watch.now();
        let mut burst = Burst::new();
        for number in 1..=EXCHANGES {
            let mut remote = 0.0;
            let sent = self.watch.now();
            let is_enough = number >= ENOUGH && sent - begun > LONG;
            let is_last = number == EXCHANGES || is_enough;
            root.send(if is_last { &LAST } else { &ANSWER });
            root.receive_into(&mut remote);
            burst.push(Exchange {
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
