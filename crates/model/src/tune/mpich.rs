//! The selection file of MPICH 4 (`MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`): the library's own tree of
//! conditions, with netsig's rules in place of some branches.
//!
//! # Form
//! Nested objects whose keys are conditions, tried in order; the last of its siblings is always true. The file must
//! serve every collective, so it starts from the library's own tree, which is part of the library file. The rules
//! add the conditions `comm_size<=` and, for sizes, `avg_msg_size<=`, or `total_msg_size<=` for an all-gather or
//! reduce-scatter. A scatter or gather has no condition on the size, because the library aborts on it, or drops the
//! size of the type. Where the library shall decide, its own branch stands. JSON has no comments, and an unknown key
//! stops the library, so the comments are a separate text.
//!
//! The library does not check an algorithm that the tree names. So `is_commutative=yes`, or `is_op_built_in=yes` and
//! `count<pow2`, stand above algorithms that need it, as in the library's own tree. Other calls keep its branch.
//!
//! The library maps the file into memory and reads until a zero byte: its length must not fill the
//! last page. It reads sizes as C integers.
//!
//! Communicators whose processes share hosts (`comm_hierarchy=parent`) keep the library's branch in a
//! broadcast, reduce, all-reduce and barrier. The library does these in two steps there: inside the hosts, and by the
//! rules among one process of each.
//!
//! # Source
//! `csel.c` and `coll_impl.c` of MPICH 4.0 to 4.3.

mod tree;

use netsig_base::algorithm::{Collective, LibraryDecision, OfferedAlgorithm, ServedOperations};

pub use self::tree::{MpichTree, generic_tree};

use super::comments::{self, CommentNames};
use super::fewest_rules::SizeMeasure;
use super::map::OWN_DECISION;
use super::{RuleBlock, TargetRelease, TunedCollective};
use crate::profile::Profile;

/// Largest size that the library can read.
const LARGEST: u64 = i32::MAX as u64;

/// Smallest page: every larger one is a multiple.
const PAGE: usize = 4096;

/// The comments on a file.
pub fn comments(
    profile: &Profile,
    release: &TargetRelease,
    all: &[TunedCollective],
    names: CommentNames,
) -> Vec<String> {
    let mut lines = comments::head(profile, release, all, names);
    for tuned in all {
        lines.extend(comments::describe_collective(tuned));
        for block in tuned.blocks.iter().filter(|block| !block.is_left_to_library()) {
            lines.push(comments::block(tuned, block));
            let places = 0..block.rules.len();
            lines.extend(places.map(|place| comments::rule(tuned, block, place)));
        }
    }
    lines
}

/// The library's tree with the rules; `None` if it lacks a branch that they replace.
pub fn patched(generic: &MpichTree, all: &[TunedCollective]) -> Option<String> {
    let mut tree = generic.clone();
    for tuned in all.iter().filter(|tuned| tuned.has_rules()) {
        let collective = tree.branch_mut(&format!("collective={}", name(tuned.collective)))?;
        let intra = collective.branch_mut("comm_type=intra")?;
        let branch = match tuned.collective {
            Collective::Alltoall => intra.branch_mut("is_sendbuf_inplace=no")?,
            _ => intra,
        };
        let library_branch = branch.clone();
        let rules = branch_by_count(tuned, &library_branch);
        *branch = match tuned.collective {
            Collective::Bcast | Collective::Reduce | Collective::Allreduce | Collective::Barrier => MpichTree(vec![
                ("comm_hierarchy=parent".to_owned(), library_branch),
                ("comm_hierarchy=any".to_owned(), rules),
            ]),
            _ => rules,
        };
    }
    let mut text = tree.to_json();
    text.push('\n');
    if text.len().is_multiple_of(PAGE) {
        text.push('\n');
    }
    Some(text)
}

