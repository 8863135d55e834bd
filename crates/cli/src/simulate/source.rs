//! A network model with everything that it takes from options, profile and network.

use std::sync::Arc;

use netsig_core::network::binary_tree::Parameters;
use netsig_core::sim::Time;
use netsig_core::sim::network::tcp;
use netsig_core::sim::setup::{NetworkModel, Shared, Timeouts};
use netsig_core::units::Procs;

use super::network::Network;
use super::options::{ModelChoice, NetworkOptions};
use super::ports::Known;
use super::settings::Settings;
use crate::failure::Failure;
use crate::input::files;

/// A network model with its parameters, for any number of ranks.
#[derive(Debug)]
pub struct Source {
    /// The model.
    pub choice: ModelChoice,
    /// Notes for the user on the origin of its parameters.
    pub notes: Vec<String>,
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
            profile: profile.transpose()?,
            network: network.as_ref(),
        };
        let choice = options.model.unwrap_or_else(|| known.usual_model());
        let settings = Settings::new(choice, &options.settings)?;
        options.check(choice)?;
        let mut notes = Vec::new();
        let on = |latency| {
            Ok::<_, Failure>(Shared {
                topology: Arc::clone(required(choice, network.as_ref())?.description.topology()),
                hosts: [].into(),
                latency: Time::of(latency),
            })
        };
        let model = match choice {
            ModelChoice::Loggp => NetworkModel::Endpoint(known.loggp(&settings, &mut notes)?),
            ModelChoice::Plogp => NetworkModel::Endpoint(known.plogp(&settings, &mut notes)?),
            ModelChoice::Plogpt => {
                let latency = known.latency(&settings)?;
                let network = &required(choice, network.as_ref())?.description;
                let edges = network.heights().unwrap_or_default().to_vec();
                NetworkModel::PlogPT(Timeouts {
                    network: network.clone(),
                    hosts: [].into(),
                    parameters: Parameters {
                        rto: known.rto(&settings),
                        negligible: options.negligible.unwrap_or_default(),
                        ..Parameters::new(edges, latency)
                    },
                    sharing: options.sharing.unwrap_or_default(),
                    mode: options.rto_mode.unwrap_or_default(),
                })
            }
            ModelChoice::Fluid => NetworkModel::Fluid(on(known.latency(&settings)?)?),
            ModelChoice::Tcp => NetworkModel::Tcp(
                on(known.latency(&settings)?)?,
                tcp::Options {
                    min_timeout: Time::of(known.rto(&settings)),
                    seed: options.seed.unwrap_or_default(),
                },
            ),
        };
        let source = Self {
            choice,
            notes,
            network,
            model,
        };
        source.refuse_unknown_shape()?;
        Ok(source)
    }

    /// Refuses a network that is no tree where the model wants one.
    fn refuse_unknown_shape(&self) -> Result<(), Failure> {
        let (NetworkModel::PlogPT(timeouts), Some(network)) = (&self.model, &self.network) else {
            return Ok(());
        };
        if network.description.heights().is_some() {
            return Ok(());
        }
        let refused =
            |error| Failure::usage(format!("{}: {error}; use another --model", network.name));
        timeouts.network().map(drop).map_err(refused)
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

/// The network of a model that needs one.
fn required(choice: ModelChoice, network: Option<&Network>) -> Result<&Network, Failure> {
    network.ok_or_else(|| {
        Failure::usage(format!(
            "{choice} is a model of switches and links; give it a --network"
        ))
    })
}
