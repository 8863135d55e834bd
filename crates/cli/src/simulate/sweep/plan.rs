//! The plan of a sweep: reads TOML, lists the points.

use std::path::{Path, PathBuf};

use itertools::{Itertools, iproduct};
use netsig_base::algorithm::Collective;
use netsig_base::text::file_error::{FileError, parse_toml};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::list::List;
use netsig_base::units::{BitsPerSecond, Bytes, Procs};
use netsig_model::model::alltoall::plogpt::{Negligible, RtoMode};
use netsig_model::model::setting::setting;
use netsig_sim::network::plogpt::Sharing;
use netsig_sim::setup::Method;
use netsig_sim::simulate::point::algorithms;
use netsig_sim::simulate::{ModelChoice, Point, Source};
use serde::Deserialize;
use toml::Spanned;

use crate::input::failure::Failure;
use crate::input::files;
use crate::input::kind::Kind;
use crate::input::network::NetworkArgs;
use crate::simulate::options::{Cases, DoubtedSource, NetworkOptions};

const HINT: &str = "see FORMATS.md for the keys of a sweep";

/// A plan with its loaded networks.
#[derive(Debug)]
pub struct Plan {
    sweeps: Vec<Sweep>,
}

/// All combinations of sources and cases.
#[derive(Debug)]
struct Sweep {
    sources: Vec<Source>,
    cases: Cases,
    method: Method,
    stated: Stated,
}

/// Names of the columns of [`Stated`].
pub const STATED: [&str; 12] = [
    "rate_bit_per_s",
    "uplink_rate_bit_per_s",
    "port_buffer_bytes",
    "seed",
    "profile",
    "placement",
    "nodes",
    "ppn",
    "rto_mode",
    "sharing",
    "negligible",
    "set",
];

/// What a sweep states for all its points, as texts in the order of [`STATED`]; empty where it states nothing.
pub type Stated = [String; STATED.len()];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    sweep: Spanned<Vec<Spanned<Block>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    networks: Option<Vec<String>>,
    models: Option<Vec<ModelChoice>>,
    profile: Option<PathBuf>,
    #[serde(default)]
    extrapolate: bool,
    collective: String,
    algorithms: Option<Vec<String>>,
    procs: List<Procs>,
    sizes: List<Bytes>,
    #[serde(default)]
    set: toml::Table,
    placement: Option<String>,
    nodes: Option<String>,
    ppn: Option<u32>,
    rate: Option<BitsPerSecond>,
    uplink_rate: Option<BitsPerSecond>,
    port_buffer: Option<String>,
    rto_mode: Option<RtoMode>,
    sharing: Option<Sharing>,
    negligible: Option<Negligible>,
    seed: Option<u64>,
    #[serde(default)]
    method: Method,
}

impl Plan {
    /// Reads a plan from a file, and the networks that it names.
    ///
    /// # Errors
    /// If one of these files cannot be used.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let (name, text) = (files::name(path), files::text(path)?);
        let wire: Wire = parse_toml(&name, &text, HINT).map_err(|error| {
            let other = Kind::Sweep.misnamed(&name, &text);
            other.map_or_else(|| error.into(), Failure::from)
        })?;
        let sweep = |block: Spanned<Block>| {
            let start = block.span().start;
            block.into_inner().sweep().map_err(|failure| {
                let problem = failure.to_string();
                failure.told_by(FileError::at_offset(&name, &text, start, problem))
            })
        };
        if wire.sweep.get_ref().is_empty() {
            let problem = "sweep is empty; write a [[sweep]]".to_owned();
            let start = wire.sweep.span().start;
            return Err(FileError::at_offset(&name, &text, start, problem).into());
        }
        let sweeps = wire.sweep.into_inner().into_iter().map(sweep);
        Ok(Self {
            sweeps: sweeps.collect::<Result<_, _>>()?,
        })
    }

    /// The notes of all sources, without duplicates.
    pub fn notes(&self) -> Vec<&str> {
        let sources = self.sweeps.iter().flat_map(|sweep| &sweep.sources);
        let notes = sources.filter_map(|source| source.note.as_deref());
        notes.unique().collect()
    }

    /// What each source's sweep states.
    pub fn stated(&self) -> impl Iterator<Item = (&Source, &Stated)> {
        self.sweeps.iter().flat_map(|sweep| {
            let sources = sweep.sources.iter();
            sources.map(|source| (source, &sweep.stated))
        })
    }

    /// All points: by sweep, network, model, algorithm, size and process count, with the last
    /// varying fastest.
    pub fn points(&self) -> Vec<Point<'_>> {
        let all = self.sweeps.iter().flat_map(|sweep| {
            let pairs = sweep.sources.iter().cartesian_product(sweep.cases.all());
            pairs.map(|(source, case)| Point {
                source,
                case,
                method: sweep.method,
            })
        });
        all.collect()
    }
}

