//! A campaign that steers itself: each launch is planned from the data of the launches before it
//! ([`netsig_measure::steer`]). All data go to one file, which states the plan of each launch; an
//! interrupted campaign goes on with the launch that was under way.

use std::path::Path;
use std::time::{Duration, Instant};

use itertools::Itertools as _;
use netsig_base::algorithm::CollectiveMethod;
use netsig_base::data::{Dataset, OPERANDS_KEY, Provenance};
use netsig_base::network::{ClusterGrid, Network};
use netsig_base::stats::sample::median;
use netsig_base::text::counted;
use netsig_base::text::line::unescaped;
use netsig_base::units::{Bytes, Seconds, duration_in_words};
use netsig_measure::estimate::NetworkRates;
use netsig_measure::plan::provenance::PLAN;
use netsig_measure::plan::{JobId, MeasurementPlan};
use netsig_measure::prediction_scope::PredictionScope;
use netsig_measure::steer::{
    ALL_CELLS_LAUNCHES, CampaignStage, CollectiveCells, MOST_OPEN_LAUNCHES, SteerTarget, stage,
};
use netsig_model::fit::network::{self, NetworkFitOptions};
use netsig_model::predict::request::PredictionRequest;
use netsig_model::profile::Profile;

use super::Campaign;
use super::data_file::DataFileBytes;
use super::series::{JobSeries, SeriesLaunch};
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::loaded_plan::LoadedPlan;
use crate::print::progress_sentence;

/// A campaign for a prediction.
pub struct PredictionCampaign<'a> {
    /// Where and with which launcher.
    pub campaign: &'a Campaign,
    /// The prediction.
    pub predicted: &'a PredictionScope,
    /// The cells that may be measured.
    pub target: SteerTarget,
    /// The clusters of the hosts, where they are known.
    pub grid: Option<ClusterGrid>,
    /// The scenario, if the place is a lab.
    pub scenario: Option<&'a Network>,
    /// Longest duration of all launches.
    pub budget: Duration,
    /// Half-width of the predictions' intervals at which the campaign ends.
    pub wanted_half_width: Option<f64>,
}

/// The progress of a campaign.
#[derive(Default)]
struct SteeringState {
    data: Dataset,
    /// Number of the next launch.
    next_launch: u32,
    /// Plan of that launch, if it was interrupted.
    interrupted: Option<MeasurementPlan>,
    /// Complete jobs.
    complete: Vec<JobId>,
    /// Time that the ranks of each job took.
    wall_times: Vec<Seconds>,
}

/// Provenance key of the prediction that a campaign is for.
const STEERED_KEY: &str = "steered_for";

/// Time that a launch takes to start in place of an unknown one.
const USUAL_START_TIME: Seconds = Seconds(2.0);

/// Share of the remaining time for launches over open cells.
const OPEN_TIME_SHARE: f64 = 0.12;

/// Least number of launches over all cells: one alone would not show how launches differ.
const LEAST_ALL_CELLS_LAUNCHES: u32 = 2;

/// Least time that is worth a launch.
const LEAST_LAUNCH_TIME: Seconds = Seconds(2.0);

