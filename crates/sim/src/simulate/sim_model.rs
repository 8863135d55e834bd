//! A network model with its parameters from options, profile and network.

use std::sync::Arc;

use netsig_base::algorithm::Collective;
use netsig_base::network::Network;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Procs, Seconds, SecondsPerByte};
use netsig_model::model::alltoall::plogpt::{PlogptEdgeRule, RtoMode};
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::rate::rate_difference;
use netsig_model::profile::Profile;

use crate::Time;
use crate::network::plogpt::PlogptSharing;
use crate::network::{plogpt, tcp};
use crate::setup::{NetworkModel, RanksOnNetwork, RanksOnTree, SimCase, SimSetup};

use super::model::SimModelKind;
use super::parameter_sources::ParameterSources;
use super::placement::RankPlacer;
use super::profile_floor::{ProfileFloor, TimeDoubt};
use super::settings::{self, OPERATION_TIME};

/// A network model with its parameters, for any number of ranks.
#[derive(Debug)]
pub struct SimModel {
    /// The model.
    pub choice: SimModelKind,
    /// A note for the user on the origin of its parameters.
    pub note: Option<String>,
    /// Doubt that the user overrode: the rate of the profile's links is not that of the network's.
    pub rate_doubt: Option<String>,
    hosts: Option<RankPlacer>,
    /// The profile whose times of fewer ranks bound the simulated ones, if one does.
    floor: Option<ProfileFloor>,
    too_far: ExtrapolationRule,
    /// The network model, without the hosts of the ranks.
    setup: SimSetup,
}

/// Requested network model, and the sources of its parameters.
#[derive(Debug)]
pub struct SimModelRequest<'a> {
    /// The model; `None` for the default model of the profile and the network.
    pub model: Option<SimModelKind>,
    /// A profile with its name.
    pub profile: Option<(String, Profile)>,
    /// Parameters by name, which take precedence.
    pub settings: &'a [(String, f64)],
    /// The network with the hosts of the ranks.
    pub hosts: Option<RankPlacer>,
    /// The ranks that a timeout delays, in plogpt.
    pub rto_mode: Option<RtoMode>,
    /// The messages that share a link, in plogpt.
    pub sharing: Option<PlogptSharing>,
    /// The rule by which an edge without delay is negligible, in plogpt.
    pub negligible: Option<PlogptEdgeRule>,
    /// The seed of tcp's random numbers.
    pub seed: Option<u64>,
    /// Treatment of times below those that fewer ranks take by the profile, and of ports with another rate than the
    /// links of the network.
    pub too_far: ExtrapolationRule,
}

impl SimModelRequest<'_> {
    /// The profile that bounds the times by `model`: ports alone with the parameters of the profile.
    fn floor(&self, model: SimModelKind) -> Option<ProfileFloor> {
        let has_ports_alone = matches!(model, SimModelKind::Loggp | SimModelKind::Plogp);
        let is_of_profile = self.hosts.is_none() && self.settings.is_empty();
        let bounding = self.profile.as_ref().filter(|_| has_ports_alone && is_of_profile);
        bounding.cloned().map(|(name, profile)| ProfileFloor { name, profile })
    }

    /// Doubt about `model`: its ports are those of the profile, and the network has links of another rate.
    ///
    /// # Errors
    /// If there is this doubt, unless the request is to extrapolate.
    fn rate_doubt(&self, model: SimModelKind) -> Result<Option<String>, Refusal> {
        let (Some((name, profile)), Some(hosts)) = (&self.profile, &self.hosts) else {
            return Ok(None);
        };
        if !matches!(model, SimModelKind::Loggp | SimModelKind::Plogp) {
            return Ok(None);
        }
        let difference = rate_difference(profile, Some(&hosts.network));
        let doubt = difference.map(|difference| format!("{name}: {difference}"));
        match doubt {
            Some(doubt) if self.too_far == ExtrapolationRule::Refused => {
                let remedy = "name the network that was measured, or give --extrapolate, in a sweep extrapolate = true";
                Err(Refusal::data(format!("{doubt}; {remedy}")))
            }
            doubt => Ok(doubt),
        }
    }

    /// Refuses options of another network model than `model`.
    ///
    /// # Errors
    /// If such an option is given.
    fn check(&self, model: SimModelKind) -> Result<(), Refusal> {
        if self.seed.is_some() && model != SimModelKind::Tcp {
            return Err(Refusal::request(format!(
                "--seed is for tcp, and {model} leaves nothing to chance; leave it out or give --model tcp"
            )));
        }
        let of_plogpt = [
            ("--rto-mode", self.rto_mode.is_some()),
            ("--sharing", self.sharing.is_some()),
            ("--negligible", self.negligible.is_some()),
        ];
        match of_plogpt.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if model != SimModelKind::Plogpt => Err(Refusal::request(format!(
                "{option} is a choice of plogpt, and the model is {model}; leave it out or give --model plogpt"
            ))),
            _ => Ok(()),
        }
    }
}

