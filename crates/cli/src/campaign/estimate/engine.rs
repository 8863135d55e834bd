//! The estimates and budgets of `netsig_measure` for plans that have a file.

use netsig_measure::budget;
use netsig_measure::plan::Plan;

pub use netsig_measure::estimate::{Rates, estimate};

use netsig_core::units::Seconds;

use crate::failure::Failure;
use crate::input::asked::Asked;

/// What of a plan fits into a budget.
#[derive(Debug)]
pub struct Fitted {
    /// The plan that does.
    pub asked: Asked,
    /// The cells that do not.
    pub dropped: Vec<String>,
}

/// Even the least of a plan takes so long.
#[derive(Debug, Clone, Copy)]
pub struct TooLittle(pub Seconds);

/// A short plan whose data tell the rates.
pub fn probe(plan: &Asked) -> Result<Asked, Failure> {
    Asked::parse(&plan.file, Plan::probe(plan.plan.procs()).to_toml())
}

/// What of `asked` fits into `budget`.
pub fn fit_into(asked: &Asked, budget: Seconds, rates: &Rates) -> Result<Fitted, TooLittle> {
    let fitted = budget::fit_into(&asked.plan, budget, rates)
        .map_err(|too_little| TooLittle(too_little.least))?;
    let dropped = fitted.dropped.iter().map(ToString::to_string).collect();
    let asked = if fitted.plan == asked.plan {
        asked.clone()
    } else {
        Asked::parse(&asked.file, fitted.plan.to_toml()).expect("a plan reads as it is written")
    };
    Ok(Fitted { asked, dropped })
}
