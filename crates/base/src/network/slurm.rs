//! Slurm's descriptions of a network: the nodes of each switch, and the switches below each switch.
//!
//! # Formats
//! `topology.conf` of topology/tree: each line describes a switch: `SwitchName=s0 Nodes=n[0-15]`, or
//! `SwitchName=top Switches=s[0-3]`, with an optional `LinkSpeed=NUMBER`. The case of keys does not matter,
//! `#` begins a comment, and a backslash at the end continues a line.
//!
//! `topology.conf` of topology/block: `BlockName=b0 Nodes=n[0-17]`, and `BlockSizes=18,36`.
//!
//! The output of `scontrol show topology`: the same lines with `Level=`, or with `BlockIndex=` and
//! `BlockSize=`. The `Nodes=` of a switch with `Switches=` are the nodes of all switches below it. A terminal
//! may have wrapped the lines.
//!
//! `topology.yaml`: a list of topologies, each a tree, blocks or flat; the first with `cluster_default: true`
//! counts, or the only one.
//!
//! # Choices
//! Slurm defines `LinkSpeed` as the performance of "this communication link" in arbitrary units
//! and ignores it; netsig ignores it as well.
//!
//! Slurm accepts nodes on several switches, and several top switches between which no job may
//! run. A simulation needs one tree, so netsig refuses both. Both Slurm and netsig refuse nodes
//! and switches below the same switch.
//!
//! A block is a switch with its nodes. Slurm does not describe the network between blocks; netsig joins
//! them by one switch, [`SPINE`]. Sizes and sums of blocks serve the planning of jobs and are ignored.
//!
//! # Source
//! Slurm's manual pages `topology.conf(5)`, `topology.yaml(5)` and `scontrol(1)`.
//!
//! ```
//! # use netsig_base::network::{Port, slurm};
//! # use netsig_base::units::{BitsPerSecond, Bytes};
//! let text = "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n\
//!     SwitchName=top Switches=s[0-1]\n";
//! let port = |rate| Port::new(BitsPerSecond(rate), Bytes(65536));
//! let network = slurm::parse("topology.conf", text, port(1_000_000_000), port(2_000_000_000))?;
//! assert_eq!((network.hosts().get(), network.vertices()), (4, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conf;
mod lines;
mod records;
mod tree;
mod yaml;

use super::hosts::{self, Name};
use super::{MOST_HOSTS, Network, Port};
use crate::text::file_error::FileError;
use lines::{Line, TopologyFault};

/// Name of the switch that joins blocks, with underscores behind it where a block has the name.
pub const SPINE: &str = "spine";

/// Parses a description of any of Slurm's forms. The file has no rates, so `hosts` and `uplinks` give the
/// links of hosts and those between switches. Errors name the file `name`.
///
/// # Errors
/// If a line does not describe a switch or block, a list is not a host list expression, a switch is
/// unknown, or the switches are not one tree with each node on one of them. The message names
/// line and column.
pub fn parse(name: &str, text: &str, hosts: Port, uplinks: Port) -> Result<Network, FileError> {
    let described = if yaml::is_yaml(text) {
        yaml::described(text)
    } else {
        conf::described(text)
    };
    let parts = described.and_then(|described| tree::assemble(described, hosts, uplinks));
    let (switches, trunks) = parts.map_err(|fault| {
        let place = fault.place;
        FileError::at_column(name, place.line, place.column, fault.problem)
    })?;
    let network = Network::new(switches, trunks);
    let network = network.map_err(|error| FileError::of_file(name, error.to_string()))?;
    Ok(Network {
        name: name.to_owned(),
        ..network
    })
}

/// A switch and the nodes or the switches below it. Offsets refer to the line.
struct Described {
    line: Line,
    name: Name,
    nodes: Vec<Name>,
    switches: Vec<Name>,
    /// The nodes of all switches below, as `scontrol` prints them. Only their check expands them, since
    /// each level repeats the nodes below.
    sum: Option<Field>,
}

/// A value and its offset in a line.
struct Field {
    offset: usize,
    text: String,
}

