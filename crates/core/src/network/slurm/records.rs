//! The kinds of lines, with their keys.

/// What a line describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    Switch,
    Block,
    /// Sizes and sums of blocks, by which Slurm plans jobs.
    Planning,
}

/// The keys of each kind of line; the first is on no line of another kind.
pub(super) const RECORDS: [&[&str]; 5] = [
    &["SwitchName", "Nodes", "Switches", "LinkSpeed", "Level"],
    &["BlockName", "Nodes", "BlockIndex", "BlockSize"],
    &["AggregatedBlock", "Nodes", "BlockIndex", "BlockSize"],
    &["BlockSizes"],
    &["BlockLevels"],
];

/// The kinds in the order of [`RECORDS`].
pub(super) const KINDS: [Record; 5] = [
    Record::Switch,
    Record::Block,
    Record::Planning,
    Record::Planning,
    Record::Planning,
];
