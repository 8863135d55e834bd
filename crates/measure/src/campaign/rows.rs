//! Converts repetitions of a step to records of the data.

use std::sync::Arc;

use netsig_base::algorithm::ReductionOperands;
use netsig_base::data::{DataRecord, Experiment, LaunchCell, RejectedRepetition, Sample};
use netsig_base::units::Seconds;

use crate::plan::{PlanCell, TimedOperation};
use crate::transport::MeasuredRepetition;

/// The cells (keys in the data) of the quantities that a step measures, in the order of its times. Local reductions are
/// of `operands`.
pub(super) fn launch_cells(launch: u32, step: &PlanCell, operands: ReductionOperands) -> Vec<LaunchCell> {
    let experiments: &[Experiment] = match step.operation {
        TimedOperation::PingPong => &[Experiment::PingPong],
        TimedOperation::RoundTrip => &[Experiment::RoundTrip, Experiment::SendOverhead],
        TimedOperation::ReceiveOverhead { .. } => &[Experiment::ReceiveOverhead],
        TimedOperation::Flood { .. } => &[Experiment::Gap],
        TimedOperation::Flows => &[Experiment::Flow],
        TimedOperation::LocalReduction => &[Experiment::LocalReduction],
        TimedOperation::Collective(collective, _) => &[Experiment::Collective(collective)],
        TimedOperation::PLogP => &[],
    };
    let algorithm: Arc<str> = match step.operation {
        TimedOperation::Collective(_, method) => method.to_string().into(),
        TimedOperation::LocalReduction => operands.to_string().into(),
        _ => "".into(),
    };
    let cell = |&experiment| LaunchCell {
        launch,
        experiment,
        algorithm: Arc::clone(&algorithm),
        procs: step.procs,
        size: step.size,
    };
    experiments.iter().map(cell).collect()
}

/// The records of a repetition. Simultaneous transfers are parts of the same cell.
pub(super) fn records(cells: &[LaunchCell], repetition: u32, seen: &MeasuredRepetition) -> Vec<DataRecord> {
    let times = match &seen.outcome {
        Ok(times) => (0..).zip(times),
        Err(reason) => {
            return vec![DataRecord::Rejected(RejectedRepetition {
                cell: cells[0].clone(),
                repetition,
                reason: *reason,
            })];
        }
    };
    let sample = |(number, &time)| {
        let (cell, part) = if are_parts(cells) {
            (&cells[0], number)
        } else {
            (cells.get(number as usize)?, 0)
        };
        Some(DataRecord::Sample(Sample {
            losses: seen.losses,
            part,
            sync_error: seen.sync_error,
            ..cell.clone().sample(repetition, time)
        }))
    };
    times.filter_map(sample).collect()
}

/// The value of a repetition in each of `cells`; simultaneous transfers have one cell, whose
/// value is the slowest time.
pub(super) fn values(cells: &[LaunchCell], times: &[Seconds]) -> Vec<f64> {
    let times = times.iter().map(|time| time.0);
    if are_parts(cells) {
        return vec![times.fold(0.0, f64::max)];
    }
    times.take(cells.len()).collect()
}

fn are_parts(cells: &[LaunchCell]) -> bool {
    cells[0].experiment == Experiment::Flow
}
