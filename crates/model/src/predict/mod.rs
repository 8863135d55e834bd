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
pub mod cross_over;
pub mod curve;
mod hosts;
mod line;
mod misses;
pub mod notes;
pub mod penalty;
pub mod predictor;
pub mod ranking;
pub mod rate;
pub mod request;
pub mod select;
mod speaker;
pub mod split;

use netsig_base::units::Seconds;

pub use crate::fitted::asked::{self, Asked};
pub use crate::fitted::outside;
pub use crate::fitted::prediction::{Interval, Overflow, Prediction, Standing};

/// Part of the upper half-width of an interval in ln T that is added where algorithms are compared:
/// about a standard error at 90 % confidence.
const CAUTION: f64 = 0.6;

/// Least ln of a gain over the library's own choice that is worth a change, as a part of the joint
/// half-width of both intervals in ln T, half a standard error of the difference; the gain is that of
/// times a standard error above the best values.
const WORTH_A_CHANGE: f64 = 0.3;

impl Prediction {
    /// Time by which algorithms are compared ([`select`]): a standard error above the best value,
    /// without contention the best value itself; not below that of the library's own choice unless the
    /// gain over it is sure enough, and that of the middles is `least`.
    #[must_use]
    pub fn cautious(&self, library: Option<&Self>, least: f64) -> Seconds {
        let raised = |one: &Self| one.time.0 * (CAUTION * one.half_width()).exp();
        let own = raised(self);
        let Some(library) = library else {
            return Seconds(own);
        };
        let apart = self.half_width().hypot(library.half_width());
        let usual = raised(library);
        let is_sure = (usual / own).ln() >= WORTH_A_CHANGE * apart && library.middle() >= least * self.middle();
        Seconds(if is_sure { own } else { own.max(usual) })
    }

    /// The geometric mean of the interval's ends: the best value, or where a message may overflow a port or
    /// not, a time between both.
    fn middle(&self) -> f64 {
        match self.interval {
            Some(Interval { lower, upper }) if lower.0 > 0.0 => (lower.0 * upper.0).sqrt(),
            _ => self.time.0,
        }
    }

    /// ln of the upper end over the time. Without contention 0: such an interval has the uncertainty of
    /// α and β alone.
    fn half_width(&self) -> f64 {
        match self.interval {
            Some(interval) if self.standing != Standing::ContentionFree && self.time.0 > 0.0 => {
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
            standing: Standing::Interpolated,
            segment: None,
        }
    }

    /// An uncertain time counts longer, also that of the library's choice, which a gain that is small
    /// beside its uncertainty never passes. Where the library may stall, a longer best value may. Without contention the time counts.
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
            let found = prediction(time, upper).cautious(Some(&library), 0.0).0;
            assert!((found - expected).abs() < 1e-12, "{time} {upper}: {found}");
        }
        let short = prediction(0.8, 0.9);
        let gained = |least| short.cautious(Some(&library), least).0;
        assert!(gained(1.2) < gained(1.3), "the middle gains 1.29");
        let may_stall = prediction(1.0, 10.0);
        let own = prediction(1.1, 1.2).cautious(Some(&may_stall), 1.05).0;
        assert!((own - raised(1.1, 1.2)).abs() < 1e-12, "{own}");
        let free = Prediction {
            standing: Standing::ContentionFree,
            ..prediction(0.7, 1.6)
        };
        assert!((free.cautious(None, 0.0).0 - 0.7).abs() < 1e-12);
    }
}
