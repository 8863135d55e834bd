//! Measured algorithms that a rules file of an MPI library can hold.
//!
//! `library:NAME` is the library's algorithm of that name. One of netsig's schedules corresponds to
//! an algorithm of the library if its entry offers it ([`Entry::library`]) and the library runs it
//! with the same settings and partners: a segment size or a window as a rule can say, a radix as the
//! library has.
//! An algorithm that suits some process counts only is left out, because a rule holds for a range of
//! counts.

use std::num::NonZeroU32;

use super::offer::{MpiFlavour, Offer, Window, offers};
use super::setting::{RADIX, WINDOW};
use super::{Algorithm, Collective, Method};

/// An algorithm of a library, with the settings that a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LibraryAlgorithm {
    /// The algorithm.
    pub offer: &'static Offer,
    /// Segment size.
    pub segment: Option<NonZeroU32>,
    /// Largest number of messages in progress, where a rule must say it.
    pub window: Option<NonZeroU32>,
}

impl LibraryAlgorithm {
    /// The algorithm of the library that runs as `method` was measured; `None` if it has none, or
    /// none for every process count.
    pub fn of(flavour: MpiFlavour, collective: Collective, method: &Method) -> Option<Self> {
        let found = match method {
            Method::Library(choice) => {
                let (name, segment) = choice.named()?;
                let mut all = offers(collective).into_iter();
                let offer = all.find(|own| own.flavour == flavour && own.name == name)?;
                (segment.is_none() || offer.has_segments()).then_some(Self {
                    offer,
                    segment,
                    window: None,
                })
            }
            Method::Schedule(algorithm) => {
                let offers = algorithm.entry.library.iter();
                let mut own = offers.filter(|offer| offer.flavour == flavour);
                own.find_map(|offer| as_set(offer, algorithm))
            }
        };
        found.filter(|own| own.offer.suits_every_count())
    }
}

/// The library's algorithm with the settings of netsig's; `None` if it cannot have them.
fn as_set(offer: &'static Offer, algorithm: &Algorithm) -> Option<LibraryAlgorithm> {
    let segment = algorithm.segment().and_then(|own| u32::try_from(own.0).ok());
    let segment = segment.and_then(NonZeroU32::new);
    let has_segment = segment.is_none() || offer.has_segments();
    let has_radix = algorithm.get(RADIX).is_none_or(|own| offer.radix() == Some(own));
    let window = match (algorithm.get(WINDOW), offer.window()) {
        (None, _) => None,
        (Some(own), Window::Settable) => NonZeroU32::new(own),
        (Some(own), Window::Fixed(fixed)) if own == fixed => None,
        _ => return None,
    };
    (has_segment && has_radix).then_some(LibraryAlgorithm { offer, segment, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each library runs in place of an algorithm: number or name, segment and window.
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
            let method = Method::parse(collective, text).unwrap();
            let found = LibraryAlgorithm::of(flavour, collective, &method).map(|own| {
                let named = |name: &str, value: Option<NonZeroU32>| {
                    value.map_or_else(String::new, |value| format!(" {name} {value}"))
                };
                let settings = named("segment", own.segment) + &named("window", own.window);
                format!("{} {}{settings}", own.offer.number(), own.offer.name)
            });
            let found = found.unwrap_or("none".to_owned());
            assert_eq!(found, taken, "{flavour} {collective} {text}");
        }
    }
}
