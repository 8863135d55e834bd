//! A campaign that steers itself: each launch is planned from the data of the launches before it
//! ([`netsig_measure::steer`]). All data go to one file, which states the plan of each launch; an
//! interrupted campaign goes on with the launch that was under way.

use std::path::Path;
use std::time::{Duration, Instant};

use itertools::Itertools as _;
use netsig_base::algorithm::Method;
use netsig_base::data::{Dataset, Provenance};
use netsig_base::network::{Grid, Network};
use netsig_base::stats::sample::median;
use netsig_base::text::counted;
use netsig_base::text::line::unescaped;
use netsig_base::units::{Bytes, Seconds};
use netsig_measure::estimate::Rates;
use netsig_measure::plan::provenance::PLAN;
use netsig_measure::plan::{JobId, Plan};
use netsig_measure::steer::{OPEN, SURVEYS, Seen, Stage, Target, stage};
use netsig_model::fit::network::{self, Options};
use netsig_model::predict::request::PredictionRequest;
use netsig_model::profile::Profile;

use super::Campaign;
use super::estimate::span;
use super::kept::Written;
use super::series::{Launch, Series};
use crate::input::asked::Asked;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::wish::Predicted;

/// A campaign for a prediction.
pub struct Steered<'a> {
    /// Where and with which launcher.
    pub campaign: &'a Campaign,
    /// The prediction.
    pub predicted: &'a Predicted,
    /// The cells that may be measured.
    pub target: Target,
    /// The clusters of the hosts, where they are known.
    pub grid: Option<Grid>,
    /// The scenario, if the place is a lab.
    pub scenario: Option<&'a Network>,
    /// Longest duration of all launches.
    pub budget: Duration,
    /// Half-width of the predictions' intervals at which the campaign ends.
    pub wanted: Option<f64>,
}

/// The progress of a campaign.
#[derive(Default)]
struct State {
    data: Dataset,
    /// Number of the next launch.
    launch: u32,
    /// Plan of that launch, if it was interrupted.
    interrupted: Option<Plan>,
    /// Complete jobs.
    complete: Vec<JobId>,
    /// Time that the ranks of each job took.
    walls: Vec<Seconds>,
}

/// Provenance key of the prediction that a campaign is for.
const STEERED: &str = "steered_for";

/// Time that a launch takes to start in place of an unknown one.
const START: Seconds = Seconds(2.0);

/// Share of the remaining time that the launches of what is left open get.
const FOR_OPEN: f64 = 0.12;

/// Least number of launches over all cells: one alone would not show how launches differ.
const LEAST_SURVEYS: u32 = 2;

/// Least time that is worth a launch.
const LEAST: Seconds = Seconds(2.0);

