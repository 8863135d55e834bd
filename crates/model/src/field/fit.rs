//! Fit of the field to the cells of one algorithm.
//!
//! # Method
//! y = ln T − ln T₀ is a Gaussian process with a constant mean. Its hyperparameters have a prior
//! ([`FieldPrior`]); from its medians each is changed in turn, kept where that raises the posterior, and all
//! that were tried are averaged with their posterior as weight, for each form that T₀ may have. So an
//! interval contains the doubt about hyperparameters and form. γ and its deviation are stored at the
//! measured counts and sizes, between them where they are far apart, and beyond them.
//!
//! # Source
//! netsig; Rasmussen and Williams 2006, sections 2.2 and 5.4.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use netsig_base::network::Network;
use netsig_base::stats::sample::mean;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::free::{FreeCost, FreeForm, unit_wire};
use super::kernel::{BALANCE, FieldKernel, FieldPlace, FieldPrior, Hyper, NOISE};
use super::table::FieldTable;
use crate::fitted::error::{FitError, refuse_few};
use crate::regimes::fit::Observation;

/// Steps of a hyperparameter in standard deviations of its prior.
const STEPS: [f64; 4] = [-1.4, -0.7, 0.7, 1.4];

/// Processes that are averaged at most, and the largest loss of log posterior of one of them.
const MOST_AVERAGED: usize = 16;
const LARGEST_LOSS: f64 = 4.0;

/// Least standard deviation of the logarithm of a cell's median.
const LEAST_ERROR: f64 = 0.01;

/// Cells of a fit at most: of more, sizes are left out evenly.
const MOST_CELLS: usize = 240;

/// Facts about the ranks and links of the data.
#[derive(Debug, Clone, Copy)]
pub struct FieldGround<'a> {
    /// Name of the MPI library, whose rules tell its own choice.
    pub mpi: Option<&'a str>,
    /// Ranks on a host.
    pub per_host: u32,
    /// Links, where known.
    pub network: Option<&'a Network>,
    /// Prior of the hyperparameters.
    pub prior: FieldPrior,
    /// Confidence level of the intervals.
    pub confidence: f64,
}

/// A fitted field.
#[derive(Debug, Clone)]
pub(super) struct FittedField {
    /// The likeliest form of T₀.
    pub form: FreeForm,
    /// Bytes that take as long as a start-up.
    pub balance: f64,
    /// τ: time of a byte in seconds.
    pub byte: f64,
    /// γ and its deviation.
    pub table: FieldTable,
    /// Times of the cells by the likeliest process without their process count.
    pub left_out: BTreeMap<(Procs, Bytes), Seconds>,
}

/// Cells with the sizes of cells and nodes.
struct FieldCells<'a> {
    ground: FieldGround<'a>,
    /// ln m of each size.
    sizes: Vec<f64>,
    places: Vec<FieldPlace>,
    /// ln T.
    times: DVector<f64>,
    variances: Vec<f64>,
    /// Start-ups and bytes by form.
    costs: Vec<Vec<FreeCost>>,
}

/// Choice of form and hyperparameters, with the logarithm of its posterior.
struct FieldChoice {
    form: usize,
    hyper: Hyper,
    posterior: f64,
    factor: Cholesky<f64, Dyn>,
    mean: f64,
    weights: DVector<f64>,
}

/// Fits the field to cells of one algorithm, with one of the `forms`.
pub(super) fn fit(
    cells: &[Observation],
    forms: &[FreeForm],
    ground: FieldGround,
) -> Result<FittedField, FitError> {
    let cells = thinned(cells);
    refuse_few("the field", cells.len(), 3)?;
    let nodes = Nodes::of(&cells);
    let field = FieldCells::new(&cells, forms, ground, &nodes);
    let chosen = field.search();
    let best = chosen.first().ok_or(FitError::Singular {
        what: "the field".to_owned(),
    })?;
    let cost = |form: &FreeForm, procs, size| form.cost(&unit_wire(), procs, size, ground.network);
    let all = nodes.all();
    let at_nodes = |form: &FreeForm| {
        all.iter()
            .map(|(procs, size)| cost(form, *procs, *size))
            .collect_vec()
    };
    let costs = forms.iter().map(at_nodes).collect_vec();
    let [mean, deviation] = field.averaged(&chosen, &nodes, &costs);
    let balance = best.hyper[BALANCE].exp();
    let free = costs[best.form].iter().map(|own| own.bytes(balance).ln());
    let ratios = mean
        .iter()
        .zip(free)
        .map(|(mean, free)| mean - free)
        .collect_vec();
    let byte = nodes.least_ratio(&ratios);
    let gamma = ratios.iter().map(|own| (own - byte).exp()).collect_vec();
    Ok(FittedField {
        form: forms[best.form].clone(),
        balance,
        byte: byte.exp(),
        table: FieldTable::of(&nodes.procs, &nodes.sizes, &gamma, &deviation),
        left_out: field.left_out(&cells, best),
    })
}

