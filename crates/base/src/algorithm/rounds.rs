//! The rounds of an algorithm as functions of a rank, and what they depend on.

use std::fmt;
use std::ops::Range;

use super::setting::AlgorithmSetting;
use super::{Algorithm, AlltoallPhases, ClusterLayout};
use crate::schedule::{OperandOrder, Round};
use crate::units::{Procs, Rank};

/// The rounds of an algorithm.
pub(super) trait AlgorithmRounds: fmt::Debug + Sync {
    /// Number of rounds, and their memory.
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline;

    /// Sends, receives and copies of a rank in round `index`.
    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round;

    /// Range of rounds outside of which a rank is idle.
    fn active_rounds(&self, shape: ScheduleShape, rank: Rank) -> Range<usize>;

    /// Order in which operands are combined, if the rounds combine any.
    fn operand_order(&self) -> Option<OperandOrder> {
        None
    }
}

/// Rounds given by two functions; every rank may be active in all of them.
#[derive(Debug)]
pub(super) struct RoundFunctions(
    pub(super) fn(ScheduleShape) -> ScheduleOutline,
    pub(super) fn(ScheduleShape, Rank, usize) -> Round,
);

impl AlgorithmRounds for RoundFunctions {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        (self.0)(shape)
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        (self.1)(shape, rank, index)
    }

    fn active_rounds(&self, shape: ScheduleShape, _: Rank) -> Range<usize> {
        0..self.outline(shape).rounds
    }
}

/// Rounds of a reduction, given by two functions; every rank may be active in all of them. Where the order is that of
/// the ranks, the functions have any root, else rank 0.
#[derive(Debug)]
pub(super) struct CombiningRounds(
    pub(super) OperandOrder,
    pub(super) fn(ScheduleShape) -> ScheduleOutline,
    pub(super) fn(ScheduleShape, Rank, usize) -> Round,
);

impl AlgorithmRounds for CombiningRounds {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        (self.1)(shape)
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        (self.2)(shape, rank, index)
    }

    fn active_rounds(&self, shape: ScheduleShape, _: Rank) -> Range<usize> {
        0..self.outline(shape).rounds
    }

    fn operand_order(&self) -> Option<OperandOrder> {
        Some(self.0)
    }
}

/// Division of a piece by an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceCut {
    /// None. Each message is one piece, from the rank that supplies it to its destination, so that
    /// pieces may differ in size.
    Straight,
    /// None. Pieces may be relayed or sent together.
    Whole,
    /// Segments of the size that is set.
    Segments,
    /// As `Segments`. Each message is one segment, from the rank that supplies it to its
    /// destination, so that pieces may differ in size.
    StraightSegments,
    /// One part for each rank.
    Ranks,
    /// One part for each rank of the largest power of two.
    PowerOfTwo,
    /// Of a vector: one part of whole elements for each rank.
    RankElements,
    /// Of a vector: one part of whole elements for each rank of the largest power of two.
    PowerOfTwoElements,
    /// Of a vector: as many parts, halves of halves.
    Halves,
    /// Of a vector: as `Halves`, for each cluster of the largest power of two.
    ClusterHalves,
    /// Of a vector: segments of about the size that is set, of whole elements.
    SegmentElements,
    /// Of a vector: one block for each rank, cut so that n parts have about n times the segment size that is set.
    RingSegments,
}

/// Arguments that determine a schedule, apart from rank and round. The size of the message affects
/// the number of parts only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScheduleShape<'a> {
    pub(super) procs: Procs,
    pub(super) parts: u32,
    pub(super) algorithm: Algorithm,
    /// The root of a reduction in rank order; else ranks are numbered from the root.
    pub(super) root: Rank,
    /// Phases that fit the links between the switches, if these are known.
    pub(super) phases: Option<&'a AlltoallPhases>,
    /// Clusters of the ranks, for an algorithm that follows them.
    pub(super) layout: Option<&'a ClusterLayout>,
}

/// Dimensions of a schedule, apart from those that follow from its collective and cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScheduleOutline {
    pub(super) rounds: usize,
    /// Blocks of memory for data on the way to other ranks.
    pub(super) scratch: u32,
    /// Buffers for one block each.
    pub(super) buffers: u32,
    /// Largest number of blocks in a message.
    pub(super) longest_message: u32,
}

impl<'a> ScheduleShape<'a> {
    /// Clusters of the ranks, for an algorithm that follows them.
    pub(super) fn required_layout(&self) -> &'a ClusterLayout {
        self.layout.expect("an algorithm that follows clusters has a layout")
    }

    /// Value of a setting that the algorithm has.
    pub(super) fn setting_value(&self, setting: AlgorithmSetting) -> u32 {
        let value = self.algorithm.setting_value(setting);
        value.expect("an algorithm reads the settings of its entry")
    }
}

impl ScheduleOutline {
    /// Outline of this many rounds, of messages of one block from and into the caller's arrays.
    pub(super) fn without_relays(rounds: usize) -> Self {
        Self {
            rounds,
            scratch: 0,
            buffers: 0,
            longest_message: 1,
        }
    }
}

impl PieceCut {
    /// True if pieces may differ in size.
    pub(super) fn serves_unequal_pieces(self) -> bool {
        matches!(self, Self::Straight | Self::StraightSegments)
    }
}
