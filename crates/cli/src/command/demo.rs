//! `netsig demo`: the complete workflow on an emulated cluster. Measures a few processes, fits,
//! predicts more processes, measures those too, and compares. The facts for a newcomer, with which it
//! ends, are in `demo/facts.rs`.

mod facts;

use std::io::{
    self,
    ErrorKind::{AlreadyExists, NotADirectory},
    Write,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use netsig_base::algorithm::Collective;
use netsig_base::data::Dataset;
use netsig_base::data::cells::{CellKey, Statistic, Summary, summarise};
use netsig_base::stats::sample::Sorted;
use netsig_base::units::Seconds;
use netsig_model::fit::network::{self, NetworkFit};
use netsig_model::fit::notes::of_signature;
use netsig_model::fitted::FittedModel;
use netsig_model::model::Model;
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::Profile;

use self::facts::{Facts, Remedy};
use crate::campaign::Campaign;
use crate::command::fit::{fit_file, sentence};
use crate::input::args::{LaunchArgs, Place};
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt;
use crate::input::kind::Kind;
use crate::input::network::NetworkArgs;
use crate::input::output::Output;
use crate::job::launch::Launcher;
use crate::print::parameters;
use crate::print::plot::{self, PlotPoint};
use crate::print::rows::{Cell, Format, PrintArgs, Rows, to_stdout};
use crate::print::table::Breadth;
use crate::report;

/// The network of the demo.
const SCENARIO: &str = "ethernet-12x20";
const TRAIN: &str = include_str!("../../../../plans/demo-train.toml");
const HELD_OUT: &str = include_str!("../../../../plans/demo-heldout.toml");

/// The plans of the demo, by file name.
const PLANS: [(&str, &str); 2] = [("plan.toml", TRAIN), ("heldout-plan.toml", HELD_OUT)];

/// The files of the results.
const RESULTS: [&str; 5] = [
    "data.csv",
    "heldout.csv",
    "profile.toml",
    "prediction.svg",
    "report.html",
];

/// The process counts that the page of the demo predicts.
const REPORTED: &str = "4,6,8,12,16,24";

/// The algorithm that the demo predicts.
const ALGORITHM: &str = "direct";

/// The most time of a rank for one step.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Least ratio of measured to contention-free time of a contended size.
const CONTENDED: f64 = 1.2;

/// Measure, fit, predict and check on an emulated cluster, in a few minutes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Place of the measurement [default: the lab if it works here, else simulated].
    #[arg(long, value_enum)]
    on: Option<Ground>,
    /// Folder for data, profile and plot.
    #[arg(long, value_name = "DIR", default_value = "netsig-demo")]
    out: PathBuf,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    launch: LaunchArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig demo
  netsig demo --on sim --out first-look
  netsig demo --format csv";

/// The place of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ground {
    /// Real MPI over real TCP in an emulated cluster.
    Lab,
    /// The simulated transport, which follows a known signature.
    Sim,
}

/// The statistic of a cell's repetitions, in the fit and in the comparison.
const STATISTIC: Statistic = Statistic::Mean;

/// Predicted and measured times of a held-out size.
struct Point {
    /// Times for the plot; the predicted ones are of the model that the fit chose.
    plot: PlotPoint,
    /// The prediction of the papers' signature.
    signature: Seconds,
}

