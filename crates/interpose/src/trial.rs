//! Whether a schedule is faster than the MPI library in this program: a few calls are left to the library, and
//! compared with some that the schedule runs.
//!
//! # Method
//! A comparison leaves some calls in a row to the library and some to the schedule; who goes first alternates.
//! They are in a row because what a library's calls do to the network shows in those that follow, such as stalls where
//! ranks have drifted apart. A call of the schedule after the library's row counts for neither: in it the ranks that
//! ended early wait for those that stalled. The time of a row is the mean of all ranks, or the longest where a rank may
//! end before others have begun.
//!
//! Where the profile is sure of the gain, the schedule runs at once. Else the first comparisons, of all calls so far, say
//! whether it stays:
//!
//! * A gain of `LARGE` or more is tried at once: after the first call come comparisons of one, two and six calls each.
//!   The schedule stays if it was faster by a quarter in the first, a tenth in the first two, 2 % in all, and gives
//!   way after the first if the library took less than two thirds of its time, after the second if less than four
//!   fifths; what lies between goes on, since some networks stall only after several of the library's calls.
//! * A smaller gain would not pay for a wrong trial in a program of few calls: the first eight calls are the
//!   library's, of which the last six count, then the schedule has two that count, and four more where two do not tell.
//!
//! From then on comparisons of six calls go on, of three where the library takes more than four times as long. The first
//! comes when it costs 15 % of the time until then, by the profile; the second costs 6 % of the time since, and
//! later ones 3 %, by the comparison before. They say what the schedule saves, and the schedule gives way if it was
//! slower by more than 2 % in three of them, one after the other.
//!
//! All ranks come to the same verdict: they calculate alike with the same times.

/// A comparison while the gain is unsure, and the ratios of the library's time of a call over the schedule's, in all
/// calls so far, from which on the schedule stays, and below which it gives way.
#[derive(Debug)]
struct Opening {
    lengths: Sides<u64>,
    stays: f64,
    gives_way: f64,
}

/// Comparisons of a gain of `LARGE` or more.
const QUICK: &[Opening] = &[
    Opening {
        lengths: Sides::both(1),
        stays: 1.25,
        gives_way: 0.67,
    },
    Opening {
        lengths: Sides::both(2),
        stays: 1.1,
        gives_way: 0.8,
    },
    Opening {
        lengths: Sides::both(LONG),
        stays: SLOWER,
        gives_way: SLOWER,
    },
];

/// Comparisons of a smaller gain.
const CAUTIOUS: &[Opening] = &[
    Opening {
        lengths: Sides {
            library: LONG,
            schedule: 2,
        },
        stays: 1.25,
        gives_way: 0.8,
    },
    Opening {
        lengths: Sides {
            library: 0,
            schedule: 4,
        },
        stays: SLOWER,
        gives_way: SLOWER,
    },
];

/// Predicted ratio from which on an unsure gain is tried at once.
const LARGE: f64 = 1.3;

/// Calls before the first comparison of a large gain, and of a smaller one: in the first ones the library connects.
const BEFORE_QUICK: u64 = 1;
const BEFORE_CAUTIOUS: u64 = 2;

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

/// A quantity of the library's calls and of the schedule's.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sides<T> {
    /// Of the calls that were left to the library.
    pub library: T,
    /// Of the calls that the schedule ran.
    pub schedule: T,
}

impl<T: Copy> Sides<T> {
    const fn both(value: T) -> Self {
        Self {
            library: value,
            schedule: value,
        }
    }
}

/// Calls that are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Compared {
    /// Number of calls.
    pub calls: Sides<u64>,
    /// Seconds of all of them.
    pub seconds: Sides<f64>,
}

impl Compared {
    /// Adds further calls.
    pub fn add(&mut self, other: Self) {
        self.calls.library += other.calls.library;
        self.calls.schedule += other.calls.schedule;
        self.seconds.library += other.seconds.library;
        self.seconds.schedule += other.seconds.schedule;
    }

    /// Seconds of a call; `None` without calls of both sides.
    pub fn means(&self) -> Option<Sides<f64>> {
        let Self { calls, seconds } = self;
        (calls.library > 0 && calls.schedule > 0).then(|| Sides {
            library: seconds.library / calls.library as f64,
            schedule: seconds.schedule / calls.schedule as f64,
        })
    }

    /// The library's time of a call over the schedule's.
    fn ratio(&self) -> f64 {
        self.means().map_or(1.0, |means| means.library / means.schedule)
    }
}

/// A comparison to come.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    /// Number of calls before it.
    begin: u64,
    /// Who carries those out.
    before: Runs,
    /// Calls of either row.
    lengths: Sides<u64>,
    library_is_first: bool,
}

