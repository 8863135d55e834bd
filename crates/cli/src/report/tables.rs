//! The tables of the report.

use std::collections::BTreeMap;

use netsig_base::data::Experiment;
use netsig_base::units::{Bytes, Procs};
use netsig_model::fit::network::Options;
use netsig_model::predict::compare::{self, Comparison, Grouping};
use netsig_model::predict::cross_over::CrossOver;
use netsig_model::predict::ranking::CaseRanking;

use super::cell::Cell as Measured;
use super::chapter::Chapter;
use super::figures;
use super::subject::Subject;
use crate::print::rows::{Cell, Rows};

/// Every measured cell beside its prediction.
pub fn measured(chapter: &Chapter) -> Rows {
    let is_true = |is: bool| {
        if is { Cell::text("yes") } else { Cell::default() }
    };
    Rows::of(&chapter.cells)
        .column("algorithm", |cell| Cell::text(&cell.algorithm))
        .column("procs", |cell| Cell::number(cell.procs.get()))
        .column("size_bytes", |cell| Cell::size(cell.size))
        .column("repetitions", |cell| Cell::number(cell.summary.repetitions))
        .column("statistic", |cell| Cell::if_some(cell.summary.imported, Cell::text))
        .column("median_s", |cell| Cell::time(cell.median()))
        .column("mean_s", |cell| Cell::time(cell.summary.mean))
        .column("predicted_s", |cell| predicted(cell, |own| Some(own.time)))
        .column("lower_s", |cell| predicted(cell, |own| Some(own.interval?.lower)))
        .column("upper_s", |cell| predicted(cell, |own| Some(own.interval?.upper)))
        .column("error", |cell| Cell::if_some(cell.error(), Cell::error))
        .column("held_out", |cell| is_true(cell.is_held_out))
        .column("retransmits", |cell| {
            Cell::if_some(cell.retransmits, |lost| Cell::shown_as(lost, format!("{lost:.1}")))
        })
        .column("stalled", |cell| Cell::if_some(cell.stalled, Cell::share))
        .column("waited_for_processors", |cell| is_true(cell.is_busy))
        .rows
}

fn predicted(
    cell: &Measured,
    of: impl Fn(netsig_model::predict::Prediction) -> Option<netsig_base::units::Seconds>,
) -> Cell {
    Cell::if_some(cell.prediction.and_then(of), Cell::time)
}

/// The best algorithm of each process count and size, and its gain over the library's own choice.
pub fn best(cases: &[CaseRanking]) -> Rows {
    let rows = cases.iter();
    let rows = rows.filter_map(|own| Some((own, own.standing().next()?)));
    Rows::of(rows)
        .column("procs", |(own, _)| Cell::number(own.procs.get()))
        .column("size_bytes", |(own, _)| Cell::size(own.size))
        .column("algorithm", |(_, best)| Cell::text(best.algorithm()))
        .column("time_s", |(_, best)| Cell::time(best.prediction.time))
        .column("lower_s", |(_, best)| {
            Cell::if_some(best.prediction.interval.map(|i| i.lower), Cell::time)
        })
        .column("upper_s", |(_, best)| {
            Cell::if_some(best.prediction.interval.map(|i| i.upper), Cell::time)
        })
        .column("standing", |(_, best)| Cell::text(best.prediction.standing))
        .column("library_s", |(own, _)| {
            Cell::if_some(own.library().map(|one| one.prediction.time), Cell::time)
        })
        .column("gain", |(own, best)| Cell::if_some(own.gain(best), Cell::factor))
        .rows
}

/// The sizes at which the best algorithm changes.
pub fn cross_overs(chapter: &Chapter) -> Rows {
    let sizes = chapter.sizes();
    let of = |procs: Procs| -> Vec<CrossOver> {
        let found = chapter.ranker.as_ref().map(|own| own.cross_overs(procs, &sizes));
        found.and_then(Result::ok).unwrap_or_default()
    };
    let all = chapter.sheets.iter().flat_map(|sheet| of(sheet.procs));
    Rows::of(all)
        .column("procs", |own| Cell::number(own.procs.get()))
        .column("from_bytes", |own| Cell::size(own.size))
        .column("before", |own| Cell::text(own.from.algorithm()))
        .column("algorithm", |own| Cell::text(own.to.algorithm()))
        .rows
}

