//! `netsig-bench accuracy`: errors of netsig's predictions, and of other methods, on emulated
//! networks that nothing was adjusted to, because a seed draws them (`draw`).
//!
//! Profiles are made by netsig's commands on half or a quarter of the hosts (`campaign`); the truth
//! is measured at ¾ and all of the hosts (`truth`); `trial` says which data are judged on which
//! cells, `rivals` holds the other methods, `goals` the figures. Tables go to standard output and
//! table.md; residuals.csv has a row for each cell and method. A network takes about 15 minutes and
//! is measured once.

mod campaign;
mod goals;
mod ours;
mod report;
mod rivals;
mod row;
mod score;
mod trial;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::Result;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, Summary, summarise};
use netsig_base::data::{Aggregate, Dataset, Experiment, Place, StatisticKind};
use netsig_base::units::{Bytes, Seconds};
use netsig_model::predict::Asked;
use netsig_model::profile::Profile;

use campaign::{HALF, Learned, Measured, QUARTER};
use ours::Ours;
use rivals::smpi;
use row::{Row, Trial};
use trial::Judge;
use truth::{ALLTOALLS, Cell, Key, OTHERS};

use crate::draw::{self, Drawn};
use crate::goal::Goal;
use crate::site::{self, Site};

/// Name of the benchmark's folders.
const BENCHMARK: &str = "accuracy";

/// The results of all networks.
#[derive(Default)]
struct Outcome {
    rows: Vec<Row>,
    notes: Vec<String>,
    /// Measuring time over budget, of each campaign.
    budgets: Vec<f64>,
    /// Seconds of each fit.
    fits: Vec<f64>,
    /// Microseconds of one prediction, of each network.
    predictions: Vec<f64>,
}

/// Measures the missing data of the first networks of a seed and judges the predictions; false if a
/// goal is missed. With `only_measure` nothing is judged.
pub fn run(seed: u64, networks: u32, only_measure: bool) -> Result<bool> {
    let results = site::results(BENCHMARK)?;
    let mut outcome = Outcome::default();
    for number in 0..networks {
        let drawn = draw::network(seed, number)?;
        eprintln!("{}: {}, {}", drawn.name, drawn.whole.summary(), drawn.mpi);
        let site = Site::new(BENCHMARK, &drawn.name)?;
        let measured = campaign::measured(&drawn, &site)?;
        if !only_measure {
            outcome.judge(&drawn, &site, &measured)?;
        }
    }
    if only_measure {
        return Ok(true);
    }
    outcome.judge_osu(&Site::new(BENCHMARK, "osu")?)?;
    report::write(&outcome, &results)
}

impl Outcome {
    /// Judges all trials of a network.
    fn judge(&mut self, drawn: &Drawn, site: &Site, measured: &Measured) -> Result<()> {
        let words = drawn.whole.summary();
        self.notes
            .push(format!("{}: {words}, {}", drawn.name, drawn.mpi));
        self.notes.extend(measured.notes.iter().cloned());
        for learned in &measured.learned {
            self.budgets
                .push(learned.seconds / f64::from(learned.campaign.budget));
            self.fits.push(learned.fit_seconds);
        }
        let truth = truth::cells(&measured.truth, Some(&drawn.whole));
        self.judge_learned(drawn, measured, &truth);
        let Some(half) = measured.learned(HALF) else {
            return Ok(());
        };
        self.predictions.extend(speed(half, drawn, &truth));
        self.judge_smpi(drawn, half, &truth)?;
        for out in ALLTOALLS {
            let data = half.data.part(|place| *place.algorithm != *out);
            let profile = self.fitted(site, &format!("without-{out}"), &data, Some(drawn))?;
            let judge = Judge::new(drawn, &truth, Trial::LeftOut, (profile.as_ref(), &data));
            self.rows
                .extend(judge.rows(|key| key.is_alltoall() && key.algorithm == out));
        }
        let tables = tables(&half.data, &truth);
        let profile = self.fitted(site, "tables", &tables, Some(drawn))?;
        let judge = Judge::new(drawn, &truth, Trial::Tables, (profile.as_ref(), &tables));
        let is_between = |key: &Key| key.is_alltoall() && !key.size.0.is_power_of_two();
        self.rows.extend(judge.rows(is_between));
        Ok(())
    }

    /// Judges the profiles that netsig's commands made; without one every prediction is missing.
    fn judge_learned(&mut self, drawn: &Drawn, measured: &Measured, truth: &BTreeMap<Key, Cell>) {
        let none = Dataset::default();
        let judge = |trial, name| {
            let learned = measured.learned(name);
            let profile = learned.map(|learned| &learned.profile);
            let data = learned.map_or(&none, |learned| &learned.data);
            Judge::new(drawn, truth, trial, (profile, data))
        };
        self.rows
            .extend(judge(Trial::Half, HALF).rows(Key::is_alltoall));
        if drawn.quarter.is_some() {
            let is_whole = |key: &Key| key.is_alltoall() && key.procs == drawn.whole.hosts();
            self.rows
                .extend(judge(Trial::Quarter, QUARTER).rows(is_whole));
        }
        for (collective, _) in OTHERS {
            let name: &'static str = collective.into();
            let judge = judge(Trial::Others, name);
            self.rows
                .extend(judge.rows(|key| key.collective == collective));
        }
    }

