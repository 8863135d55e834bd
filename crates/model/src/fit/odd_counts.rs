//! Process counts whose times do not fit those of the other counts of the algorithm: the algorithm, the placement, the
//! load or the day differed.
//!
//! # Formula
//! Over the sizes that were measured at all compared counts:
//! 1. Times fall: T(c, m) < 0.8·T(a, m) at half of the sizes or more, a and c the smallest and the largest count. Of a
//!    reduction or barrier a is the smallest power of two: among other counts ranks are folded, which takes longer.
//! 2. A count b of an all-to-all or all-gather stands out between its neighbours a < b < c. Its y = ln(T/(n−1)) lies
//!    above the line between y(a) and y(c) over ln n at every size, or below it at every size. The distance is ln 1.1
//!    or more at every size, and ln 1.2 or more in the median. It takes two sizes. Two processes are no neighbour,
//!    because nothing contends among them, nor are counts of which one is more than eight times the other.
//!
//! # Source
//! netsig.

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, MeasuredCells};
use netsig_base::stats::sample::median;
use netsig_base::units::{Bytes, Procs};

/// Ratio of the times below which they fall: beyond the scatter of networks at rest.
const FALLEN_RATIO: f64 = 0.8;

/// Least ratio to the times between its neighbours at which a count stands out, at every size.
const LEAST_RATIO: f64 = 1.1;

/// The same in the median of the sizes.
const LEAST_MEDIAN_RATIO: f64 = 1.2;

/// Largest ratio of the neighbours of a count.
const MOST_NEIGHBOUR_RATIO: u32 = 8;

/// An algorithm with odd process counts.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display("{collective} {algorithm}: {oddity}; measure these counts again")]
pub struct OddProcessCounts {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The oddity.
    pub oddity: CountOddity,
}

/// Oddity of process counts.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub enum CountOddity {
    /// Times fall with more processes.
    #[display(
        "times fall with more processes, to {:.0} % from {} to {} processes at {at}, which no collective does by \
         itself: did the algorithm, the placement or the load differ? Other process counts are predicted with a \
         wide interval",
        100.0 * ratio, procs[0], procs[1]
    )]
    Falling {
        /// The smallest and the largest process count.
        procs: [Procs; 2],
        /// The size with the smallest ratio of their times.
        at: Bytes,
        /// This ratio.
        ratio: f64,
    },
    /// A count stands out between its neighbours.
    #[display(
        "{} processes take {ratio:.2} times as long as {} and {} tell, at every size: were they measured on \
         another day, or placed otherwise? Intervals are wider for it",
        procs[1], procs[0], procs[2]
    )]
    StandsOut {
        /// The count between its neighbours.
        procs: [Procs; 3],
        /// Median ratio of its times to those between its neighbours.
        ratio: f64,
    },
}

/// The algorithms with odd process counts.
pub fn odd_counts(cells: &MeasuredCells) -> Vec<OddProcessCounts> {
    let keys = cells.summaries.keys();
    let by_algorithm = keys.chunk_by(|key| (key.experiment, &key.algorithm));
    let found = by_algorithm.into_iter().flat_map(|(_, keys)| {
        let by_count = CellsByCount::of(cells, keys.collect());
        by_count.map_or(Vec::new(), |cells_by_count| cells_by_count.odd_counts())
    });
    found.collect()
}

/// The cells of one algorithm of a collective, in the order of their process counts.
struct CellsByCount<'a> {
    cells: &'a MeasuredCells<'a>,
    collective: Collective,
    keys: Vec<&'a CellKey>,
}

impl<'a> CellsByCount<'a> {
    fn of(cells: &'a MeasuredCells<'a>, keys: Vec<&'a CellKey>) -> Option<Self> {
        match keys.first()?.experiment {
            Experiment::Collective(collective) => Some(Self {
                cells,
                collective,
                keys,
            }),
            _ => None,
        }
    }

    fn odd_counts(&self) -> Vec<OddProcessCounts> {
        let oddities = self.falling().into_iter().chain(self.standing_out());
        let odd = oddities.map(|oddity| OddProcessCounts {
            collective: self.collective,
            algorithm: self.keys[0].algorithm.to_string(),
            oddity,
        });
        odd.collect()
    }

    fn falling(&self) -> Option<CountOddity> {
        let may_fold = self.collective.is_reduction() || self.collective == Collective::Barrier;
        let mut counts = self.keys.iter().map(|key| key.procs);
        let smallest = counts.find(|procs| !may_fold || procs.get().is_power_of_two())?;
        let procs = [smallest, self.keys.last()?.procs];
        let ratios_at_sizes = self.common(procs).map(|(at, [few, many])| (many / few, at));
        let ratios = ratios_at_sizes.collect_vec();
        let fallen = ratios.iter().filter(|(ratio, _)| *ratio < FALLEN_RATIO).count();
        let least = |one: &(f64, Bytes), other: &(f64, Bytes)| one.0.total_cmp(&other.0);
        let (ratio, at) = ratios.iter().copied().min_by(least)?;
        let falls = procs[0] < procs[1] && 2 * fallen >= ratios.len();
        falls.then_some(CountOddity::Falling { procs, at, ratio })
    }

