//! Settings of Intel MPI: `I_MPI_ADJUST_COLLECTIVE`, as lines for a shell.
//!
//! # Form
//! `NUMBER:BYTES-BYTES@PROCS-PROCS;…`: an algorithm with its ranges of sizes for each process and of process counts.
//! Elsewhere the library decides. The size of a reduction is the whole vector.
//!
//! # Source
//! Reference of Intel MPI, family `I_MPI_ADJUST`.

use std::fmt::Write as _;

use itertools::Itertools as _;

use super::comments::{self, CommentNames};
use super::map::OWN_DECISION;
use super::{RuleBlock, TargetRelease, TunedCollective};
use crate::profile::Profile;

/// Largest size that the library can read.
const LARGEST: u64 = i32::MAX as u64;

/// The settings.
pub fn settings(profile: &Profile, release: &TargetRelease, all: &[TunedCollective], names: CommentNames) -> String {
    let mut text = String::new();
    for line in comments::head(profile, release, all, names) {
        let _ = writeln!(text, "# {line}");
    }
    for tuned in all {
        for line in comments::describe_collective(tuned) {
            let _ = writeln!(text, "# {line}");
        }
        let mut ranges = Vec::new();
        for block in tuned.blocks.iter().filter(|block| !block.is_left_to_library()) {
            let _ = writeln!(text, "# {}", comments::block(tuned, block));
            for (place, rule) in block.rules.iter().enumerate() {
                let _ = writeln!(text, "# {}", comments::rule(tuned, block, place));
                if rule.choice != OWN_DECISION {
                    ranges.push(range(tuned, block, place));
                }
            }
        }
        if !ranges.is_empty() {
            let name = tuned.collective.to_string().replace('-', "_").to_uppercase();
            let _ = writeln!(text, "export I_MPI_ADJUST_{name}=\"{}\"", ranges.iter().join(";"));
        }
    }
    text
}

/// A rule with its range.
fn range(tuned: &TunedCollective, block: &RuleBlock, place: usize) -> String {
    let rule = block.rules[place];
    let next = block.rules.get(place + 1);
    let last = next.map_or(LARGEST, |next| next.from.0 - 1).min(LARGEST);
    let taken = tuned.choices.all[rule.choice].library_algorithm;
    let number = taken.map_or(0, |algorithm| algorithm.offer.number());
    let (from, to) = tuned.count_range(block);
    format!("{number}:{}-{last}@{}-{}", rule.from.0, from.get(), to.get())
}
