//! `netsig-bench grid`: all-to-alls between emulated sites drawn from a seed.
//!
//! netsig discovers the sites, measures, predicts and selects as its user does (`learn`). The choices for all processes
//! and for about 5/6 of them, in 4 KiB and drawn sizes, are measured beside the candidates. The same launches measure
//! the predicted two-phase exchanges (`exchange`). `goals` holds the figures. Tables go to standard output and
//! table.md; cells.csv and two-phase.csv have a row for each cell. A network takes about a quarter of an hour and is
//! measured once.

mod exchange;
mod goals;
mod learn;
mod report;

use anyhow::Result;
use netsig_base::units::Seconds;

use crate::harness::campaign::BenchNetwork;
use crate::harness::choice::{self, ChoiceRow};
use crate::harness::draw::sites;
use crate::harness::effort::BenchEffort;
use crate::harness::folder::results;
use crate::harness::series::NetworkSeries;
use crate::harness::truth;
use exchange::ExchangeRow;

/// Name of the benchmark.
const BENCHMARK: &str = "grid";

/// The results of all networks.
#[derive(Default)]
struct GridOutcome {
    /// For each network true if the sites were found, and the duration of their discovery.
    discoveries: Vec<(bool, Seconds)>,
    rows: Vec<ChoiceRow>,
    exchanges: Vec<ExchangeRow>,
    notes: Vec<String>,
}

/// Measures the missing data of the networks and judges them; false if a goal is missed.
pub fn run(series: NetworkSeries, effort: BenchEffort) -> Result<bool> {
    let mut outcome = GridOutcome::default();
    series.visit_networks(BENCHMARK, effort, sites::network, |bench_network| {
        outcome.add(bench_network)
    })?;
    report::write(&outcome, &results(&effort.folder(BENCHMARK))?)
}

impl GridOutcome {
    /// Measures and judges a network.
    fn add(&mut self, bench_network: &BenchNetwork) -> Result<()> {
        let drawn = &bench_network.drawn;
        let known = learn::learn_sites(bench_network)?;
        // Seconds of all operations in one launch.
        let launch = bench_network.effort.choose(38.0, 8.0);
        let truth = truth::measure(bench_network, &known.learned, launch)?;
        let network = (&*drawn.name, &drawn.whole);
        let (rows, missing) = choice::rows(network, &truth, &known.learned.choices);
        self.rows.extend(rows);
        self.exchanges.extend(exchange::rows(drawn, &truth, &known));
        self.discoveries.push((known.is_found, known.discovery));
        let about = format!(
            "{}; {:.0} s for discovery, {:.0} s for the profile",
            drawn.whole.summary(),
            known.discovery.0,
            known.learned.seconds
        );
        let notes = std::iter::once(about).chain(missing);
        self.notes.extend(notes.map(|note| format!("{}: {note}", drawn.name)));
        Ok(())
    }
}
