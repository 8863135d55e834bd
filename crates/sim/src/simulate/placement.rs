//! Places ranks on the hosts of a network.

use std::path::Path;
use std::sync::{Arc, Mutex};

use netsig_base::network::named::FileAccess;
use netsig_base::network::placement::{self, PlacementOrder};
use netsig_base::network::{LinkSpec, Network, Vertex};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;

/// A network with its usable hosts.
#[derive(Debug)]
pub struct RankPlacer {
    /// The network.
    pub network: Arc<Network>,
    hosts: Arc<[Vertex]>,
    placing: PlacementRule,
    /// The hosts of the ranks for the last requested process count.
    placed: Mutex<Option<(Procs, PlacedRanks)>>,
}

/// Hosts to use, and the placement of ranks on them.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSelection<'a> {
    /// The hosts to use, such as n[0-15]; `None` for all.
    pub nodes: Option<&'a str>,
    /// The host of each rank: block, cyclic, or a file with one host a line; `None` for block.
    pub placement: Option<&'a str>,
    /// Number of ranks on a host; `None` for 1.
    pub per_host: Option<u32>,
}

/// A network, and the host of each rank.
pub type PlacedRanks = (Arc<Network>, Arc<[Vertex]>);

/// The rule that assigns ranks to hosts.
#[derive(Debug)]
enum PlacementRule {
    Ordered(PlacementOrder, u32),
    /// One host for each line of a file, given by name and text.
    Listed(String, String),
    /// One rank on each host of a star, which gets as many hosts as ranks.
    Star(LinkSpec),
}

impl RankPlacer {
    /// Selects hosts of a network.
    ///
    /// # Errors
    /// If the network lacks the named hosts, a file cannot be used, or the options contradict each other.
    pub fn of(network: Network, wanted: &HostSelection, files: &impl FileAccess) -> Result<Self, Refusal> {
        let hosts = match &wanted.nodes {
            None => network.all_hosts().collect(),
            Some(expression) => network
                .hosts_listed(expression)
                .map_err(|error| Refusal::request(format!("--nodes {expression}: {error}")))?
                .into(),
        };
        Ok(Self {
            placing: PlacementRule::of(wanted, files)?,
            network: Arc::new(network),
            hosts,
            placed: Mutex::default(),
        })
    }

    /// A star of as many hosts as ranks, with these links: the assumption if no network is named.
    ///
    /// # Errors
    /// If a rate is impossible.
    pub fn star(port: LinkSpec) -> Result<Self, Refusal> {
        let network = star(Procs::new(1).map_err(Refusal::request)?, port)?;
        Ok(Self {
            hosts: network.all_hosts().collect(),
            network,
            placing: PlacementRule::Star(port),
            placed: Mutex::default(),
        })
    }

    /// The network, and the host of each of `procs` ranks.
    ///
    /// # Errors
    /// If the hosts do not suffice.
    pub fn place(&self, procs: Procs) -> Result<PlacedRanks, Refusal> {
        let placed = || self.placed.lock().expect("nobody panics with it");
        if let Some((of, known)) = &*placed()
            && *of == procs
        {
            return Ok(known.clone());
        }
        let network = match self.placing {
            PlacementRule::Star(port) => star(procs, port)?,
            PlacementRule::Ordered(..) | PlacementRule::Listed(..) => Arc::clone(&self.network),
        };
        let has_one_each = matches!(self.placing, PlacementRule::Ordered(PlacementOrder::Block, 1));
        if has_one_each && self.hosts.len() == procs.get() as usize {
            return Ok((network, Arc::clone(&self.hosts)));
        }
        let hosts = match &self.placing {
            PlacementRule::Star(_) => network.all_hosts().collect(),
            PlacementRule::Ordered(order, per_host) => placement::place_ranks(*order, procs, &self.hosts, *per_host)
                .map_err(|error| Refusal::request(format!("{}: {error}", self.network.name)))?,
            PlacementRule::Listed(name, text) => placement::parse(name, text, &self.network, procs)?,
        };
        let found = (network, hosts);
        *placed() = Some((procs, found.clone()));
        Ok(found)
    }
}

fn star(procs: Procs, port: LinkSpec) -> Result<Arc<Network>, Refusal> {
    let mut network = Network::star(procs.get(), port).map_err(Refusal::request)?;
    "star".clone_into(&mut network.name);
    Ok(Arc::new(network))
}

impl PlacementRule {
    fn of(wanted: &HostSelection, files: &impl FileAccess) -> Result<Self, Refusal> {
        let ordered = |order| Ok(Self::Ordered(order, wanted.per_host.unwrap_or(1)));
        let path = match wanted.placement {
            None | Some("block") => return ordered(PlacementOrder::Block),
            Some("cyclic") => return ordered(PlacementOrder::Cyclic),
            Some(path) => path,
        };
        if wanted.per_host.is_some() || wanted.nodes.is_some() {
            return Err(Refusal::request(
                "a file of --placement names the host of each rank; leave out --nodes and --ppn",
            ));
        }
        let read_result = files.text(Path::new(path));
        let text = read_result.map_err(|error| Refusal::unreadable(path, error))?;
        Ok(Self::Listed(path.to_owned(), text))
    }
}
