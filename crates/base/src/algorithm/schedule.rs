//! The schedule of an algorithm for a call: the rounds of each rank, and the proof of delivery.

use std::ops::Range;
use std::sync::Arc;

use super::call::{CollectiveCall, UnsupportedCall};
use super::delivery::{PieceCounts, PieceId};
use super::reduction::{ring_phases, segment_elements};
use super::traffic::AlgorithmTraffic;
use super::{
    ALGORITHMS, Algorithm, AlgorithmEntry, AlltoallPhases, ClusterLayout, Collective, PairSizes, PieceCut,
    ScheduleOutline, ScheduleShape,
};
use crate::schedule::{
    self, BlockCounts, BlockResult, BlockSlot, Datum, OperandOrder, PieceDivision, RootRenumbering, Round,
    ScheduleError, ScheduleExtent,
};
use crate::units::{Bytes, Procs, Rank};

/// An algorithm with a call that it can serve.
///
/// The functions of the table have rank 0 as the root. For another root all ranks are
/// numbered from it, and pieces likewise.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    procs: Procs,
    algorithm: Algorithm,
    division: PieceDivision,
    /// The root, if it is another than rank 0.
    root: Rank,
    renumbering: Option<RootRenumbering>,
    pair_sizes: Option<Arc<PairSizes>>,
    phases: Option<Arc<AlltoallPhases>>,
    /// Clusters of the ranks, numbered from the root, for an algorithm that follows them.
    layout: Option<ClusterLayout>,
}

/// What the division of a piece depends on.
#[derive(Debug, Clone, Copy)]
struct VectorShape {
    procs: Procs,
    size: Bytes,
    element: Bytes,
    /// Number of clusters, at least 1.
    clusters: usize,
}

impl VectorShape {
    fn of(call: &CollectiveCall) -> Self {
        Self {
            procs: call.procs,
            size: call.size,
            element: call.element,
            clusters: call.layout.as_ref().map_or(1, ClusterLayout::clusters),
        }
    }
}

/// A proved schedule, which may be run.
#[derive(Debug, Clone)]
pub struct ProvenSchedule {
    schedule: Schedule,
    /// The rank whose part alone was proved, if not all were.
    rank: Option<Rank>,
}

impl Algorithm {
    /// The schedule with root 0 among `procs` ranks in one cluster, for pieces of `size`; if the collective has
    /// pieces of different sizes, `size` is their mean.
    pub fn schedule(self, procs: Procs, size: Bytes) -> Schedule {
        let pairs = PairSizes::of_pattern(self.collective.size_pattern(), procs, size);
        self.divided(VectorShape::of(&CollectiveCall::new(procs, size)), pairs.map(Arc::new))
    }

    /// The schedule for pieces of `size`, or of the sizes of `pairs`.
    fn divided(self, vector: VectorShape, pairs: Option<Arc<PairSizes>>) -> Schedule {
        let VectorShape {
            procs,
            size,
            element,
            clusters,
        } = vector;
        let largest_size = pairs.as_deref().map_or(size, PairSizes::largest);
        let division = match self.entry.cut {
            PieceCut::Straight | PieceCut::Whole => PieceDivision::whole(largest_size),
            PieceCut::Ranks => PieceDivision::equal(largest_size, procs.get()),
            PieceCut::PowerOfTwo => PieceDivision::equal(largest_size, 1 << procs.floor_log2()),
            PieceCut::Segments | PieceCut::StraightSegments => {
                PieceDivision::segments(largest_size, self.segment().unwrap_or_default())
            }
            PieceCut::RankElements => PieceDivision::elements(size, element, procs.get(), 1),
            PieceCut::PowerOfTwoElements => PieceDivision::elements(size, element, 1 << procs.floor_log2(), 1),
            PieceCut::Halves => PieceDivision::halves(size, element, procs.floor_log2()),
            PieceCut::ClusterHalves => PieceDivision::halves(size, element, clusters.ilog2()),
            PieceCut::SegmentElements => segment_elements(size, element, self.segment().unwrap_or_default()),
            PieceCut::RingSegments => {
                let phases = ring_phases(procs, size, element, self.segment().unwrap_or_default());
                PieceDivision::elements(size, element, procs.get(), phases)
            }
        };
        Schedule {
            procs,
            algorithm: self,
            division,
            root: Rank(0),
            renumbering: None,
            pair_sizes: pairs,
            phases: None,
            layout: self.follows_clusters().then(|| ClusterLayout::one_cluster(procs)),
        }
    }

    /// True if the schedule depends on the clusters of the ranks.
    fn follows_clusters(&self) -> bool {
        self.traffic() == Some(AlgorithmTraffic::Clusters)
    }

