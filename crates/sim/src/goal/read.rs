//! Parser of GOAL.

use std::collections::BTreeMap;

use netsig_base::text::file_error::FileError;
use netsig_base::units::{Bytes, Rank};

use super::program::{ANY, GoalAction, GoalEvent, GoalOperation, GoalRankBuilder, GoalRankProgram};
use super::scan::Scanner;
use super::{Goal, cycle};

/// The keywords of operations.
const VERBS: [&str; 3] = ["send", "recv", "calc"];

/// Largest number of operations of a cycle that an error names.
const MOST_NAMED: usize = 8;

pub(super) fn parse(name: &str, text: &str) -> Result<Goal, FileError> {
    let mut scan = Scanner::new(name, text);
    scan.skip_to_statement()?;
    if scan.word() != "num_ranks" {
        let problem = "the number of ranks is missing; begin with num_ranks N";
        return Err(scan.fault(0, problem));
    }
    let procs = scan.number("number of ranks")?;
    let mut ranks = BTreeMap::new();
    loop {
        scan.skip_to_statement()?;
        if scan.is_at_end() {
            break;
        }
        let block = GoalBlock::open(&mut scan, procs)?;
        let (rank, start) = (block.rank, block.start);
        if ranks.contains_key(&rank) {
            let problem = format!("rank {rank} has a second block; join it with the first");
            return Err(scan.fault(start, problem));
        }
        ranks.insert(rank, block.read()?);
    }
    check_complete(&ranks, procs).map_err(|problem| scan.fault(scan.at(), problem))?;
    Ok(Goal {
        ranks: ranks.into_values().collect(),
    })
}

/// Checks that each rank has a block.
fn check_complete(ranks: &BTreeMap<u32, GoalRankProgram>, procs: u32) -> Result<(), String> {
    let found = ranks.keys().map(Some).chain([None]);
    let missing = (0..procs).zip(found).find(|(rank, found)| Some(rank) != *found);
    match missing {
        Some((rank, _)) => Err(format!("rank {rank} has no block; add rank {rank} {{ }}")),
        None if procs == 0 => Err("there are no ranks; give num_ranks 1 or more".to_owned()),
        None => Ok(()),
    }
}

/// Reads the number of a rank that exists.
fn read_rank(scan: &mut Scanner, procs: u32) -> Result<u32, FileError> {
    let at = scan.next_at();
    let rank = scan.number("rank")?;
    if rank < procs {
        return Ok(rank);
    }
    let problem = format!("rank {rank} is not among {procs}; correct it or num_ranks");
    Err(scan.fault(at, problem))
}

/// A block that is being read.
#[derive(Debug)]
struct GoalBlock<'s, 'a> {
    scan: &'s mut Scanner<'a>,
    procs: u32,
    rank: u32,
    /// Byte at which the block begins.
    start: usize,
    program: GoalRankBuilder<'a>,
}

impl<'s, 'a> GoalBlock<'s, 'a> {
    fn open(scan: &'s mut Scanner<'a>, procs: u32) -> Result<Self, FileError> {
        let start = scan.at();
        let wanted = "rank N { and the operations behind it";
        match scan.word() {
            "rank" => {}
            "" => return Err(scan.unexpected(wanted)),
            word => {
                let problem = format!("{word:?} is not in the block of a rank; write {wanted}");
                return Err(scan.fault(start, problem));
            }
        }
        let rank = read_rank(scan, procs)?;
        scan.expect("{")?;
        Ok(Self {
            scan,
            procs,
            rank,
            start,
            program: GoalRankBuilder::default(),
        })
    }

    /// Reads the statements up to the end of the block.
    fn read(mut self) -> Result<GoalRankProgram, FileError> {
        loop {
            self.scan.skip_to_statement()?;
            let at = self.scan.at();
            let word = self.scan.word();
            // In a block of up to 4 GiB all counts fit a `u32`.
            if u32::try_from(self.scan.at() - self.start).is_err() {
                let rank = self.rank;
                let problem = format!("the block of rank {rank} is longer than 4 GiB; split its work");
                return Err(self.scan.fault(self.start, problem));
            }
            match word {
                "" if self.scan.take_if_next("}") => break,
                "" if self.scan.is_at_end() => return Err(self.unclosed(self.start)),
                "" => {
                    let wanted = "send, recv, calc, a label or }";
                    return Err(self.scan.unexpected(wanted));
                }
                "rank" | "num_ranks" => return Err(self.unclosed(at)),
                _ => self.statement(word, at)?,
            }
        }
        let program = self.program.finish();
        let Some(cycle) = cycle::of_rank(&program) else {
            return Ok(program);
        };
        let named_indices = cycle.iter().take(MOST_NAMED);
        let mut names: Vec<&str> = named_indices.filter_map(|&index| program.label(index)).collect();
        names.push(if cycle.len() > MOST_NAMED { "…" } else { names[0] });
        let (rank, cycle_text) = (self.rank, names.join(" waits for "));
        let problem = format!("rank {rank} never ends: {cycle_text}; remove one of these dependencies");
        Err(self.scan.fault(self.start, problem))
    }

