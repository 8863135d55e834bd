//! One launch of a plan: every cell in its order, warm-ups, repetitions, records.

use std::sync::Arc;

use netsig_core::dataset::{Experiment, Sample};
use netsig_core::units::Seconds;

use crate::plan::{Cell, Operation, Plan};
use crate::transport::{Role, Transport};

/// What a launch spent in what it timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// In timed operations, repetitions that count only.
    pub timed: Seconds,
    /// In the barriers before them.
    pub barriers: Seconds,
}

/// Carries out launch number `launch` of `plan`, handing each sample to `record` as soon
/// as it is taken.
///
/// # Errors
/// The first error of the transport or of `record`; what was recorded stays.
pub fn run<T: Transport>(
    plan: &Plan,
    launch: u32,
    transport: &mut T,
    mut record: impl FnMut(&Sample) -> Result<(), T::Error>,
) -> Result<Spent, T::Error> {
    let mut spent = Spent::default();
    for cell in plan.order(launch) {
        if transport.enter(&cell)? == Role::Participant {
            for number in 0..cell.warmup + cell.repetitions {
                let seen = transport.repeat(&cell, number)?;
                if number < cell.warmup {
                    continue;
                }
                spent.timed = spent.timed + elapsed(&cell, seen.time);
                spent.barriers = spent.barriers + seen.barrier;
                let (experiment, algorithm) = identity(&cell.operation);
                record(&Sample {
                    experiment,
                    algorithm,
                    procs: cell.procs,
                    size: cell.size,
                    repetition: number - cell.warmup,
                    launch,
                    time: seen.time,
                    losses: seen.losses,
                })?;
            }
        }
        transport.leave(&cell)?;
    }
    Ok(spent)
}

/// The wall-clock time behind a recorded one: a ping-pong records half a round trip.
fn elapsed(cell: &Cell, time: Seconds) -> Seconds {
    match cell.operation {
        Operation::PingPong => time * 2.0,
        Operation::Collective(..) => time,
    }
}

fn identity(operation: &Operation) -> (Experiment, Arc<str>) {
    match operation {
        Operation::PingPong => (Experiment::PingPong, "".into()),
        Operation::Collective(collective, method) => (
            Experiment::Collective(*collective),
            method.to_string().into(),
        ),
    }
}
