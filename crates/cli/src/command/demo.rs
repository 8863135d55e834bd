//! `netsig demo`: the complete workflow on an emulated cluster. Measures a few processes, fits, predicts more
//! processes, measures those too, compares, and prints the verdict on all of it.

use std::io::{
    self,
    ErrorKind::{AlreadyExists, NotADirectory},
    Write,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::Dataset;
use netsig_base::data::cells::{CellKey, CellSummary, Statistic, summarise};
use netsig_base::stats::sample::SortedValues;
use netsig_base::units::Seconds;
use netsig_model::fit::accepted;
use netsig_model::fit::network::{self, NetworkFit};
use netsig_model::fit::notes::warnings_on_signature;
use netsig_model::fitted::FittedModel;
use netsig_model::model::Model;
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::Profile;
use netsig_model::verdict::{CONTENDED_RATIO, VerdictRequest};

use crate::campaign::Campaign;
use crate::command::fit::{fit_file, sentence};
use crate::input::args::{LaunchArgs, MeasurementPlace};
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::interrupt;
use crate::input::network::NetworkArgs;
use crate::input::output::OutputPath;
use crate::input::report_sources;
use crate::input::verbosity::VerboseArgs;
use crate::job::launch::Launcher;
use crate::print::progress_sentence;
use crate::print::rows::{PrintArgs, PrintFormat, print_rows, to_stdout};
use crate::print::verdict::write_verdict;
use netsig_render::parameters;
use netsig_render::plot::{self, PlotPoint};
use netsig_render::report;
use netsig_render::rows::table::TableWidth;
use netsig_render::rows::{PrintedCell, PrintedRows};

/// The network of the demo.
const SCENARIO: &str = "ethernet-12x20";
const TRAINING_PLAN: &str = include_str!("../../../../plans/demo-train.toml");
const HELD_OUT_PLAN: &str = include_str!("../../../../plans/demo-heldout.toml");

/// The plans of the demo, by file name.
const PLANS: [(&str, &str); 2] = [("plan.toml", TRAINING_PLAN), ("heldout-plan.toml", HELD_OUT_PLAN)];

/// The files of the results.
const RESULTS: [&str; 5] = [
    "data.csv",
    "heldout.csv",
    "profile.toml",
    "prediction.svg",
    "report.html",
];

/// The process counts that the page of the demo predicts.
const REPORTED_PROCS: &str = "4,6,8,12,16,24";

/// The algorithm that the demo predicts.
const ALGORITHM: &str = LIBRARY;

/// Longest duration of one step of a rank.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Measure, fit, predict and check on an emulated cluster, in a few minutes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Place of the measurement [default: the lab if it works here, else simulated].
    #[arg(long, value_enum)]
    on: Option<DemoPlace>,
    /// Folder for data, profile and plot.
    #[arg(short, long, alias = "out", value_name = "DIR", default_value = "netsig-demo")]
    output: PathBuf,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    verbose: VerboseArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig demo
  netsig demo --on sim -o first-look
  netsig demo --format csv";

/// The place of the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DemoPlace {
    /// Real MPI over real TCP in an emulated cluster.
    Lab,
    /// The simulated transport, which follows a known signature.
    Sim,
}

/// The statistic of a cell's repetitions, in the fit and in the comparison.
const STATISTIC: Statistic = Statistic::Mean;

