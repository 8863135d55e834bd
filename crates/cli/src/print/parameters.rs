//! Fitted parameters as rows.

use std::iter;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::stats::interval::Estimate;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::fit::breakpoints::{EagerLimit, Pieces};
use netsig_model::fit::flows::Flows;
use netsig_model::fit::hockney::HockneyFit;
use netsig_model::fit::network::{FittedRegimes, NetworkFit};
use netsig_model::fit::plogp::Measured;
use netsig_model::fitted::{ContentionModel, FittedModel, Found};
use netsig_model::model::plogp::PLogP;
use netsig_model::model::{FIELD, REGIMES, THROUGHPUT};
use netsig_model::profile::Profile;

use crate::print::rows::{Cell, Rows};

/// The parameters of one model.
struct Parameters<'a> {
    /// The collective; empty if the model has none.
    collective: String,
    algorithm: &'a str,
    model: &'a str,
    values: Vec<(String, Found)>,
}

/// Names of the tables of pLogP.
const TABLES: [&str; 3] = ["gap_s", "send_overhead_s", "receive_overhead_s"];

/// α, β and the parameters of the fitted models that are `wanted`, with their intervals.
pub fn of_models(fitted: &NetworkFit, wanted: impl Fn(&FittedModel) -> bool) -> Rows {
    let models = fitted.models.iter().filter(|own| wanted(own));
    rows(iter::once(hockney(&fitted.hockney)).chain(models.map(|own| contention(own))))
}

/// All parameters of a profile.
pub fn of_profile(profile: &Profile) -> Rows {
    let plogp = profile.plogp.as_ref().map(tables);
    let models = profile.contention();
    let models = models.sorted_by_key(|own| !own.entry().has_distribution());
    let all = iter::once(hockney(&profile.hockney))
        .chain(plogp)
        .chain(profile.flows.as_ref().map(flows))
        .chain(models.map(contention));
    rows(all)
}

/// The parameters to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// α, β, and the parameters of the models chosen for the algorithms; parameters of pairs only
    /// if no collective was fitted.
    Used,
    /// All parameters except tables over all sizes.
    WithoutTables,
    /// All parameters.
    All,
}

/// The parameters of all fitted models; `confidence` is the level of the regimes' intervals.
pub fn of_all(fitted: &NetworkFit, confidence: f64, shown: Shown) -> Rows {
    let has_pairs = shown != Shown::Used || fitted.is_empty();
    let pairs = Some(&fitted.point_to_point).filter(|_| has_pairs);
    let broken = pairs.and_then(|own| own.pieces.as_ref());
    let broken = broken.filter(|pieces| !pieces.breaks.is_empty());
    let chosen = fitted.regimes.iter();
    let chosen =
        chosen.filter(|own| shown != Shown::Used || is_chosen(fitted, own.collective, &own.algorithm, REGIMES));
    let fields = fitted.fields.iter();
    let fields = fields.filter(|own| shown != Shown::Used || is_chosen(fitted, own.collective, &own.algorithm, FIELD));
    let models = fitted.models.iter();
    let models = models.filter(|own| shown != Shown::Used || speaks(own, fitted));
    let all = iter::once(hockney(&fitted.hockney))
        .chain(broken.map(pieces))
        .chain(pairs.and_then(|own| own.eager_limit.as_ref()).map(eager_limit))
        .chain(
            pairs
                .and_then(|own| own.plogp.as_ref())
                .map(|found| plogp(found, shown)),
        )
        .chain(pairs.and_then(|own| own.flows.as_ref()).map(flows))
        .chain(fields.map(|own| contention(own)))
        .chain(chosen.map(|own| regimes(own, confidence)))
        .chain(models.map(|own| contention(own)));
    rows(all)
}

/// True if the fit chose the model with this name.
fn is_chosen(fitted: &NetworkFit, collective: Collective, algorithm: &str, model: &str) -> bool {
    let speaking = fitted.speaking(Some(collective), algorithm);
    speaking.is_some_and(|own| own.sufficient.model.name == model)
}

/// True if the fit chose this model for its algorithm, or, without a choice, if it is the signature or
/// that of an algorithm that follows clusters.
fn speaks(own: &FittedModel, fitted: &NetworkFit) -> bool {
    match fitted.speaking(own.collective(), &own.algorithm) {
        Some(speaking) => speaking.sufficient.model == own.model,
        None => own.model.is_signature() || own.model.is_of_clusters(),
    }
}

fn rows<'a>(all: impl Iterator<Item = Parameters<'a>>) -> Rows {
    let all: Vec<Parameters> = all.collect();
    let each = all.iter().flat_map(|own| {
        let values = own.values.iter();
        values.map(move |(name, found)| (own, name, *found))
    });
    let end = |found: Found, name: &str, end: fn(Estimate) -> f64| match found {
        Found::Estimated(estimate) => cell(name, end(estimate)),
        // A value from a search has no interval.
        Found::Plain(_) => Cell::default(),
    };
    Rows::of(each)
        .column("collective", |(own, ..)| Cell::text(&own.collective))
        .column("algorithm", |(own, ..)| Cell::text(own.algorithm))
        .column("parameter", |(_, name, _)| Cell::text(name))
        .column("value", |(_, name, found)| cell(name, found.value()))
        .detail(2, "lower", |(_, name, found)| end(*found, name, |e| e.lower))
        .detail(2, "upper", |(_, name, found)| end(*found, name, |e| e.upper))
        .detail(1, "model", |(own, ..)| Cell::text(own.model))
        .rows
}

