//! Fitted parameters as rows.

use std::iter;

use itertools::Itertools as _;
use netsig_base::stats::interval::IntervalEstimate;
use netsig_base::units::{Bytes, EstimatedBytes, Seconds, SecondsPerByte, three_digits};
use netsig_model::fit::breakpoints::{EagerLimit, PiecewisePingPong};
use netsig_model::fit::flows::FlowGaps;
use netsig_model::fit::hockney::HockneyFit;
use netsig_model::fit::network::{FittedRegimes, NetworkFit};
use netsig_model::fit::plogp::MeasuredPLogP;
use netsig_model::fitted::{ContentionModel, FittedModel, ParameterValue};
use netsig_model::model::plogp::PLogP;
use netsig_model::model::{REGIMES, THROUGHPUT};
use netsig_model::profile::Profile;

use crate::rows::{PrintedCell, PrintedRows};

/// The parameters of one model.
struct ModelParameters<'a> {
    /// The collective; empty if the model has none.
    collective: String,
    algorithm: &'a str,
    model: &'a str,
    values: Vec<(String, ParameterValue)>,
}

/// Names of the tables of pLogP.
const TABLES: [&str; 3] = ["gap_s", "send_overhead_s", "receive_overhead_s"];

/// α, β and the parameters of the fitted models that are `wanted`, with their intervals.
pub fn of_models(fitted: &NetworkFit, wanted: impl Fn(&FittedModel) -> bool) -> PrintedRows {
    let models = fitted.models.iter().filter(|fitted_model| wanted(fitted_model));
    rows(
        iter::once(hockney_parameters(&fitted.hockney))
            .chain(models.map(|fitted_model| contention_parameters(fitted_model))),
    )
}

/// All parameters of a profile.
pub fn of_profile(profile: &Profile) -> PrintedRows {
    let plogp = profile.plogp.as_ref().map(table_parameters);
    let contention_models = profile.contention_models();
    let models = contention_models.sorted_by_key(|model| !model.entry().has_distribution());
    let all = iter::once(hockney_parameters(&profile.hockney))
        .chain(plogp)
        .chain(profile.flows.as_ref().map(flow_parameters))
        .chain(models.map(contention_parameters));
    rows(all)
}

/// The parameters to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterSelection {
    /// All parameters except tables over all sizes.
    WithoutTables,
    /// All parameters.
    All,
}

/// The parameters of all fitted models; `confidence` is the level of the regimes' intervals.
pub fn of_all(fitted: &NetworkFit, confidence: f64, shown: ParameterSelection) -> PrintedRows {
    let point_to_point = &fitted.point_to_point;
    let fitted_pieces = point_to_point.pieces.as_ref();
    let broken = fitted_pieces.filter(|pieces| !pieces.breaks.is_empty());
    let all = iter::once(hockney_parameters(&fitted.hockney))
        .chain(broken.map(piece_parameters))
        .chain(point_to_point.eager_limit.as_ref().map(eager_limit_parameters))
        .chain(
            point_to_point
                .plogp
                .as_ref()
                .map(|found| plogp_parameters(found, shown)),
        )
        .chain(point_to_point.flows.as_ref().map(flow_parameters))
        .chain(fitted.fields.iter().map(|field| contention_parameters(field)))
        .chain(
            fitted
                .regimes
                .iter()
                .map(|fitted_regimes| regime_parameters(fitted_regimes, confidence)),
        )
        .chain(
            fitted
                .models
                .iter()
                .map(|fitted_model| contention_parameters(fitted_model)),
        );
    rows(all)
}

fn rows<'a>(all: impl Iterator<Item = ModelParameters<'a>>) -> PrintedRows {
    let all: Vec<ModelParameters> = all.collect();
    let each = all.iter().flat_map(|parameters| {
        let values = parameters.values.iter();
        values.map(move |(name, found)| (parameters, name, *found))
    });
    // A value from a search has no interval.
    let end = |found: ParameterValue, name: &str, end: fn(IntervalEstimate) -> f64| {
        let interval = found.interval();
        interval.map(|estimate| cell(name, end(estimate))).unwrap_or_default()
    };
    PrintedRows::of(each)
        .column("collective", |(parameters, ..)| {
            PrintedCell::text(&parameters.collective)
        })
        .column("algorithm", |(parameters, ..)| PrintedCell::text(parameters.algorithm))
        .column("parameter", |(_, name, _)| PrintedCell::text(name))
        .column("value", |(_, name, found)| cell(name, found.value()))
        .detail(2, "lower", |(_, name, found)| end(*found, name, |e| e.lower))
        .detail(2, "upper", |(_, name, found)| end(*found, name, |e| e.upper))
        .detail(1, "model", |(parameters, ..)| PrintedCell::text(parameters.model))
        .column("remark", |(.., found)| {
            PrintedCell::if_some(found.remark(), PrintedCell::text)
        })
        .rows
}

/// Parameters that do not belong to a collective.
fn without_collective<'a>(
    algorithm: &'a str,
    model: &'a str,
    values: Vec<(String, ParameterValue)>,
) -> ModelParameters<'a> {
    ModelParameters {
        collective: String::new(),
        algorithm,
        model,
        values,
    }
}