impl PredictionCampaign<'_> {
    /// Carries out all launches that fit into the budget.
    ///
    /// # Errors
    /// If the budget is too small for anything, or a launch fails.
    pub fn carry_out(&self) -> Result<(), Failure> {
        let started = Instant::now();
        let mut state = self.resumed_state()?;
        let before = Seconds(state.wall_times.iter().map(|wall| wall.0).sum());
        let mut start_time = USUAL_START_TIME;
        loop {
            let spent = before + Seconds(started.elapsed().as_secs_f64());
            let left = Seconds(self.budget.as_secs_f64()) - spent;
            let Some((stage, plan)) = self.next_launch_plan(&state, left, start_time)? else {
                return Ok(());
            };
            let launch_started = Instant::now();
            self.carry_out_launch(&state, stage, &plan, left)?;
            state = self.read()?;
            let wall = Seconds(launch_started.elapsed().as_secs_f64());
            start_time = state.start_of_last(wall);
            if self.is_known(&state) {
                return Ok(());
            }
        }
    }

    /// The plan of the next launch: the plan of an interrupted launch, or a new one from the data. If a launch over all
    /// cells no longer fits, a launch over open cells may.
    fn next_launch_plan(
        &self,
        state: &SteeringState,
        left: Seconds,
        start_time: Seconds,
    ) -> Result<Option<(CampaignStage, MeasurementPlan)>, Failure> {
        let due = stage(state.next_launch);
        if let Some(plan) = &state.interrupted {
            return Ok(Some((due, plan.clone())));
        }
        let seen = self.collective_cells(&state.data);
        let all = match due {
            CampaignStage::NetworkProbe => Some(self.target.probe_plan()),
            CampaignStage::AllCells => self.all_cells_plan(state, &seen, left, start_time)?,
            CampaignStage::OpenCells => None,
        };
        if let Some(plan) = all {
            return Ok(Some((due, plan)));
        }
        let time = left - start_time * self.target.jobs();
        if state.next_launch > ALL_CELLS_LAUNCHES + MOST_OPEN_LAUNCHES || time < LEAST_LAUNCH_TIME {
            return Ok(None);
        }
        let plan = self.open_plan(&state.data, &seen, time);
        Ok(plan.map(|plan| (CampaignStage::OpenCells, plan)))
    }

    /// The plan of a launch over the open cells.
    fn open_plan(&self, data: &Dataset, seen: &CollectiveCells, time: Seconds) -> Option<MeasurementPlan> {
        let profile = self.profile(data)?;
        let largest = *self.target.sizes.last()?;
        let onset = |method: &CollectiveMethod| {
            let algorithm = method.to_string();
            let predictor = self.request_of(&profile, &algorithm).predictor().ok()?;
            let overflow = predictor.overflow(self.target.most_procs, largest)?;
            overflow.is_known.then_some((*method, overflow.interval))
        };
        let onsets: Vec<_> = self.target.methods.iter().filter_map(onset).collect();
        self.target.open_cells_plan(seen, &onsets, time)
    }

    /// The plan of a launch over all cells; `None` if none fits any more. The wanted number of launches, or as many as
    /// fit, share the time.
    ///
    /// # Errors
    /// If not even [`LEAST_ALL_CELLS_LAUNCHES`] fit.
    fn all_cells_plan(
        &self,
        state: &SteeringState,
        seen: &CollectiveCells,
        left: Seconds,
        start_time: Seconds,
    ) -> Result<Option<MeasurementPlan>, Failure> {
        let begin = start_time.0 * self.target.jobs();
        let rates = NetworkRates::from_probe(&state.data, start_time).unwrap_or_else(NetworkRates::assumed);
        let plan = |launches: u32| {
            let each = left.0 * (1.0 - OPEN_TIME_SHARE) / f64::from(launches);
            self.target.all_cells_plan(seen, &rates, Seconds(each - begin))
        };
        let is_first = state.next_launch == 1;
        let least = if is_first { LEAST_ALL_CELLS_LAUNCHES } else { 1 };
        let plans = (least..=ALL_CELLS_LAUNCHES + 1 - state.next_launch).rev().map(plan);
        match plans.find_or_last(Result::is_ok) {
            Some(Err(too_little)) if is_first => {
                let least_launches = (too_little.least.0 + begin) * f64::from(LEAST_ALL_CELLS_LAUNCHES);
                let spent = self.budget.as_secs_f64() - left.0;
                let needed = (least_launches / (1.0 - OPEN_TIME_SHARE) + spent).ceil() + 1.0;
                Err(Failure::usage(format!(
                    "--budget {}: too little for one launch of all cells, which takes about {}; give more, with --resume, or name fewer algorithms, sizes or processes",
                    duration_in_words(Seconds(self.budget.as_secs_f64())),
                    duration_in_words(Seconds(needed))
                )))
            }
            plan => Ok(plan.and_then(Result::ok)),
        }
    }

    /// Carries out a launch.
    fn carry_out_launch(
        &self,
        state: &SteeringState,
        stage: CampaignStage,
        plan: &MeasurementPlan,
        left: Seconds,
    ) -> Result<(), Failure> {
        let mut launch_plan = plan.clone();
        launch_plan.grid.clone_from(&self.grid);
        if self.target.synchronisation.is_window() {
            launch_plan = launch_plan.with_windows();
        }
        if launch_plan.lacks_links() {
            launch_plan.network = self.campaign.links()?;
        }
        let loaded_plan = LoadedPlan::parse(&self.campaign.output, launch_plan.to_toml())?;
        let label = match stage {
            CampaignStage::NetworkProbe => "finding the speed".to_owned(),
            CampaignStage::AllCells => {
                format!("launch {} of {ALL_CELLS_LAUNCHES}", state.next_launch)
            }
            CampaignStage::OpenCells => "sizes that may overflow ports or stall".to_owned(),
        };
        let cells = counted(launch_plan.cells().len() as u64, "cell", "cells");
        progress_sentence::print(format_args!("{label}: {cells}, {} left", duration_in_words(left)));
        let launch = SeriesLaunch {
            number: state.next_launch,
            complete: &state.complete,
            budget: Duration::from_secs_f64(left.0.max(1.0)),
            note: format!("{STEERED_KEY}={}", self.predicted),
        };
        JobSeries::new(self.campaign, self.scenario, loaded_plan, None)?.run_launch(launch, &label)
    }

    /// The state of an interrupted campaign, or of a new one.
    fn resumed_state(&self) -> Result<SteeringState, Failure> {
        if !self.campaign.resume || !self.campaign.output.exists() {
            return Ok(SteeringState::default());
        }
        super::resume::refuse_growing(&self.campaign.output)?;
        if let Some(message) = super::resume::repair_file(&self.campaign.output)? {
            eprintln!("netsig: {message}");
        }
        if !self.campaign.output.exists() || DataFileBytes::read(&self.campaign.output)?.row_count() == 0 {
            return Ok(SteeringState::default());
        }
        let state = self.read()?;
        let scope_text = self.predicted.to_string();
        let stated_operands = state.data.provenance.get(OPERANDS_KEY);
        let problem = match state.data.provenance.get(STEERED_KEY) {
            Some(stated) if *stated == scope_text => stated_operands
                .filter(|operands| **operands != self.target.operands.to_string())
                .map(|operands| format!("was begun with --reduction {operands}; give the same")),
            Some(stated) => Some(format!("was begun with --prediction '{stated}'; give the same")),
            None => Some("was begun with a plan; give the plan".to_owned()),
        };
        if let Some(problem) = problem {
            let message = format!("{problem}, or choose another --output");
            return Err(Failure::usage(message).about(&self.campaign.output));
        }
        progress_sentence::print(format_args!("going on from {} samples", state.data.samples.len()));
        Ok(state)
    }

    fn read(&self) -> Result<SteeringState, Failure> {
        SteeringState::of(files::usable_dataset(&self.campaign.output)?, &self.campaign.output)
    }

    fn collective_cells(&self, data: &Dataset) -> CollectiveCells {
        let stated = self.scenario.and_then(|network| network.eager_limit);
        let limit = data.provenance.eager_limit().or(stated);
        CollectiveCells::new(data, self.target.collective, limit)
    }

    /// True if the predictions have the wanted precision. Prints their precision.
    fn is_known(&self, state: &SteeringState) -> bool {
        if stage(state.next_launch.saturating_sub(1)) == CampaignStage::NetworkProbe {
            return false;
        }
        let Some(half_width) = self.median_half_width(&state.data) else {
            return false;
        };
        progress_sentence::print(format_args!(
            "{} among {} known to ±{:.0} %",
            self.target.collective,
            self.predicted.procs,
            half_width * 100.0
        ));
        self.wanted_half_width.is_some_and(|wanted| half_width <= wanted)
    }

    /// The profile of the data so far; `None` if they do not suffice yet.
    fn profile(&self, data: &Dataset) -> Option<Profile> {
        let options = NetworkFitOptions {
            network: self.links().cloned(),
            ..NetworkFitOptions::default()
        };
        let fitted = network::fit(data, &options).ok()?;
        let confidence = options.model.confidence;
        let mut profile = Profile::of(&fitted, Provenance::default(), confidence);
        profile.add_facts(&data.provenance);
        Some(profile)
    }

    /// Median half-width of the intervals of the predictions; `None` if there are none yet.
    fn median_half_width(&self, data: &Dataset) -> Option<f64> {
        let profile = self.profile(data)?;
        let half_widths = self.target.methods.iter().flat_map(|method| {
            let name = method.to_string();
            self.half_widths(&profile, &name)
        });
        let widths: Vec<f64> = half_widths.collect();
        (!widths.is_empty()).then(|| median(widths))
    }

    /// The links, where they are known for the predicted processes.
    fn links(&self) -> Option<&Network> {
        let is_whole = |network: &&Network| network.hosts() >= self.predicted.procs;
        self.scenario.filter(is_whole)
    }

    /// The request for the times of one algorithm.
    fn request_of<'a>(&'a self, profile: &'a Profile, algorithm: &'a str) -> PredictionRequest<'a> {
        let collective_request = profile.predict(self.target.collective);
        collective_request.algorithm(algorithm).network(self.links())
    }

    /// Half-widths of the intervals of the predictions of one algorithm.
    fn half_widths(&self, profile: &Profile, algorithm: &str) -> Vec<f64> {
        let Ok(predictor) = self.request_of(profile, algorithm).predictor() else {
            return Vec::new();
        };
        let width = |size: &Bytes| {
            let prediction = predictor.predict(self.predicted.procs, *size).ok()?;
            let interval = prediction.interval?;
            Some((interval.upper / interval.lower).sqrt() - 1.0)
        };
        self.target.sizes.iter().filter_map(width).collect()
    }
}

