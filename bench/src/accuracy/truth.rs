//! The plans of a network's truth.
//!
//! # Method
//! Four launches measure all-to-alls on ¾ and all of the hosts, and the other collectives on all hosts. Sizes are the
//! powers of two from 1 KiB to 256 KiB and one size between each pair. It is drawn from the name of the network, so
//! that no campaign knows it. Cells where only some repetitions stall are measured in four further launches.

use netsig_base::algorithm::Collective;
use netsig_base::data::Dataset;
use netsig_base::data::cells::Statistic;
use netsig_base::units::Bytes;

use crate::harness::cell::BenchCell;
use crate::harness::draw::{DrawnNetwork, size_in_octave};
use crate::harness::learn::judged_counts;
use crate::harness::plan::{self, LAUNCHES, PlannedCell};
use crate::harness::times::{is_alltoall, valid_cells};

/// Seconds of all operations in one launch.
const SECONDS: f64 = 80.0;

/// Powers of two of the sizes.
const OCTAVES: std::ops::RangeInclusive<i32> = 10..=18;

/// The other collectives with their algorithms.
pub(super) const OTHER_COLLECTIVES: [(Collective, &str); 4] = [
    (Collective::Bcast, "binomial"),
    (Collective::Scatter, "flat"),
    (Collective::Gather, "flat"),
    (Collective::Allgather, "ring"),
];

/// The judged all-to-alls.
pub(super) const ALLTOALLS: [&str; 3] = ["direct", "pairwise", "library"];

/// Powers of two, and one size between each pair.
fn sizes(drawn: &DrawnNetwork) -> Vec<Bytes> {
    let mut rng = drawn.rng();
    let mut sizes: Vec<Bytes> = OCTAVES.map(|octave| Bytes(1 << octave)).collect();
    sizes.extend((*OCTAVES.start()..*OCTAVES.end()).map(|octave| size_in_octave(&mut rng, octave)));
    sizes.sort_unstable();
    sizes
}

/// The plan of all cells.
pub(super) fn plan(drawn: &DrawnNetwork) -> String {
    let gap = drawn.whole.host_gap().0;
    let [three_quarters, all] = judged_counts(drawn);
    let mut cells = Vec::new();
    for size in sizes(drawn) {
        let mut add = |collective, algorithm: &str, procs| {
            let cell = BenchCell {
                collective,
                procs,
                size,
            };
            cells.push(PlannedCell {
                cell,
                algorithm: algorithm.to_owned(),
                seconds: 1e-3 + 1.5 * gap * procs.partners() * size.as_f64(),
            });
        };
        for procs in [three_quarters, all] {
            for algorithm in ALLTOALLS {
                add(Collective::Alltoall, algorithm, procs);
            }
        }
        if size.0.is_power_of_two() {
            for (collective, algorithm) in OTHER_COLLECTIVES {
                add(collective, algorithm, all);
            }
        }
    }
    plan::text(&cells, LAUNCHES, SECONDS)
}

/// The plan of the cells where only some repetitions stall; `None` if there are none.
pub(super) fn mixture_plan(first: &Dataset) -> Option<String> {
    let cells = valid_cells(first, None).into_iter();
    let mixtures = cells
        .filter(|(key, times)| is_alltoall(key) && (0.05..=0.95).contains(&times.stalled_share()))
        .filter_map(|(key, times)| {
            Some(PlannedCell {
                cell: BenchCell::of(&key)?,
                algorithm: key.algorithm.to_string(),
                seconds: times.time(Statistic::Median).0,
            })
        });
    let planned_cells: Vec<PlannedCell> = mixtures.collect();
    (!planned_cells.is_empty()).then(|| plan::text(&planned_cells, LAUNCHES, SECONDS))
}
