//! Allocation of repetitions to cells, for the most precise prediction in the time available.
//!
//! # Method
//! Required cells come first, with the fewest repetitions. Then in each step the cell that lowers
//! the criterion of [`super`] most per second gets more repetitions, until the best step exceeds
//! the time. With w the weight that a step adds to a cell of gradient g, and S = Σ t·tᵀ over the
//! wanted gradients,
//!
//! ```text
//! Σ tᵀM⁻¹t falls by w·gᵀM⁻¹SM⁻¹g/(1 + w·gᵀM⁻¹g)
//! ```
//!
//! since M grows by w·g·gᵀ (Sherman and Morrison 1950). The order of the steps does not depend on
//! the available time, only their number does: more time never gives less information.
//!
//! # Source
//! Fedorov 1972; Atkinson, Donev, Tobias 2007, chapter 12: sequential construction.

use std::f64::consts::FRAC_PI_2;
use std::ops::RangeInclusive;

use nalgebra::{DMatrix, DVector};

use crate::fit::regimes::FLOOR;
use crate::units::Seconds;

/// Number of repetitions of a cell in a launch.
pub const REPETITIONS: RangeInclusive<u32> = 4..=20;

/// Number of repetitions that a step adds.
const STEP: u32 = 2;

/// Repetitions at the start of a cell that are discarded.
pub const WARM_UP: u32 = 1;

/// Necessity of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The design must contain the cell.
    Certain,
    /// The design may contain the cell.
    Offered,
}

/// A cell that can be measured.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// g: ∂ln T₀/∂θ, each parameter in units of its prior standard deviation.
    pub gradient: DVector<f64>,
    /// s: standard deviation of ln T of one repetition.
    pub spread: f64,
    /// Time of one repetition.
    pub repetition: Seconds,
    /// Necessity of the cell.
    pub need: Need,
}

/// One model, with parameters of its own.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Gradients at the wanted points.
    pub wanted: Vec<DVector<f64>>,
    /// Cells that can be measured.
    pub candidates: Vec<Candidate>,
}

/// Resources of a design.
#[derive(Debug, Clone, Copy)]
pub struct Means {
    /// Time for all launches together.
    pub available: Seconds,
    /// Number of launches, each of which measures every cell.
    pub launches: u32,
}

/// Repetitions in each launch, for each problem and candidate; 0 where it is not measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// Repetitions for each problem and candidate.
    pub repetitions: Vec<Vec<u32>>,
    /// Time of all launches together.
    pub cost: Seconds,
    /// Variance tᵀM⁻¹t for each problem and wanted gradient.
    pub variances: Vec<Vec<f64>>,
}

/// The required cells exceed the available time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooLittle {
    /// Time of the required cells.
    pub least: Seconds,
}

/// Repetitions within the means.
///
/// # Errors
/// If the means do not suffice for the required cells.
pub fn allocate(problems: &[Problem], means: Means) -> Result<Allocation, TooLittle> {
    let mut states: Vec<State> = problems.iter().map(|it| State::new(it, means)).collect();
    let certain = states.iter_mut().map(State::take_certain);
    let mut cost: f64 = certain.map(|cost| cost.0).sum();
    if cost > means.available.0 {
        return Err(TooLittle {
            least: Seconds(cost),
        });
    }
    let mut best: Vec<Option<Step>> = states.iter().map(State::best).collect();
    while let Some((place, step)) = first_of(&best) {
        if cost + step.cost > means.available.0 {
            break;
        }
        cost += step.cost;
        states[place].take(step);
        best[place] = states[place].best();
    }
    Ok(Allocation {
        cost: Seconds(cost),
        variances: states.iter().map(State::variances).collect(),
        repetitions: states.into_iter().map(|state| state.repetitions).collect(),
    })
}

/// The best step of all problems, the first of equals.
fn first_of(best: &[Option<Step>]) -> Option<(usize, Step)> {
    let steps = best
        .iter()
        .enumerate()
        .filter_map(|(place, step)| Some((place, (*step)?)));
    steps.reduce(|a, b| if b.1.rate > a.1.rate { b } else { a })
}

