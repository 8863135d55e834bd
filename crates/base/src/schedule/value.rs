//! The contents of blocks in a proof: a block of one rank's input, or a combination of two contents. Equal
//! contents have one number.

use std::num::NonZeroU32;

use rustc_hash::FxHashMap;

use super::{Datum, OperandOrder};
use crate::units::{Procs, Rank};

/// The content of a block, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockValue(NonZeroU32);

/// All contents of a proof. The blocks of the inputs come first, rank by rank.
pub(super) struct BlockValues {
    procs: Procs,
    /// Number of input blocks of each rank.
    input: u32,
    /// The combinations, in the order in which they were made.
    combinations: Vec<ValueCombination>,
    /// The block of each combination.
    blocks: Vec<u32>,
    numbers: FxHashMap<ValueCombination, BlockValue>,
}

/// Left and right operand.
type ValueCombination = (BlockValue, BlockValue);

impl BlockValues {
    /// The contents of `input` blocks of each rank.
    pub(super) fn new(procs: Procs, input: u32) -> Self {
        Self {
            procs,
            input,
            combinations: Vec::new(),
            blocks: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// The content of an input block.
    pub(super) fn of_input(&self, datum: Datum) -> BlockValue {
        numbered(u64::from(datum.origin.0) * u64::from(self.input) + u64::from(datum.block))
    }

    /// Index of a combination among all; `None` for a block of an input.
    fn combination(&self, value: BlockValue) -> Option<usize> {
        let index = u64::from(value.0.get()) - 1;
        let combination = index.checked_sub(self.input_values())?;
        Some(usize::try_from(combination).expect("an index in memory"))
    }

    /// Number of the contents that are blocks of inputs.
    fn input_values(&self) -> u64 {
        u64::from(self.input) * u64::from(self.procs.get())
    }

    /// The block of an input that the content is; `None` for a combination.
    pub(super) fn datum(&self, value: BlockValue) -> Option<Datum> {
        let index = value.0.get() - 1;
        self.combination(value).is_none().then(|| Datum {
            origin: Rank(index / self.input),
            block: index % self.input,
        })
    }

    /// Number of the block, in the inputs, of which the content is.
    pub(super) fn block(&self, value: BlockValue) -> u32 {
        match self.combination(value) {
            Some(combination) => self.blocks[combination],
            None => (value.0.get() - 1) % self.input,
        }
    }

    /// left ∘ right.
    pub(super) fn combined(&mut self, left: BlockValue, right: BlockValue) -> BlockValue {
        let next = self.input_values() + self.combinations.len() as u64;
        let block = self.block(left);
        *self.numbers.entry((left, right)).or_insert_with(|| {
            self.combinations.push((left, right));
            self.blocks.push(block);
            numbered(next)
        })
    }

    /// True if the content has the contribution of each rank once, in `order`.
    pub(super) fn is_complete(&self, value: BlockValue, order: OperandOrder) -> bool {
        let mut origins = Vec::with_capacity(self.procs.get() as usize);
        let mut open = vec![value];
        while let Some(next) = open.pop() {
            match self.combination(next).map(|combination| self.combinations[combination]) {
                Some((left, right)) => open.extend([right, left]),
                None => origins.extend(self.datum(next).map(|datum| datum.origin)),
            }
            if origins.len() > self.procs.get() as usize {
                return false;
            }
        }
        if order == OperandOrder::Any {
            origins.sort_unstable();
        }
        origins.into_iter().eq(self.procs.ranks())
    }

    /// The ranks whose contributions the content has, with parentheses around each combination: `((0 1) 2)`.
    pub(super) fn expression(&self, value: BlockValue) -> String {
        if let Some(datum) = self.datum(value) {
            return datum.origin.to_string();
        }
        let combination = self.combination(value).expect("any other content is a combination");
        let (left, right) = self.combinations[combination];
        format!("({} {})", self.expression(left), self.expression(right))
    }
}

/// The content with this index, from 0.
fn numbered(index: u64) -> BlockValue {
    let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
    BlockValue(number.expect("a proof has fewer than 2^32 contents"))
}
