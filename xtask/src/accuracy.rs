//! `cargo xtask accuracy [NETWORK...]`: how far predictions are off at process counts that
//! nothing was fitted to, for every model that applies, a generic regression, an interpolation
//! and, where it is installed, SMPI.
//!
//! All data come from emulated clusters and are measured once; what is complete in
//! bench/results/accuracy is not measured again. Whatever is fitted sees the process counts
//! of its trial alone (`split.rs`); the medians of the cells beyond eight processes are the
//! truth. The tables go to standard output and to table.md; residuals.csv has a row for each
//! held-out cell and contender, commands.txt what was measured how.

mod campaign;
mod contenders;
mod naive;
mod osu;
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
use netsig_core::profile::Profile;
use netsig_core::stats::sample::Sorted;
use netsig_core::units::{Bytes, Procs, Seconds};

use campaign::{Cost, FURTHER, NETWORKS, Network, Place};
use contenders::Judge;
use score::Row;
use split::{Measured, Trial};

/// The network that SMPI is asked about, since its all-to-all is on a star.
const SMPI_NETWORK: &str = "ethernet-12x40";

/// All parts of the regimes that are not chosen from held-out counts.
const WHOLE: Parts = Parts {
    eager_growth: false,
    rendezvous_growth: true,
    corrections: true,
    stalls: true,
    slowdown: true,
};

/// The regimes with one part less, and with eager growth, so that each shows what it is worth.
const WITHOUT: [(&str, Parts); 6] = [
    ("regimes with all parts", WHOLE),
    (
        "regimes without growth",
        Parts {
            rendezvous_growth: false,
            ..WHOLE
        },
    ),
    (
        "regimes without rho",
        Parts {
            corrections: false,
            ..WHOLE
        },
    ),
    (
        "regimes without stalls",
        Parts {
            stalls: false,
            ..WHOLE
        },
    ),
    (
        "regimes without slowdown",
        Parts {
            slowdown: false,
            ..WHOLE
        },
    ),
    (
        "regimes with eager growth",
        Parts {
            eager_growth: true,
            ..WHOLE
        },
    ),
];

/// Times by process count and size.
type Times = BTreeMap<(Procs, Bytes), Seconds>;

/// All that came out.
#[derive(Default)]
struct Outcome {
    rows: Vec<Row>,
    costs: Vec<(&'static str, Cost)>,
    repeated: Vec<Repeated>,
    notes: Vec<String>,
}

/// How far the launches of an algorithm's held-out cells are apart.
struct Repeated {
    network: &'static str,
    collective: Collective,
    algorithm: String,
    apart: Sorted,
}

/// Measures what is missing and judges the networks, all if none is named; false if a target
/// is missed.
pub fn run(wanted: &[&str]) -> Result<bool> {
    let root = crate::root();
    let netsig = root.join("target/release/netsig");
    let results = root.join("bench/results/accuracy");
    fs::create_dir_all(&results).context("bench/results/accuracy cannot be made")?;
    let place = Place { root, results };
    let networks = chosen(wanted)?;
    let mut outcome = Outcome::default();
    for &network in &networks {
        if !place.is_complete(network) {
            ensure!(
                netsig.is_file(),
                "{} is not built; run `make bench-accuracy`",
                netsig.display()
            );
            place.measure(network, &netsig)?;
        }
        outcome.judge(network, &place)?;
    }
    outcome.judge_osu()?;
    report::write(&outcome, &networks, &place)
}

/// The networks of these names; the standing ones if there are none.
fn chosen(wanted: &[&str]) -> Result<Vec<&'static Network>> {
    if wanted.is_empty() {
        return Ok(NETWORKS.iter().collect());
    }
    let known = || NETWORKS.iter().chain([&FURTHER]);
    let find = |name: &&str| {
        known()
            .find(|network| network.name == *name)
            .with_context(|| {
                let known: Vec<&str> = known().map(|network| network.name).collect();
                let known = known.join(", ");
                format!("{name:?} is no network of this bench; write one of: {known}")
            })
    };
    wanted.iter().map(find).collect()
}

impl Outcome {
    /// All trials on one network.
    fn judge(&mut self, network: &'static Network, place: &Place) -> Result<()> {
        let data = place.read(network)?;
        self.costs.push((network.name, Cost::of(&data.train)?));
        for ((collective, algorithm), apart) in split::repeated(&data) {
            self.repeated.push(Repeated {
                network: network.name,
                collective,
                algorithm,
                apart: Sorted::new(apart),
            });
        }
        let free = split::fit(&data, Trial::Eight, None)?.profile;
        let smpi = self.smpi(network.name, &data, &free)?;
        for trial in Trial::ALL {
            self.judge_trial(network.name, (&data, trial), (&free, &smpi))?;
        }
        Ok(())
    }

    /// The tables of the OSU micro-benchmarks, where somebody has some.
    fn judge_osu(&mut self) -> Result<()> {
        let Some(data) = osu::data()? else {
            let note = format!("SKIPPED: {} names no directory with OSU tables", osu::PLACE);
            self.notes.push(note);
            return Ok(());
        };
        let free = split::fit(&data, Trial::Osu, None)?.profile;
        self.judge_trial(osu::NETWORK, (&data, Trial::Osu), (&free, &Times::new()))
    }

    fn judge_trial(
        &mut self,
        network: &'static str,
        (data, trial): (&Measured, Trial),
        (free, smpi): (&Profile, &Times),
    ) -> Result<()> {
        let fitted = split::fit(data, trial, None)?;
        let notes = fitted.notes.iter();
        self.notes
            .extend(notes.map(|note| format!("{network}, {}: {note}", trial.name())));
        let judge = Judge::new(&fitted, free, smpi);
        let heldout = split::heldout(data);
        ensure!(
            !heldout.is_empty(),
            "{network}: no cell beyond {} processes",
            split::MOST
        );
        self.rows.extend(judge.rows(&heldout, (network, trial))?);
        if trial == Trial::Eight {
            for &(name, parts) in &WITHOUT {
                let fitted = split::fit(data, trial, Some(parts))?;
                let judge = Judge::new(&fitted, free, smpi);
                self.rows
                    .extend(judge.regimes(&heldout, (network, trial), name)?);
            }
        }
        Ok(())
    }

    /// What SMPI says of the held-out cells, where it is asked and answers.
    fn smpi(&mut self, network: &str, data: &Measured, free: &Profile) -> Result<Times> {
        if network != SMPI_NETWORK {
            return Ok(Times::new());
        }
        let heldout = split::heldout(data);
        let (times, note) = smpi::predict(&free.hockney.model(), &heldout)?;
        self.notes.push(note);
        Ok(times)
    }
}
