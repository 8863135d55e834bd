//! The fields of all algorithms of a dataset.

use std::collections::BTreeMap;

use netsig_base::algorithm::{Collective, ReductionOperands, SizePattern};
use netsig_base::data::cells::MeasuredCells;
use netsig_base::data::transport::is_over_tcp;
use netsig_base::data::{OPERANDS_KEY, Provenance, cluster_facts};
use netsig_base::units::Bytes;

use super::NetworkFitOptions;
use super::models::LeftOutTimes;
use super::pairs::PairFits;
use super::regimes::RegimesInputs;
use crate::field::{FieldContext, FieldEntry, FieldFit, FieldPointToPoint, FieldWire};
use crate::fit::FailedFit;
use crate::model::{self, FIELD};
use crate::regimes::fit::{CellObservation, observations};

/// The fields of all algorithms.
#[derive(Default)]
pub(super) struct FieldFits {
    pub(super) fitted: Vec<FieldEntry>,
    pub(super) failures: Vec<FailedFit>,
    /// Most bytes that passed a port in an exchange of any algorithm.
    most_port_bytes: f64,
    /// True if a repetition stalled.
    has_stalls: bool,
}

impl FieldFits {
    /// Stores in all fields the most bytes that passed a port, beyond which repetitions may stall. Stores
    /// nothing unless the `facts` state TCP, no repetition stalled, and several messages met at a port.
    pub(super) fn set_stall_limit(&mut self, facts: &Provenance) {
        let most = Bytes::rounded(self.most_port_bytes);
        if self.has_stalls || most == Bytes(0) || !is_over_tcp(facts) {
            return;
        }
        for field in &mut self.fitted {
            field.stalls_beyond_bytes = Some(most);
        }
    }
}

/// Fits the field of every algorithm whose pieces have one size, if the field is wanted. Adds its times at process
/// counts left out to those of the models that compete.
pub(super) fn fit(
    cells: &MeasuredCells,
    pairs: &PairFits,
    regimes_inputs: &RegimesInputs,
    options: &NetworkFitOptions,
    left_out: &mut LeftOutTimes,
) -> FieldFits {
    let mut fits = FieldFits::default();
    if !options.models_to_fit.includes_field() {
        return fits;
    }
    let context = FieldContext {
        mpi: cells.provenance.get("mpi"),
        element: element(cells.provenance),
        per_host: cluster_facts::most_ranks_per_host(cells.provenance),
        network: options.network.as_ref(),
        prior: options.field,
        point_to_point: pair_times(pairs, regimes_inputs),
        confidence: options.model.confidence,
    };
    for ((collective, algorithm), algorithm_cells) in observations_by_algorithm(cells) {
        fits.has_stalls |= algorithm_cells.iter().any(|cell| !cell.stall_excesses.is_empty());
        match FieldFit::of(collective, &algorithm, &algorithm_cells, &context) {
            Ok(fit) => {
                let model = model::find(collective, FIELD).expect("a collective of equal pieces has a field");
                let all = left_out.entry((collective, algorithm)).or_default();
                all.push((model, fit.left_out));
                fits.most_port_bytes = fits.most_port_bytes.max(fit.most_port_bytes);
                fits.fitted.push(fit.entry);
            }
            Err(error) => {
                let subject = format!("{collective} {algorithm} {FIELD}");
                fits.failures.push(FailedFit::of(subject)(error));
            }
        }
    }
    fits
}

/// Length of an element of the vectors that were reduced.
fn element(facts: &Provenance) -> Bytes {
    let operands = facts
        .get(OPERANDS_KEY)
        .and_then(|text| text.parse::<ReductionOperands>().ok());
    operands.unwrap_or_default().element().bytes()
}

/// Times between two processes, where they were measured.
fn pair_times(pairs: &PairFits, regimes_inputs: &RegimesInputs) -> Option<FieldPointToPoint> {
    let known = regimes_inputs.network.as_ref().ok()?;
    let is_measured = pairs.substitute_procs.is_none() && known.wire.beta().0 > 0.0;
    is_measured.then(|| FieldPointToPoint {
        startup: pairs.hockney.model().alpha(),
        wire: FieldWire {
            wire: known.wire.clone(),
            eager_limit_bytes: known.eager_limit,
        },
    })
}

/// The cells of every algorithm whose messages are described.
fn observations_by_algorithm(cells: &MeasuredCells) -> BTreeMap<(Collective, String), Vec<CellObservation>> {
    let mut all: BTreeMap<_, Vec<CellObservation>> = BTreeMap::new();
    for (who, algorithm_cells) in observations(cells) {
        if who.pattern.is_some() && who.collective.size_pattern() == SizePattern::Equal {
            all.entry((who.collective, who.algorithm))
                .or_default()
                .extend(algorithm_cells);
        }
    }
    all
}
