//! Event queue: events by time, and events of the same time in order of insertion.
//!
//! Regular exchanges have many events at few times. Therefore the heap holds runs instead of
//! events: a run is a list of events of one time. An event joins the last run of its time if that
//! run is one of the few remembered ones; otherwise it begins a new run. Runs of the same time
//! are ordered by their begins, and no event joins a run after a later run of its time has begun;
//! so the order is always by (time, sequence).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use slab::Slab;

use super::time::Time;

/// Number of sets of remembered runs; a power of two.
const SETS: usize = 256;

/// Number of runs in a set.
const WAYS: usize = 4;

/// Marks the end of a list.
const NONE: u32 = u32::MAX;

/// Index into a slab or a table as the `u32` that events carry.
pub(super) fn index_u32(key: usize) -> u32 {
    u32::try_from(key).expect("fewer than 2^32 messages, events and flows at once")
}

/// List of events of one time.
#[derive(Debug, Clone, Copy)]
struct EventRun {
    time: Time,
    head: u32,
    tail: u32,
}

#[derive(Debug, Clone, Copy)]
struct QueueNode<E> {
    event: E,
    next: u32,
}

/// A queue of small events.
#[derive(Debug)]
pub struct EventQueue<E> {
    /// Runs other than the current one, by time and then by age.
    waiting: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// The run from which events are taken.
    current: u32,
    /// Number of runs begun so far.
    begun: u64,
    runs: Slab<EventRun>,
    nodes: Slab<QueueNode<E>>,
    /// Recently begun runs by set of times, at most one of each time.
    remembered: [[(Time, u32); WAYS]; SETS],
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self {
            waiting: BinaryHeap::new(),
            current: NONE,
            begun: 0,
            runs: Slab::new(),
            nodes: Slab::new(),
            remembered: [[(Time::ZERO, NONE); WAYS]; SETS],
        }
    }
}

impl<E: Copy> EventQueue<E> {
    /// Inserts an event.
    pub fn push(&mut self, time: Time, event: E) {
        let node = index_u32(self.nodes.insert(QueueNode { event, next: NONE }));
        let set = &self.remembered[set_of(time)];
        if let Some(&(_, known)) = set.iter().find(|known| is_run_of(time, known)) {
            let run = &mut self.runs[known as usize];
            self.nodes[run.tail as usize].next = node;
            run.tail = node;
            return;
        }
        self.begin(time, node);
    }

    /// Time of the next event, if any.
    pub fn next_time(&self) -> Option<Time> {
        if self.current != NONE {
            return Some(self.runs[self.current as usize].time);
        }
        self.waiting.peek().map(|Reverse((time, ..))| *time)
    }

    /// Removes and returns the next event.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        if self.current == NONE {
            let Reverse((.., run)) = self.waiting.pop()?;
            self.current = run;
        }
        let run = &mut self.runs[self.current as usize];
        let (time, head) = (run.time, run.head);
        let QueueNode { event, next } = self.nodes.remove(head as usize);
        run.head = next;
        if next == NONE {
            self.end(time);
        }
        Some((time, event))
    }

    /// Begins a run of one event. It is remembered in place of an ended run, or else of any run.
    fn begin(&mut self, time: Time, node: u32) {
        let run = EventRun {
            time,
            head: node,
            tail: node,
        };
        let place = index_u32(self.runs.insert(run));
        self.waiting.push(Reverse((time, self.begun, place)));
        self.begun += 1;
        let set = &mut self.remembered[set_of(time)];
        let free = set.iter().position(|known| known.1 == NONE);
        set[free.unwrap_or(place as usize % WAYS)] = (time, place);
    }

    /// Removes the current run, which is empty; no event can join it any more.
    fn end(&mut self, time: Time) {
        let set = &mut self.remembered[set_of(time)];
        if let Some(known) = set.iter_mut().find(|known| known.1 == self.current) {
            known.1 = NONE;
        }
        self.runs.remove(self.current as usize);
        self.current = NONE;
    }
}

/// Index of the set in which a run of this time is remembered.
fn set_of(time: Time) -> usize {
    let mixed = time.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> (u64::BITS - SETS.ilog2())).expect("few bits")
}

fn is_run_of(time: Time, known: &(Time, u32)) -> bool {
    known.1 != NONE && known.0 == time
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a sorted set; a third of the steps take an event out, and no event is inserted before the last one
        /// taken.
        #[test]
        fn events_come_by_time_and_then_in_their_order(
            steps in prop::collection::vec((0u64..200, 0u8..3), 0..600)
        ) {
            let (mut queue, mut expected) = (EventQueue::default(), BTreeSet::new());
            let mut now = Time::ZERO;
            let rest = std::iter::repeat_n((0, 0), steps.len() + 1);
            for (number, (delay, kind)) in steps.into_iter().chain(rest).enumerate() {
                if kind > 0 {
                    queue.push(now + Time(delay), number);
                    expected.insert((now + Time(delay), number));
                    continue;
                }
                let first = expected.pop_first();
                prop_assert_eq!(queue.next_time(), first.map(|(time, _)| time));
                prop_assert_eq!(queue.pop(), first);
                now = first.map_or(now, |(time, _)| time);
            }
        }
    }
}