fn hockney_parameters(fitted: &HockneyFit) -> ModelParameters<'static> {
    let values = vec![
        estimated("alpha_s", fitted.alpha),
        estimated("beta_s_per_byte", fitted.beta),
    ];
    without_collective("", "hockney", values)
}

/// α and β of each piece, named by its first size, and each jump, named by the first size after it.
fn piece_parameters(found: &PiecewisePingPong) -> ModelParameters<'static> {
    let mut values = Vec::new();
    for piece in &found.pieces {
        let first = piece.first.0;
        values.push(estimated(format!("alpha_s@{first}"), piece.alpha));
        values.push(estimated(format!("beta_s_per_byte@{first}"), piece.beta));
    }
    let jumps = found.breaks.iter();
    values.extend(jumps.map(|found_break| estimated(format!("jump_s@{}", found_break.from.0), found_break.jump)));
    without_collective("pingpong", "pieces", values)
}

/// The eager limit, named by the experiment that shows it.
fn eager_limit_parameters(limit: &EagerLimit) -> ModelParameters<'static> {
    let (algorithm, model) = match limit.send_overhead {
        Some(_) => ("plogp", "plogp"),
        None => ("pingpong", "pieces"),
    };
    let ends = [("above", limit.above), ("up_to", limit.up_to)];
    let values = ends.map(|(end, size)| plain(format!("eager_limit_{end}_bytes"), size.as_f64()));
    without_collective(algorithm, model, values.into())
}

/// The tables of pLogP, of measurements or given.
fn table_parameters(plogp: &PLogP) -> ModelParameters<'static> {
    let mut values = vec![plain("latency_s", plogp.latency().0)];
    for (name, table) in TABLES.into_iter().zip(plogp.tables()) {
        let rows = table.rows().iter();
        values.extend(rows.map(|(size, time)| plain(format!("{name}@{}", size.0), time.0)));
    }
    without_collective("plogp", "plogp", values)
}

fn plogp_parameters(measured: &MeasuredPLogP, shown: ParameterSelection) -> ModelParameters<'static> {
    let mut values = vec![estimated("latency_s", measured.latency)];
    let tables = [&measured.gap, &measured.send_overhead, &measured.receive_overhead];
    if shown == ParameterSelection::All {
        for (name, table) in TABLES.into_iter().zip(tables) {
            let rows = table.iter();
            values.extend(rows.map(|row| estimated(format!("{name}@{}", row.size.0), row.estimate)));
        }
    }
    without_collective("plogp", "plogp", values)
}

fn flow_parameters(flows: &FlowGaps) -> ModelParameters<'static> {
    let optional_values = [
        ("beta_f_s_per_byte", Some(flows.beta_free.0)),
        ("beta_c_s_per_byte", Some(flows.beta_contended.0)),
        ("rho", Some(flows.rho)),
        ("saturated_pairs", flows.saturated_pairs.map(f64::from)),
    ];
    let entries = optional_values.into_iter();
    let values = entries.filter_map(|(name, value)| Some(plain(name, value?)));
    without_collective("flows", THROUGHPUT, values.collect())
}

/// The parameters of any contention model.
fn contention_parameters(model: &dyn ContentionModel) -> ModelParameters<'_> {
    let entry = model.entry();
    ModelParameters {
        collective: entry.subject.to_string(),
        algorithm: model.algorithm(),
        model: entry.name,
        values: model.parameters(),
    }
}

/// The regimes of all classes of process counts.
fn regime_parameters(fitted_regimes: &FittedRegimes, confidence: f64) -> ModelParameters<'_> {
    ModelParameters {
        collective: fitted_regimes.collective.to_string(),
        algorithm: &fitted_regimes.algorithm,
        model: REGIMES,
        values: fitted_regimes.fit.parameters(confidence),
    }
}

fn estimated(name: impl Into<String>, estimate: IntervalEstimate) -> (String, ParameterValue) {
    (name.into(), ParameterValue::Estimated(estimate))
}

/// A value without an interval: found by a search, dropped or given.
fn plain(name: impl Into<String>, value: f64) -> (String, ParameterValue) {
    (name.into(), ParameterValue::Plain(value))
}

/// Formats a value with the unit in the parameter's name.
fn cell(parameter: &str, value: f64) -> PrintedCell {
    let quantity = parameter.split('@').next().unwrap_or(parameter);
    let shown = match quantity {
        _ if !value.is_finite() => "none".to_owned(),
        name if name.ends_with("_s_per_byte") => SecondsPerByte(value).to_string(),
        name if name.ends_with("_s") => Seconds(value).to_string(),
        // The limit is known between two measured sizes.
        name if name.starts_with("eager_limit_") => Bytes::rounded(value).to_string(),
        name if name.ends_with("_bytes") => EstimatedBytes(value).to_string(),
        name if name.ends_with("_pairs") => value.to_string(),
        _ => three_digits(value),
    };
    PrintedCell::shown_as(value, shown)
}
