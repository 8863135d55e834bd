//! Slurm's descriptions of a network: the nodes of each switch, and the switches below each switch.
//!
//! # Formats
//! `topology.conf` of topology/tree: each line describes a switch: `SwitchName=s0 Nodes=n[0-15]`, or
//! `SwitchName=top Switches=s[0-3]`, with an optional `LinkSpeed=NUMBER`. The case of keys does not matter,
//! `#` begins a comment, and a backslash at the end continues a line.
//!
//! `topology.conf` of topology/block: `BlockName=b0 Nodes=n[0-17]`, and `BlockSizes=18,36`.
//!
//! The output of `scontrol show topology`: the same lines with `Level=`, or with `BlockIndex=` and `BlockSize=`. The
//! `Nodes=` of a switch with `Switches=` are the nodes of all switches below it. A terminal may have wrapped the
//! lines.
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
//! # use netsig_base::network::{LinkSpec, slurm};
//! # use netsig_base::units::{BitsPerSecond, Bytes};
//! let text = "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n\
//!     SwitchName=top Switches=s[0-1]\n";
//! let port = |rate| LinkSpec::new(BitsPerSecond(rate), Bytes(65536));
//! let network = slurm::parse("topology.conf", text, port(1_000_000_000), port(2_000_000_000))?;
//! assert_eq!((network.hosts().get(), network.vertices()), (4, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conf;
mod lines;
mod records;
mod tree;
mod yaml;

use super::hosts::{self, ListedName};
use super::{LinkSpec, MOST_HOSTS, Network};
use crate::text::file_error::FileError;
use lines::{TopologyFault, TopologyLine};

/// Name of the switch that joins blocks, with underscores behind it where a block has the name.
pub const SPINE: &str = "spine";

/// Parses a description of any of Slurm's forms. The file has no rates, so `hosts` and `uplinks` give the
/// links of hosts and those between switches. Errors name the file `name`.
///
/// # Errors
/// If a line does not describe a switch or block, a list is not a host list expression, or a switch is unknown. Also,
/// if the switches are not one tree with each node on one of them. The message names line and column.
pub fn parse(name: &str, text: &str, hosts: LinkSpec, uplinks: LinkSpec) -> Result<Network, FileError> {
    let described = if yaml::is_yaml(text) {
        yaml::described_switches(text)
    } else {
        conf::described_switches(text)
    };
    let parts = described.and_then(|described| tree::assemble(described, hosts, uplinks));
    let (switches, trunks) = parts.map_err(|fault| {
        let place = fault.place;
        FileError::at_column(name, place.line, place.column, fault.problem)
    })?;
    let built = Network::new(switches, trunks);
    let network = built.map_err(|error| FileError::of_file(name, error.to_string()))?;
    Ok(Network {
        name: name.to_owned(),
        ..network
    })
}

/// A switch and the nodes or the switches below it. Offsets refer to the line.
struct DescribedSwitch {
    line: TopologyLine,
    name: ListedName,
    nodes: Vec<ListedName>,
    switches: Vec<ListedName>,
    /// The nodes of all switches below, as `scontrol` prints them. Only their check expands them, since
    /// each level repeats the nodes below.
    nodes_below: Option<TopologyField>,
}

/// A value and its offset in a line.
struct TopologyField {
    offset: usize,
    text: String,
}

impl TopologyField {
    fn new(offset: usize, text: &str) -> Self {
        let text = text.to_owned();
        Self { offset, text }
    }
}

impl DescribedSwitch {
    /// A switch with either nodes or switches below it.
    fn new(line: TopologyLine, name: &TopologyField, below: [Option<TopologyField>; 2]) -> Result<Self, TopologyFault> {
        let parsed_name = line.name(name)?;
        let (nodes, switches) = match below {
            [Some(nodes), None] => (line.expand_names(&nodes)?, Vec::new()),
            [None, Some(switches)] => (Vec::new(), line.expand_names(&switches)?),
            [None, None] => {
                let switch = parsed_name.text;
                let problem = format!("nothing is below {switch:?}; add its nodes or switches");
                return Err(line.fault(name.offset, problem));
            }
            [Some(nodes), Some(switches)] => {
                let switch = parsed_name.text;
                let problem = format!(
                    "switch {switch:?} has both nodes and switches; put the nodes on a switch of \
                     their own"
                );
                let last = nodes.offset.max(switches.offset);
                return Err(line.fault(last, problem));
            }
        };
        Ok(Self {
            line,
            name: parsed_name,
            nodes,
            switches,
            nodes_below: None,
        })
    }

    /// A switch without nodes.
    fn empty(line: TopologyLine, name: &TopologyField) -> Result<Self, TopologyFault> {
        Ok(Self {
            name: line.name(name)?,
            line,
            nodes: Vec::new(),
            switches: Vec::new(),
            nodes_below: None,
        })
    }

    fn fault<T>(&self, name: &ListedName, problem: String) -> Result<T, TopologyFault> {
        Err(self.line.fault(name.offset, problem))
    }
}

impl TopologyLine {
    /// The names in a list.
    fn expand_names(&self, list: &TopologyField) -> Result<Vec<ListedName>, TopologyFault> {
        let shift = |offset| list.offset + offset;
        let expanded = hosts::expand(&list.text);
        let names = expanded.map_err(|error| self.fault(shift(error.offset), error.problem))?;
        let shifted = names.into_iter().map(|name| ListedName {
            offset: shift(name.offset),
            ..name
        });
        Ok(shifted.collect())
    }

    /// A value that is one name.
    fn name(&self, field: &TopologyField) -> Result<ListedName, TopologyFault> {
        let mut names = self.expand_names(field)?;
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
struct TopologyTotals {
    nodes: usize,
    switches: usize,
}

impl TopologyTotals {
    /// Adds the names below a switch.
    fn add(&mut self, switch: &DescribedSwitch) -> Result<(), TopologyFault> {
        self.nodes += switch.nodes.len();
        self.switches += switch.switches.len();
        let lists = [
            ("nodes", self.nodes, switch.nodes.first()),
            ("switches", self.switches, switch.switches.first()),
        ];
        for (what, total, first) in lists {
            if let Some(first) = first.filter(|_| total > MOST_HOSTS) {
                let problem = format!("more than {MOST_HOSTS} {what}; shorten the ranges");
                return switch.fault(first, problem);
            }
        }
        Ok(())
    }

    /// Calls [`Self::add`], and returns the switch.
    fn counted(&mut self, switch: DescribedSwitch) -> Result<DescribedSwitch, TopologyFault> {
        self.add(&switch)?;
        Ok(switch)
    }
}

/// Blocks, and the switch that joins them if there are several.
fn joined_blocks(mut blocks: Vec<DescribedSwitch>) -> Vec<DescribedSwitch> {
    if blocks.len() > 1 {
        let mut name = SPINE.to_owned();
        while blocks.iter().any(|block| block.name.text == name) {
            name.push('_');
        }
        let switches = blocks.iter().map(|block| block.name.clone()).collect();
        let mut line = TopologyLine::default();
        line.append(&name, lines::TopologyPlace::START);
        blocks.push(DescribedSwitch {
            line,
            name: ListedName { text: name, offset: 0 },
            nodes: Vec::new(),
            switches,
            nodes_below: None,
        });
    }
    blocks
}

#[cfg(test)]
mod tests;
