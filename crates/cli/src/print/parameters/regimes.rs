//! Fitted regimes as rows.

use netsig_core::fit::network::FittedRegimes;
use netsig_core::fit::regimes::{Column, RegimesFit};
use netsig_core::model::REGIMES;
use netsig_core::model::regimes::{Class, Protocol};
use netsig_core::stats::interval::Estimate;

use super::Owner;
use crate::print::rows::Rows;

/// b, the eager limit, and the parameters of either protocol; those of a class of process
/// counts are named with it.
pub(super) fn push(fitted: &FittedRegimes, confidence: f64, rows: &mut Rows) {
    let owner = Owner {
        collective: fitted.collective.to_string(),
        algorithm: &fitted.algorithm,
        model: REGIMES,
    };
    for fit in &fitted.fit.fits {
        let own = Own {
            owner: &owner,
            fit,
            confidence,
        };
        own.push(rows);
    }
}

/// The fit of one class.
struct Own<'a> {
    owner: &'a Owner<'a>,
    fit: &'a RegimesFit,
    confidence: f64,
}

impl Own<'_> {
    fn push(&self, rows: &mut Rows) {
        self.push_estimate("latency_s", Column::Latency, rows);
        self.push_estimate("startup_s", Column::Startup, rows);
        if let Some(limit) = self.fit.model.eager_limit {
            self.push_found("eager_limit_bytes", limit.as_f64(), rows);
        }
        self.push_estimate("slowdown_eager", Column::Slowdown, rows);
        for (protocol, name) in [
            (Protocol::Eager, "eager"),
            (Protocol::Rendezvous, "rendezvous"),
        ] {
            self.push_estimate(&format!("gamma_{name}"), Column::Gamma(protocol), rows);
            self.push_estimate(&format!("growth_{name}"), Column::Growth(protocol), rows);
            self.push_estimate(&format!("overlap_{name}"), Column::Overlap(protocol), rows);
            self.push_stalls(protocol, name, rows);
        }
    }

    fn push_stalls(&self, protocol: Protocol, name: &str, rows: &mut Rows) {
        let parameters = self.fit.model.parameters(protocol);
        let Some(stalls) = parameters.and_then(|parameters| parameters.stalls) else {
            return;
        };
        if let Some(onset) = stalls.onset {
            let estimate = Estimate {
                value: onset.bytes,
                lower: onset.lower,
                upper: onset.upper,
            };
            self.owner
                .push(&self.named("overflow_bytes"), estimate, rows);
        }
        self.push_found(&format!("stall_rate_{name}"), stalls.rate, rows);
        self.push_found(&format!("stall_{name}_s"), stalls.cost.0, rows);
    }

    fn push_estimate(&self, name: &str, column: Column, rows: &mut Rows) {
        if let Some(estimate) = self.fit.estimate(column, self.confidence) {
            self.owner.push(&self.named(name), estimate, rows);
        }
    }

    fn push_found(&self, name: &str, value: f64, rows: &mut Rows) {
        self.owner.push_found(&self.named(name), value, rows);
    }

    fn named(&self, name: &str) -> String {
        match self.fit.class {
            Class::Every => name.to_owned(),
            Class::Power => format!("{name}@powers-of-two"),
            Class::Other => format!("{name}@others"),
        }
    }
}
