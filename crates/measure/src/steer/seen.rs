//! The cells that earlier launches measured: times, scatter, stalls and losses.

use std::collections::BTreeMap;

use netsig_base::algorithm::{Collective, Method};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::regimes::fit::Observation;

use super::{APART, OF_MIXTURE};
use crate::plan::{Cell, Operation};

/// Mean number of retransmitted segments of a repetition from which a port overflows. Fewer are
/// spurious, or belong to the start of a connection.
const LOSSY: f64 = 1.0;

/// Sizes around the onset of losses, as multiples of it.
const AROUND: [f64; 3] = [0.85, 1.2, 1.6];

/// Scatter of ln T assumed of a cell that was not measured.
const USUAL_SCATTER: f64 = 0.05;

/// Least scatter, so that every cell is repeated.
const LEAST_SCATTER: f64 = 0.02;

/// Scatter that stands for a cell of which some repetitions stall.
const MIXED_SCATTER: f64 = 0.3;

/// Algorithm, process count and size of a cell.
type Key = (String, Procs, Bytes);

/// A measured cell.
#[derive(Debug, Clone)]
struct Measured {
    observed: Observation,
    /// Mean number of retransmitted segments, where counted.
    losses: Option<f64>,
}

/// The measured cells of one collective.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    collective: Option<Collective>,
    cells: BTreeMap<Key, Measured>,
    /// First size that is not sent at once, if known.
    pub(super) eager_limit: Option<Bytes>,
}

impl Seen {
    /// The cells of a collective in the data of earlier launches.
    pub fn new(data: &Dataset, collective: Collective, eager_limit: Option<Bytes>) -> Self {
        let mut samples: BTreeMap<_, (Vec<Seconds>, Vec<f64>)> = BTreeMap::new();
        for sample in &data.samples {
            if sample.place.experiment != Experiment::Collective(collective) {
                continue;
            }
            let place = &sample.place;
            let key = (place.algorithm.to_string(), place.procs, place.size);
            let (times, losses) = samples.entry(key).or_default();
            times.push(sample.time);
            losses.extend(sample.losses.retransmits.map(f64::from));
        }
        let cell = |(key, (times, losses)): (Key, (Vec<Seconds>, Vec<f64>))| {
            let observed = Observation::of(key.1, key.2, &times);
            let mean = losses.iter().sum::<f64>() / losses.len() as f64;
            let losses = (!losses.is_empty()).then_some(mean);
            (key, Measured { observed, losses })
        };
        Self {
            collective: Some(collective),
            cells: samples.into_iter().map(cell).collect(),
            eager_limit,
        }
    }

    /// Expected time of a cell: measured, or that of the nearest measured cell of the method in
    /// proportion to x = (n−1)·(m + 1000), or `otherwise`.
    pub(super) fn time(&self, cell: &Cell, method: Method, otherwise: Seconds) -> Seconds {
        let name = method.to_string();
        if let Some(own) = self.cells.get(&(name.clone(), cell.procs, cell.size)) {
            return own.observed.median;
        }
        let x = |procs: Procs, size: Bytes| procs.partners() * (size.as_f64() + 1000.0);
        let wanted = x(cell.procs, cell.size);
        let same = self.cells.iter().filter(|((other, ..), _)| *other == name);
        let far = |(_, procs, size): &Key| (x(*procs, *size) / wanted).ln().abs();
        let nearest = same.min_by(|a, b| far(a.0).total_cmp(&far(b.0)));
        nearest.map_or(otherwise, |((_, procs, size), own)| {
            own.observed.median * (wanted / x(*procs, *size))
        })
    }

    /// Scatter of ln T of a cell, for the choice of repetitions.
    pub(super) fn scatter(&self, cell: &Cell, method: Method) -> f64 {
        let key = (method.to_string(), cell.procs, cell.size);
        match self.cells.get(&key) {
            Some(own) if own.is_mixed() => MIXED_SCATTER,
            Some(own) if own.observed.plain > 1 => own.observed.spread.max(LEAST_SCATTER),
            _ => USUAL_SCATTER,
        }
    }

