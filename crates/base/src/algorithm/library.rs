//! Algorithms inside MPI libraries, and the settings that force a library to use one of them.
//!
//! `library` is the library's own decision. `library:NAME` and `library:NAME:SEGMENT` force one of its algorithms by
//! the library's own name. Variables in the environment of the launch force it ([`LibraryChoice::environment`]), so
//! that a whole launch runs the same algorithm.
//!
//! Open MPI 4.1 and 5.0 choose in the component `tuned`, which takes a number from `coll_tuned_COLLECTIVE_algorithm`
//! if `coll_tuned_use_dynamic_rules` is set. It silently replaces an algorithm that does not suit the number of
//! ranks: recursive doubling needs a power of two, neighbour exchange an even number; `two_proc` fails unless there
//! are two ranks. Other components come before `tuned` and would run algorithms of their own under the forced name,
//! so they are switched off. An example is `han` of 5.0, for broadcasts, scatters, gathers and all-gathers where a
//! host has several ranks.
//!
//! In reductions it also replaces an algorithm by another one where a vector has few elements (`decision`).
//!
//! MPICH 4.0 takes names. Its device may answer a call before it reads the choice, so the device is
//! switched off for the collective in question. Where the algorithm does not suit the number of
//! ranks or of elements, the call must fail rather than use another algorithm.
//!
//! Intel MPI takes a number from `I_MPI_ADJUST_COLLECTIVE`.
//!
//! # Source
//! The sources of `offer.rs`.

use std::fmt;
use std::num::NonZeroU32;

use itertools::Itertools as _;

use super::offer::{MpiFlavour, OfferedAlgorithm, offered_algorithms};
use super::traffic::{AlgorithmTraffic, Fold, ReductionForm, TreeLoad};
use super::{Collective, UnknownAlgorithm, setting};
use crate::units::Bytes;

/// The library's own decision for a collective, or one of its algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LibraryChoice {
    /// The collective.
    pub collective: Collective,
    forced: Option<ForcedAlgorithm>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ForcedAlgorithm {
    /// Name of an [`OfferedAlgorithm`].
    name: &'static str,
    segment: Option<NonZeroU32>,
    traffic: Option<AlgorithmTraffic>,
    radix: Option<u32>,
}

/// Reason why a library cannot be forced to use an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AlgorithmNotOffered {
    /// The library has no algorithm of that name.
    #[error("{flavour} has no {collective} algorithm {name:?}; it has: {known}")]
    Name {
        /// The library.
        flavour: MpiFlavour,
        /// The collective.
        collective: Collective,
        /// The given name.
        name: &'static str,
        /// Names that the library has.
        known: String,
    },
    /// The library takes no segment size for the algorithm.
    #[error("{flavour} takes no segment size for {collective} {name}; write library:{name}")]
    Segments {
        /// The library.
        flavour: MpiFlavour,
        /// The collective.
        collective: Collective,
        /// Name of the algorithm.
        name: &'static str,
    },
}

/// Name of the library's own decision in plans and data.
pub const LIBRARY: &str = "library";

impl LibraryChoice {
    /// The choice for `collective` written as `text`; `None` if the text does not begin with
    /// `library`.
    ///
    /// # Errors
    /// If no library has an algorithm of that name for `collective`, if none takes a segment size
    /// for it, or if the segment size is invalid.
    pub(super) fn parse(collective: Collective, text: &str) -> Result<Option<Self>, UnknownAlgorithm> {
        let mut words = text.splitn(3, ':');
        if words.next() != Some(LIBRARY) {
            return Ok(None);
        }
        let choice_of = |forced| Ok(Some(Self { collective, forced }));
        let Some(name) = words.next() else {
            return choice_of(None);
        };
        let offered = offered_algorithms(collective);
        let offers_of_name = || offered.iter().filter(|offer| offer.name == name);
        let Some(offer) = offers_of_name().next() else {
            return Err(UnknownAlgorithm::OfLibrary {
                name: name.to_owned(),
                collective,
                known: names(&offered),
            });
        };
        let wrong_setting = |usage| UnknownAlgorithm::Setting {
            text: text.to_owned(),
            usage,
        };
        let is_settable = offers_of_name().any(|offer| offer.has_segments());
        let segment = match words.next() {
            None => None,
            Some(_) if !is_settable => return Err(wrong_setting(format!("{LIBRARY}:{name}"))),
            Some(size) => {
                let usage = || format!("{LIBRARY}:{name} or {LIBRARY}:{name}:SEGMENT");
                Some(setting::parse_segment(size).ok_or_else(|| wrong_setting(usage()))?)
            }
        };
        choice_of(Some(ForcedAlgorithm {
            name: offer.name,
            segment,
            traffic: offer.traffic(),
            radix: offer.radix(),
        }))
    }

    /// True if the choice is not left to the library.
    pub fn is_forced(&self) -> bool {
        self.forced.is_some()
    }

