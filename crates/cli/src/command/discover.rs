//! `netsig discover`: finds clusters of hosts behind slow links, by few measurements or from a
//! description of the network, and writes them to a file of clusters or into a profile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use netsig_base::network::{ClusterGrid, ClusterLink, HostCluster, HostClusters, Network};
use netsig_base::units::{Procs, Seconds, three_digits};
use netsig_model::profile::Profile;

use crate::campaign::discovery::ClusterDiscovery;
use crate::campaign::planless_job::PlanlessJob;
use crate::input::args::{self, LaunchArgs, MeasurementPlace};
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::output::OutputPath;
use crate::print::notes::{print_remark, warn_if_unfaithful};
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
            clusters: described_clusters(&network, args),
            links: Vec::new(),
        },
        None => measured_grid(args)?,
    };
    output.replace(text(&grid, profile).as_bytes())?;
    report(&grid, &output, args)
}

/// The clusters of a description. The hosts of a shipped scenario get the names of the lab's hosts.
fn described_clusters(network: &Network, args: &Args) -> HostClusters {
    let network_name = args.network.network.as_deref().unwrap_or_default();
    if netsig_lab::SHIPPED_SCENARIOS
        .iter()
        .any(|(name, _)| *name == network_name)
    {
        return netsig_lab::clusters(network);
    }
    let hosts_by_name = network.hosts_by_name().into_iter();
    let names: HashMap<u32, &str> = hosts_by_name.map(|(name, host)| (host.0, name)).collect();
    HostClusters::of_network(network, |host| names[&host.0].to_owned())
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
    let profile_with_clusters = Profile {
        clusters: Some(grid.clusters.clone()),
        cluster_links: grid.links.clone(),
        ..profile
    };
    profile_with_clusters.to_toml()
}

/// A row of the table: a cluster, or a link between two.
struct ClusterRow<'a> {
    cluster: &'a str,
    to: Option<&'a str>,
    hosts: Option<&'a [String]>,
    link: Option<&'a ClusterLink>,
}

fn report(grid: &ClusterGrid, output: &OutputPath, args: &Args) -> Result<(), Failure> {
    let clusters = named_clusters(grid);
    let inside = clusters.iter().map(|cluster| ClusterRow {
        cluster: &cluster.name,
        to: None,
        hosts: Some(&cluster.hosts[..]),
        link: grid.link(&cluster.name, &cluster.name),
    });
    let between = grid.links.iter().filter_map(|link| {
        let [cluster, to] = link.cluster_names();
        (cluster != to).then_some(ClusterRow {
            cluster,
            to: Some(to),
            hosts: None,
            link: Some(link),
        })
    });
    let rows = PrintedRows::of(inside.chain(between))
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
            PrintedCell::if_some(line.link.and_then(megabits), PrintedCell::rounded)
        })
        .rows;
    print_rows(&rows, args.print)?;
    let hosts: usize = clusters.iter().map(|cluster| cluster.hosts.len()).sum();
    let count = match clusters.len() {
        1 => "1 cluster".to_owned(),
        count => format!("{count} clusters"),
    };
    progress_sentence::print(format_args!("{count} of {hosts} hosts in {output}"));
    for note in clusters.iter().filter_map(|cluster| lone_host_note(cluster, grid)) {
        print_remark(note);
    }
    Ok(())
}

fn named_clusters(grid: &ClusterGrid) -> &[HostCluster] {
    match &grid.clusters {
        HostClusters::EachHost => &[],
        HostClusters::Named(clusters) => clusters,
    }
}

/// A note about a cluster of one host, with the nearest other cluster.
fn lone_host_note(cluster: &HostCluster, grid: &ClusterGrid) -> Option<String> {
    let [host] = &cluster.hosts[..] else {
        return None;
    };
    let name = cluster.name.as_str();
    let links = grid.links.iter().filter_map(|link| match link.cluster_names() {
        [one, other] if one == name => Some((other, link)),
        [one, other] if other == name => Some((one, link)),
        _ => None,
    });
    let size = |link: &ClusterLink| link.times().last().map_or(0.0, |(size, _)| size.as_f64());
    let longest_time = |link: &ClusterLink| link.time(size(link)).0;
    let (nearest, link) = links.min_by(|a, b| longest_time(a.1).total_cmp(&longest_time(b.1)))?;
    let rate = megabits(link).map_or(String::new(), |rate| format!(" and {} Mbit/s", three_digits(rate)));
    Some(format!(
        "{host} is alone in its cluster: {}{rate} from its nearest, {nearest}; check its link, or leave it out of the host file",
        rounded(link.alpha())
    ))
}

/// The bandwidth of a long message, if the times show one.
fn megabits(link: &ClusterLink) -> Option<f64> {
    let beta = link.beta().0;
    (beta > 0.0).then(|| 8e-6 / beta)
}

/// A time with two significant digits, for sentences.
fn rounded(time: Seconds) -> Seconds {
    let scale = 10f64.powf(1.0 - time.0.log10().floor());
    Seconds((time.0 * scale).round() / scale)
}
