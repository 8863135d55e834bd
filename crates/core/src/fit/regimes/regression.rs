//! a, b, γ, κ, λ and u from typical times.
//!
//! # Method
//! T₀ is linear in a and b, in γ, κ, λ of each protocol, and in u where the onset is known. Least squares of relative errors, iterated:
//! a cell's variance is T̂₀²·(σ² + s²/R), σ a floor for what the model misses and s²/R that of
//! its median (π/2 times that of a mean). Cells that lie off are weighted down by Huber's rule
//! (Huber 1964), |e| > 1.345·ŝ, with ŝ the scaled median absolute deviation, so that no cell
//! decides alone. a, b, γ, λ and u that come out negative are held at 0 and the rest fitted again.
//!
//! κ of rendezvous messages is drawn towards 0, by an observation of 0 with the standard deviation
//! 0.5: few process counts tell it badly, and what noise makes of it would be extrapolated.
//!
//! A column that the points do not tell from others is left out, κ, u, λ and a before b.
//!
//! # Source
//! Huber 1964; iteration of weights as in Holland and Welsch 1977; the ridge of Hoerl and
//! Kennard 1970, as a prior.

use nalgebra::{DMatrix, DVector};

use super::observation::Observation;
use super::stalls::MAD;
use crate::cells::Sorted;
use crate::fit::gls::{self, Omega, Regression};
use crate::fit::{FitError, ITERATIONS, SETTLED};
use crate::model::regimes::{Onset, Pattern, Point, Regime, Traffic, Wire};
use crate::model::tree::Tree;

/// σ: what no model of an emulated or real cluster is better than.
pub(crate) const FLOOR: f64 = 0.03;

/// Beyond so many ŝ errors count less: 95 % of the efficiency of least squares where errors
/// are normal.
const HUBER: f64 = 1.345;

/// The least ŝ, so that exact data keep all their points.
const LEAST_SCALE: f64 = 0.01;

/// The standard deviation of κ before anything is measured.
const GROWTH: f64 = 0.5;

/// A parameter that T₀ is linear in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// a.
    Latency,
    /// b.
    Startup,
    /// γ of a protocol.
    Gamma(Regime),
    /// κ of a protocol.
    Growth(Regime),
    /// λ of a protocol.
    Overlap(Regime),
    /// u.
    Slowdown,
}

/// What T₀ is made of.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// What the algorithm puts on the wire.
    pub pattern: Pattern,
    /// How long bytes take on it.
    pub wire: &'a Wire,
    /// The links of the network, where they are known.
    pub tree: Option<&'a Tree>,
    /// Where eager messages overflow a port, if they do.
    pub onset: Option<Onset>,
}

/// Estimated parameters.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Those that were estimated, in the order of `covariance`.
    pub columns: Vec<Column>,
    /// Their values.
    pub theta: DVector<f64>,
    /// Their covariance.
    pub covariance: DMatrix<f64>,
    /// ln(T/T̂₀) of every point.
    pub errors: Vec<f64>,
    /// Σ of Huber's loss of the standardised errors: half their square, and linear beyond
    /// [`HUBER`].
    pub loss: f64,
}

impl Basis<'_> {
    /// The traffic of a cell.
    pub fn traffic(&self, cell: &Observation) -> Traffic {
        let point = Point {
            procs: cell.procs,
            size: cell.size,
            tree: self.tree,
        };
        self.pattern.traffic(self.wire, point)
    }

    /// ∂T₀/∂ of a column, in seconds for one unit.
    pub fn slope(&self, column: Column, cell: &Observation, regime: Regime) -> f64 {
        let traffic = self.traffic(cell);
        let others = f64::from(cell.procs.get() - 1);
        let wire = match regime {
            Regime::Eager => traffic.serial.0.max(traffic.floor.0),
            Regime::Rendezvous => traffic.serial.0,
        };
        match column {
            Column::Latency => 1.0,
            Column::Startup => traffic.startups,
            Column::Gamma(of) if of == regime => wire,
            Column::Growth(of) if of == regime => wire / others,
            Column::Overlap(of) if of == regime => traffic.shared.0 - traffic.serial.0,
            Column::Slowdown if regime == Regime::Eager => {
                let bytes = others * cell.size.as_f64();
                wire * self.onset.map_or(0.0, |onset| onset.share(bytes))
            }
            _ => 0.0,
        }
    }
}

impl Column {
    /// Whether it may be negative.
    fn is_free(self) -> bool {
        matches!(self, Self::Growth(_))
    }

    /// What is left out first where columns depend on each other.
    fn expendability(self) -> u8 {
        match self {
            Self::Growth(_) | Self::Slowdown => 3,
            Self::Latency | Self::Overlap(_) => 2,
            Self::Startup => 1,
            Self::Gamma(_) => 0,
        }
    }
}

impl Solution {
    /// Whether a rendezvous cell takes what a narrow link needs, and not what its port does.
    pub(super) fn is_held(&self, basis: &Basis, cell: &Observation, regime: Regime) -> bool {
        if regime == Regime::Eager {
            return false;
        }
        let plain = match self.value(Column::Gamma(Regime::Eager)) {
            0.0 => 1.0,
            gamma => gamma,
        };
        let wire = |column| self.value(column) * basis.slope(column, cell, regime);
        let port = wire(Column::Gamma(regime)) + wire(Column::Growth(regime));
        plain * basis.traffic(cell).floor.0 > port
    }

    /// The value of a column, 0 if it was left out.
    pub fn value(&self, wanted: Column) -> f64 {
        let place = self.columns.iter().position(|column| *column == wanted);
        place.map_or(0.0, |place| self.theta[place])
    }
}

