//! `netsig-bench accuracy [NETWORK…]`: errors of predictions at process counts that were not
//! fitted, for every applicable model, a generic regression, an interpolation, and SMPI where it is
//! installed.
//!
//! All data come from emulated clusters and are measured once: complete files in
//! bench/results/accuracy are not measured again. A fit gets only the process counts of its trial
//! (`split.rs`); the medians of the cells with more than eight processes are the truth. The tables
//! go to standard output and to table.md; residuals.csv has a row for each held-out cell and
//! contender.

mod campaign;
mod contenders;
mod naive;
mod regression;
mod report;
mod score;
mod smpi;
mod split;
mod targets;

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, ensure};
use netsig_core::algorithm::Collective;
use netsig_core::fit::regimes::Parts;
use netsig_core::stats::sample::Sorted;
use netsig_core::units::{Bytes, Procs, Seconds};
use strum::IntoEnumIterator as _;

use campaign::{Cost, FURTHER, NETWORKS, Network, OSU};
use contenders::Judge;
use score::Row;
use split::{Measured, Trial};

/// The network that SMPI simulates: SMPI's all-to-all runs on a star.
const SMPI_NETWORK: &str = "ethernet-12x40";

/// All parts of the regimes except eager growth, without a choice by cross-validation.
const WHOLE: Parts = Parts {
    eager_growth: false,
    rendezvous_growth: true,
    corrections: true,
    stalls: true,
    slowdown: true,
};

/// A change of the parts.
type Change = fn(&mut Parts);

/// The regimes without one part, and with eager growth, to show the effect of each part on the
/// errors.
const WITHOUT: [(&str, Change); 6] = [
    ("regimes with all parts", |_| ()),
    ("regimes without growth", |p| p.rendezvous_growth = false),
    ("regimes without rho", |p| p.corrections = false),
    ("regimes without stalls", |p| p.stalls = false),
    ("regimes without slowdown", |p| p.slowdown = false),
    ("regimes with eager growth", |p| p.eager_growth = true),
];

/// Times by process count and size.
type Times = BTreeMap<(Procs, Bytes), Seconds>;

/// The results of all networks.
#[derive(Default)]
struct Outcome {
    rows: Vec<Row>,
    costs: Vec<(&'static str, Cost)>,
    /// The differences between the two launches of held-out cells, by algorithm.
    repeated: Vec<(&'static str, Collective, String, Sorted)>,
    notes: Vec<String>,
}

/// Measures the missing data and evaluates the networks, all if `wanted` is empty; false if a
/// target is missed.
pub fn run(wanted: &[String]) -> Result<bool> {
    let results = crate::root().join("bench/results/accuracy");
    fs::create_dir_all(&results).context("bench/results/accuracy cannot be made")?;
    let mut outcome = Outcome::default();
    for network in chosen(wanted)? {
        outcome.judge(network)?;
    }
    match campaign::osu()? {
        Some(data) => outcome.judge_trials("osu", &data, &[Trial::Osu])?,
        None => outcome.notes.push(format!(
            "SKIPPED: {OSU} is missing; `netsig import osu` makes it of tables"
        )),
    }
    report::write(&outcome, &results)
}

/// The networks with these names; the default networks if there are no names.
fn chosen(wanted: &[String]) -> Result<Vec<&'static Network>> {
    if wanted.is_empty() {
        return Ok(NETWORKS.iter().collect());
    }
    let known = || NETWORKS.iter().chain([&FURTHER]);
    let find = |name: &String| {
        let found = known().find(|network| network.0 == name);
        found.with_context(|| {
            let known: Vec<&str> = known().map(|network| network.0).collect();
            let known = known.join(", ");
            format!("{name:?} is no network of this bench; write one of: {known}")
        })
    };
    wanted.iter().map(find).collect()
}

impl Outcome {
    /// Evaluates all trials on one network.
    fn judge(&mut self, network: &'static Network) -> Result<()> {
        let data = network.measured()?;
        self.costs.push((network.0, Cost::of(&data.train)?));
        for ((collective, algorithm), apart) in split::repeated(&data) {
            let apart = Sorted::new(apart);
            self.repeated
                .push((network.0, collective, algorithm, apart));
        }
        self.judge_trials(network.0, &data, &Trial::iter().collect::<Vec<_>>())
    }

    fn judge_trials(
        &mut self,
        network: &'static str,
        data: &Measured,
        trials: &[Trial],
    ) -> Result<()> {
        let heldout = split::heldout(data);
        let most = split::MOST;
        ensure!(
            !heldout.is_empty(),
            "{network}: no cell beyond {most} processes"
        );
        let free = split::fit(data, trials[0], None)?.profile;
        let mut smpi = Times::new();
        if network == SMPI_NETWORK {
            let note;
            (smpi, note) = smpi::predict(&free.hockney.model(), &heldout)?;
            self.notes.push(note);
        }
        for &trial in trials {
            let without = WITHOUT.iter().filter(|_| trial == Trial::Eight);
            let without = without.map(|(name, change)| {
                let mut parts = WHOLE;
                change(&mut parts);
                (Some(parts), Some(*name))
            });
            for (parts, called) in [(None, None)].into_iter().chain(without) {
                let fitted = &split::fit(data, trial, parts)?;
                let judge = Judge {
                    network,
                    fitted,
                    free: &free,
                    smpi: &smpi,
                };
                self.rows.extend(judge.rows(&heldout, called));
                if parts.is_none() {
                    let notes = fitted.notes.iter();
                    let notes = notes.map(|note| format!("{network}, {trial}: {note}"));
                    self.notes.extend(notes);
                }
            }
        }
        Ok(())
    }
}
