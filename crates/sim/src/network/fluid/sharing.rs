//! Flows that share links fairly: their rates and finish times.
//!
//! # Method
//! Equivalent flows form a class (see `partition`), and all work is done per class: rates (see `fair_rates`),
//! progress, finish. Classes connected by links form a group; groups are independent of each other. When flows are
//! added, the groups on their links are dissolved, and at the end of the instant their flows are put into new
//! classes. When all flows of a class finish, the partition of the other classes stays valid: all links of a bundle
//! lose equal numbers of flows, and nothing else changes. So only the classes of this group share again.
//!
//! # Use
//! Order of calls in an instant: [`LinkSharing::finish`] if [`LinkSharing::next_finish`] is due,
//! [`LinkSharing::add`], then one [`LinkSharing::settle`].
//!
//! ```
//! # use netsig_base::units::BytesPerSecond;
//! # use netsig_sim::network::fluid::sharing::LinkSharing;
//! # use netsig_base::network::LinkId; use netsig_sim::Time;
//! // 100 and 400 bytes on a link of 100 B/s; the longer one goes on alone after 2 s.
//! let mut sharing = LinkSharing::new([BytesPerSecond(100.0)]);
//! sharing.add(0, &[LinkId(0)], 100.0);
//! sharing.add(1, &[LinkId(0)], 400.0);
//! sharing.settle(Time::ZERO);
//! let mut finished = Vec::new();
//! while let Some(time) = sharing.next_finish() {
//!     sharing.finish(time, |flow| finished.push((time, flow)));
//!     sharing.settle(time);
//! }
//! let second = 1_000_000_000_000;
//! assert_eq!(finished, [(Time(2 * second), 0), (Time(5 * second), 1)]);
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netsig_base::network::LinkId;
use netsig_base::units::BytesPerSecond;
use slab::Slab;

use super::fair_rates::FairRates;
use super::flows::{FluidFlowState, FluidFlows};
use super::group::{FlowGroup, PendingWork};
use super::partition::FlowPartition;
use super::parts::{NONE, PartitionParts};
use crate::network::Agenda;
use crate::queue::index_u32;
use crate::time::Time;

/// Flows that share links.
#[derive(Debug)]
pub struct LinkSharing {
    flows: FluidFlows,
    /// The flows that wait for their rates.
    waiting: Vec<u32>,
    groups: Slab<FlowGroup>,
    /// The group of each link.
    group_of: Vec<u32>,
    /// Groups with pending work.
    due: Vec<u32>,
    /// Next finish of each group: time, group and stamp.
    finishes: BinaryHeap<Reverse<(Time, u32, u64)>>,
    /// The last stamp used.
    stamp: u64,
    partition: FlowPartition,
    parts: PartitionParts,
    /// The groups of the parts of the last partition.
    formed: Vec<u32>,
    fair_rates: FairRates,
    /// Time of the next wake-up requested for the network.
    alarm: Option<Time>,
}

impl LinkSharing {
    /// Creates links with these positive rates and without flows; a [`LinkId`] is an index into them.
    pub fn new(rates: impl IntoIterator<Item = BytesPerSecond>) -> Self {
        let rates: Vec<f64> = rates.into_iter().map(|rate| rate.0).collect();
        Self {
            flows: FluidFlows::default(),
            waiting: Vec::new(),
            groups: Slab::new(),
            group_of: vec![NONE; rates.len()],
            due: Vec::new(),
            finishes: BinaryHeap::new(),
            stamp: 0,
            partition: FlowPartition::new(rates),
            parts: PartitionParts::default(),
            formed: Vec::new(),
            fair_rates: FairRates::default(),
            alarm: None,
        }
    }

    /// Adds a flow of `bytes` over one or more different links. Its number must not be under way; small numbers save
    /// memory. The flow has a rate after the next [`LinkSharing::settle`].
    pub fn add(&mut self, flow: u32, route: &[LinkId], bytes: f64) {
        self.flows.insert(flow, route, bytes);
        self.waiting.push(flow);
    }

    /// Time at which the next flows finish, as of the last [`LinkSharing::settle`].
    pub fn next_finish(&self) -> Option<Time> {
        self.finishes.peek().map(|Reverse((time, ..))| *time)
    }

    /// Schedules a wake-up of the network at the next finish.
    pub(in crate::network) fn set_alarm(&mut self, token: u32, agenda: &mut Agenda) {
        let Some(next) = self.next_finish() else {
            return;
        };
        if self.alarm.is_none_or(|alarm| next < alarm) {
            agenda.schedule_wake(next, token);
            self.alarm = Some(next);
        }
    }

    /// True if the wake-up is due now; clears it.
    pub(in crate::network) fn is_due(&mut self, now: Time) -> bool {
        self.alarm.take_if(|alarm| *alarm == now).is_some()
    }

    /// Removes the flows that have finished by `now`, and calls `finished` with each.
    pub fn finish(&mut self, now: Time, mut finished: impl FnMut(u32)) {
        while let Some(&Reverse((time, number, stamp))) = self.finishes.peek() {
            if time > now {
                break;
            }
            self.finishes.pop();
            if !self.is_current(number, stamp) {
                continue;
            }
            self.set_due(number, PendingWork::Sharing);
            let flows = &mut self.flows;
            self.groups[number as usize].advance(now, |members| {
                for &flow in members {
                    flows.set_state(flow, FluidFlowState::Absent);
                    finished(flow);
                }
            });
        }
    }

