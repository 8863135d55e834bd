//! Patterns in which the messages of an algorithm share ports and links, from its entry in the table of algorithms;
//! classes of process counts for which it takes the same steps.

use netsig_base::algorithm::{
    Algorithm, AlgorithmTraffic, Collective, CollectiveMethod, LIBRARY, LibraryDecision, MpiFlavour, ReductionForm,
    TreeLoad,
};
use netsig_base::units::{Bytes, Procs};
use serde::{Deserialize, Serialize};

use super::links::{self, ExchangeOrder};
use super::loads::ExchangePieces;
use super::reduction::ReductionSteps;
use super::{Protocol, RegimesPoint};

/// Pattern in which the messages of an algorithm share ports and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum TrafficPattern {
    /// All messages of a process pass one port, and all processes exchange at the same time.
    Exchange(ExchangeOrder),
    /// As `Exchange`, in segments.
    Segments {
        /// Order of the messages.
        order: ExchangeOrder,
        /// Segment size q.
        segment: Bytes,
        /// w: largest number of exchanges of a segment in progress.
        window: u32,
    },
    /// All messages pass the port of one process.
    Port,
    /// Each round handles one digit of the distance of sender and receiver, in base `radix`; other ranks relay the
    /// blocks.
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
    /// The steps of a reduction or barrier.
    Reduction {
        /// Its steps.
        form: ReductionForm,
        /// Segment size, if one is set.
        segment: Option<Bytes>,
    },
    /// A broadcast of a library along the trees that its rules choose; all have the same parameters.
    Decided(MpiFlavour),
    /// A reduction or barrier of a library in the steps that its rules choose; all have the same parameters.
    DecidedSteps {
        /// The library.
        flavour: MpiFlavour,
        /// The collective.
        collective: Collective,
    },
}

/// Radix of the k-nomial trees that a library takes by default.
const LIBRARY_RADIX: u32 = 4;

/// Class of process counts for which an algorithm takes the same steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum CountClass {
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

impl CountClass {
    /// True if counts of another class belong to this one.
    pub fn includes(self, other: Self) -> bool {
        self == Self::Every || self == other
    }
}

impl TrafficPattern {
    /// Pattern of an algorithm by its name in data files, netsig's own or a library's; `None` for
    /// an algorithm that the model does not describe.
    pub fn of(collective: Collective, algorithm: &str) -> Option<Self> {
        Self::of_method(&CollectiveMethod::parse(collective, algorithm).ok()?)
    }

    /// Pattern of a method; `None` for one that the model does not describe.
    pub fn of_method(method: &CollectiveMethod) -> Option<Self> {
        Self::of_traffic(method.traffic()?, Some(method))
    }

    /// Pattern of a traffic, with the settings of the method.
    pub(crate) fn of_traffic(traffic: AlgorithmTraffic, method: Option<&CollectiveMethod>) -> Option<Self> {
        let segment = method.and_then(CollectiveMethod::segment);
        let algorithm = method.and_then(CollectiveMethod::algorithm);
        let exchange = |order| match segment {
            None => Self::Exchange(order),
            Some(segment) => Self::Segments {
                order,
                segment,
                window: algorithm.and_then(Algorithm::window).unwrap_or(1),
            },
        };
        match traffic {
            AlgorithmTraffic::AtOnce => Some(exchange(ExchangeOrder::AtOnce)),
            AlgorithmTraffic::Rounds => Some(exchange(ExchangeOrder::Rounds)),
            AlgorithmTraffic::Powers => Some(exchange(ExchangeOrder::Powers)),
            AlgorithmTraffic::Phases => Some(exchange(ExchangeOrder::Phases)),
            AlgorithmTraffic::Clusters => None,
            AlgorithmTraffic::Digits => Some(Self::Digits {
                radix: method.and_then(CollectiveMethod::radix)?,
            }),
            AlgorithmTraffic::Port => Some(Self::Port),
            AlgorithmTraffic::Doubling => Some(Self::Doubling),
            AlgorithmTraffic::Chain => Some(Self::Chain),
            AlgorithmTraffic::Pipeline => segment.map(|segment| Self::Pipeline { segment }),
            AlgorithmTraffic::ScatterDoubling => Some(Self::ScatterDoubling),
            AlgorithmTraffic::ScatterRing => Some(Self::ScatterRing),
            AlgorithmTraffic::Tree(load) => segment.is_none().then_some(Self::Tree {
                parts: load == TreeLoad::Parts,
            }),
            AlgorithmTraffic::Binary => segment.is_none().then_some(Self::Binary),
            AlgorithmTraffic::BinaryInTurn => segment.is_none().then_some(Self::BinaryInTurn),
            AlgorithmTraffic::Reduction(form) => Some(Self::Reduction { form, segment }),
            AlgorithmTraffic::Knomial => {
                let radix = method.map_or(Some(LIBRARY_RADIX), CollectiveMethod::radix)?;
                segment.is_none().then_some(Self::Knomial { radix })
            }
        }
    }

