//! Properties of an algorithm that other layers use: the traffic of its messages, for the
//! contention regimes, and the closed form of its time, for models and simulator.

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
}
