//! Runs the jobs of a campaign one after another. A failed job does not end the others; all
//! measured data are kept.

pub mod temporary;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use netsig_base::data::sharing;
use netsig_base::network::Network;
use netsig_base::text::line::escaped;
use netsig_base::text::note::Note;
use netsig_base::units::Seconds;
use netsig_lab::SignalWatch;
use netsig_measure::estimate::NetworkRates;
use netsig_measure::plan::provenance::REQUESTED_PLAN;
use netsig_measure::plan::{JobId, MeasurementPlan};

use crate::campaign::Campaign;
use crate::campaign::data_file;
use crate::campaign::estimate::estimate_and_reduce;
use crate::campaign::examination::{EXAMINE, HostExamination, open_ports};
use crate::campaign::planless_job::PlanlessJob;
use crate::campaign::resume::{self, PastResults};
use crate::input::args::MeasurementPlace;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt;
use crate::input::loaded_plan::LoadedPlan;
use crate::job::launch::{Launcher, absolute_path};
use crate::job::progress::ProgressFollower;
use crate::job::{JobEnd, RunningJob};
use crate::print::progress_sentence;
use temporary::plan_file;

/// The remaining jobs of a campaign.
pub struct JobSeries<'a> {
    campaign: &'a Campaign,
    scenario: Option<&'a Network>,
    launcher: Launcher,
    loaded_plan: LoadedPlan,
    past: Option<PastResults>,
    started: Instant,
    /// Longest duration of all jobs.
    budget: Option<Duration>,
    /// Further fact for the provenance of the data, as key=value.
    note: Option<String>,
    /// The last note about ranks that share a host.
    sharing: Option<String>,
}

/// A launch of a longer campaign.
pub struct SeriesLaunch<'a> {
    /// Number of the launch.
    pub number: u32,
    /// Jobs that are not carried out again.
    pub complete: &'a [JobId],
    /// Longest duration of all jobs.
    pub budget: Duration,
    /// Fact for the provenance of the data, as key=value.
    pub note: String,
}

/// The parameters of a job.
struct JobParameters<'a> {
    plan: &'a Path,
    output: &'a Path,
    job: JobId,
    budget: Option<Duration>,
}

/// Time after which hosts count as silent.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);

/// Least budget of a job, even if the budget of the campaign is used up.
const LEAST_BUDGET: Duration = Duration::from_secs(1);

impl<'a> JobSeries<'a> {
    /// The jobs of the requested plan that are not complete in `past`.
    ///
    /// # Errors
    /// If the jobs cannot be started.
    pub fn new(
        campaign: &'a Campaign,
        scenario: Option<&'a Network>,
        requested_plan: LoadedPlan,
        past: Option<PastResults>,
    ) -> Result<Self, Failure> {
        let launcher = Launcher::find(&campaign.launch, &campaign.place)?;
        let loaded_plan = match &past {
            // A budget may have changed the plan of the interrupted run.
            Some(past) if past.carried_out.plan != requested_plan.plan => past.carried_out.clone(),
            _ => requested_plan,
        };
        launcher.check(loaded_plan.plan.procs())?;
        let series = Self {
            campaign,
            scenario,
            launcher,
            loaded_plan,
            past,
            started: Instant::now(),
            budget: campaign.budget,
            note: None,
            sharing: None,
        };
        // Refuse algorithms that the library lacks before the first measurement.
        for variant in series.loaded_plan.plan.variants() {
            series.environment(variant.number)?;
        }
        Ok(series)
    }

    /// The command of every job, as far as known before the estimate.
    ///
    /// # Errors
    /// If a path cannot be made absolute.
    pub fn commands(&self) -> Result<Vec<Vec<OsString>>, Failure> {
        let plan = absolute_path(&self.loaded_plan.file)?;
        let jobs = self.loaded_plan.plan.jobs();
        let budget = self.budget;
        let each = budget.map(|budget| budget.div_f64(jobs.len() as f64));
        let command = |job| {
            let job_parameters = JobParameters {
                plan: &plan,
                output: &self.campaign.output,
                job,
                budget: each,
            };
            let lab = match &self.campaign.place {
                MeasurementPlace::Lab(name) => Some(["netsig", "lab", "exec", name, "--"]),
                MeasurementPlace::Mpi | MeasurementPlace::Simulated(_) => None,
            };
            let within = lab.into_iter().flatten().map(OsString::from);
            Ok(within.chain(self.command(&job_parameters)?).collect())
        };
        jobs.into_iter().map(command).collect()
    }

    /// Carries out the jobs; `label` is for the progress bar.
    ///
    /// # Errors
    /// If the plan does not fit into the budget, a job cannot be started, the data are void, Ctrl-C
    /// came, or jobs failed.
    pub fn run(mut self, label: &str) -> Result<(), Failure> {
        if let Some(past) = &self.past {
            progress_sentence::print(format_args!(
                "going on from {} samples and {} complete jobs of {}",
                past.samples,
                past.complete.len(),
                self.loaded_plan.plan.jobs().len()
            ));
        } else if let Some(rates) = self.probe()? {
            let budget = self.rest_of_budget();
            self.loaded_plan = estimate_and_reduce(self.loaded_plan, &rates, budget, "")?;
        }
        let mut remaining_jobs = self.loaded_plan.plan.jobs();
        if let Some(past) = &self.past {
            remaining_jobs.retain(|job| !past.complete.contains(job));
        }
        self.run_jobs(&remaining_jobs, label)
    }

