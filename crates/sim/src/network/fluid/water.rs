//! Max–min fair rates by progressive filling: all rates grow equally until a link is full; the
//! flows of this link keep their rates, and the others grow on.
//!
//! # Formula
//! The share of a link is (rate − Σ rates of its fixed flows) / number of its other flows. The
//! links of the least share fix the rates of their flows at this share, and so on. Shares never
//! decrease, so a heap finds the least one.
//!
//! All steps work on classes and bundles, with the same result: links of a bundle begin with
//! equal rates and flows of the same classes, so their shares are equal at each step; flows of a
//! class cross equivalent links, so they are fixed in the same step.
//!
//! # Choices
//! Shares within 10⁻¹² of each other (relative) count as equal, so that rounding errors cause no
//! additional steps.
//!
//! # Source
//! Bertsekas and Gallager 1992, Data Networks, section 6.5.2.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::group::{Group, Use, flows_per_link};

/// Relative difference below which shares are equal.
const TOLERANCE: f64 = 1e-12;

/// Rate left on each link of a bundle, and number of its flows without a rate.
#[derive(Debug, Clone, Copy)]
struct Room {
    rate: f64,
    flows: u64,
}

impl Room {
    /// The share as bits, which have the order of the positive numbers.
    fn share(self) -> u64 {
        (self.rate / self.flows as f64).max(0.0).to_bits()
    }
}

/// Computes rates; reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Water {
    rooms: Vec<Room>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Water {
    /// Sets the rates of all active classes.
    pub(super) fn fill(&mut self, group: &mut Group) {
        self.begin(group);
        let mut level = 0.0;
        while let Some(Reverse((share, bundle))) = self.heap.pop() {
            let room = self.rooms[bundle as usize];
            if room.flows == 0 {
                continue;
            }
            if room.share() > share {
                self.heap.push(Reverse((room.share(), bundle)));
                continue;
            }
            let share = f64::from_bits(share);
            if share > level * (1.0 + TOLERANCE) {
                level = share;
            }
            self.fix(group, bundle, level);
        }
    }

    fn begin(&mut self, group: &mut Group) {
        self.rooms.clear();
        let room = |rate| Room { rate, flows: 0 };
        let rooms = group.bundles.iter().map(|bundle| room(bundle.rate));
        self.rooms.extend(rooms);
        let Group {
            classes, uses, bundles, ..
        } = group;
        for class in classes.iter_mut().filter(|class| class.is_active) {
            class.rate = 0.0;
            for &used in &uses[class.uses.clone()] {
                let links = bundles[used.bundle as usize].links;
                self.rooms[used.bundle as usize].flows += flows_per_link(class, used, links);
            }
        }
        self.heap.clear();
        let shares = (0..).zip(&self.rooms).filter(|(_, room)| room.flows > 0);
        self.heap
            .extend(shares.map(|(bundle, room)| Reverse((room.share(), bundle))));
    }

    /// Sets the rate of all flows of a bundle that have none.
    fn fix(&mut self, group: &mut Group, bundle: u32, rate: f64) {
        let Group {
            classes,
            uses,
            bundles,
            users,
            ..
        } = group;
        for &user in &users[bundles[bundle as usize].users.clone()] {
            let class = &mut classes[user as usize];
            if !class.is_active || class.rate > 0.0 {
                continue;
            }
            class.rate = rate;
            for &used in &uses[class.uses.clone()] {
                let Use { bundle, .. } = used;
                let flows = flows_per_link(class, used, bundles[bundle as usize].links);
                let room = &mut self.rooms[bundle as usize];
                room.rate -= rate * flows as f64;
                room.flows -= flows;
            }
        }
    }
}
