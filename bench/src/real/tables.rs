//! Tables of the OSU benchmarks: of an emulated star (bench/data/osu) and of Peak (bench/data/real).

use std::fs;

use anyhow::{Context as _, Result};
use itertools::Itertools as _;
use netsig_base::data::import::{BenchmarkProgram, ImportInput, ImportOptions, import};

use super::sets::{self, JudgedNetwork, SetGroup, SetSplit};

/// The machine whose data are all tables of the OSU benchmarks.
const OSU_MACHINE: &str = "peak";

/// The tables of each network; sizes of even and of odd powers of two are fitted in turn.
pub fn networks() -> Result<Vec<JudgedNetwork>> {
    let mut networks = sets::networks_of_folder("real", SetGroup::Tables)?;
    networks.retain(|network| network.machine == OSU_MACHINE);
    networks.push(emulated_star()?);
    for network in &mut networks {
        network.splits = vec![SetSplit::EvenPowers, SetSplit::OddPowers];
    }
    Ok(networks)
}

/// The tables of direct exchanges in an emulated star, and its ping-pong.
fn emulated_star() -> Result<JudgedNetwork> {
    let paths = sets::entries("osu")?;
    let read = |path| fs::read_to_string(path).context("bench/data/osu cannot be read");
    let texts: Vec<String> = paths.iter().map(read).try_collect()?;
    let shown_paths = paths.iter().map(|path| path.display().to_string());
    let names = shown_paths.collect_vec();
    let named_texts = names.iter().zip(&texts);
    let inputs = named_texts.map(|(name, text)| ImportInput { name, text });
    let options = ImportOptions {
        algorithm: "direct".into(),
        ..ImportOptions::default()
    };
    let imported = import(Some(BenchmarkProgram::Osu), &inputs.collect_vec(), &options)?;
    Ok(JudgedNetwork {
        data: imported.data,
        ..JudgedNetwork::new("star-alltoall", SetGroup::Tables)
    })
}
