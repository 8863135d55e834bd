//! `netsig predict`: predicts times with intervals from a profile, by any model.

use netsig_core::algorithm::Collective;
use netsig_core::data::cells::Statistic;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{Case, Model, ModelError, REGIMES, Segments};
use netsig_core::network::Network;
use netsig_core::predict::line::{Line, Reason};
use netsig_core::predict::outside::Outside;
use netsig_core::predict::regimes::Asked;
use netsig_core::predict::speaker::{Models, Question, Silence};
use netsig_core::predict::{Knowledge, Overflow, Prediction};
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Procs};

use crate::input::args;
use crate::input::clusters::ClusterArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::partial::Partial;
use crate::input::points::{PointArgs, Points};
use crate::print::notes;
use crate::print::rows::{Cell, PrintArgs, Rows};

/// Predict times for process counts and sizes, with intervals.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    points: PointArgs,
    /// The algorithm, as `measure` takes it; one that was not measured is predicted without
    /// contention, `pipeline` with the best segments [default: all that were measured, and unless of
    /// an alltoall the others].
    #[arg(long, display_order = 1)]
    algorithm: Option<String>,
    /// The model, see `netsig models`; `all` for every model that applies [default: the choice of
    /// the fit; else the signature of an alltoall, or the regimes of another collective; else the
    /// algorithm's own model without contention].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A parameter of the model that the profile does not hold, or another value of it; may
    /// be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = args::setting)]
    settings: Vec<(String, f64)>,
    /// The segment size of segmented algorithms, at most the message [default: the best].
    #[arg(long, value_name = "BYTES", value_parser = args::segment)]
    segment: Option<Segment>,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    clusters: ClusterArgs,
    /// Statistic of the predicted distribution (contention regimes only; other models give a single
    /// time).
    #[arg(
        long,
        value_parser = args::variant::<Statistic>(),
        default_value = "median",
        conflicts_with = "quantile"
    )]
    statistic: Statistic,
    /// The time that this share of repetitions does not exceed, from the regimes alone.
    #[arg(long, value_name = "Q", value_parser = args::quantile, conflicts_with = "settings")]
    quantile: Option<f64>,
    /// Predict also far outside the measured process counts and sizes.
    #[arg(long)]
    extrapolate: bool,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig predict data.toml --collective alltoall --procs 16,32 --size 1KiB..256KiB
  netsig predict data.toml --collective alltoall --algorithm library --procs 8..64 --size 4KiB --format csv
  netsig predict data.toml --collective alltoall --procs 32 --size 4KiB --model regimes --quantile 0.9
  netsig predict wide.toml --collective alltoall --algorithm two-phase:3 --procs 12 --size 1KiB --clusters 5,7";

/// The name for every model that applies.
const ALL: &str = "all";

/// A predicted time.
struct Predicted<'a> {
    line: &'a Line,
    procs: Procs,
    size: Bytes,
    prediction: Prediction,
}

/// The requested times, and the causes of missing ones.
#[derive(Default)]
struct Answer<'a> {
    found: Vec<Predicted<'a>>,
    outside: Vec<TooFar<'a>>,
    refused: Vec<ModelError>,
    /// The first cell of every line that may overflow ports.
    overflows: Vec<(&'a Line, Procs, Overflow)>,
}

/// Cells of an algorithm that are outside the measured range for the same reason.
struct TooFar<'a> {
    line: &'a Line,
    first: (Procs, Bytes),
    /// Number of cells besides the first.
    more: usize,
    why: Outside,
}

