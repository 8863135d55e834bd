//! `topology.yaml` of Slurm 25: a list of topologies, of which one is the cluster's default.

use itertools::Itertools as _;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::lines::{TopologyFault, TopologyLine, TopologyPlace};
use super::{DescribedSwitch, TopologyField, TopologyTotals, joined_blocks};

/// Remedy for a file of another form.
const HINT: &str = "see Slurm's manual page topology.yaml(5)";

/// A topology; it has one of `tree`, `block` and `flat`.
#[derive(Deserialize)]
struct YamlTopology {
    topology: Spanned<String>,
    #[serde(default)]
    cluster_default: bool,
    tree: Option<YamlTree>,
    block: Option<YamlBlocks>,
    #[serde(default)]
    flat: bool,
}

#[derive(Deserialize)]
struct YamlTree {
    switches: Vec<YamlSwitch>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct YamlSwitch {
    switch: Spanned<String>,
    nodes: Option<Spanned<String>>,
    children: Option<Spanned<String>>,
}

#[derive(Deserialize)]
struct YamlBlocks {
    blocks: Vec<YamlBlock>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct YamlBlock {
    block: Spanned<String>,
    nodes: Spanned<String>,
}

/// True for YAML: its first line that is no comment begins a document or a list.
pub(super) fn is_yaml(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', '%']));
    first.is_some_and(|line| line == "-" || line.starts_with("- ") || line.starts_with("---"))
}

/// The switches of the cluster's default topology, or its blocks and a switch that joins them.
pub(super) fn described_switches(text: &str) -> Result<Vec<DescribedSwitch>, TopologyFault> {
    let text = text.trim_start_matches('\u{feff}');
    let topologies: Vec<YamlTopology> = serde_saphyr::from_str(text).map_err(|error| reader_fault(&error))?;
    let chosen = default_of(topologies)?;
    let name = &chosen.topology.value;
    let mut total = TopologyTotals::default();
    match (chosen.tree, chosen.block) {
        (Some(tree), None) if !chosen.flat => {
            let switches = tree.switches.into_iter();
            switches
                .map(|switch| total.counted(switch.described_switch()?))
                .collect()
        }
        (None, Some(block)) if !chosen.flat => {
            let yaml_blocks = block.blocks.into_iter();
            let described_blocks = yaml_blocks.map(|yaml_block| total.counted(yaml_block.described_switch()?));
            described_blocks.collect::<Result<_, _>>().map(joined_blocks)
        }
        (None, None) if chosen.flat => {
            let problem = format!(
                "the topology {name:?} is flat and names no nodes; write cluster_default: true \
                 beside one with a tree or blocks, or give --network a .toml with topology = \
                 \"star\""
            );
            Err(TopologyFault {
                place: place(&chosen.topology.referenced),
                problem,
            })
        }
        _ => {
            let problem = format!("the topology {name:?} has not exactly one of tree, block and flat; {HINT}");
            Err(TopologyFault {
                place: place(&chosen.topology.referenced),
                problem,
            })
        }
    }
}

/// The only topology, or the first that is the cluster's default.
fn default_of(mut all: Vec<YamlTopology>) -> Result<YamlTopology, TopologyFault> {
    let default = all.iter().position(|topology| topology.cluster_default);
    match (default, all.len()) {
        (Some(at), _) => Ok(all.swap_remove(at)),
        (None, 1) => Ok(all.remove(0)),
        (None, _) => {
            let names = all.iter().map(|topology| &topology.topology.value).join(", ");
            let problem = match all.len() {
                0 => format!("no topology is described; {HINT}"),
                _ => format!(
                    "none of the topologies {names} is the default; write cluster_default: true \
                     beside one"
                ),
            };
            let first = all.first().map(|topology| place(&topology.topology.referenced));
            Err(TopologyFault {
                place: first.unwrap_or(TopologyPlace::START),
                problem,
            })
        }
    }
}

impl YamlSwitch {
    fn described_switch(self) -> Result<DescribedSwitch, TopologyFault> {
        let mut line = TopologyLine::default();
        let name = append_field(&mut line, self.switch);
        let below = [self.nodes, self.children].map(|list| Some(append_field(&mut line, list?)));
        DescribedSwitch::new(line, &name, below)
    }
}

impl YamlBlock {
    fn described_switch(self) -> Result<DescribedSwitch, TopologyFault> {
        let mut line = TopologyLine::default();
        let name = append_field(&mut line, self.block);
        let nodes = append_field(&mut line, self.nodes);
        DescribedSwitch::new(line, &name, [Some(nodes), None])
    }
}

/// Appends a value to a line that keeps its place in the file.
fn append_field(line: &mut TopologyLine, value: Spanned<String>) -> TopologyField {
    let offset = line.append(&value.value, place(&value.referenced));
    TopologyField {
        offset,
        text: value.value,
    }
}

fn place(location: &Location) -> TopologyPlace {
    TopologyPlace {
        line: location.line().max(1),
        column: location.column().max(1),
    }
}

fn reader_fault(error: &serde_saphyr::Error) -> TopologyFault {
    let error = error.without_snippet();
    let location = error.location().map(|location| place(&location));
    let message = error.to_string();
    let one_line = message.lines().map(str::trim).join(" ");
    let what = one_line.split(" at line ").next().unwrap_or_default();
    TopologyFault {
        place: location.unwrap_or(TopologyPlace::START),
        problem: format!("{what}; {HINT}"),
    }
}
