//! The five closing facts of the demo: contention, its onset, a faster algorithm, the files, and the commands for a
//! cluster of the reader's own.

use std::fmt;
use std::path::Path;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::data::{Dataset, processors};
use netsig_base::units::{Bytes, Seconds};
use netsig_model::profile::Profile;

use super::{ALGORITHM, CONTENDED_RATIO, HeldOutPoint, STATISTIC};
use crate::input::failure::Failure;

/// A faster algorithm, at the size at which its predicted gain is the largest.
pub struct FasterAlgorithm {
    algorithm: String,
    size: Bytes,
    /// Predicted time of the demo's algorithm over that of this algorithm.
    predicted_gain: f64,
    /// The same ratio of the measured times.
    measured_gain: f64,
}

/// The result of the search for a faster algorithm.
pub enum DemoRemedy {
    /// The demo's algorithm is as fast as the others.
    Nothing,
    /// Another algorithm is faster.
    Faster(FasterAlgorithm),
    /// All algorithms take the same time on the simulated network.
    Simulated,
}

/// The facts, in the order in which they are printed.
pub struct DemoFacts<'a> {
    /// The sizes without waits for processors.
    points: Vec<&'a HeldOutPoint>,
    remedy: DemoRemedy,
    folder: &'a Path,
}

/// Finds the algorithm of the profile with the largest predicted gain over the demo's, among the cells that
/// were measured with both.
///
/// # Errors
/// If the profile lacks a parameter of a model.
pub fn find_faster(profile: &Profile, held_out: &Dataset) -> Result<DemoRemedy, Failure> {
    let request = profile.rank(Collective::Alltoall).statistic(STATISTIC);
    let ranker = request.ranker()?;
    let measured = summarise(held_out);
    let time = |key: &CellKey| measured.get(key).map(|summary| summary.value(STATISTIC));
    let rivals = measured.keys().filter(|key| &*key.algorithm != ALGORITHM);
    let comparisons = rivals.map(|rival| {
        let demo_key = CellKey {
            algorithm: ALGORITHM.into(),
            ..rival.clone()
        };
        let ranked = ranker.rank_all(rival.procs, rival.size)?;
        let predicted = |name: &str| {
            let one = ranked.iter().find(|one| one.algorithm() == name);
            one.map(|one| one.prediction.time)
        };
        let faster = time_ratio(predicted(ALGORITHM), predicted(&rival.algorithm))
            .zip(time_ratio(time(&demo_key), time(rival)))
            .map(|(predicted, measured)| FasterAlgorithm {
                algorithm: rival.algorithm.to_string(),
                size: rival.size,
                predicted_gain: predicted,
                measured_gain: measured,
            });
        Ok::<_, Failure>(faster)
    });
    let found: Vec<Option<FasterAlgorithm>> = comparisons.try_collect()?;
    let faster_rivals = found.into_iter().flatten();
    let largest = faster_rivals.max_by(|a, b| a.predicted_gain.total_cmp(&b.predicted_gain));
    let faster = largest.filter(|rival| rival.predicted_gain > 1.0);
    Ok(faster.map_or(DemoRemedy::Nothing, DemoRemedy::Faster))
}

/// The ratio of two times, if both are known.
fn time_ratio(slow: Option<Seconds>, fast: Option<Seconds>) -> Option<f64> {
    Some(slow? / fast?)
}

impl<'a> DemoFacts<'a> {
    /// The facts of these points, without the sizes at which processes waited for processors in `held_out`. The files
    /// are in `folder`.
    pub fn new(points: &'a [HeldOutPoint], held_out: &Dataset, remedy: DemoRemedy, folder: &'a Path) -> Self {
        let busy = processors::busy_cells(held_out);
        let is_busy = |size| busy.iter().any(|key| key.size == size && &*key.algorithm == ALGORITHM);
        let judged_points = points.iter().filter(|point| !is_busy(point.plot.size));
        Self {
            points: judged_points.collect(),
            remedy,
            folder,
        }
    }

    fn contended(&self) -> String {
        let ratio = |point: &HeldOutPoint| point.plot.measured / point.plot.contention_free;
        let points = self.points.iter();
        let worst = points.max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let Some(worst) = worst.filter(|point| ratio(point) >= CONTENDED_RATIO) else {
            return format!("no: no size takes {CONTENDED_RATIO} times as long as without contention");
        };
        format!(
            "yes: an all-to-all of {} among 12 processes takes {:.1} times as long as without contention",
            worst.plot.size,
            ratio(worst)
        )
    }

    fn onset(&self) -> String {
        let contended_from = |time: fn(&HeldOutPoint) -> Seconds| {
            let is_contention_free = |point: &HeldOutPoint| time(point) / point.plot.contention_free < CONTENDED_RATIO;
            let last_contention_free = self.points.iter().rposition(|point| is_contention_free(point));
            let first = self.points.get(last_contention_free.map_or(0, |last| last + 1));
            first.map_or("no size".to_owned(), |point| point.plot.size.to_string())
        };
        format!(
            "{} on in the measured times, and {} on in those predicted from fewer processes (sizes at which \
             processes waited for processors do not count)",
            contended_from(|point| point.plot.measured),
            contended_from(|point| point.plot.predicted)
        )
    }

    fn remedy(&self) -> String {
        match &self.remedy {
            DemoRemedy::Nothing => format!("nothing that was measured beside {ALGORITHM}"),
            DemoRemedy::Faster(faster) => format!(
                "{} instead of {ALGORITHM}: at {} it was predicted to be {:.1} times as fast and measured to be \
                 {:.1} times as fast; netsig run makes programs use it",
                faster.algorithm, faster.size, faster.predicted_gain, faster.measured_gain
            ),
            DemoRemedy::Simulated => {
                "not known, since all algorithms take the same time on the simulated network".to_owned()
            }
        }
    }
}

impl fmt::Display for DemoFacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "In short")?;
        writeln!(f, "1. Contended:    {}.", self.contended())?;
        writeln!(f, "2. From:         {}.", self.onset())?;
        writeln!(f, "3. Faster:       {}.", self.remedy())?;
        writeln!(
            f,
            "4. Files:        {}: data.csv and heldout.csv (all repetitions), profile.toml (the fit), prediction.svg, report.html (open it in a browser).",
            self.folder.display()
        )?;
        writeln!(
            f,
            "5. Your cluster: netsig doctor --hostfile HOSTS, then netsig learn 'alltoall library up to 32' --max-procs 8 -o data.csv --hostfile HOSTS."
        )
    }
}
