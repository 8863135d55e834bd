//! `netsig select`: ranks algorithms with their segments, gains and settings, and finds the sizes at
//! which the best one changes.

use clap::ValueEnum;
use netsig_core::algorithm::{Collective, LIBRARY, Method, MpiFlavour};
use netsig_core::data::cells::Statistic;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{Kind, Model};
use netsig_core::predict::cross_over::CrossOver;
use netsig_core::predict::select::{Binomial, Options, Ranked, Selector, Sources};
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Procs};

use crate::input::args::{self, Mpi};
use crate::input::clusters::ClusterArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::partial::Partial;
use crate::input::points::PointArgs;
use crate::print::notes;
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
    let mut profile = files::profile(&args.points.profile)?;
    args.clusters.apply(&mut profile)?;
    let options = Options {
        binomial: args.binomial,
        search: args.segments,
        datatype: args.datatype,
    };
    let network = args.network.load()?;
    let sources = Sources {
        profile: &profile,
        network: network.as_ref(),
        asked: args.statistic.into(),
    };
    let mut selector = Selector::new(sources, collective, options)?;
    if let Some(pairs) = &points.pairs {
        selector = selector.of_pairs(pairs);
    }
    if selector.candidates() == 0 {
        let problem = format!("holds no algorithm of {collective}; measure some and fit them");
        return Err(Failure::data(problem).about(&args.points.profile));
    }
    let print = |rows: Rows| {
        let models: Vec<&Model> = selector.models().collect();
        notes::tell(&points, &profile, network.as_ref(), &models);
        let is_free = |model: &&Model| model.kind == Kind::ContentionFree;
        if collective == Collective::Alltoall && models.iter().all(is_free) {
            eprintln!(
                "netsig: warning: no alltoall was measured: the times are without contention and do not show the fastest algorithm under contention"
            );
        }
        Ok(rows.print(args.print)?)
    };
    let flavour = args.flavour(&profile);
    let ranked = |most: usize| {
        let rankings = points.cells().map(|(procs, size)| {
            let mut ranked = args.ranked(&selector, procs, size)?;
            let library = ranked.iter().find(|one| one.algorithm() == LIBRARY);
            let library = library.filter(|one| one.stands()).copied();
            ranked.truncate(most);
            Ok::<_, Failure>(Ranking {
                procs,
                size,
                ranked,
                library,
            })
        });
        Partial::of(rankings).conclude(|found| print(ranking(collective, flavour, &found)))
    };
    match args.show {
        Show::Ranking => ranked(usize::MAX),
        Show::Best => ranked(1),
        Show::CrossOvers => {
            let counts = points.procs.iter();
            let changes = counts.map(|&procs| {
                for &size in &points.sizes {
                    args.ranked(&selector, procs, size)?;
                }
                Ok::<_, Failure>(selector.cross_overs(procs, &points.sizes)?)
            });
            Partial::of(changes)
                .conclude(|found| print(cross_overs(collective, found.into_iter().flatten())))
        }
    }
}

impl Args {
    /// The MPI library whose settings to show, if known.
    fn flavour(&self, profile: &Profile) -> Option<MpiFlavour> {
        match self.mpi {
            Some(mpi) => Some(mpi.into()),
            None => MpiFlavour::of(profile.provenance.get("data_mpi")?),
        }
    }

    /// All candidates for a case, the fastest first; without --extrapolate one at least is near enough to
    /// the measurements.
    fn ranked<'a>(
        &self,
        selector: &'a Selector,
        procs: Procs,
        size: Bytes,
    ) -> Result<Vec<Ranked<'a>>, Failure> {
        let ranked = selector.rank(procs, size)?;
        let has_choice = self.extrapolate || ranked.iter().any(Ranked::stands);
        let mut whys = ranked.iter();
        let why = whys.find_map(|one| selector.outside(one, procs, size));
        match why.filter(|_| !has_choice) {
            Some(why) => Err(Failure::data(format!(
                "{} of {procs} processes: {why}; measure there, or give --extrapolate to rank all the same",
                self.points.collective
            ))
            .about(&self.points.profile)),
            None => Ok(ranked),
        }
    }
}

/// The algorithms for a process count and size, the fastest first.
struct Ranking<'a> {
    procs: Procs,
    size: Bytes,
    ranked: Vec<Ranked<'a>>,
    /// The library's own choice, if its time is comparable.
    library: Option<Ranked<'a>>,
}

impl Ranking<'_> {
    /// Time of the library's own choice over that of a candidate, if both are comparable.
    fn gain(&self, one: &Ranked) -> Option<f64> {
        let library = self.library.filter(|_| one.stands())?;
        Some(library.prediction.time / one.prediction.time)
    }
}

fn ranking(collective: Collective, mpi: Option<MpiFlavour>, rankings: &[Ranking]) -> Rows {
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
        .column("gain", |(all, _, one)| {
            Cell::if_some(all.gain(one), Cell::factor)
        })
        .column("setting", |(_, rank, one)| {
            let cell = mpi.map(|mpi| setting(collective, &one.algorithm(), mpi));
            let cell = cell.unwrap_or_default();
            if *rank == 1 { cell } else { cell.hidden() }
        })
        .rows
}

/// The setting that makes `mpi` run an algorithm; a table says where the library lacks it.
fn setting(collective: Collective, algorithm: &str, mpi: MpiFlavour) -> Cell {
    let method = Method::parse(collective, algorithm);
    let found = method.ok().and_then(|method| method.setting(mpi));
    match found {
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
