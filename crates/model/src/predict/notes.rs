//! Notes and warnings about the limits of predictions.

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, ClosedForm, Collective};
use netsig_base::network::Network;
use netsig_base::text::note::Note;
use netsig_base::text::{counted, range};
use netsig_base::units::{Bytes, Procs};

use super::hosts::note_on_hosts;
use super::rate::rate_difference;
use super::request::ProfileRequest;
use crate::fit::notes::about_rooted_means;
use crate::model::alltoall::has_degenerate_bounds;
use crate::model::closed_form::plogp_model;
use crate::model::plogp::PLogP;
use crate::model::segment::Segment;
use crate::model::{Model, ModelInput, ModelKind};
use crate::profile::Profile;

/// Ratio by which an overhead may exceed the gap without a warning.
const OVERHEAD_TOLERANCE: f64 = 0.03;

/// Notes and warnings on predictions of `cases` by `models`.
pub(super) fn on_predictions<W>(
    request: &ProfileRequest<W>,
    models: &[&Model],
    cases: impl Iterator<Item = (Procs, Bytes)>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let (profile, name, network) = (&*request.profile, request.name, request.network);
    let collective = request.collective;
    let uses_plogp = models.iter().any(|m| m.needs.contains(&ModelInput::PLogP));
    match &profile.plogp {
        _ if !uses_plogp => {}
        None => notes.push(Note::remark(format!(
            "{name} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or"
        ))),
        Some(plogp) => notes.extend(notes_on_tables(collective, plogp, models, cases)),
    }
    // In a chain each rank receives from one sender.
    let chain = plogp_model(collective, ClosedForm::ChainOfParts);
    let mut free = models.iter().filter(|m| m.kind == ModelKind::ContentionFree);
    if collective == Collective::Gather && free.any(|model| Some(*model) != chain) {
        notes.push(Note::warning(
            "gather is predicted without contention; many senders to one receiver take longer",
        ));
    }
    if profile.has_rooted_means(collective) {
        notes.push(about_rooted_means(&[collective]));
    }
    let rates = rate_difference(profile, network).map(|found| format!("{name}: {found}"));
    notes.extend(rates.map(Note::warning));
    notes.extend(note_on_hosts(profile));
    if models.iter().any(|model| model.has_distribution()) {
        notes.extend(note_on_links(profile, network));
    }
    notes
}

/// A note on the first segment outside of the measured message sizes of the collective, whole or in segments;
/// without any, outside of the pLogP table. Each segment comes with the name of its algorithm.
pub(super) fn on_segments<W>(
    request: &ProfileRequest<W>,
    segments: impl Iterator<Item = (String, Segment)>,
) -> Option<Note> {
    let (profile, collective) = (&*request.profile, request.collective);
    let measured = profile.contention_models_of(collective).flat_map(|fitted_model| {
        let algorithm = Algorithm::parse(collective, fitted_model.algorithm()).ok();
        let segment = algorithm.and_then(|schedule| schedule.segment());
        let domain = fitted_model.domain();
        segment.into_iter().chain([domain.smallest, domain.largest])
    });
    let table_rows = profile.plogp.as_ref().map(|plogp| plogp.tables()[0].rows());
    let table_sizes = table_rows.into_iter().flatten().map(|row| row.0);
    let measured_range = measured.minmax().into_option();
    let size_range = measured_range.or_else(|| table_sizes.minmax().into_option());
    let (least, most) = size_range?;
    let is_outside = |named_segment: &(_, Segment)| !(least..=most).contains(&named_segment.1.bytes());
    let (name, segment) = { segments }.find(is_outside)?;
    Some(Note::remark(format!(
        "{collective} {name}: its segment of {} lies outside of the measured sizes, {}; measure it before use",
        segment.bytes(),
        range(least, most)
    )))
}

/// Warns if regimes are predicted with other links than they were fitted with.
pub fn note_on_links(profile: &Profile, network: Option<&Network>) -> Option<Note> {
    let fitted = profile.provenance.get("network");
    let network_name = network.map(|network| network.name.as_str());
    let is_other = !profile.regimes.is_empty() && fitted != network_name;
    is_other.then(|| {
        let [fitted, network] = [fitted, network_name].map(|name| match name {
            None => "no links".to_owned(),
            Some(name) => format!("the links of {name}"),
        });
        Note::warning(format!(
            "the regimes were fitted with {fitted} and are predicted with {network}; give the same --network to both"
        ))
    })
}

/// Most blocks in one message that the models look up in tables: relays of a scatter or gather send many.
fn most_blocks(collective: Collective, models: &[&Model], most: Option<&Procs>) -> u32 {
    let flat = plogp_model(collective, ClosedForm::Flat);
    match collective {
        Collective::Scatter | Collective::Gather if models.iter().any(|model| flat != Some(*model)) => {
            most.map_or(0, |most| most.get() - 1)
        }
        _ => 1,
    }
}

/// Warns if the tables are extrapolated, suspicious, or give no valid bounds.
fn notes_on_tables(
    collective: Collective,
    plogp: &PLogP,
    models: &[&Model],
    cases: impl Iterator<Item = (Procs, Bytes)>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let (procs, sizes): (BTreeSet<Procs>, BTreeSet<Bytes>) = cases.unzip();
    let blocks = most_blocks(collective, models, procs.last());
    let largest_size = sizes.last().copied().unwrap_or_default();
    let largest_message = Bytes(largest_size.0.saturating_mul(blocks.into()));
    let mut tables = plogp.tables().into_iter();
    if tables.any(|table| table.is_extrapolated(largest_message)) {
        notes.push(Note::warning(
            "sizes beyond the last of the pLogP table are extrapolated",
        ));
    }
    let small = plogp.sizes_with_small_gap(OVERHEAD_TOLERANCE);
    if let Some(size) = small.first() {
        notes.push(Note::warning(format!(
            "os or or exceeds g at {} of the pLogP tables, first at {size}; were they measured well?",
            counted(small.len() as u64, "size", "sizes")
        )));
    }
    let mut all = models.iter().cartesian_product(&sizes);
    if all.any(|(model, size)| has_degenerate_bounds(model, plogp, *size)) {
        notes.push(Note::warning(
            "os + or < g: the upper limit of plogp_overhead_bound lies below the lower one; use plogp_factor",
        ));
    }
    notes
}
