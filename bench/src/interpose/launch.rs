//! A program on a network, started without or with the preloaded library. The output and the report of
//! every run are kept in files, and a run whose output is there is not repeated.

use std::fs;

use anyhow::{Result, ensure};

use super::reported::{self, ReportedCalls};
use crate::harness::campaign::NetworkSite;
use crate::harness::folder::BenchFolder;
use crate::harness::learn::PROFILE;

/// How a program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaunchWith {
    Nothing,
    /// `netsig run` with the profile of the network.
    Netsig,
}

/// The ways, in the order in which they take turns.
pub(super) const TURNS: [LaunchWith; 2] = [LaunchWith::Nothing, LaunchWith::Netsig];

/// A program on a number of hosts.
pub(super) struct ProgramLaunch {
    pub(super) name: &'static str,
    /// Command that gets that of the ranks as its arguments.
    pub(super) around: &'static str,
    /// Command of each rank; `ROOT` is the workspace, `END` the ending of programs for the MPI.
    pub(super) command: String,
    pub(super) ranks: u32,
}

impl ProgramLaunch {
    /// The output of a run.
    pub(super) fn output(&self, site: &NetworkSite, (with, round): (LaunchWith, u32)) -> Result<String> {
        let way = match with {
            LaunchWith::Nothing => "without",
            LaunchWith::Netsig => "with",
        };
        let path = site.folder.path(&format!("{}-{way}-{round}.txt", self.file()));
        if !path.is_file() {
            let words = self.words(site, (with, round));
            eprintln!("{}: netsig {words}", site.drawn.name);
            let text = site.folder.netsig.run(&words)?;
            ensure!(!text.is_empty(), "netsig {words}: nothing was printed");
            fs::write(&path, text)?;
        }
        Ok(fs::read_to_string(&path)?)
    }

    /// The report of a run under `netsig run`.
    pub(super) fn reported(&self, folder: &BenchFolder, round: u32) -> Result<Vec<ReportedCalls>> {
        reported::read(&folder.path(&self.report(round)))
    }

    /// Name of its files.
    fn file(&self) -> String {
        let letters = self.name.chars().filter(char::is_ascii_alphanumeric);
        let letters: String = letters.collect();
        format!("{}-{}", letters.to_lowercase(), self.ranks)
    }

    fn report(&self, round: u32) -> String {
        format!("{}-{round}.report.csv", self.file())
    }

    /// The arguments of netsig for a run.
    fn words(&self, site: &NetworkSite, (with, round): (LaunchWith, u32)) -> String {
        let drawn = &site.drawn;
        let path = |file: &str| site.folder.path(file).display().to_string();
        let network = format!("{}.toml", drawn.whole.name);
        let netsig = match with {
            LaunchWith::Nothing => String::new(),
            LaunchWith::Netsig => {
                let described = drawn.description().map(|_| format!("--network {}", path(&network)));
                format!(
                    "ROOT/target/release/netsig run {} --report {} --format csv {} --",
                    path(&format!("{PROFILE}.toml")),
                    path(&self.report(round)),
                    described.unwrap_or_default(),
                )
            }
        };
        let end = if drawn.mpi == "mpich" { ".mpich" } else { "" };
        let own = self.command.replace("END", end);
        let Self { around, ranks, .. } = self;
        let mpi = drawn.mpi;
        format!("lab exec {network} -- {around} {netsig} mpirun.{mpi} -np {ranks} {own}")
    }
}
