//! Max–min fair rates by progressive filling: all rates grow equally until a link is full; the flows of this link
//! keep their rates, and the other rates grow further.
//!
//! # Formula
//! The share of a link is (rate − Σ rates of its fixed flows) / number of its other flows. The
//! links of the least share fix the rates of their flows at this share, and so on. Shares never
//! decrease, so a heap finds the least one.
//!
//! All steps work on classes of flows and bundles of links, with the same result. Links of a bundle begin with equal
//! rates and the same classes, so their shares are equal at each step. Flows of a class cross equivalent links, so
//! their rates are fixed in the same step.
//!
//! # Choices
//! Shares within 10⁻¹² of each other (relative) count as equal, so that rounding errors cause no
//! additional steps.
//!
//! # Source
//! Bertsekas and Gallager 1992, Data Networks, section 6.5.2.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::group::{BundleUse, FlowGroup, flows_per_link};

/// Relative difference below which shares are equal.
const TOLERANCE: f64 = 1e-12;

/// Rate left on each link of a bundle, and number of its flows without a rate.
#[derive(Debug, Clone, Copy)]
struct RemainingRate {
    rate: f64,
    flows: u64,
}

impl RemainingRate {
    /// The share as bits, which have the order of the positive numbers.
    fn share(self) -> u64 {
        (self.rate / self.flows as f64).max(0.0).to_bits()
    }
}

/// Computes rates; reuses its memory.
#[derive(Debug, Default)]
pub(super) struct FairRates {
    remaining: Vec<RemainingRate>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl FairRates {
    /// Sets the rates of all active classes.
    pub(super) fn set_rates(&mut self, group: &mut FlowGroup) {
        self.reset(group);
        let mut level = 0.0;
        while let Some(Reverse((share, bundle))) = self.heap.pop() {
            let room = self.remaining[bundle as usize];
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
            self.fix_rates(group, bundle, level);
        }
    }

    fn reset(&mut self, group: &mut FlowGroup) {
        self.remaining.clear();
        let room = |rate| RemainingRate { rate, flows: 0 };
        let rooms = group.bundles.iter().map(|bundle| room(bundle.rate));
        self.remaining.extend(rooms);
        let FlowGroup {
            classes, uses, bundles, ..
        } = group;
        for class in classes.iter_mut().filter(|class| class.is_active) {
            class.rate = 0.0;
            for &used in &uses[class.uses.clone()] {
                let links = bundles[used.bundle as usize].links;
                self.remaining[used.bundle as usize].flows += flows_per_link(class, used, links);
            }
        }
        self.heap.clear();
        let shares = (0..).zip(&self.remaining).filter(|(_, room)| room.flows > 0);
        self.heap
            .extend(shares.map(|(bundle, room)| Reverse((room.share(), bundle))));
    }

    /// Sets the rate of all flows of a bundle that have none.
    fn fix_rates(&mut self, group: &mut FlowGroup, bundle: u32, rate: f64) {
        let FlowGroup {
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
                let BundleUse { bundle, .. } = used;
                let flows = flows_per_link(class, used, bundles[bundle as usize].links);
                let room = &mut self.remaining[bundle as usize];
                room.rate -= rate * flows as f64;
                room.flows -= flows;
            }
        }
    }
}
