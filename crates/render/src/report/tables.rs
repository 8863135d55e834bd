//! The tables of the report.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::data::Experiment;
use netsig_base::units::{Bytes, Procs};
use netsig_model::fit::network::NetworkFitOptions;
use netsig_model::predict::compare::{self, ModelComparison, ScoreGrouping};
use netsig_model::predict::cross_over::CrossOver;
use netsig_model::predict::ranking::CaseRanking;
use netsig_model::verdict::CellFinding;

use super::chapter::CollectiveChapter;
use super::figures;
use super::subject::PageSubject;
use crate::rows::{PrintedCell, PrintedRows};

/// Most characters of a fact that the page shows.
const LONGEST_VALUE: usize = 240;

/// Every measured cell with its prediction.
pub fn measured(chapter: &CollectiveChapter) -> PrintedRows {
    let yes_cell = |is: bool| {
        if is {
            PrintedCell::text("yes")
        } else {
            PrintedCell::default()
        }
    };
    PrintedRows::of(&chapter.cells)
        .column("algorithm", |cell| PrintedCell::text(&cell.algorithm))
        .column("procs", |cell| PrintedCell::number(cell.procs.get()))
        .column("size_bytes", |cell| PrintedCell::size(cell.size))
        .column("repetitions", |cell| PrintedCell::number(cell.summary.repetitions))
        .column("statistic", |cell| {
            PrintedCell::if_some(cell.summary.imported, PrintedCell::text)
        })
        .column("median_s", |cell| PrintedCell::time(cell.median()))
        .column("mean_s", |cell| PrintedCell::time(cell.summary.mean))
        .column("predicted_s", |cell| {
            predicted(cell, |prediction| Some(prediction.time))
        })
        .column("lower_s", |cell| {
            predicted(cell, |prediction| Some(prediction.interval?.lower))
        })
        .column("upper_s", |cell| {
            predicted(cell, |prediction| Some(prediction.interval?.upper))
        })
        .column("error", |cell| PrintedCell::if_some(cell.error(), PrintedCell::error))
        .column("held_out", |cell| yes_cell(cell.is_held_out))
        .column("retransmits", |cell| {
            PrintedCell::if_some(cell.retransmits, |lost| {
                PrintedCell::shown_as(lost, format!("{lost:.1}"))
            })
        })
        .column("stalled", |cell| {
            PrintedCell::if_some(cell.stalled_share, PrintedCell::share)
        })
        .column("waited_for_processors", |cell| yes_cell(cell.is_busy))
        .rows
}

fn predicted(
    cell: &CellFinding,
    of: impl Fn(netsig_model::predict::Prediction) -> Option<netsig_base::units::Seconds>,
) -> PrintedCell {
    PrintedCell::if_some(cell.prediction.and_then(of), PrintedCell::time)
}

/// The best algorithm of each process count and size, and its gain over the library's own choice.
pub fn best(cases: &[CaseRanking]) -> PrintedRows {
    let rankings = cases.iter();
    let rows = rankings.filter_map(|ranking| Some((ranking, ranking.eligible().next()?)));
    PrintedRows::of(rows)
        .column("procs", |(ranking, _)| PrintedCell::number(ranking.procs.get()))
        .column("size_bytes", |(ranking, _)| PrintedCell::size(ranking.size))
        .column("algorithm", |(_, best)| PrintedCell::text(best.algorithm()))
        .column("time_s", |(_, best)| PrintedCell::time(best.prediction.time))
        .column("lower_s", |(_, best)| {
            PrintedCell::if_some(best.prediction.interval.map(|i| i.lower), PrintedCell::time)
        })
        .column("upper_s", |(_, best)| {
            PrintedCell::if_some(best.prediction.interval.map(|i| i.upper), PrintedCell::time)
        })
        .column("standing", |(_, best)| PrintedCell::text(best.prediction.standing))
        .column("library_s", |(ranking, _)| {
            PrintedCell::if_some(ranking.library().map(|one| one.prediction.time), PrintedCell::time)
        })
        .column("gain", |(ranking, best)| {
            PrintedCell::if_some(ranking.gain(best), PrintedCell::factor)
        })
        .column("measured", |(_, best)| {
            let is_measured = best.is_measured();
            PrintedCell::shown_as(is_measured, if is_measured { "yes" } else { "no" })
        })
        .rows
}

/// The sizes at which the best algorithm changes.
pub fn cross_overs(chapter: &CollectiveChapter) -> PrintedRows {
    let sizes = chapter.sizes();
    let cross_overs_among = |procs: Procs| -> Vec<CrossOver> {
        let found = chapter.ranker.as_ref().map(|ranker| ranker.cross_overs(procs, &sizes));
        found.and_then(Result::ok).unwrap_or_default()
    };
    let all = chapter.sheets.iter().flat_map(|sheet| cross_overs_among(sheet.procs));
    PrintedRows::of(all)
        .column("procs", |cross_over| PrintedCell::number(cross_over.procs.get()))
        .column("from_bytes", |cross_over| PrintedCell::size(cross_over.size))
        .column("before", |cross_over| PrintedCell::text(cross_over.from.algorithm()))
        .column("algorithm", |cross_over| PrintedCell::text(cross_over.to.algorithm()))
        .rows
}

