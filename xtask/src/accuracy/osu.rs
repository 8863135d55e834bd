//! Tables of the OSU micro-benchmarks that somebody measured elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use netsig_core::data::Dataset;
use netsig_core::data::import::{Asked, Input, Program, import};

use super::split::Measured;

/// The variable that names a directory with [`LATENCY`] and `osu_alltoall-direct-pN.txt`.
pub(super) const PLACE: &str = "NETSIG_OSU_DIR";

/// What the network of these tables is called.
pub(super) const NETWORK: &str = "osu";

const LATENCY: &str = "osu_latency-p2.txt";
const ALLTOALL: &str = "osu_alltoall-direct-p";

/// The tables, if any are named.
pub(super) fn data() -> Result<Option<Measured>> {
    let Some(folder) = std::env::var_os(PLACE) else {
        return Ok(None);
    };
    let folder = PathBuf::from(folder);
    let mut texts = Vec::new();
    for path in files(&folder)? {
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).with_context(|| format!("{name} cannot be read"))?;
        texts.push((name, text));
    }
    let inputs: Vec<Input> = texts
        .iter()
        .map(|(name, text)| Input { name, text })
        .collect();
    let asked = Asked {
        algorithm: "direct".into(),
        ..Asked::default()
    };
    let all = import(Program::Osu, &inputs, &asked)?.data;
    Ok(Some(Measured {
        train: all.clone(),
        few: Dataset::default(),
        heldout: all,
        tree: None,
    }))
}

/// The ping-pong first, then the all-to-alls.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let entries = fs::read_dir(folder).with_context(|| format!("{PLACE}: {shown}"))?;
    let mut tables = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_text = path.extension().is_some_and(|end| end == "txt");
        if is_text && name.is_some_and(|name| name.starts_with(ALLTOALL)) {
            tables.push(path);
        }
    }
    ensure!(
        !tables.is_empty(),
        "{shown} holds no {ALLTOALL}N.txt; name another directory in {PLACE}"
    );
    tables.sort();
    tables.insert(0, folder.join(LATENCY));
    Ok(tables)
}
