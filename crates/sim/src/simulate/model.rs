//! The network models of the simulator by name.

use serde::Deserialize;
use strum::{Display, EnumIter, EnumMessage, EnumString};

/// A network model of the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Display, EnumIter, EnumMessage, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SimModelKind {
    /// Ports alone, with L, o, g and G.
    Loggp,
    /// Ports alone, with L and g(m).
    Plogp,
    /// Shared links of a tree, and a timeout for each lost last packet.
    Plogpt,
    /// Links that are shared fairly.
    Fluid,
    /// Fair sharing under TCP, with ports that overflow and repairs of losses.
    Tcp,
}
