//! The table of algorithms: one entry per algorithm, with a function that gives a rank's rounds.
//!
//! Help, documents, the executor, the tests and the benchmarks iterate over [`ALGORITHMS`]; a new
//! algorithm needs one entry, one function and one line here. The functions have rank 0 as their
//! root; [`Schedule`] renumbers the ranks for another root.
//!
//! The algorithms of reductions, whose blocks are combined, are in `reduction`. Some keep the order of the ranks and
//! serve every operation; the others need one that commutes.

mod allgather;
mod alltoall;
mod barrier;
mod bcast;
mod bruck;
mod call;
mod collective;
mod counterpart;
mod decision;
mod delivery;
mod gather;
mod identity;
mod layout;
mod library;
mod method;
mod offer;
mod phased;
mod phases;
mod reduction;
mod rounds;
mod rule;
mod scatter;
mod scatter_allgather;
mod schedule;
mod served;
mod setting;
mod sizes;
#[cfg(test)]
mod testing;
mod traffic;
mod tree;
mod two_level;
mod two_phase;
mod unknown;
mod windowed;

use std::fmt;
use std::iter;

use itertools::Itertools as _;

use crate::schedule::OperandOrder;
use crate::units::Bytes;
use rounds::{AlgorithmRounds, CombiningRounds, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape};
use setting::{RADIX, SEGMENT, SettingValues, WAN_FLOWS, WINDOW};

pub use bruck::{BruckWork, bruck_work};
pub use call::{CollectiveCall, DOUBLE, UnsupportedCall};
pub use collective::{COLLECTIVES, Collective};
pub use counterpart::MpiSetting;
pub use decision::{DecisionCase, LibraryDecision, OperatorKind, RunAlgorithm};
pub use delivery::{PieceCounts, PieceId};
pub use layout::{ClusterLayout, ClusterRank};
pub use library::{AlgorithmNotOffered, LIBRARY, LibraryChoice};
pub use method::CollectiveMethod;
pub use offer::{MpiFlavour, OfferedAlgorithm, offered_algorithms};
pub use phases::AlltoallPhases;
pub use reduction::{
    CriticalPath, ElementType, OperandPairs, PathStep, ReducedVector, ReductionOperands, ReductionOperation,
    UnknownOperands,
};
pub use rule::RuleAlgorithm;
pub use schedule::{ProvenSchedule, Schedule};
pub use served::ServedOperations;
pub use setting::{AlgorithmSetting, LONGEST_SEGMENT, SettingKind, split_algorithms};
pub use sizes::{PairSizes, PieceSizes, SizePattern};
pub use traffic::{AlgorithmTraffic, ClosedForm, Fold, ReductionForm, TreeLoad};
pub use unknown::UnknownAlgorithm;

/// An entry of the table of algorithms.
#[derive(Debug)]
pub struct AlgorithmEntry {
    /// Name in plans, data and options.
    pub name: &'static str,
    /// The collective that it computes.
    pub collective: Collective,
    /// Description in one line.
    pub summary: &'static str,
    /// Settings, in the order in which they are written.
    pub settings: &'static [AlgorithmSetting],
    cut: PieceCut,
    rounds: &'static dyn AlgorithmRounds,
    /// Traffic of its messages; `None` where the contention regimes do not describe it.
    traffic: Option<AlgorithmTraffic>,
    closed_form: Option<ClosedForm>,
    /// Names in MPI libraries. A library may have the same algorithm with and without segments
    /// under one name.
    offered: &'static [OfferedAlgorithm],
}

