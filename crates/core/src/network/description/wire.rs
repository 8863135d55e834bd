//! What a description of a network may say, and the checks between that and a
//! [`Description`].

use std::collections::HashMap;

use serde::Deserialize;
use toml::Spanned;

use super::Description;
use crate::network::binary_tree::Edge;
use crate::network::scenario::Scenario;
use crate::network::topology::{self, Cable, MOST_HOSTS, Parts, Topology, Vertex};
use crate::network::{Fault, Text};
use crate::text::file_error::{FileError, parse_toml};
use crate::units::{BitsPerSecond, Bytes, Seconds};

const HINT: &str = "see FORMATS.md for what a network may say";

/// What every description says first.
#[derive(Deserialize)]
struct Head {
    topology: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BinaryTree {
    #[serde(rename = "topology")]
    _topology: String,
    #[serde(rename = "description")]
    _description: Option<String>,
    latency: Option<Text<Seconds>>,
    rto: Option<Text<Seconds>>,
    height: Vec<Height>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Height {
    rate: BitsPerSecond,
    delay: Option<Text<Seconds>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Graph {
    #[serde(rename = "topology")]
    _topology: String,
    #[serde(rename = "description")]
    _description: Option<String>,
    latency: Option<Text<Seconds>>,
    rto: Option<Text<Seconds>>,
    rate: BitsPerSecond,
    port_buffer: Text<Bytes>,
    switch: Vec<Switch>,
    #[serde(default)]
    link: Vec<Link>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    name: Spanned<String>,
    hosts: Option<Spanned<Hosts>>,
    rate: Option<BitsPerSecond>,
    port_buffer: Option<Text<Bytes>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "names such as \"n[0-15]\" or a number of hosts")]
enum Hosts {
    Count(usize),
    Names(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    between: Spanned<[String; 2]>,
    rate: BitsPerSecond,
    port_buffer: Text<Bytes>,
}

pub(super) fn parse(name: &str, text: &str) -> Result<Description, FileError> {
    let head: Head = parse_toml(name, text, HINT)?;
    let found = match head.topology.get_ref().as_str() {
        "star" | "tree" => {
            return Ok(Description::of_scenario(&Scenario::parse(name, text)?));
        }
        "binary-tree" => parse_toml::<BinaryTree>(name, text, HINT)?.check(&head),
        "graph" => parse_toml::<Graph>(name, text, HINT)?.check(&head),
        other => {
            let what = format!(
                "{other:?} is not a topology; write \"star\", \"tree\", \"binary-tree\" or \
                 \"graph\""
            );
            Err((head.topology.span(), what))
        }
    };
    found.map_err(|(span, what)| FileError::at_offset(name, text, span.start, what))
}

impl BinaryTree {
    fn check(self, head: &Head) -> Result<Description, Fault> {
        let edge = |height: Height| Edge {
            bandwidth: height.rate.into(),
            delay: height.delay.map_or(Seconds(0.0), |Text(delay)| delay),
        };
        let heights: Vec<Edge> = self.height.into_iter().map(edge).collect();
        let tree = Description::of_heights(heights);
        let tree = tree.map_err(|error| (head.topology.span(), error.to_string()))?;
        Ok(Description {
            latency: self.latency.map(|Text(latency)| latency),
            rto: self.rto.map(|Text(rto)| rto),
            ..tree
        })
    }
}

impl Graph {
    fn check(self, head: &Head) -> Result<Description, Fault> {
        let mut names = Vec::new();
        let mut of_switch = Vec::new();
        for switch in &self.switch {
            let first = names.len();
            switch.add_hosts(&mut names)?;
            switch.refuse_too_many(names.len())?;
            of_switch.push(first..names.len());
        }
        let vertex = |index: usize| Vertex(u32::try_from(index).unwrap_or(u32::MAX));
        let hosts = names.len();
        let mut cables = Vec::new();
        for (number, (switch, below)) in self.switch.iter().zip(of_switch).enumerate() {
            let Text(buffer) = *switch.port_buffer.as_ref().unwrap_or(&self.port_buffer);
            cables.extend(below.map(|host| Cable {
                ends: [vertex(host), vertex(hosts + number)],
                rate: switch.rate.unwrap_or(self.rate).into(),
                buffer,
            }));
        }
        let switches = numbers(&self.switch)?;
        for link in &self.link {
            let [a, b] = link.ends(&switches)?;
            let Text(buffer) = link.port_buffer;
            cables.push(Cable {
                ends: [vertex(hosts + a), vertex(hosts + b)],
                rate: link.rate.into(),
                buffer,
            });
        }
        let switches = self.switch.into_iter().map(|s| s.name.into_inner());
        let topology = Topology::new(Parts {
            hosts: names,
            switches: switches.collect(),
            cables,
        });
        let topology = topology.map_err(|error| (head.topology.span(), error.to_string()))?;
        Ok(Description {
            latency: self.latency.map(|Text(latency)| latency),
            rto: self.rto.map(|Text(rto)| rto),
            ..Description::of_topology(topology)
        })
    }
}

impl Switch {
    /// Refuses so many hosts on this switch and those before.
    fn refuse_too_many(&self, hosts: usize) -> Result<(), Fault> {
        match &self.hosts {
            Some(here) if hosts > MOST_HOSTS => {
                let what =
                    format!("{hosts} hosts up to here are too many; write at most {MOST_HOSTS}");
                Err((here.span(), what))
            }
            _ => Ok(()),
        }
    }

    /// The names of its hosts: those that it gives, or its own with numbers.
    fn add_hosts(&self, names: &mut Vec<String>) -> Result<(), Fault> {
        let Some(hosts) = &self.hosts else {
            return Ok(());
        };
        let wrong = |what: String| (hosts.span(), what);
        match hosts.get_ref() {
            Hosts::Count(0) => Err(wrong(
                "0 hosts; write 1 or more, or leave it out".to_owned(),
            )),
            Hosts::Count(count) => {
                self.refuse_too_many(names.len().saturating_add(*count))?;
                let switch = self.name.get_ref();
                names.extend((0..*count).map(|number| format!("{switch}-{number}")));
                Ok(())
            }
            Hosts::Names(expression) => {
                let found = topology::hosts::expand(expression);
                let found = found.map_err(|error| wrong(error.to_string()))?;
                names.extend(found.into_iter().map(|name| name.text));
                Ok(())
            }
        }
    }
}

/// The number of each switch.
fn numbers(switches: &[Switch]) -> Result<HashMap<&str, usize>, Fault> {
    let mut numbers = HashMap::new();
    for (number, switch) in switches.iter().enumerate() {
        let name = switch.name.get_ref().as_str();
        if numbers.insert(name, number).is_some() {
            let what = format!("two switches are called {name:?}; give each a name of its own");
            return Err((switch.name.span(), what));
        }
    }
    Ok(numbers)
}

impl Link {
    fn ends(&self, switches: &HashMap<&str, usize>) -> Result<[usize; 2], Fault> {
        let [a, b] = self.between.get_ref();
        let wrong = |what| Err((self.between.span(), what));
        if a == b {
            return wrong(format!(
                "a cable joins {a} to {b}; join two different switches"
            ));
        }
        let find = |name: &String| switches.get(name.as_str()).copied();
        match (find(a), find(b)) {
            (Some(a), Some(b)) => Ok([a, b]),
            (found, _) => {
                let name = if found.is_some() { b } else { a };
                wrong(format!(
                    "no switch is called {name:?}; write the names of two [[switch]]"
                ))
            }
        }
    }
}
