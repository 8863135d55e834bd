//! A platform of `SimGrid` for its MPI, SMPI: the network of a profile as XML, with the settings
//! that `smpirun -platform FILE` would need on its command line.
//!
//! # Formula
//! SMPI simulates an undisturbed message of m bytes with the time
//! `os + latency·lat_factor(w) + w / (bandwidth·bw_factor(w)) + or`, where w = m + 16 has SMPI's
//! envelope; the overheads are for eager messages only. The platform gives the profile's L + g(m)
//! (α + β·m without tables) this form:
//!
//! * every host has a link in each direction; its gap per byte G is the smaller of β and g(M)/M at the
//!   largest size M of the table; two links have the latency of the first piece;
//! * os and or are os(1) and or(1) of the profile, and their sum is taken off the latency below the
//!   eager limit;
//! * each linear piece a + b·w of the rest is a latency factor a/latency and a bandwidth factor G/b,
//!   see `pieces.rs`.
//!
//! # Domain
//! Bandwidth factors are at most 1: SMPI does not move a single message faster than its links, so a
//! message that the profile puts below G·m takes G·m. Losses and their stalls (200 ms with TCP of
//! Linux) have no counterpart in `SimGrid`. Links between switches carry the same share of their
//! rate as the hosts' links, at least [`LEAST_SHARE`]. One process per host.
//!
//! # Source
//! `SimGrid`'s reference of configuration and platforms; the names `smpi/lat-factor` and
//! `smpi/bw-factor` hold in 3.32, and later versions accept them for `network/latency-factor` and
//! `network/bandwidth-factor`, which 3.32 does not take by size.

mod pieces;
mod topology;
mod xml;

use netsig_base::network::Network;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

use crate::model::plogp::PLogP;
use crate::profile::Profile;
use crate::tune::exported_facts;
use pieces::PiecewiseTime;

/// Size from which SMPI synchronises sender and receiver by default.
const SMPI_LIMIT: Bytes = Bytes(65_536);

/// Speed of the simulated hosts and of the simulating one: computation takes the time that it takes
/// on the simulating machine.
const SPEED: &str = "1Gf";

/// Most switches with hosts: the platform lists a route for each pair.
pub const MOST_SWITCHES: usize = 256;

/// Least share of a link's rate that headers leave for messages; a slower host has another limit.
pub const LEAST_SHARE: f64 = 0.9;

/// Hosts and switches of a platform.
#[derive(Debug, Clone, Copy)]
pub enum PlatformTopology<'a> {
    /// So many hosts on one switch.
    Star(Procs),
    /// The hosts and links of a description.
    Described(&'a Network),
}

impl<'a> PlatformTopology<'a> {
    /// The described network, else so many hosts on one switch.
    ///
    /// # Errors
    /// If neither is given.
    pub fn of(network: Option<&'a Network>, hosts: Option<Procs>) -> Result<Self, Refusal> {
        match (network, hosts) {
            (Some(network), _) => Ok(Self::Described(network)),
            (None, Some(hosts)) => Ok(Self::Star(hosts)),
            (None, None) => Err(Refusal::request(
                "a platform has hosts: give their number with --procs, or the network with --network",
            )),
        }
    }
}

/// Reason why a profile or network has no platform; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// A gap per byte of 0 has no bandwidth.
    #[error("the profile has a gap per byte of 0, so no bandwidth; fit data with larger messages")]
    NoBandwidth,
    /// Too many pairs of switches for a list of routes.
    #[error(
        "network {name} has hosts on {count} switches, and a platform lists the routes of at most \
         {MOST_SWITCHES}; describe a part of it"
    )]
    TooManySwitches {
        /// Name of the network.
        name: String,
        /// Number of switches with hosts.
        count: usize,
    },
}

/// Parameters of the platform's links and of SMPI.
struct PlatformParameters {
    /// Latency between two hosts of a switch.
    latency: Seconds,
    /// G, the gap per byte of a host's link.
    gap: SecondsPerByte,
    /// Overheads of eager messages: sender, receiver.
    overheads: [Seconds; 2],
    /// Size from which messages are not eager, if known.
    limit: Option<Bytes>,
    pieces: PiecewiseTime,
}

/// The platform as XML; `name` is the name of the profile's file.
///
/// # Errors
/// If the gap per byte is 0, or the network has hosts on too many switches.
pub fn platform(profile: &Profile, name: &str, topology: PlatformTopology<'_>) -> Result<String, PlatformError> {
    let described = match topology {
        PlatformTopology::Star(_) => None,
        PlatformTopology::Described(network) => Some(network),
    };
    let parameters = PlatformParameters::of(profile, described)?;
    let mut lines = exported_facts::lines(profile, name);
    lines.extend(parameters.notes());
    let body = match topology {
        PlatformTopology::Star(hosts) => topology::star(&parameters, hosts),
        PlatformTopology::Described(network) => topology::zones(&parameters, network)?,
    };
    Ok(xml::document(&lines, &parameters.settings(), &body))
}

