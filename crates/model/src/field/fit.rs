//! Fit of the field to the cells of one algorithm.
//!
//! # Method
//! y = ln T − ln T₀ is a Gaussian process with a constant mean. Its hyperparameters have a prior
//! ([`FieldPrior`](super::FieldPrior)). For each possible form of T₀ the search starts at the medians of the prior,
//! changes one hyperparameter at a time, and keeps a change that raises the posterior. The prediction is the average
//! over all tried choices, weighted by their posterior. Its interval thus contains the doubt about hyperparameters
//! and form. γ and its deviation are stored at the measured counts and sizes, beyond them, and between distant
//! neighbours.
//!
//! # Source
//! netsig; Rasmussen and Williams 2006, sections 2.2 and 5.4.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::contention_free::{ContentionFreeForm, FieldWire};
use super::context::FieldContext;
use super::gaussian_process::FieldCells;
use super::kernel::BALANCE;
use super::nodes::FieldNodes;
use super::table::FieldTable;
use crate::fitted::error::{FitError, refuse_too_few};
use crate::regimes::fit::CellObservation;
use crate::regimes::fit::observation::thinned;

/// Largest number of cells in a fit.
const MOST_CELLS: usize = 240;

/// A fitted field.
#[derive(Debug, Clone)]
pub(super) struct FittedField {
    /// The likeliest form of T₀.
    pub form: ContentionFreeForm,
    /// Bytes that take as long as a start-up.
    pub balance: f64,
    /// τ: time of a byte in seconds.
    pub byte: f64,
    /// γ and its deviation.
    pub table: FieldTable,
    /// Time of each cell by the likeliest process, without the cells of its process count.
    pub left_out: BTreeMap<(Procs, Bytes), Seconds>,
}

/// Fits the field to the cells of one algorithm; T₀ has one of the `forms`.
pub(super) fn fit(
    cells: &[CellObservation],
    forms: &[ContentionFreeForm],
    context: &FieldContext,
) -> Result<FittedField, FitError> {
    let thinned_cells = thinned(cells, MOST_CELLS);
    refuse_too_few("the field", thinned_cells.len(), 2)?;
    let nodes = FieldNodes::of(&thinned_cells);
    let field = FieldCells::new(&thinned_cells, forms, context, &nodes);
    let chosen = field.search();
    let best = chosen.first().ok_or(FitError::Singular {
        what: "the field".to_owned(),
    })?;
    let point_to_point = context.point_to_point.as_ref();
    let wire = point_to_point.map_or_else(FieldWire::unit, |pair_times| pair_times.wire.clone());
    let cost = |form: &ContentionFreeForm, procs, size| form.cost(&wire, procs, size, context.network);
    let node_cases = nodes.cases();
    let at_nodes = |form: &ContentionFreeForm| {
        node_cases
            .iter()
            .map(|(procs, size)| cost(form, *procs, *size))
            .collect_vec()
    };
    let costs = forms.iter().map(at_nodes).collect_vec();
    let [mean, deviation] = field.averaged(&chosen, &nodes, &costs);
    let balance = best.hyper[BALANCE].exp();
    let contention_free = costs[best.form]
        .iter()
        .map(|node_cost| node_cost.time_in_bytes(balance).ln());
    let ratios = mean
        .iter()
        .zip(contention_free)
        .map(|(mean, contention_free)| mean - contention_free)
        .collect_vec();
    let measured_beta = point_to_point.map(|pair_times| pair_times.wire.wire.beta().0);
    let log_byte_time = measured_beta.map_or_else(|| nodes.least_ratio(&ratios), f64::ln);
    let gamma = ratios.iter().map(|ratio| (ratio - log_byte_time).exp()).collect_vec();
    Ok(FittedField {
        form: forms[best.form].clone(),
        balance,
        byte: log_byte_time.exp(),
        table: FieldTable::of(&nodes.procs, &nodes.sizes, &gamma, &deviation),
        left_out: field.left_out(&thinned_cells, best),
    })
}
