//! Patterns in which the messages of an algorithm share ports and links, by its entry in the table of
//! algorithms; the classes of process counts for which it takes the same steps.

use std::sync::LazyLock;

use netsig_base::algorithm::{Algorithm, Collective, Decision, Load, Method, MpiFlavour, Traffic};
use netsig_base::units::{Bytes, Procs};
use serde::{Deserialize, Serialize};

use super::links::{self, Order};
use super::loads::Exchange;
use super::{Point, Protocol};

/// Pattern in which the messages of an algorithm share ports and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pattern {
    /// All messages of a process pass one port, and all processes exchange at the same time.
    Exchange(Order),
    /// As `Exchange`, in segments.
    Segments {
        /// Order of the messages.
        order: Order,
        /// Segment size q.
        segment: Bytes,
        /// w: largest number of exchanges of a segment in progress.
        window: u32,
    },
    /// All messages pass the port of one process.
    Port,
    /// Each round handles one digit of the distance of sender and receiver, in base `radix`; others
    /// relay the blocks.
    Digits {
        /// The base r.
        radix: u32,
    },
    /// Blocks double, or are handed on, in ⌈log₂ n⌉ rounds; all blocks pass every port.
    Doubling,
    /// Each process hands the whole message on to the next.
    Chain,
    /// Each process hands the message on to the next, in segments.
    Pipeline {
        /// Segment size q.
        segment: Bytes,
    },
    /// A part for each process along a binomial tree, then all parts in ⌈log₂ n⌉ rounds.
    ScatterDoubling,
    /// A part for each process along a binomial tree, then all parts from each process to the next.
    ScatterRing,
    /// A binomial tree.
    Tree {
        /// True if an edge carries a block for every process behind it.
        parts: bool,
    },
    /// A binary tree, filled level by level.
    Binary,
    /// A binary tree of a library, whose ranks go to both sides of each node in turn.
    BinaryInTurn,
    /// A k-nomial tree.
    Knomial {
        /// The base k.
        radix: u32,
    },
    /// A broadcast of a library along the trees that its rules take, with the same parameters on all.
    Decided(MpiFlavour),
}

/// Radix of the k-nomial trees that a library takes by itself.
const LIBRARY_RADIX: u32 = 4;

/// Class of process counts for which an algorithm takes the same steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Class {
    /// All counts.
    Every,
    /// Powers of two.
    #[serde(rename = "powers-of-two")]
    #[strum(serialize = "powers-of-two")]
    Power,
    /// Counts that are not powers of two.
    #[serde(rename = "others")]
    #[strum(serialize = "others")]
    Other,
}

impl Class {
    /// True if counts of another class belong to this one.
    pub fn holds(self, other: Self) -> bool {
        self == Self::Every || self == other
    }
}

impl Pattern {
    /// Pattern of an algorithm by its name in data files, netsig's own or a library's; `None` for
    /// an algorithm that the model does not describe.
    pub fn of(collective: Collective, algorithm: &str) -> Option<Self> {
        Self::of_method(&Method::parse(collective, algorithm).ok()?)
    }

    /// Pattern of a method; `None` for one that the model does not describe.
    pub fn of_method(method: &Method) -> Option<Self> {
        Self::of_traffic(method.traffic()?, Some(method))
    }

    /// Pattern of a traffic, with the settings of the method.
    pub(crate) fn of_traffic(traffic: Traffic, method: Option<&Method>) -> Option<Self> {
        let segment = method.and_then(Method::segment);
        let algorithm = method.and_then(Method::algorithm);
        let exchange = |order| match segment {
            None => Self::Exchange(order),
            Some(segment) => Self::Segments {
                order,
                segment,
                window: algorithm.and_then(Algorithm::window).unwrap_or(1),
            },
        };
        match traffic {
            Traffic::AtOnce => Some(exchange(Order::AtOnce)),
            Traffic::Rounds => Some(exchange(Order::Rounds)),
            Traffic::Powers => Some(exchange(Order::Powers)),
            Traffic::Phases => Some(exchange(Order::Phases)),
            Traffic::Clusters => None,
            Traffic::Digits => Some(Self::Digits {
                radix: method.and_then(Method::radix)?,
            }),
            Traffic::Port => Some(Self::Port),
            Traffic::Doubling => Some(Self::Doubling),
            Traffic::Chain => Some(Self::Chain),
            Traffic::Pipeline => segment.map(|segment| Self::Pipeline { segment }),
            Traffic::ScatterDoubling => Some(Self::ScatterDoubling),
            Traffic::ScatterRing => Some(Self::ScatterRing),
            Traffic::Tree(load) => segment.is_none().then_some(Self::Tree {
                parts: load == Load::Parts,
            }),
            Traffic::Binary => segment.is_none().then_some(Self::Binary),
            Traffic::BinaryInTurn => segment.is_none().then_some(Self::BinaryInTurn),
            Traffic::Knomial => {
                let radix = method.map_or(Some(LIBRARY_RADIX), Method::radix)?;
                segment.is_none().then_some(Self::Knomial { radix })
            }
        }
    }

