//! The options of `netsig simulate` for the program, the network and its model.

use std::path::PathBuf;

use itertools::iproduct;
use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Procs};
use netsig_model::model::alltoall::plogpt::{PlogptEdgeRule, RtoMode};
use netsig_model::model::setting::parse_setting;
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_sim::network::plogpt::PlogptSharing;
use netsig_sim::setup::SimCase;
use netsig_sim::simulate::placement::{HostSelection, RankPlacer};
use netsig_sim::simulate::point::{algorithms, check_size};
use netsig_sim::simulate::sim_model::SimModelRequest;
use netsig_sim::simulate::{SimModel, SimModelKind};

use crate::input::args;
use crate::input::cases::sizes_of;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::network::NetworkArgs;

/// The collective or program to simulate.
#[derive(Debug, clap::Args)]
pub struct ProgramOptions {
    /// The collective: alltoall, allgather, bcast, scatter, gather, allreduce, reduce, reduce-scatter,
    /// reduce-scatter-block or barrier.
    #[arg(long, required_unless_present_any = ["goal", "sweep"], requires = "procs")]
    pub collective: Option<Collective>,
    /// Algorithms, separated by commas [default: all that need no setting].
    #[arg(long, value_name = "NAME", requires = "collective")]
    pub algorithm: Option<String>,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(long, value_name = "LIST", requires = "collective", allow_hyphen_values = true)]
    pub procs: Option<QuantityList<Procs>>,
    /// Bytes per destination (of a bcast: of the message; of a reduction: of the whole vector; of a barrier: none), as
    /// for --procs, with kB MB KiB MiB.
    #[arg(
        long,
        alias = "sizes",
        value_name = "LIST",
        requires = "collective",
        allow_hyphen_values = true
    )]
    pub size: Option<QuantityList<Bytes>>,
    /// A program in GOAL in place of a collective.
    #[arg(long, value_name = "FILE", conflicts_with = "collective")]
    pub goal: Option<PathBuf>,
}

/// Cases of one collective: all combinations of algorithm, size and process count, with the last
/// varying fastest.
#[derive(Debug)]
pub struct SimulationCases {
    /// The algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The sizes.
    pub sizes: Vec<Bytes>,
    /// The process counts.
    pub procs: Vec<Procs>,
}

impl SimulationCases {
    /// All cases in order.
    pub fn all(&self) -> impl Iterator<Item = SimCase> + Clone {
        iproduct!(&self.algorithms, &self.sizes, &self.procs).map(|(&algorithm, &size, &procs)| SimCase {
            algorithm,
            procs,
            size,
        })
    }
}

/// The network and its model.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct NetworkOptions {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// The network model [default: plogpt on a binary tree, fluid on other networks; without
    /// a network plogp if the profile holds its tables, else loggp].
    #[arg(long, value_parser = args::variant::<SimModelKind>())]
    pub model: Option<SimModelKind>,
    /// The profile that `netsig fit` wrote: the parameters of loggp and plogp, and L of the others.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<PathBuf>,
    /// A parameter of the model and its value, with its unit if it has one; may be repeated. omega=0.25ns/B is the time
    /// in which a rank combines a byte [default: none].
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub settings: Vec<(String, f64)>,
    /// The host of each rank: block, cyclic, or a file with one host a line [default: block].
    #[arg(long, value_name = "block|cyclic|FILE", requires = "network")]
    pub placement: Option<String>,
    /// The hosts to use, such as n[0-15] [default: all].
    #[arg(long, value_name = "HOSTS", requires = "network")]
    pub nodes: Option<String>,
    /// The number of ranks on a host [default: 1].
    #[arg(long, value_name = "K", requires = "network", value_parser = clap::value_parser!(u32).range(1..))]
    pub ppn: Option<u32>,
    /// The ranks that a timeout delays, in plogpt [default: receiver].
    #[arg(long, value_parser = args::variant::<RtoMode>(), value_name = "MODE")]
    pub rto_mode: Option<RtoMode>,
    /// The messages that share a link, in plogpt [default: fixed].
    #[arg(long, value_parser = args::variant::<PlogptSharing>())]
    pub sharing: Option<PlogptSharing>,
    /// The width from which an edge without delay is negligible, in plogpt [default: at-least].
    #[arg(long, value_parser = args::variant::<PlogptEdgeRule>(), value_name = "RULE")]
    pub negligible: Option<PlogptEdgeRule>,
    /// Take the ports of loggp and plogp also from a profile whose messages pass at another rate than the links of
    /// --network. Without --network, take also times below those that far fewer ranks take by the profile.
    #[arg(long, requires = "profile")]
    pub extrapolate: bool,
    /// The seed of tcp's random numbers [default: 0].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl ProgramOptions {
    /// The requested cases.
    ///
    /// # Errors
    /// If the collective has no such algorithm, or cannot have a size.
    pub fn cases(&self) -> Result<SimulationCases, Failure> {
        let (Some(collective), Some(procs)) = (self.collective, &self.procs) else {
            unreachable!("clap asks for both together");
        };
        let cases = SimulationCases {
            algorithms: algorithms(collective, self.algorithm.as_deref())?,
            sizes: sizes_of(collective, self.size.as_ref())?,
            procs: procs.items().to_vec(),
        };
        cases.all().try_for_each(check_size)?;
        Ok(cases)
    }
}

impl NetworkOptions {
    /// Combines options, profile and network.
    ///
    /// # Errors
    /// If a file or parameter cannot be used, or the model lacks a parameter.
    pub fn sim_model(&self) -> Result<SimModel, Failure> {
        let hosts = self.hosts()?;
        let profile_path = self.profile.as_deref();
        let named_profile = profile_path.map(|path| {
            let profile = files::profile(path)?;
            Ok::<_, Failure>((files::name(path), profile))
        });
        let profile = named_profile.transpose()?;
        Ok(SimModel::new(SimModelRequest {
            model: self.model,
            profile,
            settings: &self.settings,
            hosts,
            rto_mode: self.rto_mode,
            sharing: self.sharing,
            negligible: self.negligible,
            seed: self.seed,
            too_far: if self.extrapolate {
                ExtrapolationRule::Extrapolated
            } else {
                ExtrapolationRule::Refused
            },
        })?)
    }

    /// The network, if one is named, with the hosts of the ranks.
    fn hosts(&self) -> Result<Option<RankPlacer>, Failure> {
        let Some(network) = self.network.load()? else {
            return Ok(None);
        };
        let placement = self.placement.as_deref();
        let host_choice = HostSelection {
            nodes: self.nodes.as_deref(),
            placement,
            per_host: self.ppn,
        };
        Ok(Some(RankPlacer::of(network, &host_choice, &files::UserFiles)?))
    }
}
