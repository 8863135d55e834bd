//! Lines that start a job, which people leave in their logs: `+ mpirun -np 16 ./osu_alltoall`, `srun -N 4
//! --ntasks-per-node=8 …`, `#SBATCH --ntasks=16`.

use super::launchers::{
    ALLOCATIONS, BENCHMARKS, LAUNCHERS, LaunchOptions, LaunchQuantity, PBS, RESOURCES, SUBCOMMANDS, TOOLS,
    WITH_TWO_VALUES, osu_program,
};
use crate::algorithm::COLLECTIVES;
use crate::units::Procs;

/// Numbers of a job, as far as they are stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LaunchNumbers {
    procs: Option<u32>,
    hosts: Option<u32>,
    per_host: Option<u32>,
}

/// A launch line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LaunchLine {
    numbers: LaunchNumbers,
    /// Name of the benchmark program.
    program: Option<String>,
}

/// The launch lines of a log up to one of its lines.
#[derive(Debug, Default)]
pub(super) struct LaunchLog {
    allocation: LaunchNumbers,
    last: Option<LaunchLine>,
    /// True if launch lines with different numbers stand in a row, as in a script that the log shows.
    is_listing: bool,
    /// Benchmarks with a table below the last launch line, each with its run.
    printed: Vec<(String, usize)>,
    /// Lines that go on in the next one.
    continued_lines: String,
}

impl LaunchNumbers {
    /// Number of processes.
    pub fn procs(&self) -> Option<Procs> {
        let product = || self.hosts?.checked_mul(self.per_host?);
        Procs::new(self.procs.or_else(product)?).ok()
    }

    /// Number of processes on each host.
    pub fn per_host(&self) -> Option<u32> {
        let hosts = self.hosts.filter(|hosts| *hosts > 0);
        let quotient = hosts.and_then(|hosts| Some(self.procs?.div_ceil(hosts)));
        quotient.or(self.per_host)
    }

    /// Sets a quantity, unless it is set already.
    fn set_if_unstated(&mut self, quantity: LaunchQuantity, value: u32) {
        let place = match quantity {
            LaunchQuantity::Procs => &mut self.procs,
            LaunchQuantity::Hosts => &mut self.hosts,
            LaunchQuantity::PerHost => &mut self.per_host,
        };
        place.get_or_insert(value);
    }

    /// The numbers; those that are not stated are taken from `known`.
    fn or_known(self, known: Self) -> Self {
        Self {
            procs: self.procs.or(known.procs),
            hosts: self.hosts.or(known.hosts),
            per_host: self.per_host.or(known.per_host),
        }
    }

    /// The numbers that `words` state by `options`, up to the program that they start. `None` if they state none; no
    /// numbers if one of them cannot be read.
    fn of_words(words: &[&str], options: &LaunchOptions) -> Option<Self> {
        let mut found = Self::default();
        let mut values = 0;
        for (index, word) in words.iter().enumerate() {
            let next = words.get(index + 1).copied();
            if let Some((quantity, value)) = stated_quantity(word, next, options) {
                let Ok(value) = value.parse() else {
                    return Some(Self::default());
                };
                found.set_if_unstated(quantity, value);
            }
            if word.starts_with('-') {
                values = if WITH_TWO_VALUES.contains(word) { 2 } else { 1 };
            } else if index > 0 || !SUBCOMMANDS.contains(word) {
                if values == 0 {
                    break;
                }
                values -= 1;
            }
        }
        (found != Self::default()).then_some(found)
    }

    /// The numbers in the resources of a line of PBS: `-l nodes=2:ppn=8`.
    fn of_resources(words: &[&str]) -> Self {
        let mut found = Self::default();
        for part in words.iter().flat_map(|word| word.split([':', ','])) {
            for (name, quantity) in RESOURCES {
                let value = part.strip_prefix(name).and_then(|value| value.parse().ok());
                if let Some(value) = value {
                    found.set_if_unstated(quantity, value);
                }
            }
        }
        found
    }
}

impl LaunchLog {
    /// Takes note of a line; false if it is no launch line.
    pub fn note_line(&mut self, line: &str) -> bool {
        let whole = format!("{}{line}", self.continued_lines);
        if let Some(continued) = whole.strip_suffix('\\') {
            continued.clone_into(&mut self.continued_lines);
            return true;
        }
        self.continued_lines.clear();
        let words: Vec<&str> = whole.split_whitespace().map(unquoted).collect();
        if let Some(stated) = allocated(&words) {
            self.allocation = stated.or_known(self.allocation);
            return true;
        }
        let Some(launch) = launched(&words, self.allocation) else {
            return false;
        };
        let differs = self.last.as_ref().is_some_and(|last| {
            let is_alike = launch.program.is_none() || launch.program == last.program;
            last.numbers != launch.numbers && is_alike
        });
        let is_traced = words.first() == Some(&"+") || words.contains(&"$");
        self.is_listing = self.printed.is_empty() && !is_traced && (differs || self.is_listing);
        self.last = Some(launch);
        self.printed.clear();
        true
    }

