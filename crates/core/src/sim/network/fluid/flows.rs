//! The flows under way: their routes, in one piece of memory that is used again, and where
//! each stands.

use crate::network::topology::LinkId;

/// Where a flow stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    /// It is not under way.
    Out,
    /// Its rate is not known yet; so many bytes are left.
    Waiting(f64),
    /// It is one of a class, by the numbers of its group and of the class within.
    In(u32, u32),
}

#[derive(Debug, Clone, Copy)]
struct Flow {
    start: u32,
    length: u32,
    state: State,
}

/// Flows by number; numbers are used again.
#[derive(Debug, Default)]
pub(super) struct Flows {
    entries: Vec<Flow>,
    links: Vec<LinkId>,
    /// Where routes of each length can be written.
    free: Vec<Vec<u32>>,
}

impl Flows {
    /// Takes a flow in, which waits for its rate.
    pub(super) fn insert(&mut self, number: u32, route: &[LinkId], bytes: f64) {
        let flow = Flow {
            start: self.place(route),
            length: index(route.len()),
            state: State::Waiting(bytes),
        };
        let out = Flow {
            start: 0,
            length: 0,
            state: State::Out,
        };
        let at = number as usize;
        if self.entries.len() <= at {
            self.entries.resize(at + 1, out);
        }
        self.entries[at] = flow;
    }

    /// Takes a flow out.
    pub(super) fn release(&mut self, number: u32) {
        let flow = &mut self.entries[number as usize];
        flow.state = State::Out;
        let length = flow.length as usize;
        if self.free.len() <= length {
            self.free.resize(length + 1, Vec::new());
        }
        self.free[length].push(flow.start);
    }

    pub(super) fn state(&self, number: u32) -> State {
        let flow = self.entries.get(number as usize);
        flow.map_or(State::Out, |flow| flow.state)
    }

    pub(super) fn set_state(&mut self, number: u32, state: State) {
        self.entries[number as usize].state = state;
    }

    pub(super) fn route(&self, number: u32) -> &[LinkId] {
        let Flow { start, length, .. } = self.entries[number as usize];
        &self.links[start as usize..][..length as usize]
    }

    /// Writes a route down and says where.
    fn place(&mut self, route: &[LinkId]) -> u32 {
        let free = self.free.get_mut(route.len());
        if let Some(start) = free.and_then(Vec::pop) {
            self.links[start as usize..][..route.len()].copy_from_slice(route);
            return start;
        }
        self.links.extend_from_slice(route);
        index(self.links.len() - route.len())
    }
}

/// A number of flows or links, or a place among them.
pub(super) fn index(place: usize) -> u32 {
    u32::try_from(place).expect("fewer than 2^32 flows and links of their routes at once")
}
