//! A network model with its parameters from options, profile and network.

use std::sync::Arc;

use netsig_core::network::Network;
use netsig_core::sim::Time;
use netsig_core::sim::network::{plogpt, tcp};
use netsig_core::sim::setup::{NetworkModel, Setup, Shared, Timeouts};
use netsig_core::units::{Procs, Seconds};

use super::options::{ModelChoice, NetworkOptions};
use super::placement::Placement;
use super::ports::Known;
use super::settings;
use crate::input::failure::Failure;
use crate::input::files;

/// A network model with its parameters, for any number of ranks.
#[derive(Debug)]
pub struct Source {
    /// The model.
    pub choice: ModelChoice,
    /// A note for the user on the origin of its parameters.
    pub note: Option<String>,
    hosts: Option<Placement>,
    /// The network model, without the hosts of the ranks.
    setup: Setup,
}

impl Source {
    /// Combines options, profile and network.
    ///
    /// # Errors
    /// If a file or parameter cannot be used, or the model lacks a parameter.
    pub fn new(options: &NetworkOptions) -> Result<Self, Failure> {
        let named = Placement::of(options)?;
        let profile = options.profile.as_deref();
        let profile = profile.map(|path| Ok::<_, Failure>((path, files::profile(path)?)));
        let known = Known {
            settings: &options.settings,
            profile: profile.transpose()?,
            network: named.as_ref().map(|hosts| &*hosts.network),
        };
        let choice = options.model.unwrap_or_else(|| known.usual_model());
        settings::check(choice, &options.settings)?;
        options.check(choice)?;
        let star = match choice {
            ModelChoice::Loggp | ModelChoice::Plogp => None,
            ModelChoice::Plogpt | ModelChoice::Fluid | ModelChoice::Tcp => known.star(),
        };
        let assumed = star.map(Placement::star).transpose()?;
        let hosts = named.as_ref().or(assumed.as_ref());
        let on_links = || {
            let latency = known.latency()?;
            let hosts = hosts.ok_or_else(|| {
                Failure::usage(format!(
                    "{choice} is a model of switches and links; give it a --network, or a --profile for hosts on one switch"
                ))
            })?;
            Ok::<_, Failure>((Arc::clone(&hosts.network), latency))
        };
        let shared = |(network, latency): (Arc<Network>, Seconds)| Shared {
            network,
            hosts: [].into(),
            latency: Time::of(latency),
        };
        let model = match choice {
            ModelChoice::Loggp => NetworkModel::Endpoint(known.loggp()?),
            ModelChoice::Plogp => NetworkModel::Endpoint(known.plogp()?),
            ModelChoice::Plogpt => {
                let (network, latency) = on_links()?;
                if !network.is_tree() {
                    return Err(Failure::usage(format!(
                        "{}: its switches are joined in a circle, and plogpt is a model of trees; use another --model",
                        network.name
                    )));
                }
                NetworkModel::PlogPT(Timeouts {
                    network,
                    hosts: [].into(),
                    options: plogpt::Options {
                        latency,
                        rto: known.rto(),
                        negligible: options.negligible.unwrap_or_default(),
                        sharing: options.sharing.unwrap_or_default(),
                    },
                    mode: options.rto_mode.unwrap_or_default(),
                })
            }
            ModelChoice::Fluid => NetworkModel::Fluid(shared(on_links()?)),
            ModelChoice::Tcp => NetworkModel::Tcp(
                shared(on_links()?),
                tcp::Options {
                    min_timeout: Time::of(known.rto()),
                    seed: options.seed.unwrap_or_default(),
                },
            ),
        };
        Ok(Self {
            choice,
            note: match &model {
                NetworkModel::Endpoint(_) => known.note(),
                _ => star.map(|port| known.note_on_star(port)),
            },
            setup: Setup {
                eager_limit: known.eager_limit(),
                model,
            },
            hosts: named.or(assumed),
        })
    }

    /// The name of the network in rows, if any.
    pub fn network_name(&self) -> Option<&str> {
        self.hosts.as_ref().map(|hosts| hosts.network.name.as_str())
    }

    /// The model and the network in words: `fluid on tree-2x6x40`.
    pub fn title(&self) -> String {
        let model = self.choice;
        match self.network_name() {
            Some(network) => format!("{model} on {network}"),
            None => model.to_string(),
        }
    }

    /// The model for `procs` ranks, and the protocol.
    ///
    /// # Errors
    /// If the network has too few hosts.
    pub fn setup(&self, procs: Procs) -> Result<Setup, Failure> {
        let mut setup = self.setup.clone();
        let Some(hosts) = &self.hosts else {
            return Ok(setup);
        };
        let (network, hosts) = hosts.place(procs)?;
        match &mut setup.model {
            NetworkModel::Endpoint(_) => {}
            NetworkModel::Fluid(shared) | NetworkModel::Tcp(shared, _) => {
                (shared.network, shared.hosts) = (network, hosts);
            }
            NetworkModel::PlogPT(timeouts) => {
                (timeouts.network, timeouts.hosts) = (network, hosts);
            }
        }
        Ok(setup)
    }
}
