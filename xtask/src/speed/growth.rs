//! How time grows with the ranks.

use std::path::Path;

use anyhow::Result;

use super::process;
use crate::bench::Figure;

/// All-to-alls of which the exponent is fitted, with the ranks.
const SERIES: [(&str, &str, [u32; 4]); 3] = [
    ("direct", "PORTS", [512, 1024, 2048, 4096]),
    ("pairwise", "PORTS", [512, 1024, 2048, 4096]),
    (
        "direct",
        "--model fluid --network WORK/star.toml --set latency_s=50us --method event",
        [128, 256, 512, 1024],
    ),
];

/// The messages are n·(n − 1), so their exponent is 2.
const MOST: f64 = 2.1;

/// For each series the slope of log CPU seconds over log ranks by least squares.
pub(super) fn exponents(netsig: &Path, work: &Path) -> Result<Vec<Figure>> {
    let star = "description = \"a star\"\ntopology = \"star\"\nhosts = 1024\nrate = \"1Gbit/s\"\n\
                port_buffer = \"128KiB\"\ncongestion_control = \"cubic\"\n";
    std::fs::write(work.join("star.toml"), star)?;
    let mut figures = Vec::new();
    for (algorithm, network, ranks) in SERIES {
        let mut points = Vec::new();
        for procs in ranks {
            let arguments = format!(
                "--collective alltoall --algorithm {algorithm} --procs {procs} --size 1024 {network}"
            );
            let seconds = process::simulate(netsig, work, &arguments)?.seconds;
            println!(
                "{algorithm} among {procs}, {}: {seconds:.3} s",
                name(network)
            );
            points.push((f64::from(procs).ln(), seconds.max(1e-6).ln()));
        }
        figures.push(Figure {
            name: format!("{algorithm}-{}-exponent", name(network)),
            values: vec![slope(&points)],
            target: MOST,
            unit: "in ranks",
        });
    }
    Ok(figures)
}

fn name(network: &str) -> &'static str {
    if network == "PORTS" {
        "endpoint"
    } else {
        "fluid"
    }
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let along: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    across / along
}
