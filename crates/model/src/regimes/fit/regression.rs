//! Estimation of a, b, r, γ, κ and u from typical times.
//!
//! # Method
//! The terms of T₀ are linear in a, b and r, in γ and κ of each protocol, and in u if the onset is known. T₀ is
//! replaced by its tangent at the last estimate (Gauss and Newton), which is exact there. The method is iterated least
//! squares of relative errors. A cell's variance is T̂₀²·(σ² + s²/R): σ is a floor for the errors of the model, and
//! s²/R the variance of the cell's median (π/2 times that of a mean). Outlying cells, with |e| > 1.345·ŝ, have less
//! weight by Huber's rule (Huber 1964), so that no cell decides alone; ŝ is the scaled median absolute deviation.
//! Negative estimates of a, b, r, γ and u are set to 0, and the others are fitted again.
//!
//! κ, r and u of an exchange have priors. Each is an observation with the standard deviation of its usual value
//! (`UsualValue`). Few process counts and sizes determine these parameters badly, and a prediction would extrapolate
//! their noise.
//!
//! A column that the points do not distinguish from others is left out, κ, u, r and a before b.
//!
//! # Source
//! Huber 1964; iteration of weights as in Holland and Welsch 1977; the ridge of Hoerl and
//! Kennard 1970, as a prior.

use nalgebra::{DMatrix, DVector};
use netsig_base::stats::least_squares::{Omega, Regression};
use netsig_base::stats::sample::robust_deviation;

use super::basis::{RegimesBasis, RegimesParameter};
use super::observation::{CellObservation, LEAST_RELATIVE_ERROR};
use crate::fitted::error::{self, CONVERGENCE_LIMIT, FitError, MAX_ITERATIONS, refuse_too_few};
use crate::model::regimes::{Protocol, TimeTerms, UsualValue};

/// Least number of cells: priors alone are no fit.
const LEAST_CELLS: usize = 2;

/// Number of ŝ beyond which errors count less: 95 % of the efficiency of least squares if errors
/// are normal.
const HUBER_LIMIT: f64 = 1.345;

/// Least ŝ, which leaves exact data their full weight.
const LEAST_SCALE: f64 = 0.01;

/// Estimated parameters.
#[derive(Debug, Clone)]
pub struct RegimesSolution {
    /// The estimated parameters, in the order of `covariance`.
    pub columns: Vec<RegimesParameter>,
    /// Values of these parameters.
    pub theta: DVector<f64>,
    /// Covariance of these parameters.
    pub covariance: DMatrix<f64>,
    /// ln(T/T̂₀) of every point.
    pub errors: Vec<f64>,
    /// Σ of Huber's loss of the standardised errors: half their square, and linear beyond
    /// [`HUBER_LIMIT`].
    pub loss: f64,
}

impl RegimesSolution {
    /// Value of a column; 0 if it was left out.
    pub fn value(&self, wanted: RegimesParameter) -> f64 {
        let place = self.columns.iter().position(|column| *column == wanted);
        place.map_or(0.0, |place| self.theta[place])
    }
}

/// Estimates `columns` from cells, each with its protocol.
///
/// # Errors
/// If there are too few cells for γ alone, or the numbers overflow.
pub fn solve(
    basis: &RegimesBasis,
    cells: &[(&CellObservation, Protocol)],
    columns: &[RegimesParameter],
) -> Result<RegimesSolution, FitError> {
    refuse_too_few("the parameters of the regimes", cells.len(), LEAST_CELLS)?;
    let mut kept: Vec<RegimesParameter> = columns.to_vec();
    loop {
        match solve_bounded(basis, cells, &kept) {
            Ok(solution) => return Ok(solution),
            Err(error) => {
                let last = kept.iter().copied().max_by_key(|column| column.expendability());
                match last {
                    Some(column) if column.expendability() > 0 => kept.retain(|c| *c != column),
                    _ => return Err(error),
                }
            }
        }
    }
}

/// Solves without the columns whose estimates are negative.
fn solve_bounded(
    basis: &RegimesBasis,
    cells: &[(&CellObservation, Protocol)],
    columns: &[RegimesParameter],
) -> Result<RegimesSolution, FitError> {
    let mut kept = columns.to_vec();
    loop {
        let solution = solve_robustly(basis, cells, &kept)?;
        let values = kept.iter().zip(solution.theta.iter());
        let worst = values
            .filter(|(column, value)| !column.may_be_negative() && **value < 0.0)
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map(|(column, _)| *column);
        match worst {
            Some(column) => kept.retain(|c| *c != column),
            None => return Ok(solution),
        }
    }
}

/// The terms of T₀ of the cells as linear functions of the parameters.
struct CellTerms {
    /// Contributions of one unit of each parameter, in the order of the cells.
    slopes: Vec<Vec<TimeTerms>>,
    /// The parts of the floors that no parameter multiplies.
    floors: Vec<f64>,
}

impl CellTerms {
    fn of(basis: &RegimesBasis, cells: &[(&CellObservation, Protocol)], columns: &[RegimesParameter]) -> Self {
        let of_cell = |(cell, protocol): &(&CellObservation, Protocol)| {
            basis.slopes_and_floor(columns, cell.point(basis.network), *protocol)
        };
        let (slopes, floors) = cells.iter().map(of_cell).unzip();
        Self { slopes, floors }
    }

