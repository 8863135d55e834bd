//! `netsig measure`: carries out a plan and leaves a data file.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netsig_core::dataset::{Dataset, Provenance, VOID};
use netsig_core::scenario::Scenario;
use netsig_measure::campaign::{self, Launch};
use netsig_measure::plan::Plan;
use netsig_measure::simulated::{self, Simulated};

use crate::args::{LaunchArgs, Place, place};
use crate::failure::Failure;
use crate::files;
use crate::job::{End, Job};
use crate::lab::warn_if_unfaithful;
use crate::launch::{Launcher, absolute};
use crate::progress::Follower;

/// Run a measurement plan and write every repetition to a data file.
#[derive(clap::Args)]
pub struct Args {
    /// The plan (TOML, see FORMATS.md).
    plan: PathBuf,
    /// The data file (CSV); it must not exist yet.
    #[arg(short, long, value_name = "DATA")]
    output: PathBuf,
    /// Where: mpi, lab:SCENARIO (emulated cluster) or sim:SCENARIO (simulated transport).
    #[arg(long, value_name = "PLACE", default_value = "mpi", value_parser = place)]
    on: Place,
    #[command(flatten)]
    launch: LaunchArgs,
}

/// A plan with where to carry it out and where to put the data.
pub struct Campaign<'a> {
    /// The file of the plan, which rank 0 reads.
    pub plan: &'a Path,
    /// The data file; it must not exist yet.
    pub output: &'a Path,
    /// Where to carry it out.
    pub place: &'a Place,
    /// How to start MPI programs.
    pub launch: &'a LaunchArgs,
}

/// The exit code of a job that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Runs the command.
///
/// # Errors
/// As [`Campaign::carry_out`].
pub fn run(args: &Args) -> Result<(), Failure> {
    let campaign = Campaign {
        plan: &args.plan,
        output: &args.output,
        place: &args.on,
        launch: &args.launch,
    };
    campaign.carry_out("measuring")?;
    let data = files::dataset(&args.output)?;
    eprintln!(
        "{} samples in {}",
        data.samples.len(),
        args.output.display()
    );
    Ok(())
}

impl Campaign<'_> {
    /// Measures everything; `what` names the work beside the progress bar.
    ///
    /// # Errors
    /// If the plan, the place or the MPI cannot be used, or the measurement fails; what
    /// was measured until then is kept.
    pub fn carry_out(&self, what: &str) -> Result<(), Failure> {
        let plan = files::plan(self.plan)?;
        if self.output.exists() {
            let shown = self.output.display();
            return Err(Failure::usage(format!(
                "{shown}: exists already; choose another --output or remove it"
            )));
        }
        files::refuse_unwritable(self.output)?;
        match self.place {
            Place::Simulated(name) => self.simulate(&plan, &self.scenario_for(&plan, name)?),
            Place::Lab(name) => {
                let scenario = self.scenario_for(&plan, name)?;
                warn_if_unfaithful(&scenario);
                self.launch_all(&plan, Some(&scenario), what)
            }
            Place::Mpi => self.launch_all(&plan, None, what),
        }
    }

    fn simulate(&self, plan: &Plan, scenario: &Scenario) -> Result<(), Failure> {
        let stated = scenario.truth.as_ref().ok_or_else(|| {
            Failure::usage(format!(
                "scenario {} has no [truth] to simulate; add one (FORMATS.md)",
                scenario.name
            ))
        })?;
        let truth = simulated::truth(scenario, stated).map_err(Failure::usage)?;
        simulated::check(plan)
            .map_err(|e| Failure::usage(format!("{}: {e}", self.plan.display())))?;
        let mut data = Dataset::default();
        data.provenance.push("netsig", env!("CARGO_PKG_VERSION"));
        data.provenance.push("simulated", &scenario.name);
        data.provenance.push("seed", plan.seed);
        for launch in 0..plan.launches {
            let mut network = Simulated::new(truth, stated.noise, plan, launch);
            let launch = Launch {
                plan,
                number: launch,
                variant: 0,
                past: &Dataset::default(),
                budget: None,
            };
            let Ok(_) = campaign::run(&launch, &mut network, |records| {
                data.extend(records.iter().cloned());
                Ok(())
            });
        }
        let mut text = Vec::new();
        data.write(&mut text)
            .context("the data cannot be put into text")?;
        Ok(files::replace(self.output, &text)?)
    }

    fn launch_all(
        &self,
        plan: &Plan,
        scenario: Option<&Scenario>,
        what: &str,
    ) -> Result<(), Failure> {
        let launcher = Launcher::find(self.launch)?;
        let mut progress = Follower::new(plan, self.output, what);
        for launch in 0..plan.launches {
            let command = launcher.command(plan.procs(), &self.rank_arguments(launch, scenario)?);
            let end = Job::start(&command, scenario)?.follow(launch, &mut progress)?;
            self.judge(&end)?;
        }
        Ok(())
    }

    fn rank_arguments(
        &self,
        launch: u32,
        scenario: Option<&Scenario>,
    ) -> Result<Vec<OsString>, Failure> {
        let mut arguments: Vec<OsString> = vec![
            absolute(self.plan)?.into(),
            "--output".into(),
            absolute(self.output)?.into(),
            "--launch".into(),
            launch.to_string().into(),
        ];
        if let Some(scenario) = scenario {
            arguments.extend([
                "--note".into(),
                format!("network={}", scenario.summary()).into(),
            ]);
        }
        Ok(arguments)
    }

    /// Turns the end of a job into the end of the campaign where it must be.
    fn judge(&self, end: &End) -> Result<(), Failure> {
        if let Some(reason) = &end.void {
            self.mark_void(reason)?;
            return Err(Failure::Work(anyhow::anyhow!(
                "{reason} (marked in {})",
                self.output.display()
            )));
        }
        if end.code == 0 {
            return Ok(());
        }
        let kept = self.keep_samples();
        if end.code == INTERRUPTED {
            return Err(Failure::Interrupted(anyhow::anyhow!("interrupted; {kept}")));
        }
        Err(Failure::Work(anyhow::anyhow!(
            "the MPI job ended with code {}, for the reason above; {kept}",
            end.code
        )))
    }

    /// Says what a failed job has left, and removes a data file without data.
    fn keep_samples(&self) -> String {
        let shown = self.output.display();
        // Lines and not samples: what a full disk cut off is not worth the rest.
        let text = std::fs::read_to_string(self.output).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#')).count();
        let samples = lines.saturating_sub(1);
        if samples == 0 {
            // There may be no file at all.
            let _ = std::fs::remove_file(self.output);
            return "nothing was measured".to_owned();
        }
        format!("{samples} samples are kept in {shown}")
    }

    fn mark_void(&self, reason: &str) -> Result<()> {
        if !self.output.exists() {
            return Ok(());
        }
        let what = || {
            format!(
                "{}: cannot be marked as void; delete it",
                self.output.display()
            )
        };
        let mut mark = Provenance::default();
        mark.push(VOID, reason);
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(self.output)
            .with_context(what)?;
        mark.write(&mut file)
            .and_then(|()| file.flush())
            .with_context(what)
    }

    fn scenario_for(&self, plan: &Plan, name: &str) -> Result<Scenario, Failure> {
        let scenario = netsig_lab::load(name)?;
        if plan.procs() > scenario.hosts {
            return Err(Failure::usage(format!(
                "{}: the plan needs {} processes and scenario {name} has {} hosts; choose a larger scenario",
                self.plan.display(),
                plan.procs(),
                scenario.hosts
            )));
        }
        Ok(scenario)
    }
}
