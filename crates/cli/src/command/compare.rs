//! `netsig compare`: errors of every model on data that it was not fitted to; with `--selection`
//! penalties of a profile's choices among the measured algorithms.

mod selection;

use std::path::PathBuf;

use clap::ValueEnum;
use netsig_base::data::cells::Statistic;
use netsig_base::data::processors::BusyCells;
use netsig_model::fit::accepted::AcceptedData;
use netsig_model::fit::network::NetworkFitOptions;
use netsig_model::fit::notes::without_tables;
use netsig_model::predict::compare::{self, ModelScore, ScoreGrouping};
use netsig_model::predict::split::{CellFilter, DataSplit};

use crate::input::args::{self, CovarianceChoice};
use crate::input::data::DataArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::print::notes::{print, print_remark};
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Fit every model to one part of the data and judge it on the rest; or judge the choices of a
/// profile among the measured algorithms.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: DataArgs,
    /// Judge the algorithms that this profile chooses: their times beside those of the best measured
    /// ones and of the library's own choice.
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["train", "covariance", "plogp"])]
    selection: Option<PathBuf>,
    /// Content of the table of --selection.
    #[arg(long, value_enum, default_value = "summary", requires = "selection")]
    show: SelectionDetail,
    /// The cells that models are fitted to, such as 'procs<=16' or 'procs<16,size>=1KiB'; the
    /// rest judges them [default: all but the largest process count].
    #[arg(long, value_name = "CONDITION")]
    train: Option<CellFilter>,
    /// Errors of each process count apart, as figures of errors over the number of processes show them.
    #[arg(long, conflicts_with = "selection")]
    by_procs: bool,
    /// The covariance of the errors: auto, means, proportional, bandwidth-share, ols or
    /// ar1:RHO.
    #[arg(long, value_parser = args::covariance, default_value = "auto")]
    covariance: CovarianceChoice,
    /// The statistic of the repetitions of a collective [default: mean; with --selection median].
    #[arg(long, value_parser = args::variant::<Statistic>())]
    statistic: Option<Statistic>,
    /// A profile with the pLogP tables for models that need them [default: the tables of the
    /// data, else alpha and beta in their place].
    #[arg(long, value_name = "FILE")]
    plogp: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig compare data.csv
  netsig compare data.csv --train 'procs<=6'
  netsig compare data.csv --train procs=24 --by-procs --format csv
  netsig compare alltoall.csv --selection alltoall.toml --show cells";

/// Content of the table of `--selection`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SelectionDetail {
    /// Penalties and gain of each collective.
    Summary,
    /// Every cell, with the chosen and the best algorithm.
    Cells,
}

/// Runs the command.
///
/// # Errors
/// If the data cannot be used, one of the two parts is empty, or no model can be fitted; with a
/// profile, if it chooses none of the measured algorithms.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(profile) = &args.selection {
        return selection::run(args, profile);
    }
    let AcceptedData {
        data,
        name: data_name,
        notes,
    } = args.input.read()?;
    print(&notes);
    print(&BusyCells::of(&data).notes());
    let split = DataSplit::of(&data, &data_name, args.train.as_ref())?;
    let options = NetworkFitOptions {
        covariance: args.covariance.0.clone(),
        statistic: args.statistic.unwrap_or_default(),
        plogp: args.plogp.as_deref().map(files::plogp).transpose()?,
        network: args.network.with_hosts_for(Some(split.largest))?,
        ..NetworkFitOptions::default()
    };
    let is_training_cell = |procs, size| split.is_training(procs, size);
    let grouping = if args.by_procs {
        ScoreGrouping::ByProcs
    } else {
        ScoreGrouping::Together
    };
    let compared = compare::compare(&data, is_training_cell, &options, grouping)
        .map_err(|error| Failure::data(error).about(data_name))?;
    for note in &compared.notes {
        print_remark(format!("not compared: {note}"));
    }
    for refusal in &compared.refusals {
        print_remark(format!("refused: {refusal}"));
    }
    if !compared.has_tables {
        print([&without_tables()]);
    }
    eprintln!(
        "fitted to {} cells, judged on {}",
        split.training_count, split.judging_count
    );
    Ok(print_rows(&rows(&compared.scores, grouping), args.print)?)
}

/// True if no other model of the same algorithm has a smaller median error.
fn is_best(score: &ModelScore, scores: &[ModelScore]) -> bool {
    let group = |one: &ModelScore| (one.collective, one.algorithm.clone(), one.procs);
    let mut rivals = scores.iter().filter(|other| group(other) == group(score));
    rivals.all(|other| other.errors.median >= score.errors.median)
}

fn rows(scores: &[ModelScore], grouping: ScoreGrouping) -> PrintedRows {
    let mut rows = PrintedRows::of(scores)
        .column("collective", |score| PrintedCell::text(score.collective))
        .column("algorithm", |score| PrintedCell::text(&score.algorithm))
        .column("model", |score| PrintedCell::text(score.model));
    if grouping == ScoreGrouping::ByProcs {
        rows = rows.column("procs", |score| {
            PrintedCell::if_some(score.procs, |procs| PrintedCell::number(procs.get()))
        });
    }
    rows.column("median_error", |score| PrintedCell::share(score.errors.median))
        .detail(3, "p90_error", |score| PrintedCell::share(score.errors.p90))
        .detail(1, "worst_error", |score| PrintedCell::share(score.errors.worst))
        .detail(2, "bias", |score| PrintedCell::error(score.errors.bias))
        .detail(4, "points", |score| PrintedCell::number(score.errors.points))
        .detail(5, "refused", |score| PrintedCell::number(score.refused))
        .emphasised(|score| is_best(score, scores))
        .rows
}
