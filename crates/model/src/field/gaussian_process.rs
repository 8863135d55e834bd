//! The Gaussian process of the cells of an algorithm: hyperparameters, predictions, and predictions of process counts
//! left out.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::contention_free::{ContentionFreeCost, ContentionFreeForm, FieldWire};
use super::context::FieldContext;
use super::kernel::{BALANCE, FieldCoordinates, FieldKernel, FieldPrior, Hyperparameters, NOISE};
use super::nodes::FieldNodes;
use crate::regimes::fit::CellObservation;

/// Steps of a hyperparameter in standard deviations of its prior.
const STEPS: [f64; 4] = [-1.4, -0.7, 0.7, 1.4];

/// Largest number of averaged choices, and the largest loss of log posterior that one of them may have.
const MOST_AVERAGED: usize = 16;
const LARGEST_LOSS: f64 = 4.0;

/// Further distance in ln m of cases in which a library takes other steps than those of the algorithm.
const OTHER_STEPS: f64 = 6.0;

/// Least standard deviation of the logarithm of a cell's median.
const LEAST_ERROR: f64 = 0.01;

/// Measured cells, prepared for the Gaussian process.
pub(super) struct FieldCells {
    prior: FieldPrior,
    per_host: u32,
    /// The form of T₀, if it is certain.
    form: Option<ContentionFreeForm>,
    /// First size that is not sent at once.
    eager_limit: Option<Bytes>,
    /// ln of the time of a byte between two processes, if it is known.
    level: Option<f64>,
    /// u of each size of cells and nodes.
    sizes: Vec<f64>,
    places: Vec<FieldCoordinates>,
    /// ln T.
    times: DVector<f64>,
    variances: Vec<f64>,
    /// Start-ups and bytes by form.
    costs: Vec<Vec<ContentionFreeCost>>,
}

/// Choice of form and hyperparameters, with the logarithm of its posterior.
pub(super) struct FieldChoice {
    pub(super) form: usize,
    pub(super) hyper: Hyperparameters,
    posterior: f64,
    factor: Cholesky<f64, Dyn>,
    mean: f64,
    weights: DVector<f64>,
}

impl FieldCells {
    pub(super) fn new(
        cells: &[CellObservation],
        forms: &[ContentionFreeForm],
        context: &FieldContext,
        nodes: &FieldNodes,
    ) -> Self {
        let point_to_point = context.point_to_point.as_ref();
        let wire = point_to_point.map_or_else(FieldWire::unit, |pair_times| pair_times.wire.clone());
        let cost = |form: &ContentionFreeForm| {
            let of_cell = |cell: &CellObservation| form.cost(&wire, cell.procs, cell.size, context.network);
            cells.iter().map(of_cell).collect_vec()
        };
        let mut field = Self {
            prior: match point_to_point {
                Some(pair_times) => context.prior.with_point_to_point(pair_times.balance()),
                None => context.prior,
            },
            per_host: context.per_host,
            form: forms.iter().exactly_one().ok().cloned(),
            eager_limit: wire.eager_limit_bytes,
            level: point_to_point.map(|pair_times| pair_times.wire.wire.beta().0.ln()),
            sizes: Vec::new(),
            places: Vec::new(),
            times: DVector::from_iterator(cells.len(), cells.iter().map(|cell| cell.median.0.ln())),
            variances: cells
                .iter()
                .map(|cell| cell.variance().min(1.0).max(LEAST_ERROR.powi(2)))
                .collect(),
            costs: forms.iter().map(cost).collect(),
        };
        let cases = cells.iter().map(|cell| (cell.procs, cell.size));
        let all_cases = cases.chain(nodes.cases());
        let distances = all_cases.flat_map(|(procs, size)| field.distances(procs, size));
        field.sizes = distances.sorted_unstable_by(f64::total_cmp).dedup().collect();
        field.places = cells.iter().map(|cell| field.place(cell.procs, cell.size)).collect();
        field
    }

    fn is_replaced(&self, procs: Procs, size: Bytes) -> bool {
        self.form.as_ref().is_some_and(|form| form.is_replaced(procs, size))
    }

