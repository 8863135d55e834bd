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
use netsig_base::units::Seconds;
use netsig_lab::Watch;
use netsig_measure::estimate::Rates;
use netsig_measure::plan::provenance::REQUESTED_PLAN;
use netsig_measure::plan::{JobId, Plan};

use crate::campaign::Campaign;
use crate::campaign::errand::Errand;
use crate::campaign::estimate::settle;
use crate::campaign::examination::{EXAMINE, Examination, open_ports};
use crate::campaign::kept;
use crate::campaign::resume::{self, Past};
use crate::input::args::Place;
use crate::input::asked::Asked;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt;
use crate::job::launch::{Launcher, absolute};
use crate::job::progress::Follower;
use crate::job::{End, Job};
use temporary::plan_file;

/// The remaining jobs of a campaign.
pub struct Series<'a> {
    campaign: &'a Campaign,
    scenario: Option<&'a Network>,
    launcher: Launcher,
    asked: Asked,
    past: Option<Past>,
    started: Instant,
    /// Longest duration of all jobs.
    budget: Option<Duration>,
    /// Further fact for the provenance of the data, as key=value.
    note: Option<String>,
    /// The last note about ranks that share a host.
    sharing: Option<String>,
}

/// A launch of a longer campaign.
pub struct Launch<'a> {
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
struct Orders<'a> {
    plan: &'a Path,
    output: &'a Path,
    job: JobId,
    budget: Option<Duration>,
}

/// Time after which hosts count as silent.
const SILENCE: Duration = Duration::from_secs(10);

/// Least budget of a job, even if the budget of the campaign is used up.
const LEAST_BUDGET: Duration = Duration::from_secs(1);

impl<'a> Series<'a> {
    /// The jobs of `asked` that are not complete in `past`.
    ///
    /// # Errors
    /// If the jobs cannot be started.
    pub fn new(
        campaign: &'a Campaign,
        scenario: Option<&'a Network>,
        asked: Asked,
        past: Option<Past>,
    ) -> Result<Self, Failure> {
        let launcher = Launcher::find(&campaign.launch, &campaign.place)?;
        let asked = match &past {
            // A budget may have changed the plan of the interrupted run.
            Some(past) if past.carried_out.plan != asked.plan => past.carried_out.clone(),
            _ => asked,
        };
        launcher.check(asked.plan.procs())?;
        let series = Self {
            campaign,
            scenario,
            launcher,
            asked,
            past,
            started: Instant::now(),
            budget: campaign.budget,
            note: None,
            sharing: None,
        };
        // Refuse algorithms that the library lacks before the first measurement.
        for variant in series.asked.plan.variants() {
            series.environment(variant.number)?;
        }
        Ok(series)
    }

    /// The command of every job, as far as known before the estimate.
    ///
    /// # Errors
    /// If a path cannot be made absolute.
    pub fn commands(&self) -> Result<Vec<Vec<OsString>>, Failure> {
        let plan = absolute(&self.asked.file)?;
        let jobs = self.asked.plan.jobs();
        let budget = self.budget;
        let each = budget.map(|budget| budget.div_f64(jobs.len() as f64));
        let command = |job| {
            let orders = Orders {
                plan: &plan,
                output: &self.campaign.output,
                job,
                budget: each,
            };
            let lab = match &self.campaign.place {
                Place::Lab(name) => Some(["netsig", "lab", "exec", name, "--"]),
                Place::Mpi | Place::Simulated(_) => None,
            };
            let within = lab.into_iter().flatten().map(OsString::from);
            Ok(within.chain(self.command(&orders)?).collect())
        };
        jobs.into_iter().map(command).collect()
    }

    /// Carries out the jobs; `what` is the label of the progress bar.
    ///
    /// # Errors
    /// If the plan does not fit into the budget, a job cannot be started, the data are void, Ctrl-C
    /// came, or jobs failed.
    pub fn run(mut self, what: &str) -> Result<(), Failure> {
        if let Some(past) = &self.past {
            eprintln!(
                "going on from {} samples and {} complete jobs of {}",
                past.samples,
                past.complete.len(),
                self.asked.plan.jobs().len()
            );
        } else if let Some(rates) = self.probe()? {
            let budget = self.rest_of_budget();
            self.asked = settle(self.asked, &rates, budget, "")?;
        }
        let mut left = self.asked.plan.jobs();
        if let Some(past) = &self.past {
            left.retain(|job| !past.complete.contains(job));
        }
        self.run_jobs(&left, what)
    }

