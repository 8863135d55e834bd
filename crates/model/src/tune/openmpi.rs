//! Rules of Open MPI's component `tuned`, in the classic form that 4.1 and 5.0 read.
//!
//! # Form
//! Numbers, with comments from `#` to the end of a line: the number of collectives; for each its
//! id and the number of blocks; for each block the smallest number of processes and the number of
//! rules; for each rule the smallest size, algorithm, fan-out and segment size. The first block is
//! for 0 processes and leaves the decision to the library, because smaller communicators take the
//! first block. From 4.1.8 and 5.0.7 on a file may begin with `rule-file-version-2`; a rule may
//! then end in the largest number of messages in progress. The header must be the first bytes, and
//! is written only where a rule needs it.
//!
//! The size of an all-to-all or all-gather is the total: n times the size for each process. That of a reduction is the
//! whole vector; the library's own rules for `MPI_Reduce_scatter_block` look at a block of it. A barrier has the size 0.
//!
//! # Source
//! `coll_tuned_dynamic_file.c` and `coll_tuned_decision_dynamic.c` of Open MPI 4.1 and 5.0.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use netsig_base::algorithm::Collective;

use super::comments::{self, CommentNames};
use super::map::OWN_DECISION;
use super::{RuleBlock, TargetRelease, TunedCollective};
use crate::profile::Profile;

/// First line of a file whose rules bound the messages in progress.
const HEADER: &str = "rule-file-version-2";

/// Number of a collective in rules.
fn collective_id(collective: Collective) -> u32 {
    match collective {
        Collective::Allgather => 0,
        Collective::Alltoall => 3,
        Collective::Alltoallv | Collective::AlltoallvSkewed | Collective::AlltoallvSparse => 4,
        Collective::Bcast => 7,
        Collective::Gather => 9,
        Collective::Scatter => 15,
        Collective::Allreduce => 2,
        Collective::Barrier => 6,
        Collective::Reduce => 11,
        Collective::ReduceScatter => 12,
        Collective::ReduceScatterBlock => 13,
    }
}

/// The rules file.
pub fn rules(profile: &Profile, release: &TargetRelease, all: &[TunedCollective], names: CommentNames) -> String {
    let with_rules: Vec<&TunedCollective> = all.iter().filter(|tuned| tuned.has_rules()).collect();
    let mut choices = with_rules.iter().flat_map(|tuned| &tuned.choices.all);
    let has_windows = choices.any(|choice| {
        choice
            .library_algorithm
            .is_some_and(|algorithm| algorithm.window.is_some())
    });
    let mut text = String::new();
    if has_windows {
        text.push_str(HEADER);
        text.push('\n');
    }
    let silent = all.iter().filter(|tuned| !tuned.has_rules());
    let about = comments::head(profile, release, all, names);
    for line in about.into_iter().chain(silent.flat_map(comments::describe_collective)) {
        let _ = writeln!(text, "# {line}");
    }
    let _ = writeln!(text, "{}", with_rules.len());
    for tuned in with_rules {
        for line in comments::describe_collective(tuned) {
            let _ = writeln!(text, "# {line}");
        }
        write_collective(&mut text, tuned, has_windows);
    }
    text
}

/// The rules of a collective, between blocks that leave the decision to the library.
fn write_collective(text: &mut String, tuned: &TunedCollective, has_windows: bool) {
    let bounded = has_windows && tuned.collective == Collective::Alltoall;
    let first = tuned.blocks.iter().position(|block| !block.is_left_to_library());
    let blocks = &tuned.blocks[first.unwrap_or(0)..];
    let is_closed = blocks.last().is_some_and(RuleBlock::is_left_to_library);
    let count = blocks.len() + 1 + usize::from(!is_closed);
    let _ = writeln!(text, "{} {count}", collective_id(tuned.collective));
    write_library_block(text, 0, bounded);
    for block in blocks {
        let (from, _) = tuned.count_range(block);
        if block.is_left_to_library() {
            write_library_block(text, from.get(), bounded);
            continue;
        }
        let _ = writeln!(text, "# {}", comments::block(tuned, block));
        let _ = writeln!(text, "{} {}", from.get(), block.rules.len());
        for (place, rule) in block.rules.iter().enumerate() {
            let _ = writeln!(text, "# {}", comments::rule(tuned, block, place));
            let named_algorithm = tuned.choices.all[rule.choice].library_algorithm;
            let algorithm = named_algorithm.filter(|_| rule.choice != OWN_DECISION);
            let number = |value: Option<NonZeroU32>| value.map_or(0, NonZeroU32::get);
            let _ = write!(
                text,
                "{} {} {} {}",
                rule.from.0,
                algorithm.map_or(0, |chosen| chosen.offer.number()),
                algorithm.map_or(0, |chosen| chosen.offer.fanout()),
                number(algorithm.and_then(|chosen| chosen.segment))
            );
            if bounded {
                let _ = write!(text, " {}", number(algorithm.and_then(|chosen| chosen.window)));
            }
            text.push('\n');
        }
    }
    if let Some(last) = blocks.last().filter(|_| !is_closed) {
        write_library_block(text, tuned.count_range(last).1.get() + 1, bounded);
    }
}

/// A block that leaves the decision to the library.
fn write_library_block(text: &mut String, from: u32, bounded: bool) {
    let window = if bounded { " 0" } else { "" };
    let _ = writeln!(text, "# from {from} processes on: the library's own choice");
    let _ = writeln!(text, "{from} 1\n0 0 0 0{window}");
}
