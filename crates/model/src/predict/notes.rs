//! Notes and warnings about the limits of predictions.

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, ClosedForm, Collective};
use netsig_base::network::Network;
use netsig_base::text::counted;
use netsig_base::text::note::Note;
use netsig_base::units::{Bytes, Procs};

use super::hosts::on_hosts;
use super::rate::other_rate;
use super::request::ProfileRequest;
use crate::fit::notes::about_rooted_means;
use crate::model::alltoall::has_degenerate_bounds;
use crate::model::closed_form::on_plogp;
use crate::model::plogp::PLogP;
use crate::model::segment::Segment;
use crate::model::{Kind, Model, Need};
use crate::profile::Profile;

/// Ratio by which an overhead may exceed the gap without a warning.
const TOLERANCE: f64 = 0.03;

/// Notes and warnings on predictions of `cases` by `models`.
pub(super) fn on_predictions<W>(
    request: &ProfileRequest<W>,
    models: &[&Model],
    cases: impl Iterator<Item = (Procs, Bytes)>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let (profile, name, network) = (&*request.profile, request.name, request.network);
    let collective = request.collective;
    let uses_plogp = models.iter().any(|m| m.needs.contains(&Need::PLogP));
    match &profile.plogp {
        _ if !uses_plogp => {}
        None => notes.push(Note::remark(format!(
            "{name} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or"
        ))),
        Some(plogp) => notes.extend(on_tables(collective, plogp, models, cases)),
    }
    // In a chain each rank receives from one sender.
    let chain = on_plogp(collective, ClosedForm::ChainOfParts);
    let mut free = models.iter().filter(|m| m.kind == Kind::ContentionFree);
    if collective == Collective::Gather && free.any(|model| Some(*model) != chain) {
        notes.push(Note::warning(
            "gather is predicted without contention; many senders to one receiver take longer",
        ));
    }
    if profile.has_rooted_means(collective) {
        notes.push(about_rooted_means(&[collective]));
    }
    let rates = other_rate(profile, network).map(|found| format!("{name}: {found}"));
    notes.extend(rates.map(Note::warning));
    notes.extend(on_hosts(profile));
    if models.iter().any(|model| model.has_distribution()) {
        notes.extend(on_links(profile, network));
    }
    notes
}

/// A note on the first of the segments, with names of algorithms, outside of the sizes at which messages of the
/// collective were measured, whole or in segments; without any, of the pLogP table.
pub(super) fn on_segments<W>(
    request: &ProfileRequest<W>,
    segments: impl Iterator<Item = (String, Segment)>,
) -> Option<Note> {
    let (profile, collective) = (&*request.profile, request.collective);
    let measured = profile.contention_of(collective).flat_map(|own| {
        let algorithm = Algorithm::parse(collective, own.algorithm()).ok();
        let segment = algorithm.and_then(|own| own.segment());
        let domain = own.domain();
        segment.into_iter().chain([domain.smallest, domain.largest])
    });
    let table = profile.plogp.as_ref().map(|plogp| plogp.tables()[0].rows());
    let table = table.into_iter().flatten().map(|row| row.0);
    let sizes = measured.minmax().into_option();
    let sizes = sizes.or_else(|| table.minmax().into_option());
    let (least, most) = sizes?;
    let is_outside = |own: &(_, Segment)| !(least..=most).contains(&own.1.bytes());
    let (name, segment) = { segments }.find(is_outside)?;
    Some(Note::remark(format!(
        "{collective} {name}: its segment of {} lies outside of the measured sizes, {least} to {most}; measure it before use",
        segment.bytes()
    )))
}

/// Warns if regimes are predicted with other links than they were fitted with.
pub fn on_links(profile: &Profile, network: Option<&Network>) -> Option<Note> {
    let fitted = profile.provenance.get("network");
    let network = network.map(|network| network.name.as_str());
    let is_other = !profile.regimes.is_empty() && fitted != network;
    is_other.then(|| {
        let [fitted, network] = [fitted, network].map(|name| match name {
            None => "no links".to_owned(),
            Some(name) => format!("the links of {name}"),
        });
        Note::warning(format!(
            "the regimes were fitted with {fitted} and are predicted with {network}; give the same --network to both"
        ))
    })
}

/// Most blocks in one message of the models' table lookups: relays of a scatter or gather send many.
fn blocks(collective: Collective, models: &[&Model], most: Option<&Procs>) -> u32 {
    let flat = on_plogp(collective, ClosedForm::Flat);
    match collective {
        Collective::Scatter | Collective::Gather if models.iter().any(|model| flat != Some(*model)) => {
            most.map_or(0, |most| most.get() - 1)
        }
        _ => 1,
    }
}

/// Warns if the tables are extrapolated, suspicious, or give no valid bounds.
fn on_tables(
    collective: Collective,
    plogp: &PLogP,
    models: &[&Model],
    cases: impl Iterator<Item = (Procs, Bytes)>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let (procs, sizes): (BTreeSet<Procs>, BTreeSet<Bytes>) = cases.unzip();
    let blocks = blocks(collective, models, procs.last());
    let largest = sizes.last().copied().unwrap_or_default();
    let largest = Bytes(largest.0.saturating_mul(blocks.into()));
    let mut tables = plogp.tables().into_iter();
    if tables.any(|table| table.is_extrapolated(largest)) {
        notes.push(Note::warning(
            "sizes beyond the last of the pLogP table are extrapolated",
        ));
    }
    let small = plogp.sizes_with_small_gap(TOLERANCE);
    if let Some(size) = small.first() {
        notes.push(Note::warning(format!(
            "os or or exceeds g at {} of the pLogP tables, first at {size}; were they measured well?",
            counted(small.len() as u64, "size", "sizes")
        )));
    }
    let mut all = models.iter().cartesian_product(&sizes);
    if all.any(|(model, size)| has_degenerate_bounds(model, plogp, *size)) {
        notes.push(Note::warning(
            "os + or < g: the upper limit of upper_003 lies below the lower one; use factor_001",
        ));
    }
    notes
}
