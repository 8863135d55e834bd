//! `netsig predict`: times with intervals from a profile, by any model of the registry.

use std::path::PathBuf;

use netsig_core::collective::Collective;
use netsig_core::list::List;
use netsig_core::model::alltoall::are_bounds_degenerate;
use netsig_core::model::segment::{Search, Segment};
use netsig_core::model::tree::Tree;
use netsig_core::predict::{self, Networks, Prediction};
use netsig_core::profile::Profile;
use netsig_core::registry::{self, Case, Model, Need, Network, SIGNATURE, Segments};
use netsig_core::units::{Bytes, Procs};

use crate::args::{self, Setting};
use crate::failure::Failure;
use crate::files;
use crate::rows::{Cell, Format, Rows};

/// Predict times for process counts and sizes, with intervals.
#[derive(clap::Args)]
pub struct Args {
    /// The profile that `netsig fit` wrote.
    profile: PathBuf,
    /// The collective: bcast, scatter, gather or alltoall.
    #[arg(long)]
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
    /// The model, see `netsig models`; `all` for every one that applies [default: signature
    /// of an alltoall, else all strategies].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A parameter of the model that the profile does not hold, or another value of it.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = args::setting)]
    settings: Vec<Setting>,
    /// The segment size of segmented algorithms [default: the best].
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
        tree: args.network.as_deref().map(tree).transpose()?,
    };
    let lines = source.lines()?;
    let mut rows = Rows::new(&COLUMNS);
    for line in &lines {
        source.push(line, &mut rows)?;
    }
    source.warn(&lines);
    Ok(rows.print(args.format)?)
}

/// The links of a scenario.
fn tree(name: &str) -> Result<Tree, Failure> {
    Tree::new(netsig_lab::load(name)?.links()).map_err(Failure::usage)
}

