//! `netsig select`: which algorithm, with which segments, and where the best one changes.

use clap::ValueEnum;
use netsig_core::algorithm::Collective;
use netsig_core::data::cells::Statistic;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{Kind, Model};
use netsig_core::predict::select::{Binomial, Options, Selector, Sources};

use crate::input::args;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::points::PointArgs;
use crate::print::notes;
use crate::print::rows::{Cell, Format, Rows};

/// Rank the algorithms of a collective and find where the best one changes.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    points: PointArgs,
    /// The binomial tree as printed, or with its exact time for every process count.
    #[arg(long, value_parser = args::variant::<Binomial>(), default_value = "printed")]
    binomial: Binomial,
    /// How segment sizes are found: pow2, hill or exhaustive.
    #[arg(long, value_name = "SEARCH", default_value = "hill")]
    segments: Search,
    /// Segments are multiples of this.
    #[arg(long, value_name = "BYTES", value_parser = args::segment, default_value = "1")]
    datatype: Segment,
    #[command(flatten)]
    network: NetworkArgs,
    /// Statistic of the predicted distribution (contention regimes only; other models give a single
    /// time).
    #[arg(long, value_parser = args::variant::<Statistic>(), default_value = "median")]
    statistic: Statistic,
    /// What to print.
    #[arg(long, value_enum, default_value = "ranking")]
    show: Show,
    /// The output format.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// All algorithms for every process count and size, the fastest first.
    Ranking,
    /// The fastest alone.
    Best,
    /// Sizes from which on another algorithm is the fastest; there may be more.
    CrossOvers,
}

/// Runs the command.
///
/// # Errors
/// If the profile cannot be used or offers nothing to choose from.
pub fn run(args: &Args) -> Result<(), Failure> {
    let collective = args.points.collective;
    let profile = files::profile(&args.points.profile)?;
    let options = Options {
        binomial: args.binomial,
        search: args.segments,
        datatype: args.datatype,
    };
    let network = args
        .network
        .with_hosts_for(Some(args.points.procs.largest()))?;
    let sources = Sources {
        profile: &profile,
        network: network.as_ref(),
        asked: args.statistic.into(),
    };
    let selector = Selector::new(sources, collective, options)?;
    if selector.candidates() == 0 {
        let problem = format!("holds no algorithm of {collective}; measure some and fit them");
        return Err(Failure::data(problem).about(&args.points.profile));
    }
    let rows = match args.show {
        Show::Ranking => ranking(&args.points, &selector, usize::MAX)?,
        Show::Best => ranking(&args.points, &selector, 1)?,
        Show::CrossOvers => cross_overs(&args.points, &selector)?,
    };
    let models: Vec<&Model> = selector.models().collect();
    notes::tell(&args.points, &profile, network.as_ref(), &models);
    let is_free = |model: &&Model| model.kind == Kind::ContentionFree;
    if collective == Collective::Alltoall && models.iter().all(is_free) {
        eprintln!(
            "netsig: warning: no alltoall was measured: the times are without contention, and which one is the fastest under contention they do not tell"
        );
    }
    Ok(rows.print(args.format)?)
}

/// The first so many of every ranking.
fn ranking(points: &PointArgs, selector: &Selector, most: usize) -> Result<Rows, Failure> {
    let mut all = Vec::new();
    for (procs, size) in points.cells() {
        let ranked = (1u64..).zip(selector.rank(procs, size)?).take(most);
        all.extend(ranked.map(|(rank, candidate)| (procs, size, rank, candidate)));
    }
    Ok(Rows::of(all)
        .column("collective", |_| Cell::text(points.collective))
        .column("procs", |(procs, ..)| Cell::number(procs.get()))
        .column("size_bytes", |(_, size, ..)| Cell::size(*size))
        .column("rank", |(_, _, rank, _)| Cell::number(*rank))
        .column("algorithm", |(.., one)| Cell::text(one.algorithm()))
        .column("segment_bytes", |(.., one)| {
            Cell::if_some(one.prediction.segment.map(Segment::bytes), Cell::size)
        })
        .column("time_s", |(.., one)| Cell::time(one.prediction.time))
        .column("lower_s", |(.., one)| {
            Cell::if_some(one.prediction.interval.map(|i| i.lower), Cell::time)
        })
        .column("upper_s", |(.., one)| {
            Cell::if_some(one.prediction.interval.map(|i| i.upper), Cell::time)
        })
        .column("model", |(.., one)| Cell::text(one.model().name))
        .column("standing", |(.., one)| Cell::text(one.prediction.standing))
        .rows)
}

fn cross_overs(points: &PointArgs, selector: &Selector) -> Result<Rows, Failure> {
    let mut all = Vec::new();
    for &procs in points.procs.items() {
        all.extend(selector.cross_overs(procs, points.size.items())?);
    }
    Ok(Rows::of(all)
        .column("collective", |_| Cell::text(points.collective))
        .column("procs", |change| Cell::number(change.procs.get()))
        .column("from_bytes", |change| Cell::size(change.size))
        .column("before", |change| Cell::text(change.from.algorithm()))
        .column("algorithm", |change| Cell::text(change.to.algorithm()))
        .rows)
}
