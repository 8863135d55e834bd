//! Measurements that make a prediction most precise for the time spent: an optimal design for the
//! regimes of collectives ([`crate::model::regimes`]).
//!
//! # Formula
//! T₀ has the parameters θ = (a, b, and γ, κ, for trees also λ, of each protocol) and the gradient
//! x in θ. A cell (n, m) with R repetitions in total contributes the information
//!
//! ```text
//! x·xᵀ/(T₀²·(σ² + s²·π/2/R))
//! ```
//!
//! where σ is the floor and s the spread of one repetition as in a fit. M is the sum over the
//! cells, plus 1/τ² for each parameter, where τ is the prior standard deviation of the parameter:
//! its own size. The design minimises the mean of
//!
//! ```text
//! v = xᵀ·M⁻¹·x/T₀² + e²·h + l²/L
//! ```
//!
//! over the wanted sizes at the wanted process count: the I-criterion. As in an interval of a
//! prediction ([`crate::predict::regimes`]) e is the error of the model at process counts left out
//! of the fit and h the factor for counts beyond the measured ones; l is the deviation of one of L
//! launches. e, h and l²/L depend on the counts and the launches, not on the distribution of the
//! repetitions over the cells, which [`allocation`] determines. The expected relative half-width is
//! exp(t·√v) − 1, with Student's quantile t; it excludes the scatter of time-outs.
//!
//! # Domain
//! Before any measurement e = 0.1 and s = 0.1 are assumed. Fits may leave out κ; the design then
//! determines one parameter more than needed.
//!
//! # Source
//! Fedorov 1972; Atkinson, Donev, Tobias 2007 (D- and I-optimal designs, sequential
//! construction); launches as a source of variation: Hunold, Carpen-Amarie 2016.

pub mod allocation;
mod counts;
mod sizes;
pub mod subject;

use crate::algorithm::Collective;
use crate::fit::regimes::held_out::Kind;
use crate::model::hockney::Hockney;
use crate::predict::regimes::{Asked, outside, reach, regimes};
use crate::profile::Profile;
use crate::stats::interval::t_quantile;
use crate::stats::sample::mean;
use crate::units::{Bytes, Procs, Seconds};

use self::allocation::{Allocation, Means, TooLittle, allocate};
use self::subject::{Subject, point};

/// e, before any cell was left out of a fit.
const ASSUMED_ERROR: f64 = 0.1;

/// l, assumed.
const LAUNCH: f64 = 0.05;

/// Confidence level of the intervals.
const CONFIDENCE: f64 = 0.95;

/// Least degrees of freedom of an interval, so that more cells never widen it.
const LEAST_DOF: usize = 4;

/// The wanted prediction, with the knowledge available.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// The collective.
    pub collective: Collective,
    /// The process count to predict.
    pub target: Procs,
    /// Largest process count to measure.
    pub most: Procs,
    /// Sizes to predict, ascending, at least one.
    pub sizes: &'a [Bytes],
    /// α and β of the network.
    pub hockney: Hockney,
    /// Profile of earlier fits.
    pub profile: Option<&'a Profile>,
}

/// Reason why there is no design.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DesignError {
    /// The regimes have no pattern for the algorithm.
    #[error(
        "{what} is not described by the regimes, for which plans are made; name another algorithm, such as library"
    )]
    NotDescribed {
        /// The collective and the algorithm.
        what: String,
    },
    /// The process counts do not show the growth with n.
    #[error(
        "{what} among up to {most} processes does not show how the time grows; measure up to {least} or more (--most)"
    )]
    FewCounts {
        /// The collective and the algorithm.
        what: String,
        /// Largest process count to measure.
        most: Procs,
        /// Least value of this count that suffices.
        least: u32,
    },
}

/// A cell to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// Number of processes n.
    pub procs: Procs,
    /// Bytes m.
    pub size: Bytes,
    /// Repetitions in each launch.
    pub repetitions: u32,
}

/// Relative half-width of the interval at the wanted process count, the mean over the sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// With the present profile; `None` if there is no prediction.
    pub now: Option<f64>,
    /// After the measurement of the design.
    pub then: f64,
}

/// Cells to measure, with the expected precision and time.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// Cells of each subject, by process count and size.
    pub cells: Vec<Vec<Planned>>,
    /// Outlook of each subject.
    pub outlooks: Vec<Outlook>,
    /// Time of all launches.
    pub cost: Seconds,
}

/// The design within the given means; `overhead` is the time of a repetition among n processes
/// beside the timed operation.
///
/// # Errors
/// If the means do not suffice for the required cells.
pub fn design(
    wish: &Wish,
    subjects: &[Subject],
    means: Means,
    overhead: impl Fn(Procs) -> Seconds,
) -> Result<Design, TooLittle> {
    let problem = |subject: &Subject| subject.problem(wish, &overhead);
    let problems: Vec<_> = subjects.iter().map(problem).collect();
    let Allocation {
        repetitions,
        cost,
        variances,
    } = allocate(&problems, means)?;
    let cells: Vec<Vec<Planned>> = subjects
        .iter()
        .zip(&repetitions)
        .map(|(subject, repetitions)| planned(subject, repetitions))
        .collect();
    let outlook = |((subject, cells), variances): ((&Subject, &Vec<Planned>), &Vec<f64>)| Outlook {
        now: now(subject, wish),
        then: then(subject, wish, (cells, variances), means.launches),
    };
    let outlooks = subjects.iter().zip(&cells).zip(&variances).map(outlook);
    Ok(Design {
        outlooks: outlooks.collect(),
        cells,
        cost,
    })
}

