//! The cells of a launch with their repetitions.

use netsig_base::algorithm::CollectiveMethod;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::{CollectiveCells, MOST_REPETITIONS, SteerTarget, counts};
use crate::estimate::NetworkRates;
use crate::plan::PlanCell;

/// Density of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GridDensity {
    /// Step through the wanted sizes above the eager limit, and below it.
    above: usize,
    below: usize,
    /// Number of process counts of each class.
    counts: usize,
}

/// A cell with its expected time and scatter.
struct TimedCell {
    cell: PlanCell,
    time: f64,
    scatter: f64,
}

/// The cells of a launch.
pub(super) struct LaunchGrid<'a> {
    target: &'a SteerTarget,
    cells: Vec<TimedCell>,
}

impl GridDensity {
    /// All densities, the densest first.
    pub(super) const ALL: [Self; 5] = [
        Self::of(1, 1, 3),
        Self::of(2, 1, 3),
        Self::of(2, 1, 2),
        Self::of(2, 2, 2),
        Self::of(4, 4, 2),
    ];

    const fn of(above: usize, below: usize, counts: usize) -> Self {
        Self { above, below, counts }
    }

    /// The wanted sizes at this density; the first and last size of either protocol stay.
    fn sizes(self, wanted: &[Bytes], limit: Option<Bytes>) -> Vec<Bytes> {
        let split = limit.map_or(wanted.len(), |limit| wanted.partition_point(|s| *s < limit));
        let (below, above) = wanted.split_at(split);
        let thin = |sizes: &[Bytes], step: usize| -> Vec<Bytes> {
            let last = sizes.len().saturating_sub(1);
            let numbered = sizes.iter().enumerate();
            let kept = numbered.filter(|(place, _)| (last - place).is_multiple_of(step) || *place == 0);
            kept.map(|(_, size)| *size).collect()
        };
        [thin(below, self.below), thin(above, self.above)].concat()
    }
}

impl<'a> LaunchGrid<'a> {
    pub(super) fn new(
        target: &'a SteerTarget,
        seen: &CollectiveCells,
        rates: &NetworkRates,
        density: GridDensity,
    ) -> Self {
        let mut candidates = Vec::new();
        for &method in &target.methods {
            for procs in counts::measured_procs(target.collective, method, target.most_procs, density.counts) {
                for size in sizes(target, seen, density, method, procs) {
                    let cell = target.cell(method, procs, size, 1);
                    let overhead = rates.overhead(procs).0;
                    let time = seen.time(&cell, method, rates.repetition(&cell));
                    candidates.push(TimedCell {
                        time: time.0 + overhead,
                        scatter: seen.scatter(&cell, method),
                        cell,
                    });
                }
            }
        }
        Self {
            target,
            cells: candidates,
        }
    }

    /// Duration with one repetition of each cell.
    pub(super) fn least_duration(&self) -> Seconds {
        Seconds(self.cost(0.0))
    }

    /// Duration with the repetitions of `scale`.
    fn cost(&self, scale: f64) -> f64 {
        let one = |candidate: &TimedCell| {
            self.target
                .cost(Seconds(candidate.time), candidate.repetitions(scale))
                .0
        };
        self.cells.iter().map(one).sum()
    }

    /// The cells with as many repetitions as fit into `time`.
    pub(super) fn cells_within(self, time: Seconds) -> Vec<PlanCell> {
        const STEPS: u32 = 40;
        let (mut fits, mut exceeds) = (0.0, 1e4);
        for _ in 0..STEPS {
            let middle = f64::midpoint(fits, exceeds);
            if self.cost(middle) <= time.0 {
                fits = middle;
            } else {
                exceeds = middle;
            }
        }
        let cell = |candidate: TimedCell| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
            let repetitions = candidate.repetitions(fits) as u32;
            PlanCell {
                repetitions,
                ..candidate.cell
            }
        };
        self.cells.into_iter().map(cell).collect()
    }
}

impl TimedCell {
    /// Repetitions in proportion to s/√T.
    fn repetitions(&self, scale: f64) -> f64 {
        (scale * self.scatter / self.time.sqrt())
            .floor()
            .clamp(1.0, MOST_REPETITIONS)
    }
}

/// The sizes of a method among n processes: the wanted ones, both sides of the eager limit, and the
/// onset of losses.
fn sizes(
    target: &SteerTarget,
    seen: &CollectiveCells,
    density: GridDensity,
    method: CollectiveMethod,
    procs: Procs,
) -> Vec<Bytes> {
    let mut wanted = target.sizes.clone();
    let inside = |size: &Bytes| wanted.first() <= Some(size) && Some(size) <= wanted.last();
    // A message of the limit less an eighth is still sent at once, with its headers.
    let limit = seen.eager_limit;
    let limit_sides = limit.into_iter().flat_map(|limit| [Bytes(limit.0 / 8 * 7), limit]);
    let sides: Vec<Bytes> = limit_sides.filter(inside).collect();
    let onset_sizes = seen.onset_sizes(method, procs, &[&wanted[..], &sides].concat());
    wanted = density.sizes(&wanted, limit);
    wanted.extend(sides);
    wanted.extend(onset_sizes);
    for size in &mut wanted {
        *size = target.possible_size(method, procs, *size);
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}
