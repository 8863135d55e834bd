//! Carries out a measurement plan: reads the requested plan, finds the completed jobs, and runs the
//! others.

pub mod data_file;
pub mod discovery;
pub mod disk_space;
pub mod estimate;
pub mod examination;
pub mod planless_job;
mod resume;
mod series;
mod steered;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use netsig_base::data::{DataRecord, Dataset, OPERANDS_KEY};
use netsig_base::network::{ClusterGrid, HostClusters, Network};
use netsig_base::text::line::escaped;
use netsig_base::units::{Procs, Seconds};
use netsig_measure::campaign::{self, LaunchInput};
use netsig_measure::estimate::NetworkRates;
use netsig_measure::plan::provenance::{PLAN, REQUESTED_PLAN};
use netsig_measure::plan::{MeasurementPlan, Synchronisation, volume};
use netsig_measure::prediction_scope::{MeasuredProcs, PredictionScope};
use netsig_measure::simulated::{self, SimulatedNetwork};

use self::data_file::DataFileBytes;
use self::estimate::estimate_and_reduce;
use self::resume::PastResults;
use self::series::JobSeries;
use self::steered::PredictionCampaign;
use crate::input::args::{self, LaunchArgs, MeasurementPlace};
use crate::input::claim::OutputClaim;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::loaded_plan::LoadedPlan;
use crate::input::network::NetworkArgs;
use crate::input::output::OutputPath;
use crate::input::prediction_scope::MeasurementScopeArgs;
use crate::print::measured_cells::OpenCells;
use crate::print::notes::warn_if_unfaithful;
use crate::print::progress_display::ProgressDisplay;
use crate::print::progress_sentence;

/// Longest duration of a campaign for a prediction, if none is given.
pub const DEFAULT_BUDGET: Duration = Duration::from_secs(120);

/// Where and within which limits to measure, and where to put the data.
#[derive(Debug, clap::Args)]
pub struct Campaign {
    /// The data file (CSV); it must not exist yet, unless --resume is given.
    #[arg(short, long, value_name = "DATA")]
    pub output: PathBuf,
    /// Place of the measurement: mpi, lab:SCENARIO (emulated cluster) or sim:SCENARIO (simulated
    /// transport).
    #[arg(long = "on", value_name = "PLACE", default_value = "mpi", value_parser = args::place)]
    pub place: MeasurementPlace,
    /// Continue an interrupted run of the same plan.
    #[arg(long)]
    pub resume: bool,
    /// Longest duration of the campaign, such as 10m; the least informative cells are left
    /// out if necessary.
    #[arg(long, value_name = "TIME", value_parser = args::limit)]
    pub budget: Option<Duration>,
    /// Repeat until the half-width of the median's interval is below this share, such as 2%; replaces the plan's
    /// precision. With --prediction, end when the predictions have this precision.
    #[arg(long, value_name = "SHARE", value_parser = args::precision)]
    pub precision: Option<String>,
    /// Longest duration of one step of a rank; after it, its launch is given up.
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = args::limit)]
    pub timeout: Duration,
    /// The launcher of MPI programs.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The network, for algorithms that follow the links between its switches; a lab uses its scenario's.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// The clusters of the hosts: a file of `netsig discover`, or a profile with its clusters; a lab uses its
    /// scenario's.
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<PathBuf>,
}

impl Campaign {
    /// Measures all cells of the plan, and returns the data; `label` is for the progress bar.
    ///
    /// # Errors
    /// If the plan, the place or the MPI cannot be used, or a part of the measurement fails; the
    /// data measured up to then are kept.
    pub fn carry_out(&self, plan: &Path, label: &str) -> Result<Dataset, Failure> {
        let loaded_plan = self.load_plan(plan)?;
        let claim = self.claim()?;
        let past = self.earlier_results(&loaded_plan)?;
        let output = self.checked_output(&[plan], past.is_some())?;
        if claim.is_some() {
            disk_space::refuse_full_disk(&self.output, &loaded_plan.plan)?;
        }
        let scenario = self.scenario(plan, loaded_plan.plan.procs())?;
        if let (MeasurementPlace::Simulated(_), Some(scenario)) = (&self.place, &scenario) {
            return self.simulate(loaded_plan, scenario, &output, past);
        }
        scenario.iter().for_each(warn_if_unfaithful);
        JobSeries::new(self, scenario.as_ref(), loaded_plan, past)?.run(label)?;
        files::dataset(&self.output)
    }

