//! Law of losses: retransmitted segments against the bytes that pass a link.
//!
//! # Formula
//! ```text
//! E[retransmits of a repetition] = k·(b + f·max(0, x − X)/MSS)
//! ```
//!
//! k is the number of links of a kind, and x the number of bytes that pass each of them in the exchange. For the ports
//! of n hosts, k = n and x = (n − 1)·m. X is the onset in bytes, f the lost share of the bytes beyond it, b the
//! background in segments of a link and repetition, MSS = 1448 bytes. Ports of hosts overflow from messages of
//! M(n) = X/(n − 1) bytes on.
//!
//! # Method
//! Quasi-likelihood for counts (`likelihood`), with the variance φ·μ + κ·μ² of a negative binomial
//! distribution and a cost that limits the influence of a wild cell. X is searched (`search`): the
//! profile of its quasi-deviance gives its interval, and also shows if the counts rise at all.
//!
//! The first repetition of a launch is left out if the launch has others. In it TCP does not yet know the delay of full
//! buffers, and repeats segments that are only late. On ports of 960 KiB, which lose nothing, nearly all
//! retransmissions are of this kind.
//!
//! # Domain
//! Messages below the eager limit, one process per host. X belongs to a kind of link and to the
//! protocol of an MPI library. At least four cells; X and f are certain only if several cells
//! exceed X.
//!
//! # Source
//! netsig, from measured exchanges; `McCullagh` and Nelder 1989, chapter 9 (quasi-likelihood).

mod likelihood;
mod search;

use std::collections::BTreeMap;

use netsig_base::algorithm::Collective;
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, CellRows, MeasuredCells};
use netsig_base::stats::interval::{IntervalEstimate, f_quantile};
use netsig_base::units::{Bytes, EstimatedBytes, Procs};

use self::likelihood::LossCounts;
use crate::model::regimes::Protocol;

/// Payload of a full TCP segment on Ethernet, in bytes.
const MSS: f64 = 1448.0;

/// Number of estimated parameters: X, f and b.
const PARAMETERS: usize = 3;

/// Least fall of D that shows a rise of the counts: the quantile 0.999 of χ² with two degrees of
/// freedom. The level is strict, since X is searched.
const LEAST_RISE: f64 = 13.816;

/// Most times that a segment is sent again, and most spurious retransmissions of a link.
const MOST_REPEATS: f64 = 10.0;
const MOST_SPURIOUS: f64 = 100.0;

/// Least f of a port that overflows; a smaller one comes from single segments that are repeated for other reasons.
const LEAST_SHARE: f64 = 0.01;

/// Traffic of an exchange through one kind of link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkLoad {
    /// k: number of links.
    pub links: u32,
    /// x: bytes through each link.
    pub bytes: f64,
}

/// Retransmissions of one repetition, summed over all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepetitionLosses {
    /// Number of the MPI launch.
    pub launch: u32,
    /// Number of retransmitted segments.
    pub retransmits: u64,
}

/// Repetitions of one process count and size.
#[derive(Debug, Clone, PartialEq)]
pub struct LossCell {
    /// Number of processes n.
    pub procs: Procs,
    /// Traffic of a repetition.
    pub load: LinkLoad,
    /// Counters of the repetitions.
    pub repetitions: Vec<RepetitionLosses>,
}

/// The counted messages: those of one protocol in one algorithm of a collective.
#[derive(Debug, Clone, Copy)]
pub struct LossSubject<'a> {
    /// Collective.
    pub collective: Collective,
    /// Name of its algorithm.
    pub algorithm: &'a str,
    /// Protocol of the messages.
    pub protocol: Protocol,
    /// First size that is not sent at once, if there is one.
    pub eager_limit: Option<Bytes>,
}

/// A fitted law of losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossLaw {
    /// X in bytes.
    pub onset: IntervalEstimate,
    /// f, from 0 to 1.
    pub share: IntervalEstimate,
    /// b: spurious retransmissions of a link and repetition.
    pub background: f64,
    /// Variance of the counts.
    pub dispersion: CountDispersion,
}

/// Variance of counts around their mean μ: φ·μ for a repetition, and κ·μ² for a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountDispersion {
    /// φ: length of a burst of losses in segments.
    pub burst: f64,
    /// κ: squared relative error of a cell's mean, from launch to launch and from the law.
    pub scatter: f64,
}

