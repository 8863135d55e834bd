//! Notes and warnings on standard error: the limits of predictions.

use std::path::Path;

use netsig_core::algorithm::{ClosedForm, Collective};
use netsig_core::data::cells::summarise;
use netsig_core::data::{Dataset, Experiment};
use netsig_core::fit::network::NetworkFit;
use netsig_core::model::alltoall::has_degenerate_bounds;
use netsig_core::model::closed_form::on_plogp;
use netsig_core::model::plogp::PLogP;
use netsig_core::model::{Kind, Model, Need};
use netsig_core::network::scenario::Scenario;
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Procs};

/// By what share an overhead may exceed the gap unremarked.
const TOLERANCE: f64 = 0.03;

/// What was predicted from what.
pub struct Notes<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its file.
    pub name: &'a Path,
    /// The collective.
    pub collective: Collective,
    /// The process counts.
    pub procs: &'a [Procs],
    /// The sizes.
    pub sizes: &'a [Bytes],
}

/// What data without pLogP mean for the models that are made of it.
pub fn tell_about_tables() {
    eprintln!(
        "netsig: note: without pLogP tables g, os and or are alpha + beta m, so some models coincide: \
         free with hockney, factor_003 with slowdown"
    );
}

/// What stands for repetitions that are not in the data, and which algorithms nothing was
/// fitted to.
pub fn tell_about_data(fitted: &NetworkFit, data: &Dataset) {
    let counts = fitted.imported.iter();
    let counts: Vec<String> = counts.map(|(kind, n)| format!("{n} {kind}")).collect();
    if !counts.is_empty() {
        eprintln!(
            "netsig: note: cells without repetitions, for which another program's statistic stands: {}",
            counts.join(", ")
        );
    }
    let names = unfitted(fitted, data);
    if !names.is_empty() {
        eprintln!("netsig: note: nothing is fitted to {}", names.join(", "));
    }
}

/// The measured algorithms that nothing is fitted to.
fn unfitted(fitted: &NetworkFit, data: &Dataset) -> Vec<String> {
    let models = fitted.models.iter();
    let models = models.filter_map(|own| Some((own.collective()?, &own.algorithm)));
    let regimes = fitted
        .regimes
        .iter()
        .map(|own| (own.collective, &own.algorithm));
    let known: Vec<(Collective, &String)> = models.chain(regimes).collect();
    let mut names = Vec::new();
    for key in summarise(data).into_keys() {
        let Experiment::Collective(collective) = key.experiment else {
            continue;
        };
        let is_own =
            |own: &&(Collective, &String)| own.0 == collective && **own.1 == *key.algorithm;
        let name = format!("{collective} {}", key.algorithm);
        if !known.iter().any(|own| is_own(&own)) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Notes<'_> {
    /// Tells what matters where `models` were used.
    pub fn tell(&self, models: &[&Model]) {
        let uses_plogp = models.iter().any(|m| m.needs.contains(&Need::PLogP));
        match &self.profile.plogp {
            _ if !uses_plogp => {}
            None => eprintln!(
                "netsig: note: {} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or",
                self.name.display()
            ),
            Some(plogp) => self.tell_limits(plogp, models),
        }
        let has_strategies = models.iter().any(|m| m.kind == Kind::ContentionFree);
        if self.collective == Collective::Gather && has_strategies {
            eprintln!(
                "netsig: warning: gather is predicted without contention; many senders to one receiver take longer"
            );
        }
    }

    /// Warns where regimes are predicted on other links than they were fitted with.
    pub fn tell_about_links(&self, models: &[&Model], network: Option<&str>) {
        let fitted = self.profile.provenance.get("network");
        let uses_regimes = models.iter().any(|model| model.is_regimes());
        let of = |name: Option<&str>| {
            name.map_or("no links".to_owned(), |name| format!("the links of {name}"))
        };
        if uses_regimes && fitted != network {
            eprintln!(
                "netsig: warning: the regimes were fitted with {} and are predicted with {}; give the same --network to both",
                of(fitted),
                of(network)
            );
        }
    }

    /// The largest size that the models look up: relays of a scatter or gather hand on many
    /// blocks at once.
    fn largest(&self, models: &[&Model]) -> Bytes {
        let size = self.sizes.iter().max().copied().unwrap_or_default();
        let flat = on_plogp(self.collective, ClosedForm::Flat);
        let relays = matches!(self.collective, Collective::Scatter | Collective::Gather)
            && models
                .iter()
                .any(|&model| flat.is_none_or(|flat| flat != model));
        let blocks = self.procs.iter().max().map_or(1, |procs| procs.get() - 1);
        if relays {
            Bytes(size.0.saturating_mul(u64::from(blocks)))
        } else {
            size
        }
    }

    /// Where the tables end, are suspicious, or allow no limits.
    fn tell_limits(&self, plogp: &PLogP, models: &[&Model]) {
        let largest = self.largest(models);
        if plogp
            .tables()
            .iter()
            .any(|table| table.is_extrapolated(largest))
        {
            eprintln!("netsig: warning: sizes beyond the last of the pLogP table are extrapolated");
        }
        let small = plogp.sizes_with_small_gap(TOLERANCE);
        if let Some(size) = small.first() {
            eprintln!(
                "netsig: warning: os or or exceeds g at {} sizes of the pLogP tables, first at {size}; were they measured well?",
                small.len()
            );
        }
        let is_degenerate = |model: &&Model| {
            let mut sizes = self.sizes.iter();
            sizes.any(|&size| has_degenerate_bounds(model, plogp, size))
        };
        if models.iter().any(is_degenerate) {
            eprintln!(
                "netsig: warning: os + or < g: the upper limit of upper_003 lies below the lower one; use factor_001"
            );
        }
    }
}

/// Tells if the machine and not the network would set the times of a scenario.
pub fn warn_if_unfaithful(scenario: &Scenario) {
    if let Some(warning) = scenario.fidelity_warning() {
        eprintln!("netsig: warning: {warning}");
    }
}
