//! The networks of a benchmark, one after the other.

use anyhow::Result;

use super::campaign::NetworkSite;
use super::draw::DrawnNetwork;
use super::effort::BenchEffort;

/// The networks of a benchmark.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct NetworkSeries {
    /// The seed; 1 to 20 are for development.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of networks.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    networks: u32,
}

impl NetworkSeries {
    /// Visits the drawn networks of a benchmark in turn.
    pub fn each(
        self,
        (benchmark, effort): (&str, BenchEffort),
        draw: fn(u64, u32) -> Result<DrawnNetwork>,
        mut visit: impl FnMut(&NetworkSite) -> Result<()>,
    ) -> Result<()> {
        for number in 0..self.networks {
            let drawn = draw(self.seed, number)?;
            eprintln!("{}: {}", drawn.name, drawn.summary());
            visit(&NetworkSite::new(benchmark, effort, drawn)?)?;
        }
        Ok(())
    }
}
