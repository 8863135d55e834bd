//! `netsig select`: which algorithm, with which segments, and where the best one changes.

use std::path::PathBuf;

use clap::ValueEnum;
use netsig_core::algorithm::Collective;
use netsig_core::data::cells::Statistic;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{Kind, Model};
use netsig_core::predict::Prediction;
use netsig_core::predict::select::{self, Options, Selector, Sources};
use netsig_core::units::list::List;
use netsig_core::units::{Bytes, Procs};

use crate::failure::Failure;
use crate::input::args::{self, StatisticChoice};
use crate::input::{files, links};
use crate::print::notes::Notes;
use crate::print::rows::{Cell, Format, Rows};

/// Rank the algorithms of a collective and find where the best one changes.
#[derive(clap::Args)]
pub struct Args {
    /// The profile that `netsig fit` wrote.
    profile: PathBuf,
    /// The collective: bcast, scatter, gather, allgather or alltoall.
    #[arg(long)]
    collective: Collective,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(long, value_name = "LIST")]
    procs: List<Procs>,
    /// Bytes per destination (of a bcast: of the message), as for --procs, with kB MB KiB MiB.
    #[arg(long, value_name = "LIST")]
    size: List<Bytes>,
    /// The binomial tree as printed, or with its exact time for every process count.
    #[arg(long, value_enum, default_value = "printed")]
    binomial: Binomial,
    /// How segment sizes are found: pow2, hill or exhaustive.
    #[arg(long, value_name = "SEARCH", default_value = "hill")]
    segments: Search,
    /// Segments are multiples of this.
    #[arg(long, value_name = "BYTES", value_parser = args::segment, default_value = "1")]
    datatype: Segment,
    /// The scenario that holds the links of the network, for models that need them.
    #[arg(long, value_name = "SCENARIO")]
    network: Option<String>,
    /// Statistic of the predicted distribution (contention regimes only; other models give a single
    /// time).
    #[arg(long, value_enum, default_value = "median")]
    statistic: StatisticChoice,
    /// What to print.
    #[arg(long, value_enum, default_value = "ranking")]
    show: Show,
    /// How to print it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Binomial {
    /// As printed.
    Printed,
    /// Exact for every process count.
    Exact,
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
    let profile = files::profile(&args.profile)?;
    let options = Options {
        binomial: match args.binomial {
            Binomial::Printed => select::Binomial::Printed,
            Binomial::Exact => select::Binomial::Exact,
        },
        search: args.segments,
        datatype: args.datatype,
    };
    let links = args.network.as_deref();
    let links = links.map(|name| links::tree(name, args.procs.items().iter().max().copied()));
    let links = links.transpose()?;
    let sources = Sources {
        profile: &profile,
        tree: links.as_ref(),
        asked: Statistic::from(args.statistic).into(),
    };
    let selector = Selector::new(sources, args.collective, options)?;
    if selector.candidates() == 0 {
        return Err(Failure::data(format!(
            "{}: holds no algorithm of {}; measure some and fit them",
            args.profile.display(),
            args.collective
        )));
    }
    let rows = match args.show {
        Show::Ranking => ranking(args, &selector, usize::MAX)?,
        Show::Best => ranking(args, &selector, 1)?,
        Show::CrossOvers => cross_overs(args, &selector)?,
    };
    let notes = Notes {
        profile: &profile,
        name: &args.profile,
        collective: args.collective,
        procs: args.procs.items(),
        sizes: args.size.items(),
    };
    let models: Vec<&Model> = selector.models().collect();
    notes.tell(&models);
    notes.tell_about_links(&models, args.network.as_deref());
    let is_free = |model: &&Model| model.kind == Kind::ContentionFree;
    if args.collective == Collective::Alltoall && models.iter().all(is_free) {
        eprintln!(
            "netsig: warning: no alltoall was measured: the times are without contention, and which one is the fastest under contention they do not tell"
        );
    }
    Ok(rows.print(args.format)?)
}

/// The first so many of every ranking.
fn ranking(args: &Args, selector: &Selector, most: usize) -> Result<Rows, Failure> {
    let mut rows = Rows::new(&[
        "collective",
        "procs",
        "size_bytes",
        "rank",
        "algorithm",
        "segment_bytes",
        "time_s",
        "lower_s",
        "upper_s",
        "model",
        "standing",
    ]);
    for &procs in args.procs.items() {
        for &size in args.size.items() {
            let ranked = selector.rank(procs, size)?;
            for (rank, candidate) in (1..).zip(ranked).take(most) {
                let Prediction {
                    time,
                    interval,
                    standing,
                    segment,
                } = candidate.prediction;
                rows.push(vec![
                    Cell::text(args.collective.to_string()),
                    Cell::count(procs.get().into()),
                    Cell::size(size),
                    Cell::count(rank),
                    Cell::text(candidate.algorithm()),
                    segment.map_or_else(Cell::nothing, |s| Cell::size(s.bytes())),
                    Cell::time(time),
                    Cell::time_if(interval.map(|interval| interval.lower)),
                    Cell::time_if(interval.map(|interval| interval.upper)),
                    Cell::text(candidate.model().name),
                    Cell::text(standing.to_string()),
                ]);
            }
        }
    }
    Ok(rows)
}

fn cross_overs(args: &Args, selector: &Selector) -> Result<Rows, Failure> {
    let mut rows = Rows::new(&["collective", "procs", "from_bytes", "before", "algorithm"]);
    for &procs in args.procs.items() {
        for change in selector.cross_overs(procs, args.size.items())? {
            rows.push(vec![
                Cell::text(args.collective.to_string()),
                Cell::count(change.procs.get().into()),
                Cell::size(change.size),
                Cell::text(change.from.algorithm()),
                Cell::text(change.to.algorithm()),
            ]);
        }
    }
    Ok(rows)
}
