//! The SMPI of `SimGrid` (Debian: libsimgrid-dev): runs MPI programs on a simulated star.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use netsig_core::units::{Procs, Seconds, SecondsPerByte};

use crate::process::output;

/// The message if SMPI is missing.
pub const MISSING: &str = "SKIPPED: SimGrid is not installed (Debian: libsimgrid-dev)";

/// The option that makes an all-to-all post all messages at once.
pub const AT_ONCE: &str = "--cfg=smpi/alltoall:basic_linear";

/// A compiled program, in the folder of SMPI's files.
pub struct Program<'a> {
    folder: &'a Path,
    path: PathBuf,
}

/// Parameters of the links of a star; every host has one in each direction.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    pub latency: Seconds,
    pub gap: SecondsPerByte,
}

pub fn is_installed() -> bool {
    let answers = |program| output(Command::new(program).arg("--version")).is_ok();
    answers("smpicc") && answers("smpirun")
}

impl<'a> Program<'a> {
    /// Compiles C code.
    pub fn compile(folder: &'a Path, code: &str) -> Result<Self> {
        let path = folder.join("alltoall");
        let source = path.with_extension("c");
        fs::write(&source, code)?;
        let mut compiler = Command::new("smpicc");
        output(compiler.args(["-O2", "-o"]).arg(&path).arg(&source))?;
        Ok(Self { folder, path })
    }

    /// The command that runs the program on a star; the caller adds the program's arguments.
    pub fn on_star(&self, procs: Procs, link: Link, settings: &[&str]) -> Result<Command> {
        fs::write(self.folder.join("star.xml"), star(procs, link))?;
        let hosts: Vec<String> = procs.ranks().map(|rank| format!("h-{rank}")).collect();
        fs::write(self.folder.join("hosts"), hosts.join("\n"))?;
        let mut command = Command::new("smpirun");
        command
            .current_dir(self.folder)
            .args(["-np", &procs.to_string()])
            .args(["-platform", "star.xml", "-hostfile", "hosts", AT_ONCE])
            .args(["--cfg=smpi/host-speed:1Gf", "--log=root.thres:error"])
            .args(settings)
            .arg(&self.path);
        Ok(command)
    }
}

fn star(procs: Procs, Link { latency, gap }: Link) -> String {
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"h-\" suffix=\"\" radical=\"0-{}\" \
         speed=\"1Gf\" bw=\"{}Bps\" lat=\"{}s\" sharing_policy=\"SPLITDUPLEX\"/>\n</platform>\n",
        procs.get() - 1,
        1.0 / gap.0,
        latency.0
    )
}
