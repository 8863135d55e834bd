//! The parameters of ports, `LogGP` and pLogP, from settings, a profile or a network.

use std::path::Path;

use netsig_core::model::message::loggp::LogGP;
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::network::LINUX_RTO;
use netsig_core::profile::Profile;
use netsig_core::sim::network::endpoint::Ports;
use netsig_core::units::table::Table;
use netsig_core::units::{Bytes, Seconds, SecondsPerByte};

use super::network::Network;
use super::options::ModelChoice;
use super::settings::{GAP, GAP_PER_BYTE, LATENCY, OVERHEAD, RTO, Settings};
use crate::failure::Failure;

/// Where parameters come from that are not set.
#[derive(Debug)]
pub struct Known<'a> {
    /// A profile and its file.
    pub profile: Option<(&'a Path, Profile)>,
    /// The network.
    pub network: Option<&'a Network>,
}

/// L, o, g and G as far as they are known.
#[derive(Debug, Default)]
struct Constants {
    latency: Option<Seconds>,
    overhead: Seconds,
    gap: Seconds,
    gap_per_byte: Option<SecondsPerByte>,
}

impl Known<'_> {
    /// The model that suits what is known.
    pub fn usual_model(&self) -> ModelChoice {
        match (&self.profile, self.network) {
            (Some((_, profile)), _) if profile.plogp.is_some() => ModelChoice::Plogp,
            (Some(_), _) | (None, None) => ModelChoice::Loggp,
            (None, Some(network)) if network.description.heights().is_some() => ModelChoice::Plogpt,
            (None, Some(_)) => ModelChoice::Fluid,
        }
    }

    /// L of a network that is not ports alone.
    ///
    /// # Errors
    /// If nothing tells it.
    pub fn latency(&self, settings: &Settings) -> Result<Seconds, Failure> {
        let of_network = self.network.and_then(|network| network.description.latency);
        self.known(LATENCY, settings.time(LATENCY).or(of_network))
    }

    /// The retransmission timeout: that of Linux unless settings or the network tell another.
    pub fn rto(&self, settings: &Settings) -> Seconds {
        let of_network = self.network.and_then(|network| network.description.rto);
        settings.time(RTO).or(of_network).unwrap_or(LINUX_RTO)
    }

    /// `LogGP`.
    ///
    /// # Errors
    /// If nothing tells L or G.
    pub fn loggp(&self, settings: &Settings, notes: &mut Vec<String>) -> Result<Ports, Failure> {
        let constants = self.constants(settings, notes)?;
        let model = LogGP::new(
            self.known(LATENCY, constants.latency)?,
            constants.overhead,
            constants.gap,
            self.known(GAP_PER_BYTE, constants.gap_per_byte)?,
        );
        model.map(Ports::LogGP).map_err(Failure::usage)
    }

    /// pLogP: the tables of the profile, or a line.
    ///
    /// # Errors
    /// If the profile has no tables, or nothing tells L or what a byte takes.
    pub fn plogp(&self, settings: &Settings, notes: &mut Vec<String>) -> Result<Ports, Failure> {
        let Some((path, profile)) = &self.profile else {
            return self.plogp_of_line(settings, notes);
        };
        let plogp = profile.plogp.as_ref().ok_or_else(|| {
            Failure::data(format!(
                "{}: has no [plogp]; name a profile with its tables, or use loggp",
                path.display()
            ))
        })?;
        if settings.time(GAP).is_some() || settings.gap_per_byte().is_some() {
            return Err(Failure::usage(format!(
                "{}: its table tells g(m); leave out --profile, or {GAP} and {GAP_PER_BYTE}",
                path.display()
            )));
        }
        let latency = settings.time(LATENCY).unwrap_or(plogp.latency());
        plogp_of(latency, plogp.tables()[0].clone())
    }

    fn plogp_of_line(
        &self,
        settings: &Settings,
        notes: &mut Vec<String>,
    ) -> Result<Ports, Failure> {
        const FAR: Bytes = Bytes(1 << 30);
        let constants = self.constants(settings, notes)?;
        let slope = self.known(GAP_PER_BYTE, constants.gap_per_byte)?;
        let start = constants.gap;
        let rows = vec![(Bytes(0), start), (FAR, start + slope * FAR)];
        let table = Table::new("g", rows).map_err(Failure::usage)?;
        plogp_of(self.known(LATENCY, constants.latency)?, table)
    }

    /// What settings, or else profile or network, say of L, o, g and G.
    fn constants(
        &self,
        settings: &Settings,
        notes: &mut Vec<String>,
    ) -> Result<Constants, Failure> {
        let known = match (&self.profile, self.network) {
            (Some((path, profile)), _) => of_profile(path, profile, notes)?,
            (None, Some(network)) => of_network(network, notes),
            (None, None) => Constants::default(),
        };
        Ok(Constants {
            latency: settings.time(LATENCY).or(known.latency),
            overhead: settings.time(OVERHEAD).unwrap_or(known.overhead),
            gap: settings.time(GAP).unwrap_or(known.gap),
            gap_per_byte: settings.gap_per_byte().or(known.gap_per_byte),
        })
    }

    /// The value of a parameter, or else where it could come from.
    fn known<T>(&self, name: &str, value: Option<T>) -> Result<T, Failure> {
        value.ok_or_else(|| {
            let whose = match (&self.profile, self.network) {
                (Some((path, _)), _) => path.display().to_string(),
                (None, Some(network)) => network.name.clone(),
                (None, None) => {
                    return Failure::usage(format!(
                        "{name} is not known; give it with --set, or a --profile or a --network"
                    ));
                }
            };
            Failure::usage(format!("{whose}: does not tell {name}; give it with --set"))
        })
    }
}

fn plogp_of(latency: Seconds, gap: Table) -> Result<Ports, Failure> {
    let model = PLogP::new(Parameters {
        latency,
        send_overhead: gap.clone(),
        receive_overhead: gap.clone(),
        gap,
    });
    model.map(Ports::PLogP).map_err(Failure::usage)
}

fn of_profile(
    path: &Path,
    profile: &Profile,
    notes: &mut Vec<String>,
) -> Result<Constants, Failure> {
    let Some(plogp) = &profile.plogp else {
        let model = profile.hockney.model();
        notes.push(format!(
            "{} has no [plogp]: L is alpha, G is beta, and o = g = 0",
            path.display()
        ));
        return Ok(Constants {
            latency: Some(model.alpha()),
            gap_per_byte: Some(model.beta()),
            ..Constants::default()
        });
    };
    let largest = plogp.tables()[0].rows().last().map(|(size, _)| *size);
    let model = LogGP::from_plogp(plogp, largest.unwrap_or_default());
    let model = model.map_err(|error| Failure::data(format!("{}: {error}", path.display())))?;
    Ok(Constants {
        latency: Some(model.latency()),
        overhead: model.overhead(),
        gap: model.gap(),
        gap_per_byte: Some(model.gap_per_byte()),
    })
}

fn of_network(network: &Network, notes: &mut Vec<String>) -> Constants {
    let rate = network.description.host_rate();
    notes.push(format!(
        "{}: G is the rate of the hosts' links and o = g = 0 unless set; switches play no part",
        network.name
    ));
    Constants {
        latency: network.description.latency,
        gap_per_byte: rate.map(|rate| SecondsPerByte(1.0 / rate.0)),
        ..Constants::default()
    }
}
