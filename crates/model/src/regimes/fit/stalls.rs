//! Rate of repetitions that stall, and the bytes through a port from which they do.
//!
//! # Method
//! Maximum likelihood. Of R repetitions of a cell k stalled, k binomial with
//! p = 1 − exp(−c·n·(n−1)·φ·h), with a prior at c = 0.01 for the rate. The onset X comes from the counters of
//! losses where there are any ([`from`]). Else the rate c and the onset X are found on a grid of both, which is
//! deterministic and needs no start. The interval of X contains the
//! values that a likelihood-ratio test does not reject (χ² with one degree of freedom, 95 %;
//! Wilks 1938). D is the median excess of stalled repetitions over the others, its spread the
//! scaled median absolute deviation of the logarithms (Hampel 1974).
//!
//! # Source
//! netsig.

use std::collections::BTreeMap;

use netsig_base::algorithm::Sizes;
use netsig_base::network::LINUX_RTO;
use netsig_base::stats::sample::{median, robust_deviation};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::observation::Observation;
use crate::model::regimes::{Connections, Onset, Stalls};

/// Number of steps of the grid in X, from an eighth of the greatest x to a quarter above it.
const STEPS: i32 = 40;

/// Number of steps of the grid in c, and its bounds.
const RATES: i32 = 80;
const LEAST_RATE: f64 = 1e-5;
const MOST_RATE: f64 = 0.3;

/// Usual rate of stalls of a connection through an overflowing port in a repetition, and the standard deviation of
/// its logarithm.
const USUAL_RATE: f64 = 0.012;
const SPREAD_OF_RATES: f64 = 0.5;

/// Half of the quantile 0.95 of χ² with one degree of freedom.
const LIKELY: f64 = 1.920_729;

/// Least probability of a stall and of no stall: some cause is never known.
const LEAST_PROBABILITY: f64 = 1e-3;

/// The bounds of the spread of ln D.
const SPREADS: std::ops::RangeInclusive<f64> = 0.1..=0.5;

/// A cell as a trial: k of R stalled.
struct Trial {
    connections: Connections,
    /// Surge x.
    port_bytes: f64,
    /// T₀.
    typical: Seconds,
    stalled: f64,
    plain: f64,
}

impl Trial {
    /// n·(n − 1)·φ·h, or its sum over ports that differ.
    fn exposed(&self, stalls: &Stalls) -> f64 {
        self.connections.exposed(stalls, self.port_bytes, self.typical)
    }
}

/// The stalls of eager messages, whose onset depends on the bytes x through a port; `None` if no
/// repetition stalled.
pub(super) fn overflowing(cells: &[(&Observation, f64)]) -> Option<Stalls> {
    let exchanging = cells.iter().filter(|(_, port_bytes)| *port_bytes > 0.0);
    let cells: Vec<(&Observation, f64)> = exchanging.copied().collect();
    let (trials, cost, spread) = trials(&cells)?;
    let most = trials.iter().map(|trial| trial.port_bytes).fold(0.0, f64::max);
    let onset_at = |step: i32| most / 8.0 * 10f64.powf(f64::from(step) / f64::from(STEPS));
    let tried = (0..=STEPS).map(|step| {
        let bytes = onset_at(step);
        let stalls = Stalls {
            cost,
            onset: Onset::at(bytes),
            ..Stalls::UNSEEN
        };
        let (rate, likelihood) = best_rate(&trials, &stalls);
        (bytes, rate, likelihood)
    });
    let tried: Vec<(f64, f64, f64)> = tried.collect();
    let best = tried.iter().copied().reduce(|a, b| if b.2 > a.2 { b } else { a })?;
    let likely = || tried.iter().filter(|one| one.2 >= best.2 - LIKELY);
    Some(Stalls {
        rate: best.1,
        cost,
        spread,
        onset: Onset {
            bytes: best.0,
            lower: likely().map(|one| one.0).fold(f64::INFINITY, f64::min),
            upper: likely().map(|one| one.0).fold(0.0, f64::max),
        },
    })
}

/// The stalls of eager messages whose onset is known from the counters of losses.
pub(super) fn from(onset: Onset, cells: &[(&Observation, f64)]) -> Stalls {
    let (cost, spread) = costs(cells).unwrap_or((LINUX_RTO, *SPREADS.start()));
    let stalls = Stalls {
        rate: 0.0,
        cost,
        spread,
        onset,
    };
    let (rate, _) = best_rate(&pooled(cells), &stalls);
    Stalls { rate, ..stalls }
}

/// The stalls of eager messages of which none was seen, beyond the most bytes that passed a port;
/// `None` without cells.
pub(super) fn unseen(cells: &[(&Observation, f64)]) -> Option<Stalls> {
    let beyond = cells.iter().map(|(_, bytes)| *bytes).fold(0.0, f64::max);
    (beyond > 0.0).then(|| from(Onset::unseen(beyond), cells))
}

/// The stalls of other cells with the onset of `shared` and a rate of their own. If none stalled, that is 0
/// where the `usual` rate would have stalled one or more; else the cells tell nothing of it, and it is usual.
pub(super) fn with_own_rate(shared: &Stalls, cells: &[(&Observation, f64)], usual: f64) -> Stalls {
    let rate = match trials(cells) {
        Some((trials, ..)) => best_rate(&trials, shared).0,
        None if expected(&pooled(cells), shared, usual) < 1.0 => usual,
        None => 0.0,
    };
    Stalls { rate, ..*shared }
}

/// Expected number of stalled repetitions at a low rate.
fn expected(trials: &[Trial], stalls: &Stalls, rate: f64) -> f64 {
    let of = |trial: &Trial| (trial.stalled + trial.plain) * rate * trial.exposed(stalls);
    trials.iter().map(of).sum()
}