impl Steered<'_> {
    /// Carries out all launches that fit into the budget.
    ///
    /// # Errors
    /// If the budget is too small for anything, or a launch fails.
    pub fn carry_out(&self) -> Result<(), Failure> {
        let started = Instant::now();
        let mut state = self.past()?;
        let before = Seconds(state.walls.iter().map(|wall| wall.0).sum());
        let mut starts = START;
        loop {
            let spent = before + Seconds(started.elapsed().as_secs_f64());
            let left = Seconds(self.budget.as_secs_f64()) - spent;
            let Some((stage, plan)) = self.next(&state, left, starts)? else {
                return Ok(());
            };
            let begun = Instant::now();
            self.launch(&state, (stage, &plan), left)?;
            state = self.read()?;
            let wall = Seconds(begun.elapsed().as_secs_f64());
            starts = state.start_of_last(wall);
            if self.is_known(&state) {
                return Ok(());
            }
        }
    }

    /// The plan of the next launch: that of an interrupted launch, or one from the data. Where no launch over
    /// all cells fits any more, one of what is left open may.
    fn next(&self, state: &State, left: Seconds, starts: Seconds) -> Result<Option<(Stage, Plan)>, Failure> {
        let due = stage(state.launch);
        if let Some(plan) = &state.interrupted {
            return Ok(Some((due, plan.clone())));
        }
        let seen = self.seen(&state.data);
        let all = match due {
            Stage::Scout => Some(self.target.scout()),
            Stage::Survey => self.survey(state, &seen, left, starts)?,
            Stage::Open => None,
        };
        if let Some(plan) = all {
            return Ok(Some((due, plan)));
        }
        let time = left - starts * self.target.jobs();
        if state.launch > SURVEYS + OPEN || time < LEAST {
            return Ok(None);
        }
        let plan = self.open(&state.data, &seen, time);
        Ok(plan.map(|plan| (Stage::Open, plan)))
    }

    /// The plan of a launch of what is left open.
    fn open(&self, data: &Dataset, seen: &Seen, time: Seconds) -> Option<Plan> {
        let profile = self.profile(data)?;
        let largest = *self.target.sizes.last()?;
        let onset = |method: &Method| {
            let algorithm = method.to_string();
            let predictor = self.times(&profile, &algorithm).predictor().ok()?;
            let overflow = predictor.overflow(self.target.most, largest)?;
            overflow.is_known.then_some((*method, overflow.interval))
        };
        let onsets: Vec<_> = self.target.methods.iter().filter_map(onset).collect();
        self.target.open(seen, &onsets, time)
    }

    /// The plan of a launch over all cells: as many launches as wanted share the time, or as fit; `None`
    /// if none fits any more.
    ///
    /// # Errors
    /// If not even [`LEAST_SURVEYS`] fit.
    fn survey(&self, state: &State, seen: &Seen, left: Seconds, starts: Seconds) -> Result<Option<Plan>, Failure> {
        let begin = starts.0 * self.target.jobs();
        let rates = Rates::from_probe(&state.data, starts).unwrap_or_else(Rates::ordinary);
        let plan = |launches: u32| {
            let each = left.0 * (1.0 - FOR_OPEN) / f64::from(launches);
            self.target.survey(seen, &rates, Seconds(each - begin))
        };
        let is_first = state.launch == 1;
        let least = if is_first { LEAST_SURVEYS } else { 1 };
        let plans = (least..=SURVEYS + 1 - state.launch).rev().map(plan);
        match plans.find_or_last(Result::is_ok) {
            Some(Err(too_little)) if is_first => {
                let surveys = (too_little.least.0 + begin) * f64::from(LEAST_SURVEYS);
                let spent = self.budget.as_secs_f64() - left.0;
                let needed = (surveys / (1.0 - FOR_OPEN) + spent).ceil() + 1.0;
                Err(Failure::usage(format!(
                    "--budget {}: too little for a survey, which takes about {}; give more, with --resume, or name fewer algorithms, sizes or processes",
                    span(Seconds(self.budget.as_secs_f64())),
                    span(Seconds(needed))
                )))
            }
            plan => Ok(plan.and_then(Result::ok)),
        }
    }

    /// Carries out a launch.
    fn launch(&self, state: &State, (stage, plan): (Stage, &Plan), left: Seconds) -> Result<(), Failure> {
        let mut plan = plan.clone();
        plan.grid.clone_from(&self.grid);
        if self.target.synchronisation.is_window() {
            plan = plan.by_windows();
        }
        if plan.lacks_links() {
            plan.network = self.campaign.links()?;
        }
        let asked = Asked::parse(&self.campaign.output, plan.to_toml())?;
        let what = match stage {
            Stage::Scout => "finding the speed".to_owned(),
            Stage::Survey => format!("launch {} of {SURVEYS}", state.launch),
            Stage::Open => "sizes that may overflow ports or stall".to_owned(),
        };
        let cells = counted(plan.cells().len() as u64, "cell", "cells");
        eprintln!("{what}: {cells}, {} left", span(left));
        let launch = Launch {
            number: state.launch,
            complete: &state.complete,
            budget: Duration::from_secs_f64(left.0.max(1.0)),
            note: format!("{STEERED}={}", self.predicted),
        };
        Series::new(self.campaign, self.scenario, asked, None)?.run_launch(launch, &what)
    }

    /// The state of an interrupted campaign, or of a new one.
    fn past(&self) -> Result<State, Failure> {
        if !self.campaign.resume || !self.campaign.output.exists() {
            return Ok(State::default());
        }
        super::resume::refuse_growing(&self.campaign.output)?;
        if let Some(message) = super::resume::mend(&self.campaign.output)? {
            eprintln!("netsig: {message}");
        }
        if !self.campaign.output.exists() || Written::read(&self.campaign.output)?.rows() == 0 {
            return Ok(State::default());
        }
        let state = self.read()?;
        let wanted = self.predicted.to_string();
        let problem = match state.data.provenance.get(STEERED) {
            Some(told) if *told == wanted => None,
            Some(told) => Some(format!("was begun with --for '{told}'; give the same")),
            None => Some("was begun with a plan; give the plan".to_owned()),
        };
        if let Some(problem) = problem {
            let problem = format!("{problem}, or choose another --output");
            return Err(Failure::usage(problem).about(&self.campaign.output));
        }
        eprintln!("going on from {} samples", state.data.samples.len());
        Ok(state)
    }

    fn read(&self) -> Result<State, Failure> {
        State::of(files::usable_dataset(&self.campaign.output)?, &self.campaign.output)
    }

    fn seen(&self, data: &Dataset) -> Seen {
        let stated = self.scenario.and_then(|network| network.eager_limit);
        let limit = data.provenance.eager_limit().or(stated);
        Seen::new(data, self.target.collective, limit)
    }

    /// True if the predictions are known as well as wanted. Says how well they are known.
    fn is_known(&self, state: &State) -> bool {
        if stage(state.launch.saturating_sub(1)) == Stage::Scout {
            return false;
        }
        let Some(known) = self.known_to(&state.data) else {
            return false;
        };
        eprintln!(
            "{} among {} known to ±{:.0} %",
            self.target.collective,
            self.predicted.procs,
            known * 100.0
        );
        self.wanted.is_some_and(|wanted| known <= wanted)
    }

    /// The profile of the data so far; `None` if they do not suffice yet.
    fn profile(&self, data: &Dataset) -> Option<Profile> {
        let options = Options {
            network: self.links().cloned(),
            ..Options::default()
        };
        let fitted = network::fit(data, &options).ok()?;
        let confidence = options.model.confidence;
        let mut profile = Profile::of(&fitted, Provenance::default(), confidence);
        profile.add_facts(&data.provenance);
        Some(profile)
    }

    /// Median half-width of the intervals of the predictions; `None` if there are none yet.
    fn known_to(&self, data: &Dataset) -> Option<f64> {
        let profile = self.profile(data)?;
        let widths = self.target.methods.iter().flat_map(|method| {
            let name = method.to_string();
            self.half_widths(&profile, &name)
        });
        let widths: Vec<f64> = widths.collect();
        (!widths.is_empty()).then(|| median(widths))
    }

    /// The links, where they are known for the predicted processes.
    fn links(&self) -> Option<&Network> {
        let is_whole = |network: &&Network| network.hosts() >= self.predicted.procs;
        self.scenario.filter(is_whole)
    }

    /// The request for the times of one algorithm.
    fn times<'a>(&'a self, profile: &'a Profile, algorithm: &'a str) -> PredictionRequest<'a> {
        let times = profile.predict(self.target.collective);
        times.algorithm(algorithm).network(self.links())
    }

    /// Half-widths of the intervals of the predictions of one algorithm.
    fn half_widths(&self, profile: &Profile, algorithm: &str) -> Vec<f64> {
        let Ok(predictor) = self.times(profile, algorithm).predictor() else {
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

impl State {
    /// The state after the launches of a file.
    fn of(data: Dataset, file: &Path) -> Result<Self, Failure> {
        let mut state = Self::default();
        while let Some(plan) = plan_of(&data, state.launch, file)? {
            let jobs = plan.jobs().into_iter();
            let jobs = jobs.map(|job| JobId {
                launch: state.launch,
                ..job
            });
            let (complete, open): (Vec<JobId>, Vec<JobId>) =
                jobs.partition(|job| data.provenance.get(&job.key("s")).is_some());
            state.complete.extend(complete);
            if !open.is_empty() {
                state.interrupted = Some(plan);
                break;
            }
            state.launch += 1;
        }
        let walls = state.complete.iter().map(|job| wall(&data, *job));
        state.walls = walls.collect();
        Ok(Self { data, ..state })
    }

    /// Time to start and end a job of the last launch, which took `all` in all.
    fn start_of_last(&self, all: Seconds) -> Seconds {
        let last = self.launch.saturating_sub(1);
        let jobs = self.complete.iter().zip(&self.walls);
        let walls = jobs.filter(|(job, _)| job.launch == last).map(|(_, wall)| wall.0);
        let (sum, count) = walls.fold((0.0, 0.0), |(sum, count), wall| (sum + wall, count + 1.0));
        Seconds(((all.0 - sum) / f64::max(count, 1.0)).max(0.0))
    }
}

/// The plan of a launch in the provenance of the data, if they have that launch.
fn plan_of(data: &Dataset, launch: u32, file: &Path) -> Result<Option<Plan>, Failure> {
    let job = JobId { launch, variant: 0 };
    let key = match launch {
        0 => PLAN.to_owned(),
        _ => job.key(PLAN),
    };
    let text = data.provenance.get(&key);
    text.map(|text| Ok(Asked::parse(file, unescaped(text))?.plan))
        .transpose()
}

/// The time that the ranks of a job took, by its fact `launch_K_s=wall W …`.
fn wall(data: &Dataset, job: JobId) -> Seconds {
    let fact = data.provenance.get(&job.key("s"));
    let number = fact.and_then(|fact| fact.split_whitespace().nth(1)?.parse().ok());
    Seconds(number.unwrap_or(0.0))
}
