//! What the profile says of the processes of a program.

use netsig_base::algorithm::Layout;
use netsig_base::network::Clusters;
use netsig_base::text::counted;
use netsig_model::profile::Profile;

use crate::fault;
use crate::settings::Settings;

/// What the profile says of these processes. All ranks find the same.
pub struct Scope {
    /// Why all calls are passed on, if they are.
    pub left: Option<&'static str>,
    /// Why the profile does not speak for these processes, if so.
    pub unknown: Option<&'static str>,
    /// A line about that.
    pub sentence: Option<String>,
    /// Clusters of the ranks of `MPI_COMM_WORLD`, where they are known.
    pub layout: Option<Layout>,
}

impl Scope {
    /// With whether a library for GPUs is loaded, the most processes of a host, and the host of each rank.
    pub fn new(settings: &Settings, (has_gpus, most): (bool, u64), hosts: &[String]) -> Self {
        fault::provoked("scope");
        let is_given = settings.given().is_ok_and(|given| !given.is_empty());
        let profile = settings.profile().unwrap_or_default();
        let layout = layout(profile.as_ref(), most, hosts);
        let (unknown, why) = unknown(profile.as_ref(), most, layout.as_ref()).unzip();
        let (left, sentence) = match unknown {
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
            left,
            unknown,
            sentence,
            layout: layout.and_then(Result::ok),
        }
    }
}

/// The clusters of all ranks, or why they have none: those of the profile, else the hosts with several
/// processes; `None` if there are neither.
fn layout(profile: Option<&Profile>, most: u64, hosts: &[String]) -> Option<Result<Layout, String>> {
    let of_profile = profile.and_then(|profile| profile.clusters.clone());
    let clusters = of_profile.or((most > 1).then_some(Clusters::EachHost))?;
    let of_each = clusters.of_each(hosts);
    Some(of_each.map(Layout::new).map_err(|error| error.to_string()))
}

/// Why a profile does not speak for the processes, in a few words and in a sentence.
fn unknown(
    profile: Option<&Profile>,
    most: u64,
    layout: Option<&Result<Layout, String>>,
) -> Option<(&'static str, String)> {
    let measured = profile.map_or(1, |profile| u64::from(profile.per_host()));
    if most != measured {
        let own = counted(most, "process", "processes");
        let sentence = format!("a host has {own}, and the profile is of {measured} on each");
        return Some(("another number of processes on a host", sentence));
    }
    let Some(Err(problem)) = layout else {
        return None;
    };
    Some(("a host in no cluster of the profile", problem.clone()))
}
