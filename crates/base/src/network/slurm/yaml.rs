//! `topology.yaml` of Slurm 25: a list of topologies, of which one is the cluster's default.

use itertools::Itertools as _;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::lines::{Line, TopologyFault, TopologyPlace};
use super::{Described, Field, Total, joined};

/// Example of the cure for a file of another form.
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
pub(super) fn described(text: &str) -> Result<Vec<Described>, TopologyFault> {
    let text = text.trim_start_matches('\u{feff}');
    let topologies: Vec<YamlTopology> = serde_saphyr::from_str(text).map_err(|error| of_reader(&error))?;
    let own = default_of(topologies)?;
    let name = &own.topology.value;
    let mut total = Total::default();
    match (own.tree, own.block) {
        (Some(tree), None) if !own.flat => {
            let switches = tree.switches.into_iter();
            switches.map(|own| total.counted(own.described()?)).collect()
        }
        (None, Some(block)) if !own.flat => {
            let blocks = block.blocks.into_iter();
            let blocks = blocks.map(|own| total.counted(own.described()?));
            blocks.collect::<Result<_, _>>().map(joined)
        }
        (None, None) if own.flat => {
            let problem = format!(
                "the topology {name:?} is flat and names no nodes; write cluster_default: true \
                 beside one with a tree or blocks, or give --network a .toml with topology = \
                 \"star\""
            );
            Err(TopologyFault {
                place: place(&own.topology.referenced),
                problem,
            })
        }
        _ => {
            let problem = format!("the topology {name:?} has not exactly one of tree, block and flat; {HINT}");
            Err(TopologyFault {
                place: place(&own.topology.referenced),
                problem,
            })
        }
    }
}

/// The only topology, or the first that is the cluster's default.
fn default_of(mut all: Vec<YamlTopology>) -> Result<YamlTopology, TopologyFault> {
    let default = all.iter().position(|own| own.cluster_default);
    match (default, all.len()) {
        (Some(at), _) => Ok(all.swap_remove(at)),
        (None, 1) => Ok(all.remove(0)),
        (None, _) => {
            let names = all.iter().map(|own| &own.topology.value).join(", ");
            let problem = match all.len() {
                0 => format!("no topology is described; {HINT}"),
                _ => format!(
                    "none of the topologies {names} is the default; write cluster_default: true \
                     beside one"
                ),
            };
            let first = all.first().map(|own| place(&own.topology.referenced));
            Err(TopologyFault {
                place: first.unwrap_or(TopologyPlace::START),
                problem,
            })
        }
    }
}

impl YamlSwitch {
    fn described(self) -> Result<Described, TopologyFault> {
        let mut line = Line::default();
        let name = field(&mut line, self.switch);
        let below = [self.nodes, self.children].map(|own| Some(field(&mut line, own?)));
        Described::new(line, &name, below)
    }
}

impl YamlBlock {
    fn described(self) -> Result<Described, TopologyFault> {
        let mut line = Line::default();
        let name = field(&mut line, self.block);
        let nodes = field(&mut line, self.nodes);
        Described::new(line, &name, [Some(nodes), None])
    }
}

/// Appends a value to a line that keeps its place in the file.
fn field(line: &mut Line, value: Spanned<String>) -> Field {
    let offset = line.append(&value.value, place(&value.referenced));
    Field {
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

fn of_reader(error: &serde_saphyr::Error) -> TopologyFault {
    let error = error.without_snippet();
    let location = error.location().map(|location| place(&location));
    let what = error.to_string();
    let what = what.lines().map(str::trim).join(" ");
    let what = what.split(" at line ").next().unwrap_or_default();
    TopologyFault {
        place: location.unwrap_or(TopologyPlace::START),
        problem: format!("{what}; {HINT}"),
    }
}
