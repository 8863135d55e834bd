//! The network that `--network` names, and the hosts that ranks run on.

use std::path::Path;
use std::sync::{Arc, Mutex};

use netsig_core::network::description::Description;
use netsig_core::network::topology::Vertex;
use netsig_core::network::topology::placement::{self, Order};
use netsig_core::network::topology::slurm;
use netsig_core::units::{Bytes, Procs};

use super::options::{NetworkOptions, first_given};
use crate::input::failure::Failure;
use crate::input::files;

/// The default buffer of a port in a topology.conf.
const PORT_BUFFER: Bytes = Bytes(128 * 1024);

/// A network with the hosts that are used.
#[derive(Debug)]
pub struct Network {
    /// Its name in rows.
    pub name: String,
    /// Its description.
    pub description: Description,
    hosts: Arc<[Vertex]>,
    placing: Placing,
    /// Where ranks run, for the process count that was asked for last.
    placed: Mutex<Option<(Procs, Arc<[Vertex]>)>>,
}

/// How ranks go to hosts.
#[derive(Debug)]
enum Placing {
    Ordered(Order, u32),
    /// By the lines of a file: its name and text.
    Listed(String, String),
}

impl Network {
    /// The network that the options name, if they do.
    ///
    /// # Errors
    /// If there is none of that name, its file cannot be used, or has no such hosts.
    pub fn of(options: &NetworkOptions) -> Result<Option<Self>, Failure> {
        let Some(named) = &options.network else {
            return Ok(None);
        };
        let description = describe(named, options)?;
        let hosts = match &options.nodes {
            None => description.hosts(),
            Some(expression) => description
                .topology()
                .hosts_named(expression)
                .map_err(|error| Failure::usage(format!("--nodes {expression}: {error}")))?
                .into(),
        };
        let path = Path::new(named);
        let name = path.file_stem().unwrap_or(path.as_os_str());
        Ok(Some(Self {
            name: name.to_string_lossy().into_owned(),
            placing: Placing::of(options)?,
            description,
            hosts,
            placed: Mutex::default(),
        }))
    }

    /// The host of each of `procs` ranks.
    ///
    /// # Errors
    /// If the hosts do not hold them all.
    pub fn place(&self, procs: Procs) -> Result<Arc<[Vertex]>, Failure> {
        let placed = || self.placed.lock().expect("nobody panics with it");
        if let Some((of, hosts)) = &*placed()
            && *of == procs
        {
            return Ok(Arc::clone(hosts));
        }
        let has_one_each = matches!(self.placing, Placing::Ordered(Order::Block, 1));
        if has_one_each && self.hosts.len() == procs.get() as usize {
            return Ok(Arc::clone(&self.hosts));
        }
        let hosts = match &self.placing {
            Placing::Ordered(order, per_host) => {
                placement::place(*order, procs, &self.hosts, *per_host)
                    .map_err(|error| Failure::usage(format!("{}: {error}", self.name)))?
            }
            Placing::Listed(name, text) => {
                placement::parse(name, text, self.description.topology(), procs)?
            }
        };
        *placed() = Some((procs, Arc::clone(&hosts)));
        Ok(hosts)
    }
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

/// Reads the network: a shipped scenario by its name, TOML by the end of its name, else a
/// topology.conf.
fn describe(named: &str, options: &NetworkOptions) -> Result<Description, Failure> {
    let path = Path::new(named);
    let is_toml = path.extension().is_some_and(|end| end == "toml");
    let is_conf = !is_toml && (named.contains(['/', '.']) || path.is_file());
    if is_conf {
        return slurm(path, options);
    }
    let only_slurm = [
        ("--rate", options.rate.is_some()),
        ("--uplink-rate", options.uplink_rate.is_some()),
        ("--port-buffer", options.port_buffer.is_some()),
    ];
    if let Some(option) = first_given(&only_slurm) {
        return Err(Failure::usage(format!(
            "{option} is for a topology.conf, and {named} says itself how fast it is; leave out {option}"
        )));
    }
    if is_toml {
        return Ok(Description::parse(named, &files::text(path)?)?);
    }
    Ok(Description::of_scenario(&netsig_lab::load(named)?))
}

fn slurm(path: &Path, options: &NetworkOptions) -> Result<Description, Failure> {
    let name = path.display().to_string();
    let tree = slurm::parse(&name, &files::text(path)?)?;
    let Some(rate) = options.rate else {
        return Err(Failure::usage(format!(
            "{name}: a topology.conf does not say how fast links are; give --rate 1Gbit/s"
        )));
    };
    let uplink_rate = options.uplink_rate.unwrap_or(rate);
    let buffer = options.port_buffer.unwrap_or(PORT_BUFFER);
    let topology = tree.build(rate.into(), uplink_rate.into(), buffer);
    let topology = topology.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    Ok(Description::of_topology(topology))
}
