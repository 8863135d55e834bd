//! What a rules file alone gains: the library's own call with the file that `netsig tune` writes,
//! beside the same call without it.
//!
//! The launches with the file follow those of the truth, so that the ratio contains the drift of the
//! machine between them.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, MpiSetting};
use netsig_base::data::cells::{CellKey, Summary, summarise};
use netsig_base::data::{Dataset, Experiment, processors};
use netsig_model::predict::penalty::geometric_mean;

use crate::draw::Drawn;
use crate::effort::Effort;
use crate::learn::{Learned, PROFILE};
use crate::plan::{self, LAUNCHES};
use crate::site::Site;

/// Name of the plan and its data, and of the file with rules.
const NAME: &str = "rules";

/// Share of the truth's time: one algorithm of several.
const SHARE: f64 = 0.2;

/// Variable of the file of MPICH's rules.
const SELECTION_FILE: &str = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

/// The gain of a rules file in one cell.
pub(super) struct Gain {
    mpi: &'static str,
    collective: Collective,
    /// Time without the file over that with it.
    ratio: f64,
}

/// The geometric mean over the cells of an MPI and a collective.
pub(super) struct Mean {
    mpi: &'static str,
    collective: Collective,
    ratio: f64,
    cells: usize,
}

/// Writes the file, measures missing data with it, and compares them with the truth.
pub(super) fn gains(
    drawn: &Drawn,
    site: &Site,
    truth: &Dataset,
    learned: &Learned,
    effort: Effort,
) -> Result<Vec<Gain>> {
    let path = site.path(NAME);
    let network = Site::description(drawn);
    if !site.path(&format!("{NAME}.complete")).is_file() {
        let _ = std::fs::remove_file(&path);
        site.netsig.run(&format!(
            "tune {PROFILE}.toml --for {} -o {NAME} {network}",
            drawn.mpi
        ))?;
    }
    let path = path.display().to_string();
    let variables = variables(drawn.mpi, &path);
    let variables = variables.iter().map(|(name, value)| (&**name, &**value));
    let cells = learned.choices.keys();
    let planned = cells.map(|cell| cell.planned(drawn, LIBRARY));
    let plan = plan::text(&planned.collect_vec(), LAUNCHES, SHARE * effort.launch());
    let with = site.plan(drawn, NAME, &plan, &variables.collect_vec())?;
    Ok(compared(drawn.mpi, truth, &with))
}

/// The variables by which an MPI reads the file at `path`.
fn variables(mpi: &str, path: &str) -> Vec<(String, String)> {
    match mpi {
        "openmpi" => MpiSetting::open_mpi_rules(path).variables().to_vec(),
        _ => vec![(SELECTION_FILE.to_owned(), path.to_owned())],
    }
}

/// The gain in every cell of both data without busy processors.
fn compared(mpi: &'static str, without: &Dataset, with: &Dataset) -> Vec<Gain> {
    let busy = [without, with].map(processors::busy).concat();
    let without = summarise(without);
    let gain = |(key, summary): (CellKey, Summary)| {
        let Experiment::Collective(collective) = key.experiment else {
            return None;
        };
        let other = without.get(&key)?;
        (!busy.contains(&key)).then(|| Gain {
            mpi,
            collective,
            ratio: other.median / summary.median,
        })
    };
    summarise(with).into_iter().filter_map(gain).collect()
}

/// The means of all networks.
pub(super) fn means(gains: &[Gain]) -> Vec<Mean> {
    let mut groups: BTreeMap<(&'static str, Collective), Vec<f64>> = BTreeMap::new();
    for gain in gains {
        let ratios = groups.entry((gain.mpi, gain.collective)).or_default();
        ratios.push(gain.ratio);
    }
    let mean = |((mpi, collective), ratios): (_, Vec<f64>)| {
        Some(Mean {
            mpi,
            collective,
            ratio: geometric_mean(&ratios)?,
            cells: ratios.len(),
        })
    };
    groups.into_iter().filter_map(mean).collect()
}

/// A row of the table of goals, without a goal.
impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mpi,
            collective,
            ratio,
            cells,
        } = self;
        write!(
            f,
            "| a rules file alone, {mpi}, {collective}, {cells} cells: without/with, × | {ratio:.2} | | | | |"
        )
    }
}
