//! Table of the flows under way: routes and states.

use netsig_base::network::LinkId;
use smallvec::SmallVec;

use crate::network::slot;

/// State of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum FluidFlowState {
    /// Not under way.
    #[default]
    Absent,
    /// Waiting for a rate, with the number of bytes left.
    Waiting(f64),
    /// In a class, by the numbers of its group and of the class within the group.
    InClass(u32, u32),
}

/// Flows by number; numbers are reused, with the memory of their routes.
#[derive(Debug, Default)]
pub(super) struct FluidFlows(Vec<(FluidFlowState, SmallVec<[LinkId; 4]>)>);

impl FluidFlows {
    /// Inserts a flow that waits for its rate.
    pub(super) fn insert(&mut self, number: u32, route: &[LinkId], bytes: f64) {
        let (state, links) = slot(&mut self.0, number);
        *state = FluidFlowState::Waiting(bytes);
        links.clear();
        links.extend_from_slice(route);
    }

    pub(super) fn state(&self, number: u32) -> FluidFlowState {
        let flow = self.0.get(number as usize);
        flow.map_or(FluidFlowState::Absent, |(state, _)| *state)
    }

    pub(super) fn set_state(&mut self, number: u32, state: FluidFlowState) {
        self.0[number as usize].0 = state;
    }

    pub(super) fn route(&self, number: u32) -> &[LinkId] {
        &self.0[number as usize].1
    }
}
