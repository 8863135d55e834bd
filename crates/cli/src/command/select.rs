//! `netsig select`: ranks algorithms with their segments, gains and settings, and finds the sizes at
//! which the best one changes.

mod settings;

use clap::ValueEnum;
use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_base::data::cells::Statistic;
use netsig_model::model::segment::{Segment, SegmentSearch};
use netsig_model::predict::cross_over::CrossOver;
use netsig_model::predict::ranking::{self, CaseRanking};
use netsig_model::predict::request::BinomialForm;
use netsig_model::predict::select::RankedCandidate;
use netsig_model::profile::Profile;

use crate::input::args::{self, MpiChoice};
use crate::input::cases::{CaseArgs, too_far};
use crate::input::clusters::ClusterArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::partial::PartialResults;
use crate::print::notes::print;
use crate::print::rows::{PrintArgs, PrintFormat, print_rows, to_stdout};
use netsig_render::rows::table::TableWidth;
use netsig_render::rows::{PrintedCell, PrintedRows};

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
    profile.operands().refuse_cut_elements(collective, &cases.sizes)?;
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
            Ok(print_rows(
                &cross_overs(collective, all_cross_overs.into_iter()),
                args.print,
            )?)
        });
    }
    let answer = ranker.answer(cases.combinations());
    let flavour = args.flavour(&profile);
    PartialResults::new(answer.found, &answer.missing).conclude(|found| {
        print(&answer.limits);
        let width = args.print.table_width();
        print_rows(&ranked_rows(collective, flavour, &found, width), args.print)?;
        if args.print.format == PrintFormat::Table {
            let mut lines = meaning_of_mark(&found);
            if let (Some(mpi), TableWidth::Fit(_)) = (flavour, width) {
                lines.extend(settings::lines(collective, mpi, &found, &args.cases.profile));
            }
            to_stdout(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
        }
        Ok(())
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

/// Mark behind the name of an algorithm that was never measured.
const UNMEASURED_MARK: &str = "*";

/// Meaning of the mark.
const UNMEASURED_MEANING: &str = "* never measured: its time is without contention or by another algorithm's traffic";

/// The line below a table in which an algorithm has the mark.
fn meaning_of_mark(rankings: &[CaseRanking]) -> Vec<String> {
    let mut candidates = rankings.iter().flat_map(|ranking| &ranking.ranked);
    let has_mark = candidates.any(|candidate| !candidate.is_measured());
    Vec::from_iter(has_mark.then(|| UNMEASURED_MEANING.to_owned()))
}

/// A row for each algorithm of each ranking. A narrow table has neither settings, which are printed below it, nor a
/// column of the algorithms that were measured, since others have a mark.
fn ranked_rows(
    collective: Collective,
    mpi: Option<MpiFlavour>,
    rankings: &[CaseRanking],
    width: TableWidth,
) -> PrintedRows {
    let if_wide = |cell: PrintedCell| match width {
        TableWidth::Wide => cell,
        TableWidth::Fit(_) => cell.hidden(),
    };
    let each = rankings
        .iter()
        .flat_map(|ranking| ranking.places().map(move |place| (ranking, place)));
    PrintedRows::of(each)
        .emphasised(|(ranking, place)| place.rank == 1 && ranking.ranked.len() > 1)
        .column("collective", |_| PrintedCell::text(collective))
        .column("procs", |(ranking, _)| PrintedCell::number(ranking.procs.get()))
        .column("size_bytes", |(ranking, _)| PrintedCell::size(ranking.size))
        .column("rank", |(_, place)| PrintedCell::number(place.rank))
        .column("algorithm", |(_, place)| marked_name(place.candidate))
        .detail(5, "segment_bytes", |(_, place)| {
            let segment = place.candidate.prediction.segment;
            PrintedCell::if_some(segment.map(Segment::bytes), PrintedCell::size)
        })
        .column("time_s", |(_, place)| {
            PrintedCell::time(place.candidate.prediction.time)
        })
        .detail(1, "lower_s", |(_, place)| {
            let interval = place.candidate.prediction.interval;
            PrintedCell::if_some(interval.map(|i| i.lower), PrintedCell::time)
        })
        .detail(1, "upper_s", |(_, place)| {
            let interval = place.candidate.prediction.interval;
            PrintedCell::if_some(interval.map(|i| i.upper), PrintedCell::time)
        })
        .detail(4, "model", |(_, place)| PrintedCell::text(place.candidate.model().name))
        .detail(3, "standing", |(_, place)| {
            let standing = place.candidate.prediction.standing;
            PrintedCell::shown_as(standing.to_string(), standing.plain_word())
        })
        .column("gain", |(ranking, place)| {
            PrintedCell::if_some(ranking.gain(place.candidate), PrintedCell::factor)
        })
        .column("setting", |(_, place)| {
            let found_setting = mpi.map(|mpi| setting(collective, &place.candidate.algorithm(), mpi));
            if_wide(found_setting.unwrap_or_default())
        })
        .column("measured", |(_, place)| {
            let is_measured = place.candidate.is_measured();
            if_wide(PrintedCell::shown_as(
                is_measured,
                if is_measured { "yes" } else { "no" },
            ))
        })
        .column("held_back", |(_, place)| {
            PrintedCell::if_some(place.held_back, PrintedCell::text)
        })
        .rows
}

/// The name of an algorithm; in a table with a mark if it was never measured.
fn marked_name(candidate: &RankedCandidate) -> PrintedCell {
    let name = candidate.algorithm();
    let mark = if candidate.is_measured() { "" } else { UNMEASURED_MARK };
    PrintedCell::shown_as(name.as_str(), format!("{name}{mark}"))
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