impl SteeringState {
    /// The state after the launches of a file.
    fn of(data: Dataset, file: &Path) -> Result<Self, Failure> {
        let mut state = Self::default();
        while let Some(plan) = plan_of_launch(&data, state.next_launch, file)? {
            let planned_jobs = plan.jobs().into_iter();
            let jobs = planned_jobs.map(|job| JobId {
                launch: state.next_launch,
                ..job
            });
            let (complete, open): (Vec<JobId>, Vec<JobId>) =
                jobs.partition(|job| data.provenance.get(&job.key("s")).is_some());
            state.complete.extend(complete);
            if !open.is_empty() {
                state.interrupted = Some(plan);
                break;
            }
            state.next_launch += 1;
        }
        let walls = state.complete.iter().map(|job| wall_time(&data, *job));
        state.wall_times = walls.collect();
        Ok(Self { data, ..state })
    }

    /// Time to start and end a job of the last launch, which took `launch_time`.
    fn start_of_last(&self, launch_time: Seconds) -> Seconds {
        let last = self.next_launch.saturating_sub(1);
        let jobs = self.complete.iter().zip(&self.wall_times);
        let walls = jobs.filter(|(job, _)| job.launch == last).map(|(_, wall)| wall.0);
        let (sum, count) = walls.fold((0.0, 0.0), |(sum, count), wall| (sum + wall, count + 1.0));
        Seconds(((launch_time.0 - sum) / f64::max(count, 1.0)).max(0.0))
    }
}

/// The plan of a launch in the provenance of the data, if they have that launch.
fn plan_of_launch(data: &Dataset, launch: u32, file: &Path) -> Result<Option<MeasurementPlan>, Failure> {
    let job = JobId { launch, variant: 0 };
    let key = match launch {
        0 => PLAN.to_owned(),
        _ => job.key(PLAN),
    };
    let text = data.provenance.get(&key);
    text.map(|text| Ok(LoadedPlan::parse(file, unescaped(text))?.plan))
        .transpose()
}

/// The time that the ranks of a job took, by its fact `launch_K_s=wall W …`.
fn wall_time(data: &Dataset, job: JobId) -> Seconds {
    let fact = data.provenance.get(&job.key("s"));
    let number = fact.and_then(|fact| fact.split_whitespace().nth(1)?.parse().ok());
    Seconds(number.unwrap_or(0.0))
}
