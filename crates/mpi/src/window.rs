//! Agreed start times: each repetition of a batch has a time window, and starts at its beginning on
//! the common clock.

use netsig_base::units::{Rank, Seconds};
use netsig_measure::trials::WINDOW_RATIO;

use crate::clocks::RankClock;
use crate::group::RankGroup;
use crate::stopwatch::Stopwatch;

/// Lower bound of a window's length. A pause of a few milliseconds, which occurs on any system, makes all starts
/// during the pause late.
const SHORTEST: Seconds = Seconds(2e-5);

/// Factor by which a lead or length that was too short grows.
const GROWTH: f64 = 2.0;

/// Windows are too short if more than this share of a batch was late.
const MOST_LATE: f64 = 0.25;

/// Initial time from the announcement of a batch to its first start, unless [`LEAD_ROUND_TRIPS`] round trips take
/// longer.
const FIRST_LEAD: Seconds = Seconds(2e-4);

/// Number of round trips within which an announcement reaches all ranks.
const LEAD_ROUND_TRIPS: f64 = 2.0;

/// Upper bound of the time from an announcement to the first start.
const LONGEST_LEAD: Seconds = Seconds(1.0);

/// Rank 0's choice of windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowChoice {
    /// Time from the announcement of a batch to its first start, without the preparation.
    lead: Seconds,
    /// Preparation of a repetition before its start.
    preparation: Seconds,
    /// Length of a window.
    length: Seconds,
}

/// The windows of a batch, on this rank's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchWindows {
    first: Seconds,
    length: Seconds,
    /// Error bound of this rank's conversion from the common clock.
    error: Seconds,
}

impl WindowChoice {
    /// The choice before any trial.
    pub fn new() -> Self {
        Self {
            lead: FIRST_LEAD,
            preparation: Seconds(0.0),
            length: Seconds(0.0),
        }
    }

    /// Sets the windows for repetitions of at most `longest`, which includes the longest `preparation` before the
    /// start, with the same relative margin for both.
    pub fn set_length(&mut self, longest: Seconds, preparation: Seconds) {
        self.length = Seconds((longest * WINDOW_RATIO).0.max(SHORTEST.0));
        self.preparation = preparation * WINDOW_RATIO;
    }

    /// Sets the lead for the longest round trip between ranks.
    pub fn set_lead(&mut self, round_trip: Seconds) {
        let lead = self.lead.0.max((round_trip * LEAD_ROUND_TRIPS).0);
        self.lead = Seconds(lead.min(LONGEST_LEAD.0));
    }

    /// Adapts to a batch, given its late repetitions. A late first repetition means that the lead
    /// is too short.
    pub fn adapt(&mut self, late: &[bool]) {
        if late.first() == Some(&true) {
            self.lead = Seconds((self.lead * GROWTH).0.min(LONGEST_LEAD.0));
        }
        let others = late.iter().skip(1).filter(|&&late| late).count();
        if others as f64 > MOST_LATE * late.len() as f64 {
            self.length = self.length * GROWTH;
        }
    }

    /// Announces the windows of a batch; all ranks of `group` must call this.
    pub fn announce(&self, group: &RankGroup, clocks: &RankClock, watch: &Stopwatch) -> BatchWindows {
        let mut common = [0.0; 2];
        if group.rank() == Rank(0) {
            let first = watch.now() + self.lead + self.preparation;
            common = [first.0, self.length.0];
        }
        group.broadcast(&mut common);
        let [first, length] = common.map(Seconds);
        let local = clocks.local(first);
        BatchWindows {
            first: local,
            length,
            error: clocks.clock().error_at(local),
        }
    }
}

impl BatchWindows {
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
        let mut choice = WindowChoice::new();
        choice.set_lead(Seconds(1e-5));
        assert_eq!(choice, WindowChoice::new());
        choice.set_lead(Seconds(0.03));
        assert_eq!(choice.lead, Seconds(0.06));
        choice.set_length(Seconds(0.01), Seconds(0.001));
        let begun = choice;
        choice.adapt(&[false, true, false, false]);
        assert_eq!(choice, begun, "a quarter is not too many");
        choice.adapt(&[false, true, true, false]);
        assert_eq!((choice.lead, choice.length), (begun.lead, begun.length * 2.0));
        choice.adapt(&[true, false, false, false]);
        assert_eq!((choice.lead, choice.length), (begun.lead * 2.0, begun.length * 2.0));
        for _ in 0..100 {
            choice.adapt(&[true]);
        }
        assert_eq!(choice.lead, LONGEST_LEAD);
    }
}
