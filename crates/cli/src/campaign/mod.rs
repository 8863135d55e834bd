//! Carries out a measurement plan: reads the requested plan, finds the completed jobs, and runs the
//! others.

pub mod discovery;
pub mod errand;
pub mod estimate;
pub mod examination;
pub mod kept;
mod resume;
mod series;
pub mod space;
mod steered;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use netsig_base::data::Dataset;
use netsig_base::network::{Clusters, Grid, Network};
use netsig_base::text::line::escaped;
use netsig_base::units::{Procs, Seconds};
use netsig_measure::campaign::{self, Launch};
use netsig_measure::estimate::Rates;
use netsig_measure::plan::provenance::{PLAN, REQUESTED_PLAN};
use netsig_measure::plan::{Plan, Synchronisation};
use netsig_measure::simulated::{self, Simulated};

use self::estimate::settle;
use self::kept::Written;
use self::resume::Past;
use self::series::Series;
use self::steered::Steered;
use crate::input::args::{self, LaunchArgs, Place};
use crate::input::asked::Asked;
use crate::input::claim::Claim;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::kind::Kind;
use crate::input::network::NetworkArgs;
use crate::input::output::Output;
use crate::input::wish::{AimArgs, Predicted};
use crate::print::bar::Bar;
use crate::print::notes::warn_if_unfaithful;

/// Longest duration of a campaign for a prediction, if none is given.
pub const USUAL_BUDGET: Duration = Duration::from_secs(120);

/// Where and within which limits to measure, and where to put the data.
#[derive(Debug, clap::Args)]
pub struct Campaign {
    /// The data file (CSV); it must not exist yet, unless --resume is given.
    #[arg(short, long, value_name = "DATA")]
    pub output: PathBuf,
    /// Place of the measurement: mpi, lab:SCENARIO (emulated cluster) or sim:SCENARIO (simulated
    /// transport).
    #[arg(long = "on", value_name = "PLACE", default_value = "mpi", value_parser = args::place)]
    pub place: Place,
    /// Continue an interrupted run of the same plan.
    #[arg(long)]
    pub resume: bool,
    /// Longest duration of the campaign, such as 10m; the least informative points are left
    /// out if necessary.
    #[arg(long, value_name = "TIME", value_parser = args::limit)]
    pub budget: Option<Duration>,
    /// Repeat until the half-width of the median's interval is below this share, such as 2%; replaces
    /// the plan's. With --for, end when the predictions are known to this.
    #[arg(long, value_name = "SHARE", value_parser = args::precision)]
    pub precision: Option<String>,
    /// Longest duration of one step of a rank; after it, its launch is given up.
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = args::limit)]
    pub timeout: Duration,
    /// The launcher of MPI programs.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The network, for algorithms that follow the links between its switches; in a lab that of the
    /// scenario.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// The clusters of the hosts: a file of `netsig discover`, or a profile with its clusters; in a lab those
    /// of the scenario.
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<PathBuf>,
}

impl Campaign {
    /// Measures all cells of the plan, and returns the data; `what` is the label of the progress bar.
    ///
    /// # Errors
    /// If the plan, the place or the MPI cannot be used, or a part of the measurement fails; the
    /// data measured up to then are kept.
    pub fn carry_out(&self, plan: &Path, what: &str) -> Result<Dataset, Failure> {
        let asked = self.asked(plan)?;
        let claim = self.claim()?;
        let past = self.past(&asked)?;
        let output = self.checked_output(&[plan], past.is_some())?;
        if claim.is_some() {
            space::refuse_full(&self.output, &asked.plan)?;
        }
        let scenario = self.scenario(plan, asked.plan.procs())?;
        if let (Place::Simulated(_), Some(scenario)) = (&self.place, &scenario) {
            return self.simulate(asked, scenario, &output, past);
        }
        scenario.iter().for_each(warn_if_unfaithful);
        Series::new(self, scenario.as_ref(), asked, past)?.run(what)?;
        files::dataset(&self.output)
    }

    /// Claims the data file. What is no regular file can only take simulated data, as a whole.
    fn claim(&self) -> Result<Option<Claim>, Failure> {
        let destination = Destination::of(&self.output);
        let destination = destination.map_err(|problem| Failure::usage(problem).about(&self.output))?;
        if let Destination::Regular(_) = destination {
            return Claim::of(&self.output).map(Some);
        }
        let problem = match self.place {
            Place::Simulated(_) if !self.resume => return Ok(None),
            Place::Simulated(_) => "is no file to go on with; leave out --resume",
            _ => "is no regular file, to which ranks could append; choose another --output",
        };
        Err(Failure::usage(problem).about(&self.output))
    }

