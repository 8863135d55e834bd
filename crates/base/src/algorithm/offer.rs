//! The algorithms inside MPI libraries, as the entries of the table offer them: number and name, and
//! the settings with which the library runs them.
//!
//! # Source
//! `ompi_info --param coll tuned --level 9` of Open MPI 4.1.4, and of 5.0.11 and 5.0.9 the priorities
//! of its other components; the control variables of MPICH 4.0.2; the reference of Intel MPI's `I_MPI_ADJUST` family. Two names of MPICH are left out:
//! `pairwise_sendrecv_replace` works in place only, and `smp` calls other algorithms, which a forced
//! one does not allow.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::traffic::Traffic;
use super::{ALGORITHMS, Collective};

/// MPI library, distinguished by its way of choosing algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, derive_more::Display)]
#[serde(rename_all = "kebab-case")]
pub enum MpiFlavour {
    /// Open MPI 4.1 and 5.0.
    #[display("Open MPI")]
    OpenMpi,
    /// MPICH 4.
    #[display("MPICH")]
    Mpich,
    /// Intel MPI.
    #[display("Intel(R) MPI")]
    IntelMpi,
}

impl MpiFlavour {
    /// The library that calls itself `mpi`, as in the provenance of data; `None` for others.
    pub fn of(mpi: &str) -> Option<Self> {
        let all = [Self::OpenMpi, Self::Mpich, Self::IntelMpi];
        all.into_iter().find(|own| mpi.starts_with(&own.to_string()))
    }
}

/// An algorithm inside an MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offer {
    /// Library that has the algorithm.
    pub flavour: MpiFlavour,
    /// Number of the algorithm in the library; MPICH has names only.
    number: u32,
    /// Name of the algorithm in the library.
    pub name: &'static str,
    /// True if the library accepts a segment size for it.
    has_segments: bool,
    /// Number of messages in progress.
    window: Window,
    /// Radix of its tree or digits, where it has one.
    radix: Option<u32>,
    /// Variable of its window or radix.
    variable: Option<&'static str>,
    /// Number of chains or children that the library takes by default, where a rule must say it.
    fanout: u32,
    /// Process counts that it serves.
    suits: Suits,
    traffic: Option<Traffic>,
}

/// How a library bounds the number of messages in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Window {
    /// Not at all.
    None,
    /// A rule can say the number.
    Settable,
    /// Always this number.
    Fixed(u32),
}

/// Process counts that an algorithm of a library serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Suits {
    /// All.
    Every,
    /// Some: beside these the library takes another algorithm, or fails.
    Some,
}

/// Algorithms of libraries without a corresponding entry in the table.
static OTHERS: [(Collective, Offer); 15] = {
    use Collective::{Allgather, Alltoall, Alltoallv, Bcast, Gather, Scatter};
    [
        (Bcast, tuned(2, "chain", None).in_segments().fanning_out(4)),
        (Bcast, tuned(4, "split_binary_tree", None).in_segments()),
        (Bcast, mpich("nb", None)),
        (Scatter, mpich("nb", None)),
        (Gather, tuned(3, "linear_sync", Some(Traffic::Port)).in_segments()),
        (Gather, mpich("nb", None)),
        (Alltoall, tuned(5, "two_proc", None).for_some()),
        (Alltoall, mpich("nb", None)),
        (Alltoallv, tuned(1, "basic_linear", Some(Traffic::AtOnce))),
        (Alltoallv, tuned(2, "pairwise", Some(Traffic::Rounds))),
        (Alltoallv, mpich("scattered", Some(Traffic::AtOnce))),
        (Alltoallv, mpich("nb", None)),
        (Allgather, tuned(1, "linear", Some(Traffic::Port))),
        (Allgather, tuned(6, "two_proc", None).for_some()),
        (Allgather, mpich("nb", None)),
    ]
};

/// An algorithm of Open MPI's component `tuned`.
pub(super) const fn tuned(number: u32, name: &'static str, traffic: Option<Traffic>) -> Offer {
    Offer {
        flavour: MpiFlavour::OpenMpi,
        number,
        name,
        has_segments: false,
        window: Window::None,
        radix: None,
        variable: None,
        fanout: 0,
        suits: Suits::Every,
        traffic,
    }
}

/// An algorithm of MPICH.
pub(super) const fn mpich(name: &'static str, traffic: Option<Traffic>) -> Offer {
    Offer {
        flavour: MpiFlavour::Mpich,
        ..tuned(0, name, traffic)
    }
}

/// An algorithm of Intel MPI.
pub(super) const fn intel(number: u32, name: &'static str, traffic: Option<Traffic>) -> Offer {
    Offer {
        flavour: MpiFlavour::IntelMpi,
        ..tuned(number, name, traffic)
    }
}

impl Offer {
    /// Number of the algorithm in rules of the library; MPICH has names only.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Number of chains that a rule must say for the algorithm to run as it does by default; 0 if
    /// it has no such setting.
    pub fn fanout(&self) -> u32 {
        self.fanout
    }