    /// Carries out the plan as one launch of a longer campaign.
    ///
    /// # Errors
    /// As [`Series::run`].
    pub fn run_launch(mut self, launch: Launch, what: &str) -> Result<(), Failure> {
        self.budget = Some(launch.budget);
        self.note = Some(launch.note);
        let jobs = self.asked.plan.jobs().into_iter();
        let jobs = jobs.map(|job| JobId {
            launch: launch.number,
            ..job
        });
        let left: Vec<JobId> = jobs.filter(|job| !launch.complete.contains(job)).collect();
        self.run_jobs(&left, what)
    }

    fn run_jobs(mut self, left: &[JobId], what: &str) -> Result<(), Failure> {
        // Also between jobs, so that temporary files are removed.
        let watch = Watch::start();
        let plan = plan_file(&self.asked, &self.campaign.output)?;
        let mut progress = Follower::new(&self.asked.plan, &self.campaign.output, what);
        progress.pass_over();
        let mut failed = Vec::new();
        let mut is_lost = false;
        for (done, &job) in left.iter().enumerate() {
            if let Some(code) = watch.exit_code() {
                self.judge(End::Interrupted(code))?;
            }
            let share = |rest: Duration| rest.div_f64((left.len() - done) as f64);
            let orders = Orders {
                plan: &plan,
                output: &self.campaign.output,
                job,
                budget: self.rest_of_budget().map(|rest| share(rest).max(LEAST_BUDGET)),
            };
            let end = self.carry_out(&orders, &mut progress)?;
            // A job that failed before its first sample would fail again.
            let is_hopeless = matches!(end, End::Failed(_)) && progress.grown().is_none();
            is_lost |= matches!(end, End::Lost(_));
            let Some(why) = self.judge(end)? else {
                continue;
            };
            let why = format!("{job}: {why}");
            if left.len() > 1 {
                let kept = kept::so_far(&self.campaign.output);
                progress.say(&format!("netsig: {why}; {kept}"));
            }
            failed.push(why);
            if is_hopeless {
                break;
            }
        }
        drop(progress);
        interrupt::keeps(kept::so_far(&self.campaign.output));
        if let Some(code) = watch.end() {
            self.judge(End::Interrupted(code))?;
        }
        if failed.is_empty() {
            return Ok(());
        }
        let kept = kept::or_removed(&self.campaign.output);
        if is_lost && kept.is_none() {
            self.refuse_silence()?;
        }
        Err(in_words(&failed, left.len(), kept))
    }

    fn rest_of_budget(&self) -> Option<Duration> {
        let budget = self.budget?;
        Some(budget.saturating_sub(self.started.elapsed()))
    }

    /// Runs a short job that measures the rates of the network. `None` if it fails: there is no
    /// estimate then.
    fn probe(&mut self) -> Result<Option<Rates>, Failure> {
        let plan = Plan::probe(self.asked.plan.procs());
        let asked = Asked::parse(&self.asked.file, plan.to_toml())?;
        let plan = plan_file(&asked, &self.campaign.output)?;
        let data = temporary::beside(&self.campaign.output, ".csv")?;
        let orders = Orders {
            plan: &plan,
            output: &data,
            job: JobId { launch: 0, variant: 0 },
            budget: None,
        };
        let mut progress = Follower::new(&asked.plan, &data, "estimating");
        let started = Instant::now();
        let end = self.carry_out(&orders, &mut progress)?;
        let has_grown = progress.grown().is_some();
        drop(progress);
        let problem = match end {
            End::Complete => {
                let data = files::dataset(&data)?;
                let wall = Seconds(started.elapsed().as_secs_f64());
                return Ok(Rates::from_probe(&data, wall));
            }
            End::Interrupted(code) => {
                let kept = format!("{}; start the command again", kept::NOTHING);
                return Err(Failure::interrupted(code, kept));
            }
            End::Lost(why) => {
                self.refuse_silence()?;
                why
            }
            End::Void(why) | End::Failed(why) => why,
        };
        if !has_grown {
            return Err(anyhow!("{problem}; {}", kept::NOTHING_FAILED).into());
        }
        eprintln!("netsig: there is no estimate: {problem}");
        Ok(None)
    }

