//! The truth of a benchmark of selection. Every launch measures all candidates, the choice and the library's own choice
//! in every cell.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use netsig_base::algorithm::LIBRARY;
use netsig_base::data::cells::CellKey;
use netsig_base::data::{Dataset, LaunchCell};

use super::campaign::BenchNetwork;
use super::cell::BenchCell;
use super::learn::LearnedChoices;
use super::plan::{self, PlannedCell};

/// Most plans for cells with an unmeasured choice.
const MOST_PLANS: usize = 4;

/// The algorithms to measure in each cell.
type WantedCells = BTreeMap<BenchCell, BTreeSet<String>>;

/// The data of all cells; the operations of a launch take `seconds`. If a later netsig chooses another algorithm in a
/// cell, this cell is measured again with all its algorithms, since launches of different days cannot be compared.
pub fn measure(bench_network: &BenchNetwork, learned: &LearnedChoices, seconds: f64) -> Result<Dataset> {
    let wanted = wanted_cells(learned);
    let mut all = Dataset::default();
    for number in 1..=MOST_PLANS {
        let name = match number {
            1 => "truth".to_owned(),
            _ => format!("truth-{number}"),
        };
        let missing = missing_cells(&all, &wanted);
        if missing.is_empty() && !bench_network.folder.has(&format!("{name}.csv")) {
            break;
        }
        let cells = missing.iter().flat_map(|(cell, names)| {
            let names = names.iter();
            names.map(|name| PlannedCell::new(*cell, &bench_network.drawn, name))
        });
        let plan = plan::text_for_network(&bench_network.drawn, &cells.collect::<Vec<_>>(), seconds);
        let data = bench_network.run_plan(&name, &plan, &[])?;
        match number {
            1 => all = data,
            _ => all.join(data, number)?,
        }
    }
    // Algorithms of an earlier netsig are in other launches.
    Ok(all.subset(|place| {
        let names = cell_of_place(place).and_then(|cell| wanted.get(&cell));
        names.is_some_and(|names| names.contains(&*place.algorithm))
    }))
}

fn wanted_cells(learned: &LearnedChoices) -> WantedCells {
    let cells = learned.choices.iter().map(|(cell, choice)| {
        let collective_candidates = learned.candidates.get(&cell.collective);
        let candidates = collective_candidates.into_iter().flatten().cloned();
        let others = [choice.clone(), LIBRARY.to_owned()];
        (*cell, candidates.chain(others).collect())
    });
    cells.collect()
}

/// The cells with an unmeasured algorithm.
fn missing_cells(data: &Dataset, wanted: &WantedCells) -> WantedCells {
    let places = data.samples.iter().map(|sample| &sample.cell);
    let samples = places.filter_map(|place| Some((cell_of_place(place)?, &*place.algorithm)));
    let known: BTreeSet<(BenchCell, &str)> = samples.collect();
    let is_incomplete = |(cell, names): &(&BenchCell, &BTreeSet<String>)| {
        let mut names = names.iter();
        names.any(|name| !known.contains(&(**cell, &**name)))
    };
    let cells = wanted.iter().filter(is_incomplete);
    cells.map(|(cell, names)| (*cell, names.clone())).collect()
}

fn cell_of_place(place: &LaunchCell) -> Option<BenchCell> {
    BenchCell::of(&CellKey::from(place))
}