    /// Plans and measures for a prediction, within the budget, and returns the data.
    ///
    /// # Errors
    /// If the options do not go together, the budget is too small, or a part of the measurement
    /// fails; the data measured up to then are kept.
    pub fn steer(&self, predicted: &Predicted, aim: &AimArgs) -> Result<Dataset, Failure> {
        let scenario = match &self.place {
            Place::Mpi => None,
            Place::Lab(name) => Some(netsig_lab::load(name)?),
            Place::Simulated(_) => {
                return Err(Failure::usage(
                    "--for finds what a network does and sim: follows a known signature; give a plan, or --on lab:SCENARIO",
                ));
            }
        };
        scenario.iter().for_each(warn_if_unfaithful);
        let is_resumed = self.resume && self.output.exists();
        let _claim = self.claim()?;
        self.checked_output(&[], is_resumed)?;
        space::refuse_scanty(&self.output)?;
        let hosts = scenario.as_ref().map(|network| ("--on", self.places(network)));
        let wanted = self.precision.as_deref();
        let wanted = wanted.and_then(|text| text.trim_end_matches('%').parse::<f64>().ok());
        let mut target = aim.target(predicted, hosts)?;
        let grid = self.grid(target.follows_clusters())?;
        if grid.is_some() {
            // The ranks leave a barrier as far apart as the clusters are.
            target.synchronisation = Synchronisation::Window;
        }
        Steered {
            campaign: self,
            predicted,
            grid,
            target,
            scenario: scenario.as_ref(),
            budget: self.budget.unwrap_or(USUAL_BUDGET),
            wanted: wanted.map(|percent| percent / 100.0),
        }
        .carry_out()?;
        files::dataset(&self.output)
    }

    /// The command of every launch, in starting order.
    ///
    /// # Errors
    /// If the plan, the place or the MPI cannot be used.
    pub fn commands(&self, plan: &Path) -> Result<Vec<Vec<OsString>>, Failure> {
        let asked = self.asked(plan)?;
        if !asked.is_file {
            let shown = plan.display();
            eprintln!("netsig: the ranks will read {shown} as the options change it");
        }
        if let Place::Simulated(_) = self.place {
            return Err(Failure::usage(
                "--dry-run prints how MPI is started and sim: starts none; leave one of them out",
            ));
        }
        let scenario = self.scenario(plan, asked.plan.procs())?;
        Series::new(self, scenario.as_ref(), asked, None)?.commands()
    }

    fn asked(&self, plan: &Path) -> Result<Asked, Failure> {
        let asked = Asked::read(plan, self.precision.as_deref())?;
        let mut plan = asked.plan.clone();
        if plan.lacks_links() {
            plan.network = self.links()?;
        }
        if let Some(clusters) = self.grid(plan.lacks_clusters())? {
            plan.grid = Some(clusters);
        }
        if plan == asked.plan {
            return Ok(asked);
        }
        Asked::parse(&asked.file, plan.to_toml())
    }

    /// The given clusters; where an algorithm needs some, else the sites of the lab's network, the hosts with
    /// several processes each, or the switches of the lab's network.
    fn grid(&self, are_needed: bool) -> Result<Option<Grid>, Failure> {
        match (&self.clusters, &self.place) {
            (Some(file), _) => files::grid(file).map(Some),
            (None, Place::Lab(name)) if are_needed => {
                let network = netsig_lab::load(name)?;
                let are_hosts = self.launch.ppn > 1 && !network.has_delays();
                let clusters = if are_hosts {
                    Clusters::EachHost
                } else {
                    netsig_lab::clusters(&network)
                };
                Ok(Some(clusters.into()))
            }
            (None, _) if self.launch.ppn > 1 => Ok(Some(Clusters::EachHost.into())),
            (None, _) if are_needed => Err(Failure::usage(
                "an algorithm works between clusters, and none are known; give --clusters FILE, which `netsig discover` writes, or leave it out",
            )),
            (None, _) => Ok(None),
        }
    }

    /// The network with its links: that of the lab, else the named one.
    fn links(&self) -> Result<Option<Network>, Failure> {
        match &self.place {
            Place::Lab(name) => Ok(Some(netsig_lab::load(name)?)),
            Place::Mpi | Place::Simulated(_) => self.network.load(),
        }
    }

