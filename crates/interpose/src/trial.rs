//! Trials of schedules against the MPI library in this program: the library runs a few calls, which are compared with
//! calls of the schedule.
//!
//! # Method
//! A comparison consists of a row of consecutive calls by the library and a row by the schedule; the first row
//! alternates. Rows are needed because a library's call affects the next calls, for example by stalls where ranks have
//! drifted apart. A call of the schedule after the library's row counts for neither: in it early ranks wait for stalled
//! ones. The time of a row is the mean of all ranks, or the longest if a rank may end before others have begun.
//!
//! If the profile is sure of the gain, the schedule runs at once. Otherwise opening comparisons, of all calls so far,
//! decide whether it stays:
//!
//! * A gain of `LARGE_GAIN` or more is tried at once: after the first call come comparisons of one, two and six calls
//!   each. The schedule stays if it was faster by a quarter in the first, a tenth in the first two, 2 % in all. It
//!   gives way if the library took less than two thirds of its time in the first, less than four fifths in the first
//!   two. Otherwise the next comparison decides, since some networks stall only after several of the library's calls.
//! * A smaller gain would not pay for a wrong trial in a program of few calls. The library runs the first eight calls,
//!   of which the last six count. Then two calls of the schedule count, and four more if these do not decide.
//!
//! Later comparisons have rows of six calls, or of three if the library takes more than four times as long. The first
//! comes when it costs 15 % of the time before it, by the profile. The second costs 6 % of the time since, later ones
//! 3 %, by the previous comparison. They give the saved time. The schedule gives way if it was slower by more than 2 %
//! in three consecutive comparisons.
//!
//! All ranks come to the same verdict: they calculate alike with the same times.

/// A comparison while the gain is unsure. The limits hold for the ratio, in all calls so far, of the library's time of
/// a call to the schedule's.
#[derive(Debug)]
struct OpeningComparison {
    lengths: BothSides<u64>,
    stays_from: f64,
    gives_way_below: f64,
}

/// Comparisons of a gain of `LARGE_GAIN` or more.
const QUICK_OPENINGS: &[OpeningComparison] = &[
    OpeningComparison {
        lengths: BothSides::both(1),
        stays_from: 1.25,
        gives_way_below: 0.67,
    },
    OpeningComparison {
        lengths: BothSides::both(2),
        stays_from: 1.1,
        gives_way_below: 0.8,
    },
    OpeningComparison {
        lengths: BothSides::both(LONG_ROW),
        stays_from: SLOWER_RATIO,
        gives_way_below: SLOWER_RATIO,
    },
];

/// Comparisons of a smaller gain.
const CAUTIOUS_OPENINGS: &[OpeningComparison] = &[
    OpeningComparison {
        lengths: BothSides {
            library: LONG_ROW,
            schedule: 2,
        },
        stays_from: 1.25,
        gives_way_below: 0.8,
    },
    OpeningComparison {
        lengths: BothSides {
            library: 0,
            schedule: 4,
        },
        stays_from: SLOWER_RATIO,
        gives_way_below: SLOWER_RATIO,
    },
];

/// Predicted ratio from which on an unsure gain is tried at once, or taken where nothing compares it.
pub const LARGE_GAIN: f64 = 1.3;

/// Calls before the first comparison of a large gain, and of a smaller one: in the first calls the library connects.
const BEFORE_QUICK: u64 = 1;
const BEFORE_CAUTIOUS: u64 = 2;

/// Calls of a row if the library takes up to `FAR_SLOWER` times as long, and if it takes longer.
const LONG_ROW: u64 = 6;
const SHORT_ROW: u64 = 3;
const FAR_SLOWER: f64 = 4.0;

/// Cost of a comparison as a share of the time before it: of the first, the second and later ones.
const COST_SHARES: [f64; 3] = [0.15, 0.06, 0.03];

/// Least calls before the first comparison, least calls from one comparison to the next, and the upper bound of both.
const LEAST_BEFORE_FIRST: u64 = 16;
const LEAST_BETWEEN: u64 = 64;
const MOST_BETWEEN: u64 = 1024;

/// Calls until the next comparison after a slower one.
const CALLS_AFTER_SLOWER: u64 = 32;

/// Consecutive slower comparisons that end a schedule, and the ratio from which on a comparison is slower.
const MOST_SLOWER: u32 = 3;
const SLOWER_RATIO: f64 = 1.02;