impl Field {
    fn new(offset: usize, text: &str) -> Self {
        let text = text.to_owned();
        Self { offset, text }
    }
}

impl Described {
    /// A switch with either nodes or switches below it.
    fn new(line: Line, name: &Field, below: [Option<Field>; 2]) -> Result<Self, TopologyFault> {
        let own = line.name(name)?;
        let (nodes, switches) = match below {
            [Some(nodes), None] => (line.names(&nodes)?, Vec::new()),
            [None, Some(switches)] => (Vec::new(), line.names(&switches)?),
            [None, None] => {
                let own = own.text;
                let problem = format!("nothing is below {own:?}; add its nodes or switches");
                return Err(line.fault(name.offset, problem));
            }
            [Some(nodes), Some(switches)] => {
                let own = own.text;
                let problem = format!(
                    "switch {own:?} has both nodes and switches; put the nodes on a switch of \
                     their own"
                );
                let last = nodes.offset.max(switches.offset);
                return Err(line.fault(last, problem));
            }
        };
        Ok(Self {
            line,
            name: own,
            nodes,
            switches,
            sum: None,
        })
    }

    /// A switch without nodes.
    fn empty(line: Line, name: &Field) -> Result<Self, TopologyFault> {
        Ok(Self {
            name: line.name(name)?,
            line,
            nodes: Vec::new(),
            switches: Vec::new(),
            sum: None,
        })
    }

    fn fault<T>(&self, name: &Name, problem: String) -> Result<T, TopologyFault> {
        Err(self.line.fault(name.offset, problem))
    }
}

impl Line {
    /// The names in a list.
    fn names(&self, list: &Field) -> Result<Vec<Name>, TopologyFault> {
        let shift = |offset| list.offset + offset;
        let names = hosts::expand(&list.text);
        let names = names.map_err(|error| self.fault(shift(error.offset), error.problem))?;
        let shifted = names.into_iter().map(|name| Name {
            offset: shift(name.offset),
            ..name
        });
        Ok(shifted.collect())
    }

    /// A value that is one name.
    fn name(&self, field: &Field) -> Result<Name, TopologyFault> {
        let mut names = self.names(field)?;
        match names.pop() {
            Some(name) if names.is_empty() && name.text == field.text => Ok(name),
            _ => {
                let text = &field.text;
                let problem = format!("{text:?} is not one name; describe each switch by itself");
                Err(self.fault(field.offset, problem))
            }
        }
    }
}

/// Numbers of names so far, which are limited.
#[derive(Default)]
struct Total {
    nodes: usize,
    switches: usize,
}

impl Total {
    /// Adds the names below a switch.
    fn add(&mut self, own: &Described) -> Result<(), TopologyFault> {
        self.nodes += own.nodes.len();
        self.switches += own.switches.len();
        let lists = [
            ("nodes", self.nodes, own.nodes.first()),
            ("switches", self.switches, own.switches.first()),
        ];
        for (what, total, first) in lists {
            if let Some(first) = first.filter(|_| total > MOST_HOSTS) {
                let problem = format!("more than {MOST_HOSTS} {what}; shorten the ranges");
                return own.fault(first, problem);
            }
        }
        Ok(())
    }

    /// As [`Self::add`], and returns the switch.
    fn counted(&mut self, own: Described) -> Result<Described, TopologyFault> {
        self.add(&own)?;
        Ok(own)
    }
}

/// Blocks, and the switch that joins them if there are several.
fn joined(mut blocks: Vec<Described>) -> Vec<Described> {
    if blocks.len() > 1 {
        let mut name = SPINE.to_owned();
        while blocks.iter().any(|block| block.name.text == name) {
            name.push('_');
        }
        let switches = blocks.iter().map(|block| block.name.clone()).collect();
        let mut line = Line::default();
        line.append(&name, lines::TopologyPlace::START);
        blocks.push(Described {
            line,
            name: Name { text: name, offset: 0 },
            nodes: Vec::new(),
            switches,
            sum: None,
        });
    }
    blocks
}

#[cfg(test)]
mod tests;
