//! The tables of a network's file: switches, links, the truth.

use std::collections::HashMap;
use std::ops::Range;
use std::str::FromStr;

use itertools::Itertools;
use serde::Deserialize;
use toml::Spanned;

use crate::network::hosts;
use crate::network::{DEFAULT_CONGESTION_CONTROL, LinkSpec, MOST_HOSTS, Switch, TreeEdge, TrueSignature, Trunk};
use crate::units::{self, BitsPerSecond, Bytes, ParseQuantityError, Seconds};

/// A fault and its place in the text.
pub(super) type NetworkFault = (Range<usize>, String);

/// A quantity, written as text with its unit in the file.
#[derive(Deserialize)]
#[serde(transparent, bound = "T: FromStr<Err = ParseQuantityError>")]
pub(super) struct QuantityText<T>(#[serde(deserialize_with = "units::from_text")] pub(super) T);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UplinkTable {
    rate: BitsPerSecond,
    port_buffer: QuantityText<Bytes>,
    delay: Option<QuantityText<Seconds>>,
    first_switch_hosts: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchTable {
    name: Spanned<String>,
    hosts: Option<Spanned<SwitchHostsEntry>>,
    rate: Option<BitsPerSecond>,
    port_buffer: Option<QuantityText<Bytes>>,
    delay: Option<QuantityText<Seconds>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "names such as \"n[0-15]\" or a number of hosts")]
