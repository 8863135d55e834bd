//! The orders of the recorder to the other participants of a cell, encoded as the words that
//! `agree` broadcasts.

use std::ops::Range;

use netsig_base::units::Bytes;

use crate::plan::{Cell, Operation};
use crate::transport::Transport;

/// The kind of step, its size, its delay or number of messages, and the first and end (exclusive)
/// repetition numbers.
type Words = [u64; 5];

/// The order that ends the cell.
pub(super) const END: Words = [0; 5];

/// Kinds of steps in the first word of an order.
const WHOLE: u64 = 1;
const ROUND_TRIP: u64 = 2;
const RECEIVE_OVERHEAD: u64 = 3;
const FLOOD: u64 = 4;

/// The order to carry out the repetitions `numbers` of a step.
pub(super) fn repeat(step: &Cell, numbers: &Range<u32>) -> Words {
    let (kind, extra) = match step.operation {
        Operation::RoundTrip => (ROUND_TRIP, 0),
        Operation::ReceiveOverhead { delay_ns } => (RECEIVE_OVERHEAD, delay_ns),
        Operation::Flood { messages } => (FLOOD, u64::from(messages)),
        _ => (WHOLE, 0),
    };
    let [first, end] = [numbers.start, numbers.end].map(u64::from);
    [kind, step.size.0, extra, first, end]
}

/// Carries out the recorder's orders in a cell until the order to end it.
pub(super) fn follow<T: Transport>(cell: &Cell, transport: &mut T) -> Result<(), T::Error> {
    let number = |word| u32::try_from(word).expect("the recorder sent a count");
    loop {
        let mut words = END;
        transport.agree(&mut words)?;
        let [kind, size, extra, first, end] = words;
        let step = |operation| cell.step(operation, Bytes(size));
        let step = match kind {
            WHOLE => *cell,
            ROUND_TRIP => step(Operation::RoundTrip),
            RECEIVE_OVERHEAD => step(Operation::ReceiveOverhead { delay_ns: extra }),
            FLOOD => {
                let messages = number(extra);
                step(Operation::Flood { messages })
            }
            _ => return Ok(()),
        };
        transport.repeat(&step, number(first)..number(end))?;
    }
}