/// The runner of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRunner {
    /// The schedule.
    Schedule,
    /// The MPI library.
    Library,
}

/// Part of a call in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonPart {
    /// The time of the call is kept.
    Kept,
    /// The time of the call is kept, and both rows are compared after it.
    Last,
}

/// A quantity of the library's calls and of the schedule's.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BothSides<T> {
    /// For the calls of the library.
    pub library: T,
    /// For the calls of the schedule.
    pub schedule: T,
}

impl<T: Copy> BothSides<T> {
    const fn both(value: T) -> Self {
        Self {
            library: value,
            schedule: value,
        }
    }
}

/// Counts and times of compared calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ComparedCalls {
    /// Number of calls.
    pub calls: BothSides<u64>,
    /// Sum of their seconds.
    pub seconds: BothSides<f64>,
}

impl ComparedCalls {
    /// Adds further calls.
    pub fn add(&mut self, other: Self) {
        self.calls.library += other.calls.library;
        self.calls.schedule += other.calls.schedule;
        self.seconds.library += other.seconds.library;
        self.seconds.schedule += other.seconds.schedule;
    }

    /// Seconds of a call; `None` without calls of both sides.
    pub fn means(&self) -> Option<BothSides<f64>> {
        let Self { calls, seconds } = self;
        (calls.library > 0 && calls.schedule > 0).then(|| BothSides {
            library: seconds.library / calls.library as f64,
            schedule: seconds.schedule / calls.schedule as f64,
        })
    }

    /// The library's time of a call over the schedule's.
    fn ratio(&self) -> f64 {
        self.means().map_or(1.0, |means| means.library / means.schedule)
    }
}

/// The next comparison.
#[derive(Debug, Clone, Copy)]
struct NextComparison {
    /// Number of calls before it.
    begin: u64,
    /// The runner of these calls.
    before: CallRunner,
    /// Calls of either row.
    lengths: BothSides<u64>,
    library_is_first: bool,
}

impl NextComparison {
    /// The runner of the call after `calls` calls, and its part in the comparison.
    fn call(&self, calls: u64) -> (CallRunner, Option<ComparisonPart>) {
        let Some(place) = calls.checked_sub(self.begin) else {
            return (self.before, None);
        };
        let BothSides { library, schedule } = self.lengths;
        let (left, run) = if self.library_is_first {
            (0..library, library + 1..library + 1 + schedule)
        } else {
            (schedule..schedule + library, 0..schedule)
        };
        let is_left = left.contains(&place);
        let part = if place + 1 == left.end.max(run.end) {
            ComparisonPart::Last
        } else {
            ComparisonPart::Kept
        };
        let runs = if is_left {
            CallRunner::Library
        } else {
            CallRunner::Schedule
        };
        (runs, (is_left || run.contains(&place)).then_some(part))
    }
}

/// The comparisons for calls of one kind.
#[derive(Debug, Clone)]
pub struct ScheduleTrial {
    calls: u64,
    next: NextComparison,
    /// Comparisons so far.
    comparisons: usize,
    /// Remaining comparisons while the gain is unsure.
    openings: &'static [OpeningComparison],
    /// All calls of the opening comparisons.
    sums: ComparedCalls,
    slower: u32,
    has_failed: bool,
}

impl ScheduleTrial {
    /// A trial of a schedule; `is_sure` is true if the profile is sure of its gain, `ratio` is the predicted time of
    /// the library over that of the schedule.
    pub fn new(ratio: f64, is_sure: bool) -> Self {
        let (openings, begin, before) = if is_sure {
            (&[][..], calls_until_next(ratio, 0), CallRunner::Schedule)
        } else if ratio >= LARGE_GAIN {
            (QUICK_OPENINGS, BEFORE_QUICK, CallRunner::Schedule)
        } else {
            (CAUTIOUS_OPENINGS, BEFORE_CAUTIOUS, CallRunner::Library)
        };
        Self {
            calls: 0,
            next: NextComparison {
                begin,
                before,
                lengths: row_lengths(openings, ratio),
                library_is_first: true,
            },
            comparisons: 0,
            openings,
            sums: ComparedCalls::default(),
            slower: 0,
            has_failed: false,
        }
    }

    /// True if the schedule has given way.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// True if the schedule has shown a gain that the profile was unsure of.
    pub fn has_passed(&self) -> bool {
        self.sums.calls.library > 0 && self.openings.is_empty() && !self.has_failed
    }