    /// Terms of the cells.
    fn terms(&self, theta: &DVector<f64>) -> Vec<TimeTerms> {
        let of_cell = |(slopes, floor): (&Vec<TimeTerms>, &f64)| {
            let parts = slopes.iter().zip(theta.iter());
            let sum: TimeTerms = parts.map(|(slope, value)| *slope * *value).sum();
            TimeTerms {
                once: sum.once,
                startups: sum.startups.max(0.0),
                wire: sum.wire.max(0.0),
                floor: floor + sum.floor.max(0.0),
            }
        };
        self.slopes.iter().zip(&self.floors).map(of_cell).collect()
    }

    /// ∂T₀/∂θ at `terms`, and the times `y` less the part that no parameter multiplies; this part is 0 while `terms`
    /// are.
    fn tangent(&self, terms: &[TimeTerms], y: &DVector<f64>) -> (DMatrix<f64>, DVector<f64>) {
        let marginals: Vec<TimeTerms> = terms.iter().map(|terms| terms.marginal()).collect();
        let columns = self.slopes.first().map_or(0, Vec::len);
        let x = DMatrix::from_fn(terms.len(), columns, |i, j| self.slopes[i][j].dot(marginals[i]));
        let free = DVector::from_fn(terms.len(), |i, _| {
            y[i] - terms[i].floor.min(self.floors[i]) * marginals[i].floor
        });
        (x, free)
    }
}

/// Iterates weights and tangents.
fn solve_robustly(
    basis: &RegimesBasis,
    cells: &[(&CellObservation, Protocol)],
    columns: &[RegimesParameter],
) -> Result<RegimesSolution, FitError> {
    let parts = CellTerms::of(basis, cells, columns);
    let y = DVector::from_iterator(cells.len(), cells.iter().map(|(cell, _)| cell.typical.0));
    let relative_variances: Vec<f64> = cells
        .iter()
        .map(|(cell, _)| LEAST_RELATIVE_ERROR.powi(2) + cell.variance())
        .collect();
    let columns_with_priors = columns.iter().enumerate();
    let priors: Vec<(usize, UsualValue)> = columns_with_priors
        .filter_map(|(place, column)| Some((place, column.prior(basis)?)))
        .collect();
    let mut fitted = y.clone();
    let mut weights = vec![1.0; cells.len()];
    let mut terms = vec![TimeTerms::default(); cells.len()];
    let mut last: Option<Regression> = None;
    for _ in 0..MAX_ITERATIONS {
        let variances = (0..cells.len()).map(|i| fitted[i] * fitted[i] * relative_variances[i] / weights[i]);
        let (x, free) = parts.tangent(&terms, &y);
        let regression = with_priors(&x, &free, variances.collect(), &priors)?;
        terms = parts.terms(&regression.theta);
        let next_times = terms.iter().map(|terms| terms.time());
        // A fitted time that is impossible counts as a tenth of the measured one.
        let next = DVector::from_iterator(cells.len(), next_times).zip_map(&y, |t, measured| t.max(measured * 0.1));
        let change = (&next - &fitted).component_div(&fitted).amax();
        fitted = next;
        weights = huber_weights(&log_errors(&y, &fitted));
        last = Some(regression);
        if change < CONVERGENCE_LIMIT {
            break;
        }
    }
    let regression = last.ok_or(FitError::NoSpread)?;
    let errors = log_errors(&y, &fitted);
    let standard = |(error, variance): (&f64, &f64)| huber_loss(error / variance.sqrt());
    let loss: f64 = errors.iter().zip(&relative_variances).map(standard).sum();
    let dof = errors.len().saturating_sub(columns.len()).max(1);
    // ŝ² of the data, at least 1, since the floor and the priors are absolute.
    let scale = (2.0 * loss / dof as f64).max(1.0);
    Ok(RegimesSolution {
        columns: columns.to_vec(),
        loss,
        theta: regression.theta,
        covariance: &regression.unscaled * scale,
        errors,
    })
}

/// Weighted least squares, with one more row for every prior; each prior has the column of its parameter.
fn with_priors(
    x: &DMatrix<f64>,
    y: &DVector<f64>,
    mut variances: Vec<f64>,
    priors: &[(usize, UsualValue)],
) -> Result<Regression, FitError> {
    variances.extend(priors.iter().map(|(_, prior)| prior.deviation.powi(2)));
    let count = x.nrows();
    let rows = count + priors.len();
    let extended_x = DMatrix::from_fn(rows, x.ncols(), |i, j| match i.checked_sub(count) {
        None => x[(i, j)],
        Some(prior) => f64::from(u8::from(priors[prior].0 == j)),
    });
    let extended_y = DVector::from_fn(rows, |i, _| if i < count { y[i] } else { priors[i - count].1.value });
    let omega = Omega::Diagonal(DVector::from_vec(variances));
    error::solve(&extended_x, &extended_y, &omega, "the parameters of the regimes")
}

/// ln(T/T̂).
fn log_errors(measured: &DVector<f64>, fitted: &DVector<f64>) -> Vec<f64> {
    let pairs = measured.iter().zip(fitted.iter());
    pairs.map(|(measured, fitted)| (measured / fitted).ln()).collect()
}

fn huber_weights(errors: &[f64]) -> Vec<f64> {
    let away: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let scale = robust_deviation(away.iter().copied()).max(LEAST_SCALE);
    let weight = |error: f64| {
        if error > HUBER_LIMIT * scale {
            HUBER_LIMIT * scale / error
        } else {
            1.0
        }
    };
    away.into_iter().map(weight).collect()
}

fn huber_loss(standard: f64) -> f64 {
    let size = standard.abs();
    if size <= HUBER_LIMIT {
        size * size / 2.0
    } else {
        HUBER_LIMIT * (size - HUBER_LIMIT / 2.0)
    }
}
