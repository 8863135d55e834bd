//! Finds the parameters of the endpoint models `LogGP` and pLogP in settings, a profile or a
//! network.

use netsig_base::network::named::PORT_BUFFER;
use netsig_base::network::{LINUX_RTO, LinkSpec, Network};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::table::SizeTable;
use netsig_base::units::{BitsPerSecond, Bytes, BytesPerSecond, Seconds, SecondsPerByte};
use netsig_model::model::message::loggp::LogGP;
use netsig_model::model::plogp::{PLogP, PLogPParameters};
use netsig_model::profile::Profile;

use crate::network::endpoint::PortParameters;

use super::model::SimModelKind;
use super::settings::{EAGER_LIMIT, GAP, GAP_PER_BYTE, LATENCY, OPERATION_TIME, OVERHEAD, RTO};

/// Sources of parameters.
#[derive(Debug, Clone, Copy)]
pub struct ParameterSources<'a> {
    /// The user's settings.
    pub settings: &'a [(String, f64)],
    /// A profile with its name.
    pub profile: Option<(&'a str, &'a Profile)>,
    /// The network.
    pub network: Option<&'a Network>,
}

/// Known values of L, o, g and G.
#[derive(Debug, Default)]
struct LoggpConstants {
    latency: Option<Seconds>,
    overhead: Seconds,
    gap: Seconds,
    gap_per_byte: Option<SecondsPerByte>,
}

