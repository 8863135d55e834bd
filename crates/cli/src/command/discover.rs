//! `netsig discover`: finds clusters of hosts behind slow links, by few measurements or from a
//! description of the network, and writes them to a file of clusters or into a profile.

use std::path::{Path, PathBuf};
use std::time::Duration;

use netsig_base::network::{ClusterGrid, ClusterLink, HostClusters};
use netsig_base::units::Procs;
use netsig_model::profile::Profile;

use crate::campaign::discovery::ClusterDiscovery;
use crate::campaign::planless_job::PlanlessJob;
use crate::input::args::{self, LaunchArgs, MeasurementPlace};
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::output::OutputPath;
use crate::print::notes::{print, warn_if_unfaithful};
use crate::print::progress_sentence;
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Find the clusters of hosts behind slow links, with latency and bandwidth between and inside them,
/// by O(n log n) short probes, or from a description of the network.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file of clusters (TOML), or a profile, whose clusters are replaced.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Place of the measurement: mpi or lab:SCENARIO (emulated cluster).
    #[arg(
        long = "on",
        value_name = "PLACE",
        default_value = "mpi",
        value_parser = args::place,
        conflicts_with = "network"
    )]
    place: MeasurementPlace,
    /// Number of ranks [default: --ppn on each host].
    #[arg(long, value_name = "N", conflicts_with = "network")]
    procs: Option<Procs>,
    /// Longest duration of one probe; after it, its hosts are given up.
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = args::limit)]
    timeout: Duration,
    #[command(flatten)]
    launch: LaunchArgs,
    /// Take the clusters from this description and measure nothing.
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig discover -o clusters.toml --hostfile hosts
  netsig discover --network topology.conf -o racks.toml
  netsig discover --on lab:wan-6-6-30x5 -o clusters.toml";

/// Runs the command.
///
/// # Errors
/// If the output is a file of another kind, the description cannot be used, there are fewer than two
/// hosts, or the measurement fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let kinds = [FileKind::Clusters, FileKind::Profile];
    let reads: Vec<&Path> = args.network.path().into_iter().collect();
    let (output, kind) = OutputPath::replacing_any("--output", &args.output, &kinds, &reads)?;
    let profile = match kind {
        FileKind::Profile => Some(files::profile(&args.output)?),
        _ => None,
    };
    let grid = match args.network.load_switches()? {
        Some(network) => ClusterGrid {
            clusters: HostClusters::described(&network, args.network.network.as_deref().unwrap_or_default()),
            links: Vec::new(),
        },
        None => measured_grid(args)?,
    };
    output.replace(text(&grid, profile).as_bytes())?;
    report(&grid, &output, args)
}

fn measured_grid(args: &Args) -> Result<ClusterGrid, Failure> {
    let scenario = match &args.place {
        MeasurementPlace::Mpi => None,
        MeasurementPlace::Lab(name) => Some(netsig_lab::load(name)?),
        MeasurementPlace::Simulated(_) => {
            return Err(Failure::usage(
                "sim: has no hosts to probe; give --on lab:SCENARIO, or --network SCENARIO to measure nothing",
            ));
        }
    };
    scenario.iter().for_each(warn_if_unfaithful);
    ClusterDiscovery {
        place: &args.place,
        launch: &args.launch,
        procs: args.procs,
        planless_job: PlanlessJob {
            subcommand: "discover",
            label: "discovering",
            scenario: scenario.as_ref(),
            output: &args.output,
            timeout: args.timeout,
        },
    }
    .run()
}

/// The content of the file: the profile with these clusters, or the clusters alone.
fn text(grid: &ClusterGrid, profile: Option<Profile>) -> String {
    let Some(profile) = profile else {
        let head = "# Clusters of hosts, found by netsig discover. Times are one-way.\n";
        return format!("{head}{}", grid.to_toml());
    };
    profile.with_clusters(grid.clone()).to_toml()
}

fn report(grid: &ClusterGrid, output: &OutputPath, args: &Args) -> Result<(), Failure> {
    let rows = PrintedRows::of(grid.rows())
        .column("cluster", |line| PrintedCell::text(line.cluster))
        .column("to", |line| PrintedCell::if_some(line.to, PrintedCell::text))
        .sentences("hosts", |line| {
            PrintedCell::if_some(line.hosts, |hosts| {
                PrintedCell::shown_as(hosts.join(","), hosts.join(", "))
            })
        })
        .column("latency_s", |line| {
            PrintedCell::if_some(line.link.map(ClusterLink::alpha), PrintedCell::time)
        })
        .column("bandwidth_mbit_per_s", |line| {
            PrintedCell::if_some(line.megabits(), PrintedCell::rounded)
        })
        .rows;
    print_rows(&rows, args.print)?;
    let clusters = grid.named_clusters();
    let hosts: usize = clusters.iter().map(|cluster| cluster.hosts.len()).sum();
    let count = match clusters.len() {
        1 => "1 cluster".to_owned(),
        count => format!("{count} clusters"),
    };
    progress_sentence::print(format_args!("{count} of {hosts} hosts in {output}"));
    print(&grid.notes());
    Ok(())
}