/// Reason why there is no law of losses.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NoLossLaw {
    /// No losses above the background.
    #[error("no losses are seen up to {} through a link; measure larger messages or more processes", EstimatedBytes(*beyond))]
    Unseen {
        /// Greatest measured x: links may overflow from here on.
        beyond: f64,
    },
    /// Counters are missing.
    #[error("no eager message of an exchange has a counter of retransmits; measure where /proc/net/snmp can be read")]
    NoCounters,
    /// Too few cells for three parameters.
    #[error("the law of losses needs at least {needed} cells ({found} are there); measure more sizes")]
    TooFewCells {
        /// Number of cells.
        found: usize,
        /// Least number of cells.
        needed: usize,
    },
}

impl LinkLoad {
    /// Traffic through the ports of n hosts that exchange m bytes between all pairs.
    pub fn of_ports(procs: Procs, size: Bytes) -> Self {
        Self {
            links: procs.get(),
            bytes: procs.partners() * size.as_f64(),
        }
    }

    /// Most retransmissions that a repetition can have; a greater count is of another cause.
    fn most_retransmits(self) -> f64 {
        f64::from(self.links) * (MOST_SPURIOUS + self.bytes / MSS * MOST_REPEATS)
    }

    /// True if bytes pass a link.
    fn has_traffic(self) -> bool {
        self.links > 0 && self.bytes.is_finite() && self.bytes > 0.0
    }
}

impl LossLaw {
    /// Expected number of retransmitted segments of a repetition.
    pub fn expected(&self, load: LinkLoad) -> f64 {
        let rate = self.share.value * segments_beyond(self.onset.value, load.bytes);
        f64::from(load.links) * (self.background + rate)
    }

    /// M(n) = X/(n − 1): message size in bytes from which the ports of n hosts overflow; `None` for
    /// one process.
    pub fn threshold(&self, procs: Procs) -> Option<IntervalEstimate> {
        let partners = procs.partners();
        let each = |bytes: f64| bytes / partners;
        (partners > 0.0).then(|| IntervalEstimate {
            value: each(self.onset.value),
            lower: each(self.onset.lower),
            upper: each(self.onset.upper),
        })
    }
}

/// Bytes beyond the onset in segments: max(0, x − X)/MSS.
fn segments_beyond(onset: f64, bytes: f64) -> f64 {
    (bytes - onset).max(0.0) / MSS
}

/// Cells of a subject's messages, ascending in process count and size. `load_of` gives the traffic through a kind of
/// link, or `None` if the exchange does not use it. Samples without a counter are left out, as is the first repetition
/// of a launch that has others.
pub fn cells(
    measured: &MeasuredCells,
    subject: LossSubject,
    load_of: impl Fn(Procs, Bytes) -> Option<LinkLoad>,
) -> Vec<LossCell> {
    let collective_cells = measured.of_experiment(Experiment::Collective(subject.collective));
    let subject_cells = collective_cells.filter(|(key, _)| subject.is_of_cell(key));
    let cell = |(key, rows): (&CellKey, &CellRows)| {
        let mut repetitions = Some(counted_repetitions(rows)).filter(|repetitions| !repetitions.is_empty())?;
        let load = load_of(key.procs, key.size)?;
        repetitions.retain(|repetition| repetition.retransmits as f64 <= load.most_retransmits());
        Some(LossCell {
            procs: key.procs,
            load,
            repetitions,
        })
    };
    subject_cells.filter_map(cell).collect()
}

/// The repetitions of a cell that have a counter, without the first of each launch that has others.
fn counted_repetitions(rows: &CellRows) -> Vec<RepetitionLosses> {
    let mut launches: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    for sample in &rows.samples {
        if let Some(count) = sample.losses.retransmits {
            let counts = launches.entry(sample.cell.launch).or_default();
            counts.push((sample.repetition, u64::from(count)));
        }
    }
    let of_launch = |(launch, mut counts): (u32, Vec<(u32, u64)>)| {
        counts.sort_unstable();
        let first = usize::from(counts.len() > 1);
        let repetition = move |(_, retransmits)| RepetitionLosses { launch, retransmits };
        counts.into_iter().skip(first).map(repetition)
    };
    launches.into_iter().flat_map(of_launch).collect()
}

impl LossSubject<'_> {
    /// True if a cell is of the algorithm and its message of the protocol.
    fn is_of_cell(&self, key: &CellKey) -> bool {
        *key.algorithm == *self.algorithm && Protocol::of(key.size, self.eager_limit) == self.protocol
    }
}

