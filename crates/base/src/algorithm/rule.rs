//! Measured algorithms that a rules file of an MPI library can hold.
//!
//! `library:NAME` is the library's algorithm of that name. One of netsig's schedules corresponds to an algorithm of
//! the library if its entry offers it (`AlgorithmEntry::offered`) and the library runs it with the same settings
//! and partners. A rule can state a segment size or a window; the radix must be the library's. An algorithm that
//! suits some process counts only is left out, because a rule holds for a range of counts.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use itertools::iproduct;

use super::decision::{DecisionCase, LibraryDecision};
use super::offer::{MpiFlavour, OfferedAlgorithm, WindowBound, offered_algorithms};
use super::setting::{RADIX, WINDOW};
use super::{Algorithm, Collective, CollectiveMethod};
use crate::units::{Bytes, Procs};

/// Length of the longest element of a predefined type: a complex number of long doubles.
const LONGEST_ELEMENT: u64 = 32;

/// An algorithm of a library, with the settings that a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleAlgorithm {
    /// The algorithm.
    pub offer: &'static OfferedAlgorithm,
    /// Segment size.
    pub segment: Option<NonZeroU32>,
    /// Largest number of messages in progress, where a rule must say it.
    pub window: Option<NonZeroU32>,
}

impl RuleAlgorithm {
    /// The algorithm of the library that runs as `method` was measured; `None` if it has none, or
    /// none for every process count.
    pub fn of(flavour: MpiFlavour, collective: Collective, method: &CollectiveMethod) -> Option<Self> {
        let found = match method {
            CollectiveMethod::Library(choice) => {
                let (name, segment) = choice.name_and_segment()?;
                let mut all_offers = offered_algorithms(collective).into_iter();
                let offer = all_offers.find(|offer| offer.flavour == flavour && offer.name == name)?;
                (segment.is_none() || offer.has_segments()).then_some(Self {
                    offer,
                    segment,
                    window: None,
                })
            }
            CollectiveMethod::Schedule(algorithm) => {
                let offers = algorithm.entry.offered.iter();
                let mut flavour_offers = offers.filter(|offer| offer.flavour == flavour);
                flavour_offers.find_map(|offer| with_settings_of(offer, algorithm))
            }
        };
        found.filter(|rule_algorithm| rule_algorithm.offer.serves_every_count())
    }

    /// True if the library runs the algorithm itself at each of these sizes. In a reduction it may run another one if
    /// a vector has few elements, and cuts none into segments shorter than an element. A rule knows bytes alone, so that
    /// this must hold for elements of every length up to the longest.
    pub fn runs_itself(&self, collective: Collective, procs: Procs, sizes: RangeInclusive<Bytes>) -> bool {
        if !collective.is_reduction() {
            return true;
        }
        let segment = self.segment.map(|bytes| Bytes(bytes.get().into()));
        let decision = LibraryDecision::of(self.offer.flavour, collective);
        iproduct!(1..=LONGEST_ELEMENT, [*sizes.start(), *sizes.end()]).all(|(element, size)| {
            let case = DecisionCase {
                element: Bytes(element),
                segment,
                ..DecisionCase::new(procs, size)
            };
            let run = decision.and_then(|rules| rules.runs_for(self.offer.name, case));
            segment.is_none_or(|bytes| bytes >= case.element) && run.is_none_or(|run| run.name == self.offer.name)
        })
    }
}

