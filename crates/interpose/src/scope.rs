//! The match between a profile and the processes of a program.

use netsig_base::algorithm::{COLLECTIVES, ClusterLayout, Collective};
use netsig_base::network::HostClusters;
use netsig_base::text::counted;
use netsig_model::predict::result_rule::ReductionMode;
use netsig_model::profile::Profile;

use crate::fault;
use crate::operation::CalledOperation;
use crate::settings::InterposeSettings;

/// The match between the profile and these processes, the same on all ranks.
pub struct ProfileScope {
    /// Reason for passing all calls on, if they are passed on.
    pub pass_reason: Option<&'static str>,
    /// Reason why the profile does not hold for these processes, if it does not.
    pub unknown_reason: Option<&'static str>,
    /// A line about that reason.
    pub sentence: Option<String>,
    /// Clusters of the ranks of `MPI_COMM_WORLD`, where they are known.
    pub layout: Option<ClusterLayout>,
    /// Reductions, and barriers, that are left to the library, each with the reason: they are switched off, or neither the
    /// profile nor the user knows an algorithm. Programs may call them on many communicators, and need no agreement there.
    unknown_collectives: Vec<(Collective, &'static str)>,
}

impl ProfileScope {
    /// Reads the profile; `has_gpus` is true if a library for GPUs is loaded, `hosts` has the host of each rank.
    pub fn new(settings: &InterposeSettings, has_gpus: bool, most_per_host: u64, hosts: &[String]) -> Self {
        fault::panic_if_provoked("scope");
        let given = settings.given_algorithms().unwrap_or_default();
        let is_given = !given.is_empty();
        let profile = settings.profile().unwrap_or_default();
        let layout = layout(profile.as_ref(), most_per_host, hosts);
        let (unknown, why) = unknown(profile.as_ref(), most_per_host, layout.as_ref()).unzip();
        let (pass_reason, sentence) = match unknown {
            _ if has_gpus => (
                Some("a library for GPUs is loaded"),
                Some("a library for GPUs is loaded, whose memory netsig cannot tell from the host's; the MPI library's own algorithms run".to_owned()),
            ),
            Some(_) if is_given => (None, None),
            unknown => (
                unknown,
                why.map(|why| format!("{why}; the MPI library's own algorithms run")),
            ),
        };
        Self {
            pass_reason,
            unknown_reason: unknown,
            sentence,
            layout: layout.and_then(Result::ok),
            unknown_collectives: COLLECTIVES
                .iter()
                .copied()
                .filter(|one| one.is_reduction() || *one == Collective::Barrier)
                .filter_map(|one| {
                    let is_known = given.contains_key(&CalledOperation::from(one)) || knows(profile.as_ref(), one);
                    let is_off = one.is_reduction() && settings.reductions == ReductionMode::Off;
                    let reason = if is_off {
                        REDUCTIONS_OFF
                    } else {
                        "no times in the profile"
                    };
                    (is_off || !is_known).then_some((one, reason))
                })
                .collect(),
        }
    }

    /// Reason for passing all calls of a collective on, if they are passed on.
    pub fn reason_to_pass(&self, collective: Collective) -> Option<&'static str> {
        let mut all = self.unknown_collectives.iter();
        all.find(|(left, _)| *left == collective).map(|(_, reason)| *reason)
    }
}

const REDUCTIONS_OFF: &str = "NETSIG_REDUCTIONS=off";

/// True if a profile has algorithms of a collective.
fn knows(profile: Option<&Profile>, collective: Collective) -> bool {
    profile.is_some_and(|profile| !profile.algorithms(collective).is_empty())
}

/// The clusters of all ranks, or the reason why a rank has none. Clusters are those of the profile, else the hosts;
/// `None` if the profile has none and no host has several processes.
fn layout(profile: Option<&Profile>, most_per_host: u64, hosts: &[String]) -> Option<Result<ClusterLayout, String>> {
    let of_profile = profile.and_then(|profile| profile.clusters.clone());
    let clusters = of_profile.or((most_per_host > 1).then_some(HostClusters::EachHost))?;
    let of_each = clusters.cluster_of_each_rank(hosts);
    Some(of_each.map(ClusterLayout::new).map_err(|error| error.to_string()))
}

/// The reason why a profile does not hold for the processes, in a few words and in a sentence.
fn unknown(
    profile: Option<&Profile>,
    most_per_host: u64,
    layout: Option<&Result<ClusterLayout, String>>,
) -> Option<(&'static str, String)> {
    let measured = profile.map_or(1, |profile| u64::from(profile.per_host()));
    if most_per_host != measured {
        let processes = counted(most_per_host, "process", "processes");
        let sentence = format!("a host has {processes}, and the profile is of {measured} on each");
        return Some(("another number of processes on a host", sentence));
    }
    let Some(Err(problem)) = layout else {
        return None;
    };
    Some(("a host in no cluster of the profile", problem.clone()))
}
