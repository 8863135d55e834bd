//! Stalls that a cell alone does not show: means of other programs, and cells in which every
//! repetition stalled.
//!
//! # Method
//! T₀ comes from a robust regression of all cells with a, b and a γ for either protocol.
//!
//! *Means.* If only the mean of R repetitions is known, T̄ = T₀ + D·k/R if k of them stalled, with D the least time
//! that Linux waits (200 ms). A mean of eager messages counts as such a mixture if it exceeds T₀ by more than a tenth
//! of D and of itself; k is the nearest whole number. Any other mean counts as repetitions that did not stall.
//!
//! *All.* If even the quickest of several repetitions of eager messages exceeds T₀ as a stalled repetition exceeds the
//! others (`observation`), all of them stalled. The time without stalls is then unknown, and T₀ replaces it without
//! weight in the fit.
//!
//! # Domain
//! Exchanges, whose messages arrive at one port together. Twenty repetitions if a program does
//! not state their number.
//!
//! # Source
//! netsig; the mean of a mixture.

use std::collections::BTreeMap;

use netsig_base::network::LINUX_RTO;
use netsig_base::units::Seconds;

use super::limit::{LimitedWire, basic_columns};
use super::observation::{CellObservation, MeasuredAlgorithm, exceeds};
use super::regression;
use crate::model::regimes::Protocol;

/// Least excess of a mean over T₀, as a share of D and of the mean.
const LEAST_EXCESS: f64 = 0.1;

/// Least number of repetitions of a cell whose repetitions all stalled.
const LEAST_REPETITIONS: usize = 3;

/// Finds the stalls in `all` that a cell alone does not show.
pub fn separate_stalls(all: &mut BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>, limited: &LimitedWire) {
    for (who, cells) in all.iter_mut() {
        let Some(pattern) = who.pattern.filter(|pattern| pattern.is_exchange()) else {
            continue;
        };
        let placed = limited.with_protocols(pattern, cells);
        let columns = basic_columns(&placed);
        let Ok(solution) = regression::solve(&limited.basis(pattern), &placed, &columns) else {
            continue;
        };
        let separated: Vec<CellObservation> = placed
            .iter()
            .zip(&solution.errors)
            .map(|((cell, protocol), error)| {
                let unstalled = Seconds(cell.typical.0 / error.exp());
                match (protocol, cell.averaged) {
                    (Protocol::Rendezvous, _) => (*cell).clone(),
                    (Protocol::Eager, Some(count)) => separated_mean(cell, count, unstalled),
                    (Protocol::Eager, None) => all_stalled(cell, unstalled),
                }
            })
            .collect();
        *cells = separated;
    }
}

/// Separates the stalls in a mean of `count` repetitions; `unstalled` is T₀.
fn separated_mean(cell: &CellObservation, count: u32, unstalled: Seconds) -> CellObservation {
    let excess = cell.median.0 - unstalled.0;
    if excess < LEAST_EXCESS * LINUX_RTO.0.max(cell.median.0) {
        return cell.clone();
    }
    let most = f64::from(count);
    let rounded_stalls = (excess / LINUX_RTO.0 * most).round().clamp(0.0, most - 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and a count of repetitions"
    )]
    let stalled = rounded_stalls as usize;
    let rest = cell.median.0 - LINUX_RTO.0 * stalled as f64 / most;
    CellObservation {
        typical: Seconds(rest.max(unstalled.0 * LEAST_EXCESS)),
        unstalled: count as usize - stalled,
        stall_excesses: vec![LINUX_RTO; stalled],
        ..cell.clone()
    }
}

/// Marks all repetitions of a cell as stalled if its quickest one did; `unstalled` is T₀.
fn all_stalled(cell: &CellObservation, unstalled: Seconds) -> CellObservation {
    let repetitions = cell.unstalled + cell.stall_excesses.len();
    if repetitions < LEAST_REPETITIONS || !exceeds(cell.quickest, unstalled) {
        return cell.clone();
    }
    let longer = cell.typical.0 - unstalled.0;
    let plain = std::iter::repeat_n(Seconds(longer), cell.unstalled);
    let stalled = cell.stall_excesses.iter().map(|excess| Seconds(excess.0 + longer));
    CellObservation {
        typical: unstalled,
        unstalled: 0,
        stall_excesses: plain.chain(stalled).collect(),
        ..cell.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::testing::observed;

    /// Half of twenty repetitions of 80 ms waited 200 ms more: a mean of 180 ms.
    #[test]
    fn a_mean_far_above_the_rest_is_a_mixture() {
        let mean = observed(8, 32_768, &[0.18]).into_mean_of(20);
        let separated = separated_mean(&mean, 20, Seconds(0.08));
        assert_eq!((separated.unstalled, separated.stall_excesses.len()), (10, 10));
        assert!((separated.typical.0 - 0.08).abs() < 1e-12);
        assert!(separated.variance() > mean.variance());
    }

    #[test]
    fn a_mean_near_the_rest_is_left_alone() {
        for (time, ratio) in [(0.09, 1.1), (0.001, 2.0), (2.0, 1.05)] {
            let mean = observed(8, 32_768, &[time]).into_mean_of(20);
            assert_eq!(separated_mean(&mean, 20, Seconds(time / ratio)), mean);
        }
    }

    #[test]
    fn a_cell_of_nothing_but_stalls_is_told_by_the_others() {
        let separated = all_stalled(&observed(8, 32_768, &[0.29, 0.30, 0.31]), Seconds(0.08));
        assert_eq!((separated.unstalled, separated.stall_excesses.len()), (0, 3));
        assert!(separated.stall_excesses.iter().all(|excess| excess.0 > 0.2));
        let slow = observed(8, 32_768, &[0.12, 0.13, 0.14]);
        assert_eq!(all_stalled(&slow, Seconds(0.08)), slow);
    }
}
