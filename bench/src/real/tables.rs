//! Tables of the OSU benchmarks: of an emulated star (bench/data/osu) and of Peak (bench/data/real).

use std::fs;

use anyhow::{Context as _, Result};
use itertools::Itertools as _;
use netsig_base::data::import::{Asked, Input, Program, import};

use super::sets::{self, MeasuredNetwork, SetGroup, SetSplit};

/// The machine of which all data are such tables.
const OF_OSU: &str = "peak";

/// The tables of each network; those of each power of two, even or odd, are fitted in turn.
pub fn networks() -> Result<Vec<MeasuredNetwork>> {
    let mut networks = sets::of_folder("real", SetGroup::Tables)?;
    networks.retain(|network| network.machine == OF_OSU);
    networks.push(emulated()?);
    for network in &mut networks {
        network.splits = vec![SetSplit::EvenPowers, SetSplit::OddPowers];
    }
    Ok(networks)
}

/// The tables of direct exchanges in an emulated star, and its ping-pong.
fn emulated() -> Result<MeasuredNetwork> {
    let paths = sets::entries("osu")?;
    let read = |path| fs::read_to_string(path).context("bench/data/osu cannot be read");
    let texts: Vec<String> = paths.iter().map(read).try_collect()?;
    let names = paths.iter().map(|path| path.display().to_string());
    let names = names.collect_vec();
    let inputs = names.iter().zip(&texts);
    let inputs = inputs.map(|(name, text)| Input { name, text });
    let asked = Asked {
        algorithm: "direct".into(),
        ..Asked::default()
    };
    let imported = import(Some(Program::Osu), &inputs.collect_vec(), &asked)?;
    Ok(MeasuredNetwork {
        data: imported.data,
        ..MeasuredNetwork::new("star-alltoall", SetGroup::Tables)
    })
}
