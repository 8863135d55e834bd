//! Fitted parameters as rows.

mod regimes;

use netsig_core::fit::breakpoints::{EagerLimit, Pieces};
use netsig_core::fit::fitted::{FittedModel, Found};
use netsig_core::fit::flows::Flows;
use netsig_core::fit::network::NetworkFit;
use netsig_core::fit::plogp::Measured;
use netsig_core::model::THROUGHPUT;
use netsig_core::stats::interval::Estimate;
use netsig_core::units::table::Table;
use netsig_core::units::{Bytes, Seconds};

use crate::print::rows::{Cell, Format, Rows};

/// Whose parameter it is.
struct Owner<'a> {
    collective: String,
    algorithm: &'a str,
    model: &'a str,
}

/// α, β and the parameters of the fitted models that are `wanted`, with their intervals.
pub fn of_models(fitted: &NetworkFit, wanted: impl Fn(&FittedModel) -> bool) -> Rows {
    let mut rows = of_hockney(fitted);
    for own in fitted.models.iter().filter(|own| wanted(own)) {
        push_model(own, &mut rows);
    }
    rows
}

/// The parameters of everything that was fitted, intervals of regimes at the level
/// `confidence`. Tables over all sizes are for programs.
pub fn of_all(fitted: &NetworkFit, confidence: f64, format: Format) -> Rows {
    let mut rows = of_hockney(fitted);
    let pairs = &fitted.point_to_point;
    if let Some(pieces) = pairs.pieces.as_ref().filter(|p| !p.breaks.is_empty()) {
        push_pieces(pieces, &mut rows);
    }
    if let Some(limit) = &pairs.eager_limit {
        push_eager_limit(limit, &mut rows);
    }
    if let Some(measured) = &pairs.plogp {
        push_plogp(measured, format, &mut rows);
    }
    if let Some(flows) = &pairs.flows {
        push_flows(flows, &mut rows);
    }
    for own in &fitted.regimes {
        regimes::push(own, confidence, &mut rows);
    }
    for own in &fitted.models {
        push_model(own, &mut rows);
    }
    rows
}

fn of_hockney(fitted: &NetworkFit) -> Rows {
    let mut rows = Rows::new(&[
        "collective",
        "algorithm",
        "parameter",
        "value",
        "lower",
        "upper",
        "model",
    ]);
    let hockney = Owner::of_pairs("", "hockney");
    hockney.push("alpha_s", fitted.hockney.alpha, &mut rows);
    hockney.push("beta_s_per_byte", fitted.hockney.beta, &mut rows);
    rows
}

/// α and β of each piece by its first size, each jump by the first size after it.
fn push_pieces(found: &Pieces, rows: &mut Rows) {
    let owner = Owner::of_pairs("pingpong", "pieces");
    for piece in &found.pieces {
        let first = piece.first.0;
        owner.push(&format!("alpha_s@{first}"), piece.alpha, rows);
        owner.push(&format!("beta_s_per_byte@{first}"), piece.beta, rows);
    }
    for own in &found.breaks {
        owner.push(&format!("jump_s@{}", own.from.0), own.jump, rows);
    }
}

/// With what shows it.
fn push_eager_limit(limit: &EagerLimit, rows: &mut Rows) {
    let owner = match limit.send_overhead {
        Some(_) => Owner::of_pairs("plogp", "plogp"),
        None => Owner::of_pairs("pingpong", "pieces"),
    };
    owner.push_found("eager_limit_above_bytes", limit.above.as_f64(), rows);
    owner.push_found("eager_limit_up_to_bytes", limit.up_to.as_f64(), rows);
}

fn push_plogp(measured: &Measured, format: Format, rows: &mut Rows) {
    let owner = Owner::of_pairs("plogp", "plogp");
    owner.push("latency_s", measured.latency, rows);
    if format == Format::Table {
        return;
    }
    for (name, table) in [
        ("gap_s", &measured.gap),
        ("send_overhead_s", &measured.send_overhead),
        ("receive_overhead_s", &measured.receive_overhead),
    ] {
        for row in table {
            owner.push(&format!("{name}@{}", row.size.0), row.estimate, rows);
        }
    }
}

fn push_flows(flows: &Flows, rows: &mut Rows) {
    let owner = Owner::of_pairs("flows", THROUGHPUT);
    owner.push_found("beta_f_s_per_byte", flows.beta_free.0, rows);
    owner.push_found("beta_c_s_per_byte", flows.modes.beta_contended.0, rows);
    owner.push_found("rho", flows.modes.rho, rows);
    if let Some(pairs) = flows.saturated_pairs {
        owner.push_found("saturated_pairs", f64::from(pairs), rows);
    }
}

fn push_model(fitted: &FittedModel, rows: &mut Rows) {
    let owner = Owner {
        collective: fitted.model.subject.to_string(),
        algorithm: &fitted.algorithm,
        model: fitted.model.name,
    };
    for parameter in fitted.model.parameters {
        match fitted.parameters.get(parameter.name) {
            Some(Found::Estimated(estimate)) => owner.push(parameter.name, *estimate, rows),
            Some(Found::Plain(value)) => owner.push_found(parameter.name, *value, rows),
            None => {}
        }
    }
    let latency = fitted.latency_s.iter();
    for (size, value) in latency.flat_map(Table::rows) {
        owner.push_found(&format!("latency_s@{}", size.0), value.0, rows);
    }
}

impl<'a> Owner<'a> {
    /// What belongs to no collective.
    fn of_pairs(algorithm: &'a str, model: &'a str) -> Self {
        Self {
            collective: String::new(),
            algorithm,
            model,
        }
    }

    fn push(&self, parameter: &str, estimate: Estimate, rows: &mut Rows) {
        let Estimate {
            value,
            lower,
            upper,
        } = estimate;
        let ends = [lower, upper].map(|end| Cell::shown_as(end, show(parameter, end)));
        self.push_row(parameter, value, ends, rows);
    }

    /// A value that a search found, which has no interval.
    fn push_found(&self, parameter: &str, value: f64, rows: &mut Rows) {
        self.push_row(parameter, value, [Cell::nothing(), Cell::nothing()], rows);
    }

    fn push_row(&self, parameter: &str, value: f64, ends: [Cell; 2], rows: &mut Rows) {
        let [lower, upper] = ends;
        rows.push(vec![
            Cell::text(self.collective.clone()),
            Cell::text(self.algorithm),
            Cell::text(parameter),
            Cell::shown_as(value, show(parameter, value)),
            lower,
            upper,
            Cell::text(self.model),
        ]);
    }
}

/// A value as people read it, by the unit in the parameter's name.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are whole bytes"
)]
fn show(parameter: &str, value: f64) -> String {
    let quantity = parameter.split('@').next().unwrap_or(parameter);
    match quantity {
        _ if !value.is_finite() => "none".to_owned(),
        name if name.ends_with("_s_per_byte") => format!("{:.4} ns/B", value * 1e9),
        name if name.ends_with("_s") => Seconds(value).to_string(),
        name if name.ends_with("_bytes") => Bytes(value as u64).to_string(),
        name if name.ends_with("_pairs") => value.to_string(),
        _ => format!("{value:.4}"),
    }
}