/// Every algorithm, in the order in which help and reports list them.
pub static ALGORITHMS: &[AlgorithmEntry] = &[
    bcast::FLAT,
    bcast::CHAIN,
    bcast::BINARY,
    bcast::BINOMIAL,
    bcast::KNOMIAL,
    bcast::FLAT_SEGMENTED,
    bcast::PIPELINE,
    bcast::BINARY_SEGMENTED,
    bcast::BINOMIAL_SEGMENTED,
    scatter_allgather::SCATTER_ALLGATHER,
    scatter_allgather::SCATTER_ALLGATHER_RING,
    two_level::BCAST,
    scatter::FLAT,
    scatter::BINOMIAL,
    scatter::CHAIN,
    two_level::SCATTER,
    gather::FLAT,
    gather::BINOMIAL,
    gather::CHAIN,
    two_level::GATHER,
    alltoall::DIRECT,
    alltoall::DIRECT_UNROTATED,
    alltoall::PAIRWISE,
    alltoall::PAIRWISE_RING,
    windowed::WINDOWED,
    alltoall::PAIRWISE_SEGMENTED,
    phased::PHASED,
    alltoall::THROTTLED,
    alltoall::SENDS_IN_TURN,
    bruck::BRUCK,
    two_phase::TWO_PHASE,
    two_phase::TWO_PHASE_BALANCED,
    two_phase::TWO_PHASE_STAGGERED,
    two_phase::TWO_PHASE_SPACED,
    allgather::RING,
    allgather::RECURSIVE_DOUBLING,
    allgather::BRUCK,
    allgather::NEIGHBOUR,
    two_level::ALLGATHER,
    reduction::tree::FLAT,
    reduction::tree::BINOMIAL,
    reduction::tree::BINARY,
    reduction::tree::CHAIN,
    reduction::tree::PIPELINE,
    reduction::rabenseifner::REDUCE,
    reduction::rabenseifner::REDUCE_BLOCKS,
    reduction::in_order::BINARY,
    two_level::REDUCE,
    reduction::doubling::ALLREDUCE,
    reduction::rabenseifner::ALLREDUCE,
    reduction::rabenseifner::ALLREDUCE_BLOCKS,
    reduction::ring::ALLREDUCE,
    reduction::ring::ALLREDUCE_SEGMENTED,
    reduction::composed::REDUCE_BCAST,
    reduction::direct::ALLREDUCE,
    reduction::direct::ALLREDUCE_WINDOWED,
    two_level::ALLREDUCE,
    reduction::pairwise::PAIRWISE,
    reduction::halving::HALVING,
    reduction::ring::REDUCE_SCATTER,
    reduction::butterfly::BUTTERFLY,
    reduction::doubling::REDUCE_SCATTER,
    reduction::composed::REDUCE_SCATTER,
    reduction::direct::REDUCE_SCATTER,
    reduction::direct::REDUCE_SCATTER_WINDOWED,
    two_level::REDUCE_SCATTER,
    reduction::pairwise::PAIRWISE_BLOCK,
    reduction::halving::HALVING_BLOCK,
    reduction::ring::REDUCE_SCATTER_BLOCK,
    reduction::butterfly::BUTTERFLY_BLOCK,
    reduction::doubling::REDUCE_SCATTER_BLOCK,
    reduction::composed::REDUCE_SCATTER_BLOCK,
    reduction::direct::REDUCE_SCATTER_BLOCK,
    reduction::direct::REDUCE_SCATTER_BLOCK_WINDOWED,
    two_level::REDUCE_SCATTER_BLOCK,
    barrier::DISSEMINATION,
    barrier::TREE,
    barrier::RECURSIVE_DOUBLING,
    barrier::FLAT,
    barrier::DOUBLE_RING,
    two_level::BARRIER,
];

/// An algorithm with its settings, such as `direct` or `throttled:4`.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    /// The collective of its entry, or one with other sizes of the pieces.
    collective: Collective,
    entry: &'static AlgorithmEntry,
    values: SettingValues,
}

impl AlgorithmEntry {
    /// Syntax of the algorithm: `direct`, `throttled:WINDOW`, or with several settings
    /// `NAME:KEY=VALUE,KEY=VALUE`.
    pub fn usage(&self) -> String {
        setting::text(self.name, self.settings, |_, setting| setting.placeholder())
    }

    /// The algorithm with the example values of its settings: `direct`, `throttled:2`.
    pub fn example(&self) -> String {
        self.text(|setting| setting.example)
    }

    /// Closed form of its time on networks that consist of ports alone.
    pub fn closed_form(&self) -> Option<ClosedForm> {
        self.closed_form
    }

    /// The algorithm with every combination of its settings' candidate values: once without settings, never if a
    /// setting has no candidate values.
    pub fn candidates(&'static self) -> impl Iterator<Item = Algorithm> {
        let value_lists = self.settings.iter().map(|setting| setting.candidate_values.iter());
        let combined = value_lists.multi_cartesian_product();
        combined.map(move |combination| {
            let mut values = SettingValues::default();
            for (place, value) in combination.into_iter().enumerate() {
                values.set(place, *value);
            }
            Algorithm {
                collective: self.collective,
                entry: self,
                values,
            }
        })
    }

