//! Algorithms in GOAL against their schedules.

use super::*;
use crate::algorithm::{ALGORITHMS, Algorithm};
use crate::schedule::{InFlight, Slot};
use crate::units::Procs;

/// What each operation needs to have ended, directly or not.
fn ancestors(program: &RankProgram) -> Vec<Vec<bool>> {
    let mut needed = vec![vec![false; program.indices().len()]; program.indices().len()];
    // The writer lists operations after those that they wait for.
    for before in 0..program.indices().len() {
        for &after in program.after_end(u32::try_from(before).unwrap()) {
            let mut all = needed[before].clone();
            all[before] = true;
            let after = &mut needed[after as usize];
            after.iter_mut().zip(all).for_each(|(has, one)| *has |= one);
        }
    }
    needed
}

#[test]
fn an_algorithm_keeps_its_messages_and_the_order_of_its_rounds() {
    let procs = Procs::new(7).unwrap();
    let size = Bytes(1000);
    for entry in ALGORITHMS {
        let algorithm = Algorithm::parse(entry.collective, &entry.example()).unwrap();
        let mut text = Vec::new();
        write_algorithm(&algorithm.schedule(procs, size), &mut text).unwrap();
        let goal = parse(str::from_utf8(&text).unwrap()).unwrap();
        let extent = algorithm.schedule(procs, size).extent();
        for (rank, program) in procs.ranks().zip(goal.ranks()) {
            check_rank(program, extent.rounds, |round| {
                let round = algorithm.schedule(procs, size).round(rank, round);
                let bytes = |slot: &Slot| extent.division.bytes(slot.index());
                let slots = |slots: &[_]| slots.iter().map(bytes).sum();
                let receives = round.receives.iter();
                let receives = receives.map(|m| (false, m.partner, slots(&m.slots)));
                let sends = round
                    .sends
                    .iter()
                    .map(|m| (true, m.partner, slots(&m.slots)));
                (receives.chain(sends).collect(), round.in_flight)
            });
        }
    }
}

/// The messages of a round, whether sent, and their limit.
type Expected = (Vec<(bool, Rank, u64)>, InFlight);

fn check_rank(program: &RankProgram, rounds: usize, expected: impl Fn(usize) -> Expected) {
    let needed = ancestors(program);
    let mut before: Vec<usize> = Vec::new();
    for round in 0..rounds {
        let (messages, in_flight) = expected(round);
        let own: Vec<(usize, Action)> = (0..program.indices().len())
            .map(|index| (index, program.action(u32::try_from(index).unwrap())))
            .filter(|(_, action)| tag_of(*action) == Some(round))
            .collect();
        let tag = u32::try_from(round).ok();
        let expected = messages
            .iter()
            .map(|&(send, peer, bytes)| message(send, Some(peer.0), bytes, tag));
        assert!(own.iter().map(|own| own.1).eq(expected));
        for &(index, _) in &own {
            assert!(before.iter().all(|&before| needed[index][before]));
        }
        for kind in [true, false] {
            let alike = messages.iter().zip(&own).filter(|(one, _)| one.0 == kind);
            let alike: Vec<usize> = alike.map(|(_, own)| own.0).collect();
            let (_, sends) = in_flight.at_once();
            let limit = if kind { sends } else { usize::MAX };
            assert_eq!(most_at_once(&alike, &needed), limit.min(alike.len()));
        }
        before.extend(own.iter().map(|own| own.0));
    }
}

/// The size of the largest set of operations of which none waits for another.
fn most_at_once(operations: &[usize], needed: &[Vec<bool>]) -> usize {
    let sets = (0..1_u32 << operations.len()).map(|set| {
        let members = (0..operations.len()).filter(move |member| set >> member & 1 == 1);
        members.map(|member| operations[member]).collect::<Vec<_>>()
    });
    let at_once = |set: &Vec<usize>| set.iter().all(|&a| set.iter().all(|&b| !needed[a][b]));
    sets.filter(at_once).map(|set| set.len()).max().unwrap_or(0)
}

fn tag_of(action: Action) -> Option<usize> {
    match action {
        Action::Send { tag, .. } | Action::Receive { tag, .. } => tag.map(|tag| tag as usize),
        Action::Calculate { .. } => None,
    }
}