/// Runs the command.
///
/// # Errors
/// If a stage of the workflow fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ground = args.on.map_or_else(|| choose_ground(&args.launch), Ok)?;
    let (place, label) = match ground {
        Ground::Lab => (Place::Lab(SCENARIO.to_owned()), ""),
        Ground::Sim => (Place::Simulated(SCENARIO.to_owned()), " (SIMULATED)"),
    };
    prepare(&args.out)?;
    eprintln!("{}", opening(ground));
    let out = args.out.display();
    interrupt::keeps(format!("the files so far are in {out}, and the demo begins anew"));
    let [train_plan, held_out_plan] = PLANS.map(|(name, _)| args.out.join(name));
    let [train, held_out, profile, plot, page] = &RESULTS.map(|name| args.out.join(name));
    let output = |path: &Path, kind| Output::replacing("--out", path, kind, &[]);
    for (path, (_, plan)) in [&train_plan, &held_out_plan].into_iter().zip(PLANS) {
        output(path, Kind::Plan)?.replace(plan.as_bytes())?;
    }
    let [profile_file, plot_file, page_file] = [
        output(profile, Kind::Profile)?,
        output(plot, Kind::Svg)?,
        output(page, Kind::Page)?,
    ];
    let reported = [train.clone(), held_out.clone(), profile.clone()];
    let measure = |plan: &Path, output: &Path, what| args.campaign(&place, output).carry_out(plan, what);
    let what = "measuring 4, 6 and 8 processes";
    let network = netsig_lab::load(SCENARIO)?.summary();
    eprintln!("1/4 {what} ({network}){label}");
    let data = measure(&train_plan, train, what)?;
    files::refuse_void(&data, train)?;
    eprintln!("2/4 fitting");
    let options = network::Options {
        statistic: STATISTIC,
        ..network::Options::default()
    };
    let source = train.display().to_string();
    let (fitted, _) = fit_file(&data, &source, &profile_file, &options, &[])?;
    let what = "measuring 12 processes";
    eprintln!("3/4 {what}, which the fit has not seen");
    let held_out = measure(&held_out_plan, held_out, what)?;
    eprintln!("4/4 predicting 12 processes and comparing");
    let profile = files::profile(profile)?;
    let (chosen, points) = compare(&profile, &held_out)?;
    let title = format!("All-to-all among 12 processes, predicted from 4, 6 and 8{label}");
    let plotted: Vec<PlotPoint> = points.iter().map(|point| point.plot).collect();
    plot_file.replace(plot::comparison(&title, &plotted)?.as_bytes())?;
    write_page(&reported, &page_file)?;
    let rows = rows(chosen, &points);
    if args.print.format != Format::Table {
        return Ok(rows.print(args.print)?);
    }
    let breadth = args.print.breadth();
    let remedy = match ground {
        Ground::Lab => facts::faster(&profile, &held_out)?,
        Ground::Sim => Remedy::Simulated,
    };
    let facts = Facts::new(&points, &held_out, remedy, &args.out);
    Ok(to_stdout(|out| {
        writeln!(out, "\nThe signature found{label}")?;
        tell_signature(&fitted, breadth, out)?;
        writeln!(out, "\n12 processes, predicted from 4, 6 and 8, then measured{label}")?;
        rows.write_table(breadth, out)?;
        writeln!(out, "{}", verdict(chosen, &points))?;
        write!(out, "\n{facts}")
    })?)
}

impl Args {
    /// The measurement at `place`, into `output`.
    fn campaign(&self, place: &Place, output: &Path) -> Campaign {
        Campaign {
            output: output.to_owned(),
            place: place.clone(),
            resume: false,
            budget: None,
            precision: None,
            timeout: TIMEOUT,
            launch: self.launch.clone(),
            clusters: None,
            network: NetworkArgs::default(),
        }
    }
}

fn write_page(reported: &[PathBuf], page: &Output) -> Result<(), Failure> {
    let options = report::Options {
        procs: Some(REPORTED.parse().expect("a list of process counts")),
        ..report::Options::default()
    };
    report::write(reported, &options, page).map(drop)
}

/// The parameters of the fitted signature, what they mean, and its warnings.
fn tell_signature(fitted: &NetworkFit, breadth: Breadth, out: &mut dyn Write) -> io::Result<()> {
    let is_shown = |own: &FittedModel| own.model.is_signature() && own.algorithm == ALGORITHM;
    parameters::of_models(fitted, is_shown).write_table(breadth, out)?;
    let mut signatures = fitted.signatures.iter();
    let Some(algorithm) = signatures.find(|own| own.model.algorithm == ALGORITHM) else {
        return Ok(());
    };
    writeln!(out, "{}", sentence(algorithm))?;
    let mut warnings = of_signature(algorithm).into_iter();
    warnings.try_for_each(|warning| writeln!(out, "Note: {warning}."))
}

/// What the demo will do, and for how long.
fn opening(ground: Ground) -> &'static str {
    match ground {
        Ground::Lab => {
            "An all-to-all of real MPI among 4, 6 and 8 of 12 emulated hosts is measured, fitted and predicted for 12, and 12 are measured to compare: about 4 minutes."
        }
        Ground::Sim => {
            "An all-to-all on a SIMULATED network of 4, 6 and 8 processes is fitted and predicted for 12, and compared with 12: a few seconds."
        }
    }
}

/// Chooses the lab if it works here; otherwise prints the obstacle and chooses the simulation.
fn choose_ground(launch: &LaunchArgs) -> Result<Ground, Failure> {
    let scenario = netsig_lab::load(SCENARIO)?;
    let lab = Place::Lab(SCENARIO.to_owned());
    let verified = netsig_lab::verify(&scenario).map_err(Failure::from);
    let Err(obstacle) = verified.and_then(|()| Launcher::find(launch, &lab)) else {
        return Ok(Ground::Lab);
    };
    eprintln!("netsig: {obstacle}");
    eprintln!("netsig: going on with a SIMULATED network: its figures show the way, not a network");
    Ok(Ground::Sim)
}