    /// Finds by a short job of the same ranks whether all hosts answer each other.
    ///
    /// # Errors
    /// If some do not.
    fn refuse_silence(&self) -> Result<(), Failure> {
        let errand = Errand {
            work: EXAMINE,
            label: "looking for hosts that do not answer",
            scenario: self.scenario,
            output: &self.campaign.output,
            timeout: SILENCE.min(self.campaign.timeout),
        };
        let found = Examination::run(&errand, &self.launcher, self.asked.plan.procs())?;
        let cure = open_ports(self.launcher.mpi().ok());
        match found.silence() {
            Some(silence) => Err(anyhow!("{silence}; {}; {cure}", kept::NOTHING).into()),
            None => Ok(()),
        }
    }

    /// Runs a job.
    fn carry_out(&mut self, orders: &Orders, progress: &mut Follower) -> Result<End, Failure> {
        if let Some(message) = resume::mend(orders.output)? {
            progress.say(&format!("netsig: {message}"));
        }
        progress.begin_job();
        let job = Job::start(&self.command(orders)?, self.scenario)?;
        let end = job.follow(orders.job, self.campaign.timeout, progress)?;
        let sharing = sharing::in_words(progress.hosts(orders.job));
        if let Some(ranks) = sharing.as_ref().filter(|_| self.sharing != sharing) {
            progress.say(&format!(
                "netsig: note: {ranks}: times hold for as many processes on each host"
            ));
            self.sharing = sharing;
        }
        Ok(end)
    }

    fn command(&self, orders: &Orders) -> Result<Vec<OsString>, Failure> {
        let JobId { launch, variant } = orders.job;
        let seconds = |limit: Duration| limit.as_secs().to_string();
        let mut options = vec![("--launch", launch.to_string())];
        if variant > 0 {
            options.push(("--variant", variant.to_string()));
        }
        options.push(("--timeout", seconds(self.campaign.timeout)));
        options.extend(orders.budget.map(|budget| ("--budget", seconds(budget))));
        let requested = self.asked.requested.as_deref().map(escaped);
        options.extend(requested.map(|plan| ("--note", format!("{REQUESTED_PLAN}={plan}"))));
        options.extend(self.note.iter().map(|note| ("--note", note.clone())));
        let network = self.scenario.map(Network::summary);
        options.extend(network.map(|network| ("--note", format!("network={network}"))));
        let mut arguments: Vec<OsString> = vec![orders.plan.into(), "--output".into()];
        arguments.push(absolute(orders.output)?.into());
        if self.asked.plan.grid.is_none() {
            arguments.push("--one-a-host".into());
        }
        for (name, value) in options {
            arguments.extend([name.into(), value.into()]);
        }
        let procs = self.asked.plan.procs();
        let environment = self.environment(variant)?;
        Ok(self.launcher.command(procs, &environment, &arguments))
    }

    /// The environment variables that force the algorithms of a variant.
    fn environment(&self, number: u32) -> Result<Vec<(String, String)>, Failure> {
        let mut variants = self.asked.plan.variants().into_iter();
        match variants.find(|variant| variant.number == number && number > 0) {
            None => Ok(Vec::new()),
            Some(variant) => variant
                .environment(self.launcher.mpi()?)
                .map_err(|error| Failure::usage(error).about(&self.asked.file)),
        }
    }

    /// The reason for a job's failure, if it failed; an `Err` ends the campaign.
    fn judge(&self, end: End) -> Result<Option<String>, Failure> {
        let output = &self.campaign.output;
        match end {
            End::Complete => Ok(None),
            End::Lost(why) | End::Failed(why) => Ok(Some(why)),
            End::Void(reason) => {
                kept::mark_void(output, &reason)?;
                let shown = output.display();
                Err(anyhow!("{reason} (marked in {shown})").into())
            }
            End::Interrupted(code) => {
                let kept = kept::or_removed(output).unwrap_or(kept::NOTHING.to_owned());
                Err(Failure::interrupted(code, kept))
            }
        }
    }
}

/// The failures among `jobs` jobs, and what is kept.
fn in_words(failed: &[String], jobs: usize, kept: Option<String>) -> Failure {
    let what = match failed {
        [only] if jobs == 1 => only.clone(),
        _ => format!("{} of {jobs} jobs failed, for the reasons above", failed.len()),
    };
    let kept = kept.unwrap_or(kept::NOTHING_FAILED.to_owned());
    anyhow!("{what}; {kept}").into()
}