impl PlatformParameters {
    fn of(profile: &Profile, network: Option<&Network>) -> Result<Self, PlatformError> {
        let known = profile.network();
        let gap = gap(known.hockney.beta(), profile.plogp.as_ref());
        if gap.0 <= 0.0 {
            return Err(PlatformError::NoBandwidth);
        }
        let limit = exported_facts::eager_limit(profile).or_else(|| network?.eager_limit);
        let overheads = overheads(profile.plogp.as_ref());
        let end = limit.unwrap_or(SMPI_LIMIT);
        let both = overheads[0] + overheads[1];
        let wire = |size: Bytes| {
            let taken = if size < end { both.0 } else { 0.0 };
            known.plogp.message(size).0 - taken
        };
        let rows = known.plogp.tables()[0].rows().iter();
        let last_eager = (both.0 > 0.0).then(|| Bytes(end.0.saturating_sub(1)));
        let ends = rows.map(|(size, _)| *size).chain(last_eager);
        let pieces = PiecewiseTime::of(wire, ends, gap);
        Ok(Self {
            latency: pieces.base_latency(),
            gap,
            overheads,
            limit,
            pieces,
        })
    }

    /// Bandwidth of a host's link in bytes per second.
    fn bandwidth(&self) -> f64 {
        1.0 / self.gap.0
    }

    /// The settings, by name.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let [send, receive] = self.overheads.map(|time| self.overhead(time));
        let mut settings = vec![
            ("smpi/lat-factor", self.pieces.latency_factors(self.latency)),
            ("smpi/bw-factor", self.pieces.bandwidth_factors(self.gap)),
            ("network/TCP-gamma", "0".to_owned()),
            ("smpi/os", send.clone()),
            ("smpi/ois", send),
            ("smpi/or", receive),
            ("smpi/host-speed", SPEED.to_owned()),
        ];
        if let Some(Bytes(limit)) = self.limit {
            let limit = limit.min(i32::MAX as u64).to_string();
            settings.push(("smpi/async-small-thresh", limit.clone()));
            settings.push(("smpi/send-is-detached-thresh", limit));
        }
        settings
    }

    /// An overhead by size, `size:startup:per_byte;…`: the start-up up to the last eager size.
    fn overhead(&self, time: Seconds) -> String {
        if time.0 == 0.0 {
            return "0:0:0".to_owned();
        }
        let last = self.limit.unwrap_or(SMPI_LIMIT).0.saturating_sub(1);
        format!("0:{}:0;{last}:0:0", xml::number(time.0))
    }

    /// Notes on the values, one line each.
    fn notes(&self) -> Vec<String> {
        let limit = match self.limit {
            Some(Bytes(limit)) => format!("Messages of {limit} bytes and more are not eager."),
            None => "The eager limit is not known; SMPI's own holds.".to_owned(),
        };
        let overheads = if self.overheads == [Seconds(0.0); 2] {
            "The overheads of the processors are within the latency."
        } else {
            "Overheads of eager messages: os and or of one byte, taken off the latency."
        };
        vec![
            self.pieces.accuracy(),
            limit,
            overheads.to_owned(),
            "Not carried over: lost packets and their stalls (200 ms with TCP of Linux), \
             and every other loss by contention beyond fair shares of the links."
                .to_owned(),
            "One process per host; without a host file, smpirun takes the hosts in the order of their \
             names."
                .to_owned(),
            "Collectives run the algorithms of SMPI; its option smpi/coll-selector takes those of \
             ompi or mpich."
                .to_owned(),
        ]
    }
}

/// The smaller of β and g(M)/M at the largest size M of the table.
fn gap(beta: SecondsPerByte, tables: Option<&PLogP>) -> SecondsPerByte {
    let largest = tables.and_then(|tables| tables.tables()[0].rows().last());
    let gaps = largest.filter(|(size, _)| size.0 > 0);
    let of_table = gaps.map(|(size, gap)| gap.0 / size.as_f64());
    SecondsPerByte(of_table.map_or(beta.0, |gap| gap.min(beta.0)))
}

/// os(1) and or(1); zero without tables, and if the two exceed the time of the message.
fn overheads(tables: Option<&PLogP>) -> [Seconds; 2] {
    const BYTE: Bytes = Bytes(1);
    let known = tables.map(|tables| ([tables.os(BYTE), tables.or(BYTE)], tables.message(Bytes(0))));
    match known {
        Some((overheads, whole)) if overheads[0] + overheads[1] < whole => overheads,
        _ => [Seconds(0.0); 2],
    }
}

#[cfg(test)]
mod tests;
