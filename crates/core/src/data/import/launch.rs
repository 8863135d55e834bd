//! Lines that start a job, which people leave in their logs: `+ mpirun -np 16 ./osu_alltoall`, `srun -N 4
//! --ntasks-per-node=8 …`, `#SBATCH --ntasks=16`.

use crate::units::Procs;

/// Quantity that an option of a launcher states.
#[derive(Debug, Clone, Copy)]
enum LaunchQuantity {
    Procs,
    Hosts,
    PerHost,
}

/// Options with the quantities that they state.
type LaunchOptions = [(&'static str, LaunchQuantity)];

/// Options of mpirun, mpiexec and their kin.
const OF_MPI: &LaunchOptions = &[
    ("-n", LaunchQuantity::Procs),
    ("-np", LaunchQuantity::Procs),
    ("--n", LaunchQuantity::Procs),
    ("--np", LaunchQuantity::Procs),
    ("-N", LaunchQuantity::PerHost),
    ("-ppn", LaunchQuantity::PerHost),
    ("--ppn", LaunchQuantity::PerHost),
    ("-perhost", LaunchQuantity::PerHost),
    ("-npernode", LaunchQuantity::PerHost),
    ("--npernode", LaunchQuantity::PerHost),
    ("--ntasks-per-node", LaunchQuantity::PerHost),
];

/// Options of the commands of Slurm and Flux.
const OF_SLURM: &LaunchOptions = &[
    ("-n", LaunchQuantity::Procs),
    ("--ntasks", LaunchQuantity::Procs),
    ("-N", LaunchQuantity::Hosts),
    ("--nodes", LaunchQuantity::Hosts),
    ("--ntasks-per-node", LaunchQuantity::PerHost),
];

/// Commands that start the programs of a job.
const LAUNCHERS: [(&str, &LaunchOptions); 11] = [
    ("mpirun", OF_MPI),
    ("mpiexec", OF_MPI),
    ("mpiexec.hydra", OF_MPI),
    ("mpirun_rsh", OF_MPI),
    ("orterun", OF_MPI),
    ("prterun", OF_MPI),
    ("prun", OF_MPI),
    ("aprun", OF_MPI),
    ("ibrun", OF_MPI),
    ("srun", OF_SLURM),
    ("flux", OF_SLURM),
];

/// What stands before the options of an allocation of hosts, within which launchers start programs.
const ALLOCATIONS: [&str; 3] = ["#SBATCH", "salloc", "sbatch"];

/// Beginnings of the names of benchmark programs.
const BENCHMARKS: [&str; 4] = ["osu_", "IMB-", "mpibenchmark", "run.py"];

/// Numbers of a job, as far as they are stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LaunchNumbers {
    procs: Option<u32>,
    hosts: Option<u32>,
    per_host: Option<u32>,
}

/// The launch lines of a log up to one of its lines.
#[derive(Debug, Default)]
pub(super) struct LaunchLog {
    allocation: LaunchNumbers,
    last: Option<LaunchNumbers>,
    /// True if launch lines with different numbers stand in a row, as in a script that the log shows.
    is_listing: bool,
    /// True if a table stands below the last launch line.
    is_used: bool,
}

impl LaunchNumbers {
    /// Number of processes.
    pub fn procs(&self) -> Option<Procs> {
        let product = || self.hosts?.checked_mul(self.per_host?);
        Procs::new(self.procs.or_else(product)?).ok()
    }

    /// Number of processes on each host.
    pub fn per_host(&self) -> Option<u32> {
        let quotient = || Some(self.procs?.div_ceil(self.hosts.filter(|hosts| *hosts > 0)?));
        self.per_host.or_else(quotient)
    }

    /// The numbers that `words` state by `options`; the others from `known`.
    fn of_words(words: &[&str], options: &LaunchOptions, known: Self) -> Option<Self> {
        let mut found = Self::default();
        let mut is_stated = false;
        for (index, word) in words.iter().enumerate() {
            let next = words.get(index + 1).copied();
            let Some((quantity, value)) = stated(word, next, options) else {
                continue;
            };
            is_stated = true;
            let place = match quantity {
                LaunchQuantity::Procs => &mut found.procs,
                LaunchQuantity::Hosts => &mut found.hosts,
                LaunchQuantity::PerHost => &mut found.per_host,
            };
            *place = value.parse().ok();
        }
        is_stated.then_some(match found.procs {
            Some(_) => found,
            None => Self {
                procs: None,
                hosts: found.hosts.or(known.hosts),
                per_host: found.per_host.or(known.per_host),
            },
        })
    }
}

impl LaunchLog {
    /// Takes note of a line; false if it is no launch line.
    pub fn note(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().map(unquoted).collect();
        if let Some(at) = words.iter().position(|word| ALLOCATIONS.contains(word)) {
            let stated = LaunchNumbers::of_words(&words[at + 1..], OF_SLURM, self.allocation);
            self.allocation = stated.unwrap_or(self.allocation);
            return stated.is_some();
        }
        let Some(numbers) = launched(&words, self.allocation) else {
            return false;
        };
        let differs = self.last.is_some_and(|last| last != numbers);
        let is_traced = words.first() == Some(&"+") || words.contains(&"$");
        self.is_listing = !self.is_used && !is_traced && (differs || self.is_listing);
        self.last = Some(numbers);
        self.is_used = false;
        true
    }

    /// The numbers of the job that printed the table at this place of the log.
    pub fn of_table(&mut self) -> LaunchNumbers {
        self.is_used = true;
        let last = self.last.filter(|_| !self.is_listing);
        last.unwrap_or_default()
    }
}

/// The numbers of a launch line.
fn launched(words: &[&str], allocation: LaunchNumbers) -> Option<LaunchNumbers> {
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let (at, options) = words.iter().enumerate().find_map(|(index, word)| {
        let (_, options) = LAUNCHERS.iter().find(|(name, _)| *name == base(word))?;
        Some((index, *options))
    })?;
    let rest = &words[at + 1..];
    let program = rest.iter().position(|word| is_benchmark(&base(word)));
    let before = &rest[..program.unwrap_or(rest.len())];
    match LaunchNumbers::of_words(before, options, allocation) {
        None => program.map(|_| allocation),
        several if before.contains(&":") => several.map(|_| LaunchNumbers::default()),
        found => found,
    }
}

/// The quantity that a word states, with its value: `-n 8`, `-n8`, `--ntasks=8`, `--map-by ppr:8:node`.
fn stated<'w>(
    word: &'w str,
    next: Option<&'w str>,
    options: &LaunchOptions,
) -> Option<(LaunchQuantity, &'w str)> {
    if let Some(per_host) = word.strip_prefix("ppr:") {
        let (count, unit) = per_host.split_once(':')?;
        return unit
            .starts_with("node")
            .then_some((LaunchQuantity::PerHost, count));
    }
    options.iter().find_map(|(option, quantity)| {
        let value = match word.strip_prefix(option)? {
            "" => next?,
            rest if option.starts_with("--") => rest.strip_prefix('=')?,
            rest => rest.strip_prefix('=').unwrap_or(rest),
        };
        let is_value = value.starts_with(|sign: char| sign.is_ascii_digit() || sign == '$');
        is_value.then_some((*quantity, value))
    })
}