    /// Claims the data file. A destination that is no regular file takes only simulated data, as a whole.
    fn claim(&self) -> Result<Option<OutputClaim>, Failure> {
        let followed = Destination::of(&self.output);
        let destination = followed.map_err(|problem| Failure::usage(problem).about(&self.output))?;
        if let Destination::Regular(_) = destination {
            return OutputClaim::of(&self.output).map(Some);
        }
        let problem = match self.place {
            MeasurementPlace::Simulated(_) if !self.resume => return Ok(None),
            MeasurementPlace::Simulated(_) => "is no file to go on with; leave out --resume",
            _ => "is no regular file, to which ranks could append; choose another --output",
        };
        Err(Failure::usage(problem).about(&self.output))
    }

    /// Plans and measures for a prediction, within the budget, and returns the data.
    ///
    /// # Errors
    /// If the options do not go together, the budget is too small, or a part of the measurement
    /// fails; the data measured up to then are kept.
    pub fn steer(&self, predicted: &PredictionScope, aim: &MeasurementScopeArgs) -> Result<Dataset, Failure> {
        let scenario = match &self.place {
            MeasurementPlace::Mpi => None,
            MeasurementPlace::Lab(name) => Some(netsig_lab::load(name)?),
            MeasurementPlace::Simulated(_) => {
                return Err(Failure::usage(
                    "sim: follows a known signature, so that there is nothing to find; measure a plan there, or give --on lab:SCENARIO",
                ));
            }
        };
        scenario.iter().for_each(warn_if_unfaithful);
        let is_resumed = self.resume && self.output.exists();
        let _claim = self.claim()?;
        self.checked_output(&[], is_resumed)?;
        disk_space::refuse_small_disk(&self.output)?;
        let hosts = scenario.as_ref().map_or(MeasuredProcs::Half, |network| {
            MeasuredProcs::Hosts("--on", self.process_capacity(network))
        });
        let precision_text = self.precision.as_deref();
        let precision_percent = precision_text.and_then(|text| text.trim_end_matches('%').parse::<f64>().ok());
        let mut target = aim.target(predicted, hosts)?;
        let grid = self.grid(target.follows_clusters())?;
        if grid.is_some() {
            // The ranks leave a barrier as far apart as the clusters are.
            target.synchronisation = Synchronisation::Window;
        }
        PredictionCampaign {
            campaign: self,
            predicted,
            grid,
            target,
            scenario: scenario.as_ref(),
            budget: self.budget.unwrap_or(DEFAULT_BUDGET),
            wanted_half_width: precision_percent.map(|percent| percent / 100.0),
        }
        .carry_out()?;
        files::dataset(&self.output)
    }

    /// The command of every launch, in starting order.
    ///
    /// # Errors
    /// If the plan, the place or the MPI cannot be used.
    pub fn commands(&self, plan: &Path) -> Result<Vec<Vec<OsString>>, Failure> {
        let loaded_plan = self.load_plan(plan)?;
        if !loaded_plan.is_text_of_file {
            let shown = plan.display();
            progress_sentence::print(format_args!(
                "netsig: the ranks will read {shown} as the options change it"
            ));
        }
        if let MeasurementPlace::Simulated(_) = self.place {
            return Err(Failure::usage(
                "--dry-run prints how MPI is started and sim: starts none; leave one of them out",
            ));
        }
        let scenario = self.scenario(plan, loaded_plan.plan.procs())?;
        JobSeries::new(self, scenario.as_ref(), loaded_plan, None)?.commands()
    }

