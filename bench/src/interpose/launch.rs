//! A program on a network, started without or with the preloaded library. Files keep the output and the report of every
//! run, and a run with an output is not repeated.

use std::fs;

use anyhow::{Result, ensure};

use super::reported::{self, ReportedCalls};
use crate::harness::campaign::BenchNetwork;
use crate::harness::folder::BenchFolder;
use crate::harness::learn::PROFILE;

/// Mode of a launch: without or with the preloaded library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LaunchMode {
    Nothing,
    /// `netsig run` with the profile of the network.
    Netsig,
    /// The same with `--reductions on`, so that operands are combined in any order.
    AnyOrder,
}

/// The modes of a program without reductions, in the order of their turns.
pub(super) const LAUNCH_MODES: &[LaunchMode] = &[LaunchMode::Nothing, LaunchMode::Netsig];

/// The modes of a program with sums of floating-point numbers.
pub(super) const REDUCTION_MODES: &[LaunchMode] = &[LaunchMode::Nothing, LaunchMode::Netsig, LaunchMode::AnyOrder];

/// A program on a number of hosts.
pub(super) struct ProgramLaunch {
    pub(super) name: &'static str,
    /// Command that gets the command of the ranks as its arguments.
    pub(super) around: &'static str,
    /// Command of each rank; `ROOT` is the workspace, `END` the ending of programs for the MPI.
    pub(super) command: String,
    pub(super) ranks: u32,
    pub(super) modes: &'static [LaunchMode],
}

impl LaunchMode {
    /// Name in files.
    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "without",
            Self::Netsig => "with",
            Self::AnyOrder => "any-order",
        }
    }
}

impl ProgramLaunch {
    /// The output of a run.
    pub(super) fn output(&self, bench_network: &BenchNetwork, mode: LaunchMode, round: u32) -> Result<String> {
        let name = format!("{}-{}-{round}.txt", self.file_stem(), mode.name());
        let path = bench_network.folder.path(&name);
        if !path.is_file() {
            let words = self.netsig_arguments(bench_network, mode, round);
            eprintln!("{}: netsig {words}", bench_network.drawn.name);
            let text = bench_network.folder.netsig.run(&words)?;
            ensure!(!text.is_empty(), "netsig {words}: nothing was printed");
            fs::write(&path, text)?;
        }
        Ok(fs::read_to_string(&path)?)
    }

    /// The report of a run under `netsig run`.
    pub(super) fn reported_calls(
        &self,
        folder: &BenchFolder,
        mode: LaunchMode,
        round: u32,
    ) -> Result<Vec<ReportedCalls>> {
        reported::read(&folder.path(&self.report_file(mode, round)))
    }

    /// Name of its files.
    fn file_stem(&self) -> String {
        let name_letters = self.name.chars().filter(char::is_ascii_alphanumeric);
        let letters: String = name_letters.collect();
        format!("{}-{}", letters.to_lowercase(), self.ranks)
    }

    fn report_file(&self, mode: LaunchMode, round: u32) -> String {
        format!("{}-{}-{round}.report.csv", self.file_stem(), mode.name())
    }

    /// The arguments of netsig for a run.
    fn netsig_arguments(&self, bench_network: &BenchNetwork, mode: LaunchMode, round: u32) -> String {
        let drawn = &bench_network.drawn;
        let path = |file: &str| bench_network.folder.path(file).display().to_string();
        let network = format!("{}.toml", drawn.whole.name);
        let netsig = match mode {
            LaunchMode::Nothing => String::new(),
            LaunchMode::Netsig | LaunchMode::AnyOrder => {
                let network_option = drawn.description().map(|_| format!("--network {}", path(&network)));
                let is_any = mode == LaunchMode::AnyOrder;
                format!(
                    "ROOT/target/release/netsig run {} --output {} --format csv {} {} --",
                    path(&format!("{PROFILE}.toml")),
                    path(&self.report_file(mode, round)),
                    network_option.unwrap_or_default(),
                    if is_any { "--reductions on" } else { "" },
                )
            }
        };
        let end = if drawn.mpi == "mpich" { ".mpich" } else { "" };
        let rank_command = self.command.replace("END", end);
        let Self { around, ranks, .. } = self;
        let mpi = drawn.mpi;
        format!("lab exec {network} -- {around} {netsig} mpirun.{mpi} -np {ranks} {rank_command}")
    }
}
