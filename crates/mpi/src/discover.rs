//! `netsig-rank discover`: rank 0 orders probes of pairs of hosts, one after the other, until it knows the clusters and
//! the links between them. Then it writes the file of clusters.
//!
//! # Method
//! 1. [`ClusterSearch`] finds clusters by the time of a message of one byte, with [`NearnessCriterion::LATENCY`].
//! 2. It divides each cluster of three or more hosts by the time of a long message, with
//!    [`NearnessCriterion::TRANSFER`]. All hosts of a cluster have the same length of message. It doubles from 64 KiB,
//!    up to 16 MiB, until the message takes 20 ms between the first two hosts. One message over a link of 40 Mbit/s
//!    between hosts at 50 Mbit/s takes 1.25 times as long as one inside.
//! 3. Rank 0 has the links between and inside the clusters measured (`discover/links.rs`).
//!
//! The time of a pair is half of the shortest round trip of several after a warm-up: noise only adds to it.
//!
//! # Choices
//! Only the first rank of a host takes part. One pair is probed at a time, so that no probe disturbs another. A rank
//! without an order sleeps between tests for one. The watchdogs watch the probed pair and rank 0, no other rank.

mod links;
pub mod probe;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use itertools::Itertools as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;
use netsig_base::network::discovery::{ClusterSearch, HostPair, NearnessCriterion};
use netsig_base::network::{ClusterGrid, HostCluster, HostClusters};
use netsig_base::units::{Bytes, Seconds};

use crate::batch::RankTools;
use crate::report::RankReport;
use probe::{ProbeSettings, Prober, follow_orders};

/// Find clusters of hosts behind slow links.
#[derive(clap::Args)]
pub struct Args {
    /// The file of clusters that rank 0 writes.
    #[arg(short, long)]
    output: PathBuf,
    /// Seconds without a step after which a rank reports that it hangs.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u32,
}

/// A probe of the latency.
const LATENCY: ProbeSettings = ProbeSettings {
    size: Bytes(1),
    least: 2,
    most: 10,
    within: Duration::from_millis(60),
    pause: Duration::ZERO,
};

/// A probe of the time of a long message, with the shortest size.
const TRANSFER: ProbeSettings = ProbeSettings {
    size: Bytes(64 << 10),
    least: 2,
    most: 5,
    within: Duration::from_millis(120),
    pause: Duration::ZERO,
};

/// Least time of a long message; a longer size is chosen if it takes less.
const LONG_MESSAGE_TIME: Seconds = Seconds(0.02);

/// The longest size of a long message.
const LONGEST_MESSAGE: Bytes = Bytes(16 << 20);

/// Runs on all ranks.
///
/// # Errors
/// If all ranks share a host, two hosts have one name, or the file cannot be written.
pub fn run(args: &Args, world: &SimpleCommunicator) -> Result<()> {
    let started = Instant::now();
    let ranks = crate::available(world)?;
    let tools = crate::tools(world, args.timeout)?;
    let all: Vec<u32> = (0..ranks).collect();
    tools
        .watchdog
        .enter("the exchange of the hosts' names".to_owned(), &all);
    tools.announce_step();
    let names = crate::provenance::host_names(world);
    tools.watchdog.leave_activity();
    if world.rank() != 0 {
        follow_orders(world, &tools);
        return Ok(());
    }
    let mut report = RankReport::create(&args.output)?;
    report.add_hosts(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut leader = DiscoveryLeader::new(world, &tools, names, report)?;
    let grid = leader.grid()?;
    leader.prober.dismiss();
    leader.report.add_toml(&grid.to_toml())?;
    leader.report.add_end(started.elapsed())
}

/// Rank 0 of a discovery.
struct DiscoveryLeader<'a> {
    prober: Prober<'a>,
    report: RankReport,
    /// The hosts, in the order of their first ranks.
    hosts: Vec<DiscoveredHost>,
}

struct DiscoveredHost {
    name: String,
    /// The rank of the host that takes part.
    rank: u32,
}

impl<'a> DiscoveryLeader<'a> {
    /// The leader of ranks on the hosts `names`.
    fn new(
        world: &'a SimpleCommunicator,
        tools: &'a RankTools,
        names: Vec<String>,
        report: RankReport,
    ) -> Result<Self> {
        let ranks = names.into_iter().zip(0..).unique_by(|(name, _)| name.clone());
        let hosts: Vec<DiscoveredHost> = ranks.map(|(name, rank)| DiscoveredHost { name, rank }).collect();
        if let [only] = &hosts[..] {
            bail!(
                "discover needs two hosts or more, and {} is the only one; give --hostfile with more, or ask the batch system for more nodes",
                only.name
            );
        }
        Ok(Self {
            prober: Prober::new(world, tools),
            report,
            hosts,
        })
    }

    /// Carries out the discovery.
    fn grid(&mut self) -> Result<ClusterGrid> {
        let all: Vec<usize> = (0..self.hosts.len()).collect();
        let near = self.clusters_by_times(&all, NearnessCriterion::LATENCY, LATENCY)?;
        let mut clusters = Vec::new();
        for hosts in near {
            clusters.extend(self.divide_by_transfer(hosts)?);
        }
        clusters.sort_unstable();
        let links = self.links(&clusters)?;
        let named = clusters.iter().map(|hosts| HostCluster {
            name: self.hosts[hosts[0]].name.clone(),
            hosts: hosts.iter().map(|&host| self.hosts[host].name.clone()).collect(),
        });
        Ok(ClusterGrid::new(HostClusters::new(named.collect())?, links)?)
    }

    /// Divides hosts that are near each other in latency by the time of a long message.
    fn divide_by_transfer(&mut self, hosts: Vec<usize>) -> Result<Vec<Vec<usize>>> {
        if hosts.len() < 3 {
            return Ok(vec![hosts]);
        }
        let mut probing = TRANSFER;
        while self.least_time([hosts[0], hosts[1]], probing)? < LONG_MESSAGE_TIME && probing.size < LONGEST_MESSAGE {
            probing.size.0 *= 2;
        }
        self.clusters_by_times(&hosts, NearnessCriterion::TRANSFER, probing)
    }

    /// The clusters of `hosts` by the times of messages.
    fn clusters_by_times(
        &mut self,
        hosts: &[usize],
        criterion: NearnessCriterion,
        probing: ProbeSettings,
    ) -> Result<Vec<Vec<usize>>> {
        let mut search = ClusterSearch::new(hosts.len(), criterion);
        while let Some(pairs) = search.next_pairs() {
            for pair in pairs {
                let time = self.least_time(pair.map(|index| hosts[index]), probing)?;
                search.add_time(pair, time);
            }
        }
        let clusters = search.clusters().into_iter();
        Ok(clusters
            .map(|cluster| cluster.into_iter().map(|index| hosts[index]).collect())
            .collect())
    }

    /// The least one-way time of a message between two hosts.
    fn least_time(&mut self, pair: HostPair, probing: ProbeSettings) -> Result<Seconds> {
        let times = self.probe(pair, probing)?;
        Ok(times.least)
    }

    fn probe(&mut self, pair: HostPair, probing: ProbeSettings) -> Result<probe::ProbeTimes> {
        let [from, to] = pair.map(|host| &self.hosts[host]);
        let times = self.prober.probe([from.rank, to.rank], probing);
        let (size, least, median) = (probing.size.0, times.least.0, times.median.0);
        let probed = format!("{},{},{size},{least},{median}", from.name, to.name);
        self.report.add_fact("probe", probed)?;
        Ok(times)
    }
}
