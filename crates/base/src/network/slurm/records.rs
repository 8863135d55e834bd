//! The kinds of lines, with their keys.

/// Content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TopologyRecord {
    Switch,
    Block,
    /// Sizes and sums of blocks, by which Slurm plans jobs.
    Planning,
}

/// A kind of line.
pub(super) struct TopologyRecordForm {
    pub(super) record: TopologyRecord,
    /// The keys; the first is on no line of another kind.
    pub(super) keys: &'static [&'static str],
}

/// The kinds of lines; a line with the first key of none is taken for the first kind.
pub(super) const RECORDS: [TopologyRecordForm; 5] = [
    TopologyRecordForm {
        record: TopologyRecord::Switch,
        keys: &["SwitchName", "Nodes", "Switches", "LinkSpeed", "Level"],
    },
    TopologyRecordForm {
        record: TopologyRecord::Block,
        keys: &["BlockName", "Nodes", "BlockIndex", "BlockSize"],
    },
    TopologyRecordForm {
        record: TopologyRecord::Planning,
        keys: &["AggregatedBlock", "Nodes", "BlockIndex", "BlockSize"],
    },
    TopologyRecordForm {
        record: TopologyRecord::Planning,
        keys: &["BlockSizes"],
    },
    TopologyRecordForm {
        record: TopologyRecord::Planning,
        keys: &["BlockLevels"],
    },
];
