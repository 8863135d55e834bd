//! `netsig-bench select`: penalties and gains of the algorithms that netsig selects, on emulated
//! networks drawn from a seed.
//!
//! netsig's commands make a profile on half of the hosts. Its choices for ¾ and all of the hosts are measured beside
//! all other candidates and judged. `goals` holds the figures, `rules` the gains of a rules file alone. Tables go to
//! standard output and table.md; cells.csv has a row for each cell. A network takes about 18 minutes and is measured
//! once.

mod goals;
mod report;
mod rules;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;

use crate::harness::campaign::BenchNetwork;
use crate::harness::choice::{self, ChoiceRow};
use crate::harness::draw::{DrawnNetwork, ethernet};
use crate::harness::effort::BenchEffort;
use crate::harness::folder::results;
use crate::harness::learn::{self, CollectiveCampaign};
use crate::harness::series::NetworkSeries;
use crate::harness::truth;

/// Name of the benchmark.
const BENCHMARK: &str = "select";

/// The results of all networks.
#[derive(Default)]
struct SelectOutcome {
    networks: Vec<DrawnNetwork>,
    rows: Vec<ChoiceRow>,
    /// Gain of a rules file alone in each cell.
    rules: Vec<rules::RulesGain>,
    notes: Vec<String>,
}

/// Measures the missing data of the networks and judges the choices for these `collectives`, or for all if none is given;
/// false if a goal is missed. With `only_measure` nothing is judged.
pub fn run(series: NetworkSeries, effort: BenchEffort, collectives: &[Collective], only_measure: bool) -> Result<bool> {
    let wanted = learn::judged_campaigns(collectives);
    let mut outcome = SelectOutcome::default();
    series.visit_networks(BENCHMARK, effort, ethernet::network, |bench_network| {
        outcome.add(bench_network, &wanted)
    })?;
    let results = results(&effort.folder(BENCHMARK))?;
    Ok(only_measure || report::write(&outcome, &results)?)
}

/// Seconds of all operations in one launch of the truth.
fn launch_seconds(effort: BenchEffort) -> f64 {
    effort.choose(160.0, 12.0)
}

impl SelectOutcome {
    /// Measures and judges a network.
    fn add(&mut self, bench_network: &BenchNetwork, wanted: &[&'static CollectiveCampaign]) -> Result<()> {
        let drawn = &bench_network.drawn;
        let learned = learn::learn_choices(bench_network, wanted)?;
        let truth = truth::measure(bench_network, &learned, launch_seconds(bench_network.effort))?;
        let network = (&*drawn.name, &drawn.whole);
        let (rows, missing) = choice::rows(network, &truth, &learned.choices);
        let mut notes = Vec::new();
        match rules::gains(bench_network, &truth, &learned) {
            Ok(gains) => self.rules.extend(gains),
            Err(error) => notes.push(format!("no rules file: {error:#}")),
        }
        let seconds = learned.seconds;
        notes.push(format!("{}; {seconds:.0} s for the profile", drawn.summary()));
        let all_notes = notes.into_iter().chain(learned.notes).chain(missing);
        // Each note on one line, for a list.
        let one_line_notes = all_notes.map(|note| note.split_whitespace().join(" "));
        self.notes
            .extend(one_line_notes.map(|note| format!("{}: {note}", drawn.name)));
        self.rows.extend(rows);
        self.networks.push(drawn.clone());
        Ok(())
    }
}
