//! The TOML file of a network: its keys, and the checks between them and a [`Network`].

use std::collections::HashMap;
use std::ops::Range;
use std::str::FromStr;

use itertools::Itertools;
use serde::Deserialize;
use strum::Display;
use toml::Spanned;

use super::hosts;
use super::{Edge, MOST_HOSTS, Network, NetworkError, Port, RENO, Switch, Trunk, Truth};
use crate::text::file_error::{FileError, parse_toml};
use crate::units::{self, BitsPerSecond, Bytes, ParseQuantityError, Seconds};

const HINT: &str = "see FORMATS.md for the keys of a network";

/// A fault and its place in the text.
type Fault = (Range<usize>, String);

/// A quantity that stands in the file as text with its unit.
#[derive(Deserialize)]
#[serde(transparent, bound = "T: FromStr<Err = ParseQuantityError>")]
struct Text<T>(#[serde(deserialize_with = "units::from_text")] T);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
enum Form {
    #[strum(to_string = "star")]
    Star,
    #[strum(to_string = "tree")]
    Tree,
    #[strum(to_string = "graph")]
    Graph,
    #[strum(to_string = "binary tree")]
    BinaryTree,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    topology: Spanned<Form>,
    #[serde(default)]
    description: String,
    hosts: Option<Spanned<u32>>,
    rate: Option<Spanned<BitsPerSecond>>,
    port_buffer: Option<Spanned<Text<Bytes>>>,
    delay: Option<Spanned<Text<Seconds>>>,
    congestion_control: Option<Spanned<String>>,
    eager_limit: Option<Spanned<Text<Bytes>>>,
    latency: Option<Text<Seconds>>,
    rto: Option<Text<Seconds>>,
    uplink: Option<Spanned<Uplink>>,
    truth: Option<TruthTable>,
    #[serde(default)]
    switch: Vec<Spanned<SwitchTable>>,
    #[serde(default)]
    link: Vec<Spanned<Link>>,
    #[serde(default)]
    height: Vec<Spanned<Height>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Uplink {
    rate: BitsPerSecond,
    port_buffer: Text<Bytes>,
    delay: Option<Text<Seconds>>,
    first_switch_hosts: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchTable {
    name: Spanned<String>,
    hosts: Option<Spanned<Hosts>>,
    rate: Option<BitsPerSecond>,
    port_buffer: Option<Text<Bytes>>,
    delay: Option<Text<Seconds>>,
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
    delay: Option<Text<Seconds>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Height {
    rate: BitsPerSecond,
    delay: Option<Text<Seconds>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TruthTable {
    #[serde(deserialize_with = "units::from_text")]
    alpha: Seconds,
    gamma: Spanned<f64>,
    #[serde(deserialize_with = "units::from_text")]
    delta: Seconds,
    #[serde(deserialize_with = "units::from_text")]
    threshold: Bytes,
    noise: Spanned<f64>,
}

pub(super) fn parse(name: &str, text: &str) -> Result<Network, FileError> {
    let file: File = parse_toml(name, text, HINT)?;
    let network = file
        .check()
        .map_err(|(span, what)| FileError::at_offset(name, text, span.start, what))?;
    Ok(Network {
        name: name.to_owned(),
        ..network
    })
}

impl File {
    fn check(self) -> Result<Network, Fault> {
        self.refuse_other_keys()?;
        let network = match self.topology.get_ref() {
            Form::Star => Network::star(self.hosts()?, self.port()?),
            Form::Tree => {
                let uplink = self.need("[uplink]", self.uplink.as_ref())?.get_ref();
                let switches = uplink.hosts_of_switches(self.hosts()?)?;
                let trunk = port(uplink.rate, &uplink.port_buffer, uplink.delay.as_ref());
                Network::two_switches(switches, self.port()?, trunk)
            }
            Form::Graph => self.graph()?,
            Form::BinaryTree => Network::binary_tree(self.heights()?),
        };
        let network = network.map_err(|error| (self.topology.span(), error.to_string()))?;
        let truth = self.truth.map(TruthTable::check).transpose()?;
        let latency = self.latency.map(|Text(latency)| latency);
        Ok(Network {
            description: self.description,
            congestion_control: congestion_control(self.congestion_control)?,
            eager_limit: self.eager_limit.map(eager_limit).transpose()?,
            latency: latency.or(truth.map(|truth| truth.alpha)),
            rto: self.rto.map(|Text(rto)| rto),
            truth,
            ..network
        })
    }

    /// Refuses keys of another topology.
    fn refuse_other_keys(&self) -> Result<(), Fault> {
        use Form::{BinaryTree, Graph, Star, Tree};
        fn place<T>(value: Option<&Spanned<T>>) -> Option<Range<usize>> {
            value.map(Spanned::span)
        }
        let switches = [Star, Tree, Graph].as_slice();
        let keys = [
            ("hosts", place(self.hosts.as_ref()), &switches[..2]),
            ("rate", place(self.rate.as_ref()), switches),
            ("port_buffer", place(self.port_buffer.as_ref()), switches),
            ("delay", place(self.delay.as_ref()), switches),
            ("[uplink]", place(self.uplink.as_ref()), &[Tree]),
            ("[[switch]]", place(self.switch.first()), &[Graph]),
            ("[[link]]", place(self.link.first()), &[Graph]),
            ("[[height]]", place(self.height.first()), &[BinaryTree]),
        ];
        let form = self.topology.get_ref();
        for (key, place, forms) in keys {
            if let Some(place) = place.filter(|_| !forms.contains(form)) {
                let what = format!("a {form} has no {key}; remove it or write another topology");
                return Err((place, what));
            }
        }
        Ok(())
    }

    /// The value of a key that the topology needs.
    fn need<'a, T>(&self, key: &str, value: Option<&'a T>) -> Result<&'a T, Fault> {
        value.ok_or_else(|| {
            let form = self.topology.get_ref();
            let what = format!("a {form} needs {key}; add it, {HINT}");
            (self.topology.span(), what)
        })
    }

    fn hosts(&self) -> Result<u32, Fault> {
        let hosts = self.need("hosts", self.hosts.as_ref())?;
        let count = *hosts.get_ref();
        if (2..=MOST_HOSTS).contains(&(count as usize)) {
            return Ok(count);
        }
        let what = format!("hosts is {count}; write a number from 2 to {MOST_HOSTS}");
        Err((hosts.span(), what))
    }

    /// The link of every host whose switch does not say otherwise.
    fn port(&self) -> Result<Port, Fault> {
        let rate = self.need("rate", self.rate.as_ref())?;
        let Text(buffer) = *self
            .need("port_buffer", self.port_buffer.as_ref())?
            .get_ref();
        Ok(Port {
            rate: *rate.get_ref(),
            buffer,
            delay: none_or(self.delay.as_ref().map(Spanned::get_ref)),
        })
    }

    fn graph(&self) -> Result<Result<Network, NetworkError>, Fault> {
        let usual = self.port()?;
        self.need("[[switch]]", self.switch.first())?;
        let mut switches = Vec::new();
        let mut hosts = 0;
        for table in self.switch.iter().map(Spanned::get_ref) {
            let names = table.hosts(hosts)?;
            hosts += names.len();
            switches.push(Switch {
                name: table.name.get_ref().clone(),
                hosts: names,
                port: Port {
                    rate: table.rate.unwrap_or(usual.rate),
                    buffer: table
                        .port_buffer
                        .as_ref()
                        .map_or(usual.buffer, |Text(own)| *own),
                    delay: table.delay.as_ref().map_or(usual.delay, |Text(own)| *own),
                },
            });
        }
        let numbers = numbers(&self.switch)?;
        let trunk = |link: &Spanned<Link>| link.get_ref().trunk(&numbers);
        let trunks = self.link.iter().map(trunk).collect::<Result<_, _>>()?;
        Ok(Network::new(switches, trunks))
    }

    fn heights(&self) -> Result<Vec<Edge>, Fault> {
        self.need("[[height]]", self.height.first())?;
        let edge = |Height { rate, delay }: &Height| Edge {
            bandwidth: (*rate).into(),
            delay: none_or(delay.as_ref()),
        };
        Ok(self
            .height
            .iter()
            .map(|height| edge(height.get_ref()))
            .collect())
    }
}

/// The delay, or none.
fn none_or(delay: Option<&Text<Seconds>>) -> Seconds {
    delay.map_or(Seconds(0.0), |Text(delay)| *delay)
}

fn port(rate: BitsPerSecond, buffer: &Text<Bytes>, delay: Option<&Text<Seconds>>) -> Port {
    Port {
        rate,
        buffer: buffer.0,
        delay: none_or(delay),
    }
}

fn congestion_control(name: Option<Spanned<String>>) -> Result<String, Fault> {
    let Some(name) = name else {
        return Ok(RENO.to_owned());
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let text = name.get_ref();
    if text.is_empty() || !text.chars().all(plain) {
        let what = format!(
            "congestion_control {text:?} is not a name of one; write \"reno\", \"cubic\" or \
             another in lower case"
        );
        return Err((name.span(), what));
    }
    Ok(name.into_inner())
}

fn eager_limit(limit: Spanned<Text<Bytes>>) -> Result<Bytes, Fault> {
    match *limit.get_ref() {
        Text(Bytes(0)) => {
            let what = "eager_limit is 0; write the first size that is not sent at once";
            Err((limit.span(), what.to_owned()))
        }
        Text(size) => Ok(size),
    }
}

impl Uplink {
    fn hosts_of_switches(&self, hosts: u32) -> Result<[u32; 2], Fault> {
        let first = match &self.first_switch_hosts {
            None => hosts / 2,
            Some(first) if (1..hosts).contains(first.get_ref()) => *first.get_ref(),
            Some(first) => {
                let what = format!(
                    "first_switch_hosts is {}; write a number from 1 to {}, so that both \
                     switches have hosts",
                    first.get_ref(),
                    hosts - 1
                );
                return Err((first.span(), what));
            }
        };
        Ok([first, hosts - first])
    }
}

impl SwitchTable {
    /// The names of its hosts, which come after `before` others: those that the file lists, or
    /// the switch's own with numbers.
    fn hosts(&self, before: usize) -> Result<Vec<String>, Fault> {
        let Some(hosts) = &self.hosts else {
            return Ok(Vec::new());
        };
        let wrong = |what: String| (hosts.span(), what);
        let names = match hosts.get_ref() {
            Hosts::Count(0) => {
                let what = "0 hosts; write 1 or more, or leave it out";
                return Err(wrong(what.to_owned()));
            }
            Hosts::Count(count) => {
                let numbers = 0..(*count).min(MOST_HOSTS + 1);
                let switch = self.name.get_ref();
                numbers.map(|number| format!("{switch}-{number}")).collect()
            }
            Hosts::Names(expression) => {
                let found = hosts::expand(expression);
                let found = found.map_err(|error| wrong(error.to_string()))?;
                found.into_iter().map(|name| name.text).collect_vec()
            }
        };
        if before + names.len() > MOST_HOSTS {
            let what = format!("more than {MOST_HOSTS} hosts up to here; write fewer");
            return Err(wrong(what));
        }
        Ok(names)
    }
}

/// The number of each switch.
fn numbers(switches: &[Spanned<SwitchTable>]) -> Result<HashMap<&str, usize>, Fault> {
    let mut numbers = HashMap::new();
    for (number, switch) in switches.iter().enumerate() {
        let name = &switch.get_ref().name;
        if numbers.insert(name.get_ref().as_str(), number).is_some() {
            let name = (name.span(), name.get_ref());
            let what = format!(
                "two switches are called {:?}; give each a name of its own",
                name.1
            );
            return Err((name.0, what));
        }
    }
    Ok(numbers)
}

impl Link {
    fn trunk(&self, switches: &HashMap<&str, usize>) -> Result<Trunk, Fault> {
        let [a, b] = self.between.get_ref();
        let wrong = |what| Err((self.between.span(), what));
        if a == b {
            return wrong(format!(
                "a link joins {a} to {b}; join two different switches"
            ));
        }
        let find = |name: &String| switches.get(name.as_str()).copied();
        match (find(a), find(b)) {
            (Some(a), Some(b)) => Ok(Trunk {
                ends: [a, b],
                port: port(self.rate, &self.port_buffer, self.delay.as_ref()),
            }),
            (found, _) => {
                let name = if found.is_some() { b } else { a };
                wrong(format!(
                    "no switch is called {name:?}; write the names of two [[switch]]"
                ))
            }
        }
    }
}

impl TruthTable {
    fn check(self) -> Result<Truth, Fault> {
        let (gamma, noise) = (*self.gamma.get_ref(), *self.noise.get_ref());
        if !(gamma.is_finite() && gamma > 0.0) {
            let what = format!("gamma is {gamma}; write a number above 0, 1 is no contention");
            return Err((self.gamma.span(), what));
        }
        if !(0.0..1.0).contains(&noise) {
            let what = format!("noise is {noise}; write a number from 0 to below 1");
            return Err((self.noise.span(), what));
        }
        Ok(Truth {
            alpha: self.alpha,
            gamma,
            delta: self.delta,
            threshold: self.threshold,
            noise,
        })
    }
}
