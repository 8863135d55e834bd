//! Assembly of the described switches to one tree, and the faults that prevent it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::DescribedSwitch;
use super::lines::{TopologyFault, TopologyPlace};
use crate::network::{LinkSpec, MOST_HOSTS, Switch, Trunk};

/// Most levels of switches of which each may repeat the largest number of nodes. Trees of switches are flatter.
const MOST_LEVELS: usize = 8;

/// Assembles the switches of all lines with their nodes, and the links between switches.
pub(super) fn assemble(
    described: Vec<DescribedSwitch>,
    hosts: LinkSpec,
    uplinks: LinkSpec,
) -> Result<(Vec<Switch>, Vec<Trunk>), TopologyFault> {
    let numbers = numbers(&described)?;
    refuse_twice(&described)?;
    refuse_strays(&described)?;
    let above = switches_above(&described, &numbers)?;
    check_cycles(&described, &above)?;
    check_one_top(&described, &above)?;
    let trunk = |(below, above): (usize, Option<usize>)| {
        Trunk {
            ends: [below, above?],
            link: uplinks,
        }
        .into()
    };
    let trunks = above.into_iter().enumerate().filter_map(trunk).collect();
    let switch = |switch: DescribedSwitch| Switch {
        name: switch.name.text,
        hosts: switch.nodes.into_iter().map(|node| node.text).collect(),
        host_link: hosts,
    };
    Ok((described.into_iter().map(switch).collect(), trunks))
}

/// Index of each switch in the file, by name; refuses two descriptions of one switch.
fn numbers(described: &[DescribedSwitch]) -> Result<HashMap<&str, usize>, TopologyFault> {
    let mut numbers = HashMap::new();
    for (number, switch) in described.iter().enumerate() {
        match numbers.entry(switch.name.text.as_str()) {
            Entry::Vacant(entry) => entry.insert(number),
            Entry::Occupied(entry) => {
                let first: &DescribedSwitch = &described[*entry.get()];
                let line = first.line.place(first.name.offset).line;
                let name = entry.key();
                let problem = format!("switch {name:?} is described in line {line} already; rename one");
                return switch.fault(&switch.name, problem);
            }
        };
    }
    Ok(numbers)
}

/// Refuses nodes on two switches.
fn refuse_twice(described: &[DescribedSwitch]) -> Result<(), TopologyFault> {
    let mut switches = HashMap::new();
    for switch in described {
        for node in &switch.nodes {
            let text = &node.text;
            if let Some(other) = switches.insert(text, &switch.name.text) {
                let problem = format!("node {text:?} is on switch {other:?} already; name it there alone");
                return switch.fault(node, problem);
            }
        }
    }
    Ok(())
}

/// Refuses lists of nodes below a switch that name a node on no switch, or that are longer than in any tree.
fn refuse_strays(described: &[DescribedSwitch]) -> Result<(), TopologyFault> {
    let nodes = described.iter().flat_map(|switch| &switch.nodes);
    let known: HashSet<&str> = nodes.map(|node| node.text.as_str()).collect();
    let mut total = 0;
    for switch in described {
        let listed = switch.nodes_below.as_ref().map(|sum| switch.line.expand_names(sum));
        let nodes_below = listed.transpose()?.unwrap_or_default();
        total += nodes_below.len();
        if total > MOST_LEVELS * MOST_HOSTS {
            let problem = "the switches repeat too many nodes; remove Nodes= beside Switches=";
            return switch.fault(&nodes_below[0], problem.to_owned());
        }
        let stray = nodes_below.iter().find(|node| !known.contains(node.text.as_str()));
        if let Some(stray) = stray {
            let text = &stray.text;
            let problem = format!(
                "node {text:?} is on no switch of level 0; add the line of its switch, which \
                 `scontrol show topology` prints"
            );
            return switch.fault(stray, problem);
        }
    }
    Ok(())
}

/// Index of the switch above each switch, if there is one.
fn switches_above(
    described: &[DescribedSwitch],
    numbers: &HashMap<&str, usize>,
) -> Result<Vec<Option<usize>>, TopologyFault> {
    let mut above: Vec<Option<usize>> = vec![None; described.len()];
    for (number, switch) in described.iter().enumerate() {
        for child in &switch.switches {
            let text = &child.text;
            let Some(&below) = numbers.get(text.as_str()) else {
                let problem = format!("switch {text:?} is not described; add a line with SwitchName={text}");
                return switch.fault(child, problem);
            };
            if let Some(other) = above[below].replace(number) {
                let other = &described[other].name.text;
                let problem = format!("switch {text:?} is below switch {other:?} already; name it there alone");
                return switch.fault(child, problem);
            }
        }
    }
    Ok(above)
}

/// Refuses switches that are below themselves.
fn check_cycles(described: &[DescribedSwitch], above: &[Option<usize>]) -> Result<(), TopologyFault> {
    // The climb that first met each switch.
    let mut climbs = vec![usize::MAX; above.len()];
    for start in 0..above.len() {
        let mut at = Some(start);
        while let Some(number) = at.filter(|&number| climbs[number] == usize::MAX) {
            climbs[number] = start;
            at = above[number];
        }
        if let Some(met) = at.filter(|&number| climbs[number] == start) {
            let switch = &described[met];
            let problem = format!(
                "switch {:?} is below itself; remove it from the Switches of those below it",
                switch.name.text
            );
            return switch.fault(&switch.name, problem);
        }
    }
    Ok(())
}

/// Refuses files with several trees, or none.
fn check_one_top(described: &[DescribedSwitch], above: &[Option<usize>]) -> Result<(), TopologyFault> {
    let mut tops = described.iter().zip(above).filter(|(_, above)| above.is_none());
    let mut top = || tops.next().map(|(switch, _)| switch);
    match (top(), top()) {
        (Some(_), None) => Ok(()),
        (Some(first), Some(second)) => {
            let (a, b) = (&first.name.text, &second.name.text);
            let problem = format!(
                "switches {a:?} and {b:?} are not joined; add a line with SwitchName=NAME \
                 Switches={a},{b}"
            );
            second.fault(&second.name, problem)
        }
        (None, _) => {
            let problem = "no switch is described; write lines such as SwitchName=s0 Nodes=n[0-15]";
            Err(TopologyFault {
                place: TopologyPlace::START,
                problem: problem.to_owned(),
            })
        }
    }
}
