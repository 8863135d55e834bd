//! Which operands are combined with each other: the pairs of each entry, found by running its schedule on expressions.

use std::collections::{BTreeMap, HashMap};

use super::*;
use crate::algorithm::{ALGORITHMS, OperandPairs};
use crate::schedule::{BlockSlot, ScheduleMessage};

type RankMemory = HashMap<BlockSlot, String>;

/// The expression of each element of the result, with the operands of each combination in alphabetical order.
fn expressions(algorithm: Algorithm, call: &CollectiveCall) -> BTreeMap<u64, String> {
    let schedule = algorithm.serve(call).unwrap();
    let (extent, parts) = (schedule.extent(), schedule.extent().division.parts());
    let mut memories: Vec<RankMemory> = (call.procs.ranks())
        .map(|rank| {
            (0..parts)
                .map(|part| (BlockSlot::Input(part), rank.to_string()))
                .collect()
        })
        .collect();
    for index in 0..extent.rounds {
        let before = memories.clone();
        let mut sent: HashMap<(Rank, Rank), Vec<String>> = HashMap::new();
        for rank in call.procs.ranks() {
            let of_rank = &before[rank.0 as usize];
            for send in schedule.round(rank, index).sends.iter() {
                let ScheduleMessage { partner, slots } = send.as_ref();
                let content = slots.iter().map(|slot| of_rank[slot].clone());
                sent.entry((rank, *partner)).or_default().extend(content);
            }
        }
        for rank in call.procs.ranks() {
            let round = schedule.round(rank, index);
            let memory = &mut memories[rank.0 as usize];
            for copy in &round.copies {
                memory.insert(copy.to, before[rank.0 as usize][&copy.from].clone());
            }
            for receive in round.receives.iter() {
                let arrived = sent.get_mut(&(receive.partner, rank)).unwrap();
                for (slot, content) in receive.slots.iter().zip(arrived.drain(..receive.slots.len())) {
                    memory.insert(*slot, content);
                }
            }
            for combination in &round.combinations {
                let mut operands = [memory[&combination.left].clone(), memory[&combination.right].clone()];
                operands.sort();
                memory.insert(combination.right, format!("({} {})", operands[0], operands[1]));
            }
        }
    }
    let element = |part: u32| extent.division.offset(part) / call.element.0;
    let mut found = BTreeMap::new();
    for rank in call.procs.ranks() {
        for part in algorithm.collective().reduced_parts(call.procs, call.root, rank, parts) {
            for place in element(part)..element(part + 1) {
                let result = &memories[rank.0 as usize][&BlockSlot::Output(part)];
                found.insert(place, result.clone());
            }
        }
    }
    found
}

/// Among 2 ranks there is one pair alone, and among 3 several algorithms agree by chance.
#[test]
fn algorithms_with_the_same_pairs_have_the_same_expressions() {
    let reductions = ALGORITHMS.iter().filter(|entry| entry.collective.is_reduction());
    let all: Vec<(Algorithm, OperandPairs)> = reductions
        .flat_map(|entry| entry.candidates().take(3))
        .filter_map(|algorithm| Some((algorithm, algorithm.operand_pairs()?)))
        .collect();
    let mut seen = 0;
    for (count, elements) in (2..=17).flat_map(|count| [1, 3, 29, 340].map(|elements| (count, elements))) {
        let mut known: Vec<(OperandPairs, Algorithm, BTreeMap<u64, String>)> = Vec::new();
        for &(algorithm, pairs) in &all {
            let of_count = CollectiveCall::new(Procs::new(count).unwrap(), Bytes(8 * elements));
            let found = expressions(algorithm, &of_count);
            assert_eq!(found.len() as u64, elements, "{algorithm} among {count}");
            match known.iter().find(|(other, _, _)| *other == pairs) {
                Some((_, first, expected)) => {
                    seen += 1;
                    assert_eq!(
                        &found, expected,
                        "{first} and {algorithm} among {count}, {elements} elements"
                    );
                }
                None => known.push((pairs, algorithm, found)),
            }
        }
        let differ = |first: OperandPairs, second: OperandPairs| {
            let of = |pairs| &known.iter().find(|(other, _, _)| *other == pairs).unwrap().2;
            of(first) != of(second)
        };
        if count > 4 && elements > 17 {
            assert!(differ(OperandPairs::Neighbours, OperandPairs::Ring));
            assert!(differ(OperandPairs::Neighbours, OperandPairs::Chain));
        }
    }
    assert!(seen > 500, "{seen} comparisons");
}
