//! `netsig-bench speed`: measures the promised figures of netsig and compares each with its target.
//! One line for each figure: `name  value  target  met|MISSED`; raw numbers go to
//! bench/results/quick.csv. Needs the release build and the rank program (`make bench`).

mod commands;
mod loading;
mod predictions;

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::harness::goals::BenchGoal;
use crate::harness::process::{NetsigProgram, output};
use crate::harness::root;

/// Measures everything; false if a target is missed.
pub fn run() -> Result<bool> {
    let work = tempfile::tempdir().context("no temporary directory")?;
    let netsig = NetsigProgram::built(work.path(), "bench")?;
    let mut figures = vec![
        commands::version(&netsig)?,
        commands::prediction(&netsig)?,
        commands::fit(&netsig)?,
        commands::set_up(&netsig)?,
        commands::overhead(&netsig)?,
    ];
    figures.extend(loading::figures(work.path())?);
    figures.extend(predictions::figures()?);
    figures.push(commands::harness(&netsig)?);
    figures.extend(commands::complete(&netsig)?);
    let mut raw = String::from("name,unit,target,value\n");
    for figure in &figures {
        println!("{}", figure.line());
        let most = figure.target.range.end();
        for value in &figure.values {
            writeln!(raw, "{},{},{most},{value}", figure.name, figure.target.unit)?;
        }
    }
    let results = root().join("bench/results");
    fs::create_dir_all(&results).context("bench/results cannot be made")?;
    fs::write(results.join("quick.csv"), raw).context("bench/results/quick.csv cannot be written")?;
    Ok(figures.iter().all(BenchGoal::is_met))
}

/// Runs a benchmark of a crate and returns its output.
fn run_benchmark(package: &str, name: &str, arguments: &[&str]) -> Result<String> {
    output(
        Command::new("cargo")
            .args(["bench", "--package", package, "--bench", name, "--"])
            .args(arguments)
            .current_dir(root()),
    )
}
