//! `netsig select`: ranks algorithms with their segments, gains and settings, and finds the sizes at
//! which the best one changes.

use clap::ValueEnum;
use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_base::data::cells::Statistic;
use netsig_model::model::segment::{Segment, SegmentSearch};
use netsig_model::predict::cross_over::CrossOver;
use netsig_model::predict::ranking::{self, CaseRanking};
use netsig_model::predict::request::BinomialForm;
use netsig_model::profile::Profile;

use crate::input::args::{self, MpiChoice};
use crate::input::cases::{CaseArgs, too_far};
use crate::input::clusters::ClusterArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::partial::PartialResults;
use crate::print::notes::print;
use crate::print::rows::{PrintArgs, PrintedCell, PrintedRows};

/// Rank the algorithms of a collective and find where the best one changes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    cases: CaseArgs,
    /// The binomial tree as printed, or with its exact time for every process count.
    #[arg(long, value_parser = args::variant::<BinomialForm>(), default_value = "printed")]
    binomial: BinomialForm,
    /// Search for the segment size: pow2, hill or exhaustive.
    #[arg(long, value_name = "SEARCH", default_value = "hill")]
    segments: SegmentSearch,
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
    mpi: Option<MpiChoice>,
    /// Rank also far outside the measured process counts and sizes.
    #[arg(long)]
    extrapolate: bool,
    /// Content of the table.
    #[arg(long, value_enum, default_value = "ranking")]
    show: RankingContent,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig select data.toml --collective alltoall --procs 16,32 --size 1KiB..256KiB --show best
  netsig select bcast.toml --collective bcast --procs 16..128 --size 1KiB..1MiB --mpi openmpi";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RankingContent {
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
    let collective = args.cases.collective;
    let cases = args.cases.cases()?;
    let profile = files::profile(&args.cases.profile)?;
    let grid = args.clusters.grid(&cases.procs)?;
    let network = args.network.load()?;
    let name = files::name(&args.cases.profile);
    let ranker = profile
        .rank(collective)
        .named(&name)
        .per_host(args.cases.ppn)?
        .clusters(grid)
        .network(network.as_ref())
        .statistic(args.statistic)
        .pairs(cases.pair_sizes.as_ref())
        .too_far(too_far(args.extrapolate))
        .binomial(args.binomial)
        .segments(args.segments, args.datatype)
        .most_candidates(args.show.most_candidates())
        .ranker()?;
    if args.show == RankingContent::CrossOvers {
        let counts = cases.procs.iter();
        let changes = counts.map(|&procs| ranker.cross_overs(procs, &cases.sizes));
        return PartialResults::of(changes).conclude(|found| {
            let all_cross_overs: Vec<CrossOver> = found.into_iter().flatten().collect();
            let mut limits = ranker.limits(cases.combinations());
            limits.extend(
                ranker.note_on_segments(
                    all_cross_overs
                        .iter()
                        .flat_map(|cross_over| [&cross_over.from, &cross_over.to]),
                ),
            );
            print(&limits);
            Ok(cross_overs(collective, all_cross_overs.into_iter()).print(args.print)?)
        });
    }
    let answer = ranker.answer(cases.combinations());
    let flavour = args.flavour(&profile);
    PartialResults::new(answer.found, &answer.missing).conclude(|found| {
        print(&answer.limits);
        Ok(ranked_rows(collective, flavour, &found).print(args.print)?)
    })
}

impl RankingContent {
    /// Greatest number of algorithms for a process count and size.
    fn most_candidates(self) -> usize {
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

fn ranked_rows(collective: Collective, mpi: Option<MpiFlavour>, rankings: &[CaseRanking]) -> PrintedRows {
    let each = rankings.iter().flat_map(|all| {
        let ranked = (1u64..).zip(&all.ranked);
        ranked.map(move |(rank, candidate)| (all, rank, candidate))
    });
    PrintedRows::of(each)
        .column("collective", |_| PrintedCell::text(collective))
        .column("procs", |(all, ..)| PrintedCell::number(all.procs.get()))
        .column("size_bytes", |(all, ..)| PrintedCell::size(all.size))
        .column("rank", |(_, rank, _)| PrintedCell::number(*rank))
        .column("algorithm", |(.., one)| PrintedCell::text(one.algorithm()))
        .detail(2, "segment_bytes", |(.., one)| {
            PrintedCell::if_some(one.prediction.segment.map(Segment::bytes), PrintedCell::size)
        })
        .column("time_s", |(.., one)| PrintedCell::time(one.prediction.time))
        .column("lower_s", |(.., one)| {
            PrintedCell::if_some(one.prediction.interval.map(|i| i.lower), PrintedCell::time)
        })
        .column("upper_s", |(.., one)| {
            PrintedCell::if_some(one.prediction.interval.map(|i| i.upper), PrintedCell::time)
        })
        .detail(1, "model", |(.., one)| PrintedCell::text(one.model().name))
        .column("standing", |(.., one)| PrintedCell::text(one.prediction.standing))
        .column("gain", |(all, _, one)| {
            PrintedCell::if_some(all.gain(one), PrintedCell::factor)
        })
        .column("setting", |(_, rank, one)| {
            let found_setting = mpi.map(|mpi| setting(collective, &one.algorithm(), mpi));
            let cell = found_setting.unwrap_or_default();
            if *rank == 1 { cell } else { cell.hidden() }
        })
        .rows
}

/// The setting that makes `mpi` run an algorithm; a table states if the library lacks it.
fn setting(collective: Collective, algorithm: &str, mpi: MpiFlavour) -> PrintedCell {
    match ranking::setting(collective, algorithm, mpi) {
        Some(setting) => PrintedCell::text(setting),
        None if algorithm == LIBRARY => PrintedCell::default(),
        None => PrintedCell::shown_as(serde_json::Value::Null, "netsig alone"),
    }
}

fn cross_overs<'a>(collective: Collective, changes: impl Iterator<Item = CrossOver<'a>>) -> PrintedRows {
    PrintedRows::of(changes)
        .column("collective", |_| PrintedCell::text(collective))
        .column("procs", |change| PrintedCell::number(change.procs.get()))
        .column("from_bytes", |change| PrintedCell::size(change.size))
        .column("before", |change| PrintedCell::text(change.from.algorithm()))
        .column("algorithm", |change| PrintedCell::text(change.to.algorithm()))
        .rows
}
