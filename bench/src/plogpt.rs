//! `netsig-bench plogpt`: compares measurements of algorithms A and B of Nomura, Matsuba, Ishikawa
//! 2007 on emulated trees of two switches with the predictions of pLogP and `PlogPT`.
//!
//! A waits for its partner in every round (`pairwise`); B posts all receives first and then sends to one rank after the
//! other (`sends-in-turn`). The same campaign measures all parameters of a prediction by transfers between pairs of
//! ranks. They are L and g(m), the rate of a host's link, and the rate of the uplink when all pairs use it. The buffers
//! are those of the emulated network. Nothing is fitted to an all-to-all. The table goes to standard output, raw data
//! and figure to bench/results/plogpt.

mod figure;
mod measured;

use std::fs;

use anyhow::{Context, Result};
use itertools::izip;
use netsig_base::stats::sample::{SortedValues, median};
use netsig_base::units::{Bytes, Seconds};
use serde::Deserialize;

use crate::harness::process::NetsigProgram;
use crate::harness::root;
use measured::PlogptCampaign;

/// The trees, smallest first; all their hosts take part.
const NETWORKS: [&str; 3] = ["tree-2x4x40", "tree-2x6x40", "tree-2x8x25"];

/// The algorithms: letter of the slides, netsig's name, and name in the TCP simulation. The
/// simulated TCP accepts every message at once: an eager send completes when the message is copied,
/// so all of B's messages are in flight together.
const ALGORITHMS: [(&str, &str, &str); 2] = [("A", "pairwise", "pairwise"), ("B", "sends-in-turn", "direct")];

/// Number of random seeds for the simulation.
const SEEDS: u32 = 9;

/// Bytes per destination.
const SIZES: &str = "1KiB,4KiB,16KiB,32KiB,48KiB,64KiB,96KiB,128KiB";

/// One cell of the table.
struct PlogptRow {
    network: &'static str,
    procs: u32,
    letter: &'static str,
    size: Bytes,
    /// The times of the repetitions.
    measured: SortedValues,
    /// pLogP's prediction, without contention.
    plogp: Seconds,
    /// `PlogPT`'s prediction as in the slides: the share of a link is fixed at the start of a
    /// message.
    plogpt: Seconds,
    /// `PlogPT`'s prediction if the messages in flight share links fairly at every moment.
    fluid: Seconds,
    /// The simulated TCP's time, the median over the seeds.
    tcp: Seconds,
    /// Number of messages that time out, the larger of `PlogPT`'s and the fluid prediction's.
    timeouts: u64,
}

/// The output of `netsig simulate` for one size.
#[derive(Debug, Deserialize)]
struct SimulatedTime {
    size_bytes: Bytes,
    time_s: Seconds,
    losses: u64,
}

/// Measures, predicts and compares.
pub fn run() -> Result<bool> {
    let results = root().join("bench/results/plogpt");
    fs::create_dir_all(&results).context("bench/results/plogpt cannot be made")?;
    let netsig = NetsigProgram::built(&results, "bench-plogpt")?;
    let mut rows = Vec::new();
    for network in NETWORKS {
        rows.extend(measure_network(network, &netsig)?);
    }
    print(&rows);
    fs::write(results.join("plogpt.svg"), figure::draw(&rows)?)?;
    Ok(true)
}

/// All cells of one network. Existing data are not measured again.
fn measure_network(network: &'static str, netsig: &NetsigProgram) -> Result<Vec<PlogptRow>> {
    let lab_network = netsig_lab::load(network)?;
    let file = |end: &str| netsig.folder().join(format!("{network}{end}"));
    if !file(".csv").is_file() {
        fs::write(file("-plan.toml"), measured::plan(lab_network.hosts(), SIZES))?;
        netsig.run(&format!(
            "measure {network}-plan.toml -o {network}.csv --on lab:{network}"
        ))?;
    }
    netsig.run(&format!("fit {network}.csv -o {network}-profile.toml"))?;
    let campaign = PlogptCampaign::read(&file(".csv"), &file("-profile.toml"))?;
    let procs = lab_network.hosts().get();
    fs::write(file("-measured.toml"), campaign.network(&lab_network)?.to_toml())?;
    let tree = format!(
        "--network {network}-measured.toml --set L={} --model",
        campaign.latency()?.0
    );
    let mut rows = Vec::new();
    for (letter, algorithm, tcp_algorithm) in ALGORITHMS {
        let simulate = |algorithm: &str, model: &str| -> Result<Vec<SimulatedTime>> {
            let json = netsig.run(&format!(
                "simulate --collective alltoall --algorithm {algorithm} --procs {procs} \
                 --size {SIZES} --format json {model}"
            ))?;
            Ok(serde_json::from_str(&json)?)
        };
        let plogp = simulate(algorithm, &format!("--model plogp --profile {network}-profile.toml"))?;
        let plogpt = simulate(algorithm, &format!("{tree} plogpt --sharing fixed"))?;
        let fluid = simulate(algorithm, &format!("{tree} plogpt --sharing fluid"))?;
        let seed_runs = (0..SEEDS).map(|seed| simulate(tcp_algorithm, &format!("{tree} tcp --seed {seed}")));
        let seeds: Vec<_> = seed_runs.collect::<Result<_>>()?;
        for (index, (plogp, plogpt, fluid)) in izip!(plogp, plogpt, fluid).enumerate() {
            rows.push(PlogptRow {
                network,
                procs,
                letter,
                size: plogp.size_bytes,
                measured: campaign.times(algorithm, plogp.size_bytes)?,
                plogp: plogp.time_s,
                plogpt: plogpt.time_s,
                fluid: fluid.time_s,
                tcp: Seconds(median(seeds.iter().map(|rows| rows[index].time_s.0))),
                timeouts: plogpt.losses.max(fluid.losses),
            });
        }
    }
    Ok(rows)
}

/// Prints the table in the form of docs/results: A and B side by side.
fn print(rows: &[PlogptRow]) {
    println!("| n | m | A, ms | pLogP | PlogPT | fluid | TCP | B, ms | pLogP | PlogPT | fluid | TCP |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (a, b): (Vec<&PlogptRow>, Vec<&PlogptRow>) = rows.iter().partition(|row| row.letter == "A");
    for (a, b) in a.into_iter().zip(b) {
        println!("| {} | {} | {} | {} |", a.procs, a.size, a.cells(), b.cells());
    }
}

impl PlogptRow {
    /// The measured median with the quartiles, and the errors of the predictions.
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
