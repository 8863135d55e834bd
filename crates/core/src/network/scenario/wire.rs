//! What a scenario file may say, and the checks between that and a [`Scenario`].

use serde::Deserialize;
use toml::Spanned;

use super::{BitsPerSecond, Bytes, MOST_HOSTS, Procs, SMALLEST_BURST, Seconds};
use super::{Scenario, Truth, Uplink};
use crate::network::{Fault, Text};
use crate::text::file_error::{FileError, parse_toml};
use crate::units;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Star,
    Tree,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    description: String,
    topology: Spanned<Shape>,
    hosts: Spanned<u32>,
    rate: BitsPerSecond,
    port_buffer: Spanned<Text<Bytes>>,
    congestion_control: Spanned<String>,
    uplink: Option<Spanned<UplinkTable>>,
    truth: Option<TruthTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UplinkTable {
    rate: BitsPerSecond,
    port_buffer: Spanned<Text<Bytes>>,
    first_switch_hosts: Option<Spanned<u32>>,
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

pub(super) fn parse(name: &str, text: &str) -> Result<Scenario, FileError> {
    let file: File = parse_toml(name, text, "see scenarios/ for examples")?;
    file.check(name)
        .map_err(|(span, what)| FileError::at_offset(name, text, span.start, what))
}

impl File {
    fn check(self, name: &str) -> Result<Scenario, Fault> {
        let hosts = host_count(&self.hosts)?;
        Ok(Scenario {
            name: name.to_owned(),
            description: self.description,
            hosts,
            rate: self.rate,
            port_buffer: buffer(&self.port_buffer)?,
            congestion_control: control_name(&self.congestion_control)?,
            uplink: uplink(&self.topology, self.uplink, hosts)?,
            truth: self.truth.map(TruthTable::check).transpose()?,
        })
    }
}

fn host_count(hosts: &Spanned<u32>) -> Result<Procs, Fault> {
    let count = *hosts.get_ref();
    Procs::new(count)
        .ok()
        .filter(|_| (2..=MOST_HOSTS).contains(&count))
        .ok_or_else(|| {
            (
                hosts.span(),
                format!("hosts is {count}; write a number from 2 to {MOST_HOSTS}"),
            )
        })
}

fn buffer(size: &Spanned<Text<Bytes>>) -> Result<Bytes, Fault> {
    let Text(bytes) = *size.get_ref();
    if bytes < Bytes(SMALLEST_BURST) {
        let what = format!(
            "port_buffer of {bytes} is less than one burst, so nothing would pass; write \
             {SMALLEST_BURST} bytes or more"
        );
        return Err((size.span(), what));
    }
    Ok(bytes)
}

fn control_name(name: &Spanned<String>) -> Result<String, Fault> {
    let text = name.get_ref();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if text.is_empty() || !text.chars().all(plain) {
        let what = format!(
            "congestion_control {text:?} is not a name of one; write \"reno\", \"cubic\" or \
             another in lower case"
        );
        return Err((name.span(), what));
    }
    Ok(text.clone())
}

fn uplink(
    shape: &Spanned<Shape>,
    table: Option<Spanned<UplinkTable>>,
    hosts: Procs,
) -> Result<Option<Uplink>, Fault> {
    match (shape.get_ref(), table) {
        (Shape::Star, None) => Ok(None),
        (Shape::Tree, Some(table)) => table.into_inner().check(hosts).map(Some),
        (Shape::Star, Some(table)) => Err((
            table.span(),
            "a star has no uplink; remove [uplink] or write topology = \"tree\"".to_owned(),
        )),
        (Shape::Tree, None) => Err((
            shape.span(),
            "a tree needs an uplink; add [uplink] with rate and port_buffer".to_owned(),
        )),
    }
}

impl UplinkTable {
    fn check(self, hosts: Procs) -> Result<Uplink, Fault> {
        let first_switch_hosts = match self.first_switch_hosts {
            None => hosts.get() / 2,
            Some(first) if (1..hosts.get()).contains(first.get_ref()) => first.into_inner(),
            Some(first) => {
                let most = hosts.get() - 1;
                let what = format!(
                    "first_switch_hosts is {}; write a number from 1 to {most}, so that both \
                     switches have hosts",
                    first.get_ref()
                );
                return Err((first.span(), what));
            }
        };
        let port_buffer = buffer(&self.port_buffer)?;
        Ok(Uplink {
            rate: self.rate,
            port_buffer,
            first_switch_hosts,
        })
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