    /// The runner of the next call, and its part in a comparison.
    pub fn turn(&self) -> (CallRunner, Option<ComparisonPart>) {
        self.next.call(self.calls)
    }

    /// Takes a turn: the next call is another one.
    pub fn take_turn(&mut self) {
        self.calls += 1;
    }

    /// The calls of the comparison, with these seconds.
    pub fn compared(&self, seconds: BothSides<f64>) -> ComparedCalls {
        ComparedCalls {
            calls: self.next.lengths,
            seconds,
        }
    }

    /// True if the schedule goes on after a comparison.
    pub fn stays(&mut self, compared: ComparedCalls) -> bool {
        let ratio = if let Some((opening, later)) = self.openings.split_first() {
            self.sums.add(compared);
            let ratio = self.sums.ratio();
            self.openings = if ratio < opening.stays_from { later } else { &[] };
            self.has_failed = ratio < opening.gives_way_below;
            ratio
        } else {
            let ratio = compared.ratio();
            self.slower = if is_slower(ratio) { self.slower + 1 } else { 0 };
            self.has_failed = self.slower >= MOST_SLOWER;
            ratio
        };
        self.comparisons += 1;
        let rest = match self.openings {
            [] => calls_until_next(ratio, self.comparisons),
            _ => 0,
        };
        self.next = NextComparison {
            begin: self.calls + rest,
            before: CallRunner::Schedule,
            lengths: row_lengths(self.openings, ratio),
            library_is_first: !self.next.library_is_first,
        };
        !self.has_failed
    }
}

/// True if the schedule is slower; `ratio` is the library's time over its time.
fn is_slower(ratio: f64) -> bool {
    ratio * SLOWER_RATIO < 1.0
}

/// Calls of the rows of the next comparison, where the library takes `ratio` times as long as the schedule.
fn row_lengths(openings: &[OpeningComparison], ratio: f64) -> BothSides<u64> {
    let opening = openings.first().map(|opening| opening.lengths);
    opening.unwrap_or(BothSides::both(row_length(ratio)))
}

/// Calls of a row of a later comparison.
fn row_length(ratio: f64) -> u64 {
    if ratio > FAR_SLOWER { SHORT_ROW } else { LONG_ROW }
}

/// Calls until the next comparison, after `made` comparisons.
fn calls_until_next(ratio: f64, made: usize) -> u64 {
    if is_slower(ratio) {
        return CALLS_AFTER_SLOWER;
    }
    let least = if made == 0 { LEAST_BEFORE_FIRST } else { LEAST_BETWEEN };
    let cost = |calls: u64| row_length(ratio) as f64 * (ratio - 1.0) / calls as f64;
    let most = COST_SHARES[made.min(COST_SHARES.len() - 1)];
    (least..MOST_BETWEEN)
        .find(|calls| cost(*calls) <= most)
        .unwrap_or(MOST_BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gain that the profile predicts.
    #[derive(Debug, Clone, Copy)]
    struct PredictedGain {
        ratio: f64,
        is_sure: bool,
    }

    const SURE: PredictedGain = PredictedGain {
        ratio: 1.5,
        is_sure: true,
    };
    const QUICK: PredictedGain = PredictedGain {
        ratio: 1.5,
        is_sure: false,
    };
    const CAUTIOUS: PredictedGain = PredictedGain {
        ratio: 1.2,
        is_sure: false,
    };

    impl PredictedGain {
        fn trial(self) -> ScheduleTrial {
            ScheduleTrial::new(self.ratio, self.is_sure)
        }
    }

    /// Runs calls; returns those left to the library, and the number of calls until the schedule gives way.
    fn run(predicted: PredictedGain, ratio: impl Fn(u64) -> f64, calls: u64) -> (Vec<u64>, Option<u64>) {
        let mut trial = predicted.trial();
        let (mut left, mut seconds) = (Vec::new(), BothSides::default());
        for call in 0..calls {
            let (runs, part) = trial.turn();
            trial.take_turn();
            if runs == CallRunner::Library {
                left.push(call);
            }
            if part.is_some() {
                match runs {
                    CallRunner::Library => seconds.library += ratio(call),
                    CallRunner::Schedule => seconds.schedule += 1.0,
                }
            }
            if part == Some(ComparisonPart::Last) {
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
                // With a small predicted gain the library runs the first calls in any case.
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
            let mut trial = predicted.trial();
            assert!(!trial.has_passed());
            let lengths = trial.compared(BothSides::default()).calls;
            let seconds = BothSides {
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
