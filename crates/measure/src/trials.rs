//! Trial repetitions before a step whose ranks start at agreed times. They show how long the windows must be. They
//! also let connections recover that lost packets in the previous step: these send less at once in their first
//! trials.

use netsig_base::units::Seconds;

/// Most trials of a step.
pub const MOST_TRIALS: u32 = 8;

/// Total duration of the trials from which no further trial begins.
const TOTAL_TRIAL_TIME: Seconds = Seconds(1.0);

/// Duration of a trial from which it is the last: connections recover in its many round trips.
const LONG_TRIAL: Seconds = Seconds(0.3);

/// Ratio of a window's length to the longest trial.
pub const WINDOW_RATIO: f64 = 1.3;

/// True if a trial that took `once` is the last; `spent` is the duration of all trials up to it.
pub fn are_enough(spent: Seconds, once: Seconds) -> bool {
    spent >= TOTAL_TRIAL_TIME || once >= LONG_TRIAL
}

/// Duration of a step of `repetitions` that take `once` each, with its trials.
pub(crate) fn with_repetitions(once: Seconds, repetitions: f64) -> Seconds {
    let all = (1..MOST_TRIALS).take_while(|count| !are_enough(once * f64::from(*count), once));
    let trials = all.count() as f64 + 1.0;
    once * (trials + WINDOW_RATIO * repetitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight short trials, five of 0.2 s, a single long one; each repetition has a window of its own.
    #[test]
    fn trials_count_as_they_are_carried_out() {
        for (once, repetitions, repeated) in [(0.01, 10.0, 21.0), (0.2, 2.0, 7.6), (0.3, 1.0, 2.3)] {
            let all = with_repetitions(Seconds(once), repetitions);
            assert!((all.0 / once - repeated).abs() < 1e-9, "{once}: {all}");
        }
    }
}