    /// Carries out the plan as one launch of a longer campaign.
    ///
    /// # Errors
    /// The errors of [`JobSeries::run`].
    pub fn run_launch(mut self, launch: SeriesLaunch, label: &str) -> Result<(), Failure> {
        self.budget = Some(launch.budget);
        self.note = Some(launch.note);
        let planned_jobs = self.loaded_plan.plan.jobs().into_iter();
        let jobs = planned_jobs.map(|job| JobId {
            launch: launch.number,
            ..job
        });
        let remaining_jobs: Vec<JobId> = jobs.filter(|job| !launch.complete.contains(job)).collect();
        self.run_jobs(&remaining_jobs, label)
    }

    fn run_jobs(mut self, remaining_jobs: &[JobId], label: &str) -> Result<(), Failure> {
        // Also between jobs, so that temporary files are removed.
        let watch = SignalWatch::start();
        let plan_path = plan_file(&self.loaded_plan, &self.campaign.output)?;
        let mut progress = ProgressFollower::new(&self.loaded_plan.plan, &self.campaign.output, label);
        progress.begin_campaign();
        let mut failed = Vec::new();
        let mut is_lost = false;
        for (done, &job) in remaining_jobs.iter().enumerate() {
            if let Some(code) = watch.exit_code() {
                self.failure_reason(JobEnd::Interrupted(code))?;
            }
            let share = |rest: Duration| rest.div_f64((remaining_jobs.len() - done) as f64);
            let job_parameters = JobParameters {
                plan: &plan_path,
                output: &self.campaign.output,
                job,
                budget: self.rest_of_budget().map(|rest| share(rest).max(LEAST_BUDGET)),
            };
            let end = self.carry_out(&job_parameters, &mut progress)?;
            // A job that failed before its first sample would fail again.
            let is_hopeless = matches!(end, JobEnd::Failed(_)) && progress.last_growth().is_none();
            is_lost |= matches!(end, JobEnd::Lost(_));
            let Some(why) = self.failure_reason(end)? else {
                continue;
            };
            let failure_text = format!("{job}: {why}");
            if remaining_jobs.len() > 1 {
                let kept = data_file::describe_kept(&self.campaign.output);
                progress.print_message(&format!("netsig: {failure_text}; {kept}"));
            }
            failed.push(failure_text);
            if is_hopeless {
                break;
            }
        }
        drop(progress);
        interrupt::set_kept_message(data_file::describe_kept(&self.campaign.output));
        if let Some(code) = watch.end() {
            self.failure_reason(JobEnd::Interrupted(code))?;
        }
        if failed.is_empty() {
            return Ok(());
        }
        let kept = data_file::describe_or_remove(&self.campaign.output);
        if is_lost && kept.is_none() {
            self.refuse_silent_hosts()?;
        }
        Err(failures_in_words(&failed, remaining_jobs.len(), kept))
    }

    fn rest_of_budget(&self) -> Option<Duration> {
        let budget = self.budget?;
        Some(budget.saturating_sub(self.started.elapsed()))
    }

    /// Runs a short job that measures the rates of the network. `None` if it fails: there is no
    /// estimate then.
    fn probe(&mut self) -> Result<Option<NetworkRates>, Failure> {
        let probe_plan = MeasurementPlan::probe(self.loaded_plan.plan.procs());
        let loaded_probe = LoadedPlan::parse(&self.loaded_plan.file, probe_plan.to_toml())?;
        let plan_path = plan_file(&loaded_probe, &self.campaign.output)?;
        let data = temporary::create_beside(&self.campaign.output, ".csv")?;
        let job_parameters = JobParameters {
            plan: &plan_path,
            output: &data,
            job: JobId { launch: 0, variant: 0 },
            budget: None,
        };
        let mut progress = ProgressFollower::new(&loaded_probe.plan, &data, "estimating");
        let started = Instant::now();
        let end = self.carry_out(&job_parameters, &mut progress)?;
        let has_grown = progress.last_growth().is_some();
        drop(progress);
        let problem = match end {
            JobEnd::Complete => {
                let probe_data = files::dataset(&data)?;
                let wall = Seconds(started.elapsed().as_secs_f64());
                return Ok(NetworkRates::from_probe(&probe_data, wall));
            }
            JobEnd::Interrupted(code) => {
                let kept = format!("{}; start the command again", data_file::NOTHING_MEASURED);
                return Err(Failure::interrupted(code, kept));
            }
            JobEnd::Lost(why) => {
                self.refuse_silent_hosts()?;
                why
            }
            JobEnd::Void(why) | JobEnd::Failed(why) => why,
        };
        if !has_grown {
            return Err(anyhow!("{problem}; {}", data_file::NOTHING_MEASURED_WITH_CURE).into());
        }
        progress_sentence::print(format_args!("netsig: there is no estimate: {problem}"));
        Ok(None)
    }