/// At most [`MOST_CELLS`] of the cells: of every count, every k-th size.
fn thinned(cells: &[Observation]) -> Vec<Observation> {
    let sizes = cells
        .iter()
        .map(|own| own.size)
        .unique()
        .sorted_unstable()
        .collect_vec();
    let step = cells.len().div_ceil(MOST_CELLS);
    let kept: BTreeSet<Bytes> = sizes.iter().rev().step_by(step).copied().collect();
    cells
        .iter()
        .filter(|own| kept.contains(&own.size))
        .cloned()
        .collect()
}

/// Process counts and sizes at which γ is stored.
struct Nodes {
    procs: Vec<Procs>,
    sizes: Vec<Bytes>,
    measured: usize,
}

/// Counts beyond the largest measured one, relative to it.
const FURTHER: [u32; 5] = [2, 4, 8, 16, 64];

/// Measured counts and sizes at which γ is stored at most.
const MOST_COUNTS: usize = 12;
const MOST_SIZES: usize = 24;

/// Ratio of neighbours between which another node lies.
const FAR_APART: f64 = 5.0;

impl Nodes {
    fn of(cells: &[Observation]) -> Self {
        let counts = cells.iter().map(|own| u64::from(own.procs.get()));
        let counts = between(&few(counts, MOST_COUNTS), 1.9);
        let largest = *counts.last().unwrap_or(&2);
        let further = FURTHER
            .iter()
            .map(|times| largest.saturating_mul(u64::from(*times)));
        let procs = counts.iter().copied().chain(further);
        let procs = procs
            .filter_map(|own| Procs::new(u32::try_from(own).ok()?).ok())
            .dedup();
        let sizes = few(cells.iter().map(|own| own.size.0.max(1)), MOST_SIZES);
        let ends = [sizes.first(), sizes.last()].map(|own| own.copied().unwrap_or(1));
        let inner = between(&sizes, FAR_APART);
        let sizes = std::iter::once((ends[0] / 4).max(1))
            .chain(inner)
            .chain([ends[1].saturating_mul(4)]);
        Self {
            procs: procs.collect(),
            sizes: sizes.dedup().map(Bytes).collect(),
            measured: counts.len(),
        }
    }

    fn all(&self) -> Vec<(Procs, Bytes)> {
        self.procs
            .iter()
            .copied()
            .cartesian_product(self.sizes.iter().copied())
            .collect()
    }

    /// The least ln γ of a measured count, as a mean over the sizes.
    fn least_ratio(&self, ratios: &[f64]) -> f64 {
        let by_count = ratios.chunks(self.sizes.len()).take(self.measured);
        by_count.map(mean).fold(f64::INFINITY, f64::min)
    }
}

/// At most so many of the values, ascending, among them the first and the last.
fn few(values: impl Iterator<Item = u64>, most: usize) -> Vec<u64> {
    let all = values.sorted_unstable().dedup().collect_vec();
    if all.len() <= most {
        return all;
    }
    let place = |index: usize| all[index * (all.len() - 1) / (most - 1)];
    (0..most).map(place).dedup().collect()
}

/// The values, and the geometric mean of neighbours that are more than `apart` times apart.
fn between(values: &[u64], apart: f64) -> Vec<u64> {
    let pairs = values
        .windows(2)
        .filter(|pair| pair[1] as f64 > apart * pair[0] as f64);
    let means = pairs.map(|pair| Bytes::rounded((pair[0] as f64 * pair[1] as f64).sqrt()).0);
    values
        .iter()
        .copied()
        .chain(means)
        .sorted_unstable()
        .dedup()
        .collect()
}

impl<'a> FieldCells<'a> {
    fn new(
        cells: &[Observation],
        forms: &[FreeForm],
        ground: FieldGround<'a>,
        nodes: &Nodes,
    ) -> Self {
        let own = cells.iter().map(|own| own.size);
        let sizes = own
            .chain(nodes.sizes.iter().copied())
            .unique()
            .sorted_unstable()
            .collect_vec();
        let wire = unit_wire();
        let cost = |form: &FreeForm| {
            let of_cell = |own: &Observation| form.cost(&wire, own.procs, own.size, ground.network);
            cells.iter().map(of_cell).collect_vec()
        };
        let mut field = Self {
            ground,
            sizes: sizes.iter().map(|own| own.as_f64().max(1.0).ln()).collect(),
            places: Vec::new(),
            times: DVector::from_iterator(cells.len(), cells.iter().map(|own| own.median.0.ln())),
            variances: cells
                .iter()
                .map(|own| own.variance().min(1.0).max(LEAST_ERROR.powi(2)))
                .collect(),
            costs: forms.iter().map(cost).collect(),
        };
        field.places = cells
            .iter()
            .map(|own| field.place(own.procs, own.size))
            .collect();
        field
    }

