//! The cause of a job's end, from its output: the reason of a rank that gave up, or what the
//! launcher says when a rank dies: which rank, on which host, and how.
//!
//! Open MPI and Slurm name the rank. MPICH names the host, which is enough where one rank
//! runs on each.

/// A rank that died, as far as the launcher told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Death {
    rank: Option<usize>,
    host: Option<String>,
    how: Option<String>,
}

/// What a rank that ends a job itself begins its reason with: then no launcher needs to
/// explain the end.
const REASON: &str = "netsig-rank: ";

/// Listens to the messages of a job.
#[derive(Debug, Default)]
pub struct Witness {
    death: Death,
    /// Why a rank gave up, in its own words.
    reason: Option<String>,
}

impl Witness {
    /// Takes note of a line; says whether it is the reason of the first rank that gave up.
    pub fn hear(&mut self, line: &str) -> bool {
        if let (None, Some((_, reason))) = (&self.reason, line.split_once(REASON)) {
            self.reason = Some(reason.to_owned());
            return true;
        }
        let heard = open_mpi(line)
            .or_else(|| mpich(line))
            .or_else(|| slurm(line))
            .unwrap_or_default();
        let known = &mut self.death;
        // The first rank that died took the others with it.
        known.rank = known.rank.or(heard.rank);
        known.host = known.host.take().or(heard.host);
        known.how = known.how.take().or(heard.how);
        false
    }

    /// Why a rank gave up, if one did.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Who died how, in words, if that is known and explains the end of the job. `hosts`
    /// are in the order of the ranks.
    pub fn tell(&self, hosts: &[String]) -> Option<String> {
        let Death { rank, host, how } = &self.death;
        if self.reason.is_some() || (rank.is_none() && host.is_none()) {
            return None;
        }
        let rank = rank.or_else(|| only_rank_on(host.as_deref()?, hosts));
        let host = host.as_ref().or_else(|| hosts.get(rank?));
        let host = host.map(|name| format!("host {name}"));
        let who = match (rank, host) {
            (Some(rank), Some(host)) => format!("rank {rank} on {host}"),
            (Some(rank), None) => format!("rank {rank}"),
            (None, host) => format!("a rank on {}", host.unwrap_or_default()),
        };
        Some(format!("{who} {}", how.as_deref().unwrap_or("died")))
    }
}

fn only_rank_on(host: &str, hosts: &[String]) -> Option<usize> {
    let mut ranks = (0..hosts.len()).filter(|&rank| hosts[rank] == host);
    ranks.next().filter(|_| ranks.next().is_none())
}

/// `mpirun noticed that process rank 1 with PID 51 on node h1 exited on signal 9 (Killed).`,
/// or in two lines `Process name: [[16735,1],2]` and `Exit code:    3`.
fn open_mpi(line: &str) -> Option<Death> {
    if let Some((_, text)) = line.split_once("noticed that process rank ") {
        return Some(Death {
            rank: word_after(text, "").and_then(|rank| rank.parse().ok()),
            host: word_after(text, " on node ").map(str::to_owned),
            how: word_after(text, " exited on signal ").map(ended_by),
        });
    }
    if let Some(name) = line.trim().strip_prefix("Process name: [[") {
        let rank = name.strip_suffix(']')?.rsplit_once("],")?.1;
        return Some(Death {
            rank: rank.parse().ok(),
            ..Death::default()
        });
    }
    let code = line.trim().strip_prefix("Exit code: ")?;
    Some(Death {
        how: Some(format!("ended with code {}", code.trim())),
        ..Death::default()
    })
}

/// Within a frame of `=`: `RANK 2 PID 38 RUNNING AT h1` or without the rank, `EXIT CODE: 9`
/// or `KILLED BY SIGNAL: 9 (Killed)`.
fn mpich(line: &str) -> Option<Death> {
    let text = line.strip_prefix('=')?.trim();
    if let Some(host) = word_after(text, " RUNNING AT ") {
        return Some(Death {
            rank: word_after(text, "RANK ").and_then(|rank| rank.parse().ok()),
            host: Some(host.to_owned()),
            how: None,
        });
    }
    let how = match word_after(text, "KILLED BY SIGNAL: ") {
        Some(signal) => ended_by(signal),
        None => format!("ended with code {}", word_after(text, "EXIT CODE: ")?),
    };
    Some(Death {
        how: Some(how),
        ..Death::default()
    })
}

/// `srun: error: node3: task 3: Killed` or `srun: error: node3: tasks 3-5: Exited with exit
/// code 1`.
fn slurm(line: &str) -> Option<Death> {
    let (_, text) = line.split_once("srun: error: ")?;
    let (host, text) = text.split_once(": task")?;
    let (ranks, how) = text.trim_start_matches('s').split_once(": ")?;
    let first = ranks.trim().split(['-', ',']).next()?;
    Some(Death {
        rank: Some(first.parse().ok()?),
        host: Some(host.to_owned()),
        how: Some(format!("died ({how})")),
    })
}

fn ended_by(signal: &str) -> String {
    format!("was killed by signal {signal}")
}

/// The word that follows `mark` in `text`.
fn word_after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(mark)?;
    rest.split([' ', ',', '.', ';'])
        .next()
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a witness tells of a job's messages.
    fn told(messages: &str) -> Option<String> {
        let hosts = ["h0", "h1", "h2", "node3"].map(str::to_owned);
        let mut witness = Witness::default();
        for line in messages.lines() {
            witness.hear(line);
        }
        let reason = witness.reason().map(str::to_owned);
        reason.or_else(|| witness.tell(&hosts))
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
            (
                "=   PID 38 RUNNING AT elsewhere",
                "a rank on host elsewhere died",
            ),
            (
                "srun: error: node3: task 3: Killed\nsrun: error: h0: tasks 0-2: Terminated",
                "rank 3 on host node3 died (Killed)",
            ),
        ] {
            assert_eq!(told(messages).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_rank_that_gives_its_own_reason_has_not_died() {
        assert_eq!(told("all is well"), None);
        let aborted = "netsig-rank: rank 0: data.csv: cannot be written\n\
                       mpirun noticed that process rank 0 with PID 1 on node h0 exited on signal 9";
        let reason = "rank 0: data.csv: cannot be written";
        assert_eq!(told(aborted).as_deref(), Some(reason));
    }
}
