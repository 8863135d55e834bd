//! The cells that earlier launches measured: times, scatter, stalls and losses.

use std::collections::BTreeMap;

use netsig_base::algorithm::{Collective, CollectiveMethod};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::regimes::fit::CellObservation;

use super::{LEAST_SIZE_RATIO, MIXTURE_REPETITIONS};
use crate::plan::{PlanCell, TimedOperation};
use crate::work::CollectiveWork;

/// Mean number of retransmitted segments of a repetition from which a port counts as overflowing. Fewer are spurious,
/// or belong to the start of a connection.
const LOSSY_RETRANSMITS: f64 = 1.0;

/// Sizes around the onset of losses, as multiples of it.
const ONSET_RATIOS: [f64; 3] = [0.85, 1.2, 1.6];

/// Assumed scatter of ln T of an unmeasured cell.
const USUAL_SCATTER: f64 = 0.05;

/// Least scatter, so that every cell is repeated.
const LEAST_SCATTER: f64 = 0.02;

/// Scatter assigned to a cell in which only some repetitions stall.
const MIXED_SCATTER: f64 = 0.3;

/// The size whose bytes on the critical path stand for those of all sizes.
const MEBIBYTE: Bytes = Bytes(1 << 20);

/// Algorithm, process count and size of a cell.
type MethodCellKey = (String, Procs, Bytes);

/// A measured cell.
#[derive(Debug, Clone)]
struct ObservedCell {
    observed: CellObservation,
    /// Mean number of retransmitted segments, where counted.
    losses: Option<f64>,
}

/// The measured cells of one collective.
#[derive(Debug, Clone, Default)]
pub struct CollectiveCells {
    collective: Option<Collective>,
    cells: BTreeMap<MethodCellKey, ObservedCell>,
    /// First size that is not sent at once, if known.
    pub(super) eager_limit: Option<Bytes>,
}

impl CollectiveCells {
    /// The cells of a collective in the data of earlier launches.
    pub fn new(data: &Dataset, collective: Collective, eager_limit: Option<Bytes>) -> Self {
        let mut samples: BTreeMap<_, (Vec<Seconds>, Vec<f64>)> = BTreeMap::new();
        for sample in &data.samples {
            if sample.cell.experiment != Experiment::Collective(collective) {
                continue;
            }
            let place = &sample.cell;
            let key = (place.algorithm.to_string(), place.procs, place.size);
            let (times, losses) = samples.entry(key).or_default();
            times.push(sample.time);
            losses.extend(sample.losses.retransmits.map(f64::from));
        }
        let cell = |(key, (times, losses)): (MethodCellKey, (Vec<Seconds>, Vec<f64>))| {
            let observed = CellObservation::of(key.1, key.2, &times);
            let mean = losses.iter().sum::<f64>() / losses.len() as f64;
            let losses = (!losses.is_empty()).then_some(mean);
            (key, ObservedCell { observed, losses })
        };
        Self {
            collective: Some(collective),
            cells: samples.into_iter().map(cell).collect(),
            eager_limit,
        }
    }

    /// Expected time of a cell: measured, or scaled by its work from the nearest measured cell of the method, or
    /// `otherwise`. A start-up counts as 1000 bytes; an exchange has x = (n−1)·(m + 1000).
    pub(super) fn time(&self, cell: &PlanCell, method: CollectiveMethod, otherwise: Seconds) -> Seconds {
        let name = method.to_string();
        if let Some(measured) = self.cells.get(&(name.clone(), cell.procs, cell.size)) {
            return measured.observed.median;
        }
        let TimedOperation::Collective(collective, _) = cell.operation else {
            return otherwise;
        };
        let x = |procs: Procs, size: Bytes| CollectiveWork::of(collective, &method, procs, size).in_bytes(1000.0);
        let wanted = x(cell.procs, cell.size);
        let same = self.cells.iter().filter(|((other, ..), _)| *other == name);
        let distance = |(_, procs, size): &MethodCellKey| (x(*procs, *size) / wanted).ln().abs();
        let nearest = same.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
        nearest.map_or(otherwise, |((_, procs, size), measured)| {
            measured.observed.median * (wanted / x(*procs, *size))
        })
    }

    /// Scatter of ln T of a cell, for the choice of repetitions.
    pub(super) fn scatter(&self, cell: &PlanCell, method: CollectiveMethod) -> f64 {
        let key = (method.to_string(), cell.procs, cell.size);
        match self.cells.get(&key) {
            Some(measured) if measured.is_mixed() => MIXED_SCATTER,
            Some(measured) if measured.observed.unstalled > 1 => measured.observed.spread.max(LEAST_SCATTER),
            _ => USUAL_SCATTER,
        }
    }

