//! `netsig demo`: the whole way through on an emulated cluster. Measure few processes,
//! fit, predict more, measure those too, compare.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use netsig_core::data::Dataset;
use netsig_core::data::cells::{CellKey, Statistic, Summary, summarise};
use netsig_core::fit::fitted::FittedModel;
use netsig_core::fit::network::{self, NetworkFit};
use netsig_core::model::{self, Case, Model};
use netsig_core::predict::Knowledge;
use netsig_core::predict::regimes::Asked;
use netsig_core::profile::{Choice, Profile};
use netsig_core::stats::sample::Sorted;
use netsig_core::units::Seconds;

use crate::campaign::{Campaign, Options};
use crate::command::fit::{fit_file, meaning, warnings};
use crate::failure::Failure;
use crate::input::args::{LaunchArgs, Place};
use crate::input::files;
use crate::job::launch::{Launcher, Site};
use crate::print::parameters;
use crate::print::plot::{self, PlotPoint};
use crate::print::rows::{Cell, Format, Rows, to_stdout};

/// The network of the demo.
const SCENARIO: &str = "ethernet-12x40";
const TRAIN: &str = include_str!("../../../../plans/demo-train.toml");
const HELD_OUT: &str = include_str!("../../../../plans/demo-heldout.toml");

/// From this ratio of measured to contention-free time on, a size counts as contended.
const CONTENDED: f64 = 1.2;

/// Measure, fit, predict and check on an emulated cluster, in a few minutes.
#[derive(clap::Args)]
pub struct Args {
    /// Where [default: the lab where it works, else simulated].
    #[arg(long, value_enum)]
    on: Option<Ground>,
    /// Where data, profile and plot go.
    #[arg(long, value_name = "DIR", default_value = "netsig-demo")]
    out: PathBuf,
    /// How to print the comparison.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    #[command(flatten)]
    launch: LaunchArgs,
}

/// What the demo runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ground {
    /// Real MPI over real TCP in an emulated cluster.
    Lab,
    /// The simulated transport, which follows a known signature.
    Sim,
}

/// The files of a demo.
struct Files {
    train_plan: PathBuf,
    held_out_plan: PathBuf,
    data: PathBuf,
    held_out: PathBuf,
    profile: PathBuf,
    plot: PathBuf,
}

/// Predicted and measured times of the held-out sizes.
struct Comparison {
    points: Vec<PlotPoint>,
    /// The model that the fit chose.
    chosen: &'static Model,
    /// What it says at each point.
    by_chosen: Vec<Seconds>,
}

/// Runs the command.
///
/// # Errors
/// If a stage of the way fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ground = args.on.map_or_else(|| choose_ground(&args.launch), Ok)?;
    let place = match ground {
        Ground::Lab => Place::Lab(SCENARIO.to_owned()),
        Ground::Sim => Place::Simulated(SCENARIO.to_owned()),
    };
    let files = Files::prepare(&args.out)?;
    let measure = |plan, output, what| {
        Campaign {
            plan,
            output,
            place: &place,
            launch: &args.launch,
            options: Options::default(),
        }
        .carry_out(what)
    };
    let scenario = netsig_lab::load(SCENARIO)?;
    eprintln!(
        "1/4 measuring 4, 6 and 8 processes ({}){}",
        scenario.summary(),
        label(ground)
    );
    measure(
        &files.train_plan,
        &files.data,
        "measuring 4, 6 and 8 processes",
    )?;
    eprintln!("2/4 fitting");
    let fitted = fit_file(
        &files::usable_dataset(&files.data)?,
        &files.data.display().to_string(),
        &files.profile,
        &network::Options {
            statistic: STATISTIC,
            ..network::Options::default()
        },
        &[],
    )?;
    eprintln!("3/4 measuring 12 processes, which the fit has not seen");
    measure(
        &files.held_out_plan,
        &files.held_out,
        "measuring 12 processes",
    )?;
    eprintln!("4/4 predicting 12 processes and comparing");
    let comparison = Comparison::new(
        &files::profile(&files.profile)?,
        &files::dataset(&files.held_out)?,
    )?;
    let title = format!(
        "All-to-all among 12 processes, predicted from 4, 6 and 8{}",
        label(ground)
    );
    files::replace(
        &files.plot,
        plot::comparison(&title, &comparison.points)?.as_bytes(),
    )?;
    report(args, ground, &fitted, &comparison)
}