    /// u of the size and of the messages of a case.
    fn distances(&self, procs: Procs, size: Bytes) -> [f64; 2] {
        let replaced = if self.is_replaced(procs, size) {
            OTHER_STEPS
        } else {
            0.0
        };
        let bytes = size.as_f64().max(1.0);
        let message = self.form.as_ref().map_or(bytes, |form| form.message(procs, bytes));
        [bytes, message].map(|length| {
            let is_late = self.eager_limit.is_some_and(|limit| length >= limit.as_f64());
            let further = if is_late { self.prior.protocol } else { 0.0 };
            length.ln() + further + replaced
        })
    }

    fn place(&self, procs: Procs, size: Bytes) -> FieldCoordinates {
        let distances = self.distances(procs, size);
        let indices = distances.map(|u| self.sizes.partition_point(|distance| *distance < u));
        let is_replaced = self.is_replaced(procs, size);
        FieldCoordinates::of(indices, f64::from(procs.get()), self.per_host).replaced(is_replaced)
    }

    /// ln(T/T₀) of the cells.
    fn ratios(&self, form: usize, hyper: &Hyperparameters) -> DVector<f64> {
        let balance = hyper[BALANCE].exp();
        let contention_free = self.costs[form].iter().map(|cost| cost.time_in_bytes(balance).ln());
        DVector::from_iterator(
            self.times.len(),
            self.times.iter().zip(contention_free).map(|(time, free)| time - free),
        )
    }

    /// The process with these hyperparameters; `None` if its matrix cannot be inverted.
    fn choice(&self, form: usize, hyper: Hyperparameters) -> Option<FieldChoice> {
        let FieldPrior { medians, spreads, .. } = self.prior;
        let kernel = FieldKernel::new(&hyper, &self.prior, &self.sizes);
        let count = self.places.len();
        let noise = (2.0 * hyper[NOISE]).exp();
        let mut matrix = DMatrix::zeros(count, count);
        for i in 0..count {
            for j in 0..=i {
                matrix[(i, j)] = kernel.at(&self.places[i], &self.places[j]);
            }
            matrix[(i, i)] += noise + self.variances[i];
        }
        let factor = Cholesky::new(matrix)?;
        let ratios = self.ratios(form, &hyper);
        let mean = self.level.unwrap_or_else(|| ratios.mean());
        let rest = ratios.add_scalar(-mean);
        let weights = factor.solve(&rest);
        let determinant: f64 = factor.l_dirty().diagonal().iter().map(|pivot| pivot.ln()).sum();
        let deviations = hyper.iter().zip(medians).zip(spreads);
        let prior: f64 = deviations
            .map(|((value, median), spread)| ((value - median.ln()) / spread).powi(2))
            .sum();
        Some(FieldChoice {
            form,
            hyper,
            posterior: -0.5 * rest.dot(&weights) - determinant - 0.5 * prior,
            factor,
            mean,
            weights,
        })
    }

    /// Searches for the choices to average, the likeliest first.
    pub(super) fn search(&self) -> Vec<FieldChoice> {
        let FieldPrior { medians, spreads, .. } = self.prior;
        let mut all: Vec<FieldChoice> = Vec::new();
        for form in 0..self.costs.len() {
            let Some(mut best) = self.choice(form, medians.map(f64::ln)) else {
                continue;
            };
            for (index, spread) in spreads.into_iter().enumerate() {
                let start = best.hyper;
                for step in STEPS {
                    let mut hyper = start;
                    hyper[index] += step * spread;
                    let Some(tried) = self.choice(form, hyper) else {
                        continue;
                    };
                    if tried.posterior > best.posterior {
                        all.push(std::mem::replace(&mut best, tried));
                    } else {
                        all.push(tried);
                    }
                }
            }
            all.push(best);
        }
        all.sort_unstable_by(|a, b| b.posterior.total_cmp(&a.posterior));
        let least = all.first().map_or(0.0, |choice| choice.posterior) - LARGEST_LOSS;
        all.retain(|choice| choice.posterior > least);
        all.truncate(MOST_AVERAGED);
        all
    }