/// More repetitions of one candidate.
#[derive(Debug, Clone, Copy)]
struct Step {
    candidate: usize,
    repetitions: u32,
    weight: f64,
    cost: f64,
    /// Reduction of the mean variance per second.
    rate: f64,
}

/// Allocation of one problem so far.
struct State<'a> {
    problem: &'a Problem,
    launches: f64,
    repetitions: Vec<u32>,
    /// M⁻¹, the covariance of the parameters.
    inverse: DMatrix<f64>,
    /// M⁻¹SM⁻¹ with the mean in place of the sum S.
    wanted: DMatrix<f64>,
}

impl<'a> State<'a> {
    /// Before the first step M = 1: every parameter has its prior standard deviation.
    fn new(problem: &'a Problem, means: Means) -> Self {
        let size = problem.wanted.first().map_or(0, DVector::len);
        let mut state = Self {
            problem,
            launches: f64::from(means.launches),
            repetitions: vec![0; problem.candidates.len()],
            inverse: DMatrix::identity(size, size),
            wanted: DMatrix::zeros(size, size),
        };
        state.weigh();
        state
    }

    fn weigh(&mut self) {
        let count = self.problem.wanted.len().max(1) as f64;
        let size = self.inverse.nrows();
        let sum = |sum: DMatrix<f64>, wanted: &DVector<f64>| {
            let known = &self.inverse * wanted;
            sum + &known * known.transpose() / count
        };
        self.wanted = self
            .problem
            .wanted
            .iter()
            .fold(DMatrix::zeros(size, size), sum);
    }

    /// Takes the required cells, and returns their time.
    fn take_certain(&mut self) -> Seconds {
        let candidates = self.problem.candidates.iter().enumerate();
        let certain = candidates.filter(|(_, candidate)| candidate.need == Need::Certain);
        let places: Vec<usize> = certain.map(|(place, _)| place).collect();
        let mut cost = 0.0;
        for place in places {
            if let Some(step) = self.step(place) {
                cost += step.cost;
                self.take(step);
            }
        }
        Seconds(cost)
    }

    /// The next step of a candidate; `None` at its largest number of repetitions.
    fn step(&self, place: usize) -> Option<Step> {
        let candidate = &self.problem.candidates[place];
        let now = self.repetitions[place];
        let repetitions = match now {
            0 => *REPETITIONS.start(),
            now => (now + STEP).min(*REPETITIONS.end()),
        };
        if repetitions == now {
            return None;
        }
        let started = if now == 0 { WARM_UP } else { 0 };
        let added = f64::from(repetitions - now + started) * self.launches;
        let cost = added * candidate.repetition.0;
        let weight = self.weight(candidate, repetitions) - self.weight(candidate, now);
        let gradient = &candidate.gradient;
        let gain = weight * quadratic(&self.wanted, gradient)
            / (1.0 + weight * quadratic(&self.inverse, gradient));
        Some(Step {
            candidate: place,
            repetitions,
            weight,
            cost,
            rate: gain / cost,
        })
    }

    /// Weight 1/(σ² + s²·π/2/R) of a cell.
    fn weight(&self, candidate: &Candidate, repetitions: u32) -> f64 {
        let all = f64::from(repetitions) * self.launches;
        1.0 / (FLOOR.powi(2) + candidate.spread.powi(2) * FRAC_PI_2 / all)
    }

    /// The step with the largest reduction per second, the first of equals; `None` if no step
    /// reduces the variance.
    fn best(&self) -> Option<Step> {
        let steps = (0..self.repetitions.len()).filter_map(|place| self.step(place));
        let telling = steps.filter(|step| step.rate > 0.0);
        telling.reduce(|a, b| if b.rate > a.rate { b } else { a })
    }

