//! Rate of repetitions that stall, and the bytes through a port from which they do.
//!
//! # Method
//! Maximum likelihood. Of R repetitions of a cell k stalled; k is binomial with p = 1 − exp(−c·n·(n−1)·φ·h), and the
//! rate c has a prior at 0.012. The onset X comes from the counters of losses where there are any
//! ([`stalls_from_onset`]). Else the rate c and the onset X are found on a grid of both, which is deterministic and
//! needs no start. The interval of X contains the values that a likelihood-ratio test does not reject (χ² with one
//! degree of freedom, 95 %; Wilks 1938). D is the median excess of stalled repetitions over the others, its spread the
//! scaled median absolute deviation of the logarithms (Hampel 1974).
//!
//! # Source
//! netsig.

use std::collections::BTreeMap;

use netsig_base::algorithm::SizePattern;
use netsig_base::network::LINUX_RTO;
use netsig_base::stats::sample::{median, robust_deviation};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::observation::CellObservation;
use crate::model::regimes::{OnsetSource, PortConnections, StallOnset, StallParameters};

/// Number of steps of the grid in X, from an eighth of the greatest x to a quarter above it.
const ONSET_STEPS: i32 = 40;

/// Number of steps of the grid in c, and its bounds.
const RATE_STEPS: i32 = 80;
const LEAST_RATE: f64 = 1e-5;
const MOST_RATE: f64 = 0.3;

/// Usual rate of stalls of a connection through an overflowing port in a repetition, and the standard deviation of
/// its logarithm.
const USUAL_RATE: f64 = 0.012;
const SPREAD_OF_RATES: f64 = 0.5;

/// Half of the quantile 0.95 of χ² with one degree of freedom.
const LIKELIHOOD_FALL: f64 = 1.920_729;

/// Least probability of a stall and of no stall: some causes are never known.
const LEAST_PROBABILITY: f64 = 1e-3;

/// The bounds of the spread of ln D.
const SPREADS: std::ops::RangeInclusive<f64> = 0.1..=0.5;

/// A cell as a trial: k of R stalled.
struct StallTrial {
    connections: PortConnections,
    /// Surge x.
    port_bytes: f64,
    /// T₀.
    typical: Seconds,
    stalled: f64,
    unstalled: f64,
}

impl StallTrial {
    /// n·(n − 1)·φ·h, or its sum over ports that differ.
    fn exposed(&self, stalls: &StallParameters) -> f64 {
        self.connections
            .exposed_connections(stalls, self.port_bytes, self.typical)
    }
}

/// The stalls of eager messages, whose onset depends on the bytes x through a port; `None` if no
/// repetition stalled.
pub(super) fn stalls_of_overflow(cells: &[(&CellObservation, f64)]) -> Option<StallParameters> {
    let exchanging = cells.iter().filter(|(_, port_bytes)| *port_bytes > 0.0);
    let exchanging_cells: Vec<(&CellObservation, f64)> = exchanging.copied().collect();
    let (trials, cost, spread) = trials_with_costs(&exchanging_cells)?;
    let most = trials.iter().map(|trial| trial.port_bytes).fold(0.0, f64::max);
    let onset_at = |step: i32| most / 8.0 * 10f64.powf(f64::from(step) / f64::from(ONSET_STEPS));
    let grid = (0..=ONSET_STEPS).map(|step| {
        let bytes = onset_at(step);
        let stalls = StallParameters {
            cost,
            onset: StallOnset::at(bytes),
            ..StallParameters::UNSEEN
        };
        let (rate, likelihood) = best_rate(&trials, &stalls);
        (bytes, rate, likelihood)
    });
    let tried: Vec<(f64, f64, f64)> = grid.collect();
    let best = tried.iter().copied().reduce(|a, b| if b.2 > a.2 { b } else { a })?;
    let likely = || tried.iter().filter(|one| one.2 >= best.2 - LIKELIHOOD_FALL);
    Some(StallParameters {
        rate: best.1,
        cost,
        spread,
        onset: StallOnset {
            bytes: best.0,
            lower: likely().map(|one| one.0).fold(f64::INFINITY, f64::min),
            upper: likely().map(|one| one.0).fold(0.0, f64::max),
            source: OnsetSource::Data,
        },
    })
}