    /// Judges SMPI on direct exchange, which it simulates on stars.
    fn judge_smpi(
        &mut self,
        drawn: &Drawn,
        half: &Learned,
        truth: &BTreeMap<Key, Cell>,
    ) -> Result<()> {
        let is_star = drawn.whole.cuts().is_some_and(<[_]>::is_empty);
        let is_direct = |key: &Key| is_star && key.is_alltoall() && key.algorithm == ALLTOALLS[0];
        let keys = || truth.keys().filter(|key| is_direct(key));
        let counts: BTreeSet<_> = keys().map(|key| key.procs).collect();
        let sizes: BTreeSet<_> = keys().map(|key| key.size).collect();
        let (times, note) = smpi::predict(&half.profile, &counts, &sizes)?;
        let judge = Judge::new(drawn, truth, Trial::Half, (Some(&half.profile), &half.data));
        self.rows.extend(judge.of_smpi(&times, is_direct));
        self.notes.push(format!("{}: {note}", drawn.name));
        Ok(())
    }

    /// The profile of data, made by `netsig fit`; `None` with a note if it refuses.
    fn fitted(
        &mut self,
        site: &Site,
        name: &str,
        data: &Dataset,
        drawn: Option<&Drawn>,
    ) -> Result<Option<Profile>> {
        campaign::write(site, name, data)?;
        match campaign::fit(site, name, drawn) {
            Ok(profile) => Ok(Some(profile)),
            Err(error) => {
                self.notes.push(format!("{name}: {error:#}"));
                Ok(None)
            }
        }
    }

    /// Judges predictions from real tables of the OSU benchmarks: every other size is left out.
    fn judge_osu(&mut self, site: &Site) -> Result<()> {
        let all = campaign::import_osu(site, &crate::root().join("bench/data/osu"))?;
        for odd in [false, true] {
            let is_kept = |size: Bytes| (size.0.max(1).ilog2() % 2 == 1) == odd;
            let data =
                all.part(|place| place.experiment == Experiment::PingPong || is_kept(place.size));
            let profile = self.fitted(site, if odd { "odd" } else { "even" }, &data, None)?;
            let judge = Judge {
                network: "osu",
                trial: Trial::Osu,
                whole: None,
                links: None,
                profile: profile.as_ref(),
                data: &data,
                truth: &of_means(&all),
                eager_limit: Some(Bytes(64 << 10)),
            };
            self.rows
                .extend(judge.rows(|key| key.size.0 >= 1024 && !is_kept(key.size)));
        }
        Ok(())
    }

    /// The goals of speed.
    fn speed(&self) -> Vec<Goal> {
        let worst = |values: &[f64]| values.iter().copied().reduce(f64::max);
        vec![
            Goal::new(
                "measuring time over its budget, most",
                worst(&self.budgets),
                0.0..=1.1,
                "",
            ),
            Goal::new("fit, most, s", worst(&self.fits), 0.0..=0.1, ""),
            Goal::new(
                "prediction, most, µs",
                worst(&self.predictions),
                0.0..=5.0,
                "",
            ),
        ]
    }
}

/// Microseconds of one prediction of each cell.
fn speed(half: &Learned, drawn: &Drawn, truth: &BTreeMap<Key, Cell>) -> Option<f64> {
    const TIMES: u32 = 50;
    let who = (Collective::Alltoall, ALLTOALLS[0]);
    let ours = Ours::new(&half.profile, Some(&drawn.whole), who, Asked::Median, None)?;
    let keys: Vec<&Key> = truth.keys().filter(|key| key.algorithm == who.1).collect();
    let started = Instant::now();
    for _ in 0..TIMES {
        for key in &keys {
            std::hint::black_box(ours.time(key.procs, key.size));
        }
    }
    let all = f64::from(TIMES) * keys.len() as f64;
    Some(started.elapsed().as_secs_f64() * 1e6 / all)
}

/// The means of the truth at powers of two and of the ping-pong, as OSU's programs print them.
fn tables(data: &Dataset, truth: &BTreeMap<Key, Cell>) -> Dataset {
    let mut tables = Dataset::default();
    let mut push = |place: Place, times: &[f64]| {
        tables.aggregates.push(Aggregate {
            place,
            statistic: StatisticKind::Mean,
            averaged: u32::try_from(times.len()).ok(),
            time: Seconds(score::mean(times.iter().copied())),
        });
    };
    let mut pairs: BTreeMap<Place, Vec<f64>> = BTreeMap::new();
    let of_pairs = data.samples.iter();
    for sample in of_pairs.filter(|sample| sample.place.experiment == Experiment::PingPong) {
        let place = Place {
            launch: 0,
            ..sample.place.clone()
        };
        pairs.entry(place).or_default().push(sample.time.0);
    }
    for (place, times) in pairs {
        push(place, &times);
    }
    let is_printed = |key: &Key| key.is_alltoall() && key.size.0.is_power_of_two();
    let cells = truth.iter().filter(|(key, _)| is_printed(key));
    for (key, cell) in cells {
        let place = Place {
            launch: 0,
            experiment: Experiment::Collective(key.collective),
            algorithm: key.algorithm.as_str().into(),
            procs: key.procs,
            size: key.size,
        };
        let times: Vec<f64> = cell.all().map(|(time, _)| time).collect();
        push(place, &times);
    }
    tables
}

/// The means of tables, as cells of one repetition.
fn of_means(data: &Dataset) -> BTreeMap<Key, Cell> {
    let cells = summarise(data).into_iter();
    let cell = |(key, summary): (CellKey, Summary)| {
        let Experiment::Collective(collective) = key.experiment else {
            return None;
        };
        let key = Key {
            collective,
            algorithm: key.algorithm.to_string(),
            procs: key.procs,
            size: key.size,
        };
        Some((key, Cell::of_one(summary.mean)))
    };
    cells.filter_map(cell).collect()
}
