//! What is wrong with the name of a collective or of an algorithm.

use super::{Collective, Entry, entries};

/// Why a name is not an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAlgorithm {
    /// No entry has that name.
    #[error("{name:?} is not an algorithm of {collective}; write one of: {known}")]
    Name {
        /// What was asked for.
        name: String,
        /// For which collective.
        collective: Collective,
        /// What there is.
        known: String,
    },
    /// No MPI library has an algorithm of that name.
    #[error(
        "{name:?} is no library's algorithm of {collective}; write library, or library: and one of: {known}"
    )]
    OfLibrary {
        /// What was asked for.
        name: String,
        /// For which collective.
        collective: Collective,
        /// What there is.
        known: String,
    },
    /// A setting is missing, superfluous, too small or large, or not of its kind.
    #[error("algorithm {text:?} is wrongly set; write {usage}")]
    Setting {
        /// What was asked for.
        text: String,
        /// The right form.
        usage: String,
    },
    /// No such collective: the whole message, which names those there are.
    #[error("{0}")]
    Collective(String),
}

impl UnknownAlgorithm {
    /// None of the schedules of `collective` is called `text`.
    pub(super) fn name(collective: Collective, text: &str) -> Self {
        let known: Vec<_> = entries(collective).map(Entry::usage).collect();
        Self::Name {
            name: text.to_owned(),
            collective,
            known: known.join(", "),
        }
    }
}