impl ParameterSources<'_> {
    /// The default model for the given profile and network.
    pub fn default_model(&self) -> SimModelKind {
        match (self.profile, self.network) {
            (_, Some(network)) if network.heights().is_some() => SimModelKind::Plogpt,
            (_, Some(_)) => SimModelKind::Fluid,
            (Some((_, profile)), None) if profile.plogp.is_some() => SimModelKind::Plogp,
            (_, None) => SimModelKind::Loggp,
        }
    }

    /// L of a network model with links.
    ///
    /// # Errors
    /// If no source has L.
    pub fn latency(&self) -> Result<Seconds, Refusal> {
        let of_network = || self.network?.latency;
        let of_profile = || {
            let (_, profile) = self.profile?;
            let tables = profile.plogp.as_ref().map(PLogP::latency);
            Some(tables.unwrap_or(profile.hockney.model().alpha()))
        };
        let found = self.time(LATENCY).or_else(of_network).or_else(of_profile);
        self.required(LATENCY, found)
    }

    /// The smallest size of a rendezvous message, from the settings or the network.
    pub fn eager_limit(&self) -> Option<Bytes> {
        let of_network = || self.network?.eager_limit;
        self.setting(EAGER_LIMIT).map(Bytes::rounded).or_else(of_network)
    }

    /// ω, from the settings or the profile; 0 by default.
    pub fn operation_time(&self) -> SecondsPerByte {
        let of_profile = || self.profile.map(|(_, profile)| profile.operation());
        let set = self.setting(OPERATION_TIME).map(SecondsPerByte);
        set.or_else(of_profile).unwrap_or_default()
    }

    /// The retransmission time-out, from the settings or the network; Linux's by default.
    pub fn rto(&self) -> Seconds {
        let of_network = self.network.and_then(|network| network.rto);
        self.time(RTO).or(of_network).unwrap_or(LINUX_RTO)
    }

    /// The links of an assumed star of hosts, from the profile; `None` if a network is named.
    pub fn star(&self) -> Option<LinkSpec> {
        let (None, Some((_, profile))) = (self.network, self.profile) else {
            return None;
        };
        let beta = profile.hockney.model().beta().0;
        let rate = BitsPerSecond::from(BytesPerSecond(1.0 / beta));
        (beta > 0.0).then(|| LinkSpec::new(rate, PORT_BUFFER))
    }

    /// Describes the assumed star.
    pub fn note_on_star(&self, port: LinkSpec) -> String {
        let name = self.profile.map(|(name, _)| name);
        format!(
            "no --network: all ranks are on one switch with links of 1/beta of {}, {} Mbit/s, and {} of port buffer",
            name.expect("it tells beta"),
            port.rate.0 / 1_000_000,
            port.buffer
        )
    }

    /// The parameters of `LogGP`.
    ///
    /// # Errors
    /// If no source has L or G.
    pub fn loggp(&self) -> Result<PortParameters, Refusal> {
        let constants = self.constants()?;
        let model = LogGP::new(
            self.required(LATENCY, constants.latency)?,
            constants.overhead,
            constants.gap,
            self.required(GAP_PER_BYTE, constants.gap_per_byte)?,
        );
        model.map(PortParameters::LogGP).map_err(Refusal::request)
    }

    /// The parameters of pLogP: the tables of the profile, or a line for g(m).
    ///
    /// # Errors
    /// If the profile has no tables, or no source has L or G.
    pub fn plogp(&self) -> Result<PortParameters, Refusal> {
        let (latency, gap) = match self.profile {
            Some((name, profile)) => self.tables(name, profile)?,
            None => self.line()?,
        };
        let model = PLogP::new(PLogPParameters {
            latency,
            send_overhead: gap.clone(),
            receive_overhead: gap.clone(),
            gap,
        });
        model.map(PortParameters::PLogP).map_err(Refusal::request)
    }

    /// A note on the source of the endpoint parameters, if it is not obvious.
    pub fn note(&self) -> Option<String> {
        match (self.profile, self.network) {
            (Some((name, _)), Some(network)) => Some(format!(
                "the parameters of ports are those of {name}; the links of {} play no part",
                network.name
            )),
            (Some((name, profile)), None) if profile.plogp.is_none() => Some(format!(
                "{name} has no [plogp]: L and g are alpha, G is beta, and o = 0"
            )),
            (None, Some(network)) => Some(format!(
                "{}: G is the rate of the slowest host's link and o = g = 0 unless set; switches play no part",
                network.name
            )),
            _ => None,
        }
    }

    /// L and g(m) from a profile.
    fn tables(&self, name: &str, profile: &Profile) -> Result<(Seconds, SizeTable), Refusal> {
        let plogp = profile.plogp.as_ref().ok_or_else(|| {
            let problem = "has no [plogp]; name a profile with its tables, or use loggp";
            Refusal::data(problem).about(name)
        })?;
        if self.setting(GAP).or(self.setting(GAP_PER_BYTE)).is_some() {
            return Err(Refusal::request(format!(
                "its table states g(m); leave out --profile, or {GAP} and {GAP_PER_BYTE}"
            ))
            .about(name));
        }
        let latency = self.time(LATENCY).unwrap_or(plogp.latency());
        Ok((latency, plogp.tables()[0].clone()))
    }

    /// L, and g(m) as a line.
    fn line(&self) -> Result<(Seconds, SizeTable), Refusal> {
        const FAR: Bytes = Bytes(1 << 30);
        let constants = self.constants()?;
        let slope = self.required(GAP_PER_BYTE, constants.gap_per_byte)?;
        let start = constants.gap;
        let rows = vec![(Bytes(0), start), (FAR, start + slope * FAR)];
        let table = SizeTable::new("g", rows).map_err(Refusal::request)?;
        Ok((self.required(LATENCY, constants.latency)?, table))
    }

    /// L, o, g and G from the settings, otherwise from the profile or the network.
    fn constants(&self) -> Result<LoggpConstants, Refusal> {
        let known = match (self.profile, self.network) {
            (Some((name, profile)), _) => of_profile(profile).map_err(|error| Refusal::data(error).about(name))?,
            (None, Some(network)) => of_network(network),
            (None, None) => LoggpConstants::default(),
        };
        let gap_per_byte = self.setting(GAP_PER_BYTE).map(SecondsPerByte);
        Ok(LoggpConstants {
            latency: self.time(LATENCY).or(known.latency),
            overhead: self.time(OVERHEAD).unwrap_or(known.overhead),
            gap: self.time(GAP).unwrap_or(known.gap),
            gap_per_byte: gap_per_byte.or(known.gap_per_byte),
        })
    }

    /// The user's value of a parameter.
    fn setting(&self, name: &str) -> Option<f64> {
        let found = self.settings.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| *value)
    }

    /// The user's value of a parameter that is a time.
    fn time(&self, name: &str) -> Option<Seconds> {
        self.setting(name).map(Seconds)
    }

    /// Returns the value of a required parameter, or an error that names the possible sources.
    fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Refusal> {
        value.ok_or_else(|| {
            let whose = match (self.profile, self.network) {
                (Some((name, _)), _) => name.to_owned(),
                (None, Some(network)) => format!("the network {}", network.name),
                (None, None) => {
                    return Refusal::request(format!(
                        "{name} is not known; give it with --set, or a --profile or a --network"
                    ));
                }
            };
            Refusal::request(format!("{whose} does not state {name}; give it with --set"))
        })
    }
}

fn of_profile(profile: &Profile) -> Result<LoggpConstants, ParameterError> {
    let Some(plogp) = &profile.plogp else {
        // As start-ups do not overlap in Hockney's model, a port sends a message in each α + β·m.
        let model = profile.hockney.model();
        return Ok(LoggpConstants {
            latency: Some(model.alpha()),
            gap: model.alpha(),
            gap_per_byte: Some(model.beta()),
            ..LoggpConstants::default()
        });
    };
    let largest = plogp.tables()[0].rows().last().map(|(size, _)| *size);
    let model = LogGP::from_plogp(plogp, largest.unwrap_or_default())?;
    Ok(LoggpConstants {
        latency: Some(model.latency()),
        overhead: model.overhead(),
        gap: model.gap(),
        gap_per_byte: Some(model.gap_per_byte()),
    })
}

fn of_network(network: &Network) -> LoggpConstants {
    LoggpConstants {
        latency: network.latency,
        gap_per_byte: Some(network.host_gap()),
        ..LoggpConstants::default()
    }
}