    /// Sizes to add for a method among n processes, around the onset of losses. If no loss was seen among n
    /// processes, the onset follows from the bytes of other counts.
    pub(super) fn onset_sizes(&self, method: CollectiveMethod, procs: Procs, wanted: &[Bytes]) -> Vec<Bytes> {
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return Vec::new();
        };
        let Some(onset) = self.onset(method, procs) else {
            return Vec::new();
        };
        let mut sizes: Vec<Bytes> = Vec::new();
        for share in ONSET_RATIOS {
            let size = Bytes::rounded((onset * share / 64.0).round() * 64.0);
            let is_eager = self.eager_limit.is_none_or(|limit| size < limit);
            let is_near = |other: &Bytes| {
                let ratio = size.as_f64() / other.as_f64();
                ratio.max(1.0 / ratio) < LEAST_SIZE_RATIO
            };
            let is_known = wanted.iter().chain(&sizes).any(is_near);
            if is_eager && (first..=last).contains(&&size) && !is_known {
                sizes.push(size);
            }
        }
        sizes
    }

    /// Size from which messages among n processes are lost: the geometric mean of the largest size without losses and
    /// the smallest with losses. Cells of this count decide, or the bytes on the critical path among other counts.
    fn onset(&self, method: CollectiveMethod, procs: Procs) -> Option<f64> {
        let collective = self.collective?;
        let name = method.to_string();
        let path_bytes = |count: Procs| CollectiveWork::of(collective, &method, count, MEBIBYTE).in_bytes(0.0);
        let of_method = self.cells.iter().filter(|((other, ..), _)| *other == name);
        let method_cells: Vec<_> = of_method.collect();
        let cells_here: Vec<_> = method_cells
            .iter()
            .filter(|((_, count, _), _)| *count == procs)
            .collect();
        let at = |cells: &[(f64, bool)]| {
            let lossy = cells.iter().filter(|(_, lossy)| *lossy).map(|(x, _)| *x);
            let least = lossy.reduce(f64::min)?;
            let below = cells.iter().filter(|(x, lossy)| !lossy && *x < least).map(|(x, _)| *x);
            Some(below.reduce(f64::max).map_or(least, |below| (below * least).sqrt()))
        };
        let size_and_loss = |(key, cell): &(&MethodCellKey, &ObservedCell), scale: f64| {
            let is_eager = self.eager_limit.is_none_or(|limit| key.2 < limit);
            is_eager.then(|| (key.2.as_f64() * scale, cell.is_lossy()))
        };
        let onset_points: Vec<_> = cells_here
            .into_iter()
            .filter_map(|cell| size_and_loss(cell, 1.0))
            .collect();
        at(&onset_points).or_else(|| {
            let all = method_cells
                .iter()
                .filter_map(|cell| size_and_loss(cell, path_bytes(cell.0.1)));
            Some(at(&all.collect::<Vec<_>>())? / path_bytes(procs))
        })
    }

    /// The cells in which only some repetitions stall, with their times, the most uncertain first.
    pub(super) fn mixed_cells(&self) -> Vec<(PlanCell, Seconds)> {
        let Some(collective) = self.collective else {
            return Vec::new();
        };
        let mixed_cells = self.cells.iter().filter(|(_, measured)| measured.is_mixed());
        let mut mixed: Vec<_> = mixed_cells.collect();
        mixed.sort_by(|a, b| a.1.distance_from_half().total_cmp(&b.1.distance_from_half()));
        let cell = |((name, procs, size), measured): (&MethodCellKey, &ObservedCell)| {
            let method = CollectiveMethod::parse(collective, name).ok()?;
            let cell = PlanCell {
                operation: TimedOperation::Collective(collective, method),
                procs: *procs,
                size: *size,
                warmup: 1,
                repetitions: MIXTURE_REPETITIONS,
            };
            let (stalled, plain) = (measured.observed.stall_excesses.len(), measured.observed.unstalled);
            let share = stalled as f64 / (stalled + plain) as f64;
            let excess = measured
                .observed
                .stall_excesses
                .iter()
                .map(|excess| excess.0)
                .fold(0.0, f64::max);
            Some((cell, measured.observed.typical + Seconds(excess) * share))
        };
        mixed.into_iter().filter_map(cell).collect()
    }
}

impl ObservedCell {
    fn is_mixed(&self) -> bool {
        !self.observed.stall_excesses.is_empty() && self.observed.unstalled > 0
    }

    fn is_lossy(&self) -> bool {
        self.losses.map_or(!self.observed.stall_excesses.is_empty(), |losses| {
            losses >= LOSSY_RETRANSMITS
        })
    }

    /// Distance of the share of stalled repetitions from one half.
    fn distance_from_half(&self) -> f64 {
        let stalled = self.observed.stall_excesses.len() as f64;
        (stalled / (stalled + self.observed.unstalled as f64) - 0.5).abs()
    }
}
