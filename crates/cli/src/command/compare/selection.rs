//! `netsig compare DATA --selection PROFILE`: penalties of the algorithms that a profile chooses,
//! and their gain over the library's own choice.

use std::path::Path;

use netsig_base::algorithm::LIBRARY;
use netsig_base::data::cells::Statistic;
use netsig_base::data::mixture::NamedDataset;
use netsig_model::fit::accepted::AcceptedData;
use netsig_model::predict::judgement::{JudgedContest, JudgementRequest, ProfileJudgement};

use super::{Args, SelectionDetail};
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::notes::print;
use crate::print::rows::print_rows;
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Runs the command.
///
/// # Errors
/// If no cell has several algorithms, the profile chooses no measured algorithm, or the profile is of another network
/// or setting.
pub(super) fn run(args: &Args, path: &Path) -> Result<(), Failure> {
    let profile = files::profile(path)?;
    let network = args.network.load()?;
    let AcceptedData { data, name, notes } = args.input.read()?;
    print(&notes);
    let statistic = args.statistic.unwrap_or(Statistic::Median);
    let request = JudgementRequest {
        profile: &profile,
        profile_name: &files::name(path),
        measured: NamedDataset {
            name: &name,
            data: &data,
        },
        network: network.as_ref(),
        statistic,
        doubtful: args.input.doubtful(),
    };
    let judgement = request.judge()?;
    print(&judgement.notes);
    let rows = match args.show {
        SelectionDetail::Summary => summary(&judgement),
        SelectionDetail::Cells => cells(&judgement.chosen, statistic),
    };
    Ok(print_rows(&rows, args.print)?)
}

/// A row for each collective.
fn summary(judgement: &ProfileJudgement) -> PrintedRows {
    PrintedRows::of(judgement.totals())
        .column("collective", |(collective, _)| PrintedCell::text(collective))
        .column("cells", |(_, total)| PrintedCell::number(total.cells))
        .column("mean_penalty", |(_, total)| PrintedCell::error(total.mean))
        .column("p90_penalty", |(_, total)| PrintedCell::error(total.p90))
        .column("worst_penalty", |(_, total)| PrintedCell::error(total.worst))
        .column("oracle_penalty", |(_, total)| {
            PrintedCell::if_some(total.oracle, PrintedCell::error)
        })
        .column("gain", |(_, total)| gain_cell(total.gain))
        .rows
}

/// A row for each cell.
fn cells(chosen: &[JudgedContest], statistic: Statistic) -> PrintedRows {
    let time = |one: &JudgedContest, name: &str| PrintedCell::if_some(one.time(name, statistic), PrintedCell::time);
    PrintedRows::of(chosen)
        .column("collective", |one| PrintedCell::text(one.contest.collective))
        .column("procs", |one| PrintedCell::number(one.contest.procs.get()))
        .column("size_bytes", |one| PrintedCell::size(one.contest.size))
        .column("algorithm", |one| PrintedCell::text(&one.judged.choice))
        .column("best", |one| PrintedCell::text(&one.judged.best))
        .column("penalty", |one| PrintedCell::error(one.judged.penalty))
        .column("oracle_penalty", |one| {
            PrintedCell::if_some(one.judged.oracle, PrintedCell::error)
        })
        .column("gain", |one| gain_cell(one.judged.gain))
        .detail(1, "time_s", |one| time(one, &one.judged.choice))
        .detail(1, "best_s", |one| time(one, &one.judged.best))
        .detail(1, "library_s", |one| time(one, LIBRARY))
        .rows
}

/// The cell of a gain; a table states if the library was not measured.
fn gain_cell(gain: Option<f64>) -> PrintedCell {
    let unknown = || PrintedCell::shown_as(serde_json::Value::Null, format!("no {LIBRARY}"));
    gain.map_or_else(unknown, PrintedCell::factor)
}