    /// ln T and its deviation at all nodes, averaged over the choices.
    pub(super) fn averaged(
        &self,
        chosen: &[FieldChoice],
        nodes: &FieldNodes,
        costs: &[Vec<ContentionFreeCost>],
    ) -> [Vec<f64>; 2] {
        let places = nodes
            .cases()
            .into_iter()
            .map(|(procs, size)| self.place(procs, size))
            .collect_vec();
        let best = chosen.first().map_or(0.0, |choice| choice.posterior);
        let weights = chosen
            .iter()
            .map(|choice| (choice.posterior - best).exp())
            .collect_vec();
        let total: f64 = weights.iter().sum();
        let predictions = chosen
            .iter()
            .map(|choice| self.predict_at(choice, &places, &costs[choice.form]))
            .collect_vec();
        let mean_over_choices = |value: &dyn Fn(&(f64, f64), usize) -> f64| {
            let at = |node: usize| {
                let weighted_predictions = predictions.iter().zip(&weights);
                weighted_predictions
                    .map(|(by_node, weight)| weight * value(&by_node[node], node))
                    .sum::<f64>()
                    / total
            };
            (0..places.len()).map(at).collect_vec()
        };
        let mean = mean_over_choices(&|moments, _| moments.0);
        let variance = mean_over_choices(&|moments, node| moments.1 + (moments.0 - mean[node]).powi(2));
        let widening = self.prior.widening;
        [
            mean,
            variance
                .into_iter()
                .map(|node_variance| widening * node_variance.sqrt())
                .collect(),
        ]
    }

    /// Mean and variance of ln T at places by one choice.
    fn predict_at(
        &self,
        choice: &FieldChoice,
        places: &[FieldCoordinates],
        costs: &[ContentionFreeCost],
    ) -> Vec<(f64, f64)> {
        let kernel = FieldKernel::new(&choice.hyper, &self.prior, &self.sizes);
        let cross_covariance = DMatrix::from_fn(self.places.len(), places.len(), |i, j| {
            kernel.at(&self.places[i], &places[j])
        });
        let explained = choice.factor.l_dirty().solve_lower_triangular(&cross_covariance);
        let balance = choice.hyper[BALANCE].exp();
        let noise = (2.0 * choice.hyper[NOISE]).exp();
        let at = |(index, place): (usize, &FieldCoordinates)| {
            let mean = choice.mean + cross_covariance.column(index).dot(&choice.weights);
            let known = explained
                .as_ref()
                .map_or(0.0, |solved| solved.column(index).norm_squared());
            let variance = (kernel.at(place, place) - known).max(0.0) + noise;
            (mean + costs[index].time_in_bytes(balance).ln(), variance)
        };
        places.iter().enumerate().map(at).collect()
    }

    /// Times of the cells of each process count, predicted from the other counts with the hyperparameters of all. ln
    /// T of a block B of cells is off by `(P_BB)⁻¹·(P·y)_B`, where P is the inverse of the covariance (Rasmussen and
    /// Williams 2006, section 5.4.2).
    pub(super) fn left_out(
        &self,
        cells: &[CellObservation],
        choice: &FieldChoice,
    ) -> BTreeMap<(Procs, Bytes), Seconds> {
        let inverse = choice.factor.inverse();
        let mut times = BTreeMap::new();
        for procs in cells.iter().map(|cell| cell.procs).unique() {
            let block = (0..cells.len())
                .filter(|index| cells[*index].procs == procs)
                .collect_vec();
            if block.len() == cells.len() {
                continue;
            }
            let block_inverse = DMatrix::from_fn(block.len(), block.len(), |i, j| inverse[(block[i], block[j])]);
            let weights = DVector::from_iterator(block.len(), block.iter().map(|i| choice.weights[*i]));
            let Some(errors) = Cholesky::new(block_inverse).map(|factor| factor.solve(&weights)) else {
                continue;
            };
            for (index, error) in block.iter().zip(errors.iter()) {
                let time = Seconds((self.times[*index] - error).exp());
                times.insert((procs, cells[*index].size), time);
            }
        }
        times
    }
}
