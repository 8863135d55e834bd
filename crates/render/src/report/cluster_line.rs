//! The cluster of a report in one line: MPI library, hosts, rate of the links, date of the data.

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::data::transport::is_over_tcp;
use netsig_base::text::counted;
use netsig_base::text::date::utc_date;
use netsig_base::text::range;
use netsig_base::units::BitsPerSecond;

use super::subject::PageSubject;

/// A cluster in one line.
pub struct ClusterLine {
    /// Names of its profiles and data.
    pub names: String,
    /// What is known of it.
    pub facts: Vec<String>,
}

/// The clusters of the subjects, each once.
pub fn cluster_lines(subjects: &[PageSubject]) -> Vec<ClusterLine> {
    let known = subjects
        .iter()
        .map(|subject| (cluster_line(subject), subject.short_name()));
    let mut lines: Vec<ClusterLine> = Vec::new();
    for (facts, name) in known {
        match lines.iter_mut().find(|line| line.facts == facts) {
            Some(line) => line.names = format!("{}, {name}", line.names),
            None => lines.push(ClusterLine {
                names: name.to_owned(),
                facts,
            }),
        }
    }
    lines
}

/// The cluster of a subject; what its facts do not say is left out.
fn cluster_line(subject: &PageSubject) -> Vec<String> {
    let facts = SubjectFacts::of(subject);
    let emulation = match (facts.last("simulated"), facts.last("lab")) {
        (Some(_), _) => Some("SIMULATED".to_owned()),
        (None, Some(_)) => Some("emulated".to_owned()),
        (None, None) => None,
    };
    let tcp = is_over_tcp(&subject.data.provenance).then(|| "TCP".to_owned());
    let items = [facts.mpi(), facts.hosts(), facts.rate(), tcp, emulation, facts.dates()];
    let known: Vec<String> = items.into_iter().flatten().collect();
    if known.is_empty() {
        return vec!["A cluster that the files do not describe".to_owned()];
    }
    known
}

/// The facts about the data of a subject: from the data, else from the profile.
struct SubjectFacts<'a>(Vec<(&'a str, &'a str)>);

impl<'a> SubjectFacts<'a> {
    fn of(subject: &'a PageSubject) -> Self {
        let profiles = subject.profile.iter();
        let stored = profiles.flat_map(|profile| profile.provenance.iter());
        let of_profile = stored.filter_map(|(key, value)| Some((key.strip_prefix("data_")?, value)));
        Self(of_profile.chain(subject.data.provenance.iter()).collect())
    }

    /// The values of a fact, of all launches and files.
    fn all(&self, key: &str) -> impl Iterator<Item = &'a str> {
        let is_of_key = move |fact: &&(&str, &str)| {
            let prefix = fact.0.strip_suffix(key);
            prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('_'))
        };
        self.0.iter().filter(is_of_key).map(|fact| fact.1)
    }

    fn last(&self, key: &str) -> Option<&'a str> {
        let mut facts = self.0.iter().rev();
        facts.find(|fact| fact.0 == key).map(|fact| fact.1)
    }

    /// Name and version of the MPI library.
    fn mpi(&self) -> Option<String> {
        let stated = self.last("mpi")?;
        let Some(flavour) = MpiFlavour::from_version(stated) else {
            return stated.split([',', '\t']).next().map(str::to_owned);
        };
        let words = stated.split(|letter: char| letter.is_whitespace() || letter == ',');
        let mut versions = words.map(|word| word.trim_start_matches('v'));
        let version = versions.find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
        Some(
            [Some(flavour.to_string()), version.map(str::to_owned)]
                .into_iter()
                .flatten()
                .join(" "),
        )
    }

    /// Number of hosts, and of processes if there are more.
    fn hosts(&self) -> Option<String> {
        let count = |hosts: &str| hosts.split(',').collect::<BTreeSet<_>>().len();
        let hosts = self.all("hosts").map(count).max();
        let ranks = self.all("ranks").filter_map(|ranks| ranks.parse::<usize>().ok()).max();
        let text = |number: usize, one, many| counted(number as u64, one, many);
        match (hosts, ranks) {
            (Some(hosts), Some(ranks)) if ranks > hosts => Some(format!(
                "{} on {}",
                text(ranks, "process", "processes"),
                text(hosts, "host", "hosts")
            )),
            (Some(hosts), _) => Some(text(hosts, "host", "hosts")),
            (None, Some(ranks)) => Some(text(ranks, "process", "processes")),
            (None, None) => None,
        }
    }

    /// Rate of a link, as described, else as the interface states it.
    fn rate(&self) -> Option<String> {
        let described = self.last("network").unwrap_or_default();
        let rate = described.split(", ").find(|item| item.ends_with("bit/s"));
        let interface = || {
            let megabits: u64 = self.last("interface_speed_mbit_per_s")?.parse().ok()?;
            Some(BitsPerSecond(megabits.checked_mul(1_000_000)?).to_string())
        };
        rate.map(str::to_owned).or_else(interface)
    }

    /// First and last day of the data.
    fn dates(&self) -> Option<String> {
        let seconds = self.all("started_unix_s").chain(self.all("ended_unix_s"));
        let times: Vec<i64> = seconds.filter_map(|time| time.parse().ok()).collect();
        let (first, last) = times.iter().minmax().into_option()?;
        Some(range(utc_date(*first), utc_date(*last)))
    }
}
