//! Agreed starts: each repetition of a batch has a window of time of its own, and starts at
//! the window's beginning on the common clock.

use netsig_core::units::{Rank, Seconds};

use crate::clocks::Clocks;
use crate::group::Group;
use crate::stopwatch::Stopwatch;

/// A window is so many times as long as the longest repetition that was tried, and there is
/// so many times as long to prepare the first.
const ROOM: f64 = 1.3;

/// No window is shorter: after a pause of a few milliseconds, which any system makes now and
/// then, every start that is past is late.
const SHORTEST: Seconds = Seconds(2e-5);

/// What was too short becomes so many times as long.
const GROWTH: f64 = 2.0;

/// Windows are too short if more than this share of a batch was late.
const MOST_LATE: f64 = 0.25;

/// The first start is so long after its announcement at first.
const FIRST_LEAD: Seconds = Seconds(2e-4);

/// No lead is longer.
const LONGEST_LEAD: Seconds = Seconds(1.0);

/// How rank 0 sets windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// From the announcement of a batch to its first start, but for its preparation.
    lead: Seconds,
    /// How long a repetition is prepared before it starts.
    preparation: Seconds,
    /// Of a window.
    length: Seconds,
}

/// When the repetitions of a batch start, on this rank's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    first: Seconds,
    length: Seconds,
    /// By how much this rank may be wrong about the common clock.
    error: Seconds,
}

impl Pace {
    /// Nothing was tried yet.
    pub fn new() -> Self {
        Self {
            lead: FIRST_LEAD,
            preparation: Seconds(0.0),
            length: Seconds(0.0),
        }
    }

    /// Sets the windows for repetitions of which the longest took `longest`, of that
    /// `preparation` before its start.
    pub fn suit(&mut self, longest: Seconds, preparation: Seconds) {
        self.length = Seconds((longest * ROOM).0.max(SHORTEST.0));
        self.preparation = preparation * ROOM;
    }

    /// Learns from a batch which of its repetitions were late. What makes the first late is
    /// the lead.
    pub fn learn(&mut self, late: &[bool]) {
        if late.first() == Some(&true) {
            self.lead = Seconds((self.lead * GROWTH).0.min(LONGEST_LEAD.0));
        }
        let others = late.iter().skip(1).filter(|&&late| late).count();
        if others as f64 > MOST_LATE * late.len() as f64 {
            self.length = self.length * GROWTH;
        }
    }

    /// Announces the windows of a batch; all ranks of `group` call it together.
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
    /// When the repetition at `index` of the batch starts.
    pub fn start(&self, index: usize) -> Seconds {
        self.first + self.length * index as f64
    }

    /// By how much a start may be wrong that was due at `due` and came `at`.
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
        pace.suit(Seconds(0.01), Seconds(0.001));
        let begun = pace;
        pace.learn(&[false, true, false, false]);
        assert_eq!(pace, begun, "a quarter is not too many");
        pace.learn(&[false, true, true, false]);
        assert_eq!((pace.lead, pace.length), (begun.lead, begun.length * 2.0));
        pace.learn(&[true, false, false, false]);
        assert_eq!(
            (pace.lead, pace.length),
            (begun.lead * 2.0, begun.length * 2.0)
        );
        for _ in 0..100 {
            pace.learn(&[true]);
        }
        assert_eq!(pace.lead, LONGEST_LEAD);
    }
}
