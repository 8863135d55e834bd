//! `netsig-bench real`: predictions on machines that nobody emulated, beside rivals without a model.
//!
//! A set is a file, an algorithm and a cut c: all process counts up to c are fitted, at least two, and all
//! beyond are judged. Sets weigh equally. Nothing is measured; sets.csv has a row for each set and method.

mod judge;
mod papers;
mod report;
pub mod saturated;
mod sets;

use std::collections::BTreeMap;

use anyhow::Result;
use netsig_base::data::Dataset;
use netsig_base::units::Procs;
use netsig_model::field::FieldPrior;
use netsig_model::fit::network::{Options, Wanted};
use netsig_model::profile::Profile;

use judge::SetScore;
use report::JudgedRow;
use sets::MeasuredNetwork;

/// Judges all sets; false if a goal is missed.
pub fn run() -> Result<bool> {
    let mut networks = sets::kept()?;
    networks.extend(papers::networks());
    let of_prior = |prior: FieldPrior| {
        networks
            .iter()
            .flat_map(move |own| judged(own, prior))
            .collect::<Vec<_>>()
    };
    report::publish(&of_prior(FieldPrior::default()), &of_prior(UNTUNED))
}

/// The prior of a first draft, before any of the data was seen: medians and spreads by feeling.
const UNTUNED: FieldPrior = FieldPrior {
    medians: [0.5, 2.0, 0.25, 4.0, 0.2, 3.0, 0.03, 0.5, 4096.0],
    spreads: [0.7, 0.5, 0.6, 0.5, 0.8, 0.5, 0.7, 0.5, 1.5],
    step: 0.7,
    level: [3.0, 0.4],
    protocol: 1.5,
    widening: 1.0,
};

/// The scores of all sets of a network.
fn judged(network: &MeasuredNetwork, prior: FieldPrior) -> Vec<JudgedRow> {
    let mut profiles: BTreeMap<Procs, Option<Profile>> = BTreeMap::new();
    let mut rows = Vec::new();
    for set in network.sets() {
        let cut = set.cut;
        let profile = profiles
            .entry(cut)
            .or_insert_with(|| fitted(&network.up_to(cut), prior));
        let scores = judge::scores(&set, profile.as_ref());
        rows.extend(
            scores
                .into_iter()
                .map(|score: SetScore| JudgedRow::of(&set, score)),
        );
    }
    rows
}

/// The profile of data; `None` if they cannot be fitted.
fn fitted(data: &Dataset, prior: FieldPrior) -> Option<Profile> {
    let options = Options {
        wanted: Wanted::Any,
        field: prior,
        ..Options::default()
    };
    let fitted = Profile::fit(data, "data", &options, &[]);
    fitted.ok().map(|(_, profile)| profile)
}
