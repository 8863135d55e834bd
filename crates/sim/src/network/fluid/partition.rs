//! Partitions flows into classes and links into bundles. No sharing of the links could distinguish the members of a
//! class or bundle.
//!
//! # Method
//! Colour refinement. The first colour of a flow is its number of bytes left, the first colour of a link its rate.
//! Then each link takes a new colour from its own colour and its flows' colours, and each flow from its own colour
//! and its links' colours. This is repeated until no more colours appear. Colours are 64-bit hashes; the colours of a
//! neighbourhood are added, so their order does not matter.
//!
//! The result is equitable: flows of a class have equally many links in each bundle, and links of a bundle carry
//! equally many flows of each class. Two of k colours collide by chance with probability k²/2⁶⁵, 3·10⁻⁸ for a
//! million.
//!
//! If all flows differ, every link becomes a bundle of its own; this is equitable as well, and it
//! ends the search early without symmetry.
//!
//! # Source
//! Weisfeiler and Leman 1968 (refinement); Grohe, Kersting, Mladenov, Selman 2014 (equitable
//! partitions reduce linear programs); the hash is the finaliser of Steele, Lea, Flood 2014
//! (`SplitMix64`).

use netsig_base::network::LinkId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::flows::{FluidFlowState, FluidFlows};
use crate::queue::index_u32;

/// Classes and bundles of the last search.
#[derive(Debug)]
pub(super) struct FlowPartition {
    /// The rate of each link.
    pub(super) rates: Vec<f64>,
    /// Links of the searched flows, once each.
    pub(super) links: Vec<LinkId>,
    link_colours: Vec<u64>,
    link_sums: Vec<u64>,
    flow_colours: Vec<u64>,
    seen: FxHashSet<u64>,
    numbers: FxHashMap<u64, u32>,
    /// The flows by class.
    members: Vec<u32>,
    /// Start of each class in `members`, and the end of the last class.
    starts: Vec<u32>,
    /// Bundle of each link; stale for links outside the last search.
    bundles: Vec<u32>,
    pub(super) bundle_count: usize,
}

