//! `netsig predict`: times with intervals from a profile, by any model of the registry.

use std::path::PathBuf;

use netsig_core::collective::{Collective, Method};
use netsig_core::list::List;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::tree::Tree;
use netsig_core::predict::{Knowledge, Prediction};
use netsig_core::profile::Profile;
use netsig_core::registry::{self, Case, Model, SIGNATURE, Segments};
use netsig_core::units::{Bytes, Procs, Seconds};

use crate::args;
use crate::failure::Failure;
use crate::files;
use crate::notes::Notes;
use crate::rows::{Cell, Format, Rows};

/// Predict times for process counts and sizes, with intervals.
#[derive(clap::Args)]
pub struct Args {
    /// The profile that `netsig fit` wrote.
    profile: PathBuf,
    /// The collective: bcast, scatter, gather or alltoall.
    #[arg(long, value_parser = args::modelled)]
    collective: Collective,
    /// The algorithm: of an alltoall one that was measured, else a strategy [default: all].
    #[arg(long)]
    algorithm: Option<String>,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(long, value_name = "LIST")]
    procs: List<Procs>,
    /// Bytes per destination (of a bcast: of the message), as for --procs, with kB MB KiB MiB.
    #[arg(long, value_name = "LIST")]
    size: List<Bytes>,
    /// The model, see `netsig models`; `all` for every one that applies [default: of an
    /// alltoall the signature, or what was fitted in its place; else all strategies].
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

/// What is predicted: one algorithm by one model.
struct Line {
    algorithm: String,
    model: &'static Model,
}

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
            .map(|name| tree(name, args))
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
    Ok(rows.print(args.format)?)
}

/// The links of a scenario that has hosts for all processes.
fn tree(name: &str, args: &Args) -> Result<Tree, Failure> {
    let scenario = netsig_lab::load(name)?;
    let most = args.procs.items().iter().max();
    if let Some(procs) = most.filter(|procs| **procs > scenario.hosts) {
        return Err(Failure::usage(format!(
            "scenario {name} has {} hosts for {procs} processes; choose a larger one or fewer processes",
            scenario.hosts
        )));
    }
    Tree::new(scenario.links()).map_err(Failure::usage)
}