/// What stands for the repetitions of a cell, in the fit and in what it is held against.
const STATISTIC: Statistic = Statistic::Mean;

/// The lab where it works; elsewhere says why not.
fn choose_ground(launch: &LaunchArgs) -> Result<Ground, Failure> {
    let scenario = netsig_lab::load(SCENARIO)?;
    let obstacle = match (
        netsig_lab::verify(&scenario),
        Launcher::find(launch, Site::Lab),
    ) {
        (Ok(()), Ok(_)) => return Ok(Ground::Lab),
        (Err(error), _) => error.to_string(),
        (Ok(()), Err(failure)) => failure.to_string(),
    };
    eprintln!("netsig: {obstacle}");
    eprintln!("netsig: going on with a SIMULATED network: its figures show the way, not a network");
    Ok(Ground::Sim)
}

fn label(ground: Ground) -> &'static str {
    match ground {
        Ground::Lab => "",
        Ground::Sim => " (SIMULATED)",
    }
}

impl Files {
    /// Makes the directory, writes the plans, removes what an earlier demo left.
    fn prepare(directory: &Path) -> Result<Self, Failure> {
        let what = || {
            format!(
                "{}: cannot be made; choose another --out",
                directory.display()
            )
        };
        std::fs::create_dir_all(directory).with_context(what)?;
        let files = Self {
            train_plan: directory.join("plan.toml"),
            held_out_plan: directory.join("heldout-plan.toml"),
            data: directory.join("data.csv"),
            held_out: directory.join("heldout.csv"),
            profile: directory.join("profile.toml"),
            plot: directory.join("prediction.svg"),
        };
        for old in [&files.data, &files.held_out, &files.profile, &files.plot] {
            match std::fs::remove_file(old) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let what = format!(
                        "{}: cannot be replaced; choose another --out",
                        old.display()
                    );
                    return Err(anyhow::Error::from(error).context(what).into());
                }
                _ => {}
            }
        }
        files::replace(&files.train_plan, TRAIN.as_bytes())?;
        files::replace(&files.held_out_plan, HELD_OUT.as_bytes())?;
        Ok(files)
    }
}

impl Comparison {
    fn new(profile: &Profile, held_out: &Dataset) -> Result<Self, Failure> {
        let mut fitted = profile.fitted.iter();
        let entry = fitted
            .find(|own| own.model.is_signature())
            .ok_or_else(|| Failure::data("the profile has no signature"))?;
        let signature = knowledge(profile, entry).basis(entry.model)?;
        let cells = summarise(held_out);
        let (chosen, by_chosen) = by_chosen(profile, entry, cells.keys())?;
        let point = |(key, summary): (&CellKey, &Summary)| {
            let prediction = signature.predict(Case::new(key.procs, key.size))?;
            Ok(PlotPoint {
                size: key.size,
                predicted: prediction.time,
                interval: prediction
                    .interval
                    .map_or((prediction.time, prediction.time), |i| (i.lower, i.upper)),
                contention_free: profile.hockney.model().alltoall(key.procs, key.size),
                measured: summary.value(STATISTIC),
            })
        };
        Ok(Self {
            chosen,
            by_chosen,
            points: cells.iter().map(point).collect::<Result<_, Failure>>()?,
        })
    }

    fn rows(&self) -> Rows {
        let mut rows = Rows::new(&[
            "size_bytes",
            "predicted_s",
            "lower_s",
            "upper_s",
            "measured_s",
            "error",
            "contention_free_s",
            "contention_free_error",
            "contended",
            "chosen_model",
            "chosen_s",
            "chosen_error",
        ]);
        for (point, chosen) in self.points.iter().zip(&self.by_chosen) {
            rows.push(vec![
                Cell::size(point.size),
                Cell::time(point.predicted),
                Cell::time(point.interval.0),
                Cell::time(point.interval.1),
                Cell::time(point.measured),
                Cell::error(point.predicted / point.measured - 1.0),
                Cell::time(point.contention_free),
                Cell::error(point.contention_free / point.measured - 1.0),
                Cell::text(if is_contended(point) { "yes" } else { "no" }),
                Cell::text(self.chosen.name),
                Cell::time(*chosen),
                Cell::error(*chosen / point.measured - 1.0),
            ]);
        }
        rows
    }

