//! Whether a schedule is faster than the MPI library in this program: a few calls are left to the library, and
//! compared with as many that the schedule runs.
//!
//! # Method
//! A comparison leaves some calls in a row to the library and as many to the schedule; who goes first alternates.
//! They are in a row because what a library's calls do to the network shows in those that follow, such as stalls where
//! ranks have drifted apart. A call of the schedule after the library's row counts for neither: in it the ranks that
//! ended early wait for those that stalled. The time of a row is the mean of all ranks, or the longest where a rank may
//! end before others have begun.
//!
//! Where the profile is sure of the gain, the schedule runs at once; else up to three comparisons of one, two and six
//! calls follow the first call, and the schedule stays if all of them together were faster: by a quarter in the first,
//! a tenth in the first two, 2 % in all. It gives way after the first if the library took less than two thirds of its
//! time, after the second if less than four fifths; what lies between goes on, since some networks stall only after
//! several of the library's calls.
//!
//! From then on comparisons of six calls go on, of three where the library takes more than four times as long. The first
//! comes when it costs 15 % of the time until then, by the profile; the second costs 6 % of the time since, and
//! later ones 3 %, by the comparison before. They say what the schedule saves, and the schedule gives way if it was
//! slower by more than 2 % in three of them, one after the other.
//!
//! All ranks come to the same verdict: they calculate alike with the same times.

/// A comparison while the gain is unsure, and the ratios of the library's time over the schedule's, in all calls so
/// far, from which on the schedule stays, and below which it gives way.
struct Opening {
    length: u64,
    stays: f64,
    gives_way: f64,
}

const OPENINGS: [Opening; 3] = [
    Opening {
        length: 1,
        stays: 1.25,
        gives_way: 0.67,
    },
    Opening {
        length: 2,
        stays: 1.1,
        gives_way: 0.8,
    },
    Opening {
        length: LONG,
        stays: SLOWER,
        gives_way: SLOWER,
    },
];

/// Calls of a row where the library takes up to `FAR` times as long, and where longer.
const LONG: u64 = 6;
const SHORT: u64 = 3;
const FAR: f64 = 4.0;

/// Part of the time before it that a comparison costs: the first, the second and later ones.
const COST: [f64; 3] = [0.15, 0.06, 0.03];

/// Calls before the first comparison at least, from one to the next at least, and at most of both.
const LEAST: u64 = 16;
const LEAST_BETWEEN: u64 = 64;
const MOST: u64 = 1024;

/// Calls until the next comparison after a slower one.
const SOON: u64 = 32;

/// Slower comparisons one after the other that end a schedule, and the ratio from which on one is slower.
const MOST_SLOWER: u32 = 3;
const SLOWER: f64 = 1.02;

/// Who carries out a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The schedule.
    Schedule,
    /// The MPI library.
    Library,
}

/// What a call is in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// One whose time is kept.
    Kept,
    /// One whose time is kept, and after which both rows are compared.
    Last,
}

/// Times of the rows of a comparison in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pair {
    /// The calls that were left to the library.
    pub library: f64,
    /// The calls that the schedule ran.
    pub schedule: f64,
}

/// A comparison to come.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    /// Number of calls before it.
    begin: u64,
    /// Calls of a row.
    length: u64,
    library_is_first: bool,
}

/// The comparisons for calls of one kind.
#[derive(Debug, Clone)]
pub struct Trial {
    calls: u64,
    next: Comparison,
    /// Comparisons of a schedule whose gain has shown.
    made: usize,
    /// Those before, while its gain is unsure.
    open: Option<usize>,
    /// The sums of their times.
    sums: Pair,
    slower: u32,
    has_failed: bool,
}

impl Trial {
    /// A trial of a schedule of whose gain the profile is sure or not; `ratio` is the predicted time of the library
    /// over that of the schedule.
    pub fn new(ratio: f64, is_sure: bool) -> Self {
        let (begin, length) = if is_sure {
            (rest(ratio, 0), length(ratio))
        } else {
            (1, OPENINGS[0].length)
        };
        Self {
            calls: 0,
            next: Comparison {
                begin,
                length,
                library_is_first: true,
            },
            made: 0,
            open: (!is_sure).then_some(0),
            sums: Pair::default(),
            slower: 0,
            has_failed: false,
        }
    }

    /// True if the schedule has given way.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Who carries out the next call, and what it is in a comparison.
    pub fn next(&mut self) -> (Runs, Option<Part>) {
        let Comparison {
            begin,
            length,
            library_is_first,
        } = self.next;
        let place = self.calls.checked_sub(begin);
        self.calls += 1;
        let library = if library_is_first { 0 } else { length };
        let schedule = if library_is_first { length + 1 } else { 0 };
        let is_in = |row: u64| place.is_some_and(|place| (row..row + length).contains(&place));
        let runs = match (is_in(library), is_in(schedule)) {
            (false, false) => return (Runs::Schedule, None),
            (true, _) => Runs::Library,
            (false, true) => Runs::Schedule,
        };
        let end = library.max(schedule) + length;
        let part = if place == Some(end - 1) {
            Part::Last
        } else {
            Part::Kept
        };
        (runs, Some(part))
    }

    /// Calls of a row.
    pub fn length(&self) -> u64 {
        self.next.length
    }

