//! `cargo xtask bench-sim`: how fast and in how much memory netsig simulates, in CPU seconds
//! of one core, each run a process of its own; beside it the SMPI of `SimGrid` where it is installed.
//! One line a figure: `name  value  target  met|MISSED`.

mod growth;
mod process;
mod smpi;

use std::path::Path;

use anyhow::{Context, Result, ensure};

use self::process::Usage;
pub use self::process::usage;
use crate::bench::Figure;

/// A simulation with the most that it may take.
struct Row {
    name: &'static str,
    arguments: &'static str,
    seconds: f64,
    megabytes: f64,
}

/// Parameters of a fast Ethernet for the endpoint networks.
const CLOSED: &str = "--model loggp --set latency_s=5us --set overhead_s=1us --set gap_s=2us \
                      --set gap_per_byte_s_per_byte=1e-9";

/// What `LogGOPSim` takes for this broadcast, event by event as well.
const LOGGOPSIM: f64 = 4.9;

/// No target.
const ANY: f64 = f64::INFINITY;

const ROWS: [Row; 9] = [
    Row {
        name: "direct-512-endpoint",
        arguments: "--collective alltoall --algorithm direct --procs 512 --size 1024 PORTS",
        seconds: 0.2,
        megabytes: ANY,
    },
    Row {
        name: "pairwise-4096-endpoint",
        arguments: "--collective alltoall --algorithm pairwise --procs 4096 --size 1024 PORTS",
        seconds: 4.0,
        megabytes: 100.0,
    },
    Row {
        name: "scatter-flat-65536-endpoint",
        arguments: "--collective scatter --algorithm flat --procs 65536 --size 1024 PORTS",
        seconds: 0.1,
        megabytes: ANY,
    },
    Row {
        name: "scatter-binomial-65536-endpoint",
        arguments: "--collective scatter --algorithm binomial --procs 65536 --size 1024 PORTS",
        seconds: 0.1,
        megabytes: ANY,
    },
    Row {
        name: "bcast-binomial-1048576-endpoint",
        arguments: "--collective bcast --algorithm binomial --procs 1048576 --size 1024 CLOSED",
        seconds: 0.5,
        megabytes: 100.0,
    },
    Row {
        name: "bcast-binomial-1048576-every-event",
        arguments: "--collective bcast --algorithm binomial --procs 1048576 --size 1024 PORTS",
        seconds: LOGGOPSIM,
        megabytes: 100.0,
    },
    Row {
        name: "direct-256-fluid-star",
        arguments: "--collective alltoall --algorithm direct --procs 256 --size 1024 --model fluid \
                    --network WORK/star-256.toml --set latency_s=50us --method event",
        seconds: 1.0,
        megabytes: ANY,
    },
    Row {
        name: "direct-256-fluid-two-switches",
        arguments: "--collective alltoall --algorithm direct --procs 256 --size 1024 --model fluid \
                    --network WORK/tree-256.toml --set latency_s=50us --method event",
        seconds: 1.0,
        megabytes: ANY,
    },
    Row {
        name: "plogpt-b-1048576-closed-form",
        arguments: "--collective alltoall --algorithm sends-in-turn --procs 1048576 --size 10000 \
                    --model plogpt --network WORK/binary-tree.toml --method closed-form",
        seconds: 0.01,
        megabytes: ANY,
    },
];

/// Measures everything; false if a target is missed.
pub fn run() -> Result<bool> {
    let netsig = crate::root().join("target/release/netsig");
    ensure!(
        netsig.is_file(),
        "{} is not built; run `make bench-sim`",
        netsig.display()
    );
    let work = tempfile::tempdir().context("no temporary directory")?;
    process::write_networks(work.path())?;
    let mut figures = Vec::new();
    let mut tell = |figure: Figure| {
        println!("{}", figure.line());
        figures.push(figure);
    };
    for row in &ROWS {
        let usages = row.measure(&netsig, work.path())?;
        tell(row.figure(&usages, ("", row.seconds, "s"), |usage| usage.seconds));
        if row.megabytes.is_finite() {
            let target = ("-memory", row.megabytes, "MB");
            tell(row.figure(&usages, target, |usage| usage.megabytes));
        }
    }
    for figure in growth::exponents(&netsig, work.path())? {
        tell(figure);
    }
    if let Some(figure) = smpi::beside(&netsig, work.path())? {
        tell(figure);
    }
    Ok(figures.iter().all(Figure::is_met))
}

impl Row {
    /// Three times what it takes.
    fn measure(&self, netsig: &Path, work: &Path) -> Result<Vec<Usage>> {
        let once = |_| process::simulate(netsig, work, self.arguments);
        (0..3).map(once).collect()
    }

    /// One quantity with the end of its name, its target and its unit.
    fn figure(
        &self,
        usages: &[Usage],
        (end, target, unit): (&str, f64, &'static str),
        quantity: fn(&Usage) -> f64,
    ) -> Figure {
        Figure {
            name: format!("{}{end}", self.name),
            values: usages.iter().map(quantity).collect(),
            target,
            unit,
        }
    }
}