    fn standing_out(&self) -> Option<CountOddity> {
        if !matches!(self.collective, Collective::Alltoall | Collective::Allgather) {
            return None;
        }
        let counts = self.keys.iter().map(|key| key.procs).dedup();
        let triples = counts
            .tuple_windows()
            .filter(|(few, _, many)| few.get() > 2 && many.get() <= few.get().saturating_mul(MOST_NEIGHBOUR_RATIO));
        let found = triples.filter_map(|(few, middle, many)| {
            let procs = [few, middle, many];
            let distances_at_sizes = self.common(procs).map(|(_, times)| off_line(procs, times));
            let distances = distances_at_sizes.collect_vec();
            let is_apart = |off: &f64| off.abs() >= LEAST_RATIO.ln() && off.signum() == distances[0].signum();
            let stands_out = distances.len() > 1 && distances.iter().all(is_apart);
            stands_out.then(|| (median(distances).exp(), procs))
        });
        let distance = |ratio: f64| ratio.ln().abs();
        let far = found.filter(|(ratio, _)| distance(*ratio) >= LEAST_MEDIAN_RATIO.ln());
        let (ratio, procs) = far.max_by(|one, other| distance(one.0).total_cmp(&distance(other.0)))?;
        Some(CountOddity::StandsOut { procs, ratio })
    }

    /// The sizes that were measured at all counts `procs`, with the median time at each count.
    fn common<const N: usize>(&self, procs: [Procs; N]) -> impl Iterator<Item = (Bytes, [f64; N])> + '_ {
        let sizes = self.keys.iter().filter(move |key| key.procs == procs[0]);
        sizes.filter_map(move |first| {
            let time = |procs| {
                let key = CellKey {
                    procs,
                    ..CellKey::clone(first)
                };
                Some(self.cells.summaries.get(&key)?.median.0)
            };
            let times: Option<Vec<f64>> = procs.into_iter().map(time).collect();
            Some((first.size, times?.try_into().ok()?))
        })
    }
}

/// Distance of ln(T/(n−1)) at the middle count from the line between the others over ln n.
fn off_line(procs: [Procs; 3], times: [f64; 3]) -> f64 {
    let places = procs.map(|count| f64::from(count.get()).ln());
    let [few, middle, many] = [0, 1, 2].map(|at| (times[at] / procs[at].partners()).ln());
    let share = (places[1] - places[0]) / (places[2] - places[0]);
    middle - few - share * (many - few)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    /// Folded ranks take longer among 3 than all among 4.
    #[test]
    fn reductions_may_fall_from_a_count_with_folded_ranks() {
        let found = |collective: &str| {
            let rows = [(3, 3.0), (4, 1.0), (8, 1.5)];
            let lines = rows.map(|(procs, time)| format!("collective,{collective},library,{procs},64,0,0,{time}\n"));
            odd_counts(&MeasuredCells::of(&read("", "", &lines.concat()))).len()
        };
        assert_eq!([found("allreduce"), found("alltoall")], [0, 1]);
    }

    /// Times per partner among 4, 8 and 16 processes, at two sizes.
    fn oddities(times: [[f64; 2]; 3]) -> Vec<CountOddity> {
        let line = |procs: u32, size: u32, time_per_partner: f64| {
            let time = time_per_partner * f64::from(procs - 1);
            format!("collective,alltoall,direct,{procs},{size},0,0,{time}\n")
        };
        let counts_and_times = [4, 8, 16].into_iter().zip(times);
        let lines = counts_and_times.map(|(procs, [small, large])| line(procs, 64, small) + &line(procs, 1024, large));
        let data = read("", "", &lines.collect::<String>());
        let found = odd_counts(&MeasuredCells::of(&data));
        found.into_iter().map(|odd| odd.oddity).collect()
    }

    #[test]
    fn times_fall_if_they_do_at_half_of_the_sizes() {
        assert_eq!(oddities([[1.0, 2.0], [0.9, 1.9], [0.8, 1.7]]), []);
        let fallen = oddities([[1.0, 2.0], [0.3, 1.9], [0.1, 1.8]]);
        let [CountOddity::Falling { at, ratio, .. }] = fallen[..] else {
            panic!("{fallen:?}")
        };
        assert_eq!(at, Bytes(64));
        assert!((ratio - 0.5).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn a_count_stands_out_if_it_does_at_every_size() {
        assert_eq!(oddities([[1.0, 2.0], [1.5, 2.1], [1.0, 2.0]]), []);
        let one = oddities([[1.0, 2.0], [1.5, 2.6], [1.0, 2.0]]);
        let [CountOddity::StandsOut { ratio, .. }] = one[..] else {
            panic!("{one:?}")
        };
        assert!((ratio - (1.5f64 * 1.3).sqrt()).abs() < 1e-9, "{ratio}");
    }
}
