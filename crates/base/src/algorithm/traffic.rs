//! Properties of an algorithm that other layers use: the traffic of its messages, for the
//! contention regimes, and the closed form of its time, for models and simulator.

use serde::{Deserialize, Serialize};

/// Pattern in which the messages of an algorithm share ports and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlgorithmTraffic {
    /// Every rank exchanges with every other, all at once or a few at a time.
    AtOnce,
    /// Every rank exchanges with every other in rounds: in round t with the ranks t places away.
    Rounds,
    /// In rounds, with rank i xor t where the process count is a power of two, else as `Rounds`.
    Powers,
    /// Every rank exchanges with every other in phases that fit the links between switches.
    Phases,
    /// Inside clusters, and in long messages between them; not described by the regimes.
    Clusters,
    /// Each round handles one digit of the distance of sender and receiver; others relay the blocks.
    Digits,
    /// All messages pass the port of one rank, or of every rank alike, one after the other.
    Port,
    /// ⌈log₂ n⌉ rounds, each of which doubles the data of a rank.
    Doubling,
    /// Each rank hands the whole message on to the next.
    Chain,
    /// Each rank hands the message on to the next in segments of the size that is set; not
    /// described by the regimes where a library chooses the size.
    Pipeline,
    /// A part for each rank along a binomial tree, then all parts in rounds that double them.
    ScatterDoubling,
    /// A part for each rank along a binomial tree, then all parts from each rank to the next.
    ScatterRing,
    /// A binomial tree without segments; not described by the regimes where a segment size is set.
    Tree(TreeLoad),
    /// A binary tree with the whole message; not described where a segment size is set.
    Binary,
    /// As `Binary`, whose ranks go to both sides of each node in turn.
    BinaryInTurn,
    /// A k-nomial tree with the whole message; not described where a segment size is set.
    Knomial,
    /// A reduction or barrier, by its steps.
    Reduction(ReductionForm),
}

/// The steps of a reduction or barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReductionForm {
    /// All-reduce by exchanges of the whole vector with ranks at doubled distances.
    RecursiveDoubling,
    /// All-reduce by halving and an all-gather.
    Rabenseifner(Fold),
    /// All-reduce round a ring.
    Ring,
    /// As `Ring`, in segments of the size that is set.
    RingSegmented,
    /// All-reduce by a binomial reduce and a binomial broadcast.
    ReduceBcast,
    /// All-reduce by a flat reduce and a flat broadcast.
    FlatReduceBcast,
    /// All-reduce by an exchange of all blocks and an all-gather.
    Direct,
    /// Reduce to the root, one vector after the other.
    ReduceFlat,
    /// Reduce over the binomial tree.
    ReduceBinomial,
    /// Reduce over a binary tree.
    ReduceBinary,
    /// Reduce along a chain.
    ReduceChain,
    /// As `ReduceChain`, in segments of the size that is set.
    ReducePipeline,
    /// Reduce by halving and a gather.
    ReduceRabenseifner(Fold),
    /// Reduce over a binary tree in the order of the ranks.
    InOrderBinary,
    /// Reduce-scatter in n − 1 exchanges of blocks.
    Pairwise,
    /// Reduce-scatter by halving, the farthest partners first.
    Halving,
    /// Reduce-scatter round a ring.
    ScatterRing,
    /// Reduce-scatter by halving, the nearest partners first, and an exchange of the blocks.
    Butterfly,
    /// Reduce-scatter by exchanges of nearly the whole vector with ranks at doubled distances.
    ScatterDoubling,
    /// Reduce-scatter by a binomial reduce and a binomial scatter.
    ReduceThenScatter,
    /// Reduce-scatter by an exchange of all blocks.
    ScatterDirect,
    /// Barrier in ⌈log₂ n⌉ rounds.
    Dissemination,
    /// Barrier up and down a binomial tree.
    BarrierTree,
    /// Barrier by exchanges with ranks at doubled distances.
    BarrierDoubling,
    /// Barrier through rank 0.
    BarrierFlat,
    /// Barrier twice round a ring.
    DoubleRing,
}

/// How ranks beyond the largest power of two take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fold {
    /// One rank of a pair sends its whole vector to the other.
    Whole,
    /// Each rank of a pair combines a half of the vector.
    Halves,
}

/// Content of a message along an edge of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeLoad {
    /// The whole message.
    Whole,
    /// One piece for every rank behind the edge.
    Parts,
}

/// Closed form of an algorithm's time on networks that consist of ports alone. `model` gives its
/// formula in pLogP, `sim` its formula where that is exact to the picosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedForm {
    /// The root exchanges a message with every rank.
    Flat,
    /// As `Flat`, one segment after the other.
    FlatSegmented,
    /// The whole message along a chain.
    Chain,
    /// Segments along a chain.
    Pipeline,
    /// Along a chain, one piece for each rank behind the edge.
    ChainOfParts,
    /// The whole message along a binary tree.
    Binary,
    /// The whole message along a binomial tree.
    Binomial,
    /// Segments along a binomial tree.
    BinomialSegmented,
    /// Along a binomial tree, one piece for each rank behind the edge.
    BinomialOfParts,
    /// Steps of one exchange each; all ranks begin a step together.
    Steps,
    /// Steps of one exchange of a whole piece each, as algorithm A of `PlogPT`.
    Pairwise,
    /// Messages to all others, the next rank first, at once or in windows.
    Direct,
    /// As `Direct`, one message after the other, as algorithm B of `PlogPT`.
    SendsInTurn,
    /// Messages to all others, rank 0 first.
    DirectUnrotated,
    /// The steps of a reduction or barrier.
    Reduction(ReductionForm),
}
