//! The networks of a benchmark, one after the other.

use anyhow::Result;
use netsig_base::algorithm::MpiFlavour;

use super::campaign::BenchNetwork;
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

/// The draw of a network from a seed by its number.
type NetworkDraw = fn(u64, u32) -> Result<DrawnNetwork>;

impl NetworkSeries {
    /// Visits the drawn networks of a benchmark in turn.
    pub fn visit_networks(
        self,
        benchmark: &str,
        effort: BenchEffort,
        draw: NetworkDraw,
        visit: impl FnMut(&BenchNetwork) -> Result<()>,
    ) -> Result<()> {
        visit_all(self.drawn(draw)?, benchmark, effort, visit)
    }

    /// Like [`Self::visit_networks`], with a tree among three networks or more. If all are stars, the next tree of the seed
    /// replaces the last network that is not measured with MPICH.
    pub fn visit_with_a_tree(
        self,
        benchmark: &str,
        effort: BenchEffort,
        draw: NetworkDraw,
        visit: impl FnMut(&BenchNetwork) -> Result<()>,
    ) -> Result<()> {
        let mut drawn = self.drawn(draw)?;
        let is_tree = |network: &DrawnNetwork| network.description().is_some();
        let is_replaced = |network: &DrawnNetwork| network.flavour() != MpiFlavour::Mpich;
        let replaced = drawn.iter().rposition(is_replaced);
        if let (3.., Some(index), false) = (drawn.len(), replaced, drawn.iter().any(is_tree)) {
            let mut later = (self.networks..).map(|number| draw(self.seed, number));
            let is_wanted = |network: &Result<_>| network.as_ref().map_or(true, is_tree);
            drawn[index] = later.find(is_wanted).expect("numbers do not end")?;
        }
        visit_all(drawn, benchmark, effort, visit)
    }

    fn drawn(self, draw: NetworkDraw) -> Result<Vec<DrawnNetwork>> {
        let numbers = 0..self.networks;
        numbers.map(|number| draw(self.seed, number)).collect()
    }
}

fn visit_all(
    networks: Vec<DrawnNetwork>,
    benchmark: &str,
    effort: BenchEffort,
    mut visit: impl FnMut(&BenchNetwork) -> Result<()>,
) -> Result<()> {
    for drawn in networks {
        eprintln!("{}: {}", drawn.name, drawn.summary());
        visit(&BenchNetwork::new(benchmark, effort, drawn)?)?;
    }
    Ok(())
}
