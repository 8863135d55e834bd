//! netsig-rank: the program that `mpirun` starts on every rank. Rank 0 reads a measurement plan, all ranks carry it
//! out, and rank 0 appends every sample to the data file immediately. `netsig-rank discover` finds the clusters of the
//! ranks' hosts instead, and `netsig-rank examine` examines these hosts.

mod barrier;
mod batch;
mod blocks;
mod clocks;
mod counters;
mod discover;
mod examine;
mod flow;
mod group;
mod launcher;
mod local_reduction_task;
mod locations;
mod mpi_operands;
mod operation;
mod pattern;
mod plogp_task;
mod provenance;
mod provoked;
mod recorder;
mod reduction_task;
mod reduction_values;
mod report;
mod rounds;
mod run_queue;
mod schedules;
mod settings;
mod stopwatch;
mod task;
mod transport;
mod watchdog;
mod window;

use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Parser, Subcommand};
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Root};
use netsig_base::units::Seconds;
use netsig_measure::campaign::{self, LaunchInput};
use netsig_measure::plan::{JobId, MeasurementPlan};

use crate::batch::RankTools;
use crate::locations::RankLocations;
use crate::provenance::RankPlaces;
use crate::provoked::ProvokedFailure;
use crate::recorder::DataRecorder;
use crate::run_queue::RunQueue;
use crate::stopwatch::Stopwatch;
use crate::transport::MpiTransport;
use crate::watchdog::Watchdog;

/// Carries out one launch of a measurement plan, or finds clusters of hosts; start it with mpirun.
#[derive(Parser)]
#[command(name = "netsig-rank", version = version())]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Args {
    #[command(subcommand)]
    other: Option<RankCommand>,
    #[command(flatten)]
    launch: Option<RankLaunchArgs>,
}

/// Work other than a launch of a plan.
#[derive(Subcommand)]
enum RankCommand {
    Discover(discover::Args),
    Examine(examine::Args),
}

/// One launch of a plan.
#[derive(clap::Args)]
struct RankLaunchArgs {
    /// The plan, readable by rank 0.
    plan: PathBuf,
    /// The data file that rank 0 appends to.
    #[arg(short, long)]
    output: PathBuf,
    /// The number of this launch, from 0.
    #[arg(long, default_value_t = 0)]
    launch: u32,
    /// The number of this job within the launch.
    #[arg(long, default_value_t = 0)]
    variant: u32,
    /// Longest duration of the launch in seconds; it reduces the repetitions if necessary.
    #[arg(long, value_name = "SECONDS")]
    budget: Option<f64>,
    /// Seconds without a step after which a rank reports that it hangs.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u32,
    /// Measure nothing if ranks share a host.
    #[arg(long)]
    one_a_host: bool,
    /// A fact for the provenance of the data, as key=value; may be repeated.
    #[arg(long = "note")]
    notes: Vec<String>,
}

/// Text of --version, with the MPI library: netsig reads the library from it to choose a launcher.
fn version() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| format!("{} ({})", env!("CARGO_PKG_VERSION"), launcher::library()));
    &TEXT
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(RankCommand::Examine(_)) = args.other {
        launcher::announce_host();
    }
    // The watchdog is a thread, but only the main thread calls MPI.
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
        .context("MPI cannot be initialised; start netsig-rank with mpirun")?;
    let world = universe.world();
    let done = match (&args.other, &args.launch) {
        (Some(RankCommand::Discover(args)), _) => discover::run(args, &world),
        (Some(RankCommand::Examine(args)), _) => examine::run(args, &world),
        (None, Some(launch)) => run(launch, &world),
        (None, None) => Err(anyhow!("no plan; name one and its --output")),
    };
    if let Err(error) = done {
        complain(&format!("rank {}: {error:#}", world.rank()));
        std::thread::sleep(MESSAGE_DELAY);
        world.abort(1);
    }
    Ok(())
}

/// Time for a launcher to forward a message before the job is aborted: MPICH's launcher drops
/// messages that are still on the way.
const MESSAGE_DELAY: Duration = Duration::from_millis(200);

/// Writes a message to standard error in one call, because other ranks may write at the same time.
fn complain(what: &str) {
    // A failure to write to standard error cannot be reported.
    let _ = std::io::stderr().write_all(format!("netsig-rank: {what}\n").as_bytes());
}

fn run(args: &RankLaunchArgs, world: &SimpleCommunicator) -> Result<()> {
    let available = available(world)?;
    let text = share_plan(args, world)?;
    let plan = MeasurementPlan::parse(&args.plan.display().to_string(), &text)?;
    ensure!(
        available >= plan.procs().get(),
        "the plan needs {0} ranks and there are {available}; start more with mpirun -np {0}",
        plan.procs()
    );
    let id = JobId {
        launch: args.launch,
        variant: args.variant,
    };
    let places = RankPlaces::gather(world, &plan)?;
    if args.one_a_host && world.rank() == 0 {
        places.refuse_sharing()?;
    }
    let facts = provenance::collect(world, &plan, &text, &places, &args.notes)?;
    let opened = facts.map(|facts| DataRecorder::open(&args.output, &facts, id));
    let (mut recorder, past) = opened.transpose()?.unzip();
    let past = past.unwrap_or_default();
    let started = Instant::now();
    let tools = tools(world, args.timeout)?;
    let locations = RankLocations::gather(world);
    let mut transport = MpiTransport::new(world, &plan, locations, places.layout.as_ref(), tools)?;
    let launch = LaunchInput {
        plan: &plan,
        job: id,
        past: &past,
        budget: args.budget.map(Seconds),
    };
    let spent = campaign::run(&launch, &mut transport, |records| match &mut recorder {
        Some(recorder) => recorder.append(records),
        None => Ok(()),
    })?;
    match &mut recorder {
        Some(recorder) => recorder.end(started.elapsed(), spent),
        None => Ok(()),
    }
}

/// Number of ranks.
///
/// # Errors
/// If the launcher does not belong to the MPI library of this program.
fn available(world: &SimpleCommunicator) -> Result<u32> {
    let available = u32::try_from(world.size()).context("MPI reports a negative number of ranks")?;
    launcher::check(available)?;
    Ok(available)
}

/// The tools of this rank; its watchdog reports after `timeout` seconds without a step.
fn tools(world: &SimpleCommunicator, timeout: u32) -> Result<RankTools> {
    let rank = group::rank(world);
    let timeout = Duration::from_secs(u64::from(timeout.max(1)));
    Ok(RankTools {
        watch: Stopwatch::start(),
        watchdog: Watchdog::start(rank, &provenance::host_name(), timeout),
        provoked: ProvokedFailure::from_environment(rank)?,
        run_queue: RunQueue::open(),
    })
}

/// The text of the plan, read by rank 0 and broadcast.
fn share_plan(args: &RankLaunchArgs, world: &SimpleCommunicator) -> Result<String> {
    let root = world.process_at_rank(0);
    let mut text = Vec::new();
    if world.rank() == 0 {
        let name = args.plan.display();
        text = std::fs::read(&args.plan).with_context(|| format!("{name}: the plan cannot be read; check the path"))?;
    }
    let mut length = text.len() as u64;
    root.broadcast_into(&mut length);
    text.resize(usize::try_from(length)?, 0);
    root.broadcast_into(&mut text[..]);
    String::from_utf8(text).context("the plan is not UTF-8 text; save it as such")
}