    /// Name of the forced algorithm in the library; `None` for the library's own decision.
    pub fn forced_name(&self) -> Option<&'static str> {
        self.forced.map(|forced| forced.name)
    }

    /// Name and segment size of the forced algorithm; `None` for the library's own decision.
    pub(super) fn name_and_segment(&self) -> Option<(&'static str, Option<NonZeroU32>)> {
        self.forced.map(|forced| (forced.name, forced.segment))
    }

    /// Segment size that the choice sets.
    pub(super) fn segment(&self) -> Option<Bytes> {
        let segment = self.forced?.segment?;
        Some(Bytes(segment.get().into()))
    }

    /// Radix of the forced algorithm, if it has one.
    pub(super) fn radix(&self) -> Option<u32> {
        self.forced?.radix
    }

    /// Traffic of the messages. The library's own decision counts as its usual one.
    pub(super) fn traffic(&self) -> Option<AlgorithmTraffic> {
        match (self.forced, self.collective.operation()) {
            (Some(forced), _) => forced.traffic,
            (None, Collective::Allgather) => Some(AlgorithmTraffic::Port),
            (None, Collective::Bcast) => Some(AlgorithmTraffic::Tree(TreeLoad::Whole)),
            (None, Collective::Scatter | Collective::Gather) => Some(AlgorithmTraffic::Tree(TreeLoad::Parts)),
            (None, Collective::Reduce) => Some(AlgorithmTraffic::Reduction(ReductionForm::ReduceBinomial)),
            (None, Collective::Allreduce) => {
                Some(AlgorithmTraffic::Reduction(ReductionForm::Rabenseifner(Fold::Halves)))
            }
            (None, Collective::ReduceScatter | Collective::ReduceScatterBlock) => {
                Some(AlgorithmTraffic::Reduction(ReductionForm::Halving))
            }
            (None, Collective::Barrier) => Some(AlgorithmTraffic::Reduction(ReductionForm::Dissemination)),
            (None, _) => Some(AlgorithmTraffic::AtOnce),
        }
    }

    /// Variables that make `flavour` use this choice, with their values; empty for the library's
    /// own decision.
    ///
    /// # Errors
    /// If that library has no such algorithm, or takes no segment size for it.
    pub fn environment(&self, flavour: MpiFlavour) -> Result<Vec<(String, String)>, AlgorithmNotOffered> {
        let collective = self.collective;
        let Some(ForcedAlgorithm { name, segment, .. }) = self.forced else {
            return Ok(Vec::new());
        };
        let mut flavour_offers = offered_algorithms(collective);
        flavour_offers.retain(|offer| offer.flavour == flavour);
        let named_offer = flavour_offers.iter().find(|offer| offer.name == name);
        let offer = named_offer.ok_or_else(|| AlgorithmNotOffered::Name {
            flavour,
            collective,
            name,
            known: names(&flavour_offers),
        })?;
        match segment {
            Some(_) if !offer.has_segments() => Err(AlgorithmNotOffered::Segments {
                flavour,
                collective,
                name,
            }),
            _ => Ok(offer.variables(collective, segment)),
        }
    }
}

/// Names of the offers, each once, in the order of the list.
fn names(offers: &[&OfferedAlgorithm]) -> String {
    offers.iter().map(|offer| offer.name).unique().join(", ")
}

impl fmt::Display for LibraryChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LIBRARY)?;
        let Some(ForcedAlgorithm { name, segment, .. }) = self.forced else {
            return Ok(());
        };
        write!(f, ":{name}")?;
        match segment {
            Some(segment) => write!(f, ":{segment}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{COLLECTIVES, CollectiveMethod};

    fn choice(collective: Collective, text: &str) -> LibraryChoice {
        match CollectiveMethod::parse(collective, text) {
            Ok(CollectiveMethod::Library(choice)) => choice,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn every_offer_survives_a_round_trip_and_has_an_environment() {
        for &collective in COLLECTIVES {
            for offer in offered_algorithms(collective) {
                let text = format!("library:{}", offer.name);
                let choice = choice(collective, &text);
                assert_eq!(choice.to_string(), text);
                assert!(!choice.environment(offer.flavour).unwrap().is_empty());
            }
        }
        let segmented = choice(Collective::Bcast, "library:chain:8KiB");
        assert_eq!(segmented.to_string(), "library:chain:8192");
    }

    /// The variables that the libraries document; for others, an error that lists the known names.
    #[test]
    fn a_choice_is_an_environment_of_a_library_that_has_it() {
        use Collective::{Alltoall, Barrier, Bcast, Gather, Reduce, ReduceScatter, ReduceScatterBlock, Scatter};
        use MpiFlavour::{IntelMpi, Mpich, OpenMpi};
        let environments = [
            (OpenMpi, Bcast, "library"),
            (OpenMpi, Bcast, "library:pipeline:8192"),
            (Mpich, Alltoall, "library:brucks"),
            (Mpich, Scatter, "library:linear_nb"),
            (Mpich, Bcast, "library:binomial:4KiB"),
            (OpenMpi, Reduce, "library:in-order_binary:1024"),
            (OpenMpi, ReduceScatterBlock, "library:butterfly"),
            (OpenMpi, Barrier, "library:bruck"),
            (Mpich, ReduceScatterBlock, "library:noncommutative"),
            (IntelMpi, ReduceScatter, "library:reduce_scatterv"),
        ]
        .map(|(flavour, collective, text)| {
            let variables = match choice(collective, text).environment(flavour) {
                Ok(all) => all.into_iter().map(|(name, value)| format!("  {name}={value}\n")),
                Err(error) => return format!("{text} of {flavour:?}\n  {error}\n"),
            };
            format!("{text} of {flavour:?}\n{}", variables.collect::<String>())
        });
        let unknown_texts = ["library:pairwise", "library:linear_sync:0", "library:binomial:4KiB"];
        let unknown = unknown_texts.map(|text| CollectiveMethod::parse(Gather, text).unwrap_err().to_string());
        insta::assert_snapshot!(format!("{}{}", environments.concat(), unknown.join("\n")));
    }
}