    /// Pattern of the default broadcast, reduction or barrier of the library called `mpi`, if its rules are known. They
    /// choose among several trees or steps, whose parameters are the same.
    pub(super) fn of_library(collective: Collective, mpi: &str) -> Option<Self> {
        let flavour = LibraryDecision::of_version(mpi, collective)?.flavour();
        match collective {
            Collective::Bcast => Some(Self::Decided(flavour)),
            _ if collective.is_reduction() || collective == Collective::Barrier => {
                Some(Self::DecidedSteps { flavour, collective })
            }
            _ => None,
        }
    }

    /// Pattern of a case. If rules choose among trees or steps, it is what they choose. It is a binomial tree if the
    /// model does not describe their tree, and the usual steps if it does not describe theirs.
    pub(super) fn at_case(self, procs: Procs, size: Bytes) -> Self {
        let (flavour, collective) = match self {
            Self::Decided(flavour) => (flavour, Collective::Bcast),
            Self::DecidedSteps { flavour, collective } => (flavour, collective),
            _ => return self,
        };
        let decision = LibraryDecision::of(flavour, collective);
        let decided_traffic = decision.and_then(|rules| rules.traffic(procs, size));
        let decided = decided_traffic.and_then(|traffic| match traffic {
            AlgorithmTraffic::Pipeline => Some(Self::Chain),
            traffic => Self::of_traffic(traffic, None),
        });
        let usual = || match self {
            Self::DecidedSteps { .. } => Self::of(collective, LIBRARY),
            _ => None,
        };
        decided.or_else(usual).unwrap_or(Self::Tree { parts: false })
    }

