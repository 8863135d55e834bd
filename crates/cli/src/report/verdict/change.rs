//! The algorithm that should replace the library's own choice, and what it gains.

use itertools::Itertools as _;
use netsig_base::algorithm::{LIBRARY, Method};
use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::penalty::geometric_mean;
use netsig_model::predict::select::Ranked;

use crate::report::cell::Cell;
use crate::report::chapter::Chapter;

/// Least gain that is worth a change.
const WORTH: f64 = 1.05;

/// The gains of an algorithm over the library's own choice among one number of processes.
struct Gains {
    name: String,
    is_measured: bool,
    /// By size: ratio of the times, and that of the library's lower to the algorithm's upper end.
    by_size: Vec<(Bytes, f64, f64)>,
}

/// A measured algorithm is preferred to another one that is predicted to gain up to so many times as much.
const PREFERENCE: f64 = 1.1;

impl Gains {
    /// Geometric mean of the gains.
    fn mean(&self) -> f64 {
        let gains: Vec<f64> = self.by_size.iter().map(|(_, gain, _)| *gain).collect();
        geometric_mean(&gains).unwrap_or(1.0)
    }

    /// The mean by which algorithms compete.
    fn rank(&self) -> f64 {
        self.mean() * if self.is_measured { PREFERENCE } else { 1.0 }
    }

    /// All algorithms with a gain at one of the sizes, at the sizes from the first gain of any of them on.
    fn of(chapter: &Chapter, ranked: &[(Bytes, Vec<Ranked>)]) -> Vec<Self> {
        let ratios = ranked.iter().flat_map(|(size, ranked)| {
            let standing = ranked.iter().filter(|one| one.stands());
            let library = standing.clone().find(|one| one.algorithm() == LIBRARY);
            library.into_iter().flat_map(move |library| {
                standing.clone().map(move |one| {
                    let [own, other] = [one, library].map(|one| one.prediction);
                    let ends = other.interval.zip(own.interval);
                    let least = ends.map_or(0.0, |(other, own)| other.lower / own.upper);
                    (one.algorithm(), (*size, other.time / own.time, least))
                })
            })
        });
        let by_name = ratios.into_group_map();
        let gaining = by_name.values().flatten().filter(|(_, gain, _)| *gain >= WORTH);
        let Some(from) = gaining.map(|(size, ..)| *size).min() else {
            return Vec::new();
        };
        let gains = |(name, gains): (String, Vec<(Bytes, f64, f64)>)| Self {
            is_measured: chapter.algorithms.contains(&name),
            by_size: gains.into_iter().filter(|(size, ..)| *size >= from).collect(),
            name,
        };
        by_name
            .into_iter()
            .map(gains)
            .filter(|own| own.name != LIBRARY)
            .collect()
    }
}

pub(super) fn change(chapter: &Chapter) -> String {
    let procs = chapter.measured().last().copied();
    let Some((procs, ranker)) = procs.zip(chapter.ranker.as_ref()) else {
        return "Not known: there is no profile of this collective.".to_owned();
    };
    let ranked = |size: Bytes| (size, ranker.rank_all(procs, size).unwrap_or_default());
    let ranked: Vec<(Bytes, Vec<Ranked>)> = chapter.sizes().into_iter().map(ranked).collect();
    let all = Gains::of(chapter, &ranked)
        .into_iter()
        .filter(|own| own.mean() >= WORTH);
    let best = all
        .sorted_by(|a, b| a.name.cmp(&b.name))
        .max_by(|a, b| a.rank().total_cmp(&b.rank()));
    let Some(best) = best else {
        return nothing(chapter, procs, &ranked);
    };
    let gaining: Vec<&(Bytes, f64, f64)> = best.by_size.iter().filter(|(_, gain, _)| *gain >= WORTH).collect();
    let gains: Vec<f64> = gaining.iter().map(|(_, gain, _)| *gain).collect();
    let mean = geometric_mean(&gains).unwrap_or(1.0);
    let sure = gaining.iter().filter(|(.., least)| *least > 1.0).count();
    let most = gaining.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let ends = gaining.first().zip(gaining.last()).zip(most);
    let Some((((first, ..), (last, ..)), (at, most, _))) = ends else {
        return nothing(chapter, procs, &ranked);
    };
    format!(
        "Among {procs} processes run {} instead of the library's own choice from {first} to {last}: predicted {mean:.1} times as fast in the mean, {most:.1} times at {at}; at {sure} of {} sizes the intervals of both are apart{}. {}",
        best.name,
        gaining.len(),
        measured_gain(chapter, procs, &best.name),
        how(chapter, &best.name)
    )
}

fn nothing(chapter: &Chapter, procs: Procs, ranked: &[(Bytes, Vec<Ranked>)]) -> String {
    let has_library = ranked
        .iter()
        .flat_map(|(_, ranked)| ranked)
        .any(|one| one.algorithm() == LIBRARY);
    if has_library {
        return format!(
            "Nothing: no known algorithm of {} is predicted to be {WORTH} times as fast as the library's own choice among {procs} processes.",
            chapter.collective
        );
    }
    format!(
        "Not known: the library's own choice was not measured. Measure the algorithm \"library\" too; the map shows the best of the others for {}.",
        chapter.collective
    )
}

/// The largest measured gain of an algorithm over the library's own choice, if both were measured.
fn measured_gain(chapter: &Chapter, procs: Procs, name: &str) -> String {
    let cell = |algorithm: &str, size: Bytes| -> Option<&Cell> {
        chapter
            .cells
            .iter()
            .find(|cell| cell.algorithm == algorithm && cell.procs == procs && cell.size == size && !cell.is_busy)
    };
    let own = chapter.cells_of(name).filter(|own| own.procs == procs && !own.is_busy);
    let gains = own.filter_map(|own| {
        let library = cell(LIBRARY, own.size)?;
        Some((library.median() / own.median(), own.size))
    });
    let best = gains.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(String::new(), |(gain, size)| {
        format!("; measured {gain:.1} times as fast at {size}")
    })
}

/// How a user takes an algorithm.
fn how(chapter: &Chapter, name: &str) -> String {
    let method = Method::parse(chapter.collective, name).ok();
    let setting = method.zip(chapter.flavour()).and_then(|(own, mpi)| own.setting(mpi));
    let name = &chapter.subject.name;
    match setting {
        Some(setting) => {
            format!("The library takes it by {setting}, or by the file of netsig tune.")
        }
        None if chapter.subject.files.join(", ") == *name => {
            "Only netsig has it: netsig fit and netsig run make programs use it.".to_owned()
        }
        None => format!("Only netsig has it: netsig run {name} -- mpirun … makes programs use it."),
    }
}
