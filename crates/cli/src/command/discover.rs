//! `netsig discover`: finds clusters of hosts behind slow links, by few measurements or from a
//! description of the network, and writes them to a file of clusters or into a profile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use netsig_base::network::{Cluster, ClusterLink, Clusters, Grid, Network};
use netsig_base::units::{Procs, Seconds};
use netsig_model::profile::Profile;

use crate::campaign::discovery::Discovery;
use crate::campaign::errand::Errand;
use crate::input::args::{self, LaunchArgs, Place};
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::kind::Kind;
use crate::input::network::NetworkArgs;
use crate::input::output::Output;
use crate::print::notes::warn_if_unfaithful;
use crate::print::rows::{Cell, PrintArgs, Rows};

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
    place: Place,
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
    let kinds = [Kind::Clusters, Kind::Profile];
    let reads: Vec<&Path> = args.network.path().into_iter().collect();
    let (output, kind) = Output::replacing_any("--output", &args.output, &kinds, &reads)?;
    let profile = match kind {
        Kind::Profile => Some(files::profile(&args.output)?),
        _ => None,
    };
    let grid = match args.network.load_switches()? {
        Some(network) => Grid {
            clusters: described(&network, args),
            links: Vec::new(),
        },
        None => measured(args)?,
    };
    output.replace(text(&grid, profile).as_bytes())?;
    report(&grid, &output, args)
}

/// The clusters of a description. The hosts of a shipped scenario have the names of the lab's.
fn described(network: &Network, args: &Args) -> Clusters {
    let named = args.network.network.as_deref().unwrap_or_default();
    if netsig_lab::SHIPPED.iter().any(|(name, _)| *name == named) {
        return netsig_lab::clusters(network);
    }
    let names = network.hosts_by_name().into_iter();
    let names: HashMap<u32, &str> = names.map(|(name, host)| (host.0, name)).collect();
    Clusters::of_network(network, |host| names[&host.0].to_owned())
}

fn measured(args: &Args) -> Result<Grid, Failure> {
    let scenario = match &args.place {
        Place::Mpi => None,
        Place::Lab(name) => Some(netsig_lab::load(name)?),
        Place::Simulated(_) => {
            return Err(Failure::usage(
                "sim: has no hosts to probe; give --on lab:SCENARIO, or --network SCENARIO to measure nothing",
            ));
        }
    };
    scenario.iter().for_each(warn_if_unfaithful);
    Discovery {
        place: &args.place,
        launch: &args.launch,
        procs: args.procs,
        errand: Errand {
            work: "discover",
            label: "discovering",
            scenario: scenario.as_ref(),
            output: &args.output,
            timeout: args.timeout,
        },
    }
    .run()
}

/// The content of the file: the profile with these clusters, or the clusters alone.
fn text(grid: &Grid, profile: Option<Profile>) -> String {
    let Some(profile) = profile else {
        let head = "# Clusters of hosts, found by netsig discover. Times are one-way.\n";
        return format!("{head}{}", grid.to_toml());
    };
    let profile = Profile {
        clusters: Some(grid.clusters.clone()),
        cluster_links: grid.links.clone(),
        ..profile
    };
    profile.to_toml()
}

/// A row of the table: a cluster, or a link between two.
struct Line<'a> {
    cluster: &'a str,
    to: Option<&'a str>,
    hosts: Option<String>,
    link: Option<&'a ClusterLink>,
}

fn report(grid: &Grid, output: &Output, args: &Args) -> Result<(), Failure> {
    let clusters = clusters(grid);
    let inside = clusters.iter().map(|own| Line {
        cluster: &own.name,
        to: None,
        hosts: Some(own.hosts.join(",")),
        link: grid.link(&own.name, &own.name),
    });
    let between = grid.links.iter().filter_map(|link| {
        let [cluster, to] = link.between();
        (cluster != to).then_some(Line {
            cluster,
            to: Some(to),
            hosts: None,
            link: Some(link),
        })
    });
    let rows = Rows::of(inside.chain(between))
        .column("cluster", |line| Cell::text(line.cluster))
        .column("to", |line| Cell::if_some(line.to, Cell::text))
        .column("hosts", |line| Cell::if_some(line.hosts.clone(), Cell::text))
        .column("latency_s", |line| {
            Cell::if_some(line.link.map(ClusterLink::alpha), Cell::time)
        })
        .column("bandwidth_mbit_per_s", |line| {
            Cell::if_some(line.link.and_then(megabits), |rate| {
                Cell::shown_as(rate, significant(rate))
            })
        })
        .rows;
    rows.print(args.print)?;
    let hosts: usize = clusters.iter().map(|own| own.hosts.len()).sum();
    let count = match clusters.len() {
        1 => "1 cluster".to_owned(),
        count => format!("{count} clusters"),
    };
    eprintln!("{count} of {hosts} hosts in {output}");
    for note in clusters.iter().filter_map(|own| alone(own, grid)) {
        eprintln!("netsig: note: {note}");
    }
    Ok(())
}

fn clusters(grid: &Grid) -> &[Cluster] {
    match &grid.clusters {
        Clusters::EachHost => &[],
        Clusters::Named(clusters) => clusters,
    }
}

/// A note about a cluster of one host, with the nearest other cluster.
fn alone(cluster: &Cluster, grid: &Grid) -> Option<String> {
    let [host] = &cluster.hosts[..] else {
        return None;
    };
    let name = cluster.name.as_str();
    let links = grid.links.iter().filter_map(|link| match link.between() {
        [one, other] if one == name => Some((other, link)),
        [one, other] if other == name => Some((one, link)),
        _ => None,
    });
    let size = |link: &ClusterLink| link.times().last().map_or(0.0, |(size, _)| size.as_f64());
    let order = |link: &ClusterLink| link.time(size(link)).0;
    let (nearest, link) = links.min_by(|a, b| order(a.1).total_cmp(&order(b.1)))?;
    let rate = megabits(link).map_or(String::new(), |rate| format!(" and {} Mbit/s", significant(rate)));
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

/// A number with three significant digits or more.
fn significant(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

/// A time with two significant digits, as in words.
fn rounded(time: Seconds) -> Seconds {
    let scale = 10f64.powf(1.0 - time.0.log10().floor());
    Seconds((time.0 * scale).round() / scale)
}