impl SimModel {
    /// Combines options, profile and network.
    ///
    /// # Errors
    /// If a file or parameter cannot be used, or the model lacks a parameter.
    pub fn new(request: SimModelRequest) -> Result<Self, Refusal> {
        let named = &request.hosts;
        let profile = request.profile.as_ref();
        let known = ParameterSources {
            settings: request.settings,
            profile: profile.map(|(name, profile)| (name.as_str(), profile)),
            network: named.as_ref().map(|hosts| &*hosts.network),
        };
        let choice = request.model.unwrap_or_else(|| known.default_model());
        settings::check(choice, request.settings)?;
        request.check(choice)?;
        let rate_doubt = request.rate_doubt(choice)?;
        let star = match choice {
            SimModelKind::Loggp | SimModelKind::Plogp => None,
            SimModelKind::Plogpt | SimModelKind::Fluid | SimModelKind::Tcp => known.star(),
        };
        let assumed = star.map(RankPlacer::star).transpose()?;
        let hosts = named.as_ref().or(assumed.as_ref());
        let on_links = || {
            let latency = known.latency()?;
            let hosts = hosts.ok_or_else(|| {
                Refusal::request(format!(
                    "{choice} is a model of switches and links; give it a --network, or a --profile for hosts on one switch"
                ))
            })?;
            Ok::<_, Refusal>((Arc::clone(&hosts.network), latency))
        };
        let shared = |(network, latency): (Arc<Network>, Seconds)| RanksOnNetwork {
            network,
            hosts: [].into(),
            latency: Time::of(latency),
        };
        let model = match choice {
            SimModelKind::Loggp => NetworkModel::Endpoint(known.loggp()?),
            SimModelKind::Plogp => NetworkModel::Endpoint(known.plogp()?),
            SimModelKind::Plogpt => {
                let (network, latency) = on_links()?;
                if !network.is_tree() {
                    return Err(Refusal::request(format!(
                        "{}: its switches are joined in a circle, and plogpt is a model of trees; use another --model",
                        network.name
                    )));
                }
                NetworkModel::PlogPT(RanksOnTree {
                    network,
                    hosts: [].into(),
                    options: plogpt::PlogptOptions {
                        latency,
                        rto: known.rto(),
                        negligible: request.negligible.unwrap_or_default(),
                        sharing: request.sharing.unwrap_or_default(),
                    },
                    mode: request.rto_mode.unwrap_or_default(),
                })
            }
            SimModelKind::Fluid => NetworkModel::Fluid(shared(on_links()?)),
            SimModelKind::Tcp => NetworkModel::Tcp(
                shared(on_links()?),
                tcp::TcpOptions {
                    min_timeout: Time::of(known.rto()),
                    seed: request.seed.unwrap_or_default(),
                },
            ),
        };
        let floor = request.floor(choice);
        Ok(Self {
            choice,
            rate_doubt,
            floor,
            too_far: request.too_far,
            note: match &model {
                NetworkModel::Endpoint(_) => known.note(),
                _ => star.map(|port| known.note_on_star(port)),
            },
            setup: SimSetup {
                eager_limit: known.eager_limit(),
                operation_time: known.operation_time(),
                model,
            },
            hosts: request.hosts.or(assumed),
        })
    }

    /// Doubt: by the profile, fewer ranks take longer than the simulated `time` of a case.
    pub fn doubt(&self, case: SimCase, time: Seconds) -> Option<TimeDoubt> {
        self.floor.as_ref()?.doubt(case, time)
    }

    /// Refuses a doubtful `time` of a case if it is far from the profile's, unless the request is to extrapolate.
    ///
    /// # Errors
    /// If far fewer ranks take longer by the profile.
    pub fn refuse_impossible(&self, case: SimCase, time: Seconds) -> Result<(), Refusal> {
        let doubt = self.doubt(case, time);
        let refused = doubt.filter(|doubt| doubt.is_far && self.too_far == ExtrapolationRule::Refused);
        refused.map_or(Ok(()), |doubt| {
            let remedy = "ask netsig predict, name a --network, or give --extrapolate";
            Err(Refusal::data(format!("{}; {remedy}", doubt.what)))
        })
    }

    /// ω: time in which a rank combines two blocks, for each byte of one of them.
    pub fn operation_time(&self) -> SecondsPerByte {
        self.setup.operation_time
    }

    /// A remark for reductions whose combinations take no time, since ω is not known.
    pub fn note_on_operations(&self, collective: Collective) -> Option<Note> {
        let is_timed = self.setup.operation_time.0 > 0.0;
        (collective.is_reduction() && !is_timed).then(|| {
            Note::remark(format!(
                "{OPERATION_TIME} is not known, so that combining takes no time; give it with --set, such as \
                 {OPERATION_TIME}=0.25ns/B"
            ))
        })
    }

    /// The name of the network in rows, if any.
    pub fn network_name(&self) -> Option<&str> {
        self.hosts.as_ref().map(|hosts| hosts.network.name.as_str())
    }

    /// True if the model has links between switches, on which algorithms could depend.
    pub fn has_uplinks(&self) -> bool {
        let is_endpoint = matches!(self.setup.model, NetworkModel::Endpoint(_));
        let networks = self.hosts.iter().filter(|_| !is_endpoint);
        let mut cuts = networks.map(|hosts| hosts.network.cuts());
        cuts.any(|cuts| cuts.is_none_or(|cuts| !cuts.is_empty()))
    }

    /// The model and the network in words: `fluid on tree-2x6x40`.
    pub fn title(&self) -> String {
        let model = self.choice;
        match self.network_name() {
            Some(network) => format!("{model} on {network}"),
            None => model.to_string(),
        }
    }

    /// The model for `procs` ranks, and the protocol.
    ///
    /// # Errors
    /// If the network has too few hosts.
    pub fn setup(&self, procs: Procs) -> Result<SimSetup, Refusal> {
        let mut setup = self.setup.clone();
        let Some(hosts) = &self.hosts else {
            return Ok(setup);
        };
        let (network, hosts) = hosts.place(procs)?;
        match &mut setup.model {
            NetworkModel::Endpoint(_) => {}
            NetworkModel::Fluid(shared) | NetworkModel::Tcp(shared, _) => {
                (shared.network, shared.hosts) = (network, hosts);
            }
            NetworkModel::PlogPT(timeouts) => {
                (timeouts.network, timeouts.hosts) = (network, hosts);
            }
        }
        Ok(setup)
    }
}
