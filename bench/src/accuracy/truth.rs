//! The plans of a network's truth.
//!
//! # Method
//! All-to-alls at ¾ and all of the hosts, the other collectives at all of them, in four launches;
//! sizes are the powers of two from 1 KiB to 256 KiB and one size between each pair, drawn from the
//! name of the network, which no campaign can know. Cells of which some repetitions stall, and some
//! not, are measured in four further launches.

use netsig_base::algorithm::Collective;
use netsig_base::data::Dataset;
use netsig_base::data::cells::Statistic;
use netsig_base::units::Bytes;

use crate::harness::cell::BenchCell;
use crate::harness::draw::{DrawnNetwork, between};
use crate::harness::learn::counts;
use crate::harness::plan::{self, LAUNCHES, PlannedCell};
use crate::harness::times::{cells, is_alltoall};

/// Seconds of all operations in one launch.
const SECONDS: f64 = 80.0;

/// Powers of two of the sizes.
const OCTAVES: std::ops::RangeInclusive<i32> = 10..=18;

/// The other collectives with their algorithms.
pub(super) const OTHERS: [(Collective, &str); 4] = [
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
    sizes.extend((*OCTAVES.start()..*OCTAVES.end()).map(|octave| between(&mut rng, octave)));
    sizes.sort_unstable();
    sizes
}

/// The plan of all cells.
pub(super) fn plan(drawn: &DrawnNetwork) -> String {
    let gap = drawn.whole.host_gap().0;
    let [most, all] = counts(drawn);
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
        for procs in [most, all] {
            for algorithm in ALLTOALLS {
                add(Collective::Alltoall, algorithm, procs);
            }
        }
        if size.0.is_power_of_two() {
            for (collective, algorithm) in OTHERS {
                add(collective, algorithm, all);
            }
        }
    }
    plan::text(&cells, LAUNCHES, SECONDS)
}

/// The plan of the cells with stalled repetitions and others; `None` if there are none.
pub(super) fn further(first: &Dataset) -> Option<String> {
    let cells = cells(first, None).into_iter();
    let mixed = cells
        .filter(|(key, times)| is_alltoall(key) && (0.05..=0.95).contains(&times.stalled()))
        .filter_map(|(key, times)| {
            Some(PlannedCell {
                cell: BenchCell::of(&key)?,
                algorithm: key.algorithm.to_string(),
                seconds: times.time(Statistic::Median).0,
            })
        });
    let mixed: Vec<PlannedCell> = mixed.collect();
    (!mixed.is_empty()).then(|| plan::text(&mixed, LAUNCHES, SECONDS))
}