    /// The numbers of the job that printed the table of a benchmark at this place of the log; `program` prints such
    /// tables. One launch prints one run of a benchmark.
    pub fn of_table(&mut self, benchmark: &str, program: &str, run: usize) -> LaunchNumbers {
        let before = self.printed.iter().find(|(name, _)| name == benchmark);
        let is_other_run = before.is_some_and(|(_, other)| *other != run);
        self.printed.push((benchmark.to_owned(), run));
        match &self.last {
            None => self.allocation,
            Some(_) if is_other_run || self.is_listing => LaunchNumbers::default(),
            Some(launch) if launch.is_of_other(program) => LaunchNumbers::default(),
            Some(launch) => launch.numbers,
        }
    }
}

impl LaunchLine {
    /// True if the line starts another OSU program than `program`.
    fn is_of_other(&self, program: &str) -> bool {
        let Some(name) = self.program.as_deref().filter(|name| name.starts_with("osu_")) else {
            return false;
        };
        let starts = |name: &str, program: &str| {
            name.strip_prefix(program)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        // The name of another program may begin with that of this one: osu_reduce_scatter and osu_reduce.
        let mut others = COLLECTIVES.iter().map(|collective| osu_program(*collective));
        !starts(name, program) || others.any(|other| other.len() > program.len() && starts(name, &other))
    }
}

/// The numbers of an allocation.
fn allocated(words: &[&str]) -> Option<LaunchNumbers> {
    if words.first() == Some(&PBS) {
        return Some(LaunchNumbers::of_resources(&words[1..]));
    }
    if let Some(value) = words.first()?.strip_prefix("SLURM_NTASKS=") {
        let procs = value.parse().ok();
        return Some(LaunchNumbers {
            procs,
            ..LaunchNumbers::default()
        });
    }
    let (at, options) = words.iter().enumerate().find_map(|(index, word)| {
        let (_, options) = ALLOCATIONS.iter().find(|(name, _)| name == word)?;
        Some((index, *options))
    })?;
    Some(LaunchNumbers::of_words(&words[at + 1..], options).unwrap_or_default())
}

/// A launch line; without numbers if it starts several programs or has several launchers.
fn launched(words: &[&str], allocation: LaunchNumbers) -> Option<LaunchLine> {
    let options_of = |word: &&str| {
        let (_, options) = LAUNCHERS.iter().find(|(name, _)| *name == base(word))?;
        Some(*options)
    };
    let (at, options) = words
        .iter()
        .enumerate()
        .find_map(|(index, word)| Some((index, options_of(word)?)))?;
    let rest = &words[at + 1..];
    if rest.iter().any(|word| TOOLS.contains(&base(word))) {
        return None;
    }
    let program_name = rest.iter().map(|word| base(word)).find(|name| is_benchmark(name));
    let stated = LaunchNumbers::of_words(rest, options);
    let numbers = match stated {
        None => program_name.map(|_| allocation)?,
        Some(_) if rest.contains(&":") || rest.iter().any(|word| options_of(word).is_some()) => {
            LaunchNumbers::default()
        }
        // The numbers of processes of an allocation are not those of a launch within it.
        Some(found) if found.procs.is_none() && found != LaunchNumbers::default() => {
            let LaunchNumbers { hosts, per_host, .. } = allocation;
            found.or_known(LaunchNumbers {
                procs: None,
                hosts,
                per_host,
            })
        }
        Some(found) => found,
    };
    let program = program_name.map(str::to_owned);
    Some(LaunchLine { numbers, program })
}

/// The quantity that a word states, with its value: `-n 8`, `-n8`, `--ntasks=8`, `ppr:8:node`.
fn stated_quantity<'w>(
    word: &'w str,
    next: Option<&'w str>,
    options: &LaunchOptions,
) -> Option<(LaunchQuantity, &'w str)> {
    if let Some(per_host) = word.strip_prefix("ppr:") {
        let (count, unit) = per_host.split_once(':')?;
        return unit.starts_with("node").then_some((LaunchQuantity::PerHost, count));
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

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
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
    fn stated_counts(log: &str) -> (Option<u32>, Option<u32>) {
        let mut launches = LaunchLog::default();
        let notes = log.lines().map(|line| launches.note_line(line));
        let _ = notes.count();
        let numbers = launches.of_table("alltoall", "osu_alltoall", 0);
        (numbers.procs().map(Procs::get), numbers.per_host())
    }

    #[test]
    fn launch_lines_state_processes_and_places() {
        for (log, procs, per_host) in [
            ("+ mpirun -np 16 ./osu_alltoall", Some(16), None),
            (
                "[u@h ~]$ /opt/bin/mpiexec -n 8 -ppn 4 osu_alltoall -N 3",
                Some(8),
                Some(4),
            ),
            ("mpirun --map-by ppr:8:node -np 32 osu_alltoall", Some(32), Some(8)),
            ("mpirun --mca btl tcp,self -np 4 ./osu_alltoall", Some(4), None),
            ("srun -N 4 --ntasks-per-node=8 ./osu_alltoall", Some(32), Some(8)),
            ("time srun -N4 -n32 ./osu_alltoall", Some(32), Some(8)),
            (
                "#SBATCH --ntasks=16\n#SBATCH --nodes=2\nsrun osu_alltoall",
                Some(16),
                Some(8),
            ),
            (
                "#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun osu_alltoall",
                Some(32),
                Some(8),
            ),
            ("#PBS -l nodes=2:ppn=8\nmpirun osu_alltoall", Some(16), Some(8)),
            ("#SBATCH --ntasks=16", Some(16), None),
            ("flux run -N 4 --tasks-per-node=8 osu_alltoall", Some(32), Some(8)),
            ("salloc -n128 -N1\nmpirun ./osu_alltoall", Some(128), Some(128)),
            (
                "salloc -N4 --ntasks-per-node=8\nmpirun -np $n ./osu_alltoall",
                None,
                None,
            ),
            ("mpirun -np 4 ./osu_alltoall\nmpirun -np $n ./osu_alltoall", None, None),
            ("mpirun -np 4 ./osu_alltoall : -np 8 ./osu_alltoall", None, None),
            ("with mpirun -np 4 it hangs, but with mpirun -np 16", None, None),
            ("+ mpirun -np 16 ./pin.sh ./alltoall -n 100", Some(16), None),
            ("+ srun -n 16 ./bench.sh -N 3", Some(16), None),
            (
                "+ srun -n 2 hostname\n$ mpirun \\\n -np 64 \\\n ./osu_alltoall",
                Some(64),
                None,
            ),
            ("+ srun -n 2 ./osu_latency", None, None),
            ("mpirun -np 4 x\nmpirun -np 8 x", None, None),
            ("mpirun -np 4 x\nmpirun -np 8 osu_alltoall", Some(8), None),
            ("+ mpirun -np 4 x\n+ mpirun -np 8 x", Some(8), None),
            ("mpirun noticed that process rank 3 died", None, None),
            ("srun: error: n1: tasks 0-7: Killed -n 8", None, None),
        ] {
            assert_eq!(stated_counts(log), (procs, per_host), "{log}");
        }
    }

    #[test]
    fn a_program_with_a_longer_name_is_another() {
        for (launched, table, is_same) in [
            ("osu_reduce", "osu_reduce", true),
            ("osu_reduce.x", "osu_reduce", true),
            ("osu_reduce_scatter", "osu_reduce", false),
            ("osu_reduce_scatter", "osu_reduce_scatter", true),
            ("osu_reduce_scatter_block", "osu_reduce_scatter", false),
            ("osu_reduce", "osu_reduce_scatter", false),
        ] {
            let mut launches = LaunchLog::default();
            assert!(launches.note_line(&format!("+ mpirun -np 4 ./{launched}")));
            let procs = launches.of_table("name", table, 0).procs();
            assert_eq!(procs.is_some(), is_same, "{launched} {table}");
        }
    }

    #[test]
    fn a_launch_prints_one_run_of_a_benchmark() {
        let mut launches = LaunchLog::default();
        assert!(launches.note_line("+ mpirun -np 16 ./suite.sh"));
        let mut procs = |name, run| launches.of_table(name, name, run).procs().map(Procs::get);
        let found = [
            procs("osu_bcast", 0),
            procs("osu_alltoall", 1),
            procs("osu_alltoall", 1),
            procs("osu_alltoall", 2),
        ];
        assert_eq!(found, [Some(16), Some(16), Some(16), None]);
    }
}
