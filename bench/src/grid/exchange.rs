//! Compares the predictions of the two-phase exchanges with their truth, one row for each cell.

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::data::{Dataset, processors};
use netsig_base::units::{Bytes, Procs, Seconds};
use serde::Serialize;

use super::learn::KnownSites;
use crate::harness::cell::BenchCell;
use crate::harness::draw::DrawnNetwork;
use crate::harness::row_goal::ResultRow;

/// A two-phase exchange in one cell: a row of two-phase.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ExchangeRow {
    pub(super) network: String,
    /// Longest delay between two sites.
    pub(super) delay_s: Seconds,
    pub(super) algorithm: &'static str,
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    /// True if the campaign measured neither this number of processes nor this size.
    pub(super) is_new: bool,
    pub(super) predicted_s: Seconds,
    pub(super) lower_s: Option<Seconds>,
    pub(super) upper_s: Option<Seconds>,
    /// Medians of the repetitions.
    pub(super) measured_s: Seconds,
    pub(super) library_s: Seconds,
    /// True if the processors were busy, so that the cell is not judged.
    pub(super) busy: bool,
}

impl ResultRow for ExchangeRow {
    fn network(&self) -> &str {
        &self.network
    }

    fn is_judged(&self) -> bool {
        !self.busy
    }
}

impl ExchangeRow {
    /// Absolute error of the prediction.
    pub(super) fn error(&self) -> f64 {
        (self.predicted_s / self.measured_s - 1.0).abs()
    }

    /// True if the interval holds the measured time; `None` without an interval.
    pub(super) fn is_covered(&self) -> Option<bool> {
        Some((self.lower_s?..=self.upper_s?).contains(&self.measured_s))
    }

    /// The library's time over the time of the exchange.
    pub(super) fn gain(&self) -> f64 {
        self.library_s / self.measured_s
    }
}

/// A row for each measured prediction.
pub(super) fn rows(drawn: &DrawnNetwork, truth: &Dataset, known: &KnownSites) -> Vec<ExchangeRow> {
    let busy: BTreeSet<CellKey> = processors::busy_cells(truth).into_iter().collect();
    let medians: BTreeMap<CellKey, Seconds> = summarise(truth)
        .into_iter()
        .map(|(key, summary)| (key, summary.median))
        .collect();
    let mut rows = Vec::new();
    for (algorithm, predicted) in &known.predicted {
        for prediction in predicted {
            let cell = BenchCell {
                collective: Collective::Alltoall,
                procs: prediction.procs,
                size: prediction.size_bytes,
            };
            let keys = [algorithm, LIBRARY].map(|name| cell.key(name));
            let [Some(&measured), Some(&library)] = [&keys[0], &keys[1]].map(|key| medians.get(key)) else {
                continue;
            };
            let is_known = known.procs.contains(&prediction.procs) || known.sizes.contains(&prediction.size_bytes);
            rows.push(ExchangeRow {
                network: drawn.name.clone(),
                delay_s: drawn.delay,
                algorithm,
                procs: prediction.procs,
                size_bytes: prediction.size_bytes,
                is_new: !is_known,
                predicted_s: prediction.time_s,
                lower_s: prediction.lower_s,
                upper_s: prediction.upper_s,
                measured_s: measured,
                library_s: library,
                busy: keys.iter().any(|key| busy.contains(key)),
            });
        }
    }
    rows
}
