//! Whether a schedule is faster than the MPI library in this program: a few calls are left to the library, in pairs
//! with calls that the schedule runs.
//!
//! # Method
//! The time of a call is the longest of all ranks. Where the profile is sure of the gain, the schedule runs at once;
//! else up to three pairs follow the first call, and the schedule stays if it was faster. One pair suffices where
//! times are a quarter apart, two where they are a tenth apart in the mean; after three the schedule must have gained
//! 2 %. From then on one pair in every 32 calls goes on to compare: it says what the schedule saves, and the
//! schedule gives way if it was slower by more than 2 % in five pairs one after the other. Who goes first
//! alternates.
//!
//! All ranks come to the same verdict: they have the same times, and only multiply and compare them.

/// Calls from one pair to the next, and the place of the pair among them.
const PERIOD: u64 = 32;
const PLACE: u64 = 16;

/// For the first pairs, the least product of the ratios of the times that decides.
const DECISIVE: [f64; 3] = [1.25, 1.2, 1.06];

/// Slower pairs one after the other that end a schedule, and the ratio from which on one is slower.
const MOST_SLOWER: u32 = 5;
const SLOWER: f64 = 1.02;

/// Who carries out a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The schedule.
    Schedule,
    /// The MPI library.
    Library,
}

/// Part of a pair that a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Its time is kept.
    First,
    /// Both times are compared after it.
    Second,
}

/// The times of a pair in seconds, the longest of all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pair {
    /// The call that was left to the library.
    pub library: f64,
    /// The call that the schedule ran.
    pub schedule: f64,
}

/// The comparison for calls of one kind.
#[derive(Debug, Clone)]
pub struct Trial {
    calls: u64,
    /// True until the schedule has shown its gain.
    is_open: bool,
    /// First pairs, and the products of their times.
    early: usize,
    products: Pair,
    slower: u32,
    has_failed: bool,
}

impl Trial {
    /// A trial of a schedule of whose gain the profile is sure or not.
    pub fn new(is_sure: bool) -> Self {
        let products = Pair {
            library: 1.0,
            schedule: 1.0,
        };
        Self {
            calls: 0,
            is_open: !is_sure,
            early: 0,
            products,
            slower: 0,
            has_failed: false,
        }
    }

    /// True if the schedule has given way.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Who carries out the next call, and its part of a pair.
    pub fn next(&mut self) -> (Runs, Option<Half>) {
        let place = self.place();
        self.calls += 1;
        let Some((pair, half)) = place else {
            return (Runs::Schedule, None);
        };
        let library_is_first = pair.is_multiple_of(2);
        let runs = if library_is_first == (half == Half::First) {
            Runs::Library
        } else {
            Runs::Schedule
        };
        (runs, Some(half))
    }

    /// The number of the pair of the next call, and its part of it.
    fn place(&self) -> Option<(u64, Half)> {
        let half = |is_first| if is_first { Half::First } else { Half::Second };
        if self.is_open && self.calls > 0 {
            let place = self.calls - 1;
            return Some((place / 2, half(place.is_multiple_of(2))));
        }
        let place = (self.calls % PERIOD).checked_sub(PLACE)?;
        (place < 2).then(|| (self.calls / PERIOD, half(place == 0)))
    }

    /// True if the schedule goes on after a pair.
    pub fn stays(&mut self, pair: Pair) -> bool {
        self.has_failed = !self.passes(pair);
        !self.has_failed
    }

    fn passes(&mut self, pair: Pair) -> bool {
        if !self.is_open {
            let is_slower = pair.schedule > SLOWER * pair.library;
            self.slower = if is_slower { self.slower + 1 } else { 0 };
            return self.slower < MOST_SLOWER;
        }
        self.products.library *= pair.library;
        self.products.schedule *= pair.schedule;
        let Pair { library, schedule } = self.products;
        let decisive = DECISIVE[self.early];
        self.early += 1;
        let is_last = self.early == DECISIVE.len();
        let is_faster = library >= decisive * schedule;
        let is_slower = schedule >= decisive * library;
        self.is_open = !(is_faster || is_last);
        is_faster || !(is_slower || is_last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs calls of two lengths; returns those left to the library, and the number of calls until the schedule
    /// gives way.
    fn run(is_sure: bool, ratio: impl Fn(u64) -> f64, calls: u64) -> (Vec<u64>, Option<u64>) {
        let mut trial = Trial::new(is_sure);
        let mut left = Vec::new();
        for call in 0..calls {
            let (runs, half) = trial.next();
            if runs == Runs::Library {
                left.push(call);
            }
            let pair = Pair {
                library: ratio(call),
                schedule: 1.0,
            };
            if half == Some(Half::Second) && !trial.stays(pair) {
                return (left, Some(call + 1));
            }
        }
        (left, None)
    }

    #[test]
    fn a_sure_gain_costs_three_calls_in_a_hundred() {
        assert_eq!(run(true, |_| 2.0, 100), (vec![16, 49, 80], None));
    }

    #[test]
    fn an_unsure_gain_is_tried_until_it_shows() {
        assert_eq!(run(false, |_| 1.8, 40), (vec![1, 16], None));
        assert_eq!(run(false, |_| 1.15, 30), (vec![1, 4, 16], None));
        assert_eq!(run(false, |_| 1.03, 30), (vec![1, 4, 5, 16], None));
        assert_eq!(run(false, |_| 1.0, 30), (vec![1, 4, 5], Some(7)));
        assert_eq!(run(false, |_| 0.7, 30), (vec![1], Some(3)));
    }

    #[test]
    fn what_becomes_slower_gives_way_and_what_varies_stays() {
        assert_eq!(run(true, |_| 0.9, 1000).1, Some(4 * 32 + 18));
        let sometimes = |call: u64| if call % 128 < 32 { 3.0 } else { 0.9 };
        assert_eq!(run(true, sometimes, 1000).1, None);
    }
}
