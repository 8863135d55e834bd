//! Fitted parameters as rows.

use netsig_core::fit::Estimate;
use netsig_core::fit::network::{FittedModel, NetworkFit};
use netsig_core::fit::signature::Parameter;
use netsig_core::model::plogp::Table;
use netsig_core::registry::SIGNATURE;
use netsig_core::units::{Bytes, Seconds};

use crate::rows::{Cell, Rows};

/// Whose parameter it is.
struct Owner<'a> {
    collective: String,
    algorithm: &'a str,
    model: &'a str,
}

/// α, β and the parameters of the signatures, with their intervals.
pub fn of_signatures(fitted: &NetworkFit) -> Rows {
    let mut rows = Rows::new(&[
        "collective",
        "algorithm",
        "parameter",
        "value",
        "lower",
        "upper",
        "model",
    ]);
    let hockney = Owner {
        collective: String::new(),
        algorithm: "",
        model: "hockney",
    };
    hockney.push("alpha_s", fitted.hockney.alpha, &mut rows);
    hockney.push("beta_s_per_byte", fitted.hockney.beta, &mut rows);
    for algorithm in &fitted.signatures {
        let owner = Owner {
            collective: algorithm.collective.to_string(),
            algorithm: &algorithm.algorithm,
            model: SIGNATURE,
        };
        for (parameter, estimate) in &algorithm.fit.parameters {
            let name = match parameter {
                Parameter::GammaBelow => "gamma_below",
                Parameter::Gamma => "gamma",
                Parameter::Delta => "delta_s",
            };
            owner.push(name, *estimate, &mut rows);
        }
        if let Some(m) = algorithm.fit.threshold {
            let [value, lower, upper] = [m.value, m.lower, m.upper].map(Bytes::as_f64);
            let estimate = Estimate {
                value,
                lower,
                upper,
            };
            owner.push("threshold_bytes", estimate, &mut rows);
        }
    }
    rows
}

/// The same, and the parameters of all other models.
pub fn of_all(fitted: &NetworkFit) -> Rows {
    let mut rows = of_signatures(fitted);
    for model in &fitted.models {
        push_model(model, &mut rows);
    }
    rows
}

fn push_model(fitted: &FittedModel, rows: &mut Rows) {
    let owner = Owner {
        collective: fitted.collective.to_string(),
        algorithm: &fitted.algorithm,
        model: fitted.model.name,
    };
    let values = fitted
        .model
        .parameters
        .iter()
        .zip(&fitted.fit.values.numbers);
    for (place, (parameter, &value)) in values.enumerate() {
        match fitted
            .fit
            .estimates
            .iter()
            .find(|(index, _)| *index == place)
        {
            Some((_, estimate)) => owner.push(parameter.name, *estimate, rows),
            None => owner.push_found(parameter.name, value, rows),
        }
    }
    let latency = fitted.fit.values.latency.iter();
    for (size, value) in latency.flat_map(Table::rows) {
        owner.push_found(&format!("latency_s@{}", size.0), value.0, rows);
    }
}

impl Owner<'_> {
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
    match parameter {
        _ if !value.is_finite() => "none".to_owned(),
        name if name.ends_with("_s_per_byte") => format!("{:.4} ns/B", value * 1e9),
        name if name.ends_with("_s") || name.contains("_s@") => Seconds(value).to_string(),
        name if name.ends_with("_bytes") => Bytes(value as u64).to_string(),
        _ => format!("{value:.4}"),
    }
}
