//! The contents of blocks, as expressions of the ranks whose operands they have.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use netsig_base::algorithm::Schedule;
use netsig_base::schedule::BlockSlot;
use netsig_base::units::Rank;

/// Operands, combined in pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandTree {
    /// The operand of a rank.
    Operand(Rank),
    /// left ∘ right.
    Pair(Rc<Self>, Rc<Self>),
}

/// The blocks of all ranks after some rounds of a schedule.
pub struct CombinedBlocks {
    ranks: usize,
    parts: u32,
    blocks: HashMap<(Rank, BlockSlot), Rc<OperandTree>>,
}

impl OperandTree {
    /// The same pairs, with the operand left whose ranks have the smallest `key`.
    pub fn ordered(&self, key: &dyn Fn(Rank) -> u32) -> Self {
        let Self::Pair(left, right) = self else {
            return self.clone();
        };
        let [one, other] = [left, right].map(|side| Rc::new(side.ordered(key)));
        let smallest = |tree: &Self| tree.operands().into_iter().map(key).min();
        if smallest(&one) <= smallest(&other) {
            Self::Pair(one, other)
        } else {
            Self::Pair(other, one)
        }
    }

    fn operands(&self) -> Vec<Rank> {
        match self {
            Self::Operand(rank) => vec![*rank],
            Self::Pair(left, right) => [left.operands(), right.operands()].concat(),
        }
    }
}

impl fmt::Display for OperandTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operand(rank) => write!(f, "{rank}"),
            Self::Pair(left, right) => write!(f, "({left} {right})"),
        }
    }
}

impl CombinedBlocks {
    /// The blocks after the first `rounds` rounds.
    pub fn after(schedule: &Schedule, rounds: usize) -> Self {
        let (procs, parts) = (schedule.procs(), schedule.extent().division.parts());
        let inputs = procs.ranks().flat_map(|rank| {
            let operand = Rc::new(OperandTree::Operand(rank));
            (0..parts).map(move |part| ((rank, BlockSlot::Input(part)), Rc::clone(&operand)))
        });
        let mut all = Self {
            ranks: procs.get() as usize,
            parts,
            blocks: inputs.collect(),
        };
        for index in 0..rounds {
            all.run(schedule, index);
        }
        all
    }

    fn run(&mut self, schedule: &Schedule, index: usize) {
        let before = self.blocks.clone();
        let rounds = schedule.procs().ranks().map(|rank| (rank, schedule.round(rank, index)));
        for (rank, round) in rounds {
            for receive in round.receives.iter() {
                let sent = schedule.round(receive.partner, index).sends;
                let send = sent
                    .iter()
                    .find(|send| send.partner == rank)
                    .expect("a proved schedule matches");
                for (from, to) in send.slots.iter().zip(&receive.slots) {
                    self.blocks
                        .insert((rank, *to), Rc::clone(&before[&(receive.partner, *from)]));
                }
            }
            for copy in &round.copies {
                self.blocks
                    .insert((rank, copy.to), Rc::clone(&before[&(rank, copy.from)]));
            }
            for one in &round.combinations {
                let [left, right] = [one.left, one.right].map(|slot| Rc::clone(&self.blocks[&(rank, slot)]));
                self.blocks
                    .insert((rank, one.right), Rc::new(OperandTree::Pair(left, right)));
            }
        }
    }

    /// Part `part` of a rank's output.
    pub fn output(&self, rank: Rank, part: u32) -> Option<OperandTree> {
        self.blocks
            .get(&(rank, BlockSlot::Output(part)))
            .map(|tree| (**tree).clone())
    }

    /// The parts of which a rank has the operands of all ranks.
    pub fn complete_parts(&self, rank: Rank) -> Vec<u32> {
        let is_complete = |part: &u32| {
            let blocks = self
                .blocks
                .iter()
                .filter(|((holder, slot), _)| *holder == rank && slot.index() % self.parts == *part);
            blocks
                .map(|(_, tree)| tree.operands().len())
                .any(|operands| operands == self.ranks)
        };
        (0..self.parts).filter(is_complete).collect()
    }
}
