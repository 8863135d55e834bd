//! `cargo xtask plogpt`: algorithms A and B of Nomura, Matsuba, Ishikawa 2007 on emulated
//! trees of two switches, measured beside what pLogP and `PlogPT` predict.
//!
//! A waits for its partner in every round (`pairwise`), B posts all receives first and then
//! sends to one after the other (`sends-in-turn`). All that goes into a prediction is
//! measured in the same campaign between pairs: L and g(m), the rate of a host's link, the
//! rate of the uplink when all pairs cross it. The buffers are those that the network was
//! built with. Nothing is fitted to an all-to-all. The table goes to standard output, raw
//! data and figure to bench/results/plogpt.

mod figure;
mod measured;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use netsig_core::stats::sample::Sorted;
use netsig_core::units::{Bytes, Seconds};
use serde_json::Value;

use crate::bench::{run_quietly, text};
use measured::Campaign;

/// The trees, smallest first; all their hosts take part.
const NETWORKS: [&str; 3] = ["tree-2x4x40", "tree-2x6x40", "tree-2x8x25"];

/// The algorithms with the letters of the slides, and what they are to a TCP that takes every
/// message at once: an eager send is complete when it is copied, so that all of B's messages
/// are under way together.
const ALGORITHMS: [(&str, &str, &str); 2] = [
    ("A", "pairwise", "pairwise"),
    ("B", "sends-in-turn", "direct"),
];

/// How often chance is tried.
const SEEDS: u32 = 9;

/// Bytes per destination.
const SIZES: &str = "1KiB, 4KiB, 16KiB, 32KiB, 48KiB, 64KiB, 96KiB, 128KiB";

/// One cell of the table.
struct Row {
    network: &'static str,
    procs: u32,
    letter: &'static str,
    size: Bytes,
    /// The repetitions.
    measured: Sorted,
    plogp: Seconds,
    /// `PlogPT` as in the slides: who shares a link is settled when a message begins.
    plogpt: Seconds,
    /// `PlogPT` with links shared by the messages that are under way.
    fluid: Seconds,
    /// The simulated TCP, the median over the seeds.
    tcp: Seconds,
    /// How many messages either lets time out at most.
    timeouts: u64,
}

/// Measures, predicts and compares.
pub fn run() -> Result<bool> {
    let root = crate::root();
    let netsig = root.join("target/release/netsig");
    ensure!(
        netsig.is_file(),
        "{} is not built; run `make bench-plogpt`",
        netsig.display()
    );
    let results = root.join("bench/results/plogpt");
    fs::create_dir_all(&results).context("bench/results/plogpt cannot be made")?;
    let mut rows = Vec::new();
    for network in NETWORKS {
        rows.extend(on(network, &netsig, &results)?);
    }
    print(&rows);
    fs::write(results.join("plogpt.svg"), figure::draw(&rows)?)?;
    Ok(true)
}

/// All cells of one network. Data that are there already are not measured again.
fn on(network: &'static str, netsig: &Path, results: &Path) -> Result<Vec<Row>> {
    let scenario = netsig_lab::load(network)?;
    let data = results.join(format!("{network}.csv"));
    if !data.is_file() {
        let plan = results.join(format!("{network}-plan.toml"));
        fs::write(&plan, measured::plan(scenario.hosts, SIZES))?;
        let place = format!("lab:{network}");
        let arguments = [
            "measure",
            &text(&plan)?,
            "-o",
            &text(&data)?,
            "--on",
            &place,
        ];
        run_quietly(netsig, &arguments)?;
    }
    let campaign = Campaign::read(&data)?;
    let profile = results.join(format!("{network}-profile.toml"));
    run_quietly(netsig, &["fit", &text(&data)?, "-o", &text(&profile)?])?;
    let description = results.join(format!("{network}-measured.toml"));
    let as_measured = campaign.network(scenario, &profile)?;
    fs::write(&description, as_measured.to_toml())?;
    let mut rows = Vec::new();
    for (letter, algorithm, to_tcp) in ALGORITHMS {
        let procs = as_measured.hosts.to_string();
        let by = |model: &[&str]| predictions(netsig, algorithm, &procs, model);
        let latency = format!("latency_s={}", measured::latency(&profile)?.0);
        let profile = text(&profile)?;
        let description = text(&description)?;
        let plogp = by(&["--model", "plogp", "--profile", &profile])?;
        let tree = ["--network", &description, "--set", &latency, "--model"];
        let plogpt = by(&[&tree[..], &["plogpt", "--sharing", "fixed"]].concat())?;
        let fluid = by(&[&tree[..], &["plogpt", "--sharing", "fluid"]].concat())?;
        let tcp = under_tcp(netsig, to_tcp, &procs, &tree)?;
        for (place, plogp) in plogp.iter().enumerate() {
            let (plogpt, fluid) = (&plogpt[place], &fluid[place]);
            let size = Bytes(number(plogp, "size_bytes")?);
            rows.push(Row {
                network,
                procs: as_measured.hosts.get(),
                letter,
                size,
                measured: campaign.times(algorithm, size)?,
                plogp: time(plogp)?,
                plogpt: time(plogpt)?,
                fluid: time(fluid)?,
                tcp: tcp[place],
                timeouts: number(plogpt, "losses")?.max(number(fluid, "losses")?),
            });
        }
    }
    Ok(rows)
}

