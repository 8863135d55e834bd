//! The operations that programs call. Some of them run the schedules of another collective.

use netsig_base::algorithm::Collective;

/// An operation that a program calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CalledOperation {
    /// A collective with schedules of its own.
    Scheduled(Collective),
    /// An operation that runs the schedules of an alltoallv.
    ByRank(ByRankOperation),
}

/// An operation whose pieces have a length for each rank. It is an alltoallv in which most pieces are empty, or all
/// pieces of a rank are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ByRankOperation {
    /// Each rank has a piece for all.
    Allgatherv,
    /// Each rank has a piece for the root.
    Gatherv,
    /// The root has a piece for each rank.
    Scatterv,
}

impl ByRankOperation {
    /// The algorithm of an alltoallv that takes about as long as the MPI library's own function. No profile has times
    /// of that function.
    ///
    /// Open MPI and MPICH send all messages of a gatherv or scatterv at once. In an allgatherv they pass pieces on in
    /// a ring or by Bruck's algorithm: each port gets its bytes from one partner at a time.
    pub fn library_algorithm(self) -> &'static str {
        match self {
            Self::Allgatherv => "pairwise-ring",
            Self::Gatherv | Self::Scatterv => "direct",
        }
    }
}

impl CalledOperation {
    /// The operation of this name in reports and settings.
    pub fn named(name: &str) -> Option<Self> {
        let by_rank = name.parse().ok().map(Self::ByRank);
        by_rank.or_else(|| name.parse().ok().map(Self::Scheduled))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduled(collective) => collective.into(),
            Self::ByRank(operation) => operation.into(),
        }
    }

    /// The collective whose schedules run.
    pub fn collective(self) -> Collective {
        match self {
            Self::Scheduled(collective) => collective,
            Self::ByRank(_) => Collective::Alltoallv,
        }
    }

    /// True if one rank supplies all pieces, or receives all of them.
    pub fn has_root(self) -> bool {
        match self {
            Self::Scheduled(collective) => collective.has_root(),
            Self::ByRank(operation) => operation != ByRankOperation::Allgatherv,
        }
    }

    /// True if the sizes of the pieces differ from pair to pair.
    pub fn is_by_pair(self) -> bool {
        self.collective() == Collective::Alltoallv
    }
}

impl From<Collective> for CalledOperation {
    fn from(collective: Collective) -> Self {
        Self::Scheduled(collective)
    }
}

impl std::fmt::Display for CalledOperation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_their_names() {
        for name in ["alltoall", "alltoallv", "bcast", "allgatherv", "gatherv", "scatterv"] {
            let operation = CalledOperation::named(name).unwrap();
            assert_eq!(operation.to_string(), name);
            assert_eq!(operation.is_by_pair(), name.ends_with('v'));
        }
        assert_eq!(CalledOperation::named("scatterw"), None);
        let rooted = ["gatherv", "scatterv", "scatter"].map(|name| CalledOperation::named(name).unwrap());
        assert!(rooted.into_iter().all(CalledOperation::has_root));
        assert!(!CalledOperation::ByRank(ByRankOperation::Allgatherv).has_root());
    }
}
