//! The measuring time of a benchmark for each network.

use clap::ValueEnum;

/// Time for measuring a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchEffort {
    /// About 15 minutes.
    Full,
    /// About five minutes: shows that every step works; the figures mean nothing.
    Trial,
}

impl BenchEffort {
    /// Name of a benchmark's folders.
    pub fn folder(self, benchmark: &str) -> String {
        self.choose(benchmark.to_owned(), format!("{benchmark}-trial"))
    }

    /// The value for this effort.
    pub fn choose<T>(self, full: T, trial: T) -> T {
        match self {
            Self::Full => full,
            Self::Trial => trial,
        }
    }
}