    /// Sets the rates of all flows, at the end of an instant in which flows came or left.
    pub fn settle(&mut self, now: Time) {
        let routes = self.waiting.iter().map(|&flow| self.flows.route(flow));
        let groups = routes.flatten().map(|link| self.group_of[link.index()]);
        for number in groups.filter(|group| *group != NONE) {
            if self.groups[number as usize].raise(PendingWork::Regrouping) {
                self.due.push(number);
            }
        }
        let mut due = std::mem::take(&mut self.due);
        for number in due.drain(..) {
            match self.groups[number as usize].pending {
                PendingWork::Regrouping => self.dissolve(number, now),
                PendingWork::Sharing | PendingWork::Nothing => self.share(number, now),
            }
        }
        self.due = due;
        self.form_groups(now);
        self.drop_stale();
    }

    /// Number of bytes left of a flow; 0 if it is not under way.
    pub fn bytes_left(&self, flow: u32, now: Time) -> f64 {
        match self.flows.state(flow) {
            FluidFlowState::Absent => 0.0,
            FluidFlowState::Waiting(bytes) => bytes,
            FluidFlowState::InClass(group, class) => {
                let group = &self.groups[group as usize];
                group.bytes_left(&group.classes[class as usize], now)
            }
        }
    }

    /// The rate of a flow, if it has one.
    pub fn rate(&self, flow: u32) -> Option<BytesPerSecond> {
        let FluidFlowState::InClass(group, class) = self.flows.state(flow) else {
            return None;
        };
        let class = &self.groups[group as usize].classes[class as usize];
        Some(BytesPerSecond(class.rate))
    }

    fn set_due(&mut self, number: u32, due: PendingWork) {
        if self.groups[number as usize].raise(due) {
            self.due.push(number);
        }
    }

    /// Dissolves a group; its flows wait for new classes.
    fn dissolve(&mut self, number: u32, now: Time) {
        let group = &self.groups[number as usize];
        for class in group.classes.iter().filter(|class| class.is_active) {
            let left = group.bytes_left(class, now);
            for &flow in &group.flows[class.flows.clone()] {
                self.flows.set_state(flow, FluidFlowState::Waiting(left));
                self.waiting.push(flow);
            }
        }
        self.remove_group(number);
    }

    fn remove_group(&mut self, number: u32) {
        for link in self.groups.remove(number as usize).links {
            self.group_of[link.index()] = NONE;
        }
    }

    /// Sets the rates of the active classes of a group.
    fn share(&mut self, number: u32, now: Time) {
        let group = &mut self.groups[number as usize];
        group.pending = PendingWork::Nothing;
        self.fair_rates.set_rates(group);
        let Some(finish) = group.start_progress(now) else {
            self.remove_group(number);
            return;
        };
        self.stamp += 1;
        group.stamp = self.stamp;
        self.finishes.push(Reverse((finish, number, self.stamp)));
    }

    /// Forms groups of the waiting flows.
    fn form_groups(&mut self, now: Time) {
        if self.waiting.is_empty() {
            return;
        }
        self.partition.find(&self.flows, &self.waiting);
        self.waiting.clear();
        self.parts.find(&self.partition, &self.flows);
        self.formed.clear();
        for _ in 0..self.parts.count {
            let number = self.groups.insert(FlowGroup::default());
            self.formed.push(index_u32(number));
        }
        for class in 0..self.partition.classes() {
            self.form_class(class);
        }
        self.form_links();
        for place in 0..self.formed.len() {
            let number = self.formed[place];
            self.groups[number as usize].find_users();
            self.share(number, now);
        }
    }

    fn form_class(&mut self, class: usize) {
        let members = self.partition.members(class);
        let FluidFlowState::Waiting(bytes) = self.flows.state(members[0]) else {
            unreachable!("only flows that wait are in a new partition")
        };
        let link = self.flows.route(members[0])[0];
        let part = self.parts.part(self.partition.bundle(link));
        let number = self.formed[part];
        let group = &mut self.groups[number as usize];
        let here = FluidFlowState::InClass(number, index_u32(group.classes.len()));
        self.parts.add_class(group, &self.partition, class, &self.flows, bytes);
        for &flow in members {
            self.flows.set_state(flow, here);
        }
    }

    fn form_links(&mut self) {
        for &link in &self.partition.links {
            let bundle = self.partition.bundle(link);
            let number = self.formed[self.parts.part(bundle)];
            let group = &mut self.groups[number as usize];
            group.links.push(link);
            group.bundles[self.parts.number_within_part(bundle) as usize].links += 1;
            self.group_of[link.index()] = number;
        }
    }

    /// Drops the earliest finishes while they belong to outdated rates.
    fn drop_stale(&mut self) {
        while let Some(Reverse((_, number, stamp))) = self.finishes.peek() {
            if self.is_current(*number, *stamp) {
                return;
            }
            self.finishes.pop();
        }
    }

    /// True if a group still has the rates of this stamp.
    fn is_current(&self, number: u32, stamp: u64) -> bool {
        let group = self.groups.get(number as usize);
        group.is_some_and(|group| group.stamp == stamp)
    }
}

#[cfg(test)]
mod tests;