/// Runs the command.
///
/// # Errors
/// If the profile cannot be used or lacks data for the model, or the arguments are impossible.
pub fn run(args: &Args) -> Result<(), Failure> {
    let points = args.points.points()?;
    let mut profile = files::profile(&args.points.profile)?;
    args.clusters.apply(&mut profile)?;
    let network = args.network.load()?;
    let lines = lines(args, &profile)?;
    let is_free = |own: &&Line| args.algorithm.is_some() && own.reason == Reason::Unmeasured;
    for line in lines.iter().filter(is_free) {
        let basis = match line.model {
            model if model.is_regimes() => {
                "of its traffic, with the parameters of a measured algorithm"
            }
            model if model.is_of_clusters() => "of messages between two processes",
            _ => "without contention",
        };
        eprintln!(
            "netsig: note: {} {} was not measured: its time is that {basis}, by {}",
            args.points.collective, line.algorithm, line.model.name
        );
    }
    let answer = predict(args, &profile, network.as_ref(), (&lines, &points));
    for (line, procs, overflow) in &answer.overflows {
        tell_overflow(args.points.collective, line, *procs, overflow);
    }
    answer.judged(args).conclude(|found| {
        let models: Vec<&Model> = found.iter().map(|found| found.line.model).collect();
        notes::tell(&points, &profile, network.as_ref(), &models);
        Ok(rows(args.points.collective, &found).print(args.print)?)
    })
}

/// Says from which size on ports overflow, or may.
fn tell_overflow(collective: Collective, line: &Line, procs: Procs, overflow: &Overflow) {
    let algorithm = &line.algorithm;
    let Overflow {
        from,
        interval: [least, greatest],
        is_known,
    } = overflow;
    if *is_known {
        eprintln!(
            "netsig: note: {collective} {algorithm} among {procs} overflows ports from M({procs}) = {from} on ({least} to {greatest})"
        );
    } else {
        eprintln!(
            "netsig: note: {collective} {algorithm} among {procs} may stall from {least} on: so many bytes passed no port when it was measured; the intervals take account of it"
        );
    }
}

/// The algorithms to predict, each with its model.
fn lines(args: &Args, profile: &Profile) -> Result<Vec<Line>, Failure> {
    let question = Question {
        profile,
        collective: args.points.collective,
        algorithm: args.algorithm.as_deref(),
        models: match args.model.as_deref() {
            None => Models::Speaking,
            Some(ALL) => Models::All,
            Some(name) => Models::Named(name),
        },
        given: &args.settings,
    };
    let lines = question.lines().map_err(|silence| match silence {
        Silence::Model(error) => error.into(),
        Silence::Algorithm(error) => error.into(),
        Silence::Contradiction(problem) => Failure::usage(problem),
        Silence::NotFitted(problem) => Failure::data(problem).about(&args.points.profile),
    })?;
    let own = lines.iter().find(|line| line.segment.is_some());
    if let (Some(line), Some(_)) = (own, args.segment) {
        return Err(Failure::usage(format!(
            "{} has its own segment size; leave out --segment",
            line.algorithm
        )));
    }
    match lines.iter().find(|line| !line.model.is_regimes()) {
        Some(line) if args.quantile.is_some() => Err(Failure::usage(format!(
            "{} has no quantiles; give --model {REGIMES} or leave out --quantile",
            line.model.name
        ))),
        _ => Ok(lines),
    }
}

/// Predicts every cell of every line.
fn predict<'a>(
    args: &Args,
    profile: &Profile,
    network: Option<&Network>,
    (lines, points): (&'a [Line], &Points),
) -> Answer<'a> {
    let asked = args.quantile.map(Asked::Quantile);
    let asked = asked.unwrap_or(args.statistic.into());
    let mut answer = Answer::default();
    for line in lines {
        let knowledge = Knowledge {
            profile,
            algorithm: &line.algorithm,
            network,
            given: &args.settings,
            asked,
        };
        let basis = knowledge.basis(line.model);
        let basis = basis.and_then(|basis| match &points.pairs {
            Some(pairs) => basis.of_pairs(pairs),
            None => Ok(basis),
        });
        let basis = match basis {
            Ok(basis) => basis,
            Err(error) => {
                answer.refused.push(error);
                continue;
            }
        };
        for (procs, size) in points.cells() {
            let case = Case {
                segments: segments(line.segment.or(args.segment), size),
                ..Case::new(procs, size)
            };
            if let Some(why) = basis.outside(case) {
                answer.add_outside(line, case, why);
                if !args.extrapolate {
                    continue;
                }
            }
            let is_told = |(own, ..): &(&Line, _, _)| std::ptr::eq(*own, line);
            if let Some(overflow) = basis.overflow(case)
                && !answer.overflows.iter().any(is_told)
            {
                answer.overflows.push((line, procs, overflow));
            }
            match basis.predict(case) {
                Ok(prediction) => answer.found.push(Predicted {
                    line,
                    procs,
                    size,
                    prediction,
                }),
                Err(error) => answer.refused.push(error),
            }
        }
    }
    answer
}

