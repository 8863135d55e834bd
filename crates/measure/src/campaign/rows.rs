//! Converts repetitions of a step to records of the data.

use std::sync::Arc;

use netsig_base::data::{Experiment, Place, Record, Rejected, Sample};
use netsig_base::units::Seconds;

use crate::plan::{Cell, Operation};
use crate::transport::Observation;

/// The places (keys in the data) of the quantities that a step measures, in the order of its times.
pub(super) fn places(launch: u32, step: &Cell) -> Vec<Place> {
    let experiments: &[Experiment] = match step.operation {
        Operation::PingPong => &[Experiment::PingPong],
        Operation::RoundTrip => &[Experiment::RoundTrip, Experiment::SendOverhead],
        Operation::ReceiveOverhead { .. } => &[Experiment::ReceiveOverhead],
        Operation::Flood { .. } => &[Experiment::Gap],
        Operation::Flows => &[Experiment::Flow],
        Operation::Collective(collective, _) => &[Experiment::Collective(collective)],
        Operation::PLogP => &[],
    };
    let algorithm: Arc<str> = match step.operation {
        Operation::Collective(_, method) => method.to_string().into(),
        _ => "".into(),
    };
    let place = |&experiment| Place {
        launch,
        experiment,
        algorithm: Arc::clone(&algorithm),
        procs: step.procs,
        size: step.size,
    };
    experiments.iter().map(place).collect()
}

/// The records of a repetition. Simultaneous transfers are parts of the same place.
pub(super) fn records(places: &[Place], repetition: u32, seen: &Observation) -> Vec<Record> {
    let times = match &seen.outcome {
        Ok(times) => (0..).zip(times),
        Err(reason) => {
            return vec![Record::Rejected(Rejected {
                place: places[0].clone(),
                repetition,
                reason: *reason,
            })];
        }
    };
    let sample = |(number, &time)| {
        let (place, part) = if are_parts(places) {
            (&places[0], number)
        } else {
            (places.get(number as usize)?, 0)
        };
        Some(Record::Sample(Sample {
            losses: seen.losses,
            part,
            sync_error: seen.sync_error,
            ..place.clone().sample(repetition, time)
        }))
    };
    times.filter_map(sample).collect()
}

/// The value of a repetition in each of `places`; simultaneous transfers have one place, whose
/// value is the slowest time.
pub(super) fn values(places: &[Place], times: &[Seconds]) -> Vec<f64> {
    let times = times.iter().map(|time| time.0);
    if are_parts(places) {
        return vec![times.fold(0.0, f64::max)];
    }
    times.take(places.len()).collect()
}

fn are_parts(places: &[Place]) -> bool {
    places[0].experiment == Experiment::Flow
}