/// Predicted and measured times of a held-out size.
struct HeldOutPoint {
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
    args.verbose.apply()?;
    let demo_place = args.on.map_or_else(|| choose_place(&args.launch), Ok)?;
    let (place, label) = match demo_place {
        DemoPlace::Lab => (MeasurementPlace::Lab(SCENARIO.to_owned()), ""),
        DemoPlace::Sim => (MeasurementPlace::Simulated(SCENARIO.to_owned()), " (SIMULATED)"),
    };
    prepare(&args.output)?;
    progress_sentence::print(introduction(demo_place));
    let out = args.output.display();
    interrupt::set_kept_message(format!("the files so far are in {out}, and the demo begins anew"));
    let [train_plan, held_out_plan] = PLANS.map(|(name, _)| args.output.join(name));
    let [train_path, held_out_path, profile_path, plot_path, page_path] = &RESULTS.map(|name| args.output.join(name));
    let output = |path: &Path, kind| OutputPath::replacing("--output", path, kind, &[]);
    for (path, (_, plan)) in [&train_plan, &held_out_plan].into_iter().zip(PLANS) {
        output(path, FileKind::Plan)?.replace(plan.as_bytes())?;
    }
    let [profile_file, plot_file, page_file] = [
        output(profile_path, FileKind::Profile)?,
        output(plot_path, FileKind::Svg)?,
        output(page_path, FileKind::Page)?,
    ];
    let report_inputs = [train_path.clone(), held_out_path.clone(), profile_path.clone()];
    let measure = |plan: &Path, output: &Path, label| args.campaign(&place, output).carry_out(plan, label);
    let training_label = "measuring 4, 6 and 8 processes";
    let network = netsig_lab::load(SCENARIO)?.summary();
    progress_sentence::print(format_args!("1/4 {training_label} ({network}){label}"));
    let data = measure(&train_plan, train_path, training_label)?;
    files::refuse_void(&data, train_path)?;
    progress_sentence::print("2/4 fitting");
    let options = network::NetworkFitOptions {
        statistic: STATISTIC,
        ..network::NetworkFitOptions::default()
    };
    let source = train_path.display().to_string();
    let (fitted, _) = fit_file(&data, &source, &profile_file, &options, &[])?;
    let held_out_label = "measuring 12 processes";
    progress_sentence::print(format_args!("3/4 {held_out_label}, which the fit has not seen"));
    let held_out = measure(&held_out_plan, held_out_path, held_out_label)?;
    progress_sentence::print("4/4 predicting 12 processes and comparing");
    let profile = files::profile(profile_path)?;
    let (chosen_model, points) = compare(&profile, &held_out)?;
    let title = format!("All-to-all among 12 processes, predicted from 4, 6 and 8{label}");
    let plotted: Vec<PlotPoint> = points.iter().map(|point| point.plot).collect();
    plot_file.replace(plot::comparison(&title, &plotted)?.as_bytes())?;
    write_page(&report_inputs, &page_file)?;
    let rows = rows(chosen_model, &points);
    if args.print.format != PrintFormat::Table {
        return Ok(print_rows(&rows, args.print)?);
    }
    let width = args.print.table_width();
    let all_names = [train_path, held_out_path].map(|path| files::name(path));
    let all_data = accepted::join_files(&all_names, vec![data, held_out])?;
    let profile_name = files::name(profile_path);
    let request = VerdictRequest {
        profile: Some(&profile),
        profile_name: &profile_name,
        data: &all_data,
        network: None,
        procs: None,
    };
    let verdict = request.verdict(Collective::Alltoall);
    Ok(to_stdout(|out| {
        writeln!(out, "\nThe signature found{label}")?;
        write_signature(&fitted, width, out)?;
        writeln!(out, "\n12 processes, predicted from 4, 6 and 8, then measured{label}")?;
        rows.write_table(width, out)?;
        writeln!(out, "{}\n", comparison(chosen_model, &points))?;
        write_verdict(&format!("{}{label}", verdict.collective), &verdict.answers(), out)?;
        write_next_steps(&args.output, out)
    })?)
}

/// Writes what the files hold, and the commands for a cluster of the reader's own.
fn write_next_steps(folder: &Path, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\nFiles in {}: data.csv and heldout.csv (all repetitions), profile.toml (the fit),\n\
         prediction.svg, report.html (open it in a browser).\n\
         Your cluster: netsig doctor --hostfile HOSTS, then\n  \
         netsig learn 'alltoall library,library:pairwise up to 32' --max-procs 8 -o data.csv --hostfile HOSTS",
        folder.display()
    )
}