/// The blocks by process count, with the library's branch before and after them.
fn branch_by_count(tuned: &TunedCollective, library_branch: &MpichTree) -> MpichTree {
    let mut branches = Vec::new();
    let below = tuned.times.counts.first().map_or(1, |count| count.get() - 1);
    let blocks = tuned.blocks.iter().map(|block| {
        let (_, last) = tuned.count_range(block);
        (last.get(), branch_by_size(tuned, block, library_branch))
    });
    let all = [(below, library_branch.clone())].into_iter().chain(blocks);
    for (last, branch) in all {
        branches.push((format!("comm_size<={last}"), branch));
    }
    branches.push(("comm_size=any".to_owned(), library_branch.clone()));
    MpichTree(branches)
}

/// The rules of a block by size.
fn branch_by_size(tuned: &TunedCollective, block: &RuleBlock, library_branch: &MpichTree) -> MpichTree {
    let leaf = |choice: usize| match tuned.choices.all[choice].library_algorithm {
        Some(taken) if choice != OWN_DECISION => guarded(tuned.collective, taken.offer, library_branch),
        _ => library_branch.clone(),
    };
    let key = match (tuned.collective, tuned.measure) {
        (Collective::ReduceScatter | Collective::ReduceScatterBlock, _) | (_, SizeMeasure::Total) => "total_msg_size",
        (_, SizeMeasure::Each) => "avg_msg_size",
    };
    let mut branches = Vec::new();
    for pair in block.rules.windows(2) {
        let last = (pair[1].from.0 - 1).min(LARGEST);
        branches.push((format!("{key}<={last}"), leaf(pair[0].choice)));
        if last == LARGEST {
            branches.push((format!("{key}=any"), library_branch.clone()));
            return MpichTree(branches);
        }
    }
    let last = block.rules.last().map_or(OWN_DECISION, |rule| rule.choice);
    if branches.is_empty() {
        return leaf(last);
    }
    branches.push((format!("{key}=any"), leaf(last)));
    MpichTree(branches)
}

/// An algorithm for the calls that it serves; the library's branch serves the others.
fn guarded(collective: Collective, offer: &OfferedAlgorithm, library_branch: &MpichTree) -> MpichTree {
    let leaf = algorithm(collective, offer.name);
    let decision = LibraryDecision::of(offer.flavour, collective);
    let needs_elements = decision.is_some_and(|rules| rules.needs_power_of_elements(offer.name));
    let otherwise = |this: &str, then: MpichTree, other: &str| {
        let other_calls = (other.to_owned(), library_branch.clone());
        MpichTree(vec![(this.to_owned(), then), other_calls])
    };
    let long_vectors = if needs_elements {
        let short_vectors = ("count<pow2".to_owned(), library_branch.clone());
        MpichTree(vec![short_vectors, ("count=any".to_owned(), leaf)])
    } else {
        leaf
    };
    match offer.served_operations() {
        ServedOperations::Every => long_vectors,
        ServedOperations::Commutative => otherwise("is_commutative=yes", long_vectors, "is_commutative=no"),
        ServedOperations::Predefined => otherwise("is_op_built_in=yes", long_vectors, "is_op_built_in=no"),
    }
}

/// The name of a collective in the tree.
fn name(collective: Collective) -> String {
    collective.to_string().replace('-', "_")
}

/// The leaf of an algorithm: `MPIR_Alltoall_intra_pairwise`, or `MPIR_Alltoall_allcomm_nb` for the algorithm of any
/// communicator.
fn algorithm(collective: Collective, algorithm_name: &str) -> MpichTree {
    let collective_name = name(collective);
    let (first, rest) = collective_name.split_at(1);
    let kind = if algorithm_name == ANY_COMMUNICATOR {
        "allcomm"
    } else {
        "intra"
    };
    let key = format!("algorithm=MPIR_{}{rest}_{kind}_{algorithm_name}", first.to_uppercase());
    MpichTree(vec![(key, MpichTree::default())])
}

/// The algorithm of MPICH that serves every kind of communicator.
const ANY_COMMUNICATOR: &str = "nb";