/// Creates the directory, and removes the results of an earlier demo. Files of the same names
/// without the plans of the demo beside them are not its results, and cause an error.
fn prepare(directory: &Path) -> Result<(), Failure> {
    let problem = |path: &Path, what| format!("{}: cannot be {what}; choose another --out", path.display());
    match std::fs::create_dir_all(directory) {
        Err(error) if matches!(error.kind(), AlreadyExists | NotADirectory) => {
            let problem = "is or is in a file; give --out a folder, which need not exist";
            return Err(Failure::usage(problem).about(directory));
        }
        made => made.with_context(|| problem(directory, "made"))?,
    }
    let is_plan =
        |(name, plan): (&str, &str)| std::fs::read(directory.join(name)).is_ok_and(|text| text == plan.as_bytes());
    let is_of_demo = PLANS.into_iter().all(is_plan);
    let names = RESULTS.into_iter().chain(PLANS.map(|(name, _)| name));
    for old in names.map(|name| directory.join(name)).filter(|old| old.exists()) {
        if !is_of_demo {
            let problem = "is not of an earlier demo; choose another --out or remove it";
            return Err(Failure::usage(problem).about(old));
        }
        std::fs::remove_file(&old).with_context(|| problem(&old, "replaced"))?;
    }
    Ok(())
}

/// The model chosen by the fit, and the times of the held-out cells.
fn compare(profile: &Profile, held_out: &Dataset) -> Result<(&'static Model, Vec<Point>), Failure> {
    let mut fitted = profile.fitted.iter();
    let entry = fitted
        .find(|own| own.model.is_signature() && own.algorithm == ALGORITHM)
        .ok_or_else(|| Failure::data("the profile has no signature"))?;
    let times = profile.predict(Collective::Alltoall).statistic(STATISTIC);
    let times = times.algorithm(ALGORITHM);
    let signature = times.predictor_by(entry.model)?;
    let chosen = times.predictor()?;
    let point = |(key, summary): (&CellKey, &Summary)| {
        let Prediction { time, interval, .. } = chosen.predict(key.procs, key.size)?;
        let (lower, upper) = (time, time);
        let plot = PlotPoint {
            size: key.size,
            predicted: time,
            interval: interval.unwrap_or(Interval { lower, upper }),
            contention_free: profile.hockney.model().alltoall(key.procs, key.size),
            measured: summary.value(STATISTIC),
        };
        let signature = signature.predict(key.procs, key.size)?.time;
        Ok(Point { plot, signature })
    };
    let points = summarise(held_out)
        .iter()
        .filter(|(key, _)| &*key.algorithm == ALGORITHM)
        .map(point)
        .collect::<Result<_, Failure>>()?;
    Ok((chosen.model(), points))
}

fn rows(chosen: &Model, points: &[Point]) -> Rows {
    let contended = |point: &Point| if is_contended(point) { "yes" } else { "no" };
    Rows::of(points)
        .column("size_bytes", |p| Cell::size(p.plot.size))
        .column("predicted_s", |p| Cell::time(p.plot.predicted))
        .detail(1, "lower_s", |p| Cell::time(p.plot.interval.lower))
        .detail(1, "upper_s", |p| Cell::time(p.plot.interval.upper))
        .column("measured_s", |p| Cell::time(p.plot.measured))
        .column("error", |p| Cell::error(error(p, p.plot.predicted)))
        .column("contention_free_s", |p| Cell::time(p.plot.contention_free))
        .column("contention_free_error", |p| {
            Cell::error(error(p, p.plot.contention_free))
        })
        .column("contended", |p| Cell::text(contended(p)))
        .column("chosen_model", |_| Cell::text(chosen.name))
        .detail(2, "signature_s", |p| Cell::time(p.signature))
        .detail(2, "signature_error", |p| Cell::error(error(p, p.signature)))
        .rows
}

/// Median absolute errors of the models over the contended sizes, and the number of these.
fn verdict(chosen: &Model, points: &[Point]) -> String {
    let contended = points.iter().filter(|point| is_contended(point));
    let contended: Vec<&Point> = contended.collect();
    if contended.is_empty() {
        return "No size is contended: measured times stay within 1.2 times contention-free.".to_owned();
    }
    let median = |time: fn(&Point) -> Seconds| {
        let errors = contended.iter().map(|point| error(point, time(point)).abs());
        100.0 * Sorted::new(errors.collect()).median()
    };
    let is_within = |point: &&Point| {
        let Interval { lower, upper } = point.plot.interval;
        (lower..=upper).contains(&point.plot.measured)
    };
    format!(
        "Over the {} contended sizes the median error is {:.1} % with the model that the fit chose ({}), \
         {:.1} % with the signature and {:.1} % without contention; {} of {} measured times lie \
         within the interval.",
        contended.len(),
        median(|point| point.plot.predicted),
        chosen.name,
        median(|point| point.signature),
        median(|point| point.plot.contention_free),
        points.iter().filter(is_within).count(),
        points.len()
    )
}

/// The relative error of a predicted time for the size of `point`.
fn error(point: &Point, time: Seconds) -> f64 {
    time / point.plot.measured - 1.0
}

fn is_contended(point: &Point) -> bool {
    point.plot.measured / point.plot.contention_free >= CONTENDED
}

#[cfg(test)]
mod tests {
    use super::*;
    use netsig_measure::plan::Plan;

    #[test]
    fn the_demo_holds_out_what_it_predicts() {
        let [train, held_out] = [TRAIN, HELD_OUT].map(|text| Plan::parse("plan.toml", text).unwrap());
        assert!(train.procs() < held_out.procs());
    }
}
