//! The truth of a network: its plan, and its cells with the classes that follow from their
//! repetitions alone.
//!
//! # Method
//! All-to-alls at ¾ and all of the hosts, the other collectives at all of them, in four launches;
//! sizes are the powers of two from 1 KiB to 256 KiB and one size between each pair, drawn from the
//! name of the network, which no campaign can know. Cells of which some repetitions stall, and some
//! not, are measured in four further launches.
//!
//! A repetition stalls if it exceeds the quickest of its cell by more than 100 ms and 30 %. An
//! eager message that takes more than one and a half times the time of its bytes is not the
//! quickest that there can be: then that time takes its place.

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::CellKey;
use netsig_base::data::{Dataset, Experiment, processors};
use netsig_base::network::Network;
use netsig_base::stats::sample::median;
use netsig_base::units::{Bytes, Procs, Seconds};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::draw::Drawn;
use crate::plan::{self, LAUNCHES, Planned};

/// Seconds of all operations in one launch.
const SECONDS: f64 = 80.0;

/// The other collectives with their algorithms.
pub(super) const OTHERS: [(Collective, &str); 4] = [
    (Collective::Bcast, "binomial"),
    (Collective::Scatter, "flat"),
    (Collective::Gather, "flat"),
    (Collective::Allgather, "ring"),
];

/// The judged all-to-alls.
pub(super) const ALLTOALLS: [&str; 3] = ["direct", "pairwise", "library"];

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) collective: Collective,
    pub(super) algorithm: String,
    pub(super) procs: Procs,
    pub(super) size: Bytes,
}

/// Time of a repetition in seconds, and true if it stalls.
pub(super) type Repetition = (f64, bool);

/// The repetitions of a cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// Times and stalls of each launch, none empty.
    pub(super) launches: Vec<Vec<Repetition>>,
}

