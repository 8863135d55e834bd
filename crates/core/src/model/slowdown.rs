//! A slowdown factor: the plainest correction of a prediction that knows no contention.
//!
//! # Formula
//! T' = σ·T, with T a prediction in seconds and σ a pure number.
//!
//! # Domain
//! Any prediction, near the conditions σ was measured under. σ need not exceed 1: it corrects
//! predictions that are too high as well.
//!
//! # Source
//! J. Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, as
//! quoted by Steffenel 2006 (INRIA report) §2 and Steffenel, Martinasso, Trystram 2007 (GPC)
//! §2. They say no more than that a factor corrects the prediction.
//!
//! ```
//! # use netsig_core::{model::slowdown::Slowdown, units::Seconds};
//! let time = Slowdown::new(1.25)?.apply(Seconds(0.0015));
//! assert!((time.0 / 0.001875 - 1.0).abs() < 1e-12);
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

use crate::units::Seconds;
use crate::units::parameter::{ParameterError, non_negative};

/// σ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowdown(f64);

impl Slowdown {
    /// σ = `factor`.
    ///
    /// # Errors
    /// If it is negative or not finite.
    pub fn new(factor: f64) -> Result<Self, ParameterError> {
        non_negative("slowdown", factor).map(Self)
    }

    /// The corrected prediction.
    pub fn apply(self, prediction: Seconds) -> Seconds {
        prediction * self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_factors_are_refused() {
        for factor in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Slowdown::new(factor).is_err(), "{factor}");
        }
    }
}
