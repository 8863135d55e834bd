//! The trials of a network. Each fits a profile to some data and judges it on other cells.
//!
//! | trial | fitted to | judged on |
//! |---|---|---|
//! | half | all-to-alls on half of the hosts | ¾ and all of the hosts |
//! | quarter | all-to-alls on a quarter of the hosts | all of the hosts |
//! | left-out | half, without one of the algorithms | that algorithm |
//! | tables | means of the truth at powers of two, as OSU prints them | the sizes between |
//! | osu | every other size of real OSU tables | the sizes between |
//! | others | another collective on half of the hosts | all of the hosts |

use anyhow::Result;
use netsig_base::data::cells::{CellKey, Statistic};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::Bytes;
use netsig_model::profile::Profile;

use super::campaign::{AccuracyNetwork, HALF, LearnedProfile, QUARTER, import_osu};
use super::smpi;
use super::tables::{prediction_microseconds, printed_means};
use super::truth::{ALLTOALLS, OTHER_COLLECTIVES};
use crate::harness::campaign::BenchNetwork;
use crate::harness::cell::is_tree;
use crate::harness::draw::DrawnNetwork;
use crate::harness::folder::BenchFolder;
use crate::harness::prediction::{PredictionRow, TrialKind};
use crate::harness::times::{self, TruthCells, is_alltoall};
use crate::harness::trial::PredictionTrial;

/// Eager limit of the runs behind the OSU tables.
const OSU_LIMIT: Bytes = Bytes(64 << 10);

/// The results of all networks.
#[derive(Default)]
pub(super) struct AccuracyOutcome {
    pub(super) rows: Vec<PredictionRow>,
    pub(super) notes: Vec<String>,
    /// Measuring time over budget, of each campaign.
    pub(super) budgets: Vec<f64>,
    /// Seconds of each fit.
    pub(super) fits: Vec<f64>,
    /// Microseconds of one prediction, of each network.
    pub(super) predictions: Vec<f64>,
}

impl AccuracyOutcome {
    /// Judges all trials of a network.
    pub(super) fn judge(&mut self, bench_network: &BenchNetwork, measured: &AccuracyNetwork) -> Result<()> {
        let (drawn, links) = (&bench_network.drawn, bench_network.description());
        self.notes.push(format!("{}: {}", drawn.name, drawn.summary()));
        self.notes.extend(measured.notes.iter().cloned());
        for learned in &measured.learned {
            let budget = f64::from(learned.campaign.budget);
            self.budgets.push(learned.seconds / budget);
            self.fits.push(learned.fit_seconds);
        }
        let truth = times::valid_cells(&measured.truth, Some(&drawn.whole));
        self.judge_learned(drawn, measured, &truth);
        let Some(half) = measured.learned(HALF) else {
            return Ok(());
        };
        self.predictions.extend(prediction_microseconds(half, drawn, &truth));
        let (simulated, note) = smpi_rows(drawn, half, &truth)?;
        self.rows.extend(simulated);
        self.notes.push(format!("{}: {note}", drawn.name));
        for left_out in ALLTOALLS {
            let data = half.data.subset(|place| *place.algorithm != *left_out);
            let profile = self.fitted(&bench_network.folder, &format!("without-{left_out}"), &data, &links);
            let trial = drawn_trial(drawn, &truth, TrialKind::LeftOut, profile.as_ref(), &data);
            self.rows
                .extend(trial.rows(|key| is_alltoall(key) && *key.algorithm == *left_out));
        }
        let tables = printed_means(&half.data, &truth);
        let profile = self.fitted(&bench_network.folder, "tables", &tables, &links);
        let trial = drawn_trial(drawn, &truth, TrialKind::Tables, profile.as_ref(), &tables);
        self.rows
            .extend(trial.rows(|key| is_alltoall(key) && !key.size.0.is_power_of_two()));
        Ok(())
    }

