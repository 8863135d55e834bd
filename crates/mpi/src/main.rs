//! netsig-rank: what `mpirun` starts on every rank. Rank 0 reads a measurement plan,
//! all carry it out, rank 0 appends every sample to the data file as it is taken.

mod blocks;
mod counters;
mod executor;
mod message;
mod operation;
mod pattern;
mod provenance;
mod recorder;
mod transport;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use mpi::environment::Universe;
use mpi::traits::{Communicator, Root};
use netsig_core::dataset::Dataset;
use netsig_measure::campaign::{self, Launch};
use netsig_measure::plan::{JobId, Plan};

use crate::recorder::Recorder;
use crate::transport::OverMpi;

/// Carries out one launch of a measurement plan; start it with mpirun.
#[derive(Parser)]
#[command(name = "netsig-rank", version)]
struct Args {
    /// The plan, readable by rank 0.
    plan: PathBuf,
    /// The data file that rank 0 appends to.
    #[arg(short, long)]
    output: PathBuf,
    /// The number of this launch, from 0.
    #[arg(long, default_value_t = 0)]
    launch: u32,
    /// A fact for the provenance of the data, as key=value; may be repeated.
    #[arg(long = "note")]
    notes: Vec<String>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let universe =
        mpi::initialize().context("MPI cannot be initialised; start netsig-rank with mpirun")?;
    if let Err(error) = run(&args, &universe) {
        complain(&format!(
            "netsig-rank: rank {}: {error:#}\n",
            universe.world().rank()
        ));
        universe.world().abort(1);
    }
    Ok(())
}

/// How long a launcher may take to pass on a message before the job is aborted: MPICH's
/// drops what is still under way.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Says why this rank gives up, in one piece: other ranks may speak at the same time.
fn complain(line: &str) {
    // Without a standard error there is nobody to tell.
    let _ = std::io::stderr().write_all(line.as_bytes());
    std::thread::sleep(LAST_WORDS);
}

fn run(args: &Args, universe: &Universe) -> Result<()> {
    let started = Instant::now();
    let world = universe.world();
    let name = args.plan.display().to_string();
    let plan = Plan::parse(&name, &share_plan(args, universe)?)?;
    let available =
        u32::try_from(world.size()).context("MPI reports a negative number of ranks")?;
    ensure!(
        available >= plan.procs().get(),
        "the plan needs {} ranks and there are {available}; start more with mpirun -np {}",
        plan.procs(),
        plan.procs()
    );
    let facts = provenance::collect(&world, &args.notes)?;
    let mut recorder = (world.rank() == 0)
        .then(|| Recorder::open(&args.output, &facts))
        .transpose()?;
    let mut transport = OverMpi::new(&world, &plan)?;
    let launch = Launch {
        plan: &plan,
        job: JobId {
            launch: args.launch,
            variant: 0,
        },
        past: &Dataset::default(),
        budget: None,
    };
    let spent = campaign::run(&launch, &mut transport, |records| match &mut recorder {
        Some(recorder) => recorder.append(records),
        None => Ok(()),
    })?;
    match &mut recorder {
        Some(recorder) => recorder.end(args.launch, started.elapsed(), spent),
        None => Ok(()),
    }
}

/// The text of the plan, read by rank 0 and broadcast.
fn share_plan(args: &Args, universe: &Universe) -> Result<String> {
    let world = universe.world();
    let root = world.process_at_rank(0);
    let mut text = Vec::new();
    if world.rank() == 0 {
        let what = || {
            format!(
                "{}: the plan cannot be read; check the path",
                args.plan.display()
            )
        };
        text = std::fs::read(&args.plan).with_context(what)?;
    }
    let mut length = text.len() as u64;
    root.broadcast_into(&mut length);
    text.resize(usize::try_from(length)?, 0);
    root.broadcast_into(&mut text[..]);
    String::from_utf8(text).context("the plan is not UTF-8 text; save it as such")
}
