//! Notes and warnings on standard error: the limits of predictions.

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
use netsig_core::network::scenario::Scenario;
use netsig_core::profile::Profile;
use netsig_core::units::Bytes;

use crate::input::points::PointArgs;

/// By what share an overhead may exceed the gap unremarked.
const TOLERANCE: f64 = 0.03;

/// What was predicted from what.
pub struct Notes<'a> {
    /// What was to be predicted.
    pub points: &'a PointArgs,
    /// The profile.
    pub profile: &'a Profile,
    /// The scenario whose links the predictions take.
    pub network: Option<&'a str>,
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
    let counts = counts.map(|(kind, n)| format!("{n} {kind}")).join(", ");
    if !counts.is_empty() {
        eprintln!(
            "netsig: note: cells without repetitions, for which another program's statistic stands: {counts}"
        );
    }
    let names = unfitted(fitted, data).join(", ");
    if !names.is_empty() {
        eprintln!("netsig: note: nothing is fitted to {names}");
    }
}

/// The measured algorithms that nothing is fitted to, each once.
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

impl Notes<'_> {
    /// Tells what matters where `models` were used.
    pub fn tell(&self, models: &[&Model]) {
        let uses_plogp = models.iter().any(|m| m.needs.contains(&Need::PLogP));
        match &self.profile.plogp {
            _ if !uses_plogp => {}
            None => eprintln!(
                "netsig: note: {} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or",
                self.points.profile.display()
            ),
            Some(plogp) => self.tell_limits(plogp, models),
        }
        let has_strategies = models.iter().any(|m| m.kind == Kind::ContentionFree);
        if self.points.collective == Collective::Gather && has_strategies {
            eprintln!(
                "netsig: warning: gather is predicted without contention; many senders to one receiver take longer"
            );
        }
        self.tell_about_links(models);
    }

    /// Warns where regimes are predicted on other links than they were fitted with.
    fn tell_about_links(&self, models: &[&Model]) {
        let fitted = self.profile.provenance.get("network");
        let uses_regimes = models.iter().any(|model| model.is_regimes());
        let of = |name: Option<&str>| {
            name.map_or("no links".to_owned(), |name| format!("the links of {name}"))
        };
        if uses_regimes && fitted != self.network {
            eprintln!(
                "netsig: warning: the regimes were fitted with {} and are predicted with {}; give the same --network to both",
                of(fitted),
                of(self.network)
            );
        }
    }

    /// The largest size that the models look up: relays of a scatter or gather hand on many
    /// blocks at once.
    fn largest(&self, models: &[&Model]) -> Bytes {
        let size = self.points.size.items().iter().max().copied();
        let size = size.unwrap_or_default();
        let flat = on_plogp(self.points.collective, ClosedForm::Flat);
        let relays = matches!(
            self.points.collective,
            Collective::Scatter | Collective::Gather
        ) && models
            .iter()
            .any(|&model| flat.is_none_or(|flat| flat != model));
        let blocks = self.points.most().map_or(1, |procs| procs.get() - 1);
        if relays {
            Bytes(size.0.saturating_mul(u64::from(blocks)))
        } else {
            size
        }
    }

    /// Where the tables end, are suspicious, or allow no limits.
    fn tell_limits(&self, plogp: &PLogP, models: &[&Model]) {
        let largest = self.largest(models);
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
        let is_degenerate = |model: &&Model| {
            let mut sizes = self.points.size.items().iter();
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
