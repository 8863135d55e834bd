//! The gain of a rules file alone: the library's own call with and without the file that `netsig tune` writes.
//!
//! The launches with the file follow those of the truth, so that the ratio contains the drift of the
//! machine between them.

use std::collections::BTreeMap;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, MpiSetting};
use netsig_base::data::cells::{CellKey, CellSummary, summarise};
use netsig_base::data::{Dataset, processors};

use super::launch_seconds;
use crate::harness::campaign::BenchNetwork;
use crate::harness::cell::BenchCell;
use crate::harness::learn::{LearnedChoices, PROFILE};
use crate::harness::plan::{self, LAUNCHES, PlannedCell};
use crate::harness::summary::geometric;

/// Name of the plan and its data, and of the file with rules.
const NAME: &str = "rules";

/// Share of the truth's time: one algorithm of several.
const SHARE: f64 = 0.2;

/// Variable of the file of MPICH's rules.
const SELECTION_FILE: &str = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

/// The gain of a rules file in one cell.
pub(super) struct RulesGain {
    mpi: &'static str,
    collective: Collective,
    /// Time without the file over the time with it.
    ratio: f64,
}

/// Writes the file, measures missing data with it, and compares them with the truth.
pub(super) fn gains(bench_network: &BenchNetwork, truth: &Dataset, learned: &LearnedChoices) -> Result<Vec<RulesGain>> {
    let (drawn, folder) = (&bench_network.drawn, &bench_network.folder);
    let rules_path = folder.path(NAME);
    let network = bench_network.description();
    if !folder.has(&format!("{NAME}.complete")) {
        let _ = std::fs::remove_file(&rules_path);
        folder
            .netsig
            .run(&format!("tune {PROFILE}.toml --for {} -o {NAME} {network}", drawn.mpi))?;
    }
    let path = rules_path.display().to_string();
    let mpi_variables = variables(drawn.mpi, &path);
    let variables = mpi_variables.iter().map(|(name, value)| (&**name, &**value));
    let all_cells = learned.choices.keys();
    // The files have no rules of reductions.
    let cells = all_cells.filter(|cell| !cell.collective.is_reduction());
    let planned = cells.map(|cell| PlannedCell::new(*cell, drawn, LIBRARY));
    let plan = plan::text(
        &planned.collect_vec(),
        LAUNCHES,
        SHARE * launch_seconds(bench_network.effort),
    );
    let with_rules = bench_network.run_plan(NAME, &plan, &variables.collect_vec())?;
    Ok(compare(drawn.mpi, truth, &with_rules))
}

/// The variables by which an MPI reads the file at `path`.
fn variables(mpi: &str, path: &str) -> Vec<(String, String)> {
    match mpi {
        "openmpi" => MpiSetting::open_mpi_rules(path).variables().to_vec(),
        _ => vec![(SELECTION_FILE.to_owned(), path.to_owned())],
    }
}

/// The gain in every cell that both data have without busy processors.
fn compare(mpi: &'static str, without: &Dataset, with: &Dataset) -> Vec<RulesGain> {
    let busy = [without, with].map(processors::busy_cells).concat();
    let library_cells = summarise(without);
    let gain = |(key, summary): (CellKey, CellSummary)| {
        let BenchCell { collective, .. } = BenchCell::of(&key)?;
        let other = library_cells.get(&key)?;
        (!busy.contains(&key)).then(|| RulesGain {
            mpi,
            collective,
            ratio: other.median / summary.median,
        })
    };
    summarise(with).into_iter().filter_map(gain).collect()
}

/// The geometric mean over the cells of each MPI and collective, with its name.
pub(super) fn means(gains: &[RulesGain]) -> Vec<(String, f64)> {
    let keyed_ratios = gains.iter().map(|gain| ((gain.mpi, gain.collective), gain.ratio));
    let groups: BTreeMap<_, Vec<f64>> = keyed_ratios.into_group_map().into_iter().collect();
    let mean = |((mpi, collective), ratios): ((&str, Collective), Vec<f64>)| {
        let cells = ratios.len();
        let name = format!("a rules file alone, {mpi}, {collective}, {cells} cells: without/with, ×");
        (name, geometric(&ratios))
    };
    groups.into_iter().map(mean).collect()
}