    /// True if the schedule goes on after a comparison.
    pub fn stays(&mut self, pair: Pair) -> bool {
        let ratio = pair.library / pair.schedule;
        let stays = match self.open {
            Some(before) => self.passes(before, pair),
            None => self.holds(ratio),
        };
        self.has_failed = !stays;
        if self.has_failed {
            return false;
        }
        let (length, rest) = if let Some(before) = self.open {
            (OPENINGS[before].length, 0)
        } else {
            self.made += 1;
            (length(ratio), rest(ratio, self.made))
        };
        self.next = Comparison {
            begin: self.calls + rest,
            length,
            library_is_first: !self.next.library_is_first,
        };
        true
    }

    /// The verdict of one of the first comparisons.
    fn passes(&mut self, before: usize, pair: Pair) -> bool {
        self.sums.library += pair.library;
        self.sums.schedule += pair.schedule;
        let ratio = self.sums.library / self.sums.schedule;
        let Opening {
            stays, gives_way, ..
        } = OPENINGS[before];
        self.open = (ratio < stays).then_some(before + 1);
        ratio >= gives_way
    }

    /// The verdict of a later comparison.
    fn holds(&mut self, ratio: f64) -> bool {
        self.slower = if is_slower(ratio) { self.slower + 1 } else { 0 };
        self.slower < MOST_SLOWER
    }
}

/// True if the schedule is slower, by times of the library over its own.
fn is_slower(ratio: f64) -> bool {
    ratio * SLOWER < 1.0
}

/// Calls of a row where the library takes `ratio` times as long as the schedule.
fn length(ratio: f64) -> u64 {
    if ratio > FAR { SHORT } else { LONG }
}

/// Calls until the next comparison, after so many.
fn rest(ratio: f64, made: usize) -> u64 {
    if is_slower(ratio) {
        return SOON;
    }
    let least = if made == 0 { LEAST } else { LEAST_BETWEEN };
    let cost = |calls: u64| length(ratio) as f64 * (ratio - 1.0) / calls as f64;
    let most = COST[made.min(COST.len() - 1)];
    (least..MOST)
        .find(|calls| cost(*calls) <= most)
        .unwrap_or(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs calls of two lengths; returns those left to the library, and the number of calls until the schedule
    /// gives way. The profile predicts a ratio of 1.5.
    fn run(is_sure: bool, ratio: impl Fn(u64) -> f64, calls: u64) -> (Vec<u64>, Option<u64>) {
        let mut trial = Trial::new(1.5, is_sure);
        let (mut left, mut pair) = (Vec::new(), Pair::default());
        for call in 0..calls {
            let (runs, part) = trial.next();
            if runs == Runs::Library {
                left.push(call);
            }
            if part.is_some() {
                match runs {
                    Runs::Library => pair.library += ratio(call),
                    Runs::Schedule => pair.schedule += 1.0,
                }
            }
            if part == Some(Part::Last) && !trial.stays(std::mem::take(&mut pair)) {
                return (left, Some(call + 1));
            }
        }
        (left, None)
    }

    /// Three calls are 15 % of 20 and 3 % of 100; the second comparison comes after 64 at least.
    #[test]
    fn a_sure_gain_is_compared_in_rows_of_six() {
        let rows = (20..26).chain(103..109).chain(209..215);
        assert_eq!(run(true, |_| 1.5, 250), (rows.collect(), None));
    }

    #[test]
    fn comparisons_cost_less_than_four_calls_in_a_hundred() {
        for ratio in [1.1, 1.5, 1.9, 2.1, 4.0, 10.0] {
            let (left, _) = run(true, |_| ratio, 10_000);
            let lost = left.len() as f64 * (ratio - 1.0);
            assert!(lost < 400.0, "{ratio}: {lost}");
            assert!(left.len() >= 20, "{ratio}: {}", left.len());
        }
    }

    #[test]
    fn an_unsure_gain_is_tried_until_it_shows() {
        assert_eq!(run(false, |_| 1.8, 30), (vec![1], None));
        assert_eq!(run(false, |_| 1.15, 30), (vec![1, 6, 7], None));
        let rows: Vec<u64> = [1, 6, 7].into_iter().chain(8..14).collect();
        assert_eq!(run(false, |_| 1.03, 30), (rows.clone(), None));
        assert_eq!(run(false, |_| 1.0, 30), (rows, Some(21)));
        assert_eq!(run(false, |_| 0.7, 30), (vec![1, 6, 7], Some(8)));
        assert_eq!(run(false, |_| 0.6, 30), (vec![1], Some(4)));
    }

    /// A library that stalls from the fourth call of its row of six on.
    #[test]
    fn a_row_shows_what_its_calls_do_to_each_other() {
        let stalls = |call| if call >= 11 { 2.0 } else { 0.95 };
        assert_eq!(run(false, stalls, 30).1, None);
    }

    #[test]
    fn what_becomes_slower_gives_way_and_what_varies_stays() {
        assert_eq!(run(true, |_| 0.9, 1000).1, Some(20 + 13 + 12 + 13 + 2 * 32));
        let sometimes = |call: u64| if call % 512 < 128 { 3.0 } else { 0.9 };
        let (_, end) = run(true, sometimes, 100);
        assert_eq!(end, None);
    }
}
