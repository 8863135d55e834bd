//! Places ranks on the hosts of a network.

use std::path::Path;
use std::sync::{Arc, Mutex};

use netsig_core::network::placement::{self, Order};
use netsig_core::network::{Network, Port, Vertex};
use netsig_core::units::Procs;

use super::options::NetworkOptions;
use crate::input::failure::Failure;
use crate::input::files;

/// A network with its usable hosts.
#[derive(Debug)]
pub struct Placement {
    /// The network.
    pub network: Arc<Network>,
    hosts: Arc<[Vertex]>,
    placing: Placing,
    /// The hosts of the ranks for the last requested process count.
    placed: Mutex<Option<(Procs, Placed)>>,
}

/// A network, and the host of each rank.
pub type Placed = (Arc<Network>, Arc<[Vertex]>);

/// The rule that assigns ranks to hosts.
#[derive(Debug)]
enum Placing {
    Ordered(Order, u32),
    /// One host for each line of a file, given by name and text.
    Listed(String, String),
    /// One rank on each host of a star, which gets as many hosts as ranks.
    Star(Port),
}

impl Placement {
    /// The network of the options, if they name one.
    ///
    /// # Errors
    /// If there is no such network, its file cannot be used, or it lacks the named hosts.
    pub fn of(options: &NetworkOptions) -> Result<Option<Self>, Failure> {
        let Some(network) = options.network.load()? else {
            return Ok(None);
        };
        let hosts = match &options.nodes {
            None => network.all_hosts().collect(),
            Some(expression) => network
                .hosts_named(expression)
                .map_err(|error| Failure::usage(format!("--nodes {expression}: {error}")))?
                .into(),
        };
        Ok(Some(Self {
            placing: Placing::of(options)?,
            network: Arc::new(network),
            hosts,
            placed: Mutex::default(),
        }))
    }

    /// A star of as many hosts as ranks, with these links: the assumption if no network is named.
    ///
    /// # Errors
    /// If a rate is impossible.
    pub fn star(port: Port) -> Result<Self, Failure> {
        let network = star(Procs::new(1).map_err(Failure::usage)?, port)?;
        Ok(Self {
            hosts: network.all_hosts().collect(),
            network,
            placing: Placing::Star(port),
            placed: Mutex::default(),
        })
    }

    /// The network, and the host of each of `procs` ranks.
    ///
    /// # Errors
    /// If the hosts do not suffice.
    pub fn place(&self, procs: Procs) -> Result<Placed, Failure> {
        let placed = || self.placed.lock().expect("nobody panics with it");
        if let Some((of, known)) = &*placed()
            && *of == procs
        {
            return Ok(known.clone());
        }
        let network = match self.placing {
            Placing::Star(port) => star(procs, port)?,
            Placing::Ordered(..) | Placing::Listed(..) => Arc::clone(&self.network),
        };
        let has_one_each = matches!(self.placing, Placing::Ordered(Order::Block, 1));
        if has_one_each && self.hosts.len() == procs.get() as usize {
            return Ok((network, Arc::clone(&self.hosts)));
        }
        let hosts = match &self.placing {
            Placing::Star(_) => network.all_hosts().collect(),
            Placing::Ordered(order, per_host) => {
                placement::place(*order, procs, &self.hosts, *per_host)
                    .map_err(|error| Failure::usage(format!("{}: {error}", self.network.name)))?
            }
            Placing::Listed(name, text) => placement::parse(name, text, &self.network, procs)?,
        };
        let found = (network, hosts);
        *placed() = Some((procs, found.clone()));
        Ok(found)
    }
}

fn star(procs: Procs, port: Port) -> Result<Arc<Network>, Failure> {
    let mut network = Network::star(procs.get(), port).map_err(Failure::usage)?;
    "star".clone_into(&mut network.name);
    Ok(Arc::new(network))
}

impl Placing {
    fn of(options: &NetworkOptions) -> Result<Self, Failure> {
        let ordered = |order| Ok(Self::Ordered(order, options.ppn.unwrap_or(1)));
        let path = match options.placement.as_deref() {
            None | Some("block") => return ordered(Order::Block),
            Some("cyclic") => return ordered(Order::Cyclic),
            Some(path) => path,
        };
        if options.ppn.is_some() || options.nodes.is_some() {
            return Err(Failure::usage(
                "a file of --placement names the host of each rank; leave out --nodes and --ppn",
            ));
        }
        Ok(Self::Listed(path.to_owned(), files::text(Path::new(path))?))
    }
}
