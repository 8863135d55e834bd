//! Network models of a simulation, with their parameters.

use std::sync::Arc;

use netsig_base::network::{Network, Vertex};
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{Procs, SecondsPerByte};
use netsig_model::model::alltoall::plogpt::{PlogptParameters, RtoMode};

use crate::network::endpoint::PortParameters;
use crate::network::plogpt::{PlogptNetwork, PlogptOptions, PlogptSharing};
use crate::network::tcp;
use crate::outcome::SimEagerLimit;
use crate::time::Time;

/// A network model, the protocol of the MPI library on it, and the speed of reductions on its processors.
#[derive(Debug, Clone)]
pub struct SimSetup {
    /// The network model.
    pub model: NetworkModel,
    /// Shortest message that uses the rendezvous protocol; `None` if every message is eager.
    pub eager_limit: SimEagerLimit,
    /// ω: time in which a rank combines two blocks, for each byte of one of them.
    pub operation_time: SecondsPerByte,
}

impl From<NetworkModel> for SimSetup {
    /// Without an eager limit; combinations take no time.
    fn from(model: NetworkModel) -> Self {
        Self {
            model,
            eager_limit: None,
            operation_time: SecondsPerByte::default(),
        }
    }
}

/// A network model with its parameters.
#[derive(Debug, Clone)]
pub enum NetworkModel {
    /// Ports of ranks, without shared links.
    Endpoint(PortParameters),
    /// Shared links of a tree, with retransmission timeouts.
    PlogPT(RanksOnTree),
    /// Links shared max–min fairly.
    Fluid(RanksOnNetwork),
    /// Fair sharing under TCP: ports overflow, and lost segments are sent again.
    Tcp(RanksOnNetwork, tcp::TcpOptions),
}

/// Ranks on the hosts of a network.
#[derive(Debug, Clone)]
pub struct RanksOnNetwork {
    /// The network.
    pub network: Arc<Network>,
    /// The host of each rank.
    pub hosts: Arc<[Vertex]>,
    /// Latency L.
    pub latency: Time,
}

/// Ranks on the hosts of a tree with retransmission timeouts.
#[derive(Debug, Clone)]
pub struct RanksOnTree {
    /// The network.
    pub network: Arc<Network>,
    /// The host of each rank.
    pub hosts: Arc<[Vertex]>,
    /// L, the timeout and the variants of the model.
    pub options: PlogptOptions,
    /// The ranks that a timeout delays.
    pub mode: RtoMode,
}

impl RanksOnTree {
    /// Creates the network model of the engine.
    ///
    /// # Errors
    /// If the network is no tree, or a parameter is negative.
    pub fn medium(&self) -> Result<PlogptNetwork, ParameterError> {
        PlogptNetwork::new(Arc::clone(&self.network), self.hosts.to_vec(), &self.options)
    }

    /// Parameters of the binary tree whose leaves are the first `procs` hosts in order, if the
    /// ranks are on these hosts and links are shared as closed forms assume.
    pub(super) fn full_tree(&self, procs: Procs) -> Option<PlogptParameters> {
        let heights = self.network.heights()?;
        let is_full = procs.get().is_power_of_two()
            && self.options.sharing == PlogptSharing::Fixed
            && self.hosts.iter().map(|host| host.0).eq(0..procs.get());
        is_full.then(|| PlogptParameters {
            edges: heights[..procs.floor_log2() as usize].to_vec(),
            latency: self.options.latency,
            rto: self.options.rto,
            edge_rule: self.options.negligible,
        })
    }
}
