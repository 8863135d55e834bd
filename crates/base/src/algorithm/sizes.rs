//! Sizes of the pieces of an all-to-all, by sender and receiver.
//!
//! # Formula
//! For n ranks and a mean of m bytes over the n·(n−1) pairs of different ranks:
//!
//! | sizes | bytes from rank i for rank j |
//! |---|---|
//! | equal | m |
//! | skewed | m·a(i)·a(n−1−j)/A to the nearest byte, a(k) = 1/√(1+k) |
//! | sparse | m·(n−1)/k, rounded down, for k receivers; 0 for the others |
//!
//! A is the mean of a(i)·a(n−1−j) over all i ≠ j. So the first ranks send most and the last receive
//! most: the heaviest port has about √n/2 times the mean, 1.8 times among 8 and 3 times among 32.
//!
//! Rank i has k = max(1, ⌊(n+1)/4⌋) receivers. They follow it in the cyclic order of the other ranks at the places s,
//! s+1, … s+k−1 modulo n−1, s = i² mod (n−1). All ranks send the same amount; some receive from many and some from
//! none.
//!
//! # Source
//! netsig. The weights are a law of Zipf with the exponent ½ for senders and for receivers.

use crate::units::{Bytes, Procs, Rank};

/// How the sizes of the pieces of an all-to-all differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SizePattern {
    /// All are equal.
    #[default]
    Equal,
    /// A few senders and a few receivers have much of the data.
    Skewed,
    /// Each rank has data for about a quarter of the others.
    Sparse,
}

/// Sizes of the pieces of an exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PieceSizes<'a> {
    /// Sizes of a pattern with the mean m.
    OfMean(SizePattern),
    /// Known for every pair; m is their mean.
    Known(&'a PairSizes),
}

/// Length of the piece for each pair of sender and receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSizes {
    procs: Procs,
    law: PairSizeLaw,
}

#[derive(Debug, Clone, PartialEq)]
enum PairSizeLaw {
    /// By sender, then by receiver.
    Listed(Vec<Bytes>),
    Skewed {
        /// m/A in bytes.
        unit: f64,
    },
    Sparse {
        /// k.
        receivers: u32,
        size: Bytes,
    },
}

impl SizePattern {
    /// Length of the message that carries a byte on average: Σl²/Σl over the lengths l of all pairs.
    pub fn byte_weighted_message(self, procs: Procs, mean: Bytes) -> Bytes {
        match self {
            Self::Equal => mean,
            Self::Skewed => {
                let ratio = pair_sum(procs, 2) / pair_sum(procs, 1);
                Bytes::rounded(skewed_unit(procs, mean) * ratio)
            }
            Self::Sparse => sparse_size(procs, mean),
        }
    }
}

impl From<SizePattern> for PieceSizes<'_> {
    fn from(sizes: SizePattern) -> Self {
        Self::OfMean(sizes)
    }
}

impl PieceSizes<'_> {
    /// Length of the message that carries a byte on average, of pieces with a mean of `mean` bytes.
    pub fn byte_weighted_message(self, procs: Procs, mean: Bytes) -> Bytes {
        match self {
            Self::OfMean(sizes) => sizes.byte_weighted_message(procs, mean),
            Self::Known(pairs) => pairs.byte_weighted_message(),
        }
    }
}

impl PairSizes {
    /// Sizes from a function of sender and receiver.
    pub fn new(procs: Procs, bytes: impl Fn(Rank, Rank) -> Bytes) -> Self {
        let pairs_from = |from| procs.ranks().map(move |to| (from, to));
        let pairs = procs.ranks().flat_map(pairs_from);
        Self {
            procs,
            law: PairSizeLaw::Listed(pairs.map(|(from, to)| bytes(from, to)).collect()),
        }
    }

