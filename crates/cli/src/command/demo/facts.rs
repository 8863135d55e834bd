//! The five facts with which the demo ends: whether the network is contended, from which size on, what
//! would be faster, where the files are, and the commands for a cluster of the reader's own.

use std::fmt;
use std::path::Path;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::data::{Dataset, processors};
use netsig_base::units::{Bytes, Seconds};
use netsig_model::profile::Profile;

use super::{ALGORITHM, CONTENDED, Point, STATISTIC};
use crate::input::failure::Failure;

/// A faster algorithm, at the size at which its predicted gain is the largest.
pub struct Faster {
    algorithm: String,
    size: Bytes,
    /// Predicted time of the demo's algorithm over its own.
    predicted: f64,
    /// The same of the measured times.
    measured: f64,
}

/// What is known of faster algorithms.
pub enum Remedy {
    /// The demo's algorithm is as fast as the others.
    Nothing,
    /// Another algorithm is faster.
    Faster(Faster),
    /// All algorithms take the same time on the simulated network.
    Simulated,
}

/// The facts, in the order in which they are printed.
pub struct Facts<'a> {
    /// The sizes whose times are the network's.
    points: Vec<&'a Point>,
    remedy: Remedy,
    folder: &'a Path,
}

/// Finds the algorithm of the profile with the largest predicted gain over the demo's, among the cells that
/// were measured with both.
///
/// # Errors
/// If the profile lacks a parameter of a model.
pub fn faster(profile: &Profile, held_out: &Dataset) -> Result<Remedy, Failure> {
    let request = profile.rank(Collective::Alltoall).statistic(STATISTIC);
    let ranker = request.ranker()?;
    let measured = summarise(held_out);
    let time = |key: &CellKey| measured.get(key).map(|summary| summary.value(STATISTIC));
    let rivals = measured.keys().filter(|key| &*key.algorithm != ALGORITHM);
    let found = rivals.map(|rival| {
        let own = CellKey {
            algorithm: ALGORITHM.into(),
            ..rival.clone()
        };
        let ranked = ranker.rank_all(rival.procs, rival.size)?;
        let predicted = |name: &str| {
            let one = ranked.iter().find(|one| one.algorithm() == name);
            one.map(|one| one.prediction.time)
        };
        let faster = gain(predicted(ALGORITHM), predicted(&rival.algorithm))
            .zip(gain(time(&own), time(rival)))
            .map(|(predicted, measured)| Faster {
                algorithm: rival.algorithm.to_string(),
                size: rival.size,
                predicted,
                measured,
            });
        Ok::<_, Failure>(faster)
    });
    let found: Vec<Option<Faster>> = found.try_collect()?;
    let largest = found.into_iter().flatten();
    let largest = largest.max_by(|a, b| a.predicted.total_cmp(&b.predicted));
    let faster = largest.filter(|own| own.predicted > 1.0);
    Ok(faster.map_or(Remedy::Nothing, Remedy::Faster))
}

/// The ratio of two times, if both are known.
fn gain(slow: Option<Seconds>, fast: Option<Seconds>) -> Option<f64> {
    Some(slow? / fast?)
}

impl<'a> Facts<'a> {
    /// The facts of these points, but for sizes at which processes waited for processors in `held_out`; the
    /// files are in `folder`.
    pub fn new(points: &'a [Point], held_out: &Dataset, remedy: Remedy, folder: &'a Path) -> Self {
        let busy = processors::busy(held_out);
        let is_busy = |size| busy.iter().any(|key| key.size == size && &*key.algorithm == ALGORITHM);
        let points = points.iter().filter(|point| !is_busy(point.plot.size));
        Self {
            points: points.collect(),
            remedy,
            folder,
        }
    }

    fn contended(&self) -> String {
        let ratio = |point: &Point| point.plot.measured / point.plot.contention_free;
        let points = self.points.iter();
        let worst = points.max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let Some(worst) = worst.filter(|point| ratio(point) >= CONTENDED) else {
            return format!("no: no size takes {CONTENDED} times as long as without contention");
        };
        format!(
            "yes: an all-to-all of {} among 12 processes takes {:.1} times as long as without contention",
            worst.plot.size,
            ratio(worst)
        )
    }

    fn onset(&self) -> String {
        let from = |time: fn(&Point) -> Seconds| {
            let is_free = |point: &Point| time(point) / point.plot.contention_free < CONTENDED;
            let free = self.points.iter().rposition(|point| is_free(point));
            let first = self.points.get(free.map_or(0, |last| last + 1));
            first.map_or("no size".to_owned(), |point| point.plot.size.to_string())
        };
        format!(
            "{} on in the measured times, and {} on in those predicted from fewer processes (sizes at which \
             processes waited for processors do not count)",
            from(|point| point.plot.measured),
            from(|point| point.plot.predicted)
        )
    }

    fn remedy(&self) -> String {
        match &self.remedy {
            Remedy::Nothing => format!("nothing that was measured beside {ALGORITHM}"),
            Remedy::Faster(own) => format!(
                "{} instead of {ALGORITHM}: at {} it was predicted to be {:.1} times as fast and measured to be \
                 {:.1} times as fast; netsig run makes programs use it",
                own.algorithm, own.size, own.predicted, own.measured
            ),
            Remedy::Simulated => {
                "not known, since all algorithms take the same time on the simulated network".to_owned()
            }
        }
    }
}

impl fmt::Display for Facts<'_> {
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
            "5. Your cluster: netsig doctor --hostfile HOSTS, then netsig learn 'alltoall library up to 32' --most 8 -o data.csv --hostfile HOSTS."
        )
    }
}