impl Source<'_> {
    /// What to predict, in the order of the profile and the registry.
    fn lines(&self) -> Result<Vec<Line>, Failure> {
        let models = self.models()?;
        if self.args.collective != Collective::Alltoall {
            return Ok(models.into_iter().map(Line::of_strategy).collect());
        }
        let algorithms = self.algorithms(&models)?;
        let mut lines = Vec::new();
        for algorithm in algorithms {
            for &model in &models {
                let line = Line {
                    algorithm: algorithm.clone(),
                    model,
                };
                if !self.wants_all() || self.first(&line).is_ok() {
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }

    fn wants_all(&self) -> bool {
        self.args.model.as_deref() == Some("all")
    }

    /// The models that are wanted.
    fn models(&self) -> Result<Vec<&'static Model>, Failure> {
        let collective = self.args.collective;
        let name = match (self.args.model.as_deref(), self.args.algorithm.as_deref()) {
            (Some("all"), _) => return Ok(registry::of(collective).collect()),
            (Some(name), _) => name,
            (None, Some(strategy)) if collective != Collective::Alltoall => strategy,
            (None, _) if collective != Collective::Alltoall => {
                return Ok(registry::of(collective).collect());
            }
            (None, _) if self.profile.signatures.is_empty() && !self.profile.models.is_empty() => {
                self.profile.models[0].model.name
            }
            (None, _) => SIGNATURE,
        };
        Ok(vec![registry::find(collective, name)?])
    }

    /// The measured algorithms of an all-to-all; a model that none was fitted to needs none.
    fn algorithms(&self, models: &[&'static Model]) -> Result<Vec<String>, Failure> {
        let signatures = self.profile.signatures.iter().map(|entry| &entry.algorithm);
        let mut known: Vec<String> = Vec::new();
        for algorithm in signatures.chain(self.profile.models.iter().map(|entry| &entry.algorithm))
        {
            if !known.contains(algorithm) {
                known.push(algorithm.clone());
            }
        }
        let is_wanted = |name: &&String| self.args.algorithm.as_ref().is_none_or(|w| w == *name);
        let wanted: Vec<String> = known.iter().filter(is_wanted).cloned().collect();
        if !wanted.is_empty() {
            return Ok(wanted);
        }
        let is_general = |model: &&Model| model.name != SIGNATURE || !self.args.settings.is_empty();
        if known.is_empty() && models.iter().all(is_general) {
            return Ok(vec![
                self.args
                    .algorithm
                    .clone()
                    .unwrap_or_else(|| "any".to_owned()),
            ]);
        }
        Err(Failure::data(format!(
            "{}: has no signature of {} {}; it has: {}; measure and fit what is missing",
            self.args.profile.display(),
            self.args.collective,
            self.args.algorithm.as_deref().unwrap_or_default(),
            known.join(", ")
        )))
    }

    fn push(&self, line: &Line, rows: &mut Rows) -> Result<(), Failure> {
        let networks = self.networks(line);
        for &procs in self.args.procs.items() {
            for &size in self.args.size.items() {
                rows.push(self.row(
                    line,
                    self.predict(line, &networks, procs, size)?,
                    (procs, size),
                ));
            }
        }
        Ok(())
    }

    /// Whether the first cell can be predicted.
    fn first(&self, line: &Line) -> Result<Prediction, Failure> {
        let (procs, size) = (self.args.procs.items()[0], self.args.size.items()[0]);
        self.predict(line, &self.networks(line), procs, size)
    }

    /// What models know, with the signature of the line's algorithm and the links.
    fn networks(&self, line: &Line) -> Networks {
        let signature = self
            .profile
            .signature(self.args.collective, &line.algorithm);
        Networks::of(&self.profile, |network| Network {
            signature: signature.map(|entry| entry.signature),
            tree: self.tree.clone(),
            ..network
        })
    }

    fn predict(
        &self,
        line: &Line,
        networks: &Networks,
        procs: Procs,
        size: Bytes,
    ) -> Result<Prediction, Failure> {
        let Line { algorithm, model } = line;
        let case = Case {
            segments: match self.args.segment {
                Some(segment) => Segments::Of(segment),
                None => Segments::Best(Search::default(), Segment::BYTE),
            },
            ..Case::new(procs, size)
        };
        let settings = &self.args.settings;
        let entry = self.profile.model(model, algorithm);
        if settings.is_empty() {
            let signature = self.profile.signature(self.args.collective, algorithm);
            if let Some(signature) = signature.filter(|_| model.name == SIGNATURE) {
                return Ok(predict::signature(signature, procs, size)?);
            }
            if let Some(entry) = entry {
                return Ok(networks.fitted(entry, case)?);
            }
        }
        for Setting { name, .. } in settings {
            refuse_foreign(model, name)?;
        }
        let mut values = model.values(|parameter| {
            let set = settings
                .iter()
                .find(|setting| setting.name == parameter.name);
            let place = model
                .parameters
                .iter()
                .position(|p| p.name == parameter.name);
            let fitted = entry
                .zip(place)
                .map(|(entry, place)| entry.values.numbers[place]);
            set.map(|setting| setting.value).or(fitted)
        })?;
        values.latency = entry.and_then(|entry| entry.values.latency.clone());
        Ok(networks.model(model, &values, case)?)
    }

    fn row(&self, line: &Line, prediction: Prediction, (procs, size): (Procs, Bytes)) -> Vec<Cell> {
        vec![
            Cell::text(self.args.collective.to_string()),
            Cell::text(line.algorithm.clone()),
            Cell::count(procs.get().into()),
            Cell::size(size),
            Cell::time(prediction.time),
            Cell::time(prediction.lower),
            Cell::time(prediction.upper),
            Cell::text(line.model.name),
            Cell::text(prediction.standing.to_string()),
            prediction
                .segment
                .map_or_else(Cell::nothing, |s| Cell::size(s.bytes())),
        ]
    }

    /// What a user must know before trusting the rows.
    fn warn(&self, lines: &[Line]) {
        let uses_plogp = lines
            .iter()
            .any(|line| line.model.needs.contains(&Need::PLogP));
        let uses_limit = |name| lines.iter().any(|line| line.model.name == name);
        let sizes = self.args.size.items();
        match &self.profile.plogp {
            _ if !uses_plogp => {}
            None => eprintln!(
                "netsig: note: {} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or",
                self.args.profile.display()
            ),
            Some(plogp) => {
                let beyond = sizes
                    .iter()
                    .any(|&size| plogp.tables()[0].is_extrapolated(size));
                if beyond {
                    eprintln!(
                        "netsig: warning: sizes beyond the last of the pLogP table are extrapolated"
                    );
                }
                let degenerate = sizes.iter().any(|&size| are_bounds_degenerate(plogp, size));
                if degenerate && (uses_limit("upper_003") || uses_limit("factor_003")) {
                    eprintln!(
                        "netsig: warning: os + or < g: the upper limit of upper_003 lies below the lower one; use factor_001"
                    );
                }
            }
        }
        if self.args.collective == Collective::Gather {
            eprintln!(
                "netsig: warning: gather is predicted without contention; many senders to one receiver take longer"
            );
        }
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

fn refuse_foreign(model: &Model, name: &str) -> Result<(), Failure> {
    let known: Vec<&str> = model
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    if known.contains(&name) {
        return Ok(());
    }
    let remedy = match known.as_slice() {
        [] => "leave out --set".to_owned(),
        known => format!("set one of: {}", known.join(", ")),
    };
    Err(Failure::usage(format!(
        "{} has no parameter {name:?}; {remedy}",
        model.name
    )))
}
