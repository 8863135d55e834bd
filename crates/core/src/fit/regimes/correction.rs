//! ρ(m): deviations that repeat at a size at every process count.
//!
//! # Method
//! A random effect of the size. With ē the mean of ln(T/T̂₀) over the k counts of a size, τ² the
//! variance within sizes and σ² the variance between them (by moments, at least 0), the best
//! linear unbiased prediction is ρ = ē·σ²/(σ² + τ²/k): the correction is small for a size with
//! few data, and if sizes do not differ beyond their noise.
//!
//! # Source
//! Henderson 1975; Robinson 1991.

use std::collections::BTreeMap;

use super::observation::Observation;
use crate::stats::sample::mean;
use crate::units::Bytes;

/// Least τ: difference of two cells of a size without scatter.
const LEAST_WITHIN: f64 = 0.03;

/// Bound of residuals: a larger one is an outlier, and no effect of a size.
const MOST: f64 = 0.4;

/// ρ at every measured size, ascending, from cells with their residuals ln(T/T̂₀).
pub(super) fn of(cells: &[(&Observation, f64)]) -> Vec<(Bytes, f64)> {
    let mut by_size: BTreeMap<Bytes, Vec<f64>> = BTreeMap::new();
    for (cell, error) in cells {
        by_size
            .entry(cell.size)
            .or_default()
            .push(error.clamp(-MOST, MOST));
    }
    let within = within(by_size.values(), cells).max(LEAST_WITHIN.powi(2));
    let surplus = by_size
        .values()
        .map(|errors| mean(errors).powi(2) - within / errors.len() as f64);
    let between = mean(surplus).max(0.0);
    let predicted = |(size, errors): (Bytes, Vec<f64>)| {
        let certainty = between / (between + within / errors.len() as f64);
        (size, mean(&errors) * certainty)
    };
    by_size.into_iter().map(predicted).collect()
}

/// τ²: the variance within sizes, else the mean variance of the cells' medians.
fn within<'a>(sizes: impl Iterator<Item = &'a Vec<f64>>, cells: &[(&Observation, f64)]) -> f64 {
    let (mut squares, mut dof) = (0.0, 0.0);
    for errors in sizes {
        let mean = mean(errors);
        squares += errors
            .iter()
            .map(|error| (error - mean).powi(2))
            .sum::<f64>();
        dof += errors.len() as f64 - 1.0;
    }
    if dof > 0.0 {
        return squares / dof;
    }
    mean(cells.iter().map(|(cell, _)| cell.variance()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::testing::observed;

    fn corrected(errors: &[[f64; 3]]) -> Vec<f64> {
        let cells = (1..)
            .zip(errors)
            .map(|(size, errors)| (observed(4, size, &[1.0]), errors));
        let cells: Vec<_> = cells.collect();
        let errors = cells
            .iter()
            .flat_map(|(cell, errors)| errors.map(|error| (cell, error)));
        let found = of(&errors.collect::<Vec<_>>());
        found.into_iter().map(|(_, rho)| rho).collect()
    }

    /// Sizes that scatter by 1 % around ±20 %: the variance between them is 0.04 less a third of
    /// that within (0.03², its least), and so is what is taken of the mean.
    #[test]
    fn what_repeats_is_kept_but_for_its_noise() {
        let found = corrected(&[[0.2, 0.21, 0.19], [-0.2, -0.21, -0.19]]);
        let share = (0.04 - 0.0003) / 0.04;
        assert!((found[0] - 0.2 * share).abs() < 1e-12 && (found[1] + 0.2 * share).abs() < 1e-12);
    }

    #[test]
    fn noise_is_not_taken_for_what_repeats() {
        let found = corrected(&[[0.2, -0.2, 0.01], [-0.2, 0.2, -0.01]]);
        assert!(found.iter().all(|rho| rho.abs() < 1e-12), "{found:?}");
    }
}
