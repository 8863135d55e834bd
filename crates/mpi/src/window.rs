//! Agreed start times: each repetition of a batch has a time window, and starts at its beginning on
//! the common clock.

use netsig_base::units::{Rank, Seconds};
use netsig_measure::trials::ROOM;

use crate::clocks::Clocks;
use crate::group::Group;
use crate::stopwatch::Stopwatch;

/// Lower bound of a window's length: after a pause of a few milliseconds, which occurs on any
/// system, all starts that have passed are late.
const SHORTEST: Seconds = Seconds(2e-5);

/// Factor of growth of a lead or length that was too short.
const GROWTH: f64 = 2.0;

/// Windows are too short if more than this share of a batch was late.
const MOST_LATE: f64 = 0.25;

/// Initial time from the announcement of a batch to its first start, if that is longer than [`TRIPS`].
const FIRST_LEAD: Seconds = Seconds(2e-4);

/// Round trips in which an announcement reaches all ranks.
const TRIPS: f64 = 2.0;

/// Upper bound of that time.
const LONGEST_LEAD: Seconds = Seconds(1.0);

/// Rank 0's choice of windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Time from the announcement of a batch to its first start, without the preparation.
    lead: Seconds,
    /// Preparation of a repetition before its start.
    preparation: Seconds,
    /// Length of a window.
    length: Seconds,
}

/// The windows of a batch, on this rank's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    first: Seconds,
    length: Seconds,
    /// Error bound of this rank's conversion from the common clock.
    error: Seconds,
}

impl Pace {
    /// The choice before any trial.
    pub fn new() -> Self {
        Self {
            lead: FIRST_LEAD,
            preparation: Seconds(0.0),
            length: Seconds(0.0),
        }
    }

    /// Sets the windows for repetitions with the longest duration `longest`, which includes the
    /// longest `preparation` before the start, and leaves the same room for either.
    pub fn suit(&mut self, longest: Seconds, preparation: Seconds) {
        self.length = Seconds((longest * ROOM).0.max(SHORTEST.0));
        self.preparation = preparation * ROOM;
    }

    /// Sets the lead for ranks that are so long a round trip away.
    pub fn reach(&mut self, round_trip: Seconds) {
        let lead = self.lead.0.max((round_trip * TRIPS).0);
        self.lead = Seconds(lead.min(LONGEST_LEAD.0));
    }

    /// Adapts to a batch, given its late repetitions. A late first repetition means that the lead
    /// is too short.
    pub fn learn(&mut self, late: &[bool]) {
        if late.first() == Some(&true) {
            self.lead = Seconds((self.lead * GROWTH).0.min(LONGEST_LEAD.0));
        }
        let others = late.iter().skip(1).filter(|&&late| late).count();
        if others as f64 > MOST_LATE * late.len() as f64 {
            self.length = self.length * GROWTH;
        }
    }

    /// Announces the windows of a batch; all ranks of `group` must call this.
    pub fn announce(&self, group: &Group, clocks: &Clocks, watch: &Stopwatch) -> Windows {
        let mut common = [0.0; 2];
        if group.rank() == Rank(0) {
            let first = watch.now() + self.lead + self.preparation;
            common = [first.0, self.length.0];
        }
        group.broadcast(&mut common);
        let [first, length] = common.map(Seconds);
        let local = clocks.local(first);
        Windows {
            first: local,
            length,
            error: clocks.clock().error_at(local),
        }
    }
}

impl Windows {
    /// Start time of the repetition at `index` of the batch.
    pub fn start(&self, index: usize) -> Seconds {
        self.first + self.length * index as f64
    }

    /// Error bound of a start at time `at` that was due at `due`.
    pub fn error(&self, due: Seconds, at: Seconds) -> Seconds {
        self.error + (at - due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_too_short_grows() {
        let mut pace = Pace::new();
        pace.reach(Seconds(1e-5));
        assert_eq!(pace, Pace::new());
        pace.reach(Seconds(0.03));
        assert_eq!(pace.lead, Seconds(0.06));
        pace.suit(Seconds(0.01), Seconds(0.001));
        let begun = pace;
        pace.learn(&[false, true, false, false]);
        assert_eq!(pace, begun, "a quarter is not too many");
        pace.learn(&[false, true, true, false]);
        assert_eq!((pace.lead, pace.length), (begun.lead, begun.length * 2.0));
        pace.learn(&[true, false, false, false]);
        assert_eq!((pace.lead, pace.length), (begun.lead * 2.0, begun.length * 2.0));
        for _ in 0..100 {
            pace.learn(&[true]);
        }
        assert_eq!(pace.lead, LONGEST_LEAD);
    }
}