    /// Checks by a short job of the same ranks that all hosts answer each other.
    ///
    /// # Errors
    /// If some hosts do not answer.
    fn refuse_silent_hosts(&self) -> Result<(), Failure> {
        let planless_job = PlanlessJob {
            subcommand: EXAMINE,
            label: "looking for hosts that do not answer",
            scenario: self.scenario,
            output: &self.campaign.output,
            timeout: SILENCE_TIMEOUT.min(self.campaign.timeout),
        };
        let examination = HostExamination::run(&planless_job, &self.launcher, self.loaded_plan.plan.procs())?;
        let cure = open_ports(self.launcher.mpi().ok());
        match examination.silent_hosts() {
            Some(silent_hosts) => Err(anyhow!("{silent_hosts}; {}; {cure}", data_file::NOTHING_MEASURED).into()),
            None => Ok(()),
        }
    }

    /// Runs a job.
    fn carry_out(
        &mut self,
        job_parameters: &JobParameters,
        progress: &mut ProgressFollower,
    ) -> Result<JobEnd, Failure> {
        if let Some(message) = resume::repair_file(job_parameters.output)? {
            progress.print_message(&format!("netsig: {message}"));
        }
        progress.begin_job();
        let job = RunningJob::start(&self.command(job_parameters)?, self.scenario)?;
        let end = job.follow(job_parameters.job, self.campaign.timeout, progress)?;
        let sharing = sharing::describe_shared_hosts(progress.hosts(job_parameters.job));
        if let Some(ranks) = sharing.as_ref().filter(|_| self.sharing != sharing) {
            let note = Note::remark(format!("{ranks}: times hold for as many processes on each host"));
            progress.print_note(&note);
            self.sharing = sharing;
        }
        Ok(end)
    }

    fn command(&self, job_parameters: &JobParameters) -> Result<Vec<OsString>, Failure> {
        let JobId { launch, variant } = job_parameters.job;
        let seconds = |limit: Duration| limit.as_secs().to_string();
        let mut options = vec![("--launch", launch.to_string())];
        if variant > 0 {
            options.push(("--variant", variant.to_string()));
        }
        options.push(("--timeout", seconds(self.campaign.timeout)));
        options.extend(job_parameters.budget.map(|budget| ("--budget", seconds(budget))));
        let requested = self.loaded_plan.text_before_budget.as_deref().map(escaped);
        options.extend(requested.map(|plan| ("--note", format!("{REQUESTED_PLAN}={plan}"))));
        options.extend(self.note.iter().map(|note| ("--note", note.clone())));
        let network = self.scenario.map(Network::summary);
        options.extend(network.map(|network| ("--note", format!("network={network}"))));
        let mut arguments: Vec<OsString> = vec![job_parameters.plan.into(), "--output".into()];
        arguments.push(absolute_path(job_parameters.output)?.into());
        if self.loaded_plan.plan.grid.is_none() {
            arguments.push("--one-a-host".into());
        }
        for (name, value) in options {
            arguments.extend([name.into(), value.into()]);
        }
        let procs = self.loaded_plan.plan.procs();
        let environment = self.environment(variant)?;
        Ok(self.launcher.command(procs, &environment, &arguments))
    }

    /// The environment variables that force the algorithms of a variant.
    fn environment(&self, number: u32) -> Result<Vec<(String, String)>, Failure> {
        let mut variants = self.loaded_plan.plan.variants().into_iter();
        match variants.find(|variant| variant.number == number && number > 0) {
            None => Ok(Vec::new()),
            Some(variant) => variant
                .environment(self.launcher.mpi()?)
                .map_err(|error| Failure::usage(error).about(&self.loaded_plan.file)),
        }
    }

    /// The reason for a job's failure, if it failed; an `Err` ends the campaign.
    fn failure_reason(&self, end: JobEnd) -> Result<Option<String>, Failure> {
        let output = &self.campaign.output;
        match end {
            JobEnd::Complete => Ok(None),
            JobEnd::Lost(why) | JobEnd::Failed(why) => Ok(Some(why)),
            JobEnd::Void(reason) => {
                data_file::mark_void(output, &reason)?;
                let shown = output.display();
                Err(anyhow!("{reason} (marked in {shown})").into())
            }
            JobEnd::Interrupted(code) => {
                let kept = data_file::describe_or_remove(output).unwrap_or(data_file::NOTHING_MEASURED.to_owned());
                Err(Failure::interrupted(code, kept))
            }
        }
    }
}

/// The failures among `jobs` jobs, and the kept samples.
fn failures_in_words(failed: &[String], jobs: usize, kept: Option<String>) -> Failure {
    let failures = match failed {
        [only] if jobs == 1 => only.clone(),
        _ => format!("{} of {jobs} jobs failed, for the reasons above", failed.len()),
    };
    let kept = kept.unwrap_or(data_file::NOTHING_MEASURED_WITH_CURE.to_owned());
    anyhow!("{failures}; {kept}").into()
}
