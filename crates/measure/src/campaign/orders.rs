//! The orders of the recorder to the other participants of a cell, encoded as the words that `broadcast_words`
//! broadcasts.

use std::ops::Range;

use netsig_base::units::Bytes;

use crate::plan::{PlanCell, TimedOperation};
use crate::transport::Transport;

/// The kind of step, its size, its delay or number of messages, and the first and end (exclusive)
/// repetition numbers.
type OrderWords = [u64; 5];

/// The order that ends the cell.
pub(super) const END: OrderWords = [0; 5];

/// Kinds of steps in the first word of an order.
const WHOLE: u64 = 1;
const ROUND_TRIP: u64 = 2;
const RECEIVE_OVERHEAD: u64 = 3;
const FLOOD: u64 = 4;

/// The order to carry out the repetitions `numbers` of a step.
pub(super) fn repeat_order(step: &PlanCell, numbers: &Range<u32>) -> OrderWords {
    let (kind, extra) = match step.operation {
        TimedOperation::RoundTrip => (ROUND_TRIP, 0),
        TimedOperation::ReceiveOverhead { delay_ns } => (RECEIVE_OVERHEAD, delay_ns),
        TimedOperation::Flood { messages } => (FLOOD, u64::from(messages)),
        _ => (WHOLE, 0),
    };
    let [first, end] = [numbers.start, numbers.end].map(u64::from);
    [kind, step.size.0, extra, first, end]
}

/// Carries out the recorder's orders in a cell until the order to end it.
pub(super) fn follow_orders<T: Transport>(cell: &PlanCell, transport: &mut T) -> Result<(), T::Error> {
    let number = |word| u32::try_from(word).expect("the recorder sent a count");
    loop {
        let mut words = END;
        transport.broadcast_words(&mut words)?;
        let [kind, size, extra, first, end] = words;
        let step_of = |operation| cell.step(operation, Bytes(size));
        let step = match kind {
            WHOLE => *cell,
            ROUND_TRIP => step_of(TimedOperation::RoundTrip),
            RECEIVE_OVERHEAD => step_of(TimedOperation::ReceiveOverhead { delay_ns: extra }),
            FLOOD => {
                let messages = number(extra);
                step_of(TimedOperation::Flood { messages })
            }
            _ => return Ok(()),
        };
        transport.repeat(&step, number(first)..number(end))?;
    }
}