/// The trials, with D and its spread; `None` if no repetition stalled.
fn trials(cells: &[(&Observation, f64)]) -> Option<(Vec<Trial>, Seconds, f64)> {
    let (cost, spread) = costs(cells)?;
    Some((pooled(cells), cost, spread))
}

/// D and its spread; `None` if no repetition stalled.
fn costs(cells: &[(&Observation, f64)]) -> Option<(Seconds, f64)> {
    let excesses = cells.iter().flat_map(|(cell, _)| &cell.excesses);
    let excesses: Vec<f64> = excesses.map(|excess| excess.0).collect();
    if excesses.is_empty() {
        return None;
    }
    let cost = median(excesses.iter().copied());
    let away = excesses.iter().map(|excess| (excess / cost).ln());
    let spread = robust_deviation(away).clamp(*SPREADS.start(), *SPREADS.end());
    Some((Seconds(cost), spread))
}

/// Pools cells of the same process count and pieces into one trial.
fn pooled(cells: &[(&Observation, f64)]) -> Vec<Trial> {
    let mut trials: BTreeMap<(Procs, Bytes, Sizes), Trial> = BTreeMap::new();
    for (cell, port_bytes) in cells {
        let place = (cell.procs, cell.size, cell.sizes);
        let trial = trials.entry(place).or_insert_with(|| Trial {
            connections: Connections::of(cell.point(None)),
            port_bytes: *port_bytes,
            typical: cell.typical,
            stalled: 0.0,
            plain: 0.0,
        });
        trial.stalled += cell.excesses.len() as f64;
        trial.plain += cell.plain as f64;
    }
    trials.into_values().collect()
}

/// c with the greatest likelihood, and the logarithm of this likelihood.
fn best_rate(trials: &[Trial], stalls: &Stalls) -> (f64, f64) {
    let exposures: Vec<f64> = trials.iter().map(|trial| trial.exposed(stalls)).collect();
    let likelihood = |rate: f64| -> f64 {
        let of = |(trial, exposure): (&Trial, &f64)| {
            let p = -(-rate * exposure).exp_m1();
            let p = p.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
            trial.stalled * p.ln() + trial.plain * (1.0 - p).ln()
        };
        let usual = (rate / USUAL_RATE).ln() / SPREAD_OF_RATES;
        trials.iter().zip(&exposures).map(of).sum::<f64>() - usual * usual / 2.0
    };
    let rate = |step: i32| LEAST_RATE * (MOST_RATE / LEAST_RATE).powf(f64::from(step) / f64::from(RATES));
    let tried = (0..=RATES).map(|step| (rate(step), likelihood(rate(step))));
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
    fn cells(truth: &Stalls) -> Vec<(Observation, f64)> {
        let cell = |(count, size): (u32, u64)| {
            let port_bytes = f64::from(count - 1) * size as f64;
            let share = truth.probability(&Connections::Even(procs(count)), port_bytes, Seconds(0.1));
            let is_stalled = |number| f64::from(number) < (share * 200.0).round();
            let wait = |number| if number % 2 == 0 { 0.21 } else { 0.23 };
            let time = |number| 0.1 + f64::from(is_stalled(number)) * wait(number);
            let times: Vec<f64> = (0..200).map(time).collect();
            (observed(count, size, &times), port_bytes)
        };
        let sizes = [4096, 16_384, 32_768, 49_152, 61_440];
        [4, 6, 8].into_iter().cartesian_product(sizes).map(cell).collect()
    }

    fn seen(cells: &[(Observation, f64)]) -> Vec<(&Observation, f64)> {
        cells.iter().map(|(cell, port_bytes)| (cell, *port_bytes)).collect()
    }

    /// With an onset of 100 kB.
    const TRUTH: Stalls = Stalls {
        rate: 0.012,
        cost: Seconds(0.22),
        spread: 0.1,
        onset: Onset {
            bytes: 1e5,
            lower: 1e5,
            upper: 1e5,
        },
    };

    /// Without a stall: below the onset the rate is usual, far above it none.
    #[test]
    fn cells_below_the_onset_tell_nothing_of_the_rate() {
        let quiet = cells(&Stalls { rate: 0.0, ..TRUTH });
        for (bytes, expected) in [(10e6, 0.01), (20e3, 0.0)] {
            let shared = Stalls {
                onset: Onset::at(bytes),
                ..TRUTH
            };
            let found = with_own_rate(&shared, &seen(&quiet), 0.01);
            assert_eq!((found.rate, found.onset), (expected, shared.onset));
        }
    }

    /// Of 220 ms an exchange of 165 ms hides 165 of those that come at its start: 120 of 165 ms are
    /// the moments at which 100 ms or more remain. One of 400 ms hides all that does not reach 120 ms,
    /// one of a second all.
    #[test]
    fn long_exchanges_hide_stalls() {
        for (typical, share) in [(0.05, 1.0), (0.165, 120.0 / 165.0), (0.4, 0.25), (1.0, 0.0)] {
            let exposure = TRUTH.exposure(1e9, Seconds(typical));
            assert!((exposure - share).abs() < 1e-9, "{typical}");
        }
    }

    #[test]
    fn onset_and_rate_come_back() {
        let found = overflowing(&seen(&cells(&TRUTH))).unwrap();
        assert!((found.rate / 0.012).ln().abs() < 0.2, "{}", found.rate);
        assert!((found.onset.bytes / 1e5).ln().abs() < 0.1, "{found:?}");
        assert!((0.21..=0.23).contains(&found.cost.0), "{found:?}");
    }

    #[test]
    fn nothing_is_found_where_nothing_stalled() {
        let quiet = Stalls { rate: 0.0, ..TRUTH };
        let all = cells(&quiet);
        assert_eq!(overflowing(&seen(&all)), None);
    }
}
