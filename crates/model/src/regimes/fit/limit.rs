//! The eager limit: the first size whose messages are not sent at once.
//!
//! # Method
//! If pairs give an interval of the eager limit, the candidates are the measured sizes in it and
//! its upper end. Otherwise the limit is the configured one of the MPI library, if the data state
//! it; otherwise the candidates are all measured sizes with two below them, and no limit. Of
//! several candidates the one with the least loss over all algorithms is taken, each with a, b
//! and a γ for either protocol. A limit costs as much as the Bayesian information criterion charges
//! for another γ of each algorithm (Schwarz 1978).

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::network::Network;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use super::basis::{RegimesBasis, RegimesParameter};
use super::observation::{CellObservation, MeasuredAlgorithm};
use super::regression;
use crate::fitted::error::FitError;
use crate::model::regimes::{CountClass, Protocol, TrafficPattern, WireTime};

/// Least number of measured sizes below a limit that does not come from pairs.
const LEAST_BELOW: usize = 2;

/// Evidence of the eager limit besides the times of algorithms.
pub struct LimitEvidence<'a, 'n> {
    /// The medians of the ping-pong by size, ascending.
    pub ping_pong: &'a [(Bytes, Seconds)],
    /// β of the ping-pong.
    pub beta: SecondsPerByte,
    /// Sizes between which pairs show the limit: the last that is sent at once, the first that is not.
    pub pair_interval: Option<[Bytes; 2]>,
    /// The configured limit of the MPI library, if known.
    pub configured: Option<Bytes>,
    /// The links of the network, if known.
    pub network: Option<&'n Network>,
}

/// A network with its eager limit.
#[derive(Debug, Clone)]
pub struct LimitedWire<'a> {
    /// V(w).
    pub wire: WireTime,
    /// The first size that is not eager; `None` if all are.
    pub eager_limit: Option<Bytes>,
    /// The links of the network, if known.
    pub network: Option<&'a Network>,
}

impl<'n> LimitEvidence<'_, 'n> {
    /// Finds the limit, and V(w) of the sizes below it.
    ///
    /// # Errors
    /// If a time of the ping-pong is not valid.
    pub fn find(&self, all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>) -> Result<LimitedWire<'n>, FitError> {
        let mut best: Option<(f64, LimitedWire<'n>)> = None;
        for limit in self.candidates(all) {
            let limited = self.with_limit(limit)?;
            let loss = limited.loss(all);
            if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                best = Some((loss, limited));
            }
        }
        match best {
            Some((_, limited)) => Ok(limited),
            None => self.with_limit(None),
        }
    }

    fn candidates(&self, all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>) -> Vec<Option<Bytes>> {
        let sizes: BTreeSet<Bytes> = all.values().flatten().map(|cell| cell.size).collect();
        match (self.pair_interval, self.configured) {
            (Some([above, up_to]), _) => {
                let between = |size: &&Bytes| (above.0.saturating_add(1)..up_to.0).contains(&size.0);
                let mut found: Vec<_> = sizes.iter().filter(between).copied().map(Some).collect();
                found.push(Some(up_to));
                found
            }
            (None, Some(configured)) => vec![Some(configured)],
            (None, None) => std::iter::once(None)
                .chain(sizes.into_iter().skip(LEAST_BELOW).map(Some))
                .collect(),
        }
    }

    fn with_limit(&self, limit: Option<Bytes>) -> Result<LimitedWire<'n>, FitError> {
        let at_once = |(size, _): &&(Bytes, Seconds)| limit.is_none_or(|limit| *size < limit);
        let times: Vec<(Bytes, Seconds)> = self.ping_pong.iter().filter(at_once).copied().collect();
        Ok(LimitedWire {
            wire: WireTime::new(&times, self.beta)?,
            eager_limit: limit,
            network: self.network,
        })
    }
}

impl LimitedWire<'_> {
    /// The protocol of a cell under a pattern.
    pub(crate) fn protocol(&self, pattern: TrafficPattern, cell: &CellObservation) -> Protocol {
        Protocol::of(pattern.message(cell.procs, cell.message()), self.eager_limit)
    }

    /// Cells with their protocols.
    pub(super) fn with_protocols<'c>(
        &self,
        pattern: TrafficPattern,
        cells: &'c [CellObservation],
    ) -> Vec<(&'c CellObservation, Protocol)> {
        let of = |cell: &'c CellObservation| (cell, self.protocol(pattern, cell));
        cells.iter().map(of).collect()
    }

    /// Inputs of the terms of T₀, without overflow.
    pub(super) fn basis(&self, pattern: TrafficPattern) -> RegimesBasis<'_> {
        RegimesBasis {
            pattern,
            class: CountClass::Every,
            wire: &self.wire,
            network: self.network,
            onset: None,
        }
    }

    fn loss(&self, all: &BTreeMap<MeasuredAlgorithm, Vec<CellObservation>>) -> f64 {
        let mut sum = 0.0;
        for (who, cells) in all {
            let Some(pattern) = who.pattern else {
                continue;
            };
            let placed = self.with_protocols(pattern, cells);
            let columns = basic_columns(&placed);
            if let Ok(solution) = regression::solve(&self.basis(pattern), &placed, &columns) {
                sum += solution.loss + (cells.len() as f64).ln() / 2.0 * columns.len() as f64;
            }
        }
        sum
    }
}

/// a, b, and a γ for every protocol among the cells.
pub(super) fn basic_columns(placed: &[(&CellObservation, Protocol)]) -> Vec<RegimesParameter> {
    let protocols = [Protocol::Eager, Protocol::Rendezvous].into_iter();
    let measured = protocols.filter(|protocol| placed.iter().any(|(_, of)| of == protocol));
    [RegimesParameter::Latency, RegimesParameter::Startup]
        .into_iter()
        .chain(measured.map(RegimesParameter::Gamma))
        .collect()
}
