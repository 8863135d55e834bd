//! The campaigns of netsig on an emulated network.
//!
//! A complete file is not measured again, and an interrupted plan goes on, so that a run of the
//! benchmark resumes where it ended.

use std::fs;

use anyhow::{Result, bail};
use netsig_base::data::Dataset;
use netsig_base::network::Network;

use super::draw::DrawnNetwork;
use super::effort::BenchEffort;
use super::folder::BenchFolder;
use super::process;

/// Number of attempts to measure valid data.
const ATTEMPTS: u32 = 3;

/// A network that a benchmark measures, with its folder.
pub struct BenchNetwork {
    pub drawn: DrawnNetwork,
    pub effort: BenchEffort,
    pub folder: BenchFolder,
}

/// A campaign that steers itself.
#[derive(Debug, Clone, Copy)]
pub struct SteeredCampaign<'a> {
    /// Name of its files.
    pub name: &'a str,
    /// Collective and algorithms.
    pub wanted: &'a str,
    /// Seconds for measuring.
    pub budget: u32,
    /// Further options of `netsig measure`.
    pub options: &'a str,
}

impl BenchNetwork {
    ///A network with its folder.
    pub fn new(benchmark: &str, effort: BenchEffort, drawn: DrawnNetwork) -> Result<Self> {
        Ok(Self {
            folder: BenchFolder::new(&effort.folder(benchmark), &drawn.name)?,
            drawn,
            effort,
        })
    }

    /// The option with the description of the whole network, if its user gives one.
    pub fn description(&self) -> String {
        let network = self.drawn.description();
        let option = network.map(|network| format!("--network {}", network_file(network)));
        option.unwrap_or_default()
    }

    /// Writes the descriptions of networks.
    pub fn describe<'a>(&self, networks: impl IntoIterator<Item = &'a Network>) -> Result<()> {
        for network in networks {
            fs::write(self.folder.path(&network_file(network)), network.to_toml())?;
        }
        Ok(())
    }

    /// Measures a campaign on a part of the network unless its data exist; returns the duration of the measuring
    /// command in seconds.
    pub fn run_campaign(&self, campaign: SteeredCampaign, part: &Network) -> Result<f64> {
        let SteeredCampaign {
            name,
            wanted,
            budget,
            options,
        } = campaign;
        let data = format!("{name}.csv");
        self.folder.run_once(name, &data, || {
            let goal = format!("{wanted} up to {}", self.drawn.whole.hosts());
            let options = format!("--launcher {} --budget {budget}s {options}", self.drawn.mpi);
            self.measure_valid(&["--prediction", &goal], &data, part, &options, &[])
        })
    }

    /// The data of a plan on the whole network, measured unless they exist, with `variables` in the environment.
    pub fn run_plan(&self, name: &str, plan: &str, variables: &[(&str, &str)]) -> Result<Dataset> {
        let (plan_file, data) = (format!("{name}-plan.toml"), format!("{name}.csv"));
        let complete = format!("{name}.complete");
        if !self.folder.has(&complete) {
            // Incomplete data go on with their own plan.
            if !self.folder.has(&data) {
                fs::write(self.folder.path(&plan_file), plan)?;
            }
            let options = format!("--launcher {} --resume", self.drawn.mpi);
            self.measure_valid(&[&plan_file], &data, &self.drawn.whole, &options, variables)?;
            fs::write(self.folder.path(&complete), "")?;
        }
        self.folder.netsig.data(&data)
    }

    /// Runs `netsig measure` for a plan or a goal, and again if the machine was too busy for valid data.
    fn measure_valid(
        &self,
        plan_or_goal: &[&str],
        data: &str,
        network: &Network,
        options: &str,
        variables: &[(&str, &str)],
    ) -> Result<()> {
        let words = format!("measure -o {data} --on lab:{} {options}", network_file(network));
        for attempt in 1..=ATTEMPTS {
            eprintln!("{}: netsig {words} {}", self.drawn.name, plan_or_goal.join(" "));
            let mut command = self.folder.netsig.command(&words);
            command.args(plan_or_goal).envs(variables.iter().copied());
            let outcome = process::output(&mut command);
            let read = self.folder.netsig.data(data);
            let is_void = read.is_ok_and(|data| data.void_reason().is_some());
            if !is_void {
                return outcome.map(drop);
            }
            eprintln!("{}: {data} is void", self.drawn.name);
            if attempt < ATTEMPTS {
                fs::remove_file(self.folder.path(data))?;
            }
        }
        bail!("{data}: the machine was too busy {ATTEMPTS} times")
    }
}

/// The file of a network.
fn network_file(network: &Network) -> String {
    format!("{}.toml", network.name)
}