impl Args {
    /// The measurement at `place`, into `output`.
    fn campaign(&self, place: &MeasurementPlace, output: &Path) -> Campaign {
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

fn write_page(reported: &[PathBuf], page: &OutputPath) -> Result<(), Failure> {
    let options = report::ReportOptions {
        procs: Some(REPORTED_PROCS.parse().expect("a list of process counts")),
        ..report::ReportOptions::default()
    };
    let rendered = report::page(report_sources::read(reported)?, &options)?;
    Ok(page.replace(rendered.html.as_bytes())?)
}

/// Writes the parameters of the fitted signature, their meaning, and its warnings.
fn write_signature(fitted: &NetworkFit, width: TableWidth, out: &mut dyn Write) -> io::Result<()> {
    let is_shown =
        |fitted_model: &FittedModel| fitted_model.model.is_signature() && fitted_model.algorithm == ALGORITHM;
    parameters::of_models(fitted, is_shown).write_table(width, out)?;
    let mut signatures = fitted.signatures.iter();
    let Some(signature_fit) = signatures.find(|signature| signature.model.algorithm == ALGORITHM) else {
        return Ok(());
    };
    writeln!(out, "{}", sentence(signature_fit))?;
    let mut warnings = warnings_on_signature(signature_fit).into_iter();
    warnings.try_for_each(|warning| writeln!(out, "Note: {warning}."))
}

/// The stages and the duration of the demo.
fn introduction(demo_place: DemoPlace) -> &'static str {
    match demo_place {
        DemoPlace::Lab => {
            "An all-to-all of real MPI among 4, 6 and 8 of 12 emulated hosts is measured, fitted and predicted for 12, and 12 are measured to compare: about 5 minutes."
        }
        DemoPlace::Sim => {
            "An all-to-all on a SIMULATED network of 4, 6 and 8 processes is fitted and predicted for 12, and compared with 12: a few seconds."
        }
    }
}

/// Chooses the lab if it works here; otherwise prints the obstacle and chooses the simulation.
fn choose_place(launch: &LaunchArgs) -> Result<DemoPlace, Failure> {
    let scenario = netsig_lab::load(SCENARIO)?;
    let lab = MeasurementPlace::Lab(SCENARIO.to_owned());
    let verified = netsig_lab::verify(&scenario).map_err(Failure::from);
    let Err(obstacle) = verified.and_then(|()| Launcher::find(launch, &lab)) else {
        return Ok(DemoPlace::Lab);
    };
    eprintln!("netsig: {obstacle}");
    eprintln!("netsig: going on with a SIMULATED network: its figures show the way, not a network");
    Ok(DemoPlace::Sim)
}

/// Creates the directory, and removes the results of an earlier demo. Files of the same names without the demo's plans
/// beside them are not its results, and cause an error.
fn prepare(directory: &Path) -> Result<(), Failure> {
    let problem = |path: &Path, what| format!("{}: cannot be {what}; choose another --output", path.display());
    match std::fs::create_dir_all(directory) {
        Err(error) if matches!(error.kind(), AlreadyExists | NotADirectory) => {
            let problem = "is or is in a file; give --output a folder, which need not exist";
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
            let problem = "is not of an earlier demo; choose another --output or remove it";
            return Err(Failure::usage(problem).about(old));
        }
        std::fs::remove_file(&old).with_context(|| problem(&old, "replaced"))?;
    }
    Ok(())
}

/// The model chosen by the fit, and the times of the held-out cells.
fn compare(profile: &Profile, held_out: &Dataset) -> Result<(&'static Model, Vec<HeldOutPoint>), Failure> {
    let mut fitted = profile.fitted.iter();
    let entry = fitted
        .find(|fitted_model| fitted_model.model.is_signature() && fitted_model.algorithm == ALGORITHM)
        .ok_or_else(|| Failure::data("the profile has no signature"))?;
    let collective_request = profile.predict(Collective::Alltoall).statistic(STATISTIC);
    let request = collective_request.algorithm(ALGORITHM);
    let signature_predictor = request.predictor_by(entry.model)?;
    let chosen_predictor = request.predictor()?;
    let point = |(key, summary): (&CellKey, &CellSummary)| {
        let Prediction { time, interval, .. } = chosen_predictor.predict(key.procs, key.size)?;
        let (lower, upper) = (time, time);
        let contention_free = profile.contention_free_time(Collective::Alltoall, key.procs, key.size);
        let plot = PlotPoint {
            size: key.size,
            predicted: time,
            interval: interval.unwrap_or(Interval { lower, upper }),
            contention_free: contention_free.ok_or_else(|| Failure::data("the profile has no contention-free time"))?,
            measured: summary.value(STATISTIC),
        };
        let signature = signature_predictor.predict(key.procs, key.size)?.time;
        Ok(HeldOutPoint { plot, signature })
    };
    let points = summarise(held_out)
        .iter()
        .filter(|(key, _)| &*key.algorithm == ALGORITHM)
        .map(point)
        .collect::<Result<_, Failure>>()?;
    Ok((chosen_predictor.model(), points))
}

fn rows(chosen: &Model, points: &[HeldOutPoint]) -> PrintedRows {
    let contended = |point: &HeldOutPoint| if is_contended(point) { "yes" } else { "no" };
    PrintedRows::of(points)
        .column("size_bytes", |p| PrintedCell::size(p.plot.size))
        .column("predicted_s", |p| PrintedCell::time(p.plot.predicted))
        .column("lower_s", |p| PrintedCell::time(p.plot.interval.lower))
        .column("upper_s", |p| PrintedCell::time(p.plot.interval.upper))
        .column("measured_s", |p| PrintedCell::time(p.plot.measured))
        .column("error", |p| PrintedCell::error(error(p, p.plot.predicted)))
        .detail(1, "contention_free_s", |p| PrintedCell::time(p.plot.contention_free))
        .detail(1, "contention_free_error", |p| {
            PrintedCell::error(error(p, p.plot.contention_free))
        })
        .detail(1, "contended", |p| PrintedCell::text(contended(p)))
        .column("model", |_| PrintedCell::text(chosen.name))
        .detail(2, "signature_s", |p| PrintedCell::time(p.signature))
        .detail(2, "signature_error", |p| PrintedCell::error(error(p, p.signature)))
        .rows
}

/// Median absolute errors of the models over the contended sizes, and the number of these sizes.
fn comparison(chosen: &Model, points: &[HeldOutPoint]) -> String {
    let contended_points = points.iter().filter(|point| is_contended(point));
    let contended: Vec<&HeldOutPoint> = contended_points.collect();
    if contended.is_empty() {
        return format!("No size is contended: measured times stay within {CONTENDED_RATIO} times contention-free.");
    }
    let median = |time: fn(&HeldOutPoint) -> Seconds| {
        let errors = contended.iter().map(|point| error(point, time(point)).abs());
        100.0 * SortedValues::new(errors.collect()).median()
    };
    let is_within = |point: &&HeldOutPoint| {
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
fn error(point: &HeldOutPoint, time: Seconds) -> f64 {
    time / point.plot.measured - 1.0
}

fn is_contended(point: &HeldOutPoint) -> bool {
    point.plot.measured / point.plot.contention_free >= CONTENDED_RATIO
}

#[cfg(test)]
mod tests {
    use super::*;
    use netsig_measure::plan::MeasurementPlan;

    #[test]
    fn the_demo_holds_out_what_it_predicts() {
        let [train, held_out] =
            [TRAINING_PLAN, HELD_OUT_PLAN].map(|text| MeasurementPlan::parse("plan.toml", text).unwrap());
        assert!(train.procs() < held_out.procs());
    }
}
