//! The tree of `PlogPT`: throughput and buffer of the messages of each height.

use serde::Deserialize;
use strum::{EnumIter, EnumMessage};

use netsig_base::network::{LINUX_RTO, TreeEdge, check_edges};
use netsig_base::units::parameter::{ParameterError, non_negative};
use netsig_base::units::{Bytes, BytesPerSecond, Procs, Seconds};

/// Rule by which an edge without delay is wide enough to be ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, EnumIter, EnumMessage, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum PlogptEdgeRule {
    /// From twice the bandwidth below it on.
    #[default]
    AtLeast,
    /// Above twice the bandwidth below it, as printed.
    Above,
}

impl PlogptEdgeRule {
    /// True if the rule ignores `edge`, where the edges below it have the total bandwidth `below`.
    pub fn ignores(self, edge: &TreeEdge, below: BytesPerSecond) -> bool {
        let is_wide = match self {
            Self::AtLeast => edge.bandwidth >= below,
            Self::Above => edge.bandwidth > below,
        };
        is_wide && edge.delay.0 == 0.0
    }
}

/// The parameters of `PlogPT`.
#[derive(Debug, Clone, PartialEq)]
pub struct PlogptParameters {
    /// Edges by height, the leaves first; empty for a single rank.
    pub edges: Vec<TreeEdge>,
    /// Latency L.
    pub latency: Seconds,
    /// Retransmission time-out `T_RTO`.
    pub rto: Seconds,
    /// Rule for the edges to ignore.
    pub edge_rule: PlogptEdgeRule,
}

impl PlogptParameters {
    /// Parameters with these edges and L, the time-out of Linux and the default rule.
    pub fn new(edges: Vec<TreeEdge>, latency: Seconds) -> Self {
        Self {
            edges,
            latency,
            rto: LINUX_RTO,
            edge_rule: PlogptEdgeRule::default(),
        }
    }

    /// True if the edges of this height, counted from 1, are ignored.
    fn is_negligible(&self, height: usize) -> bool {
        let [.., below, edge] = &self.edges[..height] else {
            return false;
        };
        let twice = BytesPerSecond(2.0 * below.bandwidth.0);
        self.edge_rule.ignores(edge, twice)
    }
}

/// Properties of the messages of one height, in a round in which all ranks send.
#[derive(Debug, Clone, PartialEq)]
pub struct PlogptLevel {
    /// Height of the highest switch on the way, the leaves having 0.
    pub height: u32,
    /// Height of the edge that limits the throughput.
    pub effective_height: u32,
    /// Throughput of one message in the round.
    pub throughput: BytesPerSecond,
    /// Buffer b·d of the edge of the effective height, in bytes.
    buffer: f64,
    /// Latency L.
    pub latency: Seconds,
}

impl PlogptLevel {
    fn new(parameters: &PlogptParameters, height: usize) -> Self {
        let path_edges = &parameters.edges[..height];
        let effective = (1..=height)
            .rev()
            .find(|&height| !parameters.is_negligible(height))
            .unwrap_or(1);
        let users = (0..).map(|exponent| 2.0f64.powi(exponent));
        let shares = path_edges.iter().zip(users).map(|(e, users)| e.bandwidth.0 / users);
        let number = |height| u32::try_from(height).expect("at most 31 heights");
        Self {
            height: number(height),
            effective_height: number(effective),
            throughput: BytesPerSecond(shares.fold(f64::INFINITY, f64::min)),
            buffer: path_edges[effective - 1].buffer(),
            latency: parameters.latency,
        }
    }

    /// Gap `g_c(m, C)` of a message in the round.
    pub fn gap(&self, size: Bytes) -> Seconds {
        Seconds(size.as_f64() / self.throughput.0)
    }

    /// True if a message of this height loses its last packet to a message of the next height that
    /// begins at the same receiver when this one ends. The next effective height is at least this
    /// one, so the buffer of `next` decides.
    pub fn loses_before(&self, next: &Self, size: Bytes) -> bool {
        self.effective_height != next.effective_height && overflows(size, next.buffer)
    }
}

/// True if a message does not fit into a buffer of b·d bytes. The product b·d is rounded, so the
/// test allows a small excess.
pub fn overflows(size: Bytes, buffer: f64) -> bool {
    let rounding = (buffer * 1e-12).max(1e-9);
    size.as_f64() > buffer + rounding
}

/// The `PlogPT` model on a symmetric binary tree of switches.
#[derive(Debug, Clone, PartialEq)]
pub struct PlogPT {
    levels: Vec<PlogptLevel>,
    rto: Seconds,
}

impl PlogPT {
    /// The model with these parameters.
    ///
    /// # Errors
    /// If a bandwidth is not positive, a time is negative, a number is not finite, or there
    /// are more than 31 heights.
    pub fn new(parameters: &PlogptParameters) -> Result<Self, ParameterError> {
        let PlogptParameters { edges, rto, .. } = parameters;
        check_edges(edges)?;
        non_negative("L", parameters.latency.0)?;
        non_negative("rto", rto.0)?;
        Ok(Self {
            levels: (1..=edges.len())
                .map(|height| PlogptLevel::new(parameters, height))
                .collect(),
            rto: *rto,
        })
    }

    /// Number of processes: P = 2^H for H heights.
    pub fn procs(&self) -> Procs {
        Procs::new(1 << self.levels.len()).expect("a power of two is not zero")
    }

    /// Properties of the messages of each height, the lowest first.
    pub fn levels(&self) -> &[PlogptLevel] {
        &self.levels
    }

    /// Retransmission time-out.
    pub fn rto(&self) -> Seconds {
        self.rto
    }
}
