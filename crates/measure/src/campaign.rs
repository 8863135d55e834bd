//! One launch of a plan: every cell in its order, warm-ups, repetitions, records.

use std::sync::Arc;

use netsig_core::dataset::{Dataset, Experiment, Place, Record, Rejected, Sample};
use netsig_core::units::Seconds;

use crate::plan::{Cell, Operation, Plan};
use crate::transport::{Observation, Outcome, Role, Transport};

/// What a launch spent in what it timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// In timed operations, repetitions that count only.
    pub timed: Seconds,
    /// In the barriers before them.
    pub barriers: Seconds,
}

/// What to do in a launch.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its number, from 0.
    pub number: u32,
    /// On the recorder, what an interrupted run of the same plan has measured already.
    pub past: &'a Dataset,
    /// How long the launch may take; its repetitions become fewer if they must.
    pub budget: Option<Seconds>,
}

/// Carries out a launch, on the recorder handing every batch of records to `record` as soon
/// as it is taken.
///
/// # Errors
/// The first error of the transport or of `record`; what was recorded stays.
pub fn run<T: Transport>(
    launch: &Launch,
    transport: &mut T,
    mut record: impl FnMut(&[Record]) -> Result<(), T::Error>,
) -> Result<Spent, T::Error> {
    let mut spent = Spent::default();
    for cell in launch.plan.order(launch.number) {
        if transport.enter(&cell)? == Role::Participant {
            transport.prepare(&cell)?;
            let mut seen = Vec::new();
            transport.repeat(&cell, 0..cell.warmup, &mut seen)?;
            seen.clear();
            let numbers = cell.warmup..cell.warmup + cell.repetitions;
            transport.repeat(&cell, numbers, &mut seen)?;
            let records: Vec<Record> = (0..)
                .zip(&seen)
                .flat_map(|(number, seen)| records(launch.number, &cell, number, seen))
                .collect();
            for seen in &seen {
                spent.barriers = spent.barriers + seen.barrier;
            }
            if transport.is_recorder() {
                record(&records)?;
            }
        }
        transport.leave(&cell)?;
    }
    Ok(spent)
}

fn records(launch: u32, cell: &Cell, repetition: u32, seen: &Observation) -> Vec<Record> {
    let (experiment, algorithm) = identity(&cell.operation);
    let place = Place {
        launch,
        experiment,
        algorithm,
        procs: cell.procs,
        size: cell.size,
    };
    match &seen.outcome {
        Outcome::Rejected(reason) => vec![Record::Rejected(Rejected {
            place,
            repetition,
            reason: *reason,
        })],
        Outcome::Times(times) => (0..)
            .zip(times)
            .map(|(part, &time)| {
                Record::Sample(Sample {
                    experiment: place.experiment,
                    algorithm: Arc::clone(&place.algorithm),
                    procs: place.procs,
                    size: place.size,
                    repetition,
                    launch,
                    time,
                    losses: seen.losses,
                    part,
                    sync_error: seen.sync_error,
                })
            })
            .collect(),
    }
}

fn identity(operation: &Operation) -> (Experiment, Arc<str>) {
    match operation {
        Operation::Collective(collective, method) => (
            Experiment::Collective(*collective),
            method.to_string().into(),
        ),
        _ => (Experiment::PingPong, "".into()),
    }
}
