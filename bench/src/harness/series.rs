//! The networks of a benchmark, one after the other.

use anyhow::Result;
use netsig_base::algorithm::MpiFlavour;

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

/// The draw of a network from a seed by its number.
type NetworkDraw = fn(u64, u32) -> Result<DrawnNetwork>;

impl NetworkSeries {
    /// Visits the drawn networks of a benchmark in turn.
    pub fn each(
        self,
        place: (&str, BenchEffort),
        draw: NetworkDraw,
        visit: impl FnMut(&NetworkSite) -> Result<()>,
    ) -> Result<()> {
        visit_all(self.drawn(draw)?, place, visit)
    }

    /// As [`Self::each`], with a tree among three networks or more: if the first are stars, the next tree of the
    /// seed takes the place of the last that is not measured with MPICH.
    pub fn each_with_a_tree(
        self,
        place: (&str, BenchEffort),
        draw: NetworkDraw,
        visit: impl FnMut(&NetworkSite) -> Result<()>,
    ) -> Result<()> {
        let mut drawn = self.drawn(draw)?;
        let is_tree = |own: &DrawnNetwork| own.description().is_some();
        let is_replaced = |own: &DrawnNetwork| own.flavour() != MpiFlavour::Mpich;
        let replaced = drawn.iter().rposition(is_replaced);
        if let (3.., Some(place), false) = (drawn.len(), replaced, drawn.iter().any(is_tree)) {
            let mut later = (self.networks..).map(|number| draw(self.seed, number));
            let is_wanted = |own: &Result<_>| own.as_ref().map_or(true, is_tree);
            drawn[place] = later.find(is_wanted).expect("numbers do not end")?;
        }
        visit_all(drawn, place, visit)
    }

    fn drawn(self, draw: NetworkDraw) -> Result<Vec<DrawnNetwork>> {
        let numbers = 0..self.networks;
        numbers.map(|number| draw(self.seed, number)).collect()
    }
}

fn visit_all(
    networks: Vec<DrawnNetwork>,
    (benchmark, effort): (&str, BenchEffort),
    mut visit: impl FnMut(&NetworkSite) -> Result<()>,
) -> Result<()> {
    for drawn in networks {
        eprintln!("{}: {}", drawn.name, drawn.summary());
        visit(&NetworkSite::new(benchmark, effort, drawn)?)?;
    }
    Ok(())
}
