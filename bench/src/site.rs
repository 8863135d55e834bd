//! The folder of a network in the results of a benchmark, and what netsig does there: measuring
//! campaigns and plans on the emulated network, and fitting.
//!
//! A complete file is not measured again, and an interrupted plan goes on, so that a run of the
//! benchmark resumes where it ended. Data of a network that the repository holds are taken from
//! bench/data.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use netsig_base::data::Dataset;
use netsig_base::network::Network;
use netsig_model::profile::Profile;

use crate::draw::Drawn;
use crate::process::{self, Netsig};

/// Number of attempts to measure valid data.
const ATTEMPTS: u32 = 3;

/// Runs netsig in a folder of the results.
pub struct Site {
    name: String,
    pub netsig: Netsig,
}

/// A campaign that steers itself.
#[derive(Debug, Clone, Copy)]
pub struct Campaign<'a> {
    /// Name of its files.
    pub name: &'a str,
    /// Collective and algorithms.
    pub wanted: &'a str,
    /// Seconds for measuring.
    pub budget: u32,
    /// Further options of `netsig measure`.
    pub options: &'a str,
}

impl Site {
    /// The folder `name` in the results of `benchmark`.
    pub fn new(benchmark: &str, name: &str) -> Result<Self> {
        let folder = results(benchmark)?.join(name);
        let kept = crate::root().join("bench/data").join(benchmark).join(name);
        if !folder.exists() && kept.is_dir() {
            copy(&kept, &folder)?;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self {
            name: name.to_owned(),
            netsig: Netsig::built(&folder, &format!("bench-{benchmark}"))?,
        })
    }

    /// The path of a file in the folder.
    pub fn path(&self, file: &str) -> PathBuf {
        self.netsig.folder().join(file)
    }

    /// Writes the description of a network.
    pub fn describe(&self, network: &Network) -> Result<()> {
        Ok(fs::write(self.path(&file(network)), network.to_toml())?)
    }

    /// The option that describes the whole network, if its user gives one.
    pub fn description(drawn: &Drawn) -> String {
        let network = drawn.description();
        let option = network.map(|network| format!("--network {}", file(network)));
        option.unwrap_or_default()
    }

    /// Fits data files to the profile `NAME.toml`.
    pub fn fit(&self, data: &str, name: &str, drawn: Option<&Drawn>) -> Result<Profile> {
        let network = drawn.map(Self::description).unwrap_or_default();
        self.netsig
            .run(&format!("fit {data} -o {name}.toml {network}"))?;
        let text = fs::read_to_string(self.path(&format!("{name}.toml")))?;
        Ok(Profile::parse(name, &text)?)
    }

    /// Measures a campaign on a part of the network unless its data are there; returns the duration
    /// of the measuring command in seconds.
    pub fn campaign(&self, drawn: &Drawn, campaign: Campaign, part: &Network) -> Result<f64> {
        let Campaign {
            name,
            wanted,
            budget,
            options,
        } = campaign;
        let (data, duration) = (format!("{name}.csv"), format!("{name}.seconds"));
        if !self.path(&duration).is_file() {
            let _ = fs::remove_file(self.path(&data));
            let goal = format!("{wanted} up to {}", drawn.whole.hosts());
            let options = format!("--launcher {} --budget {budget}s {options}", drawn.mpi);
            let started = Instant::now();
            self.measure(&["--for", &goal], &data, (part, &options), &[])?;
            let seconds = started.elapsed().as_secs_f64();
            fs::write(self.path(&duration), seconds.to_string())?;
        }
        Ok(fs::read_to_string(self.path(&duration))?.parse()?)
    }

    /// The data of a plan on the whole network, measured unless they are there, with variables of
    /// the environment.
    pub fn plan(
        &self,
        drawn: &Drawn,
        name: &str,
        plan: &str,
        variables: &[(&str, &str)],
    ) -> Result<Dataset> {
        let (file, data) = (format!("{name}-plan.toml"), format!("{name}.csv"));
        let complete = self.path(&format!("{name}.complete"));
        if !complete.is_file() {
            // Data that were begun go on with their own plan.
            if !self.path(&data).is_file() {
                fs::write(self.path(&file), plan)?;
            }
            let options = format!("--launcher {} --resume", drawn.mpi);
            self.measure(&[&file], &data, (&drawn.whole, &options), variables)?;
            fs::write(&complete, "")?;
        }
        self.netsig.data(&data)
    }

    /// Measures a plan, or for a prediction, and again if the machine was too busy for valid data.
    fn measure(
        &self,
        goal: &[&str],
        data: &str,
        (network, options): (&Network, &str),
        variables: &[(&str, &str)],
    ) -> Result<()> {
        let words = format!("measure -o {data} --on lab:{} {options}", file(network));
        for attempt in 1..=ATTEMPTS {
            eprintln!("{}: netsig {words} {}", self.name, goal.join(" "));
            let mut command = self.netsig.command(&words);
            command.args(goal).envs(variables.iter().copied());
            let done = process::output(&mut command);
            let read = self.netsig.data(data);
            let is_void = read.is_ok_and(|data| data.void().is_some());
            if !is_void {
                return done.map(drop);
            }
            eprintln!("{}: {data} is void", self.name);
            if attempt < ATTEMPTS {
                fs::remove_file(self.path(data))?;
            }
        }
        bail!("{data}: the machine was too busy {ATTEMPTS} times")
    }
}

/// The folder of the results of a benchmark.
pub fn results(benchmark: &str) -> Result<PathBuf> {
    let folder = crate::root().join("bench/results").join(benchmark);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The file of a network.
fn file(network: &Network) -> String {
    format!("{}.toml", network.name)
}
