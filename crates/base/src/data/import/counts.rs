//! Process counts of the tables of a file: from the program, the launch line above a table, the file name, and the
//! user. These sources must not contradict each other.

use std::collections::BTreeSet;
use std::iter;

use itertools::Itertools as _;

use super::file::{ImportFile, two_procs};
use super::imported_log::ImportedLog;
use super::tables::{LogTable, TableSubject};
use crate::data::Experiment;
use crate::text::counted;
use crate::text::file_error::FileError;
use crate::units::Procs;

/// Words before or behind a number of processes in the name of a file.
const PROCESSES: [&str; 8] = ["p", "n", "np", "procs", "nprocs", "ranks", "ntasks", "tasks"];

/// Words before or behind a number of processes on a host.
const PER_HOST: [&str; 15] = [
    "perhost", "pph", "nppn", "ntpn", "cores", "c", "ppn", "ppr", "npernode", "pernode", "tpn", "rpn", "gpn", "gpus",
    "x",
];

/// Phrases that mean the same as `ppn`.
const PHRASES: [&str; 4] = ["per-node", "per_node", "per-host", "per_host"];

/// Words before or behind a number of hosts.
const HOSTS: [&str; 3] = ["N", "nodes", "nnodes"];

/// Largest number of hosts for which the facts list the processes.
const MOST_HOSTS: u32 = 10_000;

/// The processes of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableProcs {
    /// Their number.
    pub count: Procs,
    /// Number on each host, if it is stated.
    pub per_host: Option<u32>,
}

/// Numbers in the name of a file.
#[derive(Debug, Default)]
struct FileNameNumbers {
    procs: BTreeSet<u32>,
    per_host: BTreeSet<u32>,
    hosts: BTreeSet<u32>,
    /// True if a word other than `n`, which may count hosts, gives a number of processes.
    is_sure: bool,
}

/// The processes of each table.
///
/// # Errors
/// If a number is missing, or two contradict each other.
pub(super) fn of_tables(file: &ImportFile<'_>, tables: &[LogTable]) -> Result<Vec<TableProcs>, FileError> {
    let user_procs = user_procs_of_tables(file, tables)?;
    let name = FileNameNumbers::of(file.name);
    let tables_with_procs = tables.iter().zip(user_procs);
    let found = tables_with_procs.map(|(table, user_count)| {
        // A table without rows is left out, whatever its number.
        if is_pair(table) || table.rows.is_empty() {
            let (count, per_host) = (two_procs(), None);
            return Ok(TableProcs { count, per_host });
        }
        of_table(table, &name, user_count).map_err(|problem| file.fault(table.line, problem))
    });
    found.collect()
}

/// Adds the placement of the processes to the facts. For each number of processes on a host, the largest job counts,
/// since a benchmark also runs among some of the processes.
pub(super) fn add_placements(procs: &[TableProcs], imported: &mut ImportedLog) {
    let jobs = procs.iter().filter_map(|procs| Some((procs.per_host?, procs.count)));
    for (per_host, count) in jobs.into_grouping_map().max().into_iter().sorted() {
        if per_host > 0 && count.get().div_ceil(per_host) <= MOST_HOSTS {
            imported.add_placement(count, per_host);
        }
    }
}

/// Begins the data of a table; false if the table is left out.
pub(super) fn begin_table(table: &LogTable, procs: TableProcs, imported: &mut ImportedLog) -> bool {
    let why = if table.rows.is_empty() {
        "has no rows"
    } else if procs.count.get() == 1 {
        "was run by one process, which exchanges nothing"
    } else {
        imported.begin_run();
        return true;
    };
    imported.leave_out(table.line, &format!("{} {why}", table.name));
    false
}

/// Benchmarks with several runs whose process count only the file name states.
pub(super) fn runs_by_name<'t>(file: &ImportFile<'_>, tables: &'t [LogTable]) -> Vec<&'t str> {
    if !file.options.procs.is_empty() {
        return Vec::new();
    }
    let unstated_tables = tables.iter().filter(|table| stated_procs(table).is_none());
    let unstated = unstated_tables.filter(|table| !is_pair(table));
    let runs = unstated.map(|table| (&*table.name, table.run)).unique();
    let counts = runs.counts_by(|(name, _)| name);
    let several = counts.into_iter().filter(|(_, runs)| *runs > 1);
    several.map(|(name, _)| name).sorted().collect()
}

fn is_pair(table: &LogTable) -> bool {
    matches!(
        table.subject,
        TableSubject::Pair | TableSubject::One(Experiment::PingPong)
    )
}

/// The number that the text states for a table.
fn stated_procs(table: &LogTable) -> Option<Procs> {
    table.procs.or_else(|| table.launch.procs())
}

