//! What other layers ask of an algorithm, as data: how its messages meet on the wire, for the
//! contention regimes, and which closed form gives its time, for the simulator.

/// How the messages of an algorithm meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Traffic {
    /// Every rank exchanges with every other, all at once or a few at a time.
    AtOnce,
    /// Every rank exchanges with every other in rounds: in round t with the ranks t places away.
    Rounds,
    /// In rounds, with rank i xor t where the process count is a power of two, else as `Rounds`.
    Powers,
    /// All messages pass the port of one rank, or of every rank alike, one after the other.
    Port,
    /// ⌈log₂ n⌉ rounds in which the data of a rank double.
    Doubling,
    /// Each rank hands the whole message on to the next.
    Chain,
    /// Each rank hands the message on to the next in segments of the size that is set. Not
    /// described where a library chooses the size.
    Pipeline,
    /// Along a binomial tree, without segments. Not described where a segment size is set.
    Tree(Load),
}

/// What an edge of a tree carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Load {
    /// The message.
    Whole,
    /// A piece for every rank behind it.
    Parts,
}

/// The closed form of an algorithm's time on networks that consist of ports alone. `model` has
/// it on pLogP, `sim` where it is exact to the picosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedForm {
    /// The root exchanges a message with every rank.
    Flat,
    /// The same, one segment after the other.
    FlatSegmented,
    /// The whole message along a chain.
    Chain,
    /// Segments along a chain.
    Pipeline,
    /// A piece for each rank behind it along a chain.
    ChainOfParts,
    /// The whole message along a binary tree.
    Binary,
    /// The whole message along a binomial tree.
    Binomial,
    /// Segments along a binomial tree.
    BinomialSegmented,
    /// A piece for each rank behind it along a binomial tree.
    BinomialOfParts,
    /// Steps of one exchange, all ranks in step.
    Steps,
    /// Steps of one exchange of a whole piece, as algorithm A of `PlogPT`.
    Pairwise,
    /// Messages to all others from the next rank on, at once or in windows.
    Direct,
    /// The same one after the other, as algorithm B of `PlogPT`.
    SendsInTurn,
    /// Messages to all others from rank 0 on.
    DirectUnrotated,
}
