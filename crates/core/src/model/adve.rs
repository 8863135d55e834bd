//! Adve's model of a parallel program: four times that add up.
//!
//! # Formula
//! T = computation + communication + resource contention + synchronisation, all times in
//! seconds.
//!
//! # Domain
//! Programs whose four parts are known from elsewhere. The papers that quote the model find
//! the last two hard to know: contention is not deterministic, and the mean delay of a
//! synchronisation is difficult to estimate.
//!
//! # Source
//! V. Adve, doctoral thesis, University of Wisconsin, 1993, as quoted by Barchet-Steffenel and
//! Mounié 2005 (PPAM) §3 and Steffenel, Martinasso, Trystram 2007 (GPC) eq. 2.
//!
//! ```
//! # use netsig_core::{model::adve::Adve, units::Seconds};
//! let parts = Adve::new(Seconds(1.0), Seconds(0.5), Seconds(0.25), Seconds(0.125))?;
//! assert_eq!(parts.total(), Seconds(1.875));
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

use crate::units::Seconds;
use crate::units::parameter::{ParameterError, non_negative};

/// The four parts of the time of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adve {
    computation: Seconds,
    communication: Seconds,
    resource_contention: Seconds,
    synchronisation: Seconds,
}

impl Adve {
    /// A program of these parts.
    ///
    /// # Errors
    /// If one is negative or not finite.
    pub fn new(
        computation: Seconds,
        communication: Seconds,
        resource_contention: Seconds,
        synchronisation: Seconds,
    ) -> Result<Self, ParameterError> {
        non_negative("computation", computation.0)?;
        non_negative("communication", communication.0)?;
        non_negative("resource_contention", resource_contention.0)?;
        non_negative("synchronisation", synchronisation.0)?;
        Ok(Self {
            computation,
            communication,
            resource_contention,
            synchronisation,
        })
    }

    /// The time of the program.
    pub fn total(&self) -> Seconds {
        self.computation + self.communication + self.resource_contention + self.synchronisation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_parts_are_refused_by_name() {
        let parts = |bad: usize| {
            let mut parts = [Seconds(1.0); 4];
            parts[bad] = Seconds(-1.0);
            let [a, b, c, d] = parts;
            Adve::new(a, b, c, d).unwrap_err().to_string()
        };
        let names = [
            "computation",
            "communication",
            "resource_contention",
            "synchronisation",
        ];
        for (bad, name) in names.into_iter().enumerate() {
            assert!(parts(bad).starts_with(&format!("{name} = -1 is not allowed")));
        }
    }
}
