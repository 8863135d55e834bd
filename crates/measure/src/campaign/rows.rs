//! What a repetition of a step becomes in the data.

use std::sync::Arc;

use netsig_core::data::{Experiment, Place, Record, Rejected, Sample};
use netsig_core::units::Seconds;

use crate::plan::{Cell, Operation};
use crate::transport::{Observation, Outcome};

/// What a step measures: a place for each quantity, in the order of its times.
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

/// The rows of a repetition.
pub(super) fn records(places: &[Place], repetition: u32, seen: &Observation) -> Vec<Record> {
    let times = match &seen.outcome {
        Outcome::Times(times) => times,
        Outcome::Rejected(reason) => {
            return vec![Record::Rejected(Rejected {
                place: places[0].clone(),
                repetition,
                reason: *reason,
            })];
        }
    };
    let sample = |place: &Place, part, &time| {
        Record::Sample(Sample {
            losses: seen.losses,
            part,
            sync_error: seen.sync_error,
            ..place.clone().sample(repetition, time)
        })
    };
    if places[0].experiment == Experiment::Flow {
        let parts = (0..).zip(times);
        return parts
            .map(|(part, time)| sample(&places[0], part, time))
            .collect();
    }
    let quantities = places.iter().zip(times);
    quantities
        .map(|(place, time)| sample(place, 0, time))
        .collect()
}

/// The number that stands for a repetition in each of `places`: of simultaneous transfers
/// the slowest.
pub(super) fn values(places: &[Place], times: &[Seconds]) -> Vec<f64> {
    if places[0].experiment == Experiment::Flow {
        return vec![times.iter().map(|time| time.0).fold(0.0, f64::max)];
    }
    let quantities = places.iter().zip(times);
    quantities.map(|(_, time)| time.0).collect()
}

/// How long the operation took as a whole.
pub(super) fn duration(operation: Operation, times: &[Seconds]) -> Seconds {
    let longest = times.iter().map(|time| time.0).fold(0.0, f64::max);
    match operation {
        Operation::PingPong => Seconds(2.0 * longest),
        _ => Seconds(longest),
    }
}
