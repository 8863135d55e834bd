//! `netsig predict`: times with intervals from a profile, by any model.

use std::path::PathBuf;

use netsig_core::algorithm::Collective;
use netsig_core::data::cells::Statistic;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::{Case, Model, REGIMES, Segments};
use netsig_core::network::tree::Tree;
use netsig_core::predict::regimes::Asked;
use netsig_core::predict::speaker::{Line, Models, Question, Silence};
use netsig_core::predict::{Knowledge, Prediction};
use netsig_core::profile::Profile;
use netsig_core::units::list::List;
use netsig_core::units::{Bytes, Procs};

use crate::failure::Failure;
use crate::input::args::{self, StatisticChoice};
use crate::input::files;
use crate::input::links;
use crate::print::notes::Notes;
use crate::print::rows::{Cell, Format, Rows};

/// Predict times for process counts and sizes, with intervals.
#[derive(clap::Args)]
pub struct Args {
    /// The profile that `netsig fit` wrote.
    profile: PathBuf,
    /// The collective: bcast, scatter, gather, allgather or alltoall.
    #[arg(long)]
    collective: Collective,
    /// The algorithm, as `measure` takes it; unless of an alltoall, one that was not measured is
    /// predicted without contention [default: all that were measured, and unless of an alltoall all
    /// strategies].
    #[arg(long)]
    algorithm: Option<String>,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(long, value_name = "LIST")]
    procs: List<Procs>,
    /// Bytes per destination (of a bcast: of the message), as for --procs, with kB MB KiB MiB.
    #[arg(long, value_name = "LIST")]
    size: List<Bytes>,
    /// The model, see `netsig models`; `all` for every one that applies [default: what the fit
    /// chose for the algorithm, else of an alltoall the signature or what was fitted in its
    /// place, and all strategies of the others].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A parameter of the model that the profile does not hold, or another value of it; may
    /// be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = args::setting)]
    settings: Vec<(String, f64)>,
    /// The segment size of segmented algorithms, at most the message [default: the best].
    #[arg(long, value_name = "BYTES", value_parser = args::segment)]
    segment: Option<Segment>,
    /// The scenario that holds the links of the network, for models that need them.
    #[arg(long, value_name = "SCENARIO")]
    network: Option<String>,
    /// Statistic of the predicted distribution (contention regimes only; other models give a single
    /// time).
    #[arg(
        long,
        value_enum,
        default_value = "median",
        conflicts_with = "quantile"
    )]
    statistic: StatisticChoice,
    /// The time that this share of repetitions does not exceed, from the regimes alone.
    #[arg(long, value_name = "Q", value_parser = args::quantile, conflicts_with = "settings")]
    quantile: Option<f64>,
    /// Predict also what is too far from what was measured.
    #[arg(long)]
    extrapolate: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// The columns of the rows.
const COLUMNS: [&str; 10] = [
    "collective",
    "algorithm",
    "procs",
    "size_bytes",
    "time_s",
    "lower_s",
    "upper_s",
    "model",
    "standing",
    "segment_bytes",
];

/// The name for every model that applies.
const ALL: &str = "all";

/// Everything that predictions draw on.
struct Source<'a> {
    args: &'a Args,
    profile: Profile,
    tree: Option<Tree>,
}

/// Runs the command.
///
/// # Errors
/// If the profile cannot be used, does not hold what the model needs, or the arguments ask
/// for what is not possible.
pub fn run(args: &Args) -> Result<(), Failure> {
    let source = Source {
        args,
        profile: files::profile(&args.profile)?,
        tree: args
            .network
            .as_deref()
            .map(|name| links::tree(name, args.procs.items().iter().max().copied()))
            .transpose()?,
    };
    let mut rows = Rows::new(&COLUMNS);
    let used = source.predict_all(&source.lines()?, &mut rows)?;
    let notes = Notes {
        profile: &source.profile,
        name: &args.profile,
        collective: args.collective,
        procs: args.procs.items(),
        sizes: args.size.items(),
    };
    notes.tell(&used);
    notes.tell_about_links(&used, args.network.as_deref());
    Ok(rows.print(args.format)?)
}