/// Estimates `columns` from cells, each with its regime.
///
/// # Errors
/// If there are too few cells for γ alone, or the numbers overflow.
pub fn solve(
    basis: &Basis,
    cells: &[(&Observation, Regime)],
    columns: &[Column],
) -> Result<Solution, FitError> {
    let mut kept: Vec<Column> = columns.to_vec();
    loop {
        match bounded(basis, cells, &kept) {
            Ok(solution) => return Ok(solution),
            Err(error) => {
                let last = kept
                    .iter()
                    .copied()
                    .max_by_key(|column| column.expendability());
                match last {
                    Some(column) if column.expendability() > 0 => kept.retain(|c| *c != column),
                    _ => return Err(error),
                }
            }
        }
    }
}

/// With those that come out negative held at 0.
fn bounded(
    basis: &Basis,
    cells: &[(&Observation, Regime)],
    columns: &[Column],
) -> Result<Solution, FitError> {
    let mut kept = columns.to_vec();
    loop {
        let solution = robust(basis, cells, &kept)?;
        let values = kept.iter().zip(solution.theta.iter());
        let worst = values
            .filter(|(column, value)| !column.is_free() && **value < 0.0)
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map(|(column, _)| *column);
        match worst {
            Some(column) => kept.retain(|c| *c != column),
            None => return Ok(solution),
        }
    }
}

/// Iterated weights.
fn robust(
    basis: &Basis,
    cells: &[(&Observation, Regime)],
    columns: &[Column],
) -> Result<Solution, FitError> {
    let x = DMatrix::from_fn(cells.len(), columns.len(), |i, j| {
        basis.slope(columns[j], cells[i].0, cells[i].1)
    });
    let y = DVector::from_iterator(cells.len(), cells.iter().map(|(cell, _)| cell.typical.0));
    let own: Vec<f64> = cells
        .iter()
        .map(|(cell, _)| FLOOR.powi(2) + cell.variance())
        .collect();
    let mut fitted = y.clone();
    let mut weights = vec![1.0; cells.len()];
    let mut last: Option<Regression> = None;
    for _ in 0..ITERATIONS {
        let variances = (0..cells.len()).map(|i| fitted[i] * fitted[i] * own[i] / weights[i]);
        let regression = with_priors(&x, &y, variances.collect(), columns)?;
        // A time that came out impossible keeps a weight of its size.
        let next = (&x * &regression.theta).zip_map(&y, |t, measured| t.max(measured * 0.1));
        let change = (&next - &fitted).component_div(&fitted).amax();
        fitted = next;
        weights = huber(&errors(&y, &fitted));
        last = Some(regression);
        if change < SETTLED {
            break;
        }
    }
    let regression = last.ok_or(FitError::NoSpread)?;
    let errors = errors(&y, &fitted);
    let standard = |(error, own): (&f64, &f64)| loss(error / own.sqrt());
    Ok(Solution {
        columns: columns.to_vec(),
        loss: errors.iter().zip(&own).map(standard).sum(),
        theta: regression.theta,
        covariance: &regression.unscaled * scale(&errors, &own, columns.len()),
        errors,
    })
}

/// What the variances of the cells are to be multiplied by: ŝ² of the data, at least 1, since the
/// floor and the priors are absolute.
fn scale(errors: &[f64], own: &[f64], parameters: usize) -> f64 {
    let losses = errors
        .iter()
        .zip(own)
        .map(|(error, own)| loss(error / own.sqrt()));
    let dof = errors.len().saturating_sub(parameters).max(1);
    (2.0 * losses.sum::<f64>() / dof as f64).max(1.0)
}

/// Weighted least squares, with a row more for every parameter that is drawn towards 0.
fn with_priors(
    x: &DMatrix<f64>,
    y: &DVector<f64>,
    mut variances: Vec<f64>,
    columns: &[Column],
) -> Result<Regression, FitError> {
    let drawn = columns.iter().enumerate();
    let drawn = drawn.filter(|(_, column)| **column == Column::Growth(Regime::Rendezvous));
    let drawn: Vec<usize> = drawn.map(|(place, _)| place).collect();
    variances.extend(drawn.iter().map(|_| GROWTH.powi(2)));
    let count = x.nrows();
    let rows = count + drawn.len();
    let x = DMatrix::from_fn(rows, columns.len(), |i, j| match i.checked_sub(count) {
        None => x[(i, j)],
        Some(prior) => f64::from(u8::from(drawn[prior] == j)),
    });
    let y = DVector::from_fn(rows, |i, _| if i < count { y[i] } else { 0.0 });
    let omega = Omega::Diagonal(DVector::from_vec(variances));
    gls::solve(&x, &y, &omega, "the parameters of the regimes")
}

/// ln(T/T̂).
fn errors(measured: &DVector<f64>, fitted: &DVector<f64>) -> Vec<f64> {
    let pairs = measured.iter().zip(fitted.iter());
    pairs
        .map(|(measured, fitted)| (measured / fitted).ln())
        .collect()
}

fn huber(errors: &[f64]) -> Vec<f64> {
    let away: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let scale = (MAD * Sorted::new(away.clone()).median()).max(LEAST_SCALE);
    let weight = |error: f64| {
        if error > HUBER * scale {
            HUBER * scale / error
        } else {
            1.0
        }
    };
    away.into_iter().map(weight).collect()
}

fn loss(standard: f64) -> f64 {
    let size = standard.abs();
    if size <= HUBER {
        size * size / 2.0
    } else {
        HUBER * (size - HUBER / 2.0)
    }
}