    /// The sizes with this mean; `None` if all are equal.
    pub fn of_pattern(pattern: SizePattern, procs: Procs, mean: Bytes) -> Option<Self> {
        let law = match pattern {
            SizePattern::Equal => return None,
            SizePattern::Skewed => PairSizeLaw::Skewed {
                unit: skewed_unit(procs, mean),
            },
            SizePattern::Sparse => PairSizeLaw::Sparse {
                receivers: receiver_count(procs),
                size: sparse_size(procs, mean),
            },
        };
        Some(Self { procs, law })
    }

    /// Number of ranks.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// Length of the piece of `from` for `to`.
    pub fn get(&self, from: Rank, to: Rank) -> Bytes {
        let n = self.procs.get();
        match &self.law {
            PairSizeLaw::Listed(bytes) => bytes[from.0 as usize * n as usize + to.0 as usize],
            PairSizeLaw::Skewed { unit } => Bytes::rounded(unit * weight(from.0) * weight(n - 1 - to.0)),
            PairSizeLaw::Sparse { receivers, size } => {
                let others = u64::from(n) - 1;
                let start = u64::from(from.0).pow(2) % others.max(1);
                // Place of the receiver in the order of the others, from 0.
                let place = u64::from((to.0 + n - from.0) % n);
                let is_receiver = |place: u64| (place + others - start) % others < u64::from(*receivers);
                match place.checked_sub(1) {
                    Some(place) if is_receiver(place) => *size,
                    _ => Bytes(0),
                }
            }
        }
    }

    /// Length of the longest piece.
    pub fn largest(&self) -> Bytes {
        let last = Rank(self.procs.get() - 1);
        match &self.law {
            PairSizeLaw::Listed(bytes) => bytes.iter().copied().max().unwrap_or_default(),
            PairSizeLaw::Skewed { .. } => self.get(Rank(0), last),
            PairSizeLaw::Sparse { size, .. } => *size,
        }
    }

    /// Mean over all pairs of different ranks, to the nearest byte; 0 for a single rank.
    pub fn mean(&self) -> Bytes {
        let pairs = f64::from(self.procs.get()) * self.procs.partners();
        Bytes::rounded(self.power_sum(1) / pairs.max(1.0))
    }

    /// Largest |ln(l/l̄)| over the lengths l of all pairs of different ranks; infinite where one is 0.
    pub fn unevenness(&self) -> f64 {
        let mean = self.mean().as_f64();
        let deviation = |(_, _, bytes): (Rank, Rank, Bytes)| (bytes.as_f64() / mean).ln().abs();
        let all: Vec<f64> = self.messages().map(deviation).collect();
        if (all.len() as f64) < f64::from(self.procs.get()) * self.procs.partners() {
            return f64::INFINITY;
        }
        all.into_iter().fold(0.0, f64::max)
    }

    /// True if most pairs of different ranks have no data.
    pub fn is_sparse(&self) -> bool {
        let pairs = f64::from(self.procs.get()) * self.procs.partners();
        (self.messages().count() as f64) < pairs / 2.0
    }

    /// Length of the message that carries a byte on average: Σl²/Σl; 0 without bytes.
    fn byte_weighted_message(&self) -> Bytes {
        match self.power_sum(1) {
            0.0 => Bytes(0),
            bytes => Bytes::rounded(self.power_sum(2) / bytes),
        }
    }

    /// Σ l^power over all pairs of different ranks.
    fn power_sum(&self, power: i32) -> f64 {
        let lengths = self.messages().map(|(_, _, bytes)| bytes.as_f64());
        lengths.map(|bytes| bytes.powi(power)).sum()
    }

    /// Sender, receiver and length of every piece for another rank that is not empty.
    pub fn messages(&self) -> impl Iterator<Item = (Rank, Rank, Bytes)> {
        let pairs_from = |from| self.procs.ranks().map(move |to| (from, to));
        let all_pairs = self.procs.ranks().flat_map(pairs_from);
        let pairs = all_pairs.filter(|(from, to)| from != to);
        let messages = pairs.map(|(from, to)| (from, to, self.get(from, to)));
        messages.filter(|(_, _, bytes)| bytes.0 > 0)
    }
}

/// a(k).
fn weight(place: u32) -> f64 {
    1.0 / (1.0 + f64::from(place)).sqrt()
}

