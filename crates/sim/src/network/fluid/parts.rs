//! Parts of a partition: classes that are connected by links, directly or through other classes.
//! Each part becomes a group.

use super::flows::FluidFlows;
use super::group::{BundleUse, FlowClass, FlowGroup, LinkBundle};
use super::partition::FlowPartition;
use crate::queue::index_u32;
use crate::time::Time;

/// No group or bundle.
pub(super) const NONE: u32 = u32::MAX;

/// Splits partitions into groups; reuses its memory.
#[derive(Debug, Default)]
pub(super) struct PartitionParts {
    /// Parent of each bundle: another bundle of its part, or itself at the root of the part.
    parents: Vec<u32>,
    /// Number of each part, stored at its root.
    numbers: Vec<u32>,
    /// Number of each bundle within its part.
    within: Vec<u32>,
    /// Number of parts.
    pub(super) count: usize,
}

impl PartitionParts {
    /// Finds the parts.
    pub(super) fn find(&mut self, partition: &FlowPartition, flows: &FluidFlows) {
        let bundles = index_u32(partition.bundle_count);
        self.parents.clear();
        self.parents.extend(0..bundles);
        for table in [&mut self.numbers, &mut self.within] {
            table.clear();
            table.resize(bundles as usize, NONE);
        }
        for class in 0..partition.classes() {
            let mut route = flows.route(partition.members(class)[0]).iter();
            let first_link = route.next().expect("flows cross links");
            let first = self.root(partition.bundle(*first_link));
            for link in route {
                let other = self.root(partition.bundle(*link));
                self.parents[other as usize] = first;
            }
        }
        self.count = 0;
        for bundle in 0..bundles {
            let root = self.root(bundle) as usize;
            if self.numbers[root] == NONE {
                self.numbers[root] = index_u32(self.count);
                self.count += 1;
            }
        }
    }

    /// The part of a bundle.
    pub(super) fn part(&mut self, bundle: u32) -> usize {
        let root = self.root(bundle);
        self.numbers[root as usize] as usize
    }

    /// The number of a bundle within its part.
    pub(super) fn number_within_part(&self, bundle: u32) -> u32 {
        self.within[bundle as usize]
    }

    /// Adds a class of the partition to the group of its part.
    pub(super) fn add_class(
        &mut self,
        group: &mut FlowGroup,
        partition: &FlowPartition,
        class: usize,
        flows: &FluidFlows,
        bytes: f64,
    ) {
        let members = partition.members(class);
        let (first_flow, first_use) = (group.flows.len(), group.uses.len());
        group.flows.extend_from_slice(members);
        for &link in flows.route(members[0]) {
            let number = &mut self.within[partition.bundle(link) as usize];
            if *number == NONE {
                *number = index_u32(group.bundles.len());
                group.bundles.push(LinkBundle {
                    rate: partition.rates[link.index()],
                    links: 0,
                    users: 0..0,
                });
            }
            let bundle = *number;
            match group.uses[first_use..].iter_mut().find(|used| used.bundle == bundle) {
                Some(used) => used.links += 1,
                None => group.uses.push(BundleUse { bundle, links: 1 }),
            }
        }
        group.classes.push(FlowClass {
            flows: first_flow..group.flows.len(),
            uses: first_use..group.uses.len(),
            bytes,
            rate: 0.0,
            finish: Time::MAX,
            is_active: true,
        });
    }

    /// Root of the part of a bundle; shortens the path to it.
    fn root(&mut self, mut bundle: u32) -> u32 {
        loop {
            let parent = self.parents[bundle as usize];
            if parent == bundle {
                return bundle;
            }
            let next = self.parents[parent as usize];
            self.parents[bundle as usize] = next;
            bundle = next;
        }
    }
}
