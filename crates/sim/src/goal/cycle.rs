//! Cycles of operations that wait for each other.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::program::{GoalEvent, GoalRankProgram};

/// The first cycle that a depth-first search from `starts` finds, if any. `behind` lists the successors of a node.
/// Each node of the cycle is a successor of the previous one, and the first of the last.
pub(super) fn find<N: Copy + Eq + Hash>(
    starts: impl IntoIterator<Item = N>,
    behind: impl Fn(N) -> Vec<N>,
) -> Option<Vec<N>> {
    // Position of each node on the current path; `None` once the search has left it.
    let mut places: FxHashMap<N, Option<usize>> = FxHashMap::default();
    for start in starts {
        // The current path: each node with its unvisited successors, the next one last.
        let mut path: Vec<(N, Vec<N>)> = Vec::new();
        let mut next = Some(start);
        loop {
            match next.map(|node| (node, places.entry(node))) {
                Some((node, Entry::Vacant(new))) => {
                    new.insert(Some(path.len()));
                    path.push((node, behind(node).into_iter().rev().collect()));
                }
                Some((_, Entry::Occupied(known))) => {
                    if let &Some(place) = known.get() {
                        return Some(path[place..].iter().map(|&(node, _)| node).collect());
                    }
                }
                None => {
                    if let Some((left, _)) = path.pop() {
                        places.insert(left, None);
                    }
                }
            }
            let Some((_, rest)) = path.last_mut() else {
                break;
            };
            next = rest.pop();
        }
    }
    None
}

/// Operations of a rank in a cycle, if there is one: each waits for the next, the last for the
/// first.
pub(super) fn of_rank(program: &GoalRankProgram) -> Option<Vec<u32>> {
    let mut cycle = find(blocked(program), |index| successors(program, index).collect())?;
    cycle.reverse();
    let first = (0..cycle.len()).min_by_key(|&place| cycle[place]);
    cycle.rotate_left(first.unwrap_or(0));
    Some(cycle)
}

/// Operations that never begin because they are in a cycle or wait for one.
fn blocked(program: &GoalRankProgram) -> impl Iterator<Item = u32> {
    let mut waiting = program.predecessor_counts().to_vec();
    let is_free = |&index: &u32| waiting[index as usize] == 0;
    let mut free: Vec<u32> = program.indices().filter(is_free).collect();
    while let Some(index) = free.pop() {
        for after in successors(program, index) {
            waiting[after as usize] -= 1;
            if waiting[after as usize] == 0 {
                free.push(after);
            }
        }
    }
    let indices = program.indices();
    indices.filter(move |&index| waiting[index as usize] > 0)
}

fn successors(program: &GoalRankProgram, index: u32) -> impl Iterator<Item = u32> {
    let waiting = [GoalEvent::End, GoalEvent::Start].map(|event| program.waiting_for(index, event));
    waiting.into_iter().flatten().copied()
}