/// The user's process count for each table; several counts are for the runs of a benchmark in their order.
fn user_procs_of_tables(file: &ImportFile<'_>, tables: &[LogTable]) -> Result<Vec<Option<Procs>>, FileError> {
    let given = &*file.options.procs;
    let named = tables.iter().map(|table| (&*table.name, table.run));
    let runs = named.dedup().into_group_map();
    let user_procs_of = |table: &LogTable| {
        let runs = &runs[&*table.name];
        let place = runs.iter().position(|run| *run == table.run);
        match (given, place) {
            ([], _) => Ok(None),
            _ if is_pair(table) => Ok(None),
            ([one], _) if runs.len() == 1 || stated_procs(table).is_some() => Ok(Some(*one)),
            (all, Some(place)) if all.len() == runs.len() => Ok(Some(all[place])),
            _ => Err(file.fault(table.line, wrong_number(given, &table.name, runs.len()))),
        }
    };
    tables.iter().map(user_procs_of).collect()
}

fn wrong_number(given: &[Procs], name: &str, runs: usize) -> String {
    let counts = given.len();
    let all = given.iter().join(",");
    let example = match given {
        [one] if runs > 1 => {
            let launches = iter::repeat_n(one, runs).join(",");
            format!(" (--procs {launches} for {runs} launches)")
        }
        _ => String::new(),
    };
    let tables = counted(runs as u64, "table", "tables");
    format!("--procs {all} gives {counts} for {tables} of {name}; give one for each in their order{example}")
}

fn of_table(table: &LogTable, name: &FileNameNumbers, user_procs: Option<Procs>) -> Result<TableProcs, String> {
    let stated = stated_procs(table);
    if let (Some(file_procs), Some(user_count)) = (stated, user_procs)
        && file_procs != user_count
    {
        return Err(format!(
            "the file says {file_procs} processes, not {user_count}; leave --procs out"
        ));
    }
    let count = match (table.procs, table.launch.procs(), user_procs) {
        (Some(count), Some(launched), _) if count > launched => {
            return Err(format!(
                "the table is of {count} processes and the launch line above it of {launched}; delete the wrong line"
            ));
        }
        (Some(count), ..) if name.may_be_of_larger_job(count) || !name.is_sure => count,
        (Some(count), ..) => name.confirm(count, "the program")?,
        (None, Some(count), _) => name.confirm(count, "the launch line")?,
        (None, None, Some(count)) => name.confirm(count, "--procs")?,
        (None, None, None) => name.procs()?,
    };
    let per_host = match table.launch.procs() {
        Some(launched) if launched == count => table.launch.per_host(),
        _ => None,
    };
    let named = name.per_host.first().copied();
    match (per_host, named) {
        (Some(launched), Some(named)) if launched != named => Err(format!(
            "the file's name says {named} processes on a host, and the launch line {launched}; correct the one that is \
             wrong"
        )),
        _ => Ok(TableProcs {
            count,
            per_host: per_host.or(named),
        }),
    }
}

impl FileNameNumbers {
    /// The numbers in the last part of a path, which stand in words such as `p8`, `n4ppn8` or `4nodes`.
    fn of(path: &str) -> Self {
        let file_name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut found = Self::default();
        let name = PHRASES
            .iter()
            .fold(file_name.to_owned(), |name, phrase| name.replace(phrase, "ppn"));
        let words: Vec<&str> = name.split(|sign: char| !sign.is_ascii_alphanumeric()).collect();
        let apart = words.windows(2).filter_map(|two| unit_and_number(two[0], two[1]));
        let together = words.iter().flat_map(|word| units_with_numbers(word));
        for (unit, number) in together.chain(apart) {
            let lower = unit.to_ascii_lowercase();
            if HOSTS.contains(&unit) || HOSTS[1..].contains(&&*lower) {
                found.hosts.insert(number);
            } else if PER_HOST.contains(&&*lower) {
                found.per_host.insert(number);
            } else if PROCESSES.contains(&&*lower) {
                found.procs.insert(number);
                found.is_sure |= lower != "n";
            }
        }
        found
    }

    /// True if the name also states other numbers of processes or hosts.
    fn is_ambiguous(&self) -> bool {
        self.procs.len() > 1 || !self.per_host.is_empty() || !self.hosts.is_empty()
    }

    /// The process counts that the name may mean: those that it states, and products of hosts and processes on a
    /// host.
    fn candidates(&self) -> BTreeSet<u32> {
        let per_host = || self.per_host.iter().copied();
        let hosts = self.procs.iter().chain(&self.hosts).copied();
        let factors = hosts.cartesian_product(per_host());
        let products = factors.filter_map(|(hosts, per_host)| hosts.checked_mul(per_host));
        let most = per_host().max().unwrap_or(0);
        let stated_procs = self.procs.iter().copied().filter(|procs| *procs >= most);
        stated_procs.chain(products).collect()
    }