/// The stalls of eager messages whose onset is known from the counters of losses.
pub(super) fn stalls_from_onset(onset: StallOnset, cells: &[(&CellObservation, f64)]) -> StallParameters {
    let (cost, spread) = costs(cells).unwrap_or((LINUX_RTO, *SPREADS.start()));
    let stalls = StallParameters {
        rate: 0.0,
        cost,
        spread,
        onset,
    };
    let (rate, _) = best_rate(&pooled_trials(cells), &stalls);
    StallParameters { rate, ..stalls }
}

/// The stalls of eager messages if none was seen: their onset lies beyond the most bytes that passed a port. `None`
/// without cells.
pub(super) fn unseen_stalls(cells: &[(&CellObservation, f64)]) -> Option<StallParameters> {
    let beyond = cells.iter().map(|(_, bytes)| *bytes).fold(0.0, f64::max);
    (beyond > 0.0).then(|| stalls_from_onset(StallOnset::without_losses(beyond), cells))
}

/// The stalls of other cells with the onset of `shared` and their own rate. If none stalled, the rate is 0 where the
/// `usual` rate would have stalled one or more. Else the cells do not show the rate, and it is the `usual` one.
pub(super) fn with_own_rate(
    shared: &StallParameters,
    cells: &[(&CellObservation, f64)],
    usual: f64,
) -> StallParameters {
    let rate = match trials_with_costs(cells) {
        Some((trials, ..)) => best_rate(&trials, shared).0,
        None if expected_stalls(&pooled_trials(cells), shared, usual) < 1.0 => usual,
        None => 0.0,
    };
    StallParameters { rate, ..*shared }
}

/// Expected number of stalled repetitions at a low rate.
fn expected_stalls(trials: &[StallTrial], stalls: &StallParameters, rate: f64) -> f64 {
    let of = |trial: &StallTrial| (trial.stalled + trial.unstalled) * rate * trial.exposed(stalls);
    trials.iter().map(of).sum()
}

/// The trials, with D and its spread; `None` if no repetition stalled.
fn trials_with_costs(cells: &[(&CellObservation, f64)]) -> Option<(Vec<StallTrial>, Seconds, f64)> {
    let (cost, spread) = costs(cells)?;
    Some((pooled_trials(cells), cost, spread))
}

/// D and its spread; `None` if no repetition stalled.
fn costs(cells: &[(&CellObservation, f64)]) -> Option<(Seconds, f64)> {
    let cell_excesses = cells.iter().flat_map(|(cell, _)| &cell.stall_excesses);
    let excesses: Vec<f64> = cell_excesses.map(|excess| excess.0).collect();
    if excesses.is_empty() {
        return None;
    }
    let cost = median(excesses.iter().copied());
    let away = excesses.iter().map(|excess| (excess / cost).ln());
    let spread = robust_deviation(away).clamp(*SPREADS.start(), *SPREADS.end());
    Some((Seconds(cost), spread))
}

/// Pools cells of the same process count and pieces into one trial.
fn pooled_trials(cells: &[(&CellObservation, f64)]) -> Vec<StallTrial> {
    let mut trials: BTreeMap<(Procs, Bytes, SizePattern), StallTrial> = BTreeMap::new();
    for (cell, port_bytes) in cells {
        let key = (cell.procs, cell.size, cell.sizes);
        let trial = trials.entry(key).or_insert_with(|| StallTrial {
            connections: PortConnections::of(cell.point(None)),
            port_bytes: *port_bytes,
            typical: cell.typical,
            stalled: 0.0,
            unstalled: 0.0,
        });
        trial.stalled += cell.stall_excesses.len() as f64;
        trial.unstalled += cell.unstalled as f64;
    }
    trials.into_values().collect()
}