    /// The data file: a new one, or that of an interrupted run.
    pub fn checked_output(&self, reads: &[&Path], is_resumed: bool) -> Result<Output, Failure> {
        let remedy = "go on with --resume, choose another --output or remove it";
        if is_resumed {
            return Output::replacing("--output", &self.output, Kind::Data, reads);
        }
        Output::fresh(&self.output, reads, remedy)
    }

    /// The data of an interrupted run, if resumed. Prepares their file for appending.
    fn past(&self, asked: &Asked) -> Result<Option<Past>, Failure> {
        if !self.resume {
            return Ok(None);
        }
        resume::refuse_growing(&self.output)?;
        let past = resume::past(&self.output, asked)?;
        if let Some(message) = resume::mend(&self.output)? {
            eprintln!("netsig: {message}");
        }
        Ok(past)
    }

    /// Simulates the plan. The data are written as a whole; those of an interrupted run must be their begin.
    fn simulate(
        &self,
        asked: Asked,
        scenario: &Network,
        output: &Output,
        past: Option<Past>,
    ) -> Result<Dataset, Failure> {
        let stated = scenario.truth.as_ref().ok_or_else(|| {
            Failure::usage(format!(
                "scenario {} has no [truth] to simulate; add one (FORMATS.md)",
                scenario.name
            ))
        })?;
        let truth = simulated::truth(scenario, stated).map_err(Failure::usage)?;
        simulated::check(&asked.plan).map_err(|e| Failure::usage(e).about(&asked.file))?;
        let rates = Rates {
            hockney: truth.base,
            contention: truth.gamma,
            launch_overhead: Seconds(0.0),
        };
        let is_resumed = past.is_some();
        let asked = match past {
            Some(past) => past.carried_out,
            None => settle(asked, &rates, self.budget, "on this network: ")?,
        };
        let network = |launch| Simulated::new(truth, stated.noise, &asked.plan, launch);
        let mut data = simulated_facts(&asked, scenario);
        self.run_jobs(&asked.plan, network, &mut data);
        let mut text = Vec::new();
        data.write(&mut text).context("memory cannot be written")?;
        if is_resumed && !text.starts_with(Written::read(&self.output)?.whole()) {
            let problem = format!("is not what {} gives now; choose another --output", scenario.name);
            return Err(Failure::usage(problem).about(&self.output));
        }
        output.replace(&text)?;
        Ok(data)
    }

    /// Adds the samples of all jobs of the plan in the simulated networks of their launches.
    fn run_jobs(&self, plan: &Plan, network: impl Fn(u32) -> Simulated, data: &mut Dataset) {
        let jobs = plan.jobs();
        let share = |budget: Duration| Seconds(budget.as_secs_f64() / jobs.len() as f64);
        let budget = self.budget.map(share);
        let bar = Bar::new(jobs.len() as u64, "measuring");
        for &job in &jobs {
            let launch = Launch {
                plan,
                job,
                past: &Dataset::default(),
                budget,
            };
            let Ok(_) = campaign::run(&launch, &mut network(job.launch), |records| {
                data.extend(records.iter().cloned());
                Ok(())
            });
            bar.advance();
        }
    }

    /// The scenario of the place, if any, with room for `procs` processes of the plan `file`.
    fn scenario(&self, file: &Path, procs: Procs) -> Result<Option<Network>, Failure> {
        let (Place::Lab(name) | Place::Simulated(name)) = &self.place else {
            return Ok(None);
        };
        let scenario = netsig_lab::load(name)?;
        if procs > self.places(&scenario) {
            return Err(Failure::usage(format!(
                "{}: the plan needs {procs} processes and scenario {name} has {} hosts; choose a larger scenario",
                file.display(),
                scenario.hosts()
            )));
        }
        Ok(Some(scenario))
    }

    /// Number of processes that the hosts of a scenario take.
    fn places(&self, scenario: &Network) -> Procs {
        let places = scenario.hosts().get().saturating_mul(self.launch.ppn);
        Procs::new(places).unwrap_or(scenario.hosts())
    }
}

/// The provenance of simulated data.
fn simulated_facts(asked: &Asked, scenario: &Network) -> Dataset {
    let mut data = Dataset::default();
    data.provenance.push("netsig", env!("CARGO_PKG_VERSION"));
    data.provenance.push("simulated", &scenario.name);
    data.provenance.push("seed", asked.plan.seed);
    data.provenance.push(PLAN, escaped(&asked.text));
    if let Some(requested) = &asked.requested {
        data.provenance.push(REQUESTED_PLAN, escaped(requested));
    }
    data
}
