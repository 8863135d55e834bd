//! Groups: classes of flows that share links with each other and with no other class, and the
//! progress of their flows.

use std::ops::Range;

use netsig_base::network::LinkId;
use netsig_base::units::Seconds;

use crate::queue::index_u32;
use crate::time::Time;

/// Equivalent flows: equal numbers of bytes left, on equivalent links.
#[derive(Debug, Clone)]
pub(super) struct FlowClass {
    /// Range of its flows in the group.
    pub(super) flows: Range<usize>,
    /// Range of its uses in the group.
    pub(super) uses: Range<usize>,
    /// Bytes left of each flow when the rates were last set.
    pub(super) bytes: f64,
    /// The rate of each flow in bytes per second.
    pub(super) rate: f64,
    /// Time at which all its flows finish.
    pub(super) finish: Time,
    /// True until its flows finish.
    pub(super) is_active: bool,
}

impl FlowClass {
    /// Bytes left of each flow, `elapsed` after the rates were set.
    fn bytes_left_after(&self, elapsed: Time) -> f64 {
        (self.bytes - self.rate * elapsed.seconds().0).max(0.0)
    }
}

/// Number of links of a bundle that each flow of a class uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct BundleUse {
    pub(super) bundle: u32,
    pub(super) links: u32,
}

/// Equivalent links.
#[derive(Debug, Clone)]
pub(super) struct LinkBundle {
    /// Rate of each link in bytes per second.
    pub(super) rate: f64,
    /// Number of links.
    pub(super) links: u32,
    /// Range of its classes in the group's `users`; empty before [`FlowGroup::find_users`].
    pub(super) users: Range<usize>,
}

/// Work pending on a group until the end of the present instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum PendingWork {
    /// Nothing.
    #[default]
    Nothing,
    /// Classes have finished: share the links again among the other classes.
    Sharing,
    /// Flows were added: put all flows into new classes.
    Regrouping,
}

/// Classes that are connected by links.
#[derive(Debug, Default)]
pub(super) struct FlowGroup {
    pub(super) pending: PendingWork,
    /// Number of the present rates, unique over time and groups.
    pub(super) stamp: u64,
    pub(super) classes: Vec<FlowClass>,
    /// The flows by class.
    pub(super) flows: Vec<u32>,
    /// The uses by class.
    pub(super) uses: Vec<BundleUse>,
    pub(super) bundles: Vec<LinkBundle>,
    /// The classes by bundle.
    pub(super) users: Vec<u32>,
    /// The links of all bundles.
    pub(super) links: Vec<LinkId>,
    /// Time at which the rates were last set.
    since: Time,
}

impl FlowGroup {
    /// Raises the pending work; true if none was pending before.
    pub(super) fn raise(&mut self, due: PendingWork) -> bool {
        let before = self.pending;
        self.pending = before.max(due);
        before == PendingWork::Nothing
    }

    /// Finds the users of all bundles from the uses of all classes.
    pub(super) fn find_users(&mut self) {
        for used in &self.uses {
            self.bundles[used.bundle as usize].users.end += 1;
        }
        let mut end = 0;
        for bundle in &mut self.bundles {
            let count = bundle.users.len();
            bundle.users = end..end;
            end += count;
        }
        self.users.resize(end, 0);
        for (number, class) in self.classes.iter().enumerate() {
            for used in &self.uses[class.uses.clone()] {
                let end = &mut self.bundles[used.bundle as usize].users.end;
                self.users[*end] = index_u32(number);
                *end += 1;
            }
        }
    }

    /// Bytes left of each flow of an active class.
    pub(super) fn bytes_left(&self, class: &FlowClass, now: Time) -> f64 {
        class.bytes_left_after(now - self.since)
    }

    /// Advances to `now`; calls `finished` for each class that finishes by then, and deactivates
    /// it.
    pub(super) fn advance(&mut self, now: Time, mut finished: impl FnMut(&[u32])) {
        let elapsed = now - self.since;
        for class in self.classes.iter_mut().filter(|class| class.is_active) {
            if class.finish <= now {
                finished(&self.flows[class.flows.clone()]);
                class.is_active = false;
            } else {
                class.bytes = class.bytes_left_after(elapsed);
            }
        }
        self.since = now;
    }

    /// Starts progress at `now` with the present rates. Returns the first finish of an active
    /// class, rounded to a picosecond so that rounding errors do not separate equal finishes.
    pub(super) fn start_progress(&mut self, now: Time) -> Option<Time> {
        self.since = now;
        let active = self.classes.iter_mut().filter(|class| class.is_active);
        let finishes = active.map(|class| {
            class.finish = now + Time::of(Seconds(class.bytes / class.rate));
            class.finish
        });
        finishes.min()
    }
}

/// Number of flows of a class on each of the `links` of a bundle.
pub(super) fn flows_per_link(class: &FlowClass, used: BundleUse, links: u32) -> u64 {
    class.flows.len() as u64 * u64::from(used.links) / u64::from(links)
}