    fn place(&self, procs: Procs, size: Bytes) -> FieldPlace {
        let log = size.as_f64().max(1.0).ln();
        let index = self.sizes.partition_point(|own| *own < log);
        FieldPlace::of(index, f64::from(procs.get()), self.ground.per_host)
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
        let FieldPrior {
            medians,
            spreads,
            step,
            ..
        } = self.ground.prior;
        let kernel = FieldKernel::new(&hyper, step, &self.sizes);
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
        let mean = ratios.mean();
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
    fn search(&self) -> Vec<FieldChoice> {
        let FieldPrior {
            medians, spreads, ..
        } = self.ground.prior;
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
    fn averaged(
        &self,
        chosen: &[FieldChoice],
        nodes: &Nodes,
        costs: &[Vec<FreeCost>],
    ) -> [Vec<f64>; 2] {
        let places = nodes
            .all()
            .into_iter()
            .map(|(procs, size)| self.place(procs, size))
            .collect_vec();
        let best = chosen.first().map_or(0.0, |own| own.posterior);
        let weights = chosen
            .iter()
            .map(|own| (own.posterior - best).exp())
            .collect_vec();
        let total: f64 = weights.iter().sum();
        let told = chosen
            .iter()
            .map(|own| self.told(own, &places, &costs[own.form]))
            .collect_vec();
        let averaged = |value: &dyn Fn(&(f64, f64), usize) -> f64| {
            let at = |node: usize| {
                let all = told.iter().zip(&weights);
                all.map(|(own, weight)| weight * value(&own[node], node))
                    .sum::<f64>()
                    / total
            };
            (0..places.len()).map(at).collect_vec()
        };
        let mean = averaged(&|own, _| own.0);
        let variance = averaged(&|own, node| own.1 + (own.0 - mean[node]).powi(2));
        let widening = self.ground.prior.widening;
        [
            mean,
            variance
                .into_iter()
                .map(|own| widening * own.sqrt())
                .collect(),
        ]
    }

    /// Mean and variance of ln T at places by one choice.
    fn told(
        &self,
        choice: &FieldChoice,
        places: &[FieldPlace],
        costs: &[FreeCost],
    ) -> Vec<(f64, f64)> {
        let kernel = FieldKernel::new(&choice.hyper, self.ground.prior.step, &self.sizes);
        let near = DMatrix::from_fn(self.places.len(), places.len(), |i, j| {
            kernel.at(&self.places[i], &places[j])
        });
        let explained = choice.factor.l_dirty().solve_lower_triangular(&near);
        let balance = choice.hyper[BALANCE].exp();
        let noise = (2.0 * choice.hyper[NOISE]).exp();
        let at = |(index, place): (usize, &FieldPlace)| {
            let mean = choice.mean + near.column(index).dot(&choice.weights);
            let known = explained
                .as_ref()
                .map_or(0.0, |own| own.column(index).norm_squared());
            let variance = (kernel.at(place, place) - known).max(0.0) + noise;
            (mean + costs[index].bytes(balance).ln(), variance)
        };
        places.iter().enumerate().map(at).collect()
    }

    /// Times of the cells of each process count by the process of the other counts, with the
    /// hyperparameters of all: of a block B of cells, ln T is off by `(P_BB)⁻¹·(P·y)_B` with P the inverse of
    /// the covariance (Rasmussen and Williams 2006, section 5.4.2).
    fn left_out(
        &self,
        cells: &[Observation],
        choice: &FieldChoice,
    ) -> BTreeMap<(Procs, Bytes), Seconds> {
        let inverse = choice.factor.inverse();
        let mut times = BTreeMap::new();
        for procs in cells.iter().map(|own| own.procs).unique() {
            let block = (0..cells.len())
                .filter(|own| cells[*own].procs == procs)
                .collect_vec();
            if block.len() == cells.len() {
                continue;
            }
            let own = DMatrix::from_fn(block.len(), block.len(), |i, j| {
                inverse[(block[i], block[j])]
            });
            let weights =
                DVector::from_iterator(block.len(), block.iter().map(|i| choice.weights[*i]));
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
