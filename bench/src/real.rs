//! `netsig-bench real`: predictions on real machines, beside rivals without a model.
//!
//! A set is a file, an algorithm and a cut c: all process counts up to c, at least two, are fitted, and all counts
//! beyond are judged. In tables of the OSU benchmarks every other size is fitted, at all process counts, and the sizes
//! between are judged. Sets weigh equally. Nothing is measured. sets.csv has a row for each set
//! and method, selection.csv a row for the choices of each method beyond a process count. Reductions are judged alone,
//! from files in a folder.

mod goals;
mod judge;
mod papers;
mod reductions;
mod report;
mod rows;
pub mod saturated;
mod selection;
mod sets;
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use netsig_base::data::Dataset;
use netsig_model::field::FieldPrior;
use netsig_model::fit::network::{ModelsToFit, NetworkFitOptions};
use netsig_model::profile::Profile;

use report::RealBenchmark;
use rows::JudgedRow;
use selection::SelectionRow;
use sets::{JudgedNetwork, SetGroup, SetSplit};

/// The results with one choice of priors.
#[derive(Default)]
struct PriorScores {
    sets: Vec<JudgedRow>,
    selection: Vec<SelectionRow>,
}

/// The sets without reductions.
const ALL_SETS: RealBenchmark = RealBenchmark {
    name: "real",
    goals: goals::goals,
};

/// The sets of reductions.
const ALL_REDUCTIONS: RealBenchmark = RealBenchmark {
    name: "real-reductions",
    goals: goals::goals_of_reductions,
};

/// Judges all sets, with an untuned prior and with the default one; false if a goal is missed.
pub fn run() -> Result<bool> {
    let mut networks = sets::kept_networks()?;
    networks.extend(papers::networks());
    networks.extend(tables::networks()?);
    let [default, untuned] = scores(&networks);
    report::publish(&ALL_SETS, &default, &untuned)
}

/// Judges the reductions in a folder, with both priors; false if a goal is missed.
pub fn run_reductions(folder: &Path) -> Result<bool> {
    let [default, untuned] = scores(&reductions::networks(folder)?);
    report::publish(&ALL_REDUCTIONS, &default, &untuned)
}

/// The scores with the default prior and with the untuned one.
fn scores(networks: &[JudgedNetwork]) -> [PriorScores; 2] {
    let [mut default, mut untuned] = [PriorScores::default(), PriorScores::default()];
    for network in networks {
        let priors = [FieldPrior::default(), UNTUNED];
        let rows = judged_rows(network, &priors);
        for ((scores, rows), prior) in [&mut default, &mut untuned].into_iter().zip(rows).zip(priors) {
            scores.sets.extend(rows);
            if matches!(network.group, SetGroup::Real | SetGroup::Reductions) {
                scores.selection.extend(selection::rows(network, prior));
            }
        }
    }
    [default, untuned]
}

/// A prior from before any of the data was seen: estimated medians and spreads.
const UNTUNED: FieldPrior = FieldPrior {
    medians: [0.5, 2.0, 0.25, 4.0, 0.2, 3.0, 0.03, 0.5, 4096.0],
    spreads: [0.7, 0.5, 0.6, 0.5, 0.8, 0.5, 0.7, 0.5, 1.5],
    step: 0.7,
    level: [3.0, 0.4],
    protocol: 1.5,
    widening: 1.0,
};

/// The scores of all sets of a network with each prior.
fn judged_rows(network: &JudgedNetwork, priors: &[FieldPrior; 2]) -> [Vec<JudgedRow>; 2] {
    let mut profiles: BTreeMap<SetSplit, [Option<Profile>; 2]> = BTreeMap::new();
    let mut rows = [Vec::new(), Vec::new()];
    for set in network.sets() {
        let profiles = profiles.entry(set.split).or_insert_with(|| {
            let part = network.part(set.split);
            priors.map(|prior| fit_profile(&part, prior))
        });
        // The field's prior does not affect the other methods.
        let others = judge::scores_of_others(&set, profiles[0].as_ref());
        for (rows, profile) in rows.iter_mut().zip(profiles) {
            let netsig_scores = judge::scores_of_netsig(&set, profile.as_ref());
            let scores = netsig_scores.into_iter().chain(others.iter().cloned());
            rows.extend(scores.map(|score| JudgedRow::of(&set, score)));
        }
    }
    rows
}

/// The profile of data; `None` if they cannot be fitted.
fn fit_profile(data: &Dataset, prior: FieldPrior) -> Option<Profile> {
    let options = NetworkFitOptions {
        models_to_fit: ModelsToFit::Any,
        field: prior,
        ..NetworkFitOptions::default()
    };
    let fitted = Profile::fit(data, "data", &options, &[]);
    fitted.ok().map(|(_, profile)| profile)
}
