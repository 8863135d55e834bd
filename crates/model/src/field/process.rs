//! The Gaussian process of the cells of an algorithm: its hyperparameters, its predictions, and those of
//! process counts left out.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::free::{FieldWire, FreeCost, FreeForm};
use super::ground::FieldGround;
use super::kernel::{BALANCE, FieldKernel, FieldPlace, FieldPrior, Hyper, NOISE};
use super::nodes::Nodes;
use crate::regimes::fit::Observation;

/// Steps of a hyperparameter in standard deviations of its prior.
const STEPS: [f64; 4] = [-1.4, -0.7, 0.7, 1.4];

/// Processes that are averaged at most, and the largest loss of log posterior of one of them.
const MOST_AVERAGED: usize = 16;
const LARGEST_LOSS: f64 = 4.0;

/// Least standard deviation of the logarithm of a cell's median.
const LEAST_ERROR: f64 = 0.01;

/// Cells with the sizes of cells and nodes.
pub(super) struct FieldCells {
    prior: FieldPrior,
    per_host: u32,
    /// First size that is not sent at once.
    eager_limit: Option<Bytes>,
    /// ln of the time of a byte between two processes, if it is known.
    level: Option<f64>,
    /// u of each size.
    sizes: Vec<f64>,
    places: Vec<FieldPlace>,
    /// ln T.
    times: DVector<f64>,
    variances: Vec<f64>,
    /// Start-ups and bytes by form.
    costs: Vec<Vec<FreeCost>>,
}

/// Choice of form and hyperparameters, with the logarithm of its posterior.
pub(super) struct FieldChoice {
    pub(super) form: usize,
    pub(super) hyper: Hyper,
    posterior: f64,
    factor: Cholesky<f64, Dyn>,
    mean: f64,
    weights: DVector<f64>,
}

impl FieldCells {
    pub(super) fn new(cells: &[Observation], forms: &[FreeForm], ground: &FieldGround, nodes: &Nodes) -> Self {
        let own = cells.iter().map(|own| own.size);
        let sizes = own
            .chain(nodes.sizes.iter().copied())
            .unique()
            .sorted_unstable()
            .collect_vec();
        let pairs = ground.pairs.as_ref();
        let wire = pairs.map_or_else(FieldWire::unit, |own| own.wire.clone());
        let cost = |form: &FreeForm| {
            let of_cell = |own: &Observation| form.cost(&wire, own.procs, own.size, ground.network);
            cells.iter().map(of_cell).collect_vec()
        };
        let mut field = Self {
            prior: match pairs {
                Some(own) => ground.prior.with_pairs(own.balance()),
                None => ground.prior,
            },
            per_host: ground.per_host,
            eager_limit: wire.eager_limit_bytes,
            level: pairs.map(|own| own.wire.wire.beta().0.ln()),
            sizes: Vec::new(),
            places: Vec::new(),
            times: DVector::from_iterator(cells.len(), cells.iter().map(|own| own.median.0.ln())),
            variances: cells
                .iter()
                .map(|own| own.variance().min(1.0).max(LEAST_ERROR.powi(2)))
                .collect(),
            costs: forms.iter().map(cost).collect(),
        };
        field.sizes = sizes.iter().map(|own| field.distance(*own)).collect();
        field.places = cells.iter().map(|own| field.place(own.procs, own.size)).collect();
        field
    }

    /// u of a size.
    fn distance(&self, size: Bytes) -> f64 {
        let is_late = self.eager_limit.is_some_and(|limit| size >= limit);
        let further = if is_late { self.prior.protocol } else { 0.0 };
        size.as_f64().max(1.0).ln() + further
    }

    fn place(&self, procs: Procs, size: Bytes) -> FieldPlace {
        let u = self.distance(size);
        let index = self.sizes.partition_point(|own| *own < u);
        FieldPlace::of(index, f64::from(procs.get()), self.per_host)
    }

    /// ln(T/T₀) of the cells.
    fn ratios(&self, form: usize, hyper: &Hyper) -> DVector<f64> {
        let balance = hyper[BALANCE].exp();
        let free = self.costs[form].iter().map(|own| own.bytes(balance).ln());
        DVector::from_iterator(
            self.times.len(),
            self.times.iter().zip(free).map(|(time, free)| time - free),
        )
    }