    /// Sizes to add for a method among n processes: between the largest size without losses and the
    /// smallest with losses, and beyond; if no loss was seen among n, at the x of other counts.
    pub(super) fn marks(&self, method: Method, procs: Procs, wanted: &[Bytes]) -> Vec<Bytes> {
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return Vec::new();
        };
        let Some(onset) = self.onset(&method.to_string(), procs) else {
            return Vec::new();
        };
        let mut marks: Vec<Bytes> = Vec::new();
        for share in AROUND {
            let size = Bytes::rounded((onset * share / 64.0).round() * 64.0);
            let is_eager = self.eager_limit.is_none_or(|limit| size < limit);
            let is_near = |other: &Bytes| {
                let ratio = size.as_f64() / other.as_f64();
                ratio.max(1.0 / ratio) < APART
            };
            let is_known = wanted.iter().chain(&marks).any(is_near);
            if is_eager && (first..=last).contains(&&size) && !is_known {
                marks.push(size);
            }
        }
        marks
    }

    /// Size from which messages among n processes are lost: the geometric mean of the largest size
    /// without losses and the smallest with losses, at this count or, in bytes (n−1)·m, at others.
    fn onset(&self, method: &str, procs: Procs) -> Option<f64> {
        let own = self.cells.iter().filter(|((other, ..), _)| other == method);
        let own: Vec<_> = own.collect();
        let here: Vec<_> = own.iter().filter(|((_, count, _), _)| *count == procs).collect();
        let at = |cells: &[(f64, bool)]| {
            let lossy = cells.iter().filter(|(_, lossy)| *lossy).map(|(x, _)| *x);
            let least = lossy.reduce(f64::min)?;
            let below = cells.iter().filter(|(x, lossy)| !lossy && *x < least).map(|(x, _)| *x);
            Some(below.reduce(f64::max).map_or(least, |below| (below * least).sqrt()))
        };
        let told = |(key, cell): &(&Key, &Measured), scale: f64| {
            let is_eager = self.eager_limit.is_none_or(|limit| key.2 < limit);
            is_eager.then(|| (key.2.as_f64() * scale, cell.is_lossy()))
        };
        let here: Vec<_> = here.into_iter().filter_map(|cell| told(cell, 1.0)).collect();
        at(&here).or_else(|| {
            let all = own.iter().filter_map(|cell| told(cell, cell.0.1.partners()));
            Some(at(&all.collect::<Vec<_>>())? / procs.partners())
        })
    }

    /// The cells of which some repetitions stall, with their times, the most uncertain first.
    pub(super) fn mixed(&self) -> Vec<(Cell, Seconds)> {
        let Some(collective) = self.collective else {
            return Vec::new();
        };
        let mixed = self.cells.iter().filter(|(_, own)| own.is_mixed());
        let mut mixed: Vec<_> = mixed.collect();
        mixed.sort_by(|a, b| a.1.apart_from_half().total_cmp(&b.1.apart_from_half()));
        let cell = |((name, procs, size), own): (&Key, &Measured)| {
            let method = Method::parse(collective, name).ok()?;
            let cell = Cell {
                operation: Operation::Collective(collective, method),
                procs: *procs,
                size: *size,
                warmup: 1,
                repetitions: OF_MIXTURE,
            };
            let (stalled, plain) = (own.observed.excesses.len(), own.observed.plain);
            let share = stalled as f64 / (stalled + plain) as f64;
            let excess = own.observed.excesses.iter().map(|excess| excess.0).fold(0.0, f64::max);
            Some((cell, own.observed.typical + Seconds(excess) * share))
        };
        mixed.into_iter().filter_map(cell).collect()
    }
}

impl Measured {
    fn is_mixed(&self) -> bool {
        !self.observed.excesses.is_empty() && self.observed.plain > 0
    }

    fn is_lossy(&self) -> bool {
        self.losses
            .map_or(!self.observed.excesses.is_empty(), |losses| losses >= LOSSY)
    }

    /// Distance of the share of stalled repetitions from one half.
    fn apart_from_half(&self) -> f64 {
        let stalled = self.observed.excesses.len() as f64;
        (stalled / (stalled + self.observed.plain as f64) - 0.5).abs()
    }
}