    /// Pattern of the own choice of the library called `mpi` by rules that take several trees, if it is
    /// one. Open MPI 5 broadcasts by its component `han`, in steps of its own.
    pub(super) fn decided(collective: Collective, mpi: &str) -> Option<Self> {
        let flavour = MpiFlavour::of(mpi)?;
        let has_rules = flavour != MpiFlavour::OpenMpi || mpi.starts_with("Open MPI v4.1");
        let is_known = collective == Collective::Bcast && decision(flavour).is_some();
        (has_rules && is_known).then_some(Self::Decided(flavour))
    }

    /// Pattern of a case: of several trees the one that the rules take, a binomial one where the model
    /// does not describe theirs.
    pub(super) fn at(self, procs: Procs, size: Bytes) -> Self {
        let Self::Decided(flavour) = self else {
            return self;
        };
        let decided = decision(flavour).and_then(|own| own.traffic(procs, size));
        let decided = decided.and_then(|traffic| match traffic {
            Traffic::Pipeline => Some(Self::Chain),
            traffic => Self::of_traffic(traffic, None),
        });
        decided.unwrap_or(Self::Tree { parts: false })
    }

    /// True if rules choose between several trees.
    pub(crate) fn is_decided(self) -> bool {
        matches!(self, Self::Decided(_))
    }

    /// True if every process exchanges with every other.
    pub fn is_exchange(self) -> bool {
        matches!(self, Self::Exchange(_) | Self::Segments { .. })
    }

    /// Longest message of a call for `size` bytes.
    pub fn message(self, size: Bytes) -> Bytes {
        match self {
            Self::Segments { segment, .. } | Self::Pipeline { segment } => size.min(segment),
            _ => size,
        }
    }

    /// Number of messages in which a call sends a piece of `size` bytes.
    pub fn segments(self, size: Bytes) -> u64 {
        let message = self.message(size).0.max(1);
        size.0.div_ceil(message).max(1)
    }

    /// Class of the process count n.
    pub fn class(self, procs: Procs) -> Class {
        match self {
            Self::Exchange(Order::Powers) if procs.get().is_power_of_two() => Class::Power,
            Self::Exchange(Order::Powers) => Class::Other,
            _ => Class::Every,
        }
    }

    /// x = (n − 1)·m: bytes that pass a port where many send at once, changed by links between
    /// switches (`links`). `None` for patterns without simultaneous senders.
    pub fn port_bytes(self, point: Point) -> Option<f64> {
        match self {
            Self::Exchange(Order::AtOnce) => Some(links::queued(point, &Exchange::of(point))),
            Self::Exchange(order) => {
                let rounds = links::rounds(point, order, Protocol::Eager);
                Some(links::paced(point, &Exchange::of(point), rounds))
            }
            Self::Segments { .. } => Some(links::waiting(point, self.on_the_way()?)),
            _ => None,
        }
    }

    /// x of segments that fill a port, at X if they fill its buffer; `None` for other patterns.
    pub(crate) fn crowded_bytes(self, point: Point) -> Option<f64> {
        Some(links::crowded(point, self.on_the_way()?))
    }

    /// Bytes of a window of segments.
    fn on_the_way(self) -> Option<Bytes> {
        match self {
            Self::Segments { segment, window, .. } => Some(Bytes(segment.0.saturating_mul(window.into()))),
            _ => None,
        }
    }
}

/// The rules of a library's broadcasts.
fn decision(flavour: MpiFlavour) -> Option<&'static Decision> {
    type Rules = [Option<Decision>; 2];
    static RULES: LazyLock<Rules> =
        LazyLock::new(|| [MpiFlavour::OpenMpi, MpiFlavour::Mpich].map(|own| Decision::of(own, Collective::Bcast)));
    match flavour {
        MpiFlavour::OpenMpi => RULES[0].as_ref(),
        MpiFlavour::Mpich => RULES[1].as_ref(),
        MpiFlavour::IntelMpi => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Algorithms with one name in MPI libraries and netsig, and those that relay blocks.
    #[test]
    fn algorithms_have_the_pattern_of_what_they_do() {
        use Collective::{Allgather, Alltoall, Bcast};
        let told = [
            (
                Alltoall,
                "throttled:2 library library:scattered pairwise pairwise-segmented:4KiB \
                 library:pairwise bruck:2 two-phase:4 library:brucks",
            ),
            (Bcast, "library:basic_linear library:chain"),
            (Allgather, "library:recursive_doubling"),
        ]
        .map(|(collective, names)| {
            let line = |name| format!("{collective} {name}: {:?}\n", Pattern::of(collective, name));
            names.split(' ').map(line).collect::<String>()
        });
        insta::assert_snapshot!(told.concat());
    }

    /// The rules are those of a version: Open MPI 5 broadcasts by another component. One library takes
    /// several trees.
    #[test]
    fn a_library_broadcasts_along_the_trees_of_its_version() {
        let of = |mpi| Pattern::decided(Collective::Bcast, mpi);
        let open_mpi = Pattern::Decided(MpiFlavour::OpenMpi);
        assert_eq!(of("Open MPI v4.1.4"), Some(open_mpi));
        assert_eq!(of("Open MPI v5.0.7"), None);
        assert_eq!(of("Intel(R) MPI Library 2021.18"), None);
        let at = |count| open_mpi.at(Procs::new(count).unwrap(), Bytes(1024));
        assert_eq!(at(6), Pattern::BinaryInTurn);
        assert_eq!(at(9), Pattern::Knomial { radix: 4 });
    }
}