/// The library's algorithm with the settings of netsig's; `None` if it cannot have them.
fn with_settings_of(offer: &'static OfferedAlgorithm, algorithm: &Algorithm) -> Option<RuleAlgorithm> {
    let segment_bytes = algorithm.segment().and_then(|size| u32::try_from(size.0).ok());
    let segment = segment_bytes.and_then(NonZeroU32::new);
    let has_segment = segment.is_none() || offer.has_segments();
    let has_radix = algorithm
        .setting_value(RADIX)
        .is_none_or(|radix| offer.radix() == Some(radix));
    let window = match (algorithm.setting_value(WINDOW), offer.window()) {
        (None, _) => None,
        (Some(limit), WindowBound::Settable) => NonZeroU32::new(limit),
        (Some(limit), WindowBound::Fixed(fixed)) if limit == fixed => None,
        _ => return None,
    };
    (has_segment && has_radix).then_some(RuleAlgorithm { offer, segment, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least sizes at which Open MPI runs what a rule names, whatever the type. Among 48 processes there must be 32
    /// elements, or 48, or 48 segments, which are longest with 137 elements of 30 bytes.
    #[test]
    fn a_rule_runs_its_algorithm_from_a_size_on() {
        use Collective::{Allreduce, Reduce, ReduceScatterBlock};
        let procs = Procs::new(48).unwrap();
        for (collective, text, expected) in [
            (Allreduce, "library:recursive_doubling", Some(1)),
            (Allreduce, "library:rabenseifner", Some(32 * 32)),
            (Allreduce, "library:ring", Some(48 * 32)),
            (Allreduce, "library:segmented_ring:4096", Some(48 * 137 * 30)),
            (Allreduce, "library:segmented_ring", None),
            (Reduce, "library:rabenseifner", Some(32 * 32)),
            (Reduce, "library:binomial:31", None),
            (Reduce, "library:binomial:32", Some(1)),
            (ReduceScatterBlock, "library:recursive_doubling", Some(1)),
        ] {
            let method = CollectiveMethod::parse(collective, text).unwrap();
            let named = RuleAlgorithm::of(MpiFlavour::OpenMpi, collective, &method).unwrap();
            let runs = |size: &u64| named.runs_itself(collective, procs, Bytes(*size)..=Bytes(*size));
            assert_eq!((1..1 << 20).find(runs), expected, "{collective} {text}");
        }
        let method = CollectiveMethod::parse(ReduceScatterBlock, "library:recursive_doubling").unwrap();
        let named = RuleAlgorithm::of(MpiFlavour::OpenMpi, ReduceScatterBlock, &method).unwrap();
        assert!(!named.runs_itself(ReduceScatterBlock, procs, Bytes(1)..=Bytes(1 << 31)));
    }

    /// The algorithm that each library runs in place of a schedule: number or name, segment and window.
    #[test]
    fn an_algorithm_is_taken_with_its_settings_or_not_at_all() {
        use Collective::{Allgather, Alltoall, Bcast};
        use MpiFlavour::{IntelMpi, Mpich, OpenMpi};
        for (flavour, collective, text, taken) in [
            (OpenMpi, Alltoall, "pairwise", "none"),
            (OpenMpi, Alltoall, "pairwise-ring", "2 pairwise"),
            (OpenMpi, Alltoall, "library:pairwise", "2 pairwise"),
            (Mpich, Alltoall, "pairwise", "0 pairwise"),
            (OpenMpi, Alltoall, "throttled:4", "4 linear_sync window 4"),
            (OpenMpi, Alltoall, "library:linear_sync", "4 linear_sync"),
            (OpenMpi, Alltoall, "bruck:2", "3 modified_bruck"),
            (OpenMpi, Alltoall, "bruck:4", "none"),
            (OpenMpi, Alltoall, "library:two_proc", "none"),
            (OpenMpi, Alltoall, "library:brucks", "none"),
            (OpenMpi, Alltoall, "pairwise-segmented:4096", "none"),
            (OpenMpi, Bcast, "pipeline:8KiB", "3 pipeline segment 8192"),
            (OpenMpi, Bcast, "chain", "3 pipeline"),
            (OpenMpi, Bcast, "library:chain:4096", "2 chain segment 4096"),
            (OpenMpi, Bcast, "knomial:4", "7 knomial"),
            (OpenMpi, Bcast, "knomial:3", "none"),
            (OpenMpi, Allgather, "recursive-doubling", "none"),
            (Mpich, Alltoall, "throttled:32", "0 scattered"),
            (Mpich, Alltoall, "throttled:4", "none"),
            (Mpich, Bcast, "binomial-segmented:8192", "none"),
            (IntelMpi, Alltoall, "direct", "2 isend_irecv"),
        ] {
            let method = CollectiveMethod::parse(collective, text).unwrap();
            let description = RuleAlgorithm::of(flavour, collective, &method).map(|algorithm| {
                let named = |name: &str, value: Option<NonZeroU32>| {
                    value.map_or_else(String::new, |value| format!(" {name} {value}"))
                };
                let settings = named("segment", algorithm.segment) + &named("window", algorithm.window);
                format!("{} {}{settings}", algorithm.offer.number(), algorithm.offer.name)
            });
            let found = description.unwrap_or("none".to_owned());
            assert_eq!(found, taken, "{flavour} {collective} {text}");
        }
    }
}