    /// True if the library accepts a segment size for it.
    pub(super) fn has_segments(&self) -> bool {
        self.has_segments
    }

    pub(super) fn window(&self) -> Window {
        self.window
    }

    pub(super) fn radix(&self) -> Option<u32> {
        self.radix
    }

    /// Variable of its window or radix, if there is one.
    pub(super) fn variable(&self) -> Option<&'static str> {
        self.variable
    }

    /// True if it serves every process count.
    pub(super) fn suits_every_count(&self) -> bool {
        self.suits == Suits::Every
    }

    /// Traffic of the messages, if known.
    pub(super) fn traffic(&self) -> Option<Traffic> {
        self.traffic
    }

    /// The same algorithm with a segment size that can be set.
    pub(super) const fn in_segments(self) -> Self {
        Self {
            has_segments: true,
            ..self
        }
    }

    /// The same algorithm with a bound on the messages in progress.
    pub(super) const fn in_windows(self, window: Window) -> Self {
        Self { window, ..self }
    }

    /// The same algorithm with this radix.
    pub(super) const fn with_radix(self, radix: u32) -> Self {
        Self {
            radix: Some(radix),
            ..self
        }
    }

    /// The same algorithm, whose window or radix is in a variable of the environment.
    pub(super) const fn set_by(self, variable: &'static str) -> Self {
        Self {
            variable: Some(variable),
            ..self
        }
    }

    /// The same algorithm with a number of chains that rules must say.
    pub(super) const fn fanning_out(self, fanout: u32) -> Self {
        Self { fanout, ..self }
    }

    /// The same algorithm, which serves some process counts only.
    pub(super) const fn for_some(self) -> Self {
        Self {
            suits: Suits::Some,
            ..self
        }
    }
}

/// All algorithms that the libraries have for `collective`, each once, sorted by library, number
/// and name.
pub fn offers(collective: Collective) -> Vec<&'static Offer> {
    let operation = collective.operation();
    let entries = ALGORITHMS.iter();
    let entries = entries.filter(|entry| entry.collective == operation);
    let others = OTHERS.iter().filter(|(of, _)| *of == operation);
    let others = others.map(|(_, offer)| offer);
    let mut all: Vec<&Offer> = entries.flat_map(|entry| entry.library).chain(others).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Offer {
    /// Variables with their values, which override every related setting of the user.
    pub(super) fn variables(&self, collective: Collective, segment: Option<NonZeroU32>) -> Vec<(String, String)> {
        let mut all = self.essential(collective, segment);
        match self.flavour {
            MpiFlavour::OpenMpi if segment.is_none() => all.push(segment_size(collective, 0)),
            MpiFlavour::Mpich => all.push(variable("MPIR_CVAR_COLLECTIVE_FALLBACK", "error")),
            MpiFlavour::OpenMpi | MpiFlavour::IntelMpi => {}
        }
        all
    }

    /// The variables that a user needs who sets no others.
    pub(super) fn essential(&self, collective: Collective, segment: Option<NonZeroU32>) -> Vec<(String, String)> {
        let collective = collective.operation();
        let upper = collective.to_string().to_uppercase();
        let number = self.number.to_string();
        match self.flavour {
            MpiFlavour::OpenMpi => {
                let algorithm = format!("OMPI_MCA_coll_tuned_{collective}_algorithm");
                let segment = segment.map(|bytes| segment_size(collective, bytes.get()));
                by_tuned([variable(&algorithm, &number)].into_iter().chain(segment))
            }
            MpiFlavour::Mpich => vec![
                variable(&format!("MPIR_CVAR_{upper}_INTRA_ALGORITHM"), self.name),
                variable("MPIR_CVAR_DEVICE_COLLECTIVES", "percoll"),
                variable(&format!("MPIR_CVAR_{upper}_DEVICE_COLLECTIVE"), "0"),
            ],
            MpiFlavour::IntelMpi => vec![variable(&format!("I_MPI_ADJUST_{upper}"), &number)],
        }
    }
}

/// Components of Open MPI that take calls before `tuned` does, as the variables that switch them off:
/// `han` from 5.0 on, `hcoll` in HPC-X, `ucc` where it is enabled. Open MPI ignores the variables of
/// components that it lacks.
const BEFORE_TUNED: [(&str, &str); 3] = [
    ("OMPI_MCA_coll_han_priority", "0"),
    ("OMPI_MCA_coll_hcoll_enable", "0"),
    ("OMPI_MCA_coll_ucc_enable", "0"),
];

/// The variables by which Open MPI's component `tuned` takes all calls and obeys `choices`.
pub(super) fn by_tuned(choices: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let obeys = variable("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let others = BEFORE_TUNED.map(|(name, value)| variable(name, value));
    [obeys].into_iter().chain(choices).chain(others).collect()
}

/// Open MPI's variable of a segment size, 0 for none.
fn segment_size(collective: Collective, bytes: u32) -> (String, String) {
    let name = format!("OMPI_MCA_coll_tuned_{collective}_algorithm_segmentsize");
    (name, bytes.to_string())
}

/// A variable with its value.
pub(super) fn variable(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