/// Σ (a(i)·a(n−1−j))^power over all i ≠ j; 1 for a single rank, which has no pair.
fn pair_sum(procs: Procs, power: i32) -> f64 {
    let n = procs.get();
    if n == 1 {
        return 1.0;
    }
    let weight = |place| weight(place).powi(power);
    let all: f64 = (0..n).map(weight).sum();
    let diagonal: f64 = (0..n).map(|place| weight(place) * weight(n - 1 - place)).sum();
    all * all - diagonal
}

/// m/A.
fn skewed_unit(procs: Procs, mean: Bytes) -> f64 {
    let pairs = f64::from(procs.get()) * procs.partners();
    mean.as_f64() * pairs.max(1.0) / pair_sum(procs, 1)
}

/// k.
fn receiver_count(procs: Procs) -> u32 {
    (procs.get().saturating_add(1) / 4).max(1)
}

/// Bytes for each of the k receivers.
fn sparse_size(procs: Procs, mean: Bytes) -> Bytes {
    let all = mean.0.saturating_mul(u64::from(procs.get() - 1));
    Bytes(all / u64::from(receiver_count(procs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(sizes: SizePattern, count: u32, mean: u64) -> Vec<Vec<u64>> {
        let procs = Procs::new(count).unwrap();
        let pairs = PairSizes::of_pattern(sizes, procs, Bytes(mean)).unwrap();
        let row = |from| procs.ranks().map(|to| pairs.get(from, to).0).collect();
        procs.ranks().map(row).collect()
    }

    /// By hand. Three ranks, weights 1, 1/√2 and 1/√3: rank 0 has products 1/√2 and 1 for the others, rank 1 has
    /// 1/√6 and 1/√2, rank 2 has 1/3 and 1/√6; their mean is 0.59401.
    #[test]
    fn sizes_are_those_worked_by_hand() {
        let skewed = [[972, 1190, 1683], [687, 842, 1190], [561, 687, 972]];
        assert_eq!(matrix(SizePattern::Skewed, 3, 1000), skewed);
        let sparse = [
            [0, 20, 0, 0, 0],
            [0, 0, 0, 20, 0],
            [0, 0, 0, 20, 0],
            [20, 0, 0, 0, 0],
            [20, 0, 0, 0, 0],
        ];
        assert_eq!(matrix(SizePattern::Sparse, 5, 5), sparse);
    }

    /// The mean, a few heavy ports, and about a quarter of the pairs.
    #[test]
    fn patterns_have_their_mean_and_their_shape() {
        for (sizes, count) in [SizePattern::Skewed, SizePattern::Sparse]
            .into_iter()
            .flat_map(|sizes| [1, 2, 3, 8, 13, 64].map(|count| (sizes, count)))
        {
            let procs = Procs::new(count).unwrap();
            let pairs = PairSizes::of_pattern(sizes, procs, Bytes(10_000)).unwrap();
            let all: Vec<_> = pairs.messages().collect();
            assert_eq!(pairs.is_sparse(), sizes == SizePattern::Sparse && count > 3, "{count}");
            let total: u64 = all.iter().map(|(_, _, bytes)| bytes.0).sum();
            let expected = 10_000.0 * f64::from(count) * procs.partners();
            assert!((total as f64 - expected).abs() <= 1e-3 * expected, "{sizes:?} {count}");
            let largest = all.iter().map(|(_, _, bytes)| *bytes).max();
            assert_eq!(largest, Some(pairs.largest()).filter(|_| count > 1));
            let squares: f64 = all.iter().map(|(_, _, l)| l.as_f64().powi(2)).sum();
            let message = sizes.byte_weighted_message(procs, Bytes(10_000)).as_f64();
            if count > 1 {
                assert!(
                    (message * total as f64 / squares - 1.0).abs() < 1e-3,
                    "{sizes:?} {count}"
                );
            }
            if sizes == SizePattern::Sparse && count > 1 {
                let each = ((count + 1) / 4).max(1);
                assert_eq!(all.len(), (count * each) as usize);
            }
        }
    }
}
