//! Slurm's `topology.conf`, as its plugin topology/tree reads it: the nodes of each switch, and
//! the switches below each switch.
//!
//! # Format
//! Each line describes a switch: `SwitchName=s0 Nodes=n[0-15]`, or `SwitchName=top
//! Switches=s[0-3]`, with an optional `LinkSpeed=NUMBER`. The case of keys does not matter, `#`
//! begins a comment, and a backslash at the end continues a line.
//!
//! # Choices
//! Slurm defines `LinkSpeed` as the performance of "this communication link" in arbitrary units
//! and ignores it; netsig ignores it as well.
//!
//! Slurm accepts nodes on several switches, and several top switches between which no job may
//! run. A simulation needs one tree, so netsig refuses both. Both Slurm and netsig refuse nodes
//! and switches below the same switch.
//!
//! # Source
//! Slurm's manual page `topology.conf(5)`, section topology/tree.
//!
//! ```
//! # use netsig_core::network::{Port, slurm};
//! # use netsig_core::units::{BitsPerSecond, Bytes};
//! let text = "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n\
//!     SwitchName=top Switches=s[0-1]\n";
//! let port = |rate| Port::new(BitsPerSecond(rate), Bytes(65536));
//! let network = slurm::parse("topology.conf", text, port(1_000_000_000), port(2_000_000_000))?;
//! assert_eq!((network.hosts().get(), network.vertices()), (4, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lines;
mod tree;

use super::hosts::{self, Name};
use super::{MOST_HOSTS, Network, Port};
use crate::text::file_error::FileError;
use lines::{Fault, Line, Pair, lines};

/// Parses a `topology.conf`. The file has no rates, so `hosts` and `uplinks` give the links of
/// hosts and those between switches. Errors name the file `name`.
///
/// # Errors
/// If a line does not describe a switch, a list is not a host list expression, a switch is
/// unknown, or the switches are not one tree with each node on one of them. The message names
/// line and column.
pub fn parse(name: &str, text: &str, hosts: Port, uplinks: Port) -> Result<Network, FileError> {
    let parts = described(text).and_then(|described| tree::assemble(described, hosts, uplinks));
    let (switches, trunks) = parts.map_err(|(place, problem)| {
        FileError::at_column(name, place.line, place.column, problem)
    })?;
    let network = Network::new(switches, trunks);
    let network = network.map_err(|error| FileError::of_file(name, error.to_string()))?;
    Ok(Network {
        name: name.to_owned(),
        ..network
    })
}

/// A parsed line: a switch and the nodes or the switches below it. Offsets refer to the line.
struct Described {
    line: Line,
    name: Name,
    nodes: Vec<Name>,
    switches: Vec<Name>,
}

/// Parses the lines of a file; refuses too many nodes or switches.
fn described(text: &str) -> Result<Vec<Described>, Fault> {
    let mut totals = [0, 0];
    let mut all = Vec::new();
    for line in lines(text) {
        let described = Described::new(line)?;
        let below = [
            ("nodes", &described.nodes),
            ("switches", &described.switches),
        ];
        for (total, (what, names)) in totals.iter_mut().zip(below) {
            *total += names.len();
            if let Some(first) = names.first().filter(|_| *total > MOST_HOSTS) {
                let problem = format!("more than {MOST_HOSTS} {what}; shorten the ranges");
                return described.fault(first, problem);
            }
        }
        all.push(described);
    }
    Ok(all)
}

/// The keys of a line.
const KEYS: [&str; 4] = ["SwitchName", "Nodes", "Switches", "LinkSpeed"];

impl Described {
    fn new(line: Line) -> Result<Self, Fault> {
        let mut found: [Option<Pair>; 4] = [None, None, None, None];
        for pair in line.pairs()? {
            let wrong = |problem: String| (line.place(pair.key_offset), problem);
            let key = KEYS
                .iter()
                .position(|key| pair.key.eq_ignore_ascii_case(key));
            let key = key.ok_or_else(|| {
                let known = KEYS.join(", ");
                wrong(format!(
                    "unknown key {:?}; the keys of topology/tree are {known}",
                    pair.key
                ))
            })?;
            if found[key].is_some() {
                return Err(wrong(format!("{} is given twice; remove one", KEYS[key])));
            }
            found[key] = Some(pair);
        }
        let [name, nodes, switches, link_speed] = found;
        let name = switch_name(&line, name.as_ref())?;
        check_below(&line, &name, [&nodes, &switches])?;
        let listed = |pair: Option<Pair>| pair.map_or(Ok(Vec::new()), |pair| names(&line, &pair));
        let (nodes, switches) = (listed(nodes)?, listed(switches)?);
        if let Some(pair) = link_speed {
            check_link_speed(&line, &pair)?;
        }
        Ok(Self {
            line,
            name,
            nodes,
            switches,
        })
    }

    fn fault<T>(&self, name: &Name, problem: String) -> Result<T, Fault> {
        Err((self.line.place(name.offset), problem))
    }
}

fn switch_name(line: &Line, pair: Option<&Pair>) -> Result<Name, Fault> {
    let Some(pair) = pair else {
        let problem = "no SwitchName; begin the line with SwitchName=NAME";
        return Err((line.place(0), problem.to_owned()));
    };
    let mut names = names(line, pair)?;
    match names.pop() {
        Some(name) if names.is_empty() && name.text == pair.value => Ok(name),
        _ => {
            let problem = format!(
                "{:?} is not one name; write a line for each switch",
                pair.value
            );
            Err((line.place(pair.value_offset), problem))
        }
    }
}

/// Checks that a line has either `Nodes` or `Switches` below the switch `name`.
fn check_below(line: &Line, name: &Name, found: [&Option<Pair>; 2]) -> Result<(), Fault> {
    let name = &name.text;
    match found {
        [Some(_), None] | [None, Some(_)] => Ok(()),
        [None, None] => {
            let problem = format!("nothing is below switch {name:?}; add Nodes= or Switches=");
            Err((line.place(0), problem))
        }
        [Some(nodes), Some(switches)] => {
            let problem = format!(
                "switch {name:?} has both Nodes and Switches; put the nodes on a switch of their \
                 own"
            );
            let last = nodes.key_offset.max(switches.key_offset);
            Err((line.place(last), problem))
        }
    }
}

fn check_link_speed(line: &Line, pair: &Pair) -> Result<(), Fault> {
    let value = pair.value;
    if value.parse::<u32>().is_ok_and(|speed| speed > 0) {
        return Ok(());
    }
    let problem = format!("LinkSpeed {value:?} is not a whole number from 1; change or omit it");
    Err((line.place(pair.value_offset), problem))
}

/// Names in the list of a value.
fn names(line: &Line, pair: &Pair) -> Result<Vec<Name>, Fault> {
    let shift = |offset| pair.value_offset + offset;
    let names = hosts::expand(pair.value);
    let names = names.map_err(|error| (line.place(shift(error.offset)), error.problem))?;
    let shifted = names.into_iter().map(|name| Name {
        offset: shift(name.offset),
        ..name
    });
    Ok(shifted.collect())
}

#[cfg(test)]
mod tests;