impl Comparison {
    /// Who carries out the call after `calls` others, and what it is in the comparison.
    fn call(&self, calls: u64) -> (Runs, Option<Part>) {
        let Some(place) = calls.checked_sub(self.begin) else {
            return (self.before, None);
        };
        let Sides { library, schedule } = self.lengths;
        let (left, run) = if self.library_is_first {
            (0..library, library + 1..library + 1 + schedule)
        } else {
            (schedule..schedule + library, 0..schedule)
        };
        let is_left = left.contains(&place);
        let part = if place + 1 == left.end.max(run.end) {
            Part::Last
        } else {
            Part::Kept
        };
        let runs = if is_left { Runs::Library } else { Runs::Schedule };
        (runs, (is_left || run.contains(&place)).then_some(part))
    }
}

/// The comparisons for calls of one kind.
#[derive(Debug, Clone)]
pub struct Trial {
    calls: u64,
    next: Comparison,
    /// Comparisons so far.
    made: usize,
    /// Those to make while its gain is unsure.
    openings: &'static [Opening],
    /// All calls that these compared.
    sums: Compared,
    slower: u32,
    has_failed: bool,
}

impl Trial {
    /// A trial of a schedule of whose gain the profile is sure or not; `ratio` is the predicted time of the library
    /// over that of the schedule.
    pub fn new(ratio: f64, is_sure: bool) -> Self {
        let (openings, begin, before) = if is_sure {
            (&[][..], rest(ratio, 0), Runs::Schedule)
        } else if ratio >= LARGE {
            (QUICK, BEFORE_QUICK, Runs::Schedule)
        } else {
            (CAUTIOUS, BEFORE_CAUTIOUS, Runs::Library)
        };
        Self {
            calls: 0,
            next: Comparison {
                begin,
                before,
                lengths: lengths(openings, ratio),
                library_is_first: true,
            },
            made: 0,
            openings,
            sums: Compared::default(),
            slower: 0,
            has_failed: false,
        }
    }

    /// True if the schedule has given way.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// True if the schedule has shown a gain of which the profile was not sure.
    pub fn has_passed(&self) -> bool {
        self.sums.calls.library > 0 && self.openings.is_empty() && !self.has_failed
    }

    /// Who carries out the next call, and what it is in a comparison.
    pub fn next(&mut self) -> (Runs, Option<Part>) {
        let call = self.next.call(self.calls);
        self.calls += 1;
        call
    }

    /// The calls of a comparison that took so many seconds.
    pub fn compared(&self, seconds: Sides<f64>) -> Compared {
        Compared {
            calls: self.next.lengths,
            seconds,
        }
    }

    /// True if the schedule goes on after a comparison.
    pub fn stays(&mut self, compared: Compared) -> bool {
        let ratio = if let Some((opening, later)) = self.openings.split_first() {
            self.sums.add(compared);
            let ratio = self.sums.ratio();
            self.openings = if ratio < opening.stays { later } else { &[] };
            self.has_failed = ratio < opening.gives_way;
            ratio
        } else {
            let ratio = compared.ratio();
            self.slower = if is_slower(ratio) { self.slower + 1 } else { 0 };
            self.has_failed = self.slower >= MOST_SLOWER;
            ratio
        };
        self.made += 1;
        let rest = match self.openings {
            [] => rest(ratio, self.made),
            _ => 0,
        };
        self.next = Comparison {
            begin: self.calls + rest,
            before: Runs::Schedule,
            lengths: lengths(self.openings, ratio),
            library_is_first: !self.next.library_is_first,
        };
        !self.has_failed
    }
}

/// True if the schedule is slower, by times of the library over its own.
fn is_slower(ratio: f64) -> bool {
    ratio * SLOWER < 1.0
}

/// Calls of the rows of the next comparison, where the library takes `ratio` times as long as the schedule.
fn lengths(openings: &[Opening], ratio: f64) -> Sides<u64> {
    let opening = openings.first().map(|opening| opening.lengths);
    opening.unwrap_or(Sides::both(length(ratio)))
}

