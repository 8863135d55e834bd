//! A network model with everything that it takes from options, profile and network.

use std::sync::Arc;

use netsig_core::network::binary_tree::Parameters;
use netsig_core::sim::Time;
use netsig_core::sim::network::tcp;
use netsig_core::sim::setup::{NetworkModel, Shared, Timeouts};
use netsig_core::units::{Procs, Seconds};

use super::network::Network;
use super::options::{ModelChoice, NetworkOptions};
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
    network: Option<Network>,
    /// The network model, without the hosts of ranks.
    model: NetworkModel,
}

impl Source {
    /// Takes everything together.
    ///
    /// # Errors
    /// If a file or parameter cannot be used, or something that the model needs is missing.
    pub fn new(options: &NetworkOptions) -> Result<Self, Failure> {
        let network = Network::of(options)?;
        let profile = options.profile.as_deref();
        let profile = profile.map(|path| Ok::<_, Failure>((path, files::profile(path)?)));
        let known = Known {
            settings: &options.settings,
            profile: profile.transpose()?,
            network: network.as_ref(),
        };
        let choice = options.model.unwrap_or_else(|| known.usual_model());
        settings::check(choice, &options.settings)?;
        options.check(choice)?;
        let on_links = || {
            let latency = known.latency()?;
            let network = known.network.ok_or_else(|| {
                Failure::usage(format!(
                    "{choice} is a model of switches and links; give it a --network"
                ))
            })?;
            Ok::<_, Failure>((network, latency))
        };
        let shared = |(network, latency): (&Network, Seconds)| Shared {
            topology: Arc::clone(network.description.topology()),
            hosts: [].into(),
            latency: Time::of(latency),
        };
        let model = match choice {
            ModelChoice::Loggp => NetworkModel::Endpoint(known.loggp()?),
            ModelChoice::Plogp => NetworkModel::Endpoint(known.plogp()?),
            ModelChoice::Plogpt => {
                let (network, latency) = on_links()?;
                let heights = network.description.heights();
                let timeouts = Timeouts {
                    network: network.description.clone(),
                    hosts: [].into(),
                    parameters: Parameters {
                        rto: known.rto(),
                        negligible: options.negligible.unwrap_or_default(),
                        ..Parameters::new(heights.unwrap_or_default().to_vec(), latency)
                    },
                    sharing: options.sharing.unwrap_or_default(),
                    mode: options.rto_mode.unwrap_or_default(),
                };
                if heights.is_none()
                    && let Err(error) = timeouts.network()
                {
                    let name = &network.name;
                    return Err(Failure::usage(format!(
                        "{name}: {error}; use another --model"
                    )));
                }
                NetworkModel::PlogPT(timeouts)
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
            note: known
                .note()
                .filter(|_| matches!(model, NetworkModel::Endpoint(_))),
            network,
            model,
        })
    }

    /// The name of the network in rows, if there is one.
    pub fn network_name(&self) -> Option<&str> {
        self.network.as_ref().map(|network| network.name.as_str())
    }

    /// The model and the network: `fluid on tree-2x6x40`.
    pub fn title(&self) -> String {
        let model = self.choice;
        match self.network_name() {
            Some(network) => format!("{model} on {network}"),
            None => model.to_string(),
        }
    }

    /// The model for `procs` ranks.
    ///
    /// # Errors
    /// If the network has no place for them, or is none that the model knows.
    pub fn model(&self, procs: Procs) -> Result<NetworkModel, Failure> {
        let mut model = self.model.clone();
        let Some(network) = &self.network else {
            return Ok(model);
        };
        let hosts = network.place(procs)?;
        match &mut model {
            NetworkModel::Endpoint(_) => {}
            NetworkModel::Fluid(shared) | NetworkModel::Tcp(shared, _) => shared.hosts = hosts,
            NetworkModel::PlogPT(timeouts) => timeouts.hosts = hosts,
        }
        Ok(model)
    }
}
