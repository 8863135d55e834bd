//! `netsig-rank discover`: rank 0 has pairs of hosts probed one after the other, until it knows the
//! clusters and the links between them, and writes a file of clusters. The other ranks obey.
//!
//! # Method
//! 1. Clusters by the time of a message of one byte, by [`Survey`] with [`Criterion::LATENCY`].
//! 2. Each of them of three hosts or more is divided by the time of a long message, with
//!    [`Criterion::TRANSFER`]. Its length is the same for all hosts of the cluster: it doubles from 64 KiB
//!    until it takes 20 ms between the first two, up to 16 MiB. One message over a link of 40 Mbit/s between
//!    hosts at 50 Mbit/s takes 1.25 times as long as one inside.
//! 3. The links between and inside the clusters (`discover/links.rs`).
//!
//! The time of a pair is half of the shortest round trip of several after a warm-up: noise only adds to it.
//!
//! # Choices
//! Of several ranks of a host the first takes part. One pair is probed at a time, on rank 0's orders, so
//! that no probe disturbs another. Ranks without an order sleep between tests for one, and their watchdogs
//! rest. A pair that is probed is watched, with rank 0.

mod links;
pub mod probe;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use itertools::Itertools as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;
use netsig_base::network::discovery::{Criterion, Pair, Survey};
use netsig_base::network::{Cluster, Clusters, Grid};
use netsig_base::units::{Bytes, Seconds};

use crate::batch::Tools;
use crate::report::Report;
use probe::{Prober, Probing, follow};

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
const LATENCY: Probing = Probing {
    size: Bytes(1),
    least: 2,
    most: 10,
    within: Duration::from_millis(60),
    pause: Duration::ZERO,
};

/// A probe of the time of a long message, with the shortest size.
const TRANSFER: Probing = Probing {
    size: Bytes(64 << 10),
    least: 2,
    most: 5,
    within: Duration::from_millis(120),
    pause: Duration::ZERO,
};

/// Least time of a long message; a longer size is chosen if it takes less.
const LONG: Seconds = Seconds(0.02);

/// The longest size of a long message.
const LONGEST: Bytes = Bytes(16 << 20);

/// Runs on all ranks.
///
/// # Errors
/// If all ranks share a host, two hosts have one name, or the file cannot be written.
pub fn run(args: &Args, world: &SimpleCommunicator) -> Result<()> {
    let started = Instant::now();
    let ranks = crate::available(world)?;
    let tools = crate::tools(world, args.timeout)?;
    let all: Vec<u32> = (0..ranks).collect();
    tools.dog.enter("the exchange of the hosts' names".to_owned(), &all);
    tools.step();
    let names = crate::provenance::host_names(world);
    tools.dog.rest();
    if world.rank() != 0 {
        follow(world, &tools);
        return Ok(());
    }
    let mut report = Report::create(&args.output)?;
    report.hosts(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut leader = Leader::new(world, &tools, names, report)?;
    let grid = leader.grid()?;
    leader.prober.dismiss();
    leader.report.toml(&grid.to_toml())?;
    leader.report.end(started.elapsed())
}

/// Rank 0 of a discovery.
struct Leader<'a> {
    prober: Prober<'a>,
    report: Report,
    /// The hosts, in the order of their first ranks.
    hosts: Vec<Host>,
}

struct Host {
    name: String,
    /// The rank that takes part.
    rank: u32,
}

impl<'a> Leader<'a> {
    /// The leader of ranks on the hosts `names`.
    fn new(world: &'a SimpleCommunicator, tools: &'a Tools, names: Vec<String>, report: Report) -> Result<Self> {
        let ranks = names.into_iter().zip(0..).unique_by(|(name, _)| name.clone());
        let hosts: Vec<Host> = ranks.map(|(name, rank)| Host { name, rank }).collect();
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
    fn grid(&mut self) -> Result<Grid> {
        let all: Vec<usize> = (0..self.hosts.len()).collect();
        let near = self.survey(&all, Criterion::LATENCY, LATENCY)?;
        let mut clusters = Vec::new();
        for hosts in near {
            clusters.extend(self.divided(hosts)?);
        }
        clusters.sort_unstable();
        let links = self.links(&clusters)?;
        let named = clusters.iter().map(|hosts| Cluster {
            name: self.hosts[hosts[0]].name.clone(),
            hosts: hosts.iter().map(|&host| self.hosts[host].name.clone()).collect(),
        });
        Ok(Grid::new(Clusters::new(named.collect())?, links)?)
    }

    /// Hosts that are near each other in latency, divided by the time of a long message.
    fn divided(&mut self, hosts: Vec<usize>) -> Result<Vec<Vec<usize>>> {
        if hosts.len() < 3 {
            return Ok(vec![hosts]);
        }
        let mut probing = TRANSFER;
        while self.least([hosts[0], hosts[1]], probing)? < LONG && probing.size < LONGEST {
            probing.size.0 *= 2;
        }
        self.survey(&hosts, Criterion::TRANSFER, probing)
    }

    /// The clusters of `hosts` by the times of messages.
    fn survey(&mut self, hosts: &[usize], criterion: Criterion, probing: Probing) -> Result<Vec<Vec<usize>>> {
        let mut survey = Survey::new(hosts.len(), criterion);
        while let Some(pairs) = survey.next_pairs() {
            for pair in pairs {
                let time = self.least(pair.map(|index| hosts[index]), probing)?;
                survey.learn(pair, time);
            }
        }
        let clusters = survey.clusters().into_iter();
        Ok(clusters
            .map(|own| own.into_iter().map(|index| hosts[index]).collect())
            .collect())
    }

    /// The least one-way time of a message between two hosts.
    fn least(&mut self, pair: Pair, probing: Probing) -> Result<Seconds> {
        let times = self.probe(pair, probing)?;
        Ok(times.least)
    }

    fn probe(&mut self, pair: Pair, probing: Probing) -> Result<probe::Times> {
        let [from, to] = pair.map(|host| &self.hosts[host]);
        let times = self.prober.probe([from.rank, to.rank], probing);
        let (size, least, median) = (probing.size.0, times.least.0, times.median.0);
        let probed = format!("{},{},{size},{least},{median}", from.name, to.name);
        self.report.fact("probe", probed)?;
        Ok(times)
    }
}