/// Calls of a row of a later comparison.
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
    (least..MOST).find(|calls| cost(*calls) <= most).unwrap_or(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE: (f64, bool) = (1.5, true);
    const QUICK: (f64, bool) = (1.5, false);
    const CAUTIOUS: (f64, bool) = (1.2, false);

    /// Runs calls of which the profile predicts a ratio and is sure or not; returns those left to the library, and the
    /// number of calls until the schedule gives way.
    fn run((predicted, is_sure): (f64, bool), ratio: impl Fn(u64) -> f64, calls: u64) -> (Vec<u64>, Option<u64>) {
        let mut trial = Trial::new(predicted, is_sure);
        let (mut left, mut seconds) = (Vec::new(), Sides::default());
        for call in 0..calls {
            let (runs, part) = trial.next();
            if runs == Runs::Library {
                left.push(call);
            }
            if part.is_some() {
                match runs {
                    Runs::Library => seconds.library += ratio(call),
                    Runs::Schedule => seconds.schedule += 1.0,
                }
            }
            if part == Some(Part::Last) {
                let compared = trial.compared(std::mem::take(&mut seconds));
                if !trial.stays(compared) {
                    return (left, Some(call + 1));
                }
            }
        }
        (left, None)
    }

    /// Three calls are 15 % of 20 and 3 % of 100; the second comparison comes after 64 at least.
    #[test]
    fn a_sure_gain_is_compared_in_rows_of_six() {
        let rows = (20..26).chain(103..109).chain(209..215);
        assert_eq!(run(SURE, |_| 1.5, 250), (rows.collect(), None));
    }

    #[test]
    fn comparisons_cost_less_than_four_calls_in_a_hundred() {
        for predicted in [SURE, QUICK, CAUTIOUS] {
            for ratio in [1.1, 1.5, 1.9, 2.1, 4.0, 10.0] {
                let (left, end) = run(predicted, |_| ratio, 10_000);
                assert_eq!(end, None);
                // The first calls of a small predicted gain are left in any case.
                let later = left.iter().filter(|call| **call >= 8).count();
                let lost = later as f64 * (ratio - 1.0);
                assert!(lost < 400.0, "{ratio}: {lost}");
                assert!(left.len() >= 20, "{ratio}: {}", left.len());
            }
        }
    }

    #[test]
    fn a_large_unsure_gain_is_tried_at_once() {
        assert_eq!(run(QUICK, |_| 1.8, 30), (vec![1], None));
        assert_eq!(run(QUICK, |_| 1.15, 30), (vec![1, 6, 7], None));
        let rows: Vec<u64> = [1, 6, 7].into_iter().chain(8..14).collect();
        assert_eq!(run(QUICK, |_| 1.03, 30), (rows.clone(), None));
        assert_eq!(run(QUICK, |_| 1.0, 30), (rows, Some(21)));
        assert_eq!(run(QUICK, |_| 0.7, 30), (vec![1, 6, 7], Some(8)));
        assert_eq!(run(QUICK, |_| 0.6, 30), (vec![1], Some(4)));
    }

    /// The first two calls count for nothing, whatever they take.
    #[test]
    fn a_small_unsure_gain_waits_for_eight_calls_of_the_library() {
        let run = |ratio, calls| {
            let connects = move |call| if call < 2 { 100.0 } else { ratio };
            run(CAUTIOUS, connects, calls)
        };
        let left: Vec<u64> = (0..8).collect();
        assert_eq!(run(1.3, 30), (left.clone(), None));
        assert_eq!(run(1.03, 30), (left.clone(), None));
        assert_eq!(run(1.0, 30), (left.clone(), Some(15)));
        assert_eq!(run(0.7, 30), (left.clone(), Some(11)));
        assert_eq!(run(2.0, 8), (left, None));
    }

    #[test]
    fn a_passed_trial_is_one_that_was_unsure_and_stays() {
        for (predicted, ratio, has_passed) in [
            (SURE, 1.5, false),
            (QUICK, 1.5, true),
            (QUICK, 0.5, false),
            (CAUTIOUS, 1.5, true),
            (CAUTIOUS, 0.5, false),
        ] {
            let mut trial = Trial::new(predicted.0, predicted.1);
            assert!(!trial.has_passed());
            let lengths = trial.compared(Sides::default()).calls;
            let seconds = Sides {
                library: ratio * lengths.library as f64,
                schedule: lengths.schedule as f64,
            };
            trial.stays(trial.compared(seconds));
            assert_eq!(trial.has_passed(), has_passed, "{predicted:?} {ratio}");
        }
    }

    /// A library that stalls from the fourth call of its row of six on.
    #[test]
    fn a_row_shows_what_its_calls_do_to_each_other() {
        let stalls = |call| if call >= 11 { 2.0 } else { 0.95 };
        assert_eq!(run(QUICK, stalls, 30).1, None);
    }

    #[test]
    fn what_becomes_slower_gives_way_and_what_varies_stays() {
        assert_eq!(run(SURE, |_| 0.9, 1000).1, Some(20 + 13 + 12 + 13 + 2 * 32));
        let sometimes = |call: u64| if call % 512 < 128 { 3.0 } else { 0.9 };
        let (_, end) = run(SURE, sometimes, 100);
        assert_eq!(end, None);
    }
}
