//! `netsig predict`: predicts times with intervals from a profile, by any model.

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::Statistic;
use netsig_model::model::segment::Segment;
use netsig_model::model::setting::parse_setting;
use netsig_model::predict::answer::{AlgorithmTimes, CaseTime};
use netsig_model::predict::{PredictedStatistic, parse_quantile};

use crate::input::args;
use crate::input::cases::{CaseArgs, too_far};
use crate::input::clusters::ClusterArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::partial::PartialResults;
use crate::print::notes::print;
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Predict times for process counts and sizes, with intervals.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    cases: CaseArgs,
    /// The algorithm, as `measure` takes it; an unmeasured algorithm is predicted without contention, `pipeline` with
    /// the best segments [default: all measured algorithms; except for alltoall also the others].
    #[arg(long, display_order = 1)]
    algorithm: Option<String>,
    /// The model, see `netsig models`; `all` for every model that applies [default: the choice of
    /// the fit; else the signature of an alltoall, or the regimes of another collective; else the
    /// algorithm's own model without contention].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A parameter of the model that the profile does not hold, or another value of it; may
    /// be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    settings: Vec<(String, f64)>,
    /// The segment size of segmented algorithms, at most the message [default: the best].
    #[arg(long, value_name = "BYTES", value_parser = args::segment)]
    segment: Option<Segment>,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    clusters: ClusterArgs,
    /// Statistic of the predicted distribution (contention regimes only; other models give a single
    /// time).
    #[arg(
        long,
        value_parser = args::variant::<Statistic>(),
        default_value = "median",
        conflicts_with = "quantile"
    )]
    statistic: Statistic,
    /// The time that this share of repetitions does not exceed, from the regimes alone.
    #[arg(long, value_name = "Q", value_parser = parse_quantile, conflicts_with = "settings")]
    quantile: Option<f64>,
    /// Predict also far outside the measured process counts and sizes.
    #[arg(long)]
    extrapolate: bool,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig predict data.toml --collective alltoall --procs 16,32 --size 1KiB..256KiB
  netsig predict data.toml --collective alltoall --algorithm library --procs 8..64 --size 4KiB --format csv
  netsig predict data.toml --collective alltoall --procs 32 --size 4KiB --model regimes --quantile 0.9
  netsig predict wide.toml --collective alltoall --algorithm two-phase:3 --procs 12 --size 1KiB --clusters 5,7";

/// The name for every model that applies.
const ALL_MODELS: &str = "all";

/// Runs the command.
///
/// # Errors
/// If the profile cannot be used or lacks data for the model, or the arguments are impossible.
pub fn run(args: &Args) -> Result<(), Failure> {
    let cases = args.cases.cases()?;
    let profile = files::profile(&args.cases.profile)?;
    let operands = profile.operands();
    operands.refuse_cut_elements(args.cases.collective, &cases.sizes)?;
    let grid = args.clusters.grid(&cases.procs)?;
    let network = args.network.load()?;
    let name = files::name(&args.cases.profile);
    let common_request = profile
        .predict(args.cases.collective)
        .named(&name)
        .per_host(args.cases.ppn)?
        .clusters(grid)
        .network(network.as_ref())
        .statistic(
            args.quantile
                .map_or(args.statistic.into(), PredictedStatistic::Quantile),
        )
        .pairs(cases.pair_sizes.as_ref())
        .too_far(too_far(args.extrapolate))
        .algorithm(args.algorithm.as_deref())
        .with_parameters(&args.settings)
        .segment(args.segment);
    let request = match args.model.as_deref() {
        Some(ALL_MODELS) => common_request.all_models(),
        model => common_request.model(model),
    };
    let answer = request.answer(cases.combinations())?;
    print(&answer.notes);
    let found = answer.times().collect();
    PartialResults::new(found, &answer.missing).conclude(|found| {
        print(&answer.limits);
        Ok(print_rows(&rows(args.cases.collective, &found), args.print)?)
    })
}

fn rows(collective: Collective, found: &[(&AlgorithmTimes, &CaseTime)]) -> PrintedRows {
    let mut algorithms = found
        .iter()
        .map(|(algorithm_times, row)| algorithm_times.name(row.prediction.segment));
    let is_one_algorithm = algorithms.all_equal();
    let rows = PrintedRows::of(found)
        .column("collective", |_| PrintedCell::text(collective))
        .column("algorithm", |(algorithm_times, row)| {
            PrintedCell::text(algorithm_times.name(row.prediction.segment))
        })
        .column("procs", |(_, row)| PrintedCell::number(row.procs.get()))
        .column("size_bytes", |(_, row)| PrintedCell::size(row.size))
        .column("time_s", |(_, row)| PrintedCell::time(row.prediction.time))
        .detail(1, "lower_s", |(_, row)| {
            PrintedCell::if_some(row.prediction.interval.map(|i| i.lower), PrintedCell::time)
        })
        .detail(1, "upper_s", |(_, row)| {
            PrintedCell::if_some(row.prediction.interval.map(|i| i.upper), PrintedCell::time)
        })
        .column("model", |(algorithm_times, _)| {
            PrintedCell::text(algorithm_times.model().name)
        })
        .detail(2, "standing", |(_, row)| PrintedCell::text(row.prediction.standing))
        .detail(4, "segment_bytes", |(_, row)| {
            PrintedCell::if_some(row.prediction.segment.map(Segment::bytes), PrintedCell::size)
        })
        .rows;
    // The models tell the rows of one algorithm apart.
    if is_one_algorithm {
        rows
    } else {
        rows.with_details(3, &["model"])
    }
}
