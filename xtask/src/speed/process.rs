//! Processes whose use of the machine is measured.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};

use crate::bench::text;

/// What a process took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    /// Of the processor, in user and system mode.
    pub(super) seconds: f64,
    /// The most memory at once.
    pub(super) megabytes: f64,
}

/// What `netsig simulate` with these arguments takes; `WORK` stands for the
/// directory, `CLOSED` for the parameters of ports, and `PORTS` for them where every event is
/// followed.
pub(super) fn simulate(netsig: &Path, work: &Path, arguments: &str) -> Result<Usage> {
    let work = text(work)?;
    let arguments = arguments.replace("PORTS", "CLOSED --method event");
    let arguments = arguments.replace("CLOSED", super::CLOSED);
    let arguments = arguments.replace("WORK", &work);
    let words = arguments.split_whitespace();
    let all: Vec<&str> = ["simulate"].into_iter().chain(words).collect();
    of(netsig, &all)
}

/// What a program takes that must succeed. A process in between has no other child, so that
/// what its children took is the program's.
pub(super) fn of(program: &Path, arguments: &[&str]) -> Result<Usage> {
    let output = Command::new(std::env::current_exe()?)
        .arg("usage")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = || {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!(
            "{} {} failed: {errors}",
            program.display(),
            arguments.join(" ")
        )
    };
    let mut numbers = said.split_whitespace().map(str::parse);
    let (Some(Ok(seconds)), Some(Ok(megabytes))) = (numbers.next(), numbers.next()) else {
        anyhow::bail!(failed());
    };
    ensure!(output.status.success(), failed());
    Ok(Usage { seconds, megabytes })
}

/// `xtask usage PROGRAM ARGUMENTS`: runs the program and prints its CPU seconds and its most
/// megabytes.
pub fn usage(words: &[&str]) -> Result<bool> {
    let (program, arguments) = words.split_first().context("no program to run")?;
    let status = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "{program} failed");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let times = [usage.user_time(), usage.system_time()];
    let seconds = times.map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6);
    let megabytes = usage.max_rss() as f64 * 1024.0 / 1e6;
    println!("{} {megabytes}", seconds.iter().sum::<f64>());
    Ok(true)
}

/// The networks of the simulations.
pub(super) fn write_networks(work: &Path) -> Result<()> {
    let head = |topology: &str| {
        format!(
            "description = \"256 hosts\"\ntopology = \"{topology}\"\nhosts = 256\nrate = \"1Gbit/s\"\n\
             port_buffer = \"128KiB\"\ncongestion_control = \"cubic\"\n"
        )
    };
    fs::write(work.join("star-256.toml"), head("star"))?;
    let uplink = "[uplink]\nrate = \"40Gbit/s\"\nport_buffer = \"1MiB\"\n";
    fs::write(work.join("tree-256.toml"), head("tree") + uplink)?;
    let mut tree = String::from(
        "description = \"2^20 hosts\"\ntopology = \"binary-tree\"\nlatency = \"50us\"\n",
    );
    for height in 1..=20 {
        let (rate, delay) = match height {
            // From here on half of what full bisection would take.
            11.. => (1u64 << (height - 2), "18.2us"),
            _ => (1 << (height - 1), "0us"),
        };
        writeln!(
            tree,
            "[[height]]\nrate = \"{rate}Gbit/s\"\ndelay = \"{delay}\""
        )?;
    }
    fs::write(work.join("binary-tree.toml"), tree)?;
    Ok(())
}
