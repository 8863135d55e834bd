//! `netsig select`: ranks algorithms with their segments, gains and settings, and finds the sizes at
//! which the best one changes.

use clap::ValueEnum;
use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_base::data::cells::Statistic;
use netsig_model::model::segment::{Search, Segment};
use netsig_model::predict::cross_over::CrossOver;
use netsig_model::predict::ranking::{self, CaseRanking};
use netsig_model::predict::request::Binomial;
use netsig_model::profile::Profile;

use crate::input::args::{self, Mpi};
use crate::input::clusters::ClusterArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::partial::Partial;
use crate::input::points::{PointArgs, too_far};
use crate::print::notes::print;
use crate::print::rows::{Cell, PrintArgs, Rows};

/// Rank the algorithms of a collective and find where the best one changes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    points: PointArgs,
    /// The binomial tree as printed, or with its exact time for every process count.
    #[arg(long, value_parser = args::variant::<Binomial>(), default_value = "printed")]
    binomial: Binomial,
    /// Search for the segment size: pow2, hill or exhaustive.
    #[arg(long, value_name = "SEARCH", default_value = "hill")]
    segments: Search,
    /// Segments are multiples of this.
    #[arg(long, value_name = "BYTES", value_parser = args::segment, default_value = "1")]
    datatype: Segment,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    clusters: ClusterArgs,
    /// Statistic of the predicted distribution (contention regimes only; other models give a single
    /// time).
    #[arg(long, value_parser = args::variant::<Statistic>(), default_value = "median")]
    statistic: Statistic,
    /// The MPI library whose settings to show [default: that of the data, where the profile names
    /// it].
    #[arg(long, value_enum)]
    mpi: Option<Mpi>,
    /// Rank also far outside the measured process counts and sizes.
    #[arg(long)]
    extrapolate: bool,
    /// Content of the table.
    #[arg(long, value_enum, default_value = "ranking")]
    show: Show,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig select data.toml --collective alltoall --procs 16,32 --size 1KiB..256KiB --show best
  netsig select bcast.toml --collective bcast --procs 16..128 --size 1KiB..1MiB --mpi openmpi";

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
/// If the profile cannot be used, has no algorithm of the collective or, without --extrapolate, was
/// measured too far from a case.
pub fn run(args: &Args) -> Result<(), Failure> {
    let collective = args.points.collective;
    let points = args.points.points()?;
    let profile = files::profile(&args.points.profile)?;
    let grid = args.clusters.grid(&points.procs)?;
    let network = args.network.load()?;
    let name = files::name(&args.points.profile);
    let ranker = profile
        .rank(collective)
        .named(&name)
        .per_host(args.points.ppn)?
        .clusters(grid)
        .network(network.as_ref())
        .statistic(args.statistic)
        .pairs(points.pairs.as_ref())
        .too_far(too_far(args.extrapolate))
        .binomial(args.binomial)
        .segments(args.segments, args.datatype)
        .most(args.show.most())
        .ranker()?;
    if args.show == Show::CrossOvers {
        let counts = points.procs.iter();
        let changes = counts.map(|&procs| ranker.cross_overs(procs, &points.sizes));
        return Partial::of(changes).conclude(|found| {
            let found: Vec<CrossOver> = found.into_iter().flatten().collect();
            let mut limits = ranker.limits(points.cells());
            limits.extend(ranker.on_segments(found.iter().flat_map(|own| [&own.from, &own.to])));
            print(&limits);
            Ok(cross_overs(collective, found.into_iter()).print(args.print)?)
        });
    }
    let answer = ranker.answer(points.cells());
    let flavour = args.flavour(&profile);
    Partial::new(answer.found, &answer.missing).conclude(|found| {
        print(&answer.limits);
        Ok(ranked_rows(collective, flavour, &found).print(args.print)?)
    })
}

impl Show {
    /// Greatest number of algorithms for a process count and size.
    fn most(self) -> usize {
        match self {
            Self::Best => 1,
            Self::Ranking | Self::CrossOvers => usize::MAX,
        }
    }
}

impl Args {
    /// The MPI library whose settings to show, if known.
    fn flavour(&self, profile: &Profile) -> Option<MpiFlavour> {
        match self.mpi {
            Some(mpi) => Some(mpi.into()),
            None => ranking::flavour(profile),
        }
    }
}

fn ranked_rows(collective: Collective, mpi: Option<MpiFlavour>, rankings: &[CaseRanking]) -> Rows {
    let each = rankings.iter().flat_map(|all| {
        let ranked = (1u64..).zip(&all.ranked);
        ranked.map(move |(rank, candidate)| (all, rank, candidate))
    });
    Rows::of(each)
        .column("collective", |_| Cell::text(collective))
        .column("procs", |(all, ..)| Cell::number(all.procs.get()))
        .column("size_bytes", |(all, ..)| Cell::size(all.size))
        .column("rank", |(_, rank, _)| Cell::number(*rank))
        .column("algorithm", |(.., one)| Cell::text(one.algorithm()))
        .detail(2, "segment_bytes", |(.., one)| {
            Cell::if_some(one.prediction.segment.map(Segment::bytes), Cell::size)
        })
        .column("time_s", |(.., one)| Cell::time(one.prediction.time))
        .column("lower_s", |(.., one)| {
            Cell::if_some(one.prediction.interval.map(|i| i.lower), Cell::time)
        })
        .column("upper_s", |(.., one)| {
            Cell::if_some(one.prediction.interval.map(|i| i.upper), Cell::time)
        })
        .detail(1, "model", |(.., one)| Cell::text(one.model().name))
        .column("standing", |(.., one)| Cell::text(one.prediction.standing))
        .column("gain", |(all, _, one)| Cell::if_some(all.gain(one), Cell::factor))
        .column("setting", |(_, rank, one)| {
            let cell = mpi.map(|mpi| setting(collective, &one.algorithm(), mpi));
            let cell = cell.unwrap_or_default();
            if *rank == 1 { cell } else { cell.hidden() }
        })
        .rows
}

/// The setting that makes `mpi` run an algorithm; a table says where the library lacks it.
fn setting(collective: Collective, algorithm: &str, mpi: MpiFlavour) -> Cell {
    match ranking::setting(collective, algorithm, mpi) {
        Some(setting) => Cell::text(setting),
        None if algorithm == LIBRARY => Cell::default(),
        None => Cell::shown_as(serde_json::Value::Null, "netsig alone"),
    }
}

fn cross_overs<'a>(collective: Collective, changes: impl Iterator<Item = CrossOver<'a>>) -> Rows {
    Rows::of(changes)
        .column("collective", |_| Cell::text(collective))
        .column("procs", |change| Cell::number(change.procs.get()))
        .column("from_bytes", |change| Cell::size(change.size))
        .column("before", |change| Cell::text(change.from.algorithm()))
        .column("algorithm", |change| Cell::text(change.to.algorithm()))
        .rows
}
