//! What the recorder tells the other participants of a cell to do next, as the words that
//! `agree` carries.

use std::ops::Range;

use netsig_core::units::Bytes;

use crate::plan::{Cell, Operation, warm_up};
use crate::transport::{Observation, Transport};

/// What is next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Order {
    /// Nothing: the cell ends.
    End,
    /// Repetitions of a step with these numbers.
    Repeat(Cell, Range<u32>),
}

/// What was prepared last.
#[derive(Default)]
pub(super) struct Prepared(Option<Cell>);

/// What stands in the first word.
const END: u64 = 0;
const WHOLE: u64 = 1;
const ROUND_TRIP: u64 = 2;
const RECEIVE_OVERHEAD: u64 = 3;
const FLOOD: u64 = 4;

/// Kind, size, delay or messages, first repetition, first that is none.
type Words = [u64; 5];

/// A step of a pLogP cell.
pub(super) fn step(cell: &Cell, operation: Operation, size: Bytes) -> Cell {
    let is_flood = matches!(operation, Operation::Flood { .. });
    Cell {
        operation,
        size,
        warmup: if is_flood { 0 } else { warm_up(size) },
        ..*cell
    }
}

impl Order {
    pub fn words(&self) -> Words {
        let Self::Repeat(step, numbers) = self else {
            return [END, 0, 0, 0, 0];
        };
        let (kind, extra) = match step.operation {
            Operation::RoundTrip => (ROUND_TRIP, 0),
            Operation::ReceiveOverhead { delay_ns } => (RECEIVE_OVERHEAD, delay_ns),
            Operation::Flood { messages } => (FLOOD, u64::from(messages)),
            _ => (WHOLE, 0),
        };
        let [first, end] = [numbers.start, numbers.end].map(u64::from);
        [kind, step.size.0, extra, first, end]
    }

    /// The order that the recorder gave for `cell` in these words.
    fn of(words: Words, cell: &Cell) -> Self {
        let [kind, size, extra, first, end] = words;
        let number = |word| u32::try_from(word).expect("the recorder sent a count");
        let operation = match kind {
            END => return Self::End,
            ROUND_TRIP => Operation::RoundTrip,
            RECEIVE_OVERHEAD => Operation::ReceiveOverhead { delay_ns: extra },
            FLOOD => Operation::Flood {
                messages: number(extra),
            },
            _ => return Self::Repeat(*cell, number(first)..number(end)),
        };
        let step = step(cell, operation, Bytes(size));
        Self::Repeat(step, number(first)..number(end))
    }
}

impl Prepared {
    /// Carries out repetitions, after preparing for the step if it is another than the last.
    pub fn repeat<T: Transport>(
        &mut self,
        step: &Cell,
        numbers: Range<u32>,
        transport: &mut T,
    ) -> Result<Vec<Observation>, T::Error> {
        if self.0 != Some(*step) {
            transport.prepare(step)?;
            self.0 = Some(*step);
        }
        let mut seen = Vec::new();
        transport.repeat(step, numbers, &mut seen)?;
        Ok(seen)
    }
}

/// Does in a cell what the recorder says until it ends the cell.
pub(super) fn follow<T: Transport>(cell: &Cell, transport: &mut T) -> Result<(), T::Error> {
    let mut prepared = Prepared::default();
    loop {
        let mut words = Order::End.words();
        transport.agree(&mut words)?;
        match Order::of(words, cell) {
            Order::End => return Ok(()),
            Order::Repeat(step, numbers) => prepared.repeat(&step, numbers, transport)?,
        };
    }
}