    /// The number of processes that the name gives.
    fn procs(&self) -> Result<Procs, String> {
        let candidates = self.candidates().into_iter().join(" or ");
        if self.is_ambiguous() {
            let meaning = match &*candidates {
                "" => "gives a number of hosts and not of processes".to_owned(),
                _ => format!("may mean {candidates} processes"),
            };
            return Err(format!("the file's name {meaning}; give --procs N"));
        }
        let count = self.procs.first().and_then(|count| Procs::new(*count).ok());
        count.ok_or_else(|| {
            "the number of processes is missing; give --procs N, or put pN, nN or npN \
             into the file's name, as in alltoall-p8.txt"
                .to_owned()
        })
    }

    /// True if the name may state the processes of a larger job, of which only some took part.
    fn may_be_of_larger_job(&self, count: Procs) -> bool {
        let most = self.candidates().last().copied();
        most.is_some_and(|most| count.get() <= most)
    }

    /// A number of processes that `source` states, unless the name contradicts it.
    fn confirm(&self, count: Procs, source: &str) -> Result<Procs, String> {
        let candidates = self.candidates();
        if candidates.is_empty() || candidates.contains(&count.get()) {
            return Ok(count);
        }
        let meant = candidates.iter().join(" or ");
        Err(format!(
            "the file's name says {meant} processes, and {source} says {count}; correct the one that is wrong"
        ))
    }
}

/// A unit and a number that are words of their own: `ppn_8`.
fn unit_and_number<'w>(unit: &'w str, number: &str) -> Option<(&'w str, u32)> {
    let is_unit = unit.len() > 1 && [&PROCESSES[..], &PER_HOST, &HOSTS].concat().contains(&unit);
    Some((unit, number.parse().ok().filter(|_| is_unit)?))
}

/// Words with numbers, in a word that consists of such pairs: `p8`, `n4ppn8`, `4nodes`.
fn units_with_numbers(word: &str) -> Vec<(&str, u32)> {
    let is_digit = |sign: &char| sign.is_ascii_digit();
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|sign| is_digit(&sign) != is_digit(&first));
        let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part);
        rest = behind;
    }
    let pair = |two: &[&'_ str]| -> Option<(usize, u32)> {
        let digits = usize::from(!two[0].starts_with(|sign: char| sign.is_ascii_digit()));
        Some((1 - digits, two.get(digits)?.parse().ok()?))
    };
    if let [hosts, "x", per_host] = *parts {
        let texts = [("nodes", hosts), ("ppn", per_host)];
        let numbers = texts.map(|(unit, number)| Some((unit, number.parse().ok()?)));
        return numbers.into_iter().flatten().collect();
    }
    let whole = parts.len() % 2 == 0;
    let chunks = parts.chunks_exact(2).filter(|_| whole);
    let found = chunks.filter_map(|two| pair(two).map(|(unit, number)| (two[unit], number)));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_the_process_count() {
        let found = |path| FileNameNumbers::of(path).procs().map(Procs::get).ok();
        for (path, procs) in [
            ("osu_alltoall-direct-p10.txt", Some(10)),
            ("runs-p4/alltoall_np16", Some(16)),
            ("p8/n8-a.out", Some(8)),
            ("alltoall.p8.n8", Some(8)),
            ("alltoall.n2.p8", None),
            ("alltoall-n4-ppn8", None),
            ("alltoall-N4", None),
            ("alltoall_4nodes_p8", None),
            ("alltoall-n4-tpn8", None),
            ("alltoall_n4_8pernode", None),
            ("alltoall-n4x8", None),
            ("alltoall-n4-ppn-8", None),
            ("alltoall-n4_ppn_8", None),
            ("alltoall-n4-ntasks-per-node8", None),
            ("alltoall-n4-perhost8", None),
            ("alltoall-np-8", Some(8)),
            ("alltoall-4x8-p4", None),
            ("alltoall-n4-ntasks32", None),
            ("alltoall_4n_32p", None),
            ("alltoall-16procs", Some(16)),
            ("alltoall_32p", Some(32)),
            ("p8/alltoall.txt", None),
            ("imb8-top8-p-p0-p8x.txt", None),
            ("", None),
        ] {
            assert_eq!(found(path), procs, "{path}");
        }
    }

    #[test]
    fn a_number_is_confirmed_by_what_the_name_may_mean() {
        for (path, count, is_right) in [
            ("alltoall-n4-ppn8", 32, true),
            ("alltoall-n4ppn8", 4, false),
            ("alltoall-p16-ppn4", 16, true),
            ("alltoall-N4", 32, true),
            ("alltoall-4nodes-8ppn", 32, true),
            ("alltoall-4x8", 32, true),
            ("alltoall-16procs", 8, false),
            ("alltoall-p8", 16, false),
            ("alltoall", 16, true),
        ] {
            let count = Procs::new(count).unwrap();
            let found = FileNameNumbers::of(path).confirm(count, "--procs");
            assert_eq!(found.is_ok(), is_right, "{path} {count}");
        }
    }
}
