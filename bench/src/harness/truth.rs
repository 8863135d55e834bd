//! The truth of a benchmark of selection: every candidate, the choice and the library's own choice in
//! every cell, in launches that each measure all of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use netsig_base::algorithm::LIBRARY;
use netsig_base::data::cells::CellKey;
use netsig_base::data::{Dataset, Place};

use super::campaign::NetworkSite;
use super::cell::BenchCell;
use super::learn::LearnedChoices;
use super::plan::{self, PlannedCell};

/// Most plans that measure cells with a choice that was not measured before.
const PLANS: usize = 4;

/// The algorithms to measure in each cell.
type WantedCells = BTreeMap<BenchCell, BTreeSet<String>>;

/// The data of all cells, with so many seconds of operations in a launch. A later netsig may choose another
/// algorithm in a cell; this cell is then measured again with all its algorithms, since launches of another
/// day cannot be compared.
pub fn measured(site: &NetworkSite, learned: &LearnedChoices, seconds: f64) -> Result<Dataset> {
    let wanted = wanted(learned);
    let mut all = Dataset::default();
    for number in 1..=PLANS {
        let name = match number {
            1 => "truth".to_owned(),
            _ => format!("truth-{number}"),
        };
        let missing = missing(&all, &wanted);
        if missing.is_empty() && !site.folder.has(&format!("{name}.csv")) {
            break;
        }
        let cells = missing.iter().flat_map(|(cell, names)| {
            let names = names.iter();
            names.map(|name| PlannedCell::new(*cell, &site.drawn, name))
        });
        let plan = plan::started(&site.drawn, &cells.collect::<Vec<_>>(), seconds);
        let data = site.plan(&name, &plan, &[])?;
        match number {
            1 => all = data,
            _ => all.join(data, number)?,
        }
    }
    // Algorithms of an earlier netsig have other launches.
    Ok(all.part(|place| {
        let names = cell(place).and_then(|cell| wanted.get(&cell));
        names.is_some_and(|names| names.contains(&*place.algorithm))
    }))
}

fn wanted(learned: &LearnedChoices) -> WantedCells {
    let cells = learned.choices.iter().map(|(cell, choice)| {
        let candidates = learned.candidates.get(&cell.collective);
        let candidates = candidates.into_iter().flatten().cloned();
        let others = [choice.clone(), LIBRARY.to_owned()];
        (*cell, candidates.chain(others).collect())
    });
    cells.collect()
}

/// The cells of which an algorithm was not measured.
fn missing(data: &Dataset, wanted: &WantedCells) -> WantedCells {
    let places = data.samples.iter().map(|sample| &sample.place);
    let samples = places.filter_map(|place| Some((cell(place)?, &*place.algorithm)));
    let known: BTreeSet<(BenchCell, &str)> = samples.collect();
    let lacks = |(cell, names): &(&BenchCell, &BTreeSet<String>)| {
        let mut names = names.iter();
        names.any(|name| !known.contains(&(**cell, &**name)))
    };
    let cells = wanted.iter().filter(lacks);
    cells.map(|(cell, names)| (*cell, names.clone())).collect()
}

fn cell(place: &Place) -> Option<BenchCell> {
    BenchCell::of(&CellKey::from(place))
}
