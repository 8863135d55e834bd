//! From the text of GOAL to its programs.

use std::collections::BTreeMap;

use super::program::{ANY, Action, Builder, Event, Operation, RankProgram};
use super::scan::Scanner;
use super::{Goal, cycle};
use crate::text::file_error::FileError;
use crate::units::{Bytes, Rank};

/// Operations by their keyword.
const VERBS: [(&str, Verb); 3] = [
    ("send", Verb::Send),
    ("recv", Verb::Receive),
    ("calc", Verb::Calculate),
];

/// A longer circle of waiting operations is not named in full.
const NAMED: usize = 8;

#[derive(Debug, Clone, Copy)]
enum Verb {
    Send,
    Receive,
    Calculate,
}

/// The text behind the number of ranks.
#[derive(Debug)]
struct Reader<'a> {
    scan: Scanner<'a>,
    procs: u32,
}

/// A block that is being read.
#[derive(Debug)]
struct Block<'a> {
    rank: u32,
    /// Where it begins.
    start: usize,
    program: Builder<'a>,
}

pub(super) fn parse(name: &str, text: &str) -> Result<Goal, FileError> {
    let mut scan = Scanner::new(name, text);
    scan.skip_to_statement()?;
    if scan.word() != "num_ranks" {
        let problem = "the number of ranks is missing; begin with num_ranks N";
        return Err(scan.fault(0, problem.to_owned()));
    }
    let procs = scan.number("number of ranks")?;
    Reader { scan, procs }.goal()
}

impl<'a> Reader<'a> {
    fn goal(mut self) -> Result<Goal, FileError> {
        let mut ranks = BTreeMap::new();
        loop {
            self.scan.skip_to_statement()?;
            if self.scan.is_at_end() {
                break;
            }
            let block = self.open_block()?;
            let (rank, start) = (block.rank, block.start);
            if ranks.contains_key(&rank) {
                let problem = format!("rank {rank} has a second block; join it with the first");
                return Err(self.scan.fault(start, problem));
            }
            ranks.insert(rank, self.block(block)?);
        }
        self.check_complete(&ranks)?;
        Ok(Goal {
            ranks: ranks.into_values().collect(),
        })
    }

    /// Checks at the end of the file that each rank has a block.
    fn check_complete(&self, ranks: &BTreeMap<u32, RankProgram>) -> Result<(), FileError> {
        let found = ranks.keys().map(Some).chain([None]);
        let missing = (0..self.procs)
            .zip(found)
            .find(|(rank, found)| Some(rank) != *found);
        let problem = match missing {
            Some((rank, _)) => format!("rank {rank} has no block; add rank {rank} {{ }}"),
            None if self.procs == 0 => "there are no ranks; give num_ranks 1 or more".to_owned(),
            None => return Ok(()),
        };
        Err(self.scan.fault(self.scan.at(), problem))
    }

