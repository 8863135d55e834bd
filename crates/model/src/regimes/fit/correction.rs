//! ρ(n, m): deviations of typical times from T₀ that neighbouring cells share.
//!
//! # Method
//! Each protocol has a Gaussian process without a trend over (ln n, ln(m + 1)). Its values are the residuals ln(T/T̂₀),
//! bounded, with the variance of their medians. Its lengths and its part of noise are the likeliest of a grid.
//!
//! # Source
//! Rasmussen and Williams 2006, section 5.4.

use netsig_base::stats::gaussian::{GaussianGrid, GaussianPoint, GaussianProcess, GaussianTrend};

use super::observation::{CellObservation, LEAST_RELATIVE_ERROR};
use crate::model::regimes::{TimeCorrection, log_coordinates};

/// Bound of residuals: a larger one is an outlier.
const MOST_RESIDUAL: f64 = 0.4;

/// The correction of cells with their residuals ln(T/T̂₀), for their process counts alone; `None`
/// without cells.
pub(super) fn correction_of(cells: &[(&CellObservation, f64)]) -> Option<TimeCorrection> {
    let grid = GaussianGrid {
        lengths: [&[0.1], &[0.7, 1.5, 3.0]],
        noise: &[0.1, 0.4, 1.0, 3.0],
    };
    let point = |(cell, error): &(&CellObservation, f64)| GaussianPoint {
        coordinates: log_coordinates(cell.procs, cell.size),
        value: error.clamp(-MOST_RESIDUAL, MOST_RESIDUAL),
        variance: 1.0 + cell.variance() / LEAST_RELATIVE_ERROR.powi(2),
    };
    let points: Vec<GaussianPoint<2>> = cells.iter().map(point).collect();
    let process = GaussianProcess::fit(&points, GaussianTrend::Zero, &grid)?;
    let weights = cells.iter().zip(process.weights());
    Some(TimeCorrection {
        lengths: process.lengths(),
        cells: weights
            .map(|((cell, _), weight)| (cell.procs, cell.size, weight).into())
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Bytes, Procs};

    use super::*;
    use crate::fit::testing::observed;

    fn procs(count: u32) -> Procs {
        Procs::new(count).unwrap()
    }

    #[test]
    fn a_deviation_that_neighbours_share_is_interpolated_and_noise_is_not() {
        let sizes = [1 << 10, 4 << 10, 16 << 10, 64 << 10];
        let cells: Vec<CellObservation> = [4, 8]
            .iter()
            .flat_map(|count| sizes.map(|size| observed(*count, size, &[1.0, 1.01, 0.99])))
            .collect();
        let shared: Vec<(&CellObservation, f64)> = cells
            .iter()
            .map(|cell| (cell, if cell.size < Bytes(8 << 10) { 0.2 } else { -0.1 }))
            .collect();
        let correction = correction_of(&shared).unwrap();
        assert!((correction.at(procs(8), Bytes(2 << 10)) - 0.2).abs() < 0.05);
        assert!((correction.at(procs(8), Bytes(32 << 10)) + 0.1).abs() < 0.05);
        assert!(correction.at(procs(6), Bytes(2 << 10)).abs() < 0.01);
        assert!(correction.at(procs(4), Bytes(1 << 40)).abs() < 1e-3);
    }
}
