//! Ranks that share a host exchange data through its memory, so that their times are not those of
//! the network.
//!
//! The fact `placement` of each job gives the ranks of each host; data without this fact are
//! assumed to have one rank per host.

use std::fmt;

use itertools::Itertools;

use super::mixture::PLACEMENT;
use super::{JobId, Provenance};

/// Largest number of ranks that are listed.
const LISTED: usize = 8;

/// A host that ran several ranks of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedHost<'a> {
    /// The job, unless the fact names none.
    pub job: Option<JobId>,
    /// Name of the host.
    pub host: &'a str,
    /// Number of ranks on the host.
    pub ranks: u32,
}

/// First host with several ranks, in the order of the facts.
pub fn shared_host(facts: &Provenance) -> Option<SharedHost<'_>> {
    facts.iter().find_map(|(key, value)| {
        let (job, fact) = JobId::of_key(key).map_or((None, key), |(job, fact)| (Some(job), fact));
        let mut hosts = (fact == PLACEMENT).then(|| value.split(','))?;
        hosts.find_map(|entry| {
            let (host, ranks) = entry.rsplit_once(':')?;
            let ranks = ranks.parse().ok().filter(|ranks| *ranks > 1)?;
            Some(SharedHost { job, host, ranks })
        })
    })
}

impl fmt::Display for SharedHost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = self.job {
            write!(f, "in {job}, ")?;
        }
        write!(f, "{} ranks shared host {}", self.ranks, self.host)
    }
}

/// Description of the ranks that share a host; `hosts` are in the order of the ranks. `None` if
/// each rank has a host of its own.
pub fn describe_shared_hosts(hosts: &[String]) -> Option<String> {
    let ranks_of = |host: &String| hosts.iter().positions(|name| name == host).collect_vec();
    let all = hosts.iter().unique().map(|host| (host, ranks_of(host)));
    let shared = all.filter(|(_, ranks)| ranks.len() > 1).collect_vec();
    let (host, ranks) = shared.first()?;
    let listed = ranks.iter().take(LISTED).join(", ");
    let unlisted = match ranks.len().saturating_sub(LISTED) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let others = match shared.len() - 1 {
        0 => String::new(),
        count => format!(" (so do ranks on {count} more)"),
    };
    Some(format!("ranks {listed}{unlisted} share host {host}{others}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::read;

    #[test]
    fn the_first_host_with_several_ranks_is_found() {
        for (facts, expected) in [
            ("placement=a:1,b:1", None),
            ("placement=by hand\n#@hosts=a,a", None),
            ("placement=a:1,b.org:2", Some("2 ranks shared host b.org")),
            (
                "placement=a:1\n#@launch_1_job_2_placement=a:3",
                Some("in launch 1, job 2, 3 ranks shared host a"),
            ),
        ] {
            let provenance = read(&format!("#@{facts}\n"), "", "pingpong,,,2,8,0,0,1e-4\n").provenance;
            let found = shared_host(&provenance).map(|shared| shared.to_string());
            assert_eq!(found.as_deref(), expected);
        }
    }

    #[test]
    fn ranks_are_named_with_their_host() {
        let words = |hosts: &str| describe_shared_hosts(&hosts.split(' ').map(str::to_owned).collect_vec());
        assert_eq!(words("a b c"), None);
        let expected = "ranks 1, 3 share host b";
        assert_eq!(words("a b c b").as_deref(), Some(expected));
        let expected_of_many = "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 1 more share host a (so do ranks on 1 more)";
        assert_eq!(words("a a a a a a a a a c c").as_deref(), Some(expected_of_many));
    }
}
