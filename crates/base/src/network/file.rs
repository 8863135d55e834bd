//! TOML file of a network: its keys, and their checks on the way to a [`Network`].

mod tables;

use std::ops::Range;

use serde::Deserialize;
use strum::Display;
use toml::Spanned;

use super::{Edge, MOST_HOSTS, Network, NetworkError, Port};
use crate::text::file_error::{FileError, parse_toml};
use crate::units::{BitsPerSecond, Bytes, Seconds};
use tables::{
    Fault, Height, Link, SwitchTable, Text, TruthTable, Uplink, congestion_control, eager_limit, none_or, numbers,
};

const HINT: &str = "see FORMATS.md for the keys of a network";

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
                Network::two_switches(switches, self.port()?, uplink.port())
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
            eager_limit: self.eager_limit.as_ref().map(eager_limit).transpose()?,
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

    /// Value of a key that the topology needs; an error if the key is missing.
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

    /// Link of every host whose switch does not override it.
    fn port(&self) -> Result<Port, Fault> {
        let rate = self.need("rate", self.rate.as_ref())?;
        let Text(buffer) = *self.need("port_buffer", self.port_buffer.as_ref())?.get_ref();
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
        for table in &self.switch {
            let switch = table.get_ref().check(hosts, usual)?;
            hosts += switch.hosts.len();
            switches.push(switch);
        }
        let numbers = numbers(&self.switch)?;
        let trunk = |link: &Spanned<Link>| link.get_ref().trunk(&numbers);
        let trunks = self.link.iter().map(trunk).collect::<Result<_, _>>()?;
        Ok(Network::new(switches, trunks))
    }

    fn heights(&self) -> Result<Vec<Edge>, Fault> {
        self.need("[[height]]", self.height.first())?;
        Ok(self.height.iter().map(|height| height.get_ref().edge()).collect())
    }
}
