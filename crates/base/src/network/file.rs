//! TOML file of a network: its keys, and their checks on the way to a [`Network`].

mod tables;

use std::ops::Range;

use serde::Deserialize;
use strum::Display;
use toml::Spanned;

use super::{LinkSpec, MOST_HOSTS, Network, NetworkError, TreeEdge};
use crate::text::file_error::{FileError, parse_toml};
use crate::units::{BitsPerSecond, Bytes, Seconds};
use tables::{
    HeightTable, LinkTable, NetworkFault, QuantityText, SwitchTable, TrueSignatureTable, UplinkTable,
    congestion_control, delay_or_zero, eager_limit, switch_numbers,
};

const HINT: &str = "see FORMATS.md for the keys of a network";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
enum TopologyForm {
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
struct NetworkFile {
    topology: Spanned<TopologyForm>,
    #[serde(default)]
    description: String,
    hosts: Option<Spanned<u32>>,
    rate: Option<Spanned<BitsPerSecond>>,
    port_buffer: Option<Spanned<QuantityText<Bytes>>>,
    delay: Option<Spanned<QuantityText<Seconds>>>,
    congestion_control: Option<Spanned<String>>,
    eager_limit: Option<Spanned<QuantityText<Bytes>>>,
    latency: Option<QuantityText<Seconds>>,
    rto: Option<QuantityText<Seconds>>,
    uplink: Option<Spanned<UplinkTable>>,
    truth: Option<TrueSignatureTable>,
    #[serde(default)]
    switch: Vec<Spanned<SwitchTable>>,
    #[serde(default)]
    link: Vec<Spanned<LinkTable>>,
    #[serde(default)]
    height: Vec<Spanned<HeightTable>>,
}

pub(super) fn parse(name: &str, text: &str) -> Result<Network, FileError> {
    let file: NetworkFile = parse_toml(name, text, HINT)?;
    let network = file
        .check()
        .map_err(|(span, what)| FileError::at_offset(name, text, span.start, what))?;
    Ok(Network {
        name: name.to_owned(),
        ..network
    })
}

impl NetworkFile {
    fn check(self) -> Result<Network, NetworkFault> {
        self.refuse_other_keys()?;
        let built = match self.topology.get_ref() {
            TopologyForm::Star => Network::star(self.hosts()?, self.port()?),
            TopologyForm::Tree => {
                let uplink = self.require("[uplink]", self.uplink.as_ref())?.get_ref();
                let switches = uplink.hosts_of_switches(self.hosts()?)?;
                Network::two_switches(switches, self.port()?, uplink.link())
            }
            TopologyForm::Graph => self.graph()?,
            TopologyForm::BinaryTree => Network::binary_tree(self.heights()?),
        };
        let network = built.map_err(|error| (self.topology.span(), error.to_string()))?;
        let truth = self.truth.map(TrueSignatureTable::check).transpose()?;
        let latency = self.latency.map(|QuantityText(latency)| latency);
        Ok(Network {
            description: self.description,
            congestion_control: congestion_control(self.congestion_control)?,
            eager_limit: self.eager_limit.as_ref().map(eager_limit).transpose()?,
            latency: latency.or(truth.map(|truth| truth.alpha)),
            rto: self.rto.map(|QuantityText(rto)| rto),
            truth,
            ..network
        })
    }

    /// Refuses keys of another topology.
    fn refuse_other_keys(&self) -> Result<(), NetworkFault> {
        use TopologyForm::{BinaryTree, Graph, Star, Tree};
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
    fn require<'a, T>(&self, key: &str, value: Option<&'a T>) -> Result<&'a T, NetworkFault> {
        value.ok_or_else(|| {
            let form = self.topology.get_ref();
            let what = format!("a {form} needs {key}; add it, {HINT}");
            (self.topology.span(), what)
        })
    }

    fn hosts(&self) -> Result<u32, NetworkFault> {
        let hosts = self.require("hosts", self.hosts.as_ref())?;
        let count = *hosts.get_ref();
        if (2..=MOST_HOSTS).contains(&(count as usize)) {
            return Ok(count);
        }
        let what = format!("hosts is {count}; write a number from 2 to {MOST_HOSTS}");
        Err((hosts.span(), what))
    }

    /// Link of every host whose switch does not override it.
    fn port(&self) -> Result<LinkSpec, NetworkFault> {
        let rate = self.require("rate", self.rate.as_ref())?;
        let QuantityText(buffer) = *self.require("port_buffer", self.port_buffer.as_ref())?.get_ref();
        Ok(LinkSpec {
            rate: *rate.get_ref(),
            buffer,
            delay: delay_or_zero(self.delay.as_ref().map(Spanned::get_ref)),
        })
    }

    fn graph(&self) -> Result<Result<Network, NetworkError>, NetworkFault> {
        let default_link = self.port()?;
        self.require("[[switch]]", self.switch.first())?;
        let mut switches = Vec::new();
        let mut hosts = 0;
        for table in &self.switch {
            let switch = table.get_ref().check(hosts, default_link)?;
            hosts += switch.hosts.len();
            switches.push(switch);
        }
        let numbers = switch_numbers(&self.switch)?;
        let trunk = |link: &Spanned<LinkTable>| link.get_ref().trunk(&numbers);
        let trunks = self.link.iter().map(trunk).collect::<Result<_, _>>()?;
        Ok(Network::new(switches, trunks))
    }

    fn heights(&self) -> Result<Vec<TreeEdge>, NetworkFault> {
        self.require("[[height]]", self.height.first())?;
        Ok(self.height.iter().map(|height| height.get_ref().edge()).collect())
    }
}
