//! The kinds of lines, with their keys.

/// What a line describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TopologyRecord {
    Switch,
    Block,
    /// Sizes and sums of blocks, by which Slurm plans jobs.
    Planning,
}

/// A kind of line.
pub(super) struct RecordForm {
    pub(super) record: TopologyRecord,
    /// The keys; the first is on no line of another kind.
    pub(super) keys: &'static [&'static str],
}

/// The kinds of lines; a line with the first key of none is taken for the first kind.
pub(super) const RECORDS: [RecordForm; 5] = [
    RecordForm {
        record: TopologyRecord::Switch,
        keys: &["SwitchName", "Nodes", "Switches", "LinkSpeed", "Level"],
    },
    RecordForm {
        record: TopologyRecord::Block,
        keys: &["BlockName", "Nodes", "BlockIndex", "BlockSize"],
    },
    RecordForm {
        record: TopologyRecord::Planning,
        keys: &["AggregatedBlock", "Nodes", "BlockIndex", "BlockSize"],
    },
    RecordForm {
        record: TopologyRecord::Planning,
        keys: &["BlockSizes"],
    },
    RecordForm {
        record: TopologyRecord::Planning,
        keys: &["BlockLevels"],
    },
];
