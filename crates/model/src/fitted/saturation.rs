//! Test whether the network was saturated at the process counts of a signature.
//!
//! # Rule
//! `n_sat` is the smallest n such that every γ(n′), n′ ≥ n, lies within a tolerance of their
//! mean, and at least three such n′ were measured. A signature of n < `n_sat` predicts too little
//! at larger n.
//!
//! # Source
//! Observed by Steffenel 2006 §8.3 (24 processes on Myrinet under-predict beyond 40);
//! the rule and its 5 % are netsig's.

use netsig_base::stats::sample::mean;
use serde::{Deserialize, Serialize};

use netsig_base::units::Procs;

/// The tolerance that netsig uses: 5 % of the mean.
pub const TOLERANCE: f64 = 0.05;

/// Least number of process counts that must agree in a saturated network.
const LEAST_PROCESS_COUNTS: usize = 3;

/// Saturation by γ at several process counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Saturation {
    /// γ no longer changes from this process count on.
    From(Procs),
    /// Three or more process counts were measured and γ still changes.
    NotReached,
    /// Too few process counts were measured.
    #[default]
    Unverified,
}

/// Judges γ(n), given in ascending order of n; `tolerance` is relative to the mean.
pub fn diagnose(gammas: &[(Procs, f64)], tolerance: f64) -> Saturation {
    if gammas.len() < LEAST_PROCESS_COUNTS {
        return Saturation::Unverified;
    }
    let tails = (0..=gammas.len() - LEAST_PROCESS_COUNTS).map(|start| &gammas[start..]);
    tails
        .filter(|tail| {
            let mean = mean(tail.iter().map(|(_, gamma)| gamma));
            tail.iter().all(|(_, gamma)| (gamma / mean - 1.0).abs() <= tolerance)
        })
        .map(|tail| Saturation::From(tail[0].0))
        .next()
        .unwrap_or(Saturation::NotReached)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// γ rises up to 40 processes and then stays, as on the Myrinet of the report.
    #[test]
    fn the_plateau_is_found() {
        let rising = [1.4, 1.9, 2.2, 2.6, 3.0, 3.01, 2.99, 3.0];
        let procs = |place: u32| Procs::new(8 * place).unwrap();
        let all: Vec<_> = (1..).map(procs).zip(rising).collect();
        assert_eq!(diagnose(&all, TOLERANCE), Saturation::From(procs(5)));
        assert_eq!(diagnose(&all[..5], TOLERANCE), Saturation::NotReached);
        assert_eq!(diagnose(&all[..2], TOLERANCE), Saturation::Unverified);
    }
}
