//! Network models of a simulation, with their parameters.

use std::sync::Arc;

use netsig_base::network::{Network, Vertex};
use netsig_base::units::Procs;
use netsig_base::units::parameter::ParameterError;
use netsig_model::model::alltoall::plogpt::{Parameters, RtoMode};

use crate::network::endpoint::Ports;
use crate::network::plogpt::{Options, PlogPT, Sharing};
use crate::network::tcp;
use crate::outcome::EagerLimit;
use crate::time::Time;

/// A network model and the protocol of the MPI library on it.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The network model.
    pub model: NetworkModel,
    /// Shortest message that uses the rendezvous protocol; `None` if every message is eager.
    pub eager_limit: EagerLimit,
}

impl From<NetworkModel> for Setup {
    /// Without an eager limit.
    fn from(model: NetworkModel) -> Self {
        Self {
            model,
            eager_limit: None,
        }
    }
}

/// A network model with its parameters.
#[derive(Debug, Clone)]
pub enum NetworkModel {
    /// Ports of ranks, without shared links.
    Endpoint(Ports),
    /// Shared links of a tree, with retransmission timeouts.
    PlogPT(Timeouts),
    /// Links shared max–min fairly.
    Fluid(Shared),
    /// Fair sharing under TCP: ports overflow, and lost segments are sent again.
    Tcp(Shared, tcp::Options),
}

/// Ranks on the hosts of a network.
#[derive(Debug, Clone)]
pub struct Shared {
    /// The network.
    pub network: Arc<Network>,
    /// The host of each rank.
    pub hosts: Arc<[Vertex]>,
    /// Latency L.
    pub latency: Time,
}

/// Ranks on the hosts of a tree with retransmission timeouts.
#[derive(Debug, Clone)]
pub struct Timeouts {
    /// The network.
    pub network: Arc<Network>,
    /// The host of each rank.
    pub hosts: Arc<[Vertex]>,
    /// L, the timeout and the variants of the model.
    pub options: Options,
    /// The ranks that a timeout delays.
    pub mode: RtoMode,
}

impl Timeouts {
    /// Creates the network model of the engine.
    ///
    /// # Errors
    /// If the network is no tree, or a parameter is negative.
    pub fn medium(&self) -> Result<PlogPT, ParameterError> {
        PlogPT::new(Arc::clone(&self.network), self.hosts.to_vec(), &self.options)
    }

    /// Parameters of the binary tree whose leaves are the first `procs` hosts in order, if the
    /// ranks are on these hosts and links are shared as closed forms assume.
    pub(super) fn full_tree(&self, procs: Procs) -> Option<Parameters> {
        let heights = self.network.heights()?;
        let is_full = procs.get().is_power_of_two()
            && self.options.sharing == Sharing::Fixed
            && self.hosts.iter().map(|host| host.0).eq(0..procs.get());
        is_full.then(|| Parameters {
            edges: heights[..procs.floor_log2() as usize].to_vec(),
            latency: self.options.latency,
            rto: self.options.rto,
            negligible: self.options.negligible,
        })
    }
}