/// c with the greatest likelihood, and the logarithm of this likelihood.
fn best_rate(trials: &[StallTrial], stalls: &StallParameters) -> (f64, f64) {
    let exposures: Vec<f64> = trials.iter().map(|trial| trial.exposed(stalls)).collect();
    let likelihood = |rate: f64| -> f64 {
        let of = |(trial, exposure): (&StallTrial, &f64)| {
            let probability = -(-rate * exposure).exp_m1();
            let p = probability.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
            trial.stalled * p.ln() + trial.unstalled * (1.0 - p).ln()
        };
        let usual = (rate / USUAL_RATE).ln() / SPREAD_OF_RATES;
        trials.iter().zip(&exposures).map(of).sum::<f64>() - usual * usual / 2.0
    };
    let rate = |step: i32| LEAST_RATE * (MOST_RATE / LEAST_RATE).powf(f64::from(step) / f64::from(RATE_STEPS));
    let tried = (0..=RATE_STEPS).map(|step| (rate(step), likelihood(rate(step))));
    tried
        .reduce(|a, b| if b.1 > a.1 { b } else { a })
        .unwrap_or((LEAST_RATE, f64::NEG_INFINITY))
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;
    use crate::fit::testing::observed;
    use crate::testing::procs;

    /// Cells with the bytes through a port: of 200 repetitions as many stalled as the truth expects, each 210
    /// or 230 ms longer.
    fn cells(truth: &StallParameters) -> Vec<(CellObservation, f64)> {
        let cell = |(count, size): (u32, u64)| {
            let port_bytes = f64::from(count - 1) * size as f64;
            let share = truth.probability(&PortConnections::Even(procs(count)), port_bytes, Seconds(0.1));
            let is_stalled = |number| f64::from(number) < (share * 200.0).round();
            let wait = |number| if number % 2 == 0 { 0.21 } else { 0.23 };
            let time = |number| 0.1 + f64::from(is_stalled(number)) * wait(number);
            let times: Vec<f64> = (0..200).map(time).collect();
            (observed(count, size, &times), port_bytes)
        };
        let sizes = [4096, 16_384, 32_768, 49_152, 61_440];
        [4, 6, 8].into_iter().cartesian_product(sizes).map(cell).collect()
    }

    fn cells_with_port_bytes(cells: &[(CellObservation, f64)]) -> Vec<(&CellObservation, f64)> {
        cells.iter().map(|(cell, port_bytes)| (cell, *port_bytes)).collect()
    }

    /// With an onset of 100 kB.
    const TRUTH: StallParameters = StallParameters {
        rate: 0.012,
        cost: Seconds(0.22),
        spread: 0.1,
        onset: StallOnset {
            bytes: 1e5,
            lower: 1e5,
            upper: 1e5,
            source: OnsetSource::Data,
        },
    };

    /// Without a stall the rate is the usual one below the onset, and 0 far above it.
    #[test]
    fn cells_below_the_onset_tell_nothing_of_the_rate() {
        let quiet = cells(&StallParameters { rate: 0.0, ..TRUTH });
        for (bytes, expected) in [(10e6, 0.01), (20e3, 0.0)] {
            let shared = StallParameters {
                onset: StallOnset::at(bytes),
                ..TRUTH
            };
            let found = with_own_rate(&shared, &cells_with_port_bytes(&quiet), 0.01);
            assert_eq!((found.rate, found.onset), (expected, shared.onset));
        }
    }

    /// A stall of 220 ms that begins during an exchange adds only its part beyond the end of the exchange. In 165 ms,
    /// the stalls that begin in the last 120 ms add 100 ms or more. In 400 ms, stalls that add less than 120 ms do not
    /// show; in a second none shows.
    #[test]
    fn long_exchanges_hide_stalls() {
        for (typical, share) in [(0.05, 1.0), (0.165, 120.0 / 165.0), (0.4, 0.25), (1.0, 0.0)] {
            let exposure = TRUTH.exposure(1e9, Seconds(typical));
            assert!((exposure - share).abs() < 1e-9, "{typical}");
        }
    }

    #[test]
    fn onset_and_rate_come_back() {
        let found = stalls_of_overflow(&cells_with_port_bytes(&cells(&TRUTH))).unwrap();
        assert!((found.rate / 0.012).ln().abs() < 0.2, "{}", found.rate);
        assert!((found.onset.bytes / 1e5).ln().abs() < 0.1, "{found:?}");
        assert!((0.21..=0.23).contains(&found.cost.0), "{found:?}");
    }

    #[test]
    fn nothing_is_found_where_nothing_stalled() {
        let quiet = StallParameters { rate: 0.0, ..TRUTH };
        let all = cells(&quiet);
        assert_eq!(stalls_of_overflow(&cells_with_port_bytes(&all)), None);
    }
}
