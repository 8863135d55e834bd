//! Times for process counts and sizes that were not measured, with intervals.
//!
//! # Interval
//! A fitted model gives its own ([`crate::fitted`], [`crate::regimes`]).
//!
//! A model without fitted parameters takes its interval from those of α and β; a model that uses
//! neither, but tables of pLogP, has no interval.

pub mod answer;
mod basis;
pub mod compare;
pub mod contention_free;
pub mod cross_over;
pub mod curve;
mod hosts;
pub mod judgement;
mod misses;
mod model_question;
mod modelled_algorithm;
pub mod notes;
pub mod penalty;
pub mod predictor;
pub mod ranking;
pub mod rate;
pub mod request;
pub mod result_rule;
pub mod runtime_choice;
pub mod select;
pub mod split;

use netsig_base::units::Seconds;

pub use crate::fitted::outside_domain;
pub use crate::fitted::prediction::{Interval, PortOverflow, Prediction, PredictionStanding};
pub use crate::fitted::statistic::{PredictedStatistic, parse_quantile};

/// Share of the upper half-width of an interval, in ln T, by which a cautious time exceeds the best value: about
/// a standard error at 90 % confidence.
const CAUTION: f64 = 0.6;

/// Least ln of a gain over the library's own choice that is worth a change, between times a standard error above
/// the best values. It is a share of the joint half-width of both intervals in ln T: half a standard error of the
/// difference.
const LEAST_SURE_GAIN: f64 = 0.3;

/// Reason why a candidate stands behind one with a longer time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum HeldBack {
    /// Its interval is wider, so that its cautious time is longer.
    #[strum(to_string = "less sure")]
    LessSure,
    /// Its gain over the library's own choice is not sure enough.
    #[strum(to_string = "gain unsure")]
    UnsureGain,
    /// Its time is without contention, and so a lower bound beside measured algorithms.
    #[strum(to_string = "bound")]
    LowerBound,
    /// The case is too far from the measurements.
    #[strum(to_string = "too far")]
    TooFar,
}

impl PredictionStanding {
    /// The standing as people read it.
    pub fn plain_word(self) -> String {
        match self {
            Self::Unfitted => "unmeasured".to_owned(),
            other => other.to_string(),
        }
    }
}

impl Prediction {
    /// Time by which algorithms are compared ([`select`]): a standard error above the best value, without
    /// contention the best value itself. It is at least the library's, unless the gain over the library is sure
    /// enough and that of the middles is at least `least_gain`.
    #[must_use]
    pub fn cautious_time(&self, library: Option<&Self>, least_gain: f64) -> Seconds {
        match library {
            Some(library) if self.is_held_to(library, least_gain) => library.raised_time(),
            _ => self.raised_time(),
        }
    }

    /// True if the cautious time is the library's in place of a shorter one: the gain is not sure enough.
    #[must_use]
    pub fn is_held_to(&self, library: &Self, least_gain: f64) -> bool {
        let apart = self.half_width().hypot(library.half_width());
        let gain = library.raised_time() / self.raised_time();
        let is_sure = gain.ln() >= LEAST_SURE_GAIN * apart && library.middle() >= least_gain * self.middle();
        !is_sure && gain > 1.0
    }

    /// A standard error above the best value.
    fn raised_time(&self) -> Seconds {
        Seconds(self.time.0 * (CAUTION * self.half_width()).exp())
    }

    /// The geometric mean of the interval's ends: the best value, or a time between both outcomes where a message
    /// may overflow a port.
    fn middle(&self) -> f64 {
        match self.interval {
            Some(Interval { lower, upper }) if lower.0 > 0.0 => (lower.0 * upper.0).sqrt(),
            _ => self.time.0,
        }
    }

    /// ln of the upper end over the time; 0 without contention, where the interval has the uncertainty of α and β
    /// alone.
    fn half_width(&self) -> f64 {
        match self.interval {
            Some(interval) if self.standing != PredictionStanding::ContentionFree && self.time.0 > 0.0 => {
                (interval.upper / self.time).ln()
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prediction(time: f64, upper: f64) -> Prediction {
        let [lower, upper] = [0.5 * time, upper].map(Seconds);
        Prediction {
            time: Seconds(time),
            interval: Some(Interval { lower, upper }),
            standing: PredictionStanding::Interpolated,
            segment: None,
        }
    }

    /// An uncertain time counts longer, the library's too. A gain that is small beside the uncertainty does not
    /// count. Where the library may stall, a longer best value may win. Without contention the time itself counts.
    #[test]
    fn uncertain_gains_are_smaller_gains() {
        let library = prediction(1.0, 1.2);
        let raised = |time: f64, upper: f64| time * (upper / time).powf(0.6);
        for (time, upper, expected) in [
            (0.8, 0.9, raised(0.8, 0.9)),
            (0.8, 1.6, raised(0.8, 1.6)),
            (1.1, 1.15, raised(1.1, 1.15)),
            (1.0, 1.01, raised(1.0, 1.01)),
            (1.03, 1.08, raised(1.0, 1.2)),
        ] {
            let found = prediction(time, upper).cautious_time(Some(&library), 0.0).0;
            assert!((found - expected).abs() < 1e-12, "{time} {upper}: {found}");
        }
        let short = prediction(0.8, 0.9);
        let gained = |least| short.cautious_time(Some(&library), least).0;
        assert!(gained(1.2) < gained(1.3), "the middle gains 1.29");
        let may_stall = prediction(1.0, 10.0);
        let cautious_time = prediction(1.1, 1.2).cautious_time(Some(&may_stall), 1.05).0;
        assert!((cautious_time - raised(1.1, 1.2)).abs() < 1e-12, "{cautious_time}");
        let contention_free = Prediction {
            standing: PredictionStanding::ContentionFree,
            ..prediction(0.7, 1.6)
        };
        assert!((contention_free.cautious_time(None, 0.0).0 - 0.7).abs() < 1e-12);
    }
}