    /// The schedule for `call`.
    ///
    /// # Errors
    /// If the algorithm cannot serve the call.
    pub fn serve(self, call: &CollectiveCall) -> Result<Schedule, UnsupportedCall> {
        let mut schedule = match self.pair_sizes(call)? {
            Some(pairs) => self.divided(VectorShape::of(call), Some(pairs)),
            None if self.collective.is_reduction() => self.divided(VectorShape::of(call), None),
            None => self.schedule(call.procs, call.size),
        };
        schedule.root = call.root;
        schedule.renumbering = self.renumbering(call, schedule.division.parts())?;
        schedule.phases.clone_from(&call.phases);
        if let Some(phases) = &schedule.phases {
            refuse_other_count("phases", phases.procs().get() as usize, call.procs)?;
        }
        if let Some(layout) = &call.layout {
            refuse_other_count("layout", layout.ranks(), call.procs)?;
            if self.follows_clusters() {
                let CollectiveCall { procs, root, .. } = *call;
                let ranks_from_root = procs.ranks().map(|number| number.successor(root.0, procs));
                schedule.layout = Some(layout.of_ranks(ranks_from_root));
            }
        }
        Ok(schedule)
    }

    /// Renumbering of ranks and pieces for a root other than rank 0.
    fn renumbering(&self, call: &CollectiveCall, parts: u32) -> Result<Option<RootRenumbering>, UnsupportedCall> {
        let CollectiveCall { procs, root, .. } = *call;
        if root == Rank(0) {
            return Ok(None);
        }
        if root.0 >= procs.get() {
            return Err(UnsupportedCall::NoSuchRoot { root, procs });
        }
        let collective = self.collective();
        if !collective.has_root() {
            return Err(UnsupportedCall::Rootless { collective });
        }
        if self.keeps_ranks() {
            return Ok(None);
        }
        let PieceCounts { input, output } = collective.piece_counts(procs);
        Ok(Some(RootRenumbering {
            root,
            procs,
            parts,
            input,
            output,
        }))
    }

    /// True if the algorithm combines in the order of the ranks, so that they cannot be numbered from the root.
    fn keeps_ranks(&self) -> bool {
        self.operand_order() == Some(OperandOrder::Ranks)
    }

    fn pair_sizes(&self, call: &CollectiveCall) -> Result<Option<Arc<PairSizes>>, UnsupportedCall> {
        let Some(pairs) = &call.pair_sizes else {
            return Ok(None);
        };
        refuse_other_count("sizes", pairs.procs().get() as usize, call.procs)?;
        if !self.entry.cut.serves_unequal_pieces() {
            let mut straight = ALGORITHMS.iter().filter(|entry| entry.cut.serves_unequal_pieces());
            return Err(UnsupportedCall::SizesDiffer {
                algorithm: self.to_string(),
                example: straight.next().map_or("", |entry| entry.name),
            });
        }
        Ok(Some(Arc::clone(pairs)))
    }
}

fn refuse_other_count(of: &'static str, given: usize, procs: Procs) -> Result<(), UnsupportedCall> {
    if given == procs.get() as usize {
        return Ok(());
    }
    Err(UnsupportedCall::OtherCount { of, given, procs })
}