/// Sizes of the truth: powers of two from 1 KiB to 256 KiB, and one between each pair.
fn sizes(name: &str) -> Vec<Bytes> {
    let seed = name.bytes().fold(0, |sum: u64, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sizes: Vec<Bytes> = (10..=18).map(|power| Bytes(1 << power)).collect();
    for power in 10..18 {
        let share: f64 = rng.random_range(0.2..0.8);
        sizes.push(Bytes::rounded(2f64.powf(f64::from(power) + share)));
    }
    sizes.sort_unstable();
    sizes
}

/// The plan of all cells.
pub(super) fn plan(drawn: &Drawn) -> String {
    let network = &drawn.whole;
    let all = network.hosts();
    let most = Procs::new(all.get() * 3 / 4).expect("there are hosts");
    let seconds = |procs: Procs, size: Bytes| {
        1e-3 + 1.5 * network.host_gap().0 * procs.partners() * size.as_f64()
    };
    let mut cells = Vec::new();
    for size in sizes(&drawn.name) {
        for procs in [most, all] {
            cells.extend(ALLTOALLS.map(|algorithm| Planned {
                collective: Collective::Alltoall,
                algorithm: algorithm.to_owned(),
                procs,
                size,
                seconds: seconds(procs, size),
            }));
        }
        if size.0.is_power_of_two() {
            cells.extend(OTHERS.map(|(collective, algorithm)| Planned {
                collective,
                algorithm: algorithm.to_owned(),
                procs: all,
                size,
                seconds: seconds(all, size),
            }));
        }
    }
    plan::text(&cells, LAUNCHES, SECONDS)
}

/// The plan of the cells with stalled repetitions and others; `None` if there are none.
pub(super) fn further(first: &Dataset) -> Option<String> {
    let mixed: Vec<Planned> = cells(first, None)
        .into_iter()
        .filter(|(key, cell)| key.is_alltoall() && (0.05..=0.95).contains(&cell.stalled()))
        .map(|(key, cell)| Planned {
            collective: key.collective,
            algorithm: key.algorithm,
            procs: key.procs,
            size: key.size,
            seconds: cell.median().0,
        })
        .collect();
    (!mixed.is_empty()).then(|| plan::text(&mixed, LAUNCHES, SECONDS))
}

/// The cells of the data without those of busy processors, which are void; with the network, stalls of eager messages are told by its rate too.
pub(super) fn cells(data: &Dataset, network: Option<&Network>) -> BTreeMap<Key, Cell> {
    let void: BTreeSet<CellKey> = processors::busy(data).into_iter().collect();
    let mut times: BTreeMap<Key, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    for sample in &data.samples {
        let place = &sample.place;
        if void.contains(&CellKey::from(place)) {
            continue;
        }
        if let Experiment::Collective(collective) = place.experiment {
            let key = Key {
                collective,
                algorithm: place.algorithm.to_string(),
                procs: place.procs,
                size: place.size,
            };
            let launches = times.entry(key).or_default();
            launches
                .entry(place.launch)
                .or_default()
                .push(sample.time.0);
        }
    }
    let cell = |(key, launches): (Key, BTreeMap<u32, Vec<f64>>)| {
        let all = launches.values().flatten().copied();
        let quickest = all.fold(f64::INFINITY, f64::min).min(key.slowest(network));
        let limit = quickest + (0.3 * quickest).max(0.1);
        let of_launch = |times: Vec<f64>| times.into_iter().map(|t| (t, t > limit)).collect();
        let launches = launches.into_values().map(of_launch).collect();
        (key, Cell { launches })
    };
    times.into_iter().map(cell).collect()
}

impl Key {
    pub(super) fn is_alltoall(&self) -> bool {
        self.collective == Collective::Alltoall
    }

    /// Longest time without a stall, if known.
    fn slowest(&self, network: Option<&Network>) -> f64 {
        let Some(network) = network else {
            return f64::INFINITY;
        };
        let is_eager = network.eager_limit.is_none_or(|limit| self.size < limit);
        if !is_eager || !self.is_alltoall() {
            return f64::INFINITY;
        }
        let bytes = self.size.as_f64();
        let port = network.host_gap().0 * self.procs.partners() * bytes;
        let cuts = network.cuts().unwrap_or_default();
        let links = cuts.iter().map(|cut| {
            let behind = f64::from(self.procs.get() / 2);
            cut.gap.0 * behind * (f64::from(self.procs.get()) - behind) * bytes
        });
        1.5 * links.fold(port, f64::max)
    }
}

impl Cell {
    /// A cell of one repetition without a stall.
    pub(super) fn of_one(time: Seconds) -> Self {
        Self {
            launches: vec![vec![(time.0, false)]],
        }
    }

    /// All repetitions.
    pub(super) fn all(&self) -> impl Iterator<Item = Repetition> {
        self.launches.iter().flatten().copied()
    }

    /// The median of all repetitions.
    pub(super) fn median(&self) -> Seconds {
        Seconds(median(self.all().map(|(time, _)| time)))
    }

    /// The mean of all repetitions.
    pub(super) fn mean(&self) -> Seconds {
        let count = self.all().count() as f64;
        Seconds(self.all().map(|(time, _)| time).sum::<f64>() / count)
    }

    /// Share of the repetitions that stall.
    pub(super) fn stalled(&self) -> f64 {
        let count = self.all().count() as f64;
        self.all().filter(|(_, stalled)| *stalled).count() as f64 / count
    }

    /// True if 10 to 90 % of the repetitions stall.
    pub(super) fn is_mixture(&self) -> bool {
        (0.1..=0.9).contains(&self.stalled())
    }

    /// Ratio of the median of every other launch to that of the rest; `None` for a single launch.
    pub(super) fn halves(&self) -> Option<f64> {
        let half = |first: usize| {
            let launches = self.launches.iter().skip(first).step_by(2);
            let times: Vec<f64> = launches.flatten().map(|(time, _)| *time).collect();
            (!times.is_empty()).then(|| median(times))
        };
        Some(half(0)? / half(1)?)
    }

    /// Each launch with the repetitions of all others; none for a single launch.
    pub(super) fn left_out(&self) -> impl Iterator<Item = (&[Repetition], Vec<Repetition>)> {
        let is_one = self.launches.len() < 2;
        let apart = self.launches.iter().enumerate().map(|(own, launch)| {
            let others = self.launches.iter().enumerate();
            let others = others.filter(|(other, _)| *other != own);
            let others = others
                .flat_map(|(_, launch)| launch.iter().copied())
                .collect();
            (&launch[..], others)
        });
        apart.filter(move |_| !is_one)
    }
}