/// Fits the law to cells; the intervals have the level `confidence`. Cells without traffic or
/// repetitions are left out.
///
/// # Errors
/// If there are fewer than four cells, or their counts do not rise above the background.
pub fn fit(cells: &[LossCell], confidence: f64) -> Result<LossLaw, NoLossLaw> {
    let is_usable = |cell: &&LossCell| cell.load.has_traffic() && !cell.repetitions.is_empty();
    let usable_cells: Vec<&LossCell> = cells.iter().filter(is_usable).collect();
    let (found, needed) = (usable_cells.len(), PARAMETERS + 1);
    match found {
        0 => return Err(NoLossLaw::NoCounters),
        _ if found < needed => return Err(NoLossLaw::TooFewCells { found, needed }),
        _ => {}
    }
    let dof = found - PARAMETERS;
    let mut counts = LossCounts::new(&usable_cells);
    let onset_search = search::search(&mut counts);
    let rise = counts.without_losses().cost - onset_search.best.cost;
    let beyond = counts.greatest_bytes();
    if rise <= LEAST_RISE || onset_search.best.share < LEAST_SHARE {
        return Err(NoLossLaw::Unseen { beyond });
    }
    let limit = onset_search.best.cost + f_quantile(confidence, 1, dof);
    Ok(LossLaw {
        onset: onset_search.onset(&counts, limit),
        share: onset_search.share(limit),
        background: onset_search.best.background,
        dispersion: counts.dispersion,
    })
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use netsig_base::data::Dataset;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, Gamma, Poisson};

    use super::*;
    use crate::fit::testing::is_close;
    use crate::testing::procs;

    const CONFIDENCE: f64 = 0.95;

    /// X, f and b of simulated counts.
    const TRUTH: (f64, f64, f64) = (290e3, 0.07, 0.01);

    /// Two launches of eight repetitions for each of four process counts and eight sizes. The
    /// means of `expected` vary by launch (0.85 and 1.15); gamma-distributed means of Poisson
    /// counts make them negative binomial, with the variance μ + 0.15·μ².
    fn simulated(seed: u64, expected: impl Fn(LinkLoad) -> f64) -> Vec<LossCell> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut cells = Vec::new();
        for count in [4, 6, 8, 12] {
            for size in [8, 16, 24, 32, 40, 48, 56, 60] {
                let load = LinkLoad::of_ports(procs(count), Bytes(size * 1024));
                let mut repetition = |launch: u32| {
                    let mean = expected(load) * [0.85, 1.15][launch as usize];
                    let launch_means = Gamma::new(1.0 / 0.15, 0.15 * mean).unwrap();
                    let launch_counts = Poisson::new(launch_means.sample(&mut rng).max(1e-12)).unwrap();
                    RepetitionLosses {
                        launch,
                        retransmits: Bytes::rounded(launch_counts.sample(&mut rng)).0,
                    }
                };
                cells.push(LossCell {
                    procs: procs(count),
                    load,
                    repetitions: (0..16).map(|number| repetition(number / 8)).collect(),
                });
            }
        }
        cells
    }

    fn truth(load: LinkLoad) -> f64 {
        let (onset, share, background) = TRUTH;
        let beyond = (load.bytes - onset).max(0.0) / 1448.0;
        f64::from(load.links) * (background + share * beyond)
    }

    #[test]
    fn the_truth_comes_back() {
        for seed in 0..4 {
            let mut cells = simulated(seed, truth);
            // One wild cell, below the onset.
            if seed == 3 {
                let wild = cells.iter_mut().find(|cell| cell.load.bytes > 2e5).unwrap();
                wild.repetitions.fill(RepetitionLosses {
                    launch: 0,
                    retransmits: 100_000,
                });
            }
            let found = fit(&cells, CONFIDENCE).unwrap();
            let (onset, share, _) = TRUTH;
            assert!(is_close(found.onset.value, onset, 0.05), "{found:?}");
            assert!(found.onset.lower < onset && onset < found.onset.upper, "{found:?}");
            assert!(is_close(found.share.value, share, 0.2), "{found:?}");
            let eight = found.threshold(procs(8)).unwrap();
            assert!(is_close(eight.value * 7.0, found.onset.value, 1e-12));
        }
    }

    /// Twice as many losses are twice the share from the same onset.
    #[test]
    fn the_onset_does_not_depend_on_the_share() {
        let cells = simulated(5, truth);
        let mut doubled = cells.clone();
        for one in doubled.iter_mut().flat_map(|cell| &mut cell.repetitions) {
            one.retransmits *= 2;
        }
        let [single, double] = [&cells, &doubled].map(|cells| fit(cells, CONFIDENCE).unwrap());
        let ratio = double.share.value / single.share.value;
        assert!(is_close(double.onset.value, single.onset.value, 0.01));
        assert!(is_close(ratio, 2.0, 0.02), "{ratio}");
    }

    #[test]
    fn nothing_is_found_without_losses() {
        let background = |load: LinkLoad| f64::from(load.links) * TRUTH.2;
        for cells in [simulated(6, background), simulated(6, |_| 1e-9)] {
            let beyond = 11.0 * 61_440.0;
            assert_eq!(fit(&cells, CONFIDENCE), Err(NoLossLaw::Unseen { beyond }));
        }
        assert_eq!(fit(&[], CONFIDENCE), Err(NoLossLaw::NoCounters));
        let (found, needed) = (1, 4);
        let one = &simulated(6, truth)[..1];
        let too_few = Err(NoLossLaw::TooFewCells { found, needed });
        assert_eq!(fit(one, CONFIDENCE), too_few);
    }

    /// Greatest counters, single repetitions and NaN sizes lead to bounded estimates.
    #[test]
    fn absurd_counts_are_survived() {
        let mut cells = simulated(7, truth);
        for (place, cell) in cells.iter_mut().enumerate() {
            cell.repetitions.truncate(1);
            cell.repetitions[0].retransmits = [u64::MAX, 0, 1][place % 3];
            cell.load.bytes = [cell.load.bytes, f64::NAN, 1e300, 1e-300][place % 4];
        }
        for cells in [&cells[..], &cells[..9]] {
            if let Ok(found) = fit(cells, CONFIDENCE) {
                found.onset.check("onset").unwrap();
                found.share.check("share").unwrap();
            }
        }
    }

    /// A file of measured losses as text.
    macro_rules! text {
        ($network:literal) => {
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../bench/data/losses/",
                $network,
                ".csv"
            ))
        };
    }

    /// Cells of the direct exchange of a file, of some process counts.
    fn measured(text: &str, counts: RangeInclusive<u32>) -> Vec<LossCell> {
        let data = Dataset::read("a.csv", text.as_bytes()).unwrap();
        let subject = LossSubject {
            collective: Collective::Alltoall,
            algorithm: "direct",
            protocol: Protocol::Eager,
            eager_limit: data.provenance.eager_limit(),
        };
        cells(&MeasuredCells::of(&data), subject, |procs, size| {
            counts.contains(&procs.get()).then(|| LinkLoad::of_ports(procs, size))
        })
    }

    /// X is proportional to the buffers of the ports, in KiB; cells of eight processes suffice to find it.
    #[test]
    fn measured_ports_overflow_from_a_multiple_of_their_buffers_on() {
        for (text, buffer) in [
            (text!("ethernet-12x40"), 64.0),
            (text!("ethernet-16x25"), 64.0),
            (text!("ethernet-12x30"), 48.0),
            (text!("cubic-16x40"), 32.0),
        ] {
            let of = |counts| fit(&measured(text, counts), CONFIDENCE).unwrap().onset;
            let [all, few, eight] = [4..=16, 4..=8, 8..=8].map(of);
            let buffers = all.value / (buffer * 1024.0);
            assert!((4.0..5.2).contains(&buffers), "{buffer}: {buffers}");
            assert!(is_close(few.value, all.value, 0.1), "{buffer}: {few:?}");
            for part in [few, eight] {
                let is_inside = part.lower < all.value && all.value < part.upper;
                assert!(is_inside, "{buffer}: {part:?}");
            }
        }
    }

    /// Ports of 960 KiB lose nothing; nearly all of their retransmissions are in first
    /// repetitions of launches.
    #[test]
    fn deep_ports_show_no_losses() {
        for (counts, beyond) in [(4..=12, 675_840.0), (4..=8, 430_080.0)] {
            let found = fit(&measured(text!("deep-12x40"), counts), CONFIDENCE);
            assert_eq!(found, Err(NoLossLaw::Unseen { beyond }));
        }
    }
}