    /// The process with these hyperparameters; `None` if its matrix cannot be inverted.
    fn choice(&self, form: usize, hyper: Hyper) -> Option<FieldChoice> {
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
        let determinant: f64 = factor.l_dirty().diagonal().iter().map(|own| own.ln()).sum();
        let deviations = hyper.iter().zip(medians).zip(spreads);
        let prior: f64 = deviations
            .map(|((own, median), spread)| ((own - median.ln()) / spread).powi(2))
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

    /// The choices that are averaged, the likeliest first.
    pub(super) fn search(&self) -> Vec<FieldChoice> {
        let FieldPrior { medians, spreads, .. } = self.prior;
        let mut all: Vec<FieldChoice> = Vec::new();
        for form in 0..self.costs.len() {
            let Some(mut best) = self.choice(form, medians.map(f64::ln)) else {
                continue;
            };
            for (place, spread) in spreads.into_iter().enumerate() {
                let start = best.hyper;
                for step in STEPS {
                    let mut hyper = start;
                    hyper[place] += step * spread;
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
        let least = all.first().map_or(0.0, |own| own.posterior) - LARGEST_LOSS;
        all.retain(|own| own.posterior > least);
        all.truncate(MOST_AVERAGED);
        all
    }

    /// ln T and its deviation at all nodes, averaged over the choices.
    pub(super) fn averaged(&self, chosen: &[FieldChoice], nodes: &Nodes, costs: &[Vec<FreeCost>]) -> [Vec<f64>; 2] {
        let places = nodes
            .all()
            .into_iter()
            .map(|(procs, size)| self.place(procs, size))
            .collect_vec();
        let best = chosen.first().map_or(0.0, |own| own.posterior);
        let weights = chosen.iter().map(|own| (own.posterior - best).exp()).collect_vec();
        let total: f64 = weights.iter().sum();
        let told = chosen
            .iter()
            .map(|own| self.told(own, &places, &costs[own.form]))
            .collect_vec();
        let averaged = |value: &dyn Fn(&(f64, f64), usize) -> f64| {
            let at = |node: usize| {
                let all = told.iter().zip(&weights);
                all.map(|(own, weight)| weight * value(&own[node], node)).sum::<f64>() / total
            };
            (0..places.len()).map(at).collect_vec()
        };
        let mean = averaged(&|own, _| own.0);
        let variance = averaged(&|own, node| own.1 + (own.0 - mean[node]).powi(2));
        let widening = self.prior.widening;
        [mean, variance.into_iter().map(|own| widening * own.sqrt()).collect()]
    }

    /// Mean and variance of ln T at places by one choice.
    fn told(&self, choice: &FieldChoice, places: &[FieldPlace], costs: &[FreeCost]) -> Vec<(f64, f64)> {
        let kernel = FieldKernel::new(&choice.hyper, &self.prior, &self.sizes);
        let near = DMatrix::from_fn(self.places.len(), places.len(), |i, j| {
            kernel.at(&self.places[i], &places[j])
        });
        let explained = choice.factor.l_dirty().solve_lower_triangular(&near);
        let balance = choice.hyper[BALANCE].exp();
        let noise = (2.0 * choice.hyper[NOISE]).exp();
        let at = |(index, place): (usize, &FieldPlace)| {
            let mean = choice.mean + near.column(index).dot(&choice.weights);
            let known = explained.as_ref().map_or(0.0, |own| own.column(index).norm_squared());
            let variance = (kernel.at(place, place) - known).max(0.0) + noise;
            (mean + costs[index].bytes(balance).ln(), variance)
        };
        places.iter().enumerate().map(at).collect()
    }

    /// Times of the cells of each process count by the process of the other counts, with the
    /// hyperparameters of all: of a block B of cells, ln T is off by `(P_BB)⁻¹·(P·y)_B` with P the inverse of
    /// the covariance (Rasmussen and Williams 2006, section 5.4.2).
    pub(super) fn left_out(&self, cells: &[Observation], choice: &FieldChoice) -> BTreeMap<(Procs, Bytes), Seconds> {
        let inverse = choice.factor.inverse();
        let mut times = BTreeMap::new();
        for procs in cells.iter().map(|own| own.procs).unique() {
            let block = (0..cells.len()).filter(|own| cells[*own].procs == procs).collect_vec();
            if block.len() == cells.len() {
                continue;
            }
            let own = DMatrix::from_fn(block.len(), block.len(), |i, j| inverse[(block[i], block[j])]);
            let weights = DVector::from_iterator(block.len(), block.iter().map(|i| choice.weights[*i]));
            let Some(errors) = Cholesky::new(own).map(|own| own.solve(&weights)) else {
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
