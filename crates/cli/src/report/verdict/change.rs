//! The algorithm that should replace the library's own choice, and its gain.

use itertools::Itertools as _;
use netsig_base::algorithm::{CollectiveMethod, LIBRARY};
use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::penalty::geometric_mean;
use netsig_model::predict::select::RankedCandidate;

use crate::report::cell::PageCell;
use crate::report::chapter::CollectiveChapter;

/// Least gain that is worth a change.
const LEAST_GAIN: f64 = 1.05;

/// The gains of an algorithm over the library's own choice among one number of processes.
struct AlgorithmGains {
    name: String,
    is_measured: bool,
    /// By size: the ratio of the times, and the ratio of the library's lower to the algorithm's upper interval end.
    by_size: Vec<(Bytes, f64, f64)>,
}

/// A measured algorithm is preferred to an unmeasured one whose predicted gain is up to this factor larger.
const PREFERENCE: f64 = 1.1;

impl AlgorithmGains {
    /// Geometric mean of the gains.
    fn mean(&self) -> f64 {
        let gains: Vec<f64> = self.by_size.iter().map(|(_, gain, _)| *gain).collect();
        geometric_mean(&gains).unwrap_or(1.0)
    }

    /// The mean gain for the ranking, increased by the preference.
    fn rank(&self) -> f64 {
        self.mean() * if self.is_measured { PREFERENCE } else { 1.0 }
    }

    /// All algorithms that gain at one of the sizes, from the first size on at which any of them gains.
    fn of(chapter: &CollectiveChapter, ranked: &[(Bytes, Vec<RankedCandidate>)]) -> Vec<Self> {
        let ratios = ranked.iter().flat_map(|(size, ranked)| {
            let standing = ranked.iter().filter(|one| one.is_eligible());
            let library = standing.clone().find(|one| one.algorithm() == LIBRARY);
            library.into_iter().flat_map(move |library| {
                standing.clone().map(move |one| {
                    let [prediction, library_prediction] = [one, library].map(|one| one.prediction);
                    let ends = library_prediction.interval.zip(prediction.interval);
                    let least = ends.map_or(0.0, |(library_interval, interval)| {
                        library_interval.lower / interval.upper
                    });
                    (
                        one.algorithm(),
                        (*size, library_prediction.time / prediction.time, least),
                    )
                })
            })
        });
        let by_name = ratios.into_group_map();
        let gaining = by_name.values().flatten().filter(|(_, gain, _)| *gain >= LEAST_GAIN);
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
            .filter(|candidate| candidate.name != LIBRARY)
            .collect()
    }
}

pub(super) fn change_answer(chapter: &CollectiveChapter) -> String {
    let procs = chapter.measured_procs().last().copied();
    let Some((procs, ranker)) = procs.zip(chapter.ranker.as_ref()) else {
        return "Not known: there is no profile of this collective.".to_owned();
    };
    let rank_at = |size: Bytes| (size, ranker.rank_all(procs, size).unwrap_or_default());
    let ranked: Vec<(Bytes, Vec<RankedCandidate>)> = chapter.sizes().into_iter().map(rank_at).collect();
    let all = AlgorithmGains::of(chapter, &ranked)
        .into_iter()
        .filter(|candidate| candidate.mean() >= LEAST_GAIN);
    let best = all
        .sorted_by(|a, b| a.name.cmp(&b.name))
        .max_by(|a, b| a.rank().total_cmp(&b.rank()));
    let Some(best) = best else {
        return no_change_answer(chapter, procs, &ranked);
    };
    let gaining: Vec<&(Bytes, f64, f64)> = best.by_size.iter().filter(|(_, gain, _)| *gain >= LEAST_GAIN).collect();
    let gains: Vec<f64> = gaining.iter().map(|(_, gain, _)| *gain).collect();
    let mean = geometric_mean(&gains).unwrap_or(1.0);
    let sure = gaining.iter().filter(|(.., least)| *least > 1.0).count();
    let most = gaining.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let ends = gaining.first().zip(gaining.last()).zip(most);
    let Some((((first, ..), (last, ..)), (at, most, _))) = ends else {
        return no_change_answer(chapter, procs, &ranked);
    };
    format!(
        "Among {procs} processes run {} instead of the library's own choice from {first} to {last}: predicted {mean:.1} times as fast in the mean, {most:.1} times at {at}; at {sure} of {} sizes the intervals of both are apart{}. {}",
        best.name,
        gaining.len(),
        measured_gain_text(chapter, procs, &best.name),
        setting_text(chapter, &best.name)
    )
}

fn no_change_answer(chapter: &CollectiveChapter, procs: Procs, ranked: &[(Bytes, Vec<RankedCandidate>)]) -> String {
    let has_library = ranked
        .iter()
        .flat_map(|(_, ranked)| ranked)
        .any(|one| one.algorithm() == LIBRARY);
    if has_library {
        return format!(
            "Nothing: no known algorithm of {} is predicted to be {LEAST_GAIN} times as fast as the library's own choice among {procs} processes.",
            chapter.collective
        );
    }
    format!(
        "Not known: the library's own choice was not measured. Measure the algorithm \"library\" too; the map shows the best of the others for {}.",
        chapter.collective
    )
}

/// The largest measured gain of an algorithm over the library's own choice, if both were measured.
fn measured_gain_text(chapter: &CollectiveChapter, procs: Procs, name: &str) -> String {
    let find_cell = |algorithm: &str, size: Bytes| -> Option<&PageCell> {
        chapter
            .cells
            .iter()
            .find(|cell| cell.algorithm == algorithm && cell.procs == procs && cell.size == size && !cell.is_busy)
    };
    let algorithm_cells = chapter
        .cells_of(name)
        .filter(|measured_cell| measured_cell.procs == procs && !measured_cell.is_busy);
    let gains = algorithm_cells.filter_map(|measured_cell| {
        let library = find_cell(LIBRARY, measured_cell.size)?;
        Some((library.median() / measured_cell.median(), measured_cell.size))
    });
    let best = gains.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(String::new(), |(gain, size)| {
        format!("; measured {gain:.1} times as fast at {size}")
    })
}

/// Instructions for the user to select an algorithm.
fn setting_text(chapter: &CollectiveChapter, name: &str) -> String {
    let method = CollectiveMethod::parse(chapter.collective, name).ok();
    let setting = method
        .zip(chapter.flavour())
        .and_then(|(parsed_method, mpi)| parsed_method.mpi_setting(mpi));
    let profile_name = &chapter.subject.name;
    match setting {
        Some(setting) => {
            format!("The library takes it by {setting}, or by the file of netsig tune.")
        }
        None if chapter.subject.files.join(", ") == *profile_name => {
            "Only netsig has it: netsig fit and netsig run make programs use it.".to_owned()
        }
        None => format!("Only netsig has it: netsig run {profile_name} -- mpirun … makes programs use it."),
    }
}