    fn open_block(&mut self) -> Result<Block<'a>, FileError> {
        let start = self.scan.at();
        let word = self.scan.word();
        if word != "rank" {
            let wanted = "rank N { and the operations behind it";
            let found = if word.is_empty() {
                self.scan.unexpected(wanted)
            } else {
                let problem = format!("{word:?} is not in the block of a rank; write {wanted}");
                self.scan.fault(start, problem)
            };
            return Err(found);
        }
        let rank = self.rank()?;
        self.scan.expect("{")?;
        Ok(Block {
            rank,
            start,
            program: Builder::default(),
        })
    }

    /// The statements of a block up to its end.
    fn block(&mut self, mut block: Block<'a>) -> Result<RankProgram, FileError> {
        loop {
            self.scan.skip_to_statement()?;
            let at = self.scan.at();
            match self.scan.word() {
                "" if self.scan.eat("}") => break,
                "" if self.scan.is_at_end() => return Err(self.unclosed(&block, block.start)),
                "" => {
                    let wanted = "send, recv, calc, a label or }";
                    return Err(self.scan.unexpected(wanted));
                }
                "rank" | "num_ranks" => return Err(self.unclosed(&block, at)),
                word => self.statement(word, at, &mut block)?,
            }
        }
        let program = block.program.finish();
        let Some(cycle) = cycle::find(&program) else {
            return Ok(program);
        };
        let names = cycle.iter().take(NAMED);
        let mut names: Vec<&str> = names.filter_map(|&index| program.label(index)).collect();
        names.push(if cycle.len() > NAMED { "…" } else { names[0] });
        let (rank, circle) = (block.rank, names.join(" waits for "));
        let problem = format!("rank {rank} never ends: {circle}; remove one of these dependencies");
        Err(self.scan.fault(block.start, problem))
    }

    fn unclosed(&self, block: &Block, at: usize) -> FileError {
        let rank = block.rank;
        let problem = format!("the block of rank {rank} is not closed; end it with }}");
        self.scan.fault(at, problem)
    }

    /// A statement from its first word on, which is at a byte.
    fn statement(
        &mut self,
        word: &'a str,
        at: usize,
        block: &mut Block<'a>,
    ) -> Result<(), FileError> {
        let bare = VERBS.iter().find(|(name, _)| *name == word);
        if let Some(&(_, verb)) = bare {
            return self.operation("", verb, block);
        }
        if self.scan.eat(":") {
            if block.program.number(word).is_some() {
                let rank = block.rank;
                let problem = format!("label {word:?} is defined twice in rank {rank}; rename one");
                return Err(self.scan.fault(at, problem));
            }
            let verb = VERBS.iter().find(|(name, _)| self.scan.eat(name));
            let &(_, verb) = verb.ok_or_else(|| self.scan.unexpected("send, recv or calc"))?;
            return self.operation(word, verb, block);
        }
        let event = if self.scan.eat("requires") {
            Event::End
        } else if self.scan.eat("irequires") {
            Event::Start
        } else {
            let wanted = "a colon, requires or irequires behind a label";
            return Err(self.scan.unexpected(wanted));
        };
        self.dependency((word, at), event, block)
    }

    fn operation(
        &mut self,
        label: &'a str,
        verb: Verb,
        block: &mut Block<'a>,
    ) -> Result<(), FileError> {
        let operation = match verb {
            Verb::Send => self.send()?,
            Verb::Receive => self.receive()?,
            Verb::Calculate => self.calculation()?,
        };
        self.check_length(block)?;
        block.program.push(label, operation);
        Ok(())
    }

    fn send(&mut self) -> Result<Operation, FileError> {
        let size = self.size()?;
        self.scan.expect("to")?;
        let to = Rank(self.rank()?);
        self.with_resources(|tag| Action::Send { to, size, tag })
    }

    fn receive(&mut self) -> Result<Operation, FileError> {
        let size = self.size()?;
        self.scan.expect("from")?;
        let from = if self.scan.minus_one() {
            None
        } else {
            Some(Rank(self.rank()?))
        };
        self.with_resources(|tag| Action::Receive { from, size, tag })
    }

    fn calculation(&mut self) -> Result<Operation, FileError> {
        let nanoseconds = self.scan.number("time in nanoseconds")?;
        let action = Action::Calculate { nanoseconds };
        let cpu = self.resource("cpu")?;
        self.scan.end_of_line("cpu or the end of the line")?;
        Ok(Operation {
            action,
            cpu,
            nic: 0,
        })
    }

    fn size(&mut self) -> Result<Bytes, FileError> {
        let size = self.scan.number("number of bytes")?;
        self.scan.expect("b")?;
        Ok(Bytes(size))
    }

    /// What follows the other rank of a message.
    fn with_resources(
        &mut self,
        action: impl FnOnce(Option<u32>) -> Action,
    ) -> Result<Operation, FileError> {
        let tag = if !self.scan.eat("tag") {
            0
        } else if self.scan.minus_one() {
            ANY
        } else {
            self.scan.number("tag")?
        };
        let (cpu, nic) = (self.resource("cpu")?, self.resource("nic")?);
        let wanted = "tag, cpu and nic in this order, or the end of the line";
        self.scan.end_of_line(wanted)?;
        let action = action((tag != ANY).then_some(tag));
        Ok(Operation { action, cpu, nic })
    }

    fn resource(&mut self, name: &str) -> Result<u8, FileError> {
        if self.scan.eat(name) {
            return self.scan.number(name);
        }
        Ok(0)
    }

    /// The number of a rank that exists.
    fn rank(&mut self) -> Result<u32, FileError> {
        self.scan.eat("");
        let at = self.scan.at();
        let (rank, procs) = (self.scan.number("rank")?, self.procs);
        if rank < procs {
            return Ok(rank);
        }
        let problem = format!("rank {rank} is not among {procs}; correct it or num_ranks");
        Err(self.scan.fault(at, problem))
    }

    /// What a label and its event wait for.
    fn dependency(
        &mut self,
        (label, at): (&str, usize),
        event: Event,
        block: &mut Block<'a>,
    ) -> Result<(), FileError> {
        let after = self.defined(label, at, block)?;
        self.scan.eat("");
        let at = self.scan.at();
        let label = self.scan.word();
        if label.is_empty() {
            return Err(self.scan.unexpected("the label of what is waited for"));
        }
        let before = self.defined(label, at, block)?;
        self.scan.end_of_line("the end of the line")?;
        self.check_length(block)?;
        block.program.depend(after, before, event);
        Ok(())
    }

    fn defined(&self, label: &str, at: usize, block: &Block) -> Result<u32, FileError> {
        block.program.number(label).ok_or_else(|| {
            let rank = block.rank;
            let problem = format!(
                "label {label:?} is not defined before in rank {rank}; define it or correct the name"
            );
            self.scan.fault(at, problem)
        })
    }

    /// Within 4 GiB, all that a block holds can be counted.
    fn check_length(&self, block: &Block) -> Result<(), FileError> {
        let length = self.scan.at() - block.start;
        if u32::try_from(length).is_ok() {
            return Ok(());
        }
        let rank = block.rank;
        let problem = format!("the block of rank {rank} is longer than 4 GiB; split its work");
        Err(self.scan.fault(block.start, problem))
    }
}
