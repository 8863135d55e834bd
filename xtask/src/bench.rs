//! `cargo xtask bench`: the figures that netsig promises, each measured and held against
//! its target. One line a figure: `name  value  target  met|MISSED`; raw numbers go to
//! bench/results. Needs the release build and the rank program (`make bench`).

mod campaign;
mod figure;
mod loading;
mod predictions;
mod program;

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, ensure};

pub(crate) use self::figure::Figure;
pub(crate) use self::program::{run_quietly, text};

/// Measures everything; false if a target is missed.
pub fn run() -> Result<bool> {
    let root = crate::root();
    let netsig = root.join("target/release/netsig");
    ensure!(
        netsig.is_file(),
        "{} is not built; run `make bench`",
        netsig.display()
    );
    let work = tempfile::tempdir().context("no temporary directory")?;
    let mut figures = vec![
        program::version(&netsig)?,
        program::prediction(&netsig, work.path())?,
        program::fit(&netsig, work.path())?,
        program::set_up(&netsig)?,
        program::overhead(&netsig, work.path(), &root)?,
    ];
    figures.extend(loading::figures(&root, work.path())?);
    figures.extend(predictions::figures(&root)?);
    figures.push(campaign::harness(&netsig, work.path())?);
    figures.extend(campaign::complete(&netsig, work.path(), &root)?);
    let mut raw = String::from("name,unit,target,value\n");
    for figure in &figures {
        println!("{}", figure.line());
        for value in &figure.values {
            writeln!(
                raw,
                "{},{},{},{value}",
                figure.name, figure.unit, figure.target
            )?;
        }
    }
    let results = root.join("bench/results");
    fs::create_dir_all(&results).context("bench/results cannot be made")?;
    fs::write(results.join("quick.csv"), raw)
        .context("bench/results/quick.csv cannot be written")?;
    Ok(figures.iter().all(Figure::is_met))
}
