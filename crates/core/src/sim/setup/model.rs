//! The network models that a simulation can have, with what they are made of.

use std::sync::Arc;

use crate::model::alltoall::plogpt::RtoMode;
use crate::network::binary_tree::Parameters;
use crate::network::description::Description;
use crate::network::topology::{Topology, Vertex};
use crate::sim::network::endpoint::Ports;
use crate::sim::network::plogpt::{PlogPT, Sharing};
use crate::sim::network::tcp;
use crate::sim::time::Time;
use crate::units::Procs;
use crate::units::parameter::ParameterError;

/// A network model with its parameters.
#[derive(Debug, Clone)]
pub enum NetworkModel {
    /// Ports alone.
    Endpoint(Ports),
    /// Links of a tree that are shared, and timeouts.
    PlogPT(Timeouts),
    /// Links that are shared fairly.
    Fluid(Shared),
    /// The same under TCP, where ports overflow and losses are made up for.
    Tcp(Shared, tcp::Options),
}

/// Ranks on the hosts of a network.
#[derive(Debug, Clone)]
pub struct Shared {
    /// The network.
    pub topology: Arc<Topology>,
    /// The host of each rank.
    pub hosts: Arc<[Vertex]>,
    /// L.
    pub latency: Time,
}

/// Ranks on the hosts of a tree, where lost packets cost timeouts.
#[derive(Debug, Clone)]
pub struct Timeouts {
    /// The network.
    pub network: Description,
    /// The host of each rank.
    pub hosts: Arc<[Vertex]>,
    /// L and the timeout; the edges by height are those of the network, if it has heights.
    pub parameters: Parameters,
    /// Who shares a link.
    pub sharing: Sharing,
    /// Whom a timeout delays.
    pub mode: RtoMode,
}

impl Timeouts {
    /// The network of the engine.
    ///
    /// # Errors
    /// If the network is no tree, or a parameter is negative.
    pub fn network(&self) -> Result<PlogPT, ParameterError> {
        let topology = Arc::clone(self.network.topology());
        PlogPT::new(
            topology,
            self.hosts.to_vec(),
            &self.parameters,
            self.sharing,
        )
    }

    /// The parameters of the binary tree whose leaves are the first `procs` hosts in order,
    /// if that is where the ranks are, and if links are shared as closed forms assume.
    pub(super) fn full_tree(&self, procs: Procs) -> Option<Parameters> {
        let heights = self.network.heights()?;
        let is_full = procs.get().is_power_of_two()
            && self.sharing == Sharing::Fixed
            && self.parameters.edges == heights
            && self.hosts.iter().map(|host| host.0).eq(0..procs.get());
        is_full.then(|| {
            let mut parameters = self.parameters.clone();
            parameters.edges.truncate(procs.floor_log2() as usize);
            parameters
        })
    }
}