impl Source<'_> {
    fn wants_all(&self) -> bool {
        self.args.model.as_deref() == Some(ALL)
    }

    /// The algorithms to predict, each with the model that speaks for it.
    fn lines(&self) -> Result<Vec<Line>, Failure> {
        let question = Question {
            profile: &self.profile,
            collective: self.args.collective,
            algorithm: self.args.algorithm.as_deref(),
            models: match self.args.model.as_deref() {
                None => Models::Speaking,
                Some(ALL) => Models::All,
                Some(name) => Models::Named(name),
            },
            given: &self.args.settings,
        };
        let lines = question.lines().map_err(|silence| match silence {
            Silence::Model(error) => error.into(),
            Silence::Algorithm(error) => error.into(),
            Silence::Contradiction(problem) => Failure::usage(problem),
            Silence::NotFitted(problem) => {
                Failure::data(format!("{}: {problem}", self.args.profile.display()))
            }
        })?;
        self.refuse_quantile(&lines)?;
        Ok(lines)
    }

    /// Refuses a quantile of a model that has one time alone.
    fn refuse_quantile(&self, lines: &[Line]) -> Result<(), Failure> {
        let mut others = lines.iter().filter(|line| !line.model.is_regimes());
        match others.next() {
            Some(line) if self.args.quantile.is_some() => Err(Failure::usage(format!(
                "{} has no quantiles; give --model {REGIMES} or leave out --quantile",
                line.model.name
            ))),
            _ => Ok(()),
        }
    }

    /// What is asked of models that tell more than one time.
    fn asked(&self) -> Asked {
        let level = self.args.quantile.map(Asked::Quantile);
        level.unwrap_or_else(|| Statistic::from(self.args.statistic).into())
    }

    /// Predicts every cell of every line, and gives the models that had a say. Where all
    /// models are wanted, what does not apply to a cell is left out.
    fn predict_all(&self, lines: &[Line], rows: &mut Rows) -> Result<Vec<&'static Model>, Failure> {
        let mut used = Vec::new();
        let mut refused = None;
        let mut outside = Vec::new();
        let mut outside_of_all = Vec::new();
        for line in lines {
            let knowledge = Knowledge {
                profile: &self.profile,
                algorithm: &line.algorithm,
                tree: self.tree.as_ref(),
                given: &self.args.settings,
                asked: self.asked(),
            };
            let basis = knowledge.basis(line.model);
            for (procs, size) in self.cells() {
                let case = Case {
                    segments: self.segments(line, size),
                    ..Case::new(procs, size)
                };
                let predicted = basis.as_ref().map_err(Clone::clone);
                if let Ok(Some(why)) = &predicted.as_ref().map(|basis| basis.outside(case)) {
                    let what = self.what(line, (procs, size));
                    let problem = format!("{what} is outside of what was measured: {why}");
                    if !self.args.extrapolate && self.wants_all() {
                        outside_of_all.push(problem);
                        continue;
                    }
                    if !self.args.extrapolate {
                        return Err(Failure::data(format!(
                            "{problem}; measure there, or give --extrapolate to predict all the same"
                        )));
                    }
                    outside.push(problem);
                }
                match predicted.and_then(|basis| basis.predict(case)) {
                    Ok(prediction) => {
                        used.push(line.model);
                        rows.push(self.row(line, prediction, (procs, size)));
                    }
                    Err(failure) if self.wants_all() => refused = refused.or(Some(failure)),
                    Err(failure) => return Err(failure.into()),
                }
            }
        }
        if let Some(first) = outside.first() {
            eprintln!(
                "netsig: warning: not to be trusted are {} of {} times; the first: {first}",
                outside.len(),
                used.len()
            );
        }
        match outside_of_all.first() {
            Some(first) if used.is_empty() => return Err(Failure::data(first.clone())),
            Some(first) => eprintln!(
                "netsig: note: {} times are left out that no --extrapolate asks for; the first: {first}",
                outside_of_all.len()
            ),
            None => {}
        }
        match refused {
            Some(failure) if used.is_empty() => Err(failure.into()),
            Some(failure) => {
                eprintln!(
                    "netsig: note: models that do not apply are left out, such as: {failure}"
                );
                Ok(used)
            }
            None => Ok(used),
        }
    }

    /// A case in words.
    fn what(&self, line: &Line, (procs, size): (Procs, Bytes)) -> String {
        format!(
            "{}: {} {} by {} among {procs} processes with {size}",
            self.args.profile.display(),
            self.args.collective,
            line.algorithm,
            line.model.name
        )
    }

    /// Every process count with every size.
    fn cells(&self) -> impl Iterator<Item = (Procs, Bytes)> {
        let (all, sizes) = (self.args.procs.items(), self.args.size.items());
        all.iter()
            .flat_map(move |&procs| sizes.iter().map(move |&size| (procs, size)))
    }

    /// The segments that the algorithm or the user sets, none longer than the message.
    fn segments(&self, line: &Line, size: Bytes) -> Segments {
        match line.segment.or(self.args.segment) {
            None => Segments::Best(Search::default(), Segment::BYTE),
            Some(segment) => {
                let whole = Segment::new(size).unwrap_or(Segment::BYTE);
                Segments::Of(segment.min(whole))
            }
        }
    }

    fn row(&self, line: &Line, prediction: Prediction, (procs, size): (Procs, Bytes)) -> Vec<Cell> {
        vec![
            Cell::text(self.args.collective.to_string()),
            Cell::text(line.algorithm.clone()),
            Cell::count(procs.get().into()),
            Cell::size(size),
            Cell::time(prediction.time),
            Cell::time_if(prediction.interval.map(|interval| interval.lower)),
            Cell::time_if(prediction.interval.map(|interval| interval.upper)),
            Cell::text(line.model.name),
            Cell::text(prediction.standing.to_string()),
            prediction
                .segment
                .map_or_else(Cell::nothing, |s| Cell::size(s.bytes())),
        ]
    }
}