/// What the simulated TCP takes for every size: the median over the seeds.
fn under_tcp(netsig: &Path, algorithm: &str, procs: &str, tree: &[&str]) -> Result<Vec<Seconds>> {
    let mut by_size: Vec<Vec<f64>> = Vec::new();
    for seed in 0..SEEDS {
        let seed = seed.to_string();
        let model = [tree, &["tcp", "--seed", &seed]].concat();
        let rows = predictions(netsig, algorithm, procs, &model)?;
        by_size.resize(rows.len(), Vec::new());
        for (times, row) in by_size.iter_mut().zip(&rows) {
            times.push(time(row)?.0);
        }
    }
    let median = |times| Seconds(Sorted::new(times).median());
    Ok(by_size.into_iter().map(median).collect())
}

/// What `netsig simulate` says of every size.
fn predictions(netsig: &Path, algorithm: &str, procs: &str, model: &[&str]) -> Result<Vec<Value>> {
    let mut arguments = vec![
        "simulate",
        "--collective",
        "alltoall",
        "--algorithm",
        algorithm,
    ];
    arguments.extend(["--procs", procs, "--size", SIZES, "--format", "json"]);
    arguments.extend(model);
    let output = std::process::Command::new(netsig)
        .args(&arguments)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let asked = arguments.join(" ");
    ensure!(output.status.success(), "netsig {asked} failed: {said}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn number(row: &Value, key: &str) -> Result<u64> {
    row[key]
        .as_u64()
        .with_context(|| format!("no {key} in {row}"))
}

fn time(row: &Value) -> Result<Seconds> {
    let time = row["time_s"].as_f64();
    Ok(Seconds(
        time.with_context(|| format!("no time_s in {row}"))?,
    ))
}

/// The table as METHODOLOGY has it: A and B side by side.
fn print(rows: &[Row]) {
    println!(
        "| n | m | A, ms | pLogP | PlogPT | fluid | TCP | B, ms | pLogP | PlogPT | fluid | TCP |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (a, b): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.letter == "A");
    for (a, b) in a.into_iter().zip(b) {
        println!(
            "| {} | {} | {} | {} |",
            a.procs,
            a.size,
            a.cells(),
            b.cells()
        );
    }
}

impl Row {
    /// The median with the quartiles, and the errors of the predictions.
    fn cells(&self) -> String {
        let ms = |time: f64| format!("{:.1}", time * 1e3);
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|level| self.measured.quantile(level));
        let error = |time: Seconds| format!("{:+.0} %", (time.0 / middle - 1.0) * 100.0);
        let timeouts = match self.timeouts {
            0 => String::new(),
            count => format!(", {count} time-outs"),
        };
        format!(
            "{} ({}–{}) | {} | {} | {}{timeouts} | {}",
            ms(middle),
            ms(low),
            ms(high),
            error(self.plogp),
            error(self.plogpt),
            error(self.fluid),
            error(self.tcp),
        )
    }
}
