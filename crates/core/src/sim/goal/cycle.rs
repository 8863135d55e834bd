//! Operations of a rank that wait for each other in a circle.

use super::program::{Event, RankProgram};

/// Operations of which each waits for the next and the last for the first, if there are any.
pub(super) fn find(program: &RankProgram) -> Option<Vec<u32>> {
    let blocked = blocked(program)?;
    // Each waits for one that is blocked as well, so the walk back meets itself.
    let mut waits_for = vec![None; program.len()];
    for &before in &blocked {
        for after in successors(program, before) {
            waits_for[after as usize] = Some(before);
        }
    }
    let mut place = vec![None; program.len()];
    let mut walk = Vec::new();
    let mut at = blocked[0];
    loop {
        if let Some(start) = place[at as usize].replace(walk.len()) {
            return Some(walk.split_off(start));
        }
        walk.push(at);
        at = waits_for[at as usize].expect("a blocked operation waits for another");
    }
}

/// The operations that never begin if all others are done as soon as they may, if any.
fn blocked(program: &RankProgram) -> Option<Vec<u32>> {
    let mut waiting = program.predecessor_counts().to_vec();
    let mut free: Vec<u32> = (0..)
        .zip(&waiting)
        .filter(|&(_, &count)| count == 0)
        .map(|(index, _)| index)
        .collect();
    let mut done = 0;
    while let Some(index) = free.pop() {
        done += 1;
        for after in successors(program, index) {
            waiting[after as usize] -= 1;
            if waiting[after as usize] == 0 {
                free.push(after);
            }
        }
    }
    let stuck = (0..).zip(waiting).filter(|&(_, count)| count > 0);
    (done < program.len()).then(|| stuck.map(|(index, _)| index).collect())
}

fn successors(program: &RankProgram, index: u32) -> impl Iterator<Item = u32> {
    let waiting = [Event::End, Event::Start].map(|event| program.waiting_for(index, event));
    waiting.into_iter().flatten().copied()
}