fn planned(subject: &Subject, repetitions: &[u32]) -> Vec<Planned> {
    let measured = subject
        .cells
        .iter()
        .zip(repetitions)
        .filter(|(_, count)| **count > 0);
    let planned = measured.map(|(&(procs, size), &repetitions)| Planned {
        procs,
        size,
        repetitions,
    });
    planned.collect()
}

/// Relative half-width of the predictions of the profile.
fn now(subject: &Subject, wish: &Wish) -> Option<f64> {
    let entry = subject.entry?;
    let half = |&size: &Bytes| {
        let point = point(subject.target, size);
        let within = outside(entry, point).is_none();
        let interval = regimes(entry, point, Asked::Median)
            .filter(|_| within)?
            .interval?;
        Some((interval.upper / interval.lower).ln() / 2.0)
    };
    let halves: Option<Vec<f64>> = wish.sizes.iter().map(half).collect();
    let half = mean(halves?);
    half.is_finite().then(|| half.exp_m1())
}

fn then(
    subject: &Subject,
    wish: &Wish,
    (cells, variances): (&[Planned], &[f64]),
    launches: u32,
) -> f64 {
    let mut counts: Vec<Procs> = cells.iter().map(|cell| cell.procs).collect();
    counts.sort_unstable();
    counts.dedup();
    let far = reach(&counts, subject.target);
    let launch = LAUNCH.powi(2) / f64::from(launches);
    let kinds = cells.iter().map(|cell| subject.kind(cell.procs, cell.size));
    let kinds: Vec<Kind> = kinds.collect();
    let half = |(&size, variance): (&Bytes, &f64)| {
        let kind = subject.kind(subject.target, size);
        let error = subject.entry.and_then(|entry| entry.error(kind));
        let error = error.map_or(ASSUMED_ERROR, |error| error.deviation);
        let t = t_quantile(CONFIDENCE, freedom(&kinds, kind));
        t * (variance + error * error * far + launch).sqrt()
    };
    mean(wish.sizes.iter().zip(variances).map(half)).exp_m1()
}

/// Number of cells of a kind that fits will leave out in turn, at least [`LEAST_DOF`].
fn freedom(kinds: &[Kind], wanted: Kind) -> f64 {
    let own = kinds.iter().filter(|kind| **kind == wanted);
    own.count().max(LEAST_DOF) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Method;
    use crate::model::testing::procs;
    use crate::units::SecondsPerByte;

    /// Of direct exchange, ports overflow from a surge of 50 000 bytes on.
    const TEXT: &str = include_str!("../profile/tests/everything.toml");

    const SIZES: [Bytes; 4] = [Bytes(256), Bytes(4096), Bytes(65536), Bytes(262_144)];

    fn wish(profile: Option<&Profile>) -> Wish<'_> {
        Wish {
            collective: Collective::Alltoall,
            target: procs(16),
            most: procs(8),
            sizes: &SIZES,
            hockney: Hockney::new(Seconds(1e-4), SecondsPerByte(1e-7)).unwrap(),
            profile,
        }
    }

    fn designed(wish: &Wish, seconds: f64) -> Design {
        let method = Method::parse(Collective::Alltoall, "direct").unwrap();
        let subjects = Subject::all(wish, method).unwrap();
        let means = Means {
            available: Seconds(seconds),
            launches: 1,
        };
        design(wish, &subjects, means, |_| Seconds(1e-5)).unwrap()
    }

    /// 64 512 and 65 536 bytes, and 50 000/√7 of eight processes, however short the time.
    #[test]
    fn sizes_at_which_something_changes_are_measured() {
        let profile = Profile::parse("p.toml", TEXT).unwrap();
        let cells = &designed(&wish(Some(&profile)), 50.0).cells[0];
        for size in [64_512, 65_536, 18_898] {
            let is_there = |cell: &Planned| (cell.procs, cell.size) == (procs(8), Bytes(size));
            assert!(cells.iter().any(is_there), "{size}: {cells:?}");
        }
    }

    #[test]
    fn a_design_promises_less_doubt_than_a_poor_profile_has() {
        let profile = Profile::parse("p.toml", TEXT).unwrap();
        let Outlook { now, then } = designed(&wish(Some(&profile)), 50.0).outlooks[0];
        assert!(now.is_some_and(|now| now > then), "{now:?} {then}");
        assert_eq!(designed(&wish(None), 50.0).outlooks[0].now, None);
    }

    /// At the wanted count itself nothing is extrapolated; e = 0.1 and l = 0.05 remain, with
    /// at least the quantile 1.96 of a normal distribution.
    #[test]
    fn what_remains_is_known_however_much_is_measured() {
        let wish = Wish {
            most: procs(16),
            ..wish(None)
        };
        let then = designed(&wish, 1e6).outlooks[0].then;
        let least = (1.96 * f64::sqrt(0.0125)).exp_m1();
        assert!(least < then && then < 1.3 * least, "{then} {least}");
    }

    /// With eight, the most, and three, the fewest: h = 1 + (ln 2/ln(8/3))² = 1.4994 for 16.
    #[test]
    fn more_processes_than_measured_widen_the_interval() {
        let among = |count| Wish {
            target: procs(count),
            sizes: &SIZES[3..],
            ..wish(None)
        };
        let [near, far] = [8, 16].map(|count| designed(&among(count), 1e6).outlooks[0].then);
        let ratio = far.ln_1p() / near.ln_1p();
        let expected = f64::sqrt((0.01 * 1.4994 + 0.0025) / 0.0125);
        assert!((ratio / expected - 1.0).abs() < 0.02, "{ratio} {expected}");
    }
}
