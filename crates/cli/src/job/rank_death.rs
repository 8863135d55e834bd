//! Finds the dead rank in the launcher's output: its number, its host, and the cause of death.
//!
//! Open MPI and Slurm name the rank. MPICH names the host, which identifies the rank if each host
//! has one.

use std::sync::LazyLock;

use itertools::Itertools;
use regex_lite::Regex;

/// A dead rank, as far as the launcher identified it.
#[derive(Debug, Default)]
pub struct RankDeath {
    rank: Option<usize>,
    host: Option<String>,
    cause: Option<String>,
}

/// Launchers' messages about a dead rank, each matching a part of a line.
static MESSAGES: LazyLock<[Regex; 7]> = LazyLock::new(|| {
    [
        // Open MPI, in one line or in two.
        r"noticed that process rank (?<rank>\d+)(?:.* on node (?<host>[^ ,.;]+))?(?:.* exited on signal (?<signal>[^ ,.;]+))?",
        r"^\s*Process name: \[\[.*\],(?<rank>\d+)\]\s*$",
        r"^\s*Exit code: \s*(?<code>.*\S)",
        // MPICH, in the lines of a frame.
        r"^=(?:.*RANK (?<rank>\d+))?.* RUNNING AT (?<host>[^ ,.;]+)",
        r"^=.*KILLED BY SIGNAL: (?<signal>[^ ,.;]+)",
        r"^=.*EXIT CODE: (?<code>[^ ,.;]+)",
        // Slurm.
        r"srun: error: (?<host>.+?): tasks? *(?<rank>\d+)[^:]*: (?<died>.*)",
    ]
    .map(|message| Regex::new(message).expect("a valid expression"))
});

impl RankDeath {
    /// Extracts the details of a death from a line of output, if it has any.
    pub fn read_line(&mut self, line: &str) {
        let Some(found) = MESSAGES.iter().find_map(|message| message.captures(line)) else {
            return;
        };
        let text = |name| found.name(name).map(|found| found.as_str());
        let signal = text("signal").map(|signal| format!("was killed by signal {signal}"));
        let code = text("code").map(|code| format!("ended with code {code}"));
        let died = text("died").map(|how| format!("died ({how})"));
        // The first rank that died caused the end of the others.
        self.rank = self.rank.or_else(|| text("rank")?.parse().ok());
        self.host = self.host.take().or(text("host").map(str::to_owned));
        self.cause = self.cause.take().or(signal).or(code).or(died);
    }

    /// Describes the death in words: rank, host and cause. `None` if the rank is unknown. `hosts`
    /// is in rank order.
    pub fn in_words(&self, hosts: &[String]) -> Option<String> {
        let of_host = |host: &String| {
            let ranks = hosts.iter().positions(|name| name == host);
            ranks.exactly_one().ok()
        };
        let rank = self.rank.or_else(|| of_host(self.host.as_ref()?));
        let host = self.host.as_ref().or_else(|| hosts.get(rank?));
        let who = match (rank, host) {
            (Some(rank), Some(host)) => format!("rank {rank} on host {host}"),
            (Some(rank), None) => format!("rank {rank}"),
            (None, Some(host)) => format!("a rank on host {host}"),
            (None, None) => return None,
        };
        Some(format!("{who} {}", self.cause.as_deref().unwrap_or("died")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cause of death in a job's messages.
    fn described(messages: &str) -> Option<String> {
        let hosts = ["h0", "h1", "h2", "node3"].map(str::to_owned);
        let mut death = RankDeath::default();
        for line in messages.lines() {
            death.read_line(line);
        }
        death.in_words(&hosts)
    }

    /// Messages as the launchers wrote them when a rank was killed.
    #[test]
    fn every_launcher_is_understood() {
        for (messages, expected) in [
            (
                "mpirun.openmpi noticed that process rank 1 with PID 51 on node h1 exited on signal 9 (Killed).",
                "rank 1 on host h1 was killed by signal 9",
            ),
            (
                "the job to be terminated. The first process to do so was:\n\n  Process name: [[16735,1],2]\n  Exit code:    3",
                "rank 2 on host h2 ended with code 3",
            ),
            (
                "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 38 RUNNING AT h1\n=   EXIT CODE: 9",
                "rank 1 on host h1 ended with code 9",
            ),
            (
                "=   RANK 2 PID 38 RUNNING AT elsewhere\n=   KILLED BY SIGNAL: 9 (Killed)",
                "rank 2 on host elsewhere was killed by signal 9",
            ),
            ("=   PID 38 RUNNING AT elsewhere", "a rank on host elsewhere died"),
            (
                "srun: error: node3: task 3: Killed\nsrun: error: h0: tasks 0-2: Terminated",
                "rank 3 on host node3 died (Killed)",
            ),
        ] {
            assert_eq!(described(messages).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_messages_tell_of_no_death() {
        assert_eq!(described("all is well\n= PID 3\nsrun: error: no"), None);
    }
}