    /// The rules that choose the steps of a reduction or barrier, if they do.
    pub(super) fn rules_of_steps(self) -> Option<&'static LibraryDecision> {
        match self {
            Self::DecidedSteps { flavour, collective } => LibraryDecision::of(flavour, collective),
            _ => None,
        }
    }

    /// True if rules choose between several trees or steps.
    pub(crate) fn is_decided(self) -> bool {
        matches!(self, Self::Decided(_) | Self::DecidedSteps { .. })
    }

    /// True if every process exchanges with every other.
    pub fn is_exchange(self) -> bool {
        matches!(self, Self::Exchange(_) | Self::Segments { .. })
    }

    /// Longest message of a call for `size` bytes.
    pub fn message(self, procs: Procs, size: Bytes) -> Bytes {
        match self {
            Self::Reduction { form, segment } => ReductionSteps { form, segment }.longest_message(procs, size),
            Self::Segments { segment, .. } | Self::Pipeline { segment } => size.min(segment),
            _ => size,
        }
    }

    /// True if most messages of a reduction are blocks of the vector, one for each rank.
    pub(crate) fn travels_in_blocks(self) -> bool {
        use ReductionForm::{Direct, Pairwise, ReduceThenScatter, Ring, RingSegmented, ScatterDirect, ScatterRing};
        matches!(
            self,
            Self::Reduction {
                form: Direct | Pairwise | ReduceThenScatter | Ring | RingSegmented | ScatterDirect | ScatterRing,
                ..
            }
        )
    }

    /// Number of messages in which a call sends a piece of `size` bytes.
    pub fn segments(self, procs: Procs, size: Bytes) -> u64 {
        let message = self.message(procs, size).0.max(1);
        size.0.div_ceil(message).max(1)
    }

    /// Class of the process count n.
    pub fn class(self, procs: Procs) -> CountClass {
        match self {
            Self::Exchange(ExchangeOrder::Powers) if procs.get().is_power_of_two() => CountClass::Power,
            Self::Exchange(ExchangeOrder::Powers) => CountClass::Other,
            _ => CountClass::Every,
        }
    }

    /// x = (n − 1)·m: bytes that pass a port where many send at once, changed by links between
    /// switches (`links`). `None` for patterns without simultaneous senders.
    pub fn port_bytes(self, point: RegimesPoint) -> Option<f64> {
        match self {
            Self::Exchange(ExchangeOrder::AtOnce) => Some(links::queued_bytes(point, &ExchangePieces::of(point))),
            Self::Exchange(order) => {
                let rounds = links::rounds(point, order, Protocol::Eager);
                Some(links::paced_bytes(point, &ExchangePieces::of(point), rounds))
            }
            Self::Segments { .. } => Some(links::waiting_bytes(point, self.window_bytes()?)),
            Self::Reduction { form, segment } => ReductionSteps { form, segment }.port_bytes(point.procs, point.size),
            _ => None,
        }
    }

    /// x of segments, scaled so that it reaches X when they fill a port's buffer; `None` for other patterns.
    pub(crate) fn crowded_bytes(self, point: RegimesPoint) -> Option<f64> {
        Some(links::crowded_bytes(point, self.window_bytes()?))
    }

    /// Bytes of a window of segments.
    fn window_bytes(self) -> Option<Bytes> {
        match self {
            Self::Segments { segment, window, .. } => Some(Bytes(segment.0.saturating_mul(window.into()))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::Fold;

    use super::*;

    /// Algorithms with one name in MPI libraries and netsig, and those that relay blocks.
    #[test]
    fn algorithms_have_the_pattern_of_what_they_do() {
        use Collective::{Allgather, Alltoall, Bcast};
        let patterns = [
            (
                Alltoall,
                "throttled:2 library library:scattered pairwise pairwise-segmented:4KiB \
                 library:pairwise bruck:2 two-phase:4 library:brucks",
            ),
            (Bcast, "library:basic_linear library:chain"),
            (Allgather, "library:recursive_doubling"),
        ]
        .map(|(collective, names)| {
            let line = |name| format!("{collective} {name}: {:?}\n", TrafficPattern::of(collective, name));
            names.split(' ').map(line).collect::<String>()
        });
        insta::assert_snapshot!(patterns.concat());
    }

    /// The rules depend on the version: Open MPI 5 broadcasts by another component. A library may take several trees.
    #[test]
    fn a_library_broadcasts_along_the_trees_of_its_version() {
        let of = |mpi| TrafficPattern::of_library(Collective::Bcast, mpi);
        let open_mpi = TrafficPattern::Decided(MpiFlavour::OpenMpi);
        assert_eq!(of("Open MPI v4.1.4"), Some(open_mpi));
        assert_eq!(of("Open MPI v5.0.7"), None);
        assert_eq!(of("Intel(R) MPI Library 2021.18"), None);
        let at = |count| open_mpi.at_case(Procs::new(count).unwrap(), Bytes(1024));
        assert_eq!(at(6), TrafficPattern::BinaryInTurn);
        assert_eq!(at(9), TrafficPattern::Knomial { radix: 4 });
    }

    /// Open MPI has too few elements to halve 128 bytes among 48, and reduces to one rank.
    #[test]
    fn a_library_reduces_in_the_steps_that_run() {
        let of = |collective, mpi| TrafficPattern::of_library(collective, mpi);
        let steps = of(Collective::Allreduce, "Open MPI v4.1.4").unwrap();
        let at = |count, size| steps.at_case(Procs::new(count).unwrap(), Bytes(size));
        let reduction = |form| TrafficPattern::Reduction { form, segment: None };
        assert_eq!(at(48, 128), reduction(ReductionForm::FlatReduceBcast));
        assert_eq!(at(48, 64), reduction(ReductionForm::RecursiveDoubling));
        assert_eq!(at(48, 1 << 20), reduction(ReductionForm::Rabenseifner(Fold::Halves)));
        assert_eq!(at(48, 0), reduction(ReductionForm::Rabenseifner(Fold::Halves)));
        let barrier = of(Collective::Barrier, "MPICH Version:\t4.0.2").unwrap();
        let among_six = barrier.at_case(Procs::new(6).unwrap(), Bytes(0));
        assert_eq!(among_six, reduction(ReductionForm::Dissemination));
        assert_eq!(of(Collective::Alltoall, "Open MPI v4.1.4"), None);
        assert_eq!(of(Collective::Allreduce, "Open MPI v5.0.7"), None);
    }
}
