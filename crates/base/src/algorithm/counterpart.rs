//! Settings that make an MPI library run the counterpart of a chosen algorithm.
//!
//! A counterpart has the same pattern of messages and the same segment size, window or radix. A library that has the
//! pattern only with other values has no counterpart. Rabenseifner's algorithm counts as one in all libraries, though
//! MPICH folds the ranks beyond a power of two in another way.
//!
//! # Source
//! The sources of `offer.rs`; both libraries' Bruck has the radix 2.

use std::fmt;
use std::num::NonZeroU32;

use itertools::Itertools as _;

use super::library::LibraryChoice;
use super::offer::{MpiFlavour, OfferedAlgorithm, WindowBound, offered_algorithms, tuned_variables, variable};
use super::setting::{AlgorithmSetting, RADIX, SEGMENT, WINDOW};
use super::{Algorithm, AlgorithmEntry, Collective, CollectiveMethod, algorithm_entries};

/// Variables that make an MPI library run an algorithm. Displayed as a user writes them: Open MPI's
/// as options of mpirun, `--mca NAME VALUE`, MPICH's as variables, `NAME=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiSetting {
    flavour: MpiFlavour,
    variables: Vec<(String, String)>,
}

impl OfferedAlgorithm {
    /// The algorithm of `entry` with the library's settings and this segment size; `None` if the two cannot have the
    /// same settings.
    fn schedule_algorithm(
        &self,
        collective: Collective,
        entry: &AlgorithmEntry,
        segment: Option<NonZeroU32>,
    ) -> Option<Algorithm> {
        let value_of = |setting: &AlgorithmSetting| match (*setting, self.window()) {
            (SEGMENT, _) => segment.map(NonZeroU32::get),
            (WINDOW, WindowBound::Fixed(window)) => Some(window),
            (RADIX, _) => self.radix(),
            _ => None,
        };
        let is_cut = entry.settings.contains(&SEGMENT);
        let known = entry.settings.iter().all(|setting| value_of(setting).is_some());
        let text = entry.text(|setting| value_of(setting).unwrap_or_default());
        let algorithm = Algorithm::parse(collective, &text).ok();
        algorithm.filter(|_| known && is_cut == segment.is_some())
    }

    /// The variables of the counterpart of `algorithm`; `None` if its settings have none.
    fn counterpart_variables(&self, algorithm: &Algorithm) -> Option<Vec<(String, String)>> {
        let segment = match algorithm.setting_value(SEGMENT) {
            Some(_) if !self.has_segments() => return None,
            bytes => bytes.and_then(NonZeroU32::new),
        };
        let mut variables = self.essential_variables(algorithm.collective(), segment);
        let settings = algorithm.entry.settings.iter();
        let mut others = settings.filter(|setting| **setting != SEGMENT);
        let value = others.next().and_then(|setting| algorithm.setting_value(*setting));
        let fixed_value = match self.window() {
            WindowBound::Fixed(window) => Some(window),
            _ => self.radix(),
        };
        match (value, self.variable()) {
            (None, _) => {}
            (Some(value), Some(name)) => variables.push(variable(name, &value.to_string())),
            (Some(_), None) if fixed_value == value => {}
            _ => return None,
        }
        others.next().is_none().then_some(variables)
    }
}

impl CollectiveMethod {
    /// Settings that make `flavour` run this algorithm; `None` if it lacks the algorithm, and for the library's own
    /// decision.
    pub fn mpi_setting(&self, flavour: MpiFlavour) -> Option<MpiSetting> {
        let variables = match self {
            Self::Library(choice) => choice.essential_variables(flavour)?,
            Self::Schedule(algorithm) => {
                let offers = algorithm.entry.offered.iter();
                let mut flavour_offers = offers.filter(|offer| offer.flavour == flavour);
                flavour_offers.find_map(|offer| offer.counterpart_variables(algorithm))?
            }
        };
        Some(MpiSetting { flavour, variables })
    }

    /// The schedule that runs this method. For an algorithm of `flavour` it has the same pattern, segment size,
    /// window and radix. `None` without such a schedule, and for the library's own decision.
    pub fn schedule_algorithm(&self, flavour: MpiFlavour) -> Option<Algorithm> {
        match self {
            Self::Schedule(algorithm) => Some(*algorithm),
            Self::Library(choice) => {
                let (name, segment) = choice.name_and_segment()?;
                let all_entries = algorithm_entries(choice.collective);
                let offering_entries = all_entries.filter_map(|entry| {
                    let mut offers = entry.offered.iter();
                    let offer = offers.find(|offer| offer.flavour == flavour && offer.name == name)?;
                    Some((entry, offer))
                });
                let same_first = offering_entries.sorted_by_key(|(entry, offer)| entry.traffic != offer.traffic());
                let mut algorithms =
                    same_first.filter_map(|(entry, offer)| offer.schedule_algorithm(choice.collective, entry, segment));
                algorithms.next()
            }
        }
    }
}

