//! Settings that make an MPI library run the counterpart of an algorithm: what a user sets who has
//! chosen it from a profile.
//!
//! The library's algorithm has the same pattern of messages, and the same segment size, window or
//! radix. Where the library has the pattern with other values alone, there is no counterpart.
//!
//! # Source
//! As of `offer.rs`; both libraries' Bruck has the radix 2.

use std::fmt;
use std::num::NonZeroU32;

use itertools::Itertools as _;

use super::library::LibraryChoice;
use super::offer::{MpiFlavour, Offer, Window, by_tuned, offers, variable};
use super::setting::{RADIX, SEGMENT, Setting, WINDOW};
use super::{Algorithm, Collective, Entry, Method, entries};

/// Variables that make an MPI library run an algorithm. Displayed as a user writes them: Open MPI's
/// as options of mpirun, `--mca NAME VALUE`, MPICH's as variables, `NAME=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiSetting {
    flavour: MpiFlavour,
    variables: Vec<(String, String)>,
}

impl Offer {
    /// The algorithm of `entry` with the settings of the library's, cut into this segment size; `None` if
    /// one of them cannot have those of the other.
    fn schedule(&self, collective: Collective, entry: &Entry, segment: Option<NonZeroU32>) -> Option<Algorithm> {
        let of = |setting: &Setting| match (*setting, self.window()) {
            (SEGMENT, _) => segment.map(NonZeroU32::get),
            (WINDOW, Window::Fixed(window)) => Some(window),
            (RADIX, _) => self.radix(),
            _ => None,
        };
        let is_cut = entry.settings.contains(&SEGMENT);
        let known = entry.settings.iter().all(|setting| of(setting).is_some());
        let text = entry.text(|setting| of(setting).unwrap_or_default());
        let algorithm = Algorithm::parse(collective, &text).ok();
        algorithm.filter(|_| known && is_cut == segment.is_some())
    }

    /// The variables of the counterpart of `algorithm`; `None` if its settings have none.
    fn counterpart(&self, algorithm: &Algorithm) -> Option<Vec<(String, String)>> {
        let segment = match algorithm.get(SEGMENT) {
            Some(_) if !self.has_segments() => return None,
            bytes => bytes.and_then(NonZeroU32::new),
        };
        let mut all = self.essential(algorithm.collective(), segment);
        let settings = algorithm.entry.settings.iter();
        let mut others = settings.filter(|own| **own != SEGMENT);
        let value = others.next().and_then(|own| algorithm.get(*own));
        let only = match self.window() {
            Window::Fixed(window) => Some(window),
            _ => self.radix(),
        };
        match (value, self.variable()) {
            (None, _) => {}
            (Some(value), Some(name)) => all.push(variable(name, &value.to_string())),
            (Some(_), None) if only == value => {}
            _ => return None,
        }
        others.next().is_none().then_some(all)
    }
}

impl Method {
    /// What makes `flavour` run this algorithm; `None` if it lacks the algorithm, and for the
    /// library's own decision.
    pub fn setting(&self, flavour: MpiFlavour) -> Option<MpiSetting> {
        let variables = match self {
            Self::Library(choice) => choice.essential(flavour)?,
            Self::Schedule(algorithm) => {
                let offers = algorithm.entry.library.iter();
                let mut own = offers.filter(|offer| offer.flavour == flavour);
                own.find_map(|offer| offer.counterpart(algorithm))?
            }
        };
        Some(MpiSetting { flavour, variables })
    }

    /// The schedule that runs this method: itself, or for an algorithm of `flavour` the one with its
    /// pattern, segment size, window and radix. `None` where there is no such schedule, and for the
    /// library's own decision.
    pub fn schedule(&self, flavour: MpiFlavour) -> Option<Algorithm> {
        match self {
            Self::Schedule(algorithm) => Some(*algorithm),
            Self::Library(choice) => {
                let (name, segment) = choice.named()?;
                let all = entries(choice.collective);
                let mut own = all.filter_map(|entry| {
                    let mut offers = entry.library.iter();
                    let offer = offers.find(|offer| offer.flavour == flavour && offer.name == name)?;
                    offer.schedule(choice.collective, entry, segment)
                });
                own.next()
            }
        }
    }
}

impl LibraryChoice {
    /// The variables of the forced algorithm; `None` if `flavour` lacks it, or nothing is forced.
    fn essential(&self, flavour: MpiFlavour) -> Option<Vec<(String, String)>> {
        let (name, segment) = self.named()?;
        let offers = offers(self.collective).into_iter();
        let mut own = offers.filter(|own| own.flavour == flavour && own.name == name);
        let offer = own.find(|own| segment.is_none() || own.has_segments())?;
        Some(offer.essential(self.collective, segment))
    }
}

impl MpiSetting {
    /// The variables with which Open MPI takes the algorithms of the rules in `file`.
    pub fn open_mpi_rules(file: &str) -> Self {
        let rules = variable("OMPI_MCA_coll_tuned_dynamic_rules_filename", file);
        Self {
            flavour: MpiFlavour::OpenMpi,
            variables: by_tuned([rules].into_iter()),
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
        use Collective::{Alltoall, Bcast};
        let told = [
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
        ]
        .map(|(collective, text)| {
            let method = Method::parse(collective, text).unwrap();
            let of = |flavour| match method.setting(flavour) {
                Some(setting) => format!("  {flavour}: {setting}\n"),
                None => format!("  {flavour}: none\n"),
            };
            let all = [MpiFlavour::OpenMpi, MpiFlavour::Mpich].map(of);
            format!("{collective} {text}\n{}", all.concat())
        });
        insta::assert_snapshot!(told.concat());
    }
    /// By the documents of the libraries. Open MPI's `chain` has four chains, and no schedule.
    #[test]
    fn an_algorithm_of_a_library_has_the_schedule_of_its_pattern() {
        use Collective::{Alltoall, Bcast};
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
        ] {
            let method = Method::parse(collective, text).unwrap();
            let schedule = method.schedule(flavour).map(|own| own.to_string());
            assert_eq!(schedule.as_deref(), expected, "{flavour} {text}");
        }
    }
}
