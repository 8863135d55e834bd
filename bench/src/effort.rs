//! Time that a benchmark takes for a network.

use clap::ValueEnum;

/// Time for measuring a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// About 15 minutes.
    Full,
    /// About five minutes: shows that every step works; the figures mean nothing.
    Trial,
}

impl Effort {
    /// Name of a benchmark's folders.
    pub fn folder(self, benchmark: &str) -> String {
        match self {
            Self::Full => benchmark.to_owned(),
            Self::Trial => format!("{benchmark}-trial"),
        }
    }
}
