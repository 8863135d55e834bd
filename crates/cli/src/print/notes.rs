//! Prints notes and warnings about the limits of predictions on standard error.

use std::collections::HashSet;

use itertools::Itertools;
use netsig_core::algorithm::{ClosedForm, Collective};
use netsig_core::data::cells::summarise;
use netsig_core::data::{Dataset, Experiment};
use netsig_core::fit::network::NetworkFit;
use netsig_core::model::alltoall::has_degenerate_bounds;
use netsig_core::model::closed_form::on_plogp;
use netsig_core::model::plogp::PLogP;
use netsig_core::model::{Kind, Model, Need};
use netsig_core::network::Network;
use netsig_core::profile::Profile;
use netsig_core::units::Bytes;

use crate::input::points::Points;

/// Ratio by which an overhead may exceed the gap without a warning.
const TOLERANCE: f64 = 0.03;

/// Notes that some models coincide without pLogP tables.
pub fn tell_about_tables() {
    eprintln!(
        "netsig: note: without pLogP tables g, os and or are alpha + beta m, so some models coincide: \
         free with hockney, factor_003 with slowdown"
    );
}

/// Notes the statistics that replace repetitions missing in the data, and the algorithms without a
/// fitted model.
pub fn tell_about_data(fitted: &NetworkFit, data: &Dataset) {
    let counts = fitted.imported.iter();
    let counts = counts.map(|(kind, n)| format!("{n} {kind}")).join(", ");
    if !counts.is_empty() {
        eprintln!(
            "netsig: note: cells with a statistic of another program in place of repetitions: {counts}"
        );
    }
    let names = unfitted(fitted, data).join(", ");
    if !names.is_empty() {
        eprintln!("netsig: note: nothing is fitted to {names}");
    }
}

/// The measured algorithms without a fitted model, each once.
fn unfitted(fitted: &NetworkFit, data: &Dataset) -> impl Iterator<Item = String> {
    let name = |collective: Collective, algorithm: &str| format!("{collective} {algorithm}");
    let models = fitted.models.iter();
    let models = models.filter_map(|own| Some(name(own.collective()?, &own.algorithm)));
    let regimes = fitted.regimes.iter();
    let regimes = regimes.map(|own| name(own.collective, &own.algorithm));
    let known: HashSet<String> = models.chain(regimes).collect();
    let measured = summarise(data).into_keys();
    let measured = measured.filter_map(move |key| match key.experiment {
        Experiment::Collective(collective) => Some(name(collective, &key.algorithm)),
        _ => None,
    });
    measured.unique().filter(move |name| !known.contains(name))
}

/// Prints notes and warnings on predictions of `points` by `models`, from a profile and the links
/// of `network`.
pub fn tell(points: &Points, profile: &Profile, network: Option<&Network>, models: &[&Model]) {
    let uses_plogp = models.iter().any(|m| m.needs.contains(&Need::PLogP));
    match &profile.plogp {
        _ if !uses_plogp => {}
        None => eprintln!(
            "netsig: note: {} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or",
            points.profile.display()
        ),
        Some(plogp) => tell_limits(points, plogp, models),
    }
    // In a chain each rank receives from one sender.
    let chain = on_plogp(points.collective, ClosedForm::ChainOfParts);
    let mut free = models.iter().filter(|m| m.kind == Kind::ContentionFree);
    if points.collective == Collective::Gather && free.any(|model| Some(*model) != chain) {
        eprintln!(
            "netsig: warning: gather is predicted without contention; many senders to one receiver take longer"
        );
    }
    if models.iter().any(|model| model.is_regimes()) {
        tell_about_links(profile, network);
    }
}

/// Warns if regimes are predicted with other links than they were fitted with.
pub fn tell_about_links(profile: &Profile, network: Option<&Network>) {
    let fitted = profile.provenance.get("network");
    let network = network.map(|network| network.name.as_str());
    if !profile.regimes.is_empty() && fitted != network {
        let [fitted, network] = [fitted, network].map(|name| match name {
            None => "no links".to_owned(),
            Some(name) => format!("the links of {name}"),
        });
        eprintln!(
            "netsig: warning: the regimes were fitted with {fitted} and are predicted with {network}; give the same --network to both"
        );
    }
}

/// The largest size in the models' table lookups: relays of a scatter or gather send many blocks in
/// one message.
fn largest(points: &Points, models: &[&Model]) -> Bytes {
    let flat = on_plogp(points.collective, ClosedForm::Flat);
    let blocks = match points.collective {
        Collective::Scatter | Collective::Gather
            if models.iter().any(|model| flat != Some(*model)) =>
        {
            points.procs.iter().max().map_or(0, |most| most.get() - 1)
        }
        _ => 1,
    };
    let largest = points.sizes.iter().max().copied().unwrap_or_default();
    Bytes(largest.0.saturating_mul(blocks.into()))
}

/// Warns if the tables are extrapolated, suspicious, or give no valid bounds.
fn tell_limits(points: &Points, plogp: &PLogP, models: &[&Model]) {
    let largest = largest(points, models);
    let mut tables = plogp.tables().into_iter();
    if tables.any(|table| table.is_extrapolated(largest)) {
        eprintln!("netsig: warning: sizes beyond the last of the pLogP table are extrapolated");
    }
    let small = plogp.sizes_with_small_gap(TOLERANCE);
    if let Some(size) = small.first() {
        eprintln!(
            "netsig: warning: os or or exceeds g at {} sizes of the pLogP tables, first at {size}; were they measured well?",
            small.len()
        );
    }
    let mut cases = models.iter().cartesian_product(&points.sizes);
    if cases.any(|(model, size)| has_degenerate_bounds(model, plogp, *size)) {
        eprintln!(
            "netsig: warning: os + or < g: the upper limit of upper_003 lies below the lower one; use factor_001"
        );
    }
}

/// Warns if the machine instead of the network would limit the times of an emulated network, or
/// cannot delay its links.
pub fn warn_if_unfaithful(network: &Network) {
    let limits = netsig_lab::fidelity_warning(network);
    let delays = netsig_lab::delay_warning(network);
    for warning in limits.into_iter().chain(delays) {
        eprintln!("netsig: warning: {warning}");
    }
}