    fn load_plan(&self, plan: &Path) -> Result<LoadedPlan, Failure> {
        let loaded_plan = LoadedPlan::read(plan, self.precision.as_deref())?;
        let mut changed_plan = loaded_plan.plan.clone();
        if changed_plan.lacks_links() {
            changed_plan.network = self.links()?;
        }
        if let Some(clusters) = self.grid(changed_plan.lacks_clusters())? {
            changed_plan.grid = Some(clusters);
        }
        if changed_plan == loaded_plan.plan {
            return Ok(loaded_plan);
        }
        LoadedPlan::parse(&loaded_plan.file, changed_plan.to_toml())
    }

    /// The given clusters. Without them, hosts with several processes are clusters. If an algorithm needs clusters in
    /// a lab, they are its network's sites if links have a delay, else the hosts or the switches.
    fn grid(&self, are_needed: bool) -> Result<Option<ClusterGrid>, Failure> {
        match (&self.clusters, &self.place) {
            (Some(file), _) => files::grid(file).map(Some),
            (None, MeasurementPlace::Lab(name)) if are_needed => {
                let network = netsig_lab::load(name)?;
                let are_hosts = self.launch.ppn > 1 && !network.has_delays();
                let clusters = if are_hosts {
                    HostClusters::EachHost
                } else {
                    netsig_lab::clusters(&network)
                };
                Ok(Some(clusters.into()))
            }
            (None, _) if self.launch.ppn > 1 => Ok(Some(HostClusters::EachHost.into())),
            (None, _) if are_needed => Err(Failure::usage(
                "an algorithm works between clusters, and none are known; give --clusters FILE, which `netsig discover` writes, or leave it out",
            )),
            (None, _) => Ok(None),
        }
    }

    /// The network with its links: the lab's, else the named one.
    fn links(&self) -> Result<Option<Network>, Failure> {
        match &self.place {
            MeasurementPlace::Lab(name) => Ok(Some(netsig_lab::load(name)?)),
            MeasurementPlace::Mpi | MeasurementPlace::Simulated(_) => self.network.load(),
        }
    }

    /// The data file: a new one, or that of an interrupted run.
    pub fn checked_output(&self, reads: &[&Path], is_resumed: bool) -> Result<OutputPath, Failure> {
        let remedy = "go on with --resume, choose another --output or remove it";
        if is_resumed {
            return OutputPath::replacing("--output", &self.output, FileKind::Data, reads);
        }
        OutputPath::fresh(&self.output, reads, remedy)
    }

    /// The data of an interrupted run, if resumed. Prepares their file for appending.
    fn earlier_results(&self, loaded_plan: &LoadedPlan) -> Result<Option<PastResults>, Failure> {
        if !self.resume {
            return Ok(None);
        }
        resume::refuse_growing(&self.output)?;
        let past = resume::read_past(&self.output, loaded_plan)?;
        if let Some(message) = resume::repair_file(&self.output)? {
            eprintln!("netsig: {message}");
        }
        Ok(past)
    }

    /// Simulates the plan. The data are written as a whole; the data of an interrupted run must be their beginning.
    fn simulate(
        &self,
        loaded_plan: LoadedPlan,
        scenario: &Network,
        output: &OutputPath,
        past: Option<PastResults>,
    ) -> Result<Dataset, Failure> {
        let stated = scenario.truth.as_ref().ok_or_else(|| {
            Failure::usage(format!(
                "scenario {} has no [truth] to simulate; add one (FORMATS.md)",
                scenario.name
            ))
        })?;
        let truth = simulated::true_signature(scenario, stated).map_err(Failure::usage)?;
        simulated::check(&loaded_plan.plan).map_err(|e| Failure::usage(e).about(&loaded_plan.file))?;
        let rates = NetworkRates {
            hockney: truth.base,
            contention: truth.gamma,
            launch_overhead: Seconds(0.0),
        };
        let is_resumed = past.is_some();
        let carried_out_plan = match past {
            Some(past) => past.carried_out,
            None => estimate_and_reduce(loaded_plan, &rates, self.budget, "on this network: ")?,
        };
        let network = |launch| SimulatedNetwork::new(truth, stated.noise, &carried_out_plan.plan, launch);
        let mut data = simulated_facts(&carried_out_plan, scenario);
        self.run_jobs(&carried_out_plan.plan, network, &mut data);
        let mut text = Vec::new();
        data.write(&mut text).context("memory cannot be written")?;
        if is_resumed && !text.starts_with(DataFileBytes::read(&self.output)?.complete_lines()) {
            let problem = format!("is not what {} gives now; choose another --output", scenario.name);
            return Err(Failure::usage(problem).about(&self.output));
        }
        output.replace(&text)?;
        Ok(data)
    }

