//! Times that fall with more processes, which no collective does by itself: another algorithm, placement or day
//! lies between its process counts.
//!
//! # Formula
//! At the sizes that were measured at the smallest and at the largest process count a and c of an algorithm:
//! T(c, m) < 0.8·T(a, m) at half of them or more.
//!
//! # Source
//! netsig.

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, MeasuredCells};
use netsig_base::units::{Bytes, Procs};

/// Ratio of the times below which they fall: beyond the scatter of networks at rest.
const FALL: f64 = 0.8;

/// An algorithm whose times fall with more processes.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display(
    "{collective} {algorithm}: times fall with more processes, to {:.0} % from {} to {} processes at {at}, which \
     no collective does by itself: did the algorithm, the placement or the load differ? Other process counts are \
     predicted with a wide interval; measure these again",
    100.0 * ratio, procs[0], procs[1]
)]
pub struct FallingTimes {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The smallest and the largest process count.
    pub procs: [Procs; 2],
    /// The size of the smallest ratio of their times.
    pub at: Bytes,
    /// This ratio.
    pub ratio: f64,
}

/// The algorithms whose times fall with more processes.
pub fn falling(cells: &MeasuredCells) -> Vec<FallingTimes> {
    let by_algorithm = cells
        .summaries
        .keys()
        .chunk_by(|key| (key.experiment, &key.algorithm));
    let groups = by_algorithm.into_iter();
    groups
        .filter_map(|(_, keys)| of_algorithm(cells, &keys.collect_vec()))
        .collect()
}

/// The same for the cells of one algorithm, in the order of their process counts.
fn of_algorithm(cells: &MeasuredCells, keys: &[&CellKey]) -> Option<FallingTimes> {
    let (first, last) = (keys.first()?, keys.last()?);
    let Experiment::Collective(collective) = first.experiment else {
        return None;
    };
    let time = |procs, size| {
        let key = CellKey {
            procs,
            size,
            ..CellKey::clone(first)
        };
        Some(cells.summaries.get(&key)?.median.0)
    };
    let ratio = |key: &&CellKey| {
        Some((
            time(last.procs, key.size)? / time(first.procs, key.size)?,
            key.size,
        ))
    };
    let ratios = keys
        .iter()
        .filter(|key| key.procs == first.procs)
        .filter_map(ratio)
        .collect_vec();
    let fallen = ratios.iter().filter(|(ratio, _)| *ratio < FALL).count();
    let (ratio, at) = ratios
        .iter()
        .copied()
        .min_by(|one, other| one.0.total_cmp(&other.0))?;
    (first.procs < last.procs && 2 * fallen >= ratios.len()).then(|| FallingTimes {
        collective,
        algorithm: first.algorithm.to_string(),
        procs: [first.procs, last.procs],
        at,
        ratio,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    /// Times of an algorithm among 4 and 8 processes, at two sizes.
    fn found(times: [[f64; 2]; 2]) -> Vec<FallingTimes> {
        let line =
            |procs, size, time| format!("collective,alltoall,direct,{procs},{size},0,0,{time}\n");
        let lines = [4, 8].iter().zip(times);
        let lines =
            lines.map(|(procs, [small, large])| line(procs, 64, small) + &line(procs, 1024, large));
        falling(&MeasuredCells::of(&read(
            "",
            "",
            &lines.collect::<String>(),
        )))
    }

    #[test]
    fn times_fall_if_they_do_at_half_of_the_sizes() {
        assert_eq!(found([[1.0, 2.0], [0.9, 1.9]]), []);
        assert_eq!(found([[1.0, 2.0], [1.1, 5.0]]), []);
        let fallen = found([[1.0, 2.0], [0.5, 5.0]]);
        assert_eq!(fallen.len(), 1);
        assert_eq!((fallen[0].at, fallen[0].ratio), (Bytes(64), 0.5));
    }
}