enum SwitchHostsEntry {
    Count(usize),
    Names(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkTable {
    between: Spanned<[String; 2]>,
    rate: BitsPerSecond,
    port_buffer: QuantityText<Bytes>,
    delay: Option<QuantityText<Seconds>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeightTable {
    rate: BitsPerSecond,
    delay: Option<QuantityText<Seconds>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrueSignatureTable {
    #[serde(deserialize_with = "units::from_text")]
    alpha: Seconds,
    gamma: Spanned<f64>,
    #[serde(deserialize_with = "units::from_text")]
    delta: Seconds,
    #[serde(deserialize_with = "units::from_text")]
    threshold: Bytes,
    noise: Spanned<f64>,
}

/// The delay, 0 by default.
pub(super) fn delay_or_zero(delay: Option<&QuantityText<Seconds>>) -> Seconds {
    delay.map_or(Seconds(0.0), |QuantityText(delay)| *delay)
}

fn link_spec(rate: BitsPerSecond, buffer: &QuantityText<Bytes>, delay: Option<&QuantityText<Seconds>>) -> LinkSpec {
    LinkSpec {
        rate,
        buffer: buffer.0,
        delay: delay_or_zero(delay),
    }
}

pub(super) fn congestion_control(name: Option<Spanned<String>>) -> Result<String, NetworkFault> {
    let Some(name) = name else {
        return Ok(DEFAULT_CONGESTION_CONTROL.to_owned());
    };
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let text = name.get_ref();
    if text.is_empty() || !text.chars().all(is_plain) {
        let what = format!(
            "congestion_control {text:?} is not a name of one; write \"reno\", \"cubic\" or \
             another in lower case"
        );
        return Err((name.span(), what));
    }
    Ok(name.into_inner())
}

pub(super) fn eager_limit(limit: &Spanned<QuantityText<Bytes>>) -> Result<Bytes, NetworkFault> {
    match *limit.get_ref() {
        QuantityText(Bytes(0)) => {
            let what = "eager_limit is 0; write the first size that is not sent at once";
            Err((limit.span(), what.to_owned()))
        }
        QuantityText(size) => Ok(size),
    }
}

impl UplinkTable {
    /// The link between the two switches.
    pub(super) fn link(&self) -> LinkSpec {
        link_spec(self.rate, &self.port_buffer, self.delay.as_ref())
    }

    pub(super) fn hosts_of_switches(&self, hosts: u32) -> Result<[u32; 2], NetworkFault> {
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
    /// Converts to a switch that follows `before` hosts of others; `default_link` holds the defaults of its links.
    pub(super) fn check(&self, before: usize, default_link: LinkSpec) -> Result<Switch, NetworkFault> {
        let buffer = self.port_buffer.as_ref();
        let delay = self.delay.as_ref();
        Ok(Switch {
            name: self.name.get_ref().clone(),
            hosts: self.hosts(before)?,
            host_link: LinkSpec {
                rate: self.rate.unwrap_or(default_link.rate),
                buffer: buffer.map_or(default_link.buffer, |QuantityText(given)| *given),
                delay: delay.map_or(default_link.delay, |QuantityText(given)| *given),
            },
        })
    }

    /// Names of its hosts, which follow `before` others: the listed names, or the switch's name
    /// with numbers.
    fn hosts(&self, before: usize) -> Result<Vec<String>, NetworkFault> {
        let Some(hosts) = &self.hosts else {
            return Ok(Vec::new());
        };
        let wrong = |what: String| (hosts.span(), what);
        let names = match hosts.get_ref() {
            SwitchHostsEntry::Count(0) => {
                let what = "0 hosts; write 1 or more, or leave it out";
                return Err(wrong(what.to_owned()));
            }
            SwitchHostsEntry::Count(count) => {
                let numbers = 0..(*count).min(MOST_HOSTS + 1);
                let switch = self.name.get_ref();
                numbers.map(|number| format!("{switch}-{number}")).collect()
            }
            SwitchHostsEntry::Names(expression) => {
                let expanded = hosts::expand(expression);
                let found = expanded.map_err(|error| wrong(error.to_string()))?;
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

/// Number of each switch, by name; refuses two switches with one name.
pub(super) fn switch_numbers(switches: &[Spanned<SwitchTable>]) -> Result<HashMap<&str, usize>, NetworkFault> {
    let mut number_by_name = HashMap::new();
    for (number, switch) in switches.iter().enumerate() {
        let name = &switch.get_ref().name;
        if number_by_name.insert(name.get_ref().as_str(), number).is_some() {
            let name = (name.span(), name.get_ref());
            let what = format!("two switches are called {:?}; give each a name of its own", name.1);
            return Err((name.0, what));
        }
    }
    Ok(number_by_name)
}

impl LinkTable {
    pub(super) fn trunk(&self, switches: &HashMap<&str, usize>) -> Result<Trunk, NetworkFault> {
        let [a, b] = self.between.get_ref();
        let wrong = |what| Err((self.between.span(), what));
        if a == b {
            return wrong(format!("a link joins {a} to {b}; join two different switches"));
        }
        let find = |name: &String| switches.get(name.as_str()).copied();
        match (find(a), find(b)) {
            (Some(a), Some(b)) => Ok(Trunk {
                ends: [a, b],
                link: link_spec(self.rate, &self.port_buffer, self.delay.as_ref()),
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

impl HeightTable {
    pub(super) fn edge(&self) -> TreeEdge {
        TreeEdge {
            bandwidth: self.rate.into(),
            delay: delay_or_zero(self.delay.as_ref()),
        }
    }
}

impl TrueSignatureTable {
    pub(super) fn check(self) -> Result<TrueSignature, NetworkFault> {
        let (gamma, noise) = (*self.gamma.get_ref(), *self.noise.get_ref());
        if !(gamma.is_finite() && gamma > 0.0) {
            let what = format!("gamma is {gamma}; write a number above 0, 1 is no contention");
            return Err((self.gamma.span(), what));
        }
        if !(0.0..1.0).contains(&noise) {
            let what = format!("noise is {noise}; write a number from 0 to below 1");
            return Err((self.noise.span(), what));
        }
        Ok(TrueSignature {
            alpha: self.alpha,
            gamma,
            delta: self.delta,
            threshold: self.threshold,
            noise,
        })
    }
}