/// Parameters that do not belong to a collective.
fn of_pairs<'a>(algorithm: &'a str, model: &'a str, values: Vec<(String, Found)>) -> Parameters<'a> {
    Parameters {
        collective: String::new(),
        algorithm,
        model,
        values,
    }
}

fn hockney(fitted: &HockneyFit) -> Parameters<'static> {
    let values = vec![
        estimated("alpha_s", fitted.alpha),
        estimated("beta_s_per_byte", fitted.beta),
    ];
    of_pairs("", "hockney", values)
}

/// α and β of each piece, named by its first size, and each jump, named by the first size after it.
fn pieces(found: &Pieces) -> Parameters<'static> {
    let mut values = Vec::new();
    for piece in &found.pieces {
        let first = piece.first.0;
        values.push(estimated(format!("alpha_s@{first}"), piece.alpha));
        values.push(estimated(format!("beta_s_per_byte@{first}"), piece.beta));
    }
    let jumps = found.breaks.iter();
    values.extend(jumps.map(|own| estimated(format!("jump_s@{}", own.from.0), own.jump)));
    of_pairs("pingpong", "pieces", values)
}

/// The eager limit, named by the experiment that shows it.
fn eager_limit(limit: &EagerLimit) -> Parameters<'static> {
    let (algorithm, model) = match limit.send_overhead {
        Some(_) => ("plogp", "plogp"),
        None => ("pingpong", "pieces"),
    };
    let ends = [("above", limit.above), ("up_to", limit.up_to)];
    let values = ends.map(|(end, size)| plain(format!("eager_limit_{end}_bytes"), size.as_f64()));
    of_pairs(algorithm, model, values.into())
}

/// The tables of pLogP, of measurements or given.
fn tables(plogp: &PLogP) -> Parameters<'static> {
    let mut values = vec![plain("latency_s", plogp.latency().0)];
    for (name, table) in TABLES.into_iter().zip(plogp.tables()) {
        let rows = table.rows().iter();
        values.extend(rows.map(|(size, time)| plain(format!("{name}@{}", size.0), time.0)));
    }
    of_pairs("plogp", "plogp", values)
}

fn plogp(measured: &Measured, shown: Shown) -> Parameters<'static> {
    let mut values = vec![estimated("latency_s", measured.latency)];
    let tables = [&measured.gap, &measured.send_overhead, &measured.receive_overhead];
    if shown == Shown::All {
        for (name, table) in TABLES.into_iter().zip(tables) {
            let rows = table.iter();
            values.extend(rows.map(|row| estimated(format!("{name}@{}", row.size.0), row.estimate)));
        }
    }
    of_pairs("plogp", "plogp", values)
}

fn flows(flows: &Flows) -> Parameters<'static> {
    let values = [
        ("beta_f_s_per_byte", Some(flows.beta_free.0)),
        ("beta_c_s_per_byte", Some(flows.beta_contended.0)),
        ("rho", Some(flows.rho)),
        ("saturated_pairs", flows.saturated_pairs.map(f64::from)),
    ];
    let values = values.into_iter();
    let values = values.filter_map(|(name, value)| Some(plain(name, value?)));
    of_pairs("flows", THROUGHPUT, values.collect())
}

/// The parameters of any contention model.
fn contention(own: &dyn ContentionModel) -> Parameters<'_> {
    let entry = own.entry();
    Parameters {
        collective: entry.subject.to_string(),
        algorithm: own.algorithm(),
        model: entry.name,
        values: own.parameters(),
    }
}

/// The regimes of all classes of process counts.
fn regimes(own: &FittedRegimes, confidence: f64) -> Parameters<'_> {
    Parameters {
        collective: own.collective.to_string(),
        algorithm: &own.algorithm,
        model: REGIMES,
        values: own.fit.parameters(confidence),
    }
}

fn estimated(name: impl Into<String>, estimate: Estimate) -> (String, Found) {
    (name.into(), Found::Estimated(estimate))
}

/// A value without an interval: found by a search, dropped or given.
fn plain(name: impl Into<String>, value: f64) -> (String, Found) {
    (name.into(), Found::Plain(value))
}

/// Formats a value with the unit in the parameter's name.
fn cell(parameter: &str, value: f64) -> Cell {
    let quantity = parameter.split('@').next().unwrap_or(parameter);
    let shown = match quantity {
        _ if !value.is_finite() => "none".to_owned(),
        name if name.ends_with("_s_per_byte") => SecondsPerByte(value).to_string(),
        name if name.ends_with("_s") => Seconds(value).to_string(),
        name if name.ends_with("_bytes") => Bytes::rounded(value.trunc()).to_string(),
        name if name.ends_with("_pairs") => value.to_string(),
        _ => format!("{value:.4}"),
    };
    Cell::shown_as(value, shown)
}
