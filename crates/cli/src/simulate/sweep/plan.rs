//! The plan of a sweep: reads TOML, lists the points.

use std::path::{Path, PathBuf};

use itertools::{Itertools, iproduct};
use netsig_base::algorithm::Collective;
use netsig_base::text::file_error::{FileError, parse_toml};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::list::QuantityList;
use netsig_base::units::{BitsPerSecond, Bytes, Procs};
use netsig_model::model::alltoall::plogpt::{PlogptEdgeRule, RtoMode};
use netsig_model::model::setting::parse_setting;
use netsig_sim::network::plogpt::PlogptSharing;
use netsig_sim::setup::SimMethod;
use netsig_sim::simulate::point::algorithms;
use netsig_sim::simulate::{SimModel, SimModelKind, SimPoint};
use serde::Deserialize;
use toml::Spanned;

use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::print::notes::print_warning;
use crate::simulate::options::{NetworkOptions, SimulationCases};

const HINT: &str = "see FORMATS.md for the keys of a sweep";

/// A plan with its loaded networks.
#[derive(Debug)]
pub struct SweepPlan {
    sweeps: Vec<PlannedSweep>,
}

/// All combinations of network models and cases.
#[derive(Debug)]
struct PlannedSweep {
    sim_models: Vec<SimModel>,
    cases: SimulationCases,
    /// True if the algorithms were named; else those that cannot be simulated are left out.
    names_algorithms: bool,
    method: SimMethod,
    stated: StatedOptions,
}

/// Names of the columns of [`StatedOptions`].
pub const STATED_COLUMNS: [&str; 12] = [
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

/// The options that a sweep states for all its points, as texts in the order of [`STATED_COLUMNS`]; empty if not
/// stated.
pub type StatedOptions = [String; STATED_COLUMNS.len()];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepFile {
    sweep: Spanned<Vec<Spanned<SweepEntry>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepEntry {
    networks: Option<Vec<String>>,
    models: Option<Vec<SimModelKind>>,
    profile: Option<PathBuf>,
    #[serde(default)]
    extrapolate: bool,
    collective: String,
    algorithms: Option<Vec<String>>,
    procs: QuantityList<Procs>,
    sizes: QuantityList<Bytes>,
    #[serde(default)]
    set: toml::Table,
    placement: Option<String>,
    nodes: Option<String>,
    ppn: Option<u32>,
    rate: Option<BitsPerSecond>,
    uplink_rate: Option<BitsPerSecond>,
    port_buffer: Option<String>,
    rto_mode: Option<RtoMode>,
    sharing: Option<PlogptSharing>,
    negligible: Option<PlogptEdgeRule>,
    seed: Option<u64>,
    #[serde(default)]
    method: SimMethod,
}

impl SweepPlan {
    /// Reads a plan from a file, and the networks that it names.
    ///
    /// # Errors
    /// If one of these files cannot be used.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let (name, text) = (files::name(path), files::text(path)?);
        let file: SweepFile = parse_toml(&name, &text, HINT).map_err(|error| {
            let other = FileKind::Sweep.misnamed(&name, &text);
            other.map_or_else(|| error.into(), Failure::from)
        })?;
        let sweep = |entry: Spanned<SweepEntry>| {
            let start = entry.span().start;
            entry.into_inner().load().map_err(|failure| {
                let problem = failure.to_string();
                failure.with_message(FileError::at_offset(&name, &text, start, problem))
            })
        };
        if file.sweep.get_ref().is_empty() {
            let problem = "sweep is empty; write a [[sweep]]".to_owned();
            let start = file.sweep.span().start;
            return Err(FileError::at_offset(&name, &text, start, problem).into());
        }
        let sweeps = file.sweep.into_inner().into_iter().map(sweep);
        Ok(Self {
            sweeps: sweeps.collect::<Result<_, _>>()?,
        })
    }

    /// The notes of all sources, without duplicates.
    pub fn notes(&self) -> Vec<&str> {
        let sim_models = self.sweeps.iter().flat_map(|sweep| &sweep.sim_models);
        let notes = sim_models.filter_map(|sim_model| sim_model.note.as_deref());
        notes.unique().collect()
    }

    /// Each network model with the stated options of its sweep.
    pub fn stated_options(&self) -> impl Iterator<Item = (&SimModel, &StatedOptions)> {
        self.sweeps.iter().flat_map(|sweep| {
            let sim_models = sweep.sim_models.iter();
            sim_models.map(|sim_model| (sim_model, &sweep.stated))
        })
    }

    /// All points: by sweep, network, model, algorithm, size and process count, with the last
    /// varying fastest. Without names, algorithms that cannot be simulated are left out.
    pub fn points(&self) -> Vec<SimPoint<'_>> {
        let all = self.sweeps.iter().flat_map(|sweep| {
            let pairs = sweep.sim_models.iter().cartesian_product(sweep.cases.all());
            let points = pairs.map(|(sim_model, case)| SimPoint {
                sim_model,
                case,
                method: sweep.method,
            });
            points.filter(|point| sweep.names_algorithms || !matches!(point.problem(), Ok(Some(_))))
        });
        all.collect()
    }
}

impl SweepEntry {
    fn load(self) -> Result<PlannedSweep, Failure> {
        self.refuse_empty()?;
        let stated = self.stated_options()?;
        let sim_models: Vec<SimModel> = self
            .options()?
            .iter()
            .map(NetworkOptions::sim_model)
            .collect::<Result<_, _>>()?;
        if let Some(doubt) = sim_models.iter().find_map(|sim_model| sim_model.rate_doubt.as_ref()) {
            print_warning(doubt);
        }
        let collective: Collective = self.collective.parse()?;
        let names = self.algorithms.map(|names| names.join(","));
        Ok(PlannedSweep {
            sim_models,
            names_algorithms: names.is_some(),
            cases: SimulationCases {
                algorithms: algorithms(collective, names.as_deref())?,
                sizes: self.sizes.items().to_vec(),
                procs: self.procs.items().to_vec(),
            },
            method: self.method,
            stated,
        })
    }

    fn stated_options(&self) -> Result<StatedOptions, Failure> {
        let base = self.common_options()?;
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
        let base = self.common_options()?;
        let combinations = iproduct!(
            items_or_none(self.networks.as_deref()),
            items_or_none(self.models.as_deref())
        );
        let options = combinations.map(|(network, model)| NetworkOptions {
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
    fn common_options(&self) -> Result<NetworkOptions, Failure> {
        let parsed_settings = self.set.iter().map(|(name, value)| {
            let value_text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            parse_setting(&format!("{name}={value_text}"))
        });
        let settings: Result<_, Refusal> = parsed_settings.collect();
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
fn items_or_none<T: Clone>(list: Option<&[T]>) -> impl Iterator<Item = Option<T>> + Clone {
    let absent = list.is_none().then_some(None);
    let items = list.unwrap_or_default().iter().cloned().map(Some);
    absent.into_iter().chain(items)
}
