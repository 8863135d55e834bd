//! Who runs a collective: the MPI library or one of netsig's schedules.

use super::library::{LIBRARY, LibraryChoice};
use super::traffic::Traffic;
use super::{Algorithm, Collective, UnknownAlgorithm};
use crate::units::Bytes;

/// Who runs the collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum Method {
    /// The MPI library's own call.
    Library(LibraryChoice),
    /// netsig's schedule.
    Schedule(Algorithm),
}

impl Method {
    /// The method of `collective` written as `text`: `library`, `library:NAME`,
    /// `library:NAME:SEGMENT` or an algorithm.
    ///
    /// # Errors
    /// As [`Algorithm::parse`]; or if no library has an algorithm of that name, or none of that
    /// name takes such a segment size.
    pub fn parse(collective: Collective, text: &str) -> Result<Self, UnknownAlgorithm> {
        match LibraryChoice::parse(collective, text)? {
            Some(choice) => Ok(Self::Library(choice)),
            None => Algorithm::parse(collective, text)
                .map(Self::Schedule)
                .map_err(or_library),
        }
    }

    /// `text` as measuring writes it, if it is a method: `bruck:radix=2` is `bruck:2`, and
    /// `pipeline:8KiB` is `pipeline:8192`.
    pub fn canonical(collective: Collective, text: &str) -> String {
        let method = Self::parse(collective, text);
        method.map_or_else(|_| text.to_owned(), |method| method.to_string())
    }

    /// How the messages meet; `None` where the contention regimes do not describe it. What an
    /// MPI library chooses itself counts as its usual choice.
    pub fn traffic(&self) -> Option<Traffic> {
        match self {
            Self::Library(choice) => choice.traffic(),
            Self::Schedule(algorithm) => algorithm.traffic(),
        }
    }

    /// The segment size that is set.
    pub fn segment(&self) -> Option<Bytes> {
        match self {
            Self::Library(choice) => choice.segment(),
            Self::Schedule(algorithm) => algorithm.segment(),
        }
    }
}

/// The error where `library` is possible as well.
fn or_library(mut error: UnknownAlgorithm) -> UnknownAlgorithm {
    if let UnknownAlgorithm::Name { known, .. } = &mut error {
        *known = format!("{LIBRARY}, {known}");
    }
    error
}