    /// Adds the samples of all jobs of the plan in the simulated networks of their launches.
    fn run_jobs(&self, plan: &MeasurementPlan, network: impl Fn(u32) -> SimulatedNetwork, data: &mut Dataset) {
        let jobs = plan.jobs();
        let share = |budget: Duration| Seconds(budget.as_secs_f64() / jobs.len() as f64);
        let budget = self.budget.map(share);
        let bar = ProgressDisplay::new(plan.volume(), "measuring");
        let mut open_cells = OpenCells::if_wanted();
        for &job in &jobs {
            let launch = LaunchInput {
                plan,
                job,
                past: &Dataset::default(),
                budget,
            };
            let Ok(_) = campaign::run(&launch, &mut network(job.launch), |records| {
                bar.advance(records.iter().map(record_volume).sum());
                let open_cells = open_cells.iter_mut();
                let lines = open_cells.flat_map(|cells| cells.completed_lines(records));
                lines.for_each(|line| bar.print_message(&line));
                data.extend(records.iter().cloned());
                Ok(())
            });
        }
    }

    /// The scenario of the place, if any, with room for `procs` processes of the plan `file`.
    fn scenario(&self, file: &Path, procs: Procs) -> Result<Option<Network>, Failure> {
        let (MeasurementPlace::Lab(name) | MeasurementPlace::Simulated(name)) = &self.place else {
            return Ok(None);
        };
        let scenario = netsig_lab::load(name)?;
        if procs > self.process_capacity(&scenario) {
            return Err(Failure::usage(format!(
                "{}: the plan needs {procs} processes and scenario {name} has {} hosts; choose a larger scenario",
                file.display(),
                scenario.hosts()
            )));
        }
        Ok(Some(scenario))
    }

    /// Number of processes that the hosts of a scenario take.
    fn process_capacity(&self, scenario: &Network) -> Procs {
        let places = scenario.hosts().get().saturating_mul(self.launch.ppn);
        Procs::new(places).unwrap_or(scenario.hosts())
    }
}

/// The volume of a repetition; none for other records.
fn record_volume(record: &DataRecord) -> u64 {
    match record {
        DataRecord::Sample(sample) => volume(sample.cell.procs, sample.cell.size),
        DataRecord::Rejected(rejected) => volume(rejected.cell.procs, rejected.cell.size),
        DataRecord::Done(_) => 0,
    }
}

/// The provenance of simulated data.
fn simulated_facts(loaded_plan: &LoadedPlan, scenario: &Network) -> Dataset {
    let mut data = Dataset::default();
    data.provenance.push("netsig", env!("CARGO_PKG_VERSION"));
    data.provenance.push("simulated", &scenario.name);
    data.provenance.push("seed", loaded_plan.plan.seed);
    data.provenance.push(PLAN, escaped(&loaded_plan.text));
    if let Some(operands) = loaded_plan.plan.reduced_operands() {
        data.provenance.push(OPERANDS_KEY, operands);
    }
    if let Some(requested) = &loaded_plan.text_before_budget {
        data.provenance.push(REQUESTED_PLAN, escaped(requested));
    }
    data
}