impl Source<'_> {
    /// What to predict, in the order of the profile and the registry.
    fn lines(&self) -> Result<Vec<Line>, Failure> {
        let models = self.models()?;
        self.refuse_settings(&models)?;
        if self.args.collective != Collective::Alltoall {
            return Ok(models.into_iter().map(Line::of_strategy).collect());
        }
        let algorithms = self.algorithms(&models)?;
        let all = algorithms.iter().flat_map(|algorithm| {
            models.iter().map(|&model| Line {
                algorithm: algorithm.clone(),
                model,
            })
        });
        Ok(all.collect())
    }

    fn wants_all(&self) -> bool {
        self.args.model.as_deref() == Some(ALL)
    }

    /// The models that are wanted.
    fn models(&self) -> Result<Vec<&'static Model>, Failure> {
        let collective = self.args.collective;
        let of_profile = match self.profile.models.first() {
            Some(entry) if self.profile.signatures.is_empty() => entry.model.name,
            _ => SIGNATURE,
        };
        let model = self.args.model.as_deref();
        let name = match (collective, self.args.algorithm.as_deref()) {
            (Collective::Alltoall, _) => model.unwrap_or(of_profile),
            (_, None) => model.unwrap_or(ALL),
            (_, Some(strategy)) if model.is_none_or(|name| [ALL, strategy].contains(&name)) => {
                strategy
            }
            (_, Some(_)) => {
                let problem = format!("a strategy of {collective} is its own model");
                return Err(Failure::usage(format!("{problem}; leave out --model")));
            }
        };
        match name {
            ALL => Ok(registry::of(collective).collect()),
            name => Ok(vec![registry::find(collective, name)?]),
        }
    }

    /// Refuses a parameter that none of the models has, or that is set twice.
    fn refuse_settings(&self, models: &[&Model]) -> Result<(), Failure> {
        let mut known: Vec<&str> = Vec::new();
        for parameter in models.iter().flat_map(|model| model.parameters) {
            if !known.contains(&parameter.name) {
                known.push(parameter.name);
            }
        }
        let settings = &self.args.settings;
        for (index, (name, _)) in settings.iter().enumerate() {
            if settings[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(Failure::usage(format!("{name} is set twice; set it once")));
            }
            if !known.contains(&name.as_str()) {
                return Err(unknown_parameter(models, name, &known));
            }
        }
        Ok(())
    }

    /// The algorithms of an all-to-all: those that were measured, or if there are none, any,
    /// which will do for models that need no measurement.
    fn algorithms(&self, models: &[&Model]) -> Result<Vec<String>, Failure> {
        let (collective, known) = (self.args.collective, self.measured());
        match &self.args.algorithm {
            None if !known.is_empty() => Ok(known),
            None if self.is_general(models) => Ok(vec!["any".to_owned()]),
            None => Err(self.unmeasured(&format!(
                "has no signature of {collective}; fit one, give gamma with --set, or choose another --model"
            ))),
            Some(wanted) if known.contains(wanted) => Ok(vec![wanted.clone()]),
            Some(wanted) => {
                Method::parse(collective, wanted)?;
                if self.is_general(models) {
                    return Ok(vec![wanted.clone()]);
                }
                let known = match known.as_slice() {
                    [] => "none".to_owned(),
                    known => known.join(", "),
                };
                Err(self.unmeasured(&format!(
                    "has no signature of {collective} {wanted}; it has: {known}; measure and fit what is missing"
                )))
            }
        }
    }

    /// The algorithms to which something was fitted.
    fn measured(&self) -> Vec<String> {
        let signatures = self.profile.signatures.iter();
        let signatures = signatures.map(|entry| (entry.collective, &entry.algorithm));
        let models = self.profile.models.iter();
        let models = models.map(|entry| (entry.collective, &entry.algorithm));
        let mut known: Vec<String> = Vec::new();
        for (collective, algorithm) in signatures.chain(models) {
            if collective == self.args.collective && !known.contains(algorithm) {
                known.push(algorithm.clone());
            }
        }
        known
    }

    /// Whether one of the models can do without a measured signature.
    fn is_general(&self, models: &[&Model]) -> bool {
        !self.args.settings.is_empty() || models.iter().any(|model| model.name != SIGNATURE)
    }

    fn unmeasured(&self, problem: &str) -> Failure {
        Failure::data(format!("{}: {problem}", self.args.profile.display()))
    }

    /// Predicts every cell of every line, and gives the models that had a say. Where all
    /// models are wanted, what does not apply to a cell is left out.
    fn predict_all(&self, lines: &[Line], rows: &mut Rows) -> Result<Vec<&'static Model>, Failure> {
        let mut used = Vec::new();
        let mut refused = None;
        for line in lines {
            let knowledge = Knowledge {
                profile: &self.profile,
                algorithm: &line.algorithm,
                tree: self.tree.as_ref(),
                given: &self.args.settings,
            };
            let basis = knowledge.basis(line.model);
            for (procs, size) in self.cells() {
                let case = Case {
                    segments: self.segments(size),
                    ..Case::new(procs, size)
                };
                let predicted = basis.as_ref().map_err(Clone::clone);
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

    /// Every process count with every size.
    fn cells(&self) -> impl Iterator<Item = (Procs, Bytes)> {
        let (all, sizes) = (self.args.procs.items(), self.args.size.items());
        all.iter()
            .flat_map(move |&procs| sizes.iter().map(move |&size| (procs, size)))
    }

    /// The wanted segments, none longer than the message.
    fn segments(&self, size: Bytes) -> Segments {
        match self.args.segment {
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
            end(prediction.interval.map(|interval| interval.lower)),
            end(prediction.interval.map(|interval| interval.upper)),
            Cell::text(line.model.name),
            Cell::text(prediction.standing.to_string()),
            prediction
                .segment
                .map_or_else(Cell::nothing, |s| Cell::size(s.bytes())),
        ]
    }
}

impl Line {
    /// A strategy of a collective is its own model.
    fn of_strategy(model: &'static Model) -> Self {
        Self {
            algorithm: model.name.to_owned(),
            model,
        }
    }
}

/// An end of an interval, if there is one.
fn end(time: Option<Seconds>) -> Cell {
    time.map_or_else(Cell::nothing, Cell::time)
}

fn unknown_parameter(models: &[&Model], name: &str, known: &[&str]) -> Failure {
    let whose = match models {
        [model] => format!("{} has no parameter", model.name),
        _ => "no model here has a parameter".to_owned(),
    };
    let remedy = match known {
        [] => "leave out --set".to_owned(),
        known => format!("set one of: {}", known.join(", ")),
    };
    Failure::usage(format!("{whose} {name:?}; {remedy}"))
}
