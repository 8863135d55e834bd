//! One launch of a plan: every cell in its random order, warm-ups, repetitions in batches
//! until they are enough, records.
//!
//! Rank 0, the recorder, leads: it alone knows what was measured and decides. The others
//! follow its orders, which `agree` brings them. A cell ends when its repetitions are as many
//! as planned, or its median is as precise as planned (see [`crate::stopping`]), or its
//! share of the budget is used and there are three. Repetitions that do not count are
//! repeated, but at most as often as was planned altogether.

mod history;
mod leader;
mod orders;
mod rows;
mod shares;

use netsig_core::data::{Dataset, Record};
use netsig_core::units::Seconds;

use crate::plan::{JobId, Plan};
use crate::transport::Transport;

/// What a launch spent in what it timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// In timed operations, repetitions that count only.
    pub timed: Seconds,
    /// In bringing the ranks together before them.
    pub barriers: Seconds,
}

/// What to do in a launch.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Which of its jobs.
    pub job: JobId,
    /// On the recorder, what an interrupted run of the same plan has measured already.
    pub past: &'a Dataset,
    /// How long the launch may take; its repetitions become fewer if they must, but no cell
    /// has fewer than three or is left out.
    pub budget: Option<Seconds>,
}

/// Carries out a launch, on the recorder handing every batch of records to `record` as soon
/// as it is taken. What was spent is known on the recorder.
///
/// # Errors
/// The first error of the transport or of `record`; what was recorded stays.
pub fn run<T: Transport>(
    launch: &Launch,
    transport: &mut T,
    mut record: impl FnMut(&[Record]) -> Result<(), T::Error>,
) -> Result<Spent, T::Error> {
    if transport.is_recorder() {
        return leader::lead(launch, transport, &mut record);
    }
    for cell in launch.plan.order(launch.job) {
        if transport.enter(&cell)? {
            orders::follow(&cell, transport)?;
        }
        transport.leave()?;
    }
    Ok(Spent::default())
}