impl Schedule {
    /// The algorithm, with its settings for this call.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Number of ranks.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    fn shape(&self) -> ScheduleShape<'_> {
        ScheduleShape {
            procs: self.procs,
            parts: self.division.parts(),
            algorithm: self.algorithm,
            root: if self.algorithm.keeps_ranks() {
                self.root
            } else {
                Rank(0)
            },
            phases: self.phases.as_deref(),
            layout: self.layout.as_ref(),
        }
    }

    /// Rounds, division, memory and longest message. Counts beyond 2³² − 1 are limited to that
    /// value. For pieces of different sizes, the division is that of the largest piece.
    pub fn extent(&self) -> ScheduleExtent {
        let shape = self.shape();
        let ScheduleOutline {
            rounds,
            scratch,
            buffers,
            longest_message,
        } = self.entry().rounds.outline(shape);
        let PieceCounts { input, output } = self.entry().collective.piece_counts(shape.procs);
        ScheduleExtent {
            procs: shape.procs,
            rounds,
            division: self.division,
            blocks: BlockCounts {
                input: input.saturating_mul(shape.parts),
                output: output.saturating_mul(shape.parts),
                scratch,
                buffers,
            },
            longest_message,
        }
    }

    /// Sends, receives and copies of `rank` in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let number = self.number_of(rank);
        let round = self.entry().rounds.round(self.shape(), number, index);
        match self.renumbering {
            Some(renumbering) => round.renumbered(renumbering),
            None => round,
        }
    }

    /// Range of rounds outside of which `rank` is idle. In a tree the rank is active in the first
    /// and the last of them.
    pub fn active_rounds(&self, rank: Rank) -> Range<usize> {
        let number = self.number_of(rank);
        self.entry().rounds.active_rounds(self.shape(), number)
    }

    /// Length of the message of `slots` from the first rank of the pair to the second.
    pub fn message_bytes(&self, pair: (Rank, Rank), slots: &[BlockSlot]) -> u64 {
        let (from, to) = pair;
        let piece = self.pair_sizes.as_ref().map(|pairs| pairs.get(from, to));
        let length = |slot: &BlockSlot| match piece {
            Some(piece) => self.division.bytes_of(piece, slot.index()),
            None => self.division.bytes(slot.index()),
        };
        slots.iter().map(length).fold(0, u64::saturating_add)
    }

    /// True if a message is sent: if pieces differ in size, both its ends leave out messages without data. A message
    /// without blocks is a signal, and is sent.
    pub fn is_sent(&self, pair: (Rank, Rank), slots: &[BlockSlot]) -> bool {
        self.pair_sizes.is_none() || slots.is_empty() || self.message_bytes(pair, slots) > 0
    }

    /// Lengths of the pieces that differ in size.
    pub fn pair_sizes(&self) -> Option<&PairSizes> {
        self.pair_sizes.as_deref()
    }

    /// Proves the schedule: every block arrives, and every rule is kept. The size of a piece
    /// affects the proof by its number of parts only.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check(&self) -> Result<(), ScheduleError> {
        let ScheduleShape { procs, parts, .. } = self.shape();
        let collective = self.entry().collective;
        let of_piece = |piece: PieceId| {
            let first = piece.number * parts;
            let data = (first..first + parts).map(move |block| Datum {
                origin: piece.origin,
                block,
            });
            data.map(BlockResult::Moved)
        };
        let order = self.algorithm.operand_order().unwrap_or(OperandOrder::Any);
        let expected = |rank| {
            let moved = collective.expected_pieces(procs, self.root, rank).flat_map(of_piece);
            let reduced = collective.reduced_parts(procs, self.root, rank, parts);
            let combined = reduced.map(|part| (part, BlockResult::Combined(part, order)));
            (0..).zip(moved).chain(combined).collect()
        };
        let round = |rank, index| self.round(rank, index);
        if collective == Collective::Barrier {
            schedule::check_synchronisation(self.extent(), round)?;
        }
        schedule::check_delivery(self.extent(), round, expected)
    }

    /// Runs [`Schedule::check`] and returns the proved schedule. Time and memory grow with the blocks of all ranks,
    /// for an all-to-all with the square of the number of ranks: well below a second and 100 MB among 1024.
    ///
    /// # Errors
    /// The errors of [`Schedule::check`].
    pub fn prove(self) -> Result<ProvenSchedule, ScheduleError> {
        self.check()?;
        Ok(ProvenSchedule {
            schedule: self,
            rank: None,
        })
    }

    /// Proves the part of `rank`, for a job in which every rank proves its own part of the same algorithm. Other
    /// ranks may cut pieces into other numbers of parts, if no piece is longer there than its parts. Where each
    /// message carries one block straight to its destination in a single round, time and memory grow with the rank's
    /// own blocks; otherwise this is [`Schedule::prove`].
    ///
    /// # Errors
    /// The errors of [`Schedule::check`].
    pub fn prove_part(self, rank: Rank) -> Result<ProvenSchedule, ScheduleError> {
        if !self.is_straight_part(rank) {
            return self.prove();
        }
        Ok(ProvenSchedule {
            schedule: self,
            rank: Some(rank),
        })
    }

    /// True if the schedule is an exchange in one round, and the part of `rank` is straight.
    fn is_straight_part(&self, rank: Rank) -> bool {
        let extent = self.extent();
        let is_exchange = self.entry().collective == Collective::Alltoall;
        is_exchange && extent.rounds == 1 && schedule::is_straight(&extent, rank, &self.round(rank, 0))
    }

    fn entry(&self) -> &'static AlgorithmEntry {
        self.algorithm.entry
    }

    /// Number of `rank`, counted from the root.
    fn number_of(&self, rank: Rank) -> Rank {
        match self.renumbering {
            Some(RootRenumbering { root, procs, .. }) => rank.predecessor(root.0, procs),
            None => rank,
        }
    }
}

impl ProvenSchedule {
    /// The proof of `schedule`, if it follows from this proof. The pieces may have another size, but not another
    /// number of parts; another root only renumbers ranks and pieces.
    pub fn for_schedule(&self, schedule: Schedule) -> Option<Self> {
        let follows = self.schedule.shape() == schedule.shape();
        follows.then_some(Self {
            schedule,
            rank: self.rank,
        })
    }

    /// Rounds, division, memory and longest message.
    pub fn extent(&self) -> ScheduleExtent {
        self.schedule.extent()
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        self.extent().rounds
    }

    /// Sends, receives and copies of `rank`, whose part is proved, in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let is_proved = self.rank.is_none_or(|proved| proved == rank);
        assert!(is_proved, "another rank's part is not proved");
        self.schedule.round(rank, index)
    }
}