    fn unclosed(&self, at: usize) -> FileError {
        let rank = self.rank;
        let problem = format!("the block of rank {rank} is not closed; end it with }}");
        self.scan.fault(at, problem)
    }

    /// Reads a statement whose first word is `word`, at byte `at`.
    fn statement(&mut self, word: &'a str, at: usize) -> Result<(), FileError> {
        if VERBS.contains(&word) {
            return self.operation("", word);
        }
        if self.scan.take_if_next(":") {
            if self.program.number(word).is_some() {
                let rank = self.rank;
                let problem = format!("label {word:?} is defined twice in rank {rank}; rename one");
                return Err(self.scan.fault(at, problem));
            }
            let found_verb = VERBS.into_iter().find(|verb| self.scan.take_if_next(verb));
            let verb = found_verb.ok_or_else(|| self.scan.unexpected("send, recv or calc"))?;
            return self.operation(word, verb);
        }
        let event = if self.scan.take_if_next("requires") {
            GoalEvent::End
        } else if self.scan.take_if_next("irequires") {
            GoalEvent::Start
        } else {
            let wanted = "a colon, requires or irequires behind a label";
            return Err(self.scan.unexpected(wanted));
        };
        let after = self.operation_labelled(word, at)?;
        let at = self.scan.next_at();
        let label = self.scan.word();
        if label.is_empty() {
            return Err(self.scan.unexpected("the label of the required operation"));
        }
        let before = self.operation_labelled(label, at)?;
        self.scan.end_of_line("the end of the line")?;
        self.program.add_dependency(after, before, event);
        Ok(())
    }

    fn operation(&mut self, label: &'a str, verb: &str) -> Result<(), FileError> {
        let action = match verb {
            "calc" => GoalAction::Calculate {
                nanoseconds: self.scan.number("time in nanoseconds")?,
            },
            _ => self.message(verb)?,
        };
        let cpu = self.read_number_after("cpu")?;
        let (nic, wanted) = match action {
            GoalAction::Calculate { .. } => (0, "cpu or the end of the line"),
            _ => (
                self.read_number_after("nic")?,
                "tag, cpu and nic in this order, or the end of the line",
            ),
        };
        self.scan.end_of_line(wanted)?;
        self.program.push(label, GoalOperation { action, cpu, nic });
        Ok(())
    }

    /// Reads a send or receive up to its tag.
    fn message(&mut self, verb: &str) -> Result<GoalAction, FileError> {
        let is_send = verb == "send";
        let size = Bytes(self.scan.number("number of bytes")?);
        self.scan.expect("b")?;
        self.scan.expect(if is_send { "to" } else { "from" })?;
        let peer = if !is_send && self.scan.take_minus_one() {
            None
        } else {
            Some(Rank(read_rank(self.scan, self.procs)?))
        };
        let tag_number = if !self.scan.take_if_next("tag") {
            0
        } else if self.scan.take_minus_one() {
            ANY
        } else {
            self.scan.number("tag")?
        };
        let tag = (tag_number != ANY).then_some(tag_number);
        Ok(match peer {
            Some(to) if is_send => GoalAction::Send { to, size, tag },
            from => GoalAction::Receive { from, size, tag },
        })
    }

    fn read_number_after(&mut self, name: &str) -> Result<u8, FileError> {
        if self.scan.take_if_next(name) {
            return self.scan.number(name);
        }
        Ok(0)
    }

    fn operation_labelled(&self, label: &str, at: usize) -> Result<u32, FileError> {
        self.program.number(label).ok_or_else(|| {
            let rank = self.rank;
            let problem =
                format!("label {label:?} is not defined before in rank {rank}; define it or correct the name");
            self.scan.fault(at, problem)
        })
    }
}
