//! ρ(n, m): deviation of measured times from the formula, interpolated by a Gaussian process.
//!
//! # Formula
//! ```text
//! ρ(n, m) = Σᵢ wᵢ·exp(−½·((ln n − ln nᵢ)/ℓₙ)² − ½·((ln(m + 1) − ln(mᵢ + 1))/ℓₘ)²)
//! ```
//!
//! over the measured cells i; it vanishes far from them.
//!
//! # Source
//! Rasmussen and Williams 2006, section 2.2.

use serde::{Deserialize, Serialize};

use crate::units::parameter::finite;
use crate::units::{Bytes, Procs};

/// A correction of ln T.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// Lengths ℓₙ and ℓₘ.
    pub lengths: [f64; 2],
    /// nᵢ, mᵢ and wᵢ of the measured cells.
    pub cells: Vec<(Procs, Bytes, f64)>,
}

/// Lengths ℓₙ from which on a cell has no weight left.
const FAR: f64 = 6.0;

impl Correction {
    /// ρ(n, m).
    pub fn at(&self, procs: Procs, size: Bytes) -> f64 {
        let [n, m] = place(procs, size);
        let far = (FAR * self.lengths[0]).exp();
        let is_near = |other: Procs| {
            let ratio = f64::from(procs.get()) / f64::from(other.get());
            ratio < far && ratio * far > 1.0
        };
        let near = self.cells.iter().filter(|(procs, ..)| is_near(*procs));
        let weighted = near.map(|&(procs, size, weight)| {
            let [other_n, other_m] = place(procs, size);
            let away = [(n - other_n), (m - other_m)];
            let squares = away.iter().zip(&self.lengths).map(|(d, l)| (d / l).powi(2));
            weight * (-0.5 * squares.sum::<f64>()).exp()
        });
        weighted.sum()
    }

    /// Refuses values that no fit produces.
    ///
    /// # Errors
    /// Names the key and its error.
    pub fn check(&self) -> Result<(), String> {
        if self
            .lengths
            .iter()
            .any(|length| !length.is_finite() || *length <= 0.0)
        {
            return Err(format!(
                "correction.lengths = {:?} are not finite and above 0",
                self.lengths
            ));
        }
        for (_, _, weight) in &self.cells {
            finite("correction.cells", *weight)?;
        }
        Ok(())
    }
}

/// Coordinates of a cell: ln n and ln(m + 1).
pub(crate) fn place(procs: Procs, size: Bytes) -> [f64; 2] {
    [f64::from(procs.get()).ln(), size.as_f64().ln_1p()]
}
