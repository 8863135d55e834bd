//! Input of a model (the case, the known network, the parameters) and its result.

use netsig_base::algorithm::Algorithm;
use netsig_base::network::Network;
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

use super::clustered::ClusteredRanks;
use super::hockney::Hockney;
use super::plogp::PLogP;
use super::segment::{Segment, SegmentSearch};
use super::signature::Signature;

/// Known properties of a network, without the values of a model's own parameters.
#[derive(Debug, Clone)]
pub struct KnownNetwork {
    /// Hockney's α and β.
    pub hockney: Hockney,
    /// pLogP: L, g(m), os(m), or(m).
    pub plogp: PLogP,
    /// ω: time of the operation of a reduction on a byte; 0 where it is not known.
    pub operation: SecondsPerByte,
    /// Signature of the all-to-all, if there is one.
    pub signature: Option<Signature>,
    /// Links of the network, where known.
    pub network: Option<Network>,
    /// Clusters of the processes, where known.
    pub clusters: Option<ClusteredRanks>,
    /// The algorithm, for models that cover several.
    pub algorithm: Option<Algorithm>,
}

/// The values of a model's own parameters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParameterValues {
    /// Numbers in the order of the model's parameters.
    pub numbers: Vec<f64>,
    /// Latency L(m), for the model `tam` only.
    pub latency: Option<SizeTable>,
}

/// Segment size of a segmented algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentChoice {
    /// This size.
    Fixed(Segment),
    /// The best size that the search finds among multiples of the datatype.
    Best(SegmentSearch, Segment),
}

/// Case to predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// Number of processes n.
    pub procs: Procs,
    /// Bytes m.
    pub size: Bytes,
    /// Segment size, for segmented algorithms.
    pub segments: SegmentChoice,
}

/// Predicted time, with the segment size of a segmented algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelTime {
    /// The time.
    pub time: Seconds,
    /// Segment size of the prediction.
    pub segment: Option<Segment>,
}

impl Case {
    /// A case whose segment size, if any, hill climbing finds among all whole byte counts.
    pub fn new(procs: Procs, size: Bytes) -> Self {
        Self {
            procs,
            size,
            segments: SegmentChoice::Best(SegmentSearch::HillClimbing, Segment::BYTE),
        }
    }
}

impl KnownNetwork {
    /// A network with α, β and pLogP tables; without tables, pLogP follows from α and β.
    pub fn of(hockney: Hockney, tables: Option<&PLogP>) -> Self {
        let plogp = tables.cloned();
        Self {
            hockney,
            plogp: plogp.unwrap_or_else(|| PLogP::from_hockney(&hockney)),
            operation: SecondsPerByte(0.0),
            signature: None,
            network: None,
            clusters: None,
            algorithm: None,
        }
    }
}

impl From<Seconds> for ModelTime {
    fn from(time: Seconds) -> Self {
        Self { time, segment: None }
    }
}
