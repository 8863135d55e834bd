//! One launch of a plan: measures every cell in random order, with warm-ups and with repetitions in
//! batches, and records the times.
//!
//! Rank 0, the recorder, leads: it alone has the measured times and decides. The other ranks follow its orders, which
//! `broadcast_words` broadcasts. A cell ends when it has its planned repetitions, or when its median is as precise as
//! planned (see [`crate::stopping`]). It also ends with three repetitions or more when its share of the budget is
//! used up. Rejected repetitions are repeated; a cell also ends when as many were rejected as were planned.

mod history;
mod leader;
mod orders;
mod rows;
mod shares;

use netsig_base::data::{DataRecord, Dataset};
use netsig_base::units::Seconds;

use crate::plan::{JobId, MeasurementPlan};
use crate::transport::Transport;

/// Time that a launch spent in measured repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpentTime {
    /// Time in timed operations, of valid repetitions only.
    pub timed: Seconds,
    /// Time in the barriers before all repetitions.
    pub barriers: Seconds,
}

/// The input of a launch.
#[derive(Debug, Clone, Copy)]
pub struct LaunchInput<'a> {
    /// The plan.
    pub plan: &'a MeasurementPlan,
    /// The job of the plan to carry out.
    pub job: JobId,
    /// On the recorder, the data of an interrupted run of the same plan.
    pub past: &'a Dataset,
    /// Time limit of the launch. It reduces the repetitions, but leaves out no cell and leaves each
    /// cell at least three.
    pub budget: Option<Seconds>,
}

/// Carries out a launch. On the recorder, `record` receives every batch of records as soon as it is
/// measured, and the result is the time spent; on other ranks the result is zero.
///
/// # Errors
/// The first error of the transport or of `record`; the records up to then stay.
pub fn run<T: Transport>(
    launch: &LaunchInput,
    transport: &mut T,
    mut record: impl FnMut(&[DataRecord]) -> Result<(), T::Error>,
) -> Result<SpentTime, T::Error> {
    if transport.is_recorder() {
        return leader::lead(launch, transport, &mut record);
    }
    for cell in launch.plan.order(launch.job) {
        if transport.enter(&cell)? {
            orders::follow_orders(&cell, transport)?;
        }
        transport.leave()?;
    }
    Ok(SpentTime::default())
}