impl<'a> Answer<'a> {
    fn add_outside(&mut self, line: &'a Line, case: Case, why: Outside) {
        let is_same = |other: &&mut TooFar| std::ptr::eq(other.line, line) && other.why == why;
        match self.outside.iter_mut().find(is_same) {
            Some(known) => known.more += 1,
            None => self.outside.push(TooFar {
                line,
                first: (case.procs, case.size),
                more: 0,
                why,
            }),
        }
    }

    /// The times with the causes of the missing ones. With `--extrapolate` a warning replaces the
    /// causes; with `--model all` a note replaces the causes of models that do not apply.
    fn judged(self, args: &Args) -> Partial<Predicted<'a>> {
        let mut missing = Vec::new();
        let wants_all = args.model.as_deref() == Some(ALL);
        let all_that_apply = wants_all && !self.found.is_empty();
        let times: usize = self.outside.iter().map(|own| 1 + own.more).sum();
        let mut problems = self.outside.iter().map(|own| own.problem(args)).peekable();
        match problems.peek() {
            Some(first) if args.extrapolate => eprintln!(
                "netsig: warning: {times} of {} times are not reliable; the first: {first}",
                self.found.len()
            ),
            Some(first) if all_that_apply => eprintln!(
                "netsig: note: {times} times are left out that no --extrapolate asks for; the first: {first}"
            ),
            _ => missing.extend(problems.map(|problem| {
                Failure::data(format!(
                    "{problem}; measure there, or give --extrapolate to predict all the same"
                ))
            })),
        }
        match self.refused.first() {
            Some(error) if all_that_apply => {
                eprintln!("netsig: note: models that do not apply are left out, such as: {error}");
            }
            _ => missing.extend(self.refused.into_iter().map(Failure::from)),
        }
        if wants_all {
            // Each model has a separate cause; the first suffices.
            missing.truncate(1);
        }
        let found = self.found;
        Partial { found, missing }
    }
}

impl TooFar<'_> {
    fn problem(&self, args: &Args) -> String {
        let (procs, size) = self.first;
        let more = match self.more {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!(
            "{}: {} {} by {} among {procs} processes with {size}{more} is outside of the measured range: {}",
            args.points.profile.display(),
            args.points.collective,
            self.line.algorithm,
            self.line.model.name,
            self.why
        )
    }
}

/// The segments given by the algorithm or the user, at most as long as the message.
fn segments(segment: Option<Segment>, size: Bytes) -> Segments {
    match segment {
        None => Segments::Best(Search::default(), Segment::BYTE),
        Some(segment) => {
            let whole = Segment::new(size).unwrap_or(Segment::BYTE);
            Segments::Of(segment.min(whole))
        }
    }
}

fn rows(collective: Collective, found: &[Predicted]) -> Rows {
    Rows::of(found)
        .column("collective", |_| Cell::text(collective))
        .column("algorithm", |row| {
            Cell::text(row.line.name(row.prediction.segment))
        })
        .column("procs", |row| Cell::number(row.procs.get()))
        .column("size_bytes", |row| Cell::size(row.size))
        .column("time_s", |row| Cell::time(row.prediction.time))
        .column("lower_s", |row| {
            Cell::if_some(row.prediction.interval.map(|i| i.lower), Cell::time)
        })
        .column("upper_s", |row| {
            Cell::if_some(row.prediction.interval.map(|i| i.upper), Cell::time)
        })
        .detail(1, "model", |row| Cell::text(row.line.model.name))
        .column("standing", |row| Cell::text(row.prediction.standing))
        .detail(2, "segment_bytes", |row| {
            Cell::if_some(row.prediction.segment.map(Segment::bytes), Cell::size)
        })
        .rows
}