fn is_benchmark(name: &str) -> bool {
    BENCHMARKS.iter().any(|start| name.starts_with(start))
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ';', ')', '('])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The process count and the processes on a host at the end of a log.
    fn found(log: &str) -> (Option<u32>, Option<u32>) {
        let mut launches = LaunchLog::default();
        let notes = log.lines().map(|line| launches.note(line));
        let _ = notes.count();
        let numbers = launches.of_table();
        (numbers.procs().map(Procs::get), numbers.per_host())
    }

    #[test]
    fn launch_lines_state_processes_and_places() {
        for (log, procs, per_host) in [
            ("+ mpirun -np 16 ./osu_alltoall", Some(16), None),
            (
                "[u@h ~]$ /opt/bin/mpiexec -n 8 -ppn 4 osu_bcast -N 3",
                Some(8),
                Some(4),
            ),
            (
                "mpirun --map-by ppr:8:node -np 32 osu_alltoall",
                Some(32),
                Some(8),
            ),
            (
                "srun -N 4 --ntasks-per-node=8 ./osu_alltoall",
                Some(32),
                Some(8),
            ),
            ("time srun -N4 -n32 ./osu_alltoall", Some(32), Some(8)),
            (
                "#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun osu_alltoall",
                Some(32),
                Some(8),
            ),
            (
                "salloc -n128 -N1\nmpirun ./osu_alltoall",
                Some(128),
                Some(128),
            ),
            (
                "mpirun -np 4 ./osu_alltoall\nmpirun -np $n ./osu_alltoall",
                None,
                None,
            ),
            ("mpirun -np 4 a : -np 8 b", None, None),
            ("mpirun -np 4 x\nmpirun -np 8 x", None, None),
            ("+ mpirun -np 4 x\n+ mpirun -np 8 x", Some(8), None),
            ("mpirun noticed that process rank 3 died", None, None),
            ("srun: error: n1: tasks 0-7: Killed -n 8", None, None),
        ] {
            assert_eq!(found(log), (procs, per_host), "{log}");
        }
    }
}