impl FlowPartition {
    /// Creates a partition for links of these rates.
    pub(super) fn new(rates: Vec<f64>) -> Self {
        Self {
            links: Vec::new(),
            link_colours: vec![0; rates.len()],
            link_sums: vec![0; rates.len()],
            flow_colours: Vec::new(),
            seen: FxHashSet::default(),
            numbers: FxHashMap::default(),
            members: Vec::new(),
            starts: Vec::new(),
            bundles: vec![0; rates.len()],
            bundle_count: 0,
            rates,
        }
    }

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The flows of a class.
    pub(super) fn members(&self, class: usize) -> &[u32] {
        &self.members[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The bundle of a link.
    pub(super) fn bundle(&self, link: LinkId) -> u32 {
        self.bundles[link.index()]
    }

    /// Finds the classes and bundles of the flows in `waiting`.
    pub(super) fn find(&mut self, flows: &FluidFlows, waiting: &[u32]) {
        self.begin(flows, waiting);
        let mut count = 0;
        loop {
            let kinds = self.count_flow_colours();
            if kinds == waiting.len() {
                self.set_links_apart();
                break;
            }
            let next = kinds + self.count_link_colours();
            if next == count {
                break;
            }
            count = next;
            self.colour_links(flows, waiting);
            self.colour_flows(flows, waiting);
        }
        self.number_flows(waiting);
        self.number_links();
    }

    /// Sets the first colours.
    fn begin(&mut self, flows: &FluidFlows, waiting: &[u32]) {
        self.flow_colours.clear();
        self.links.clear();
        for &flow in waiting {
            let FluidFlowState::Waiting(bytes) = flows.state(flow) else {
                unreachable!("only flows that wait are searched")
            };
            self.flow_colours.push(mix(bytes.to_bits()));
            for &link in flows.route(flow) {
                // A sum of 1 marks a link that is already listed.
                if self.link_sums[link.index()] == 0 {
                    self.link_sums[link.index()] = 1;
                    self.link_colours[link.index()] = mix(self.rates[link.index()].to_bits());
                    self.links.push(link);
                }
            }
        }
        self.clear_sums();
    }

    fn clear_sums(&mut self) {
        for link in &self.links {
            self.link_sums[link.index()] = 0;
        }
    }

    fn colour_links(&mut self, flows: &FluidFlows, waiting: &[u32]) {
        for (&flow, &colour) in waiting.iter().zip(&self.flow_colours) {
            for &link in flows.route(flow) {
                let sum = &mut self.link_sums[link.index()];
                *sum = sum.wrapping_add(colour);
            }
        }
        for link in &self.links {
            let colour = &mut self.link_colours[link.index()];
            *colour = combine_colours(*colour, self.link_sums[link.index()]);
        }
        self.clear_sums();
    }

    fn colour_flows(&mut self, flows: &FluidFlows, waiting: &[u32]) {
        for (&flow, colour) in waiting.iter().zip(&mut self.flow_colours) {
            let route = flows.route(flow).iter();
            let colours = route.map(|link| self.link_colours[link.index()]);
            *colour = combine_colours(*colour, colours.fold(0, u64::wrapping_add));
        }
    }

    fn count_flow_colours(&mut self) -> usize {
        count(&mut self.seen, self.flow_colours.iter().copied())
    }

    fn count_link_colours(&mut self) -> usize {
        let links = self.links.iter();
        let colours = links.map(|link| self.link_colours[link.index()]);
        count(&mut self.seen, colours)
    }

    fn set_links_apart(&mut self) {
        for link in &self.links {
            self.link_colours[link.index()] = mix(u64::from(link.0));
        }
    }

    /// Sorts the flows by class, classes in the order of their first flows.
    fn number_flows(&mut self, waiting: &[u32]) {
        self.numbers.clear();
        self.starts.clear();
        for colour in &mut self.flow_colours {
            let next = self.numbers.len();
            let class = *self.numbers.entry(*colour).or_insert_with(|| index_u32(next));
            if class as usize == self.starts.len() {
                self.starts.push(0);
            }
            self.starts[class as usize] += 1;
            *colour = u64::from(class);
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += std::mem::replace(start, end);
        }
        self.members.clear();
        self.members.resize(waiting.len(), 0);
        for (&flow, &class) in waiting.iter().zip(&self.flow_colours) {
            let place = &mut self.starts[usize::try_from(class).expect("it was a u32")];
            self.members[*place as usize] = flow;
            *place += 1;
        }
        // Each start has become the end of its class.
        self.starts.insert(0, 0);
    }

    fn number_links(&mut self) {
        self.numbers.clear();
        for link in &self.links {
            let next = index_u32(self.numbers.len());
            let colour = self.link_colours[link.index()];
            self.bundles[link.index()] = *self.numbers.entry(colour).or_insert(next);
        }
        self.bundle_count = self.numbers.len();
    }
}

/// Number of different colours.
fn count(seen: &mut FxHashSet<u64>, colours: impl Iterator<Item = u64>) -> usize {
    seen.clear();
    let mut last = None;
    for colour in colours {
        // Equal colours are often adjacent.
        if last != Some(colour) {
            seen.insert(colour);
            last = Some(colour);
        }
    }
    seen.len()
}

/// Combines a colour with a sum of other colours.
fn combine_colours(colour: u64, sum: u64) -> u64 {
    mix(mix(colour).wrapping_add(sum))
}

/// `SplitMix64`'s finaliser, with its increment so that 0 does not map to 0.
fn mix(value: u64) -> u64 {
    let incremented = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed_once = (incremented ^ (incremented >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed_twice = (mixed_once ^ (mixed_once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed_twice ^ (mixed_twice >> 31)
}