/// M(n): predicted overflows, and the size from which on packets were lost steadily.
pub fn overflows(chapter: &CollectiveChapter) -> PrintedRows {
    let all = chapter.algorithms.iter().flat_map(|algorithm| {
        let losses = chapter.measured_losses(algorithm).into_iter();
        let lost: BTreeMap<Procs, Bytes> = losses
            .filter_map(|(procs, losses)| Some((procs, losses.from?)))
            .collect();
        let predicted: BTreeMap<Procs, _> = figures::predicted_overflows(chapter, algorithm).into_iter().collect();
        let counts: std::collections::BTreeSet<Procs> = lost.keys().chain(predicted.keys()).copied().collect();
        let row = move |procs: Procs| {
            let onset = predicted.get(&procs).copied();
            (algorithm, procs, onset, lost.get(&procs).copied())
        };
        counts.into_iter().map(row).collect::<Vec<_>>()
    });
    PrintedRows::of(all)
        .column("algorithm", |(name, ..)| PrintedCell::text(name))
        .column("procs", |(_, procs, ..)| PrintedCell::number(procs.get()))
        .column("overflow_bytes", |(_, _, onset, _)| {
            PrintedCell::if_some(onset.map(|overflow| overflow.from), PrintedCell::size)
        })
        .column("lower_bytes", |(_, _, onset, _)| {
            PrintedCell::if_some(onset.map(|overflow| overflow.interval[0]), PrintedCell::size)
        })
        .column("upper_bytes", |(_, _, onset, _)| {
            PrintedCell::if_some(onset.map(|overflow| overflow.interval[1]), PrintedCell::size)
        })
        .column("first_lossy_bytes", |(.., lost)| {
            PrintedCell::if_some(*lost, PrintedCell::size)
        })
        .column("remark", |(_, _, onset, _)| {
            let remark = onset.and_then(|overflow| overflow.source.remark());
            PrintedCell::if_some(remark, PrintedCell::text)
        })
        .rows
}

/// Errors of all models at the largest process count after a fit to the smaller ones; `None` if the data do not allow
/// it.
pub fn models(subject: &PageSubject) -> Option<(Procs, PrintedRows)> {
    let counts = subject.data.samples.iter().filter_map(|row| match row.cell.experiment {
        Experiment::Collective(_) => Some(row.cell.procs),
        _ => None,
    });
    let largest = counts.max()?;
    let compared = compare::compare(
        &subject.data,
        |procs, _| procs < largest,
        &NetworkFitOptions::default(),
        ScoreGrouping::Together,
    );
    let ModelComparison { scores, .. } = compared.ok()?;
    let percent = PrintedCell::share;
    let rows = PrintedRows::of(scores)
        .column("collective", |score| PrintedCell::text(score.collective))
        .column("algorithm", |score| PrintedCell::text(&score.algorithm))
        .column("model", |score| PrintedCell::text(score.model))
        .column("median_error", move |score| percent(score.errors.median))
        .column("p90_error", move |score| percent(score.errors.p90))
        .column("worst_error", move |score| percent(score.errors.worst))
        .column("bias", |score| PrintedCell::error(score.errors.bias))
        .column("in_interval", move |score| {
            PrintedCell::if_some(score.errors.coverage, PrintedCell::share)
        })
        .column("points", |score| PrintedCell::number(score.errors.points))
        .rows;
    (!rows.is_empty()).then_some((largest, rows))
}

/// Facts about the origin of the profiles and data of a network, each once.
pub fn provenance(network: &[&PageSubject]) -> PrintedRows {
    let facts = network.iter().flat_map(|subject| {
        let of_profile = subject.profile.iter().flat_map(|profile| profile.provenance.iter());
        // Data state these facts themselves.
        let profile_facts = of_profile.filter(|(key, _)| subject.files.is_empty() || !key.starts_with("data_"));
        profile_facts.chain(subject.data.provenance.iter()).collect::<Vec<_>>()
    });
    PrintedRows::of(facts.unique())
        .column("fact", |(key, _)| PrintedCell::text(key))
        .column("value", |(_, value)| PrintedCell::shown_as(*value, shortened(value)))
        .rows
}

/// The beginning of a long value, such as a plan.
fn shortened(value: &str) -> String {
    let count = value.chars().count();
    if count <= LONGEST_VALUE {
        return value.to_owned();
    }
    let start: String = value.chars().take(LONGEST_VALUE).collect();
    format!("{start} … ({count} characters, all of them in the CSV)")
}
