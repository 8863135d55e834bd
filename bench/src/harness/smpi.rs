//! The SMPI of `SimGrid` (Debian: libsimgrid-dev): runs MPI programs on a simulated star.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use netsig_base::units::Procs;
use netsig_model::profile::Profile;
use netsig_model::tune::simgrid::{PlatformTopology, platform};

use super::process::output;

/// The message if SMPI is missing.
pub const MISSING: &str = "SKIPPED: SimGrid is not installed (Debian: libsimgrid-dev)";

/// The option that makes an all-to-all post all messages at once.
pub const AT_ONCE: &str = "--cfg=smpi/alltoall:basic_linear";

/// A compiled program, in the folder of SMPI's files.
pub struct SmpiProgram<'a> {
    folder: &'a Path,
    path: PathBuf,
}

pub fn is_installed() -> bool {
    let answers = |program| output(Command::new(program).arg("--version")).is_ok();
    answers("smpicc") && answers("smpirun")
}

impl<'a> SmpiProgram<'a> {
    /// Compiles C code.
    pub fn compile(folder: &'a Path, code: &str) -> Result<Self> {
        let path = folder.join("alltoall");
        let source = path.with_extension("c");
        fs::write(&source, code)?;
        let mut compiler = Command::new("smpicc");
        output(compiler.args(["-O2", "-o"]).arg(&path).arg(&source))?;
        Ok(Self { folder, path })
    }

    /// The command that runs the program on the star of a profile, written by `netsig tune --for simgrid`; the caller
    /// adds the program's arguments.
    pub fn on_star(&self, procs: Procs, profile: &Profile, settings: &[&str]) -> Result<Command> {
        let star = platform(profile, "the benchmark's profile", PlatformTopology::Star(procs))?;
        fs::write(self.folder.join("star.xml"), star)?;
        let mut command = Command::new("smpirun");
        command
            .current_dir(self.folder)
            .args(["-np", &procs.to_string(), "-platform", "star.xml", AT_ONCE])
            .arg("--log=root.thres:error")
            .args(settings)
            .arg(&self.path);
        Ok(command)
    }
}
