//! The fields of all algorithms of a dataset.

use std::collections::BTreeMap;

use netsig_base::algorithm::{Collective, Sizes};
use netsig_base::data::cells::MeasuredCells;
use netsig_base::data::transport::is_over_tcp;
use netsig_base::data::{Provenance, places};
use netsig_base::units::Bytes;

use super::Options;
use super::models::LeftOutTimes;
use super::pairs::PairFits;
use super::regimes::RegimesGround;
use crate::field::{FieldEntry, FieldFit, FieldGround, FieldPairs, FieldWire};
use crate::fit::FailedFit;
use crate::model::{self, FIELD};
use crate::regimes::fit::{Observation, observations};

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
    /// Stores in all fields the bytes through a port beyond which repetitions may stall, if `facts` of the data
    /// say that messages travel by TCP, none stalled, and several met at a port.
    pub(super) fn end_at_most_bytes(&mut self, facts: &Provenance) {
        let most = Bytes::rounded(self.most_port_bytes);
        if self.has_stalls || most == Bytes(0) || !is_over_tcp(facts) {
            return;
        }
        for field in &mut self.fitted {
            field.stalls_beyond_bytes = Some(most);
        }
    }
}

/// Fits the field of every algorithm whose pieces have one size, if it is wanted, and adds its times at
/// process counts left out to those of the models that compete.
pub(super) fn fit(
    cells: &MeasuredCells,
    (pairs, ground): (&PairFits, &RegimesGround),
    options: &Options,
    left_out: &mut LeftOutTimes,
) -> FieldFits {
    let mut fits = FieldFits::default();
    if !options.wanted.wants_field() {
        return fits;
    }
    let ground = FieldGround {
        mpi: cells.provenance.get("mpi"),
        per_host: places::per_host(cells.provenance),
        network: options.network.as_ref(),
        prior: options.field,
        pairs: between_pairs(pairs, ground),
        confidence: options.model.confidence,
    };
    for ((collective, algorithm), own) in by_algorithm(cells) {
        fits.has_stalls |= own.iter().any(|cell| !cell.excesses.is_empty());
        match FieldFit::of(collective, &algorithm, &own, &ground) {
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

/// Times between two processes, where they were measured.
fn between_pairs(pairs: &PairFits, ground: &RegimesGround) -> Option<FieldPairs> {
    let known = ground.network.as_ref().ok()?;
    let is_measured = pairs.without_pairs.is_none() && known.wire.beta().0 > 0.0;
    is_measured.then(|| FieldPairs {
        startup: pairs.hockney.model().alpha(),
        wire: FieldWire {
            wire: known.wire.clone(),
            eager_limit_bytes: known.eager_limit,
        },
    })
}

/// The cells of every algorithm whose messages are described.
fn by_algorithm(cells: &MeasuredCells) -> BTreeMap<(Collective, String), Vec<Observation>> {
    let mut all: BTreeMap<_, Vec<Observation>> = BTreeMap::new();
    for (who, own) in observations(cells) {
        if who.pattern.is_some() && who.collective.sizes() == Sizes::Equal {
            all.entry((who.collective, who.algorithm)).or_default().extend(own);
        }
    }
    all
}
