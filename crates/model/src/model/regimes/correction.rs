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

use netsig_base::units::parameter::finite;
use netsig_base::units::{Bytes, Procs};

/// A correction of ln T.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeCorrection {
    /// Lengths ℓₙ and ℓₘ.
    pub lengths: [f64; 2],
    /// The measured cells.
    pub cells: Vec<CorrectionCell>,
}

/// nᵢ, mᵢ and wᵢ of a measured cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(Procs, Bytes, f64)", into = "(Procs, Bytes, f64)")]
pub struct CorrectionCell {
    procs: Procs,
    size: Bytes,
    weight: f64,
    /// [`log_coordinates`] of the cell, computed once for all predictions.
    place: [f64; 2],
}

impl From<(Procs, Bytes, f64)> for CorrectionCell {
    fn from(row: (Procs, Bytes, f64)) -> Self {
        let (procs, size, weight) = row;
        let place = log_coordinates(procs, size);
        Self {
            procs,
            size,
            weight,
            place,
        }
    }
}

impl From<CorrectionCell> for (Procs, Bytes, f64) {
    fn from(cell: CorrectionCell) -> Self {
        (cell.procs, cell.size, cell.weight)
    }
}

/// Distance in lengths from which on a cell has no weight.
const FAR_LENGTHS: f64 = 6.0;

impl TimeCorrection {
    /// ρ(n, m).
    pub fn at(&self, procs: Procs, size: Bytes) -> f64 {
        let [n, m] = log_coordinates(procs, size);
        let [length_n, length_m] = self.lengths;
        let near = self.cells.iter().filter_map(|cell| {
            let away_n = (n - cell.place[0]) / length_n;
            let away_m = (m - cell.place[1]) / length_m;
            let is_near = away_n.abs() < FAR_LENGTHS && away_m.abs() < FAR_LENGTHS;
            is_near.then(|| cell.weight * (-0.5 * (away_n * away_n + away_m * away_m)).exp())
        });
        near.sum()
    }

    /// Refuses values that no fit produces.
    ///
    /// # Errors
    /// If a length is not finite and above 0, or a weight is not finite.
    pub fn check(&self) -> Result<(), String> {
        if self.lengths.iter().any(|length| !length.is_finite() || *length <= 0.0) {
            return Err(format!(
                "correction.lengths = {:?} are not finite and above 0",
                self.lengths
            ));
        }
        for cell in &self.cells {
            finite("correction.cells", cell.weight)?;
        }
        Ok(())
    }
}

/// Coordinates of a cell: ln n and ln(m + 1).
pub(crate) fn log_coordinates(procs: Procs, size: Bytes) -> [f64; 2] {
    [f64::from(procs.get()).ln(), size.as_f64().ln_1p()]
}