impl MpiSetting {
    /// The beginning of a command that starts a program with these settings.
    pub fn launch(&self) -> String {
        match self.flavour {
            MpiFlavour::OpenMpi => format!("mpirun {self}"),
            MpiFlavour::Mpich | MpiFlavour::IntelMpi => format!("{self} mpirun"),
        }
    }
}

impl LibraryChoice {
    /// The variables of the forced algorithm; `None` if `flavour` lacks it, or nothing is forced.
    fn essential_variables(&self, flavour: MpiFlavour) -> Option<Vec<(String, String)>> {
        let (name, segment) = self.name_and_segment()?;
        let offers = offered_algorithms(self.collective).into_iter();
        let mut named_offers = offers.filter(|offer| offer.flavour == flavour && offer.name == name);
        let offer = named_offers.find(|named_offer| segment.is_none() || named_offer.has_segments())?;
        Some(offer.essential_variables(self.collective, segment))
    }
}

impl MpiSetting {
    /// The variables with which Open MPI takes the algorithms of the rules in `file`.
    pub fn open_mpi_rules(file: &str) -> Self {
        let rules = variable("OMPI_MCA_coll_tuned_dynamic_rules_filename", file);
        Self {
            flavour: MpiFlavour::OpenMpi,
            variables: tuned_variables([rules].into_iter()),
        }
    }

    /// Names and values.
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }
}

impl fmt::Display for MpiSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self
            .variables
            .iter()
            .map(|(name, value)| match (self.flavour, name.strip_prefix("OMPI_MCA_")) {
                (MpiFlavour::OpenMpi, Some(name)) => format!("--mca {name} {value}"),
                _ => format!("{name}={value}"),
            });
        write!(f, "{}", words.format(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings that the libraries document, and none where an algorithm differs.
    #[test]
    fn a_winner_is_set_where_the_library_has_it() {
        use Collective::{Allreduce, Alltoall, Bcast, Reduce};
        let setting_texts = [
            (Alltoall, "pairwise"),
            (Alltoall, "pairwise-segmented:8192"),
            (Alltoall, "throttled:4"),
            (Alltoall, "bruck:2"),
            (Alltoall, "bruck:4"),
            (Alltoall, "library"),
            (Alltoall, "library:brucks"),
            (Bcast, "pipeline:8192"),
            (Bcast, "chain"),
            (Bcast, "knomial:4"),
            (Bcast, "scatter-allgather-ring"),
            (Allreduce, "rabenseifner"),
            (Allreduce, "rabenseifner-blocks"),
            (Reduce, "rabenseifner"),
        ]
        .map(|(collective, text)| {
            let method = CollectiveMethod::parse(collective, text).unwrap();
            let setting_line = |flavour| match method.mpi_setting(flavour) {
                Some(setting) => format!("  {flavour}: {setting}\n"),
                None => format!("  {flavour}: none\n"),
            };
            let all = [MpiFlavour::OpenMpi, MpiFlavour::Mpich].map(setting_line);
            format!("{collective} {text}\n{}", all.concat())
        });
        insta::assert_snapshot!(setting_texts.concat());
    }

    /// By the documents of the libraries. Open MPI's `chain` has four chains, and no schedule.
    #[test]
    fn an_algorithm_of_a_library_has_the_schedule_of_its_pattern() {
        use Collective::{Allreduce, Alltoall, Bcast, Reduce, ReduceScatter};
        use MpiFlavour::{Mpich, OpenMpi};
        for (flavour, collective, text, expected) in [
            (OpenMpi, Alltoall, "library:pairwise", Some("pairwise-ring")),
            (Mpich, Alltoall, "library:pairwise", Some("pairwise")),
            (Mpich, Alltoall, "library:brucks", Some("bruck:2")),
            (
                OpenMpi,
                Alltoall,
                "windowed:segment=4096,window=4",
                Some("windowed:segment=4096,window=4"),
            ),
            (OpenMpi, Bcast, "library:pipeline:8192", Some("pipeline:8192")),
            (OpenMpi, Bcast, "library:pipeline", Some("chain")),
            (OpenMpi, Bcast, "library:chain", None),
            (Mpich, Alltoall, "library:linear", None),
            (OpenMpi, Alltoall, "library", None),
            (OpenMpi, Allreduce, "library:rabenseifner", Some("rabenseifner")),
            (
                Mpich,
                Allreduce,
                "library:reduce_scatter_allgather",
                Some("rabenseifner-blocks"),
            ),
            (
                OpenMpi,
                Allreduce,
                "library:segmented_ring:4096",
                Some("ring-segmented:4096"),
            ),
            (OpenMpi, Allreduce, "library:segmented_ring", None),
            (OpenMpi, Reduce, "library:pipeline", Some("chain")),
            (OpenMpi, Reduce, "library:chain", None),
            (Mpich, ReduceScatter, "library:noncommutative", None),
        ] {
            let method = CollectiveMethod::parse(collective, text).unwrap();
            let schedule = method
                .schedule_algorithm(flavour)
                .map(|algorithm| algorithm.to_string());
            assert_eq!(schedule.as_deref(), expected, "{flavour} {text}");
        }
    }
}
