//! Fit of the field to the cells of one algorithm.
//!
//! # Method
//! y = ln T − ln T₀ is a Gaussian process with a constant mean. Its hyperparameters have a prior
//! ([`FieldPrior`](super::FieldPrior)); from its medians each is changed in turn, kept where that raises the posterior, and all
//! that were tried are averaged with their posterior as weight, for each form that T₀ may have. So an
//! interval contains the doubt about hyperparameters and form. γ and its deviation are stored at the
//! measured counts and sizes, between them where they are far apart, and beyond them.
//!
//! # Source
//! netsig; Rasmussen and Williams 2006, sections 2.2 and 5.4.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::free::{FieldWire, FreeForm};
use super::ground::FieldGround;
use super::kernel::BALANCE;
use super::nodes::Nodes;
use super::process::FieldCells;
use super::table::FieldTable;
use crate::fitted::error::{FitError, refuse_few};
use crate::regimes::fit::Observation;
use crate::regimes::fit::observation::thinned;

/// Cells of a fit at most.
const MOST_CELLS: usize = 240;

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

/// Fits the field to cells of one algorithm, with one of the `forms`.
pub(super) fn fit(cells: &[Observation], forms: &[FreeForm], ground: &FieldGround) -> Result<FittedField, FitError> {
    let cells = thinned(cells, MOST_CELLS);
    refuse_few("the field", cells.len(), 2)?;
    let nodes = Nodes::of(&cells);
    let field = FieldCells::new(&cells, forms, ground, &nodes);
    let chosen = field.search();
    let best = chosen.first().ok_or(FitError::Singular {
        what: "the field".to_owned(),
    })?;
    let pairs = ground.pairs.as_ref();
    let wire = pairs.map_or_else(FieldWire::unit, |own| own.wire.clone());
    let cost = |form: &FreeForm, procs, size| form.cost(&wire, procs, size, ground.network);
    let all = nodes.all();
    let at_nodes = |form: &FreeForm| all.iter().map(|(procs, size)| cost(form, *procs, *size)).collect_vec();
    let costs = forms.iter().map(at_nodes).collect_vec();
    let [mean, deviation] = field.averaged(&chosen, &nodes, &costs);
    let balance = best.hyper[BALANCE].exp();
    let free = costs[best.form].iter().map(|own| own.bytes(balance).ln());
    let ratios = mean.iter().zip(free).map(|(mean, free)| mean - free).collect_vec();
    let measured = pairs.map(|own| own.wire.wire.beta().0);
    let byte = measured.map_or_else(|| nodes.least_ratio(&ratios), f64::ln);
    let gamma = ratios.iter().map(|own| (own - byte).exp()).collect_vec();
    Ok(FittedField {
        form: forms[best.form].clone(),
        balance,
        byte: byte.exp(),
        table: FieldTable::of(&nodes.procs, &nodes.sizes, &gamma, &deviation),
        left_out: field.left_out(&cells, best),
    })
}