/// M(n): predicted overflows, and the smallest size that lost packets.
pub fn onsets(chapter: &Chapter) -> Rows {
    let all = chapter.algorithms.iter().flat_map(|algorithm| {
        let lost: BTreeMap<Procs, Bytes> = figures::lost(chapter, algorithm).into_iter().collect();
        let predicted: BTreeMap<Procs, _> = figures::onsets(chapter, algorithm).into_iter().collect();
        let counts: std::collections::BTreeSet<Procs> = lost.keys().chain(predicted.keys()).copied().collect();
        let row = move |procs: Procs| {
            let onset = predicted.get(&procs).copied();
            (algorithm, procs, onset, lost.get(&procs).copied())
        };
        counts.into_iter().map(row).collect::<Vec<_>>()
    });
    Rows::of(all)
        .column("algorithm", |(name, ..)| Cell::text(name))
        .column("procs", |(_, procs, ..)| Cell::number(procs.get()))
        .column("overflow_bytes", |(_, _, onset, _)| {
            Cell::if_some(onset.map(|own| own.from), Cell::size)
        })
        .column("lower_bytes", |(_, _, onset, _)| {
            Cell::if_some(onset.map(|own| own.interval[0]), Cell::size)
        })
        .column("upper_bytes", |(_, _, onset, _)| {
            Cell::if_some(onset.map(|own| own.interval[1]), Cell::size)
        })
        .column("first_lossy_bytes", |(.., lost)| Cell::if_some(*lost, Cell::size))
        .rows
}

/// Errors of all models at the largest process count, fitted to the others; `None` if the data do not allow it.
pub fn models(subject: &Subject) -> Option<(Procs, Rows)> {
    let counts = subject
        .data
        .samples
        .iter()
        .filter_map(|row| match row.place.experiment {
            Experiment::Collective(_) => Some(row.place.procs),
            _ => None,
        });
    let largest = counts.max()?;
    let compared = compare::compare(
        &subject.data,
        |procs, _| procs < largest,
        &Options::default(),
        Grouping::Together,
    );
    let Comparison { scores, .. } = compared.ok()?;
    let percent = Cell::share;
    let rows = Rows::of(scores)
        .column("collective", |own| Cell::text(own.collective))
        .column("algorithm", |own| Cell::text(&own.algorithm))
        .column("model", |own| Cell::text(own.model))
        .column("median_error", move |own| percent(own.errors.median))
        .column("p90_error", move |own| percent(own.errors.p90))
        .column("worst_error", move |own| percent(own.errors.worst))
        .column("bias", |own| Cell::error(own.errors.bias))
        .column("in_interval", move |own| {
            Cell::if_some(own.errors.coverage, Cell::share)
        })
        .column("points", |own| Cell::number(own.errors.points))
        .rows;
    (!rows.is_empty()).then_some((largest, rows))
}

/// Facts about the origin of a subject.
pub fn provenance(subject: &Subject) -> Rows {
    let profile = subject.profile.iter();
    let of_profile = || profile.clone().flat_map(|own| own.provenance.iter());
    let of_data = subject.data.provenance.iter();
    // Without data, what the profile says of those that it was fitted to.
    let facts: Vec<(&str, &str)> = if subject.files.is_empty() {
        of_profile().collect()
    } else {
        let own = of_profile().filter(|(key, _)| !key.starts_with("data_"));
        own.chain(of_data).collect()
    };
    Rows::of(facts)
        .column("fact", |(key, _)| Cell::text(key))
        .column("value", |(_, value)| Cell::text(value))
        .rows
}