    /// Median absolute errors of the models over the contended sizes, and how many those are.
    fn verdict(&self) -> String {
        let all = self.points.iter().zip(&self.by_chosen);
        let contended: Vec<_> = all.filter(|(point, _)| is_contended(point)).collect();
        if contended.is_empty() {
            return "No size is contended: measured times stay within 1.2 times contention-free."
                .to_owned();
        }
        let error = |value: fn(&PlotPoint, Seconds) -> Seconds| {
            let of = |(point, chosen): &(&PlotPoint, &Seconds)| {
                (value(point, **chosen) / point.measured - 1.0).abs()
            };
            100.0 * Sorted::new(contended.iter().map(of).collect()).median()
        };
        let within = self
            .points
            .iter()
            .filter(|p| p.interval.0 <= p.measured && p.measured <= p.interval.1)
            .count();
        format!(
            "Over the {} contended sizes the median error is {:.1} % with the signature, {:.1} % without \
             and {:.1} % with the model that the fit chose ({}); {within} of {} measured times lie within \
             the interval of the signature.",
            contended.len(),
            error(|point, _| point.predicted),
            error(|point, _| point.contention_free),
            error(|_, chosen| chosen),
            self.chosen.name,
            self.points.len()
        )
    }
}

/// What is known of the algorithm of a fitted model.
fn knowledge<'a>(profile: &'a Profile, fitted: &'a FittedModel) -> Knowledge<'a> {
    Knowledge {
        profile,
        algorithm: &fitted.algorithm,
        tree: None,
        given: &[],
        asked: Asked::Mean,
    }
}

/// The model that the fit chose for the algorithm of a signature, and its times.
fn by_chosen<'a>(
    profile: &Profile,
    signature: &FittedModel,
    cells: impl Iterator<Item = &'a CellKey>,
) -> Result<(&'static Model, Vec<Seconds>), Failure> {
    let own = |choice: &&Choice| {
        signature.collective() == Some(choice.collective) && choice.algorithm == signature.algorithm
    };
    let choice = profile.choices.iter().find(own);
    let model = match choice {
        Some(choice) => model::find(choice.collective, &choice.model)?,
        None => signature.model,
    };
    let basis = knowledge(profile, signature).basis(model)?;
    let time = |key: &CellKey| Ok(basis.predict(Case::new(key.procs, key.size))?.time);
    Ok((model, cells.map(time).collect::<Result<_, Failure>>()?))
}

fn is_contended(point: &PlotPoint) -> bool {
    point.measured / point.contention_free >= CONTENDED
}

fn report(
    args: &Args,
    ground: Ground,
    fitted: &NetworkFit,
    comparison: &Comparison,
) -> Result<(), Failure> {
    if args.format != Format::Table {
        return Ok(comparison.rows().print(args.format)?);
    }
    let simulated = label(ground);
    Ok(to_stdout(|out| {
        writeln!(out, "\nThe signature found{simulated}")?;
        parameters::of_models(fitted, |own| own.model.is_signature()).write(Format::Table, out)?;
        for algorithm in &fitted.signatures {
            writeln!(out, "{}", meaning(algorithm))?;
            for warning in warnings(algorithm) {
                writeln!(out, "Note: {warning}.")?;
            }
        }
        writeln!(
            out,
            "\n12 processes, predicted from 4, 6 and 8, then measured{simulated}"
        )?;
        comparison.rows().write(Format::Table, out)?;
        writeln!(out, "{}", comparison.verdict())?;
        writeln!(out, "Data, profile and plot: {}", args.out.display())
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netsig_measure::plan::Plan;

    #[test]
    fn the_demo_holds_out_what_it_predicts() {
        let [train, held_out] =
            [TRAIN, HELD_OUT].map(|text| Plan::parse("plan.toml", text).unwrap());
        assert!(train.procs() < held_out.procs());
    }
}