impl Block {
    fn sweep(self) -> Result<Sweep, Failure> {
        self.refuse_empty()?;
        let stated = self.stated()?;
        let sources: Vec<DoubtedSource> = self
            .options()?
            .iter()
            .map(NetworkOptions::source)
            .collect::<Result<_, _>>()?;
        if let Some(doubt) = sources.iter().find_map(|own| own.doubt.as_ref()) {
            eprintln!("netsig: warning: {doubt}");
        }
        let collective: Collective = self.collective.parse()?;
        let names = self.algorithms.map(|names| names.join(","));
        Ok(Sweep {
            sources: sources.into_iter().map(|own| own.source).collect(),
            cases: Cases {
                algorithms: algorithms(collective, names.as_deref())?,
                sizes: self.sizes.items().to_vec(),
                procs: self.procs.items().to_vec(),
            },
            method: self.method,
            stated,
        })
    }

    fn stated(&self) -> Result<Stated, Failure> {
        let base = self.base()?;
        let network = &base.network;
        let settings = self.set.iter().map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}={text}"),
            None => format!("{name}={value}"),
        });
        Ok([
            text(network.rate.map(|rate| rate.0)),
            text(network.uplink_rate.map(|rate| rate.0)),
            text(network.port_buffer.map(|size| size.0)),
            text(base.seed),
            text(base.profile.as_deref().map(Path::display)),
            text(base.placement),
            text(base.nodes),
            text(base.ppn),
            text(base.rto_mode),
            text(base.sharing),
            text(base.negligible),
            settings.collect::<Vec<_>>().join(" "),
        ])
    }

    /// Refuses empty lists.
    fn refuse_empty(&self) -> Result<(), Failure> {
        let lists = [
            ("networks", self.networks.as_ref().map(Vec::len)),
            ("models", self.models.as_ref().map(Vec::len)),
            ("algorithms", self.algorithms.as_ref().map(Vec::len)),
        ];
        match lists.iter().find(|(_, length)| *length == Some(0)) {
            None => Ok(()),
            Some((list, _)) => Err(Failure::usage(format!("{list} is empty; name some or leave it out"))),
        }
    }

    /// The options for all combinations of networks and models.
    fn options(&self) -> Result<Vec<NetworkOptions>, Failure> {
        let base = self.base()?;
        let each = iproduct!(each(self.networks.as_deref()), each(self.models.as_deref()));
        let options = each.map(|(network, model)| NetworkOptions {
            network: NetworkArgs {
                network,
                ..base.network.clone()
            },
            model,
            ..base.clone()
        });
        Ok(options.collect())
    }

    /// The options shared by all networks and models.
    fn base(&self) -> Result<NetworkOptions, Failure> {
        let settings = self.set.iter().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            setting(&format!("{name}={value}"))
        });
        let settings: Result<_, Refusal> = settings.collect();
        let port_buffer = self.port_buffer.as_deref().map(str::parse).transpose();
        Ok(NetworkOptions {
            profile: self.profile.clone(),
            settings: settings?,
            placement: self.placement.clone(),
            nodes: self.nodes.clone(),
            ppn: self.ppn,
            network: NetworkArgs {
                network: None,
                rate: self.rate,
                uplink_rate: self.uplink_rate,
                port_buffer: port_buffer.map_err(Failure::usage)?,
            },
            rto_mode: self.rto_mode,
            sharing: self.sharing,
            negligible: self.negligible,
            seed: self.seed,
            extrapolate: self.extrapolate,
            ..NetworkOptions::default()
        })
    }
}

fn text(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The items of a list as `Some`, or a single `None` if there is no list.
fn each<T: Clone>(list: Option<&[T]>) -> impl Iterator<Item = Option<T>> + Clone {
    let absent = list.is_none().then_some(None);
    let items = list.unwrap_or_default().iter().cloned().map(Some);
    absent.into_iter().chain(items)
}
