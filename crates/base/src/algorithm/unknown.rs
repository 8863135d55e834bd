//! Errors in the name of a collective or of an algorithm.

use std::str::FromStr;

use super::{AlgorithmEntry, Collective, algorithm_entries};
use crate::text::guess::guess;
use crate::text::names::variant_named;
use crate::text::refusal::Refusal;

/// Reason why a name is no algorithm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAlgorithm {
    /// No entry has that name.
    #[error(
        "{name:?} is not an algorithm of {collective}; {}write one of: {known}",
        guess(name, known)
    )]
    Name {
        /// The given name.
        name: String,
        /// Collective of the search.
        collective: Collective,
        /// Names of its algorithms.
        known: String,
    },
    /// No MPI library has an algorithm of that name.
    #[error(
        "{name:?} is no library's algorithm of {collective}; {}write library, or library: and one of: {known}",
        guess(name, known)
    )]
    OfLibrary {
        /// The given name.
        name: String,
        /// Collective of the search.
        collective: Collective,
        /// Names of the libraries' algorithms.
        known: String,
    },
    /// A setting is missing, superfluous, too small or large, or not of its kind.
    #[error("algorithm {text:?} is wrongly set; write {usage}")]
    Setting {
        /// The given text.
        text: String,
        /// Correct form.
        usage: String,
    },
    /// No such collective; the text is the whole message, which lists the collectives.
    #[error("{0}")]
    Collective(String),
}

impl UnknownAlgorithm {
    /// Error for `text` that names no schedule of `collective`.
    pub(super) fn name(collective: Collective, text: &str) -> Self {
        let known: Vec<_> = algorithm_entries(collective).map(AlgorithmEntry::usage).collect();
        Self::Name {
            name: text.to_owned(),
            collective,
            known: known.join(", "),
        }
    }
}

impl From<UnknownAlgorithm> for Refusal {
    fn from(error: UnknownAlgorithm) -> Self {
        Self::request(error)
    }
}

impl FromStr for Collective {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = |text: &str| variant_named(text, "a collective that netsig knows");
        // Other programs write the names of MPI, such as reduce_scatter.
        let found = named(text).or_else(|error| named(&text.replace('_', "-")).map_err(|_| error));
        found.map_err(UnknownAlgorithm::Collective)
    }
}