    /// Judges the profiles that netsig's commands made; without one every prediction is missing.
    fn judge_learned(&mut self, drawn: &DrawnNetwork, measured: &AccuracyNetwork, truth: &TruthCells) {
        let no_data = Dataset::default();
        let mut judge = |kind, name: &str, is_wanted: &dyn Fn(&CellKey) -> bool| {
            let learned = measured.learned(name);
            let profile = learned.map(|learned| &learned.profile);
            let data = learned.map_or(&no_data, |learned| &learned.data);
            let trial = drawn_trial(drawn, truth, kind, profile, data);
            self.rows.extend(trial.rows(is_wanted));
        };
        judge(TrialKind::Half, HALF, &is_alltoall);
        if drawn.quarter.is_some() {
            let is_whole = |key: &CellKey| is_alltoall(key) && key.procs == drawn.whole.hosts();
            judge(TrialKind::Quarter, QUARTER, &is_whole);
        }
        for (collective, _) in OTHER_COLLECTIVES {
            let experiment = Experiment::Collective(collective);
            judge(TrialKind::Others, collective.into(), &|key| {
                key.experiment == experiment
            });
        }
    }

    /// The profile that `netsig fit` makes of data; `None`, with a note, if it refuses.
    fn fitted(&mut self, folder: &BenchFolder, name: &str, data: &Dataset, links: &str) -> Option<Profile> {
        let fitted = folder.fit_data(data, name, links);
        fitted
            .map_err(|error| self.notes.push(format!("{name}: {error:#}")))
            .ok()
    }

    /// Judges predictions from real tables of the OSU benchmarks: every other size is left out.
    pub(super) fn judge_osu(&mut self, folder: &BenchFolder) -> Result<()> {
        let imported = import_osu(folder)?;
        for (odd, name) in [(false, "even"), (true, "odd")] {
            let is_kept = |size: Bytes| (size.0.max(1).ilog2() % 2 == 1) == odd;
            let data = imported.subset(|place| place.experiment == Experiment::PingPong || is_kept(place.size));
            let profile = self.fitted(folder, name, &data, "");
            let trial = PredictionTrial {
                network: "osu",
                trial: TrialKind::Osu,
                statistic: Statistic::Mean,
                whole: None,
                links: None,
                profile: profile.as_ref(),
                data: &data,
                truth: &times::cells_of_means(&imported),
                eager_limit: Some(OSU_LIMIT),
            };
            self.rows
                .extend(trial.rows(|key| key.size.0 >= 1024 && !is_kept(key.size)));
        }
        Ok(())
    }
}

/// A trial on a drawn network. `profile` is `None` if netsig could not make one.
fn drawn_trial<'a>(
    drawn: &'a DrawnNetwork,
    truth: &'a TruthCells,
    kind: TrialKind,
    profile: Option<&'a Profile>,
    data: &'a Dataset,
) -> PredictionTrial<'a> {
    PredictionTrial {
        network: &drawn.name,
        trial: kind,
        statistic: match kind {
            TrialKind::Tables => Statistic::Mean,
            _ => Statistic::Median,
        },
        whole: Some(&drawn.whole),
        links: drawn.description(),
        profile,
        data,
        truth,
        eager_limit: drawn.whole.eager_limit,
    }
}

/// SMPI's predictions of direct exchange, on stars only, and a note.
fn smpi_rows(drawn: &DrawnNetwork, half: &LearnedProfile, truth: &TruthCells) -> Result<(Vec<PredictionRow>, String)> {
    let is_star = drawn.whole.cuts().is_some() && !is_tree(&drawn.whole);
    let is_direct = |key: &CellKey| is_star && is_alltoall(key) && *key.algorithm == *ALLTOALLS[0];
    let keys = || truth.keys().filter(|key| is_direct(key));
    let counts = keys().map(|key| key.procs).collect();
    let sizes = keys().map(|key| key.size).collect();
    let (times, note) = smpi::predict(&half.profile, &counts, &sizes)?;
    let profile = Some(&half.profile);
    let trial = drawn_trial(drawn, truth, TrialKind::Half, profile, &half.data);
    let rows = trial.rows_of_times("SMPI", |key| {
        let time = times.get(&(key.procs, key.size)).copied();
        time.filter(|_| is_direct(key))
    });
    Ok((rows, note))
}
