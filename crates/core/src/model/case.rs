//! What a model is asked, what it is told about the network, and its answer.

use super::hockney::Hockney;
use super::plogp::PLogP;
use super::segment::{Search, Segment};
use super::signature::Signature;
use crate::network::Network;
use crate::units::table::Table;
use crate::units::{Bytes, Procs, Seconds};

/// What is known of a network, apart from the values of a model's own parameters.
#[derive(Debug, Clone)]
pub struct Known {
    /// α and β.
    pub hockney: Hockney,
    /// L, g(m), os(m), or(m).
    pub plogp: PLogP,
    /// The signature of the all-to-all in question, if there is one.
    pub signature: Option<Signature>,
    /// Its links, where they are known.
    pub network: Option<Network>,
}

/// The values of a model's own parameters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values {
    /// In the order of the model's parameters.
    pub numbers: Vec<f64>,
    /// L(m), for the one model that has it.
    pub latency: Option<Table>,
}

/// How a segmented algorithm cuts its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segments {
    /// Into segments of this size.
    Of(Segment),
    /// Into those that the search finds best, whole multiples of the datatype.
    Best(Search, Segment),
}

/// What is to be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// n.
    pub procs: Procs,
    /// m.
    pub size: Bytes,
    /// For segmented algorithms.
    pub segments: Segments,
}

/// A time, and the segment size where the algorithm has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// The time.
    pub time: Seconds,
    /// The segments it was computed for.
    pub segment: Option<Segment>,
}

impl Case {
    /// A case whose segments, if any, are found by hill climbing on single bytes.
    pub fn new(procs: Procs, size: Bytes) -> Self {
        Self {
            procs,
            size,
            segments: Segments::Best(Search::HillClimbing, Segment::BYTE),
        }
    }
}

impl Known {
    /// α and β, and tables, whose place α and β take where there are none.
    pub fn of(hockney: Hockney, tables: Option<&PLogP>) -> Self {
        let plogp = tables.cloned();
        Self {
            hockney,
            plogp: plogp.unwrap_or_else(|| PLogP::from_hockney(&hockney)),
            signature: None,
            network: None,
        }
    }
}

impl From<Seconds> for Timed {
    fn from(time: Seconds) -> Self {
        Self {
            time,
            segment: None,
        }
    }
}