    fn take(&mut self, step: Step) {
        let gradient = &self.problem.candidates[step.candidate].gradient;
        let known = &self.inverse * gradient;
        let share = step.weight / (1.0 + step.weight * gradient.dot(&known));
        self.inverse -= &known * known.transpose() * share;
        self.repetitions[step.candidate] = step.repetitions;
        self.weigh();
    }

    fn variances(&self) -> Vec<f64> {
        let wanted = self.problem.wanted.iter();
        wanted
            .map(|wanted| quadratic(&self.inverse, wanted))
            .collect()
    }
}

/// xᵀ·A·x, kept from rounding below zero.
fn quadratic(matrix: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    x.dot(&(matrix * x)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(gradient: &[f64], spread: f64, repetition: f64) -> Candidate {
        Candidate {
            gradient: DVector::from_row_slice(gradient),
            spread,
            repetition: Seconds(repetition),
            need: Need::Offered,
        }
    }

    fn allocated(wanted: &[f64], cells: &[Candidate], available: f64) -> Allocation {
        let problem = Problem {
            wanted: vec![DVector::from_row_slice(wanted)],
            candidates: cells.to_vec(),
        };
        let means = Means {
            available: Seconds(available),
            launches: 1,
        };
        allocate(&[problem], means).unwrap()
    }

    /// T = γ·x: all cells have the gradient 1/γ. What counts is the information for each second,
    /// near 1/(s²·t) where the floor is small beside s: 100, 25 and 44 here.
    #[test]
    fn one_parameter_is_measured_where_it_costs_least() {
        let cells = [1.0, 2.0, 1.5].map(|spread| candidate(&[0.5], spread, 0.01));
        // A warm-up and 4 or 10 repetitions of 10 ms.
        for (available, repetitions) in [(0.055, 4), (0.115, 10)] {
            let allocation = allocated(&[0.5], &cells, available);
            assert_eq!(allocation.repetitions, [[repetitions, 0, 0]]);
        }
    }

    /// Among equals the shorter one, by hand: a variance of 0.03² + 0.2²·π/2/4 = 0.016608, beside
    /// a prior of 1.
    #[test]
    fn variances_by_hand() {
        let cells = [0.02, 0.01].map(|repetition| candidate(&[1.0], 0.2, repetition));
        let allocation = allocated(&[2.0], &cells, 0.055);
        assert_eq!(allocation.repetitions, [[0, 4]]);
        let expected = 4.0 / (1.0 + 1.0 / 0.016_607_963);
        assert!((allocation.variances[0][0] / expected - 1.0).abs() < 1e-6);
    }

    /// A parameter that has no part in what is wanted, however cheap.
    #[test]
    fn what_nobody_asks_for_is_not_measured() {
        let cheap = candidate(&[0.0, 1.0], 0.1, 1e-6);
        let cells = [cheap, candidate(&[1.0, 0.0], 0.1, 0.1)];
        let allocation = allocated(&[1.0, 0.0], &cells, 1.0);
        assert_eq!(allocation.repetitions, [[0, 8]]);
    }

    /// Against the inverse of M, built anew.
    #[test]
    fn updates_keep_the_inverse() {
        let angles = [0.1f64, 0.5, 0.9, 1.4];
        let cells = angles.map(|angle| candidate(&[angle.cos(), angle.sin()], 0.1, 0.01));
        let allocation = allocated(&[1.0, 0.3], &cells, 0.5);
        let mut information = DMatrix::identity(2, 2);
        for (cell, repetitions) in cells.iter().zip(&allocation.repetitions[0]) {
            let variance = FLOOR.powi(2) + 0.01 * FRAC_PI_2 / f64::from(*repetitions);
            information += &cell.gradient * cell.gradient.transpose() / variance;
        }
        let wanted = DVector::from_row_slice(&[1.0, 0.3]);
        let expected = wanted.dot(&(information.try_inverse().unwrap() * &wanted));
        assert!((allocation.variances[0][0] / expected - 1.0).abs() < 1e-9);
    }
}
