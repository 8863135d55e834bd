//! Keeps this rank's clock compared with rank 0's, which is the common one.
//!
//! Rank 0 answers a burst of empty messages from every other rank in turn with the time on
//! its clock: at the start of the launch, and again before a cell or batch once the last
//! bursts are a few seconds old. Ranks on one host do so too: that their clocks agree is
//! measured like everything else.

use std::collections::{BTreeMap, VecDeque};

use mpi::traits::{Communicator, Destination, Source};
use netsig_core::units::{Procs, Rank, Seconds};
use netsig_measure::clock::{Burst, Clock, Exchange};

use crate::group::Group;
use crate::stopwatch::Stopwatch;

/// Exchanges in a burst; the fastest counts.
const EXCHANGES: u32 = 20;

/// Bursts become old after this.
const EVERY: Seconds = Seconds(5.0);

/// So many bursts are remembered: a clock's drift is steady for minutes, not for hours.
const REMEMBERED: usize = 24;

/// What this rank knows of the common clock.
pub struct Clocks {
    watch: Stopwatch,
    bursts: VecDeque<Burst>,
    clock: Clock,
    /// On rank 0, when the first so many ranks last compared their clocks.
    compared: BTreeMap<Procs, Seconds>,
}

impl Clocks {
    /// Knows nothing yet.
    pub fn new(watch: Stopwatch) -> Self {
        Self {
            watch,
            bursts: VecDeque::new(),
            clock: Clock::default(),
            compared: BTreeMap::new(),
        }
    }

    /// From this rank's clock to the common one.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What this rank's clock shows at a moment of the common one.
    pub fn local(&self, common: Seconds) -> Seconds {
        // The offset drifts by a ten-thousandth at most: two steps find it exactly.
        let step = |guess| common - (self.clock.to_common(guess) - guess);
        step(step(common))
    }

    /// Compares the clocks of all ranks of `group` if some were not for a while; all call it
    /// together.
    pub fn compare_if_due(&mut self, group: &Group) {
        let latest = self.compared.range(group.procs()..).map(|(_, &at)| at);
        let latest = latest.fold(Seconds(f64::NEG_INFINITY), |a, b| if a < b { b } else { a });
        let mut is_due = [u8::from(self.watch.now() - latest > EVERY)];
        group.broadcast(&mut is_due);
        if is_due != [0] {
            self.compare(group);
        }
    }

    fn compare(&mut self, group: &Group) {
        if group.rank() == Rank(0) {
            self.answer(group);
            self.compared.insert(group.procs(), self.watch.now());
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

    fn answer(&self, group: &Group) {
        let nothing: &mut [u8] = &mut [];
        for rank in 1..group.comm().size() {
            let other = group.comm().process_at_rank(rank);
            for _ in 0..EXCHANGES {
                other.receive_into(nothing);
                other.send(&self.watch.now().0);
            }
        }
    }

    fn ask(&self, group: &Group) -> Burst {
        let root = group.comm().process_at_rank(0);
        let exchange = |_| {
            let mut remote = 0.0;
            let nothing: &[u8] = &[];
            let sent = self.watch.now();
            root.send(nothing);
            root.receive_into(&mut remote);
            Exchange {
                sent,
                remote: Seconds(remote),
                received: self.watch.now(),
            }
        };
        (0..EXCHANGES).map(exchange).collect()
    }
}