    /// True if `text` is the name of the algorithm, with or without settings.
    pub fn is_named_by(&self, text: &str) -> bool {
        text.split(':').next() == Some(self.name)
    }

    /// True if the algorithm has no setting other than a segment size.
    pub fn is_chosen_by_size(&self) -> bool {
        self.settings.iter().all(|setting| setting.key == SEGMENT.key)
    }

    /// Text of the algorithm with these values of its settings.
    pub fn text<T: fmt::Display>(&self, value: impl Fn(&AlgorithmSetting) -> T) -> String {
        setting::text(self.name, self.settings, |_, setting| value(setting))
    }
}

impl Algorithm {
    /// The algorithm of `collective` written as `text`.
    ///
    /// # Errors
    /// If there is none of that name or its settings differ from [`AlgorithmEntry::usage`].
    pub fn parse(collective: Collective, text: &str) -> Result<Self, UnknownAlgorithm> {
        let entry = algorithm_entries(collective)
            .find(|entry| entry.is_named_by(text))
            .ok_or_else(|| UnknownAlgorithm::name(collective, text))?;
        let algorithm = Self::with_settings(entry, text)?;
        Ok(Self {
            collective,
            ..algorithm
        })
    }

    /// `entry` with the settings of `text`, which begins with its name.
    fn with_settings(entry: &'static AlgorithmEntry, text: &str) -> Result<Self, UnknownAlgorithm> {
        let settings = text.split_once(':').map(|(_, settings)| settings);
        let read_values = SettingValues::read(entry.settings, settings);
        let values = read_values.ok_or_else(|| UnknownAlgorithm::Setting {
            text: text.to_owned(),
            usage: iter::once(entry.usage())
                .chain(entry.settings.iter().map(AlgorithmSetting::range))
                .join(", "),
        })?;
        Ok(Self {
            collective: entry.collective,
            entry,
            values,
        })
    }

    /// The collective that it computes.
    pub fn collective(&self) -> Collective {
        self.collective
    }

    /// Traffic of its messages; `None` where the contention regimes do not describe it.
    pub fn traffic(&self) -> Option<AlgorithmTraffic> {
        self.entry.traffic
    }

    /// Closed form of its time on networks that consist of ports alone; `None` also for pieces of
    /// different sizes.
    pub fn closed_form(&self) -> Option<ClosedForm> {
        let form = self.entry.closed_form;
        form.filter(|_| self.collective.size_pattern() == SizePattern::Equal)
    }

    /// Order in which it combines operands; `None` if it combines nothing.
    pub fn operand_order(&self) -> Option<OperandOrder> {
        self.entry.rounds.operand_order()
    }

    /// Segment size, if it has this setting.
    pub fn segment(&self) -> Option<Bytes> {
        self.setting_value(SEGMENT).map(|bytes| Bytes(bytes.into()))
    }

    /// Largest number of exchanges in progress, if it has this setting.
    pub fn window(&self) -> Option<u32> {
        self.setting_value(WINDOW)
    }

    /// Largest number of exchanges in progress between two clusters, if it has this setting.
    pub fn wan_flows(&self) -> Option<u32> {
        self.setting_value(WAN_FLOWS)
    }

    /// Base of the numbers that order the ranks, if it has this setting.
    pub fn radix(&self) -> Option<u32> {
        self.setting_value(RADIX)
    }

    /// Value of a setting; `None` without this setting.
    fn setting_value(&self, setting: AlgorithmSetting) -> Option<u32> {
        let mut settings = self.entry.settings.iter();
        let place = settings.position(|entry_setting| entry_setting.key == setting.key)?;
        Some(self.values.get(place))
    }
}

/// The algorithms of a collective.
pub fn algorithm_entries(collective: Collective) -> impl Iterator<Item = &'static AlgorithmEntry> {
    let table = collective.table_collective();
    let serves = move |entry: &&AlgorithmEntry| collective == table || entry.cut.serves_unequal_pieces();
    let table_entries = ALGORITHMS.iter().filter(move |entry| entry.collective == table);
    table_entries.filter(serves)
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, values, .. } = self;
        let text = setting::text(entry.name, entry.settings, |place, _| values.get(place));
        f.write_str(&text)
    }
}

#[cfg(test)]
pub(crate) mod tests;
