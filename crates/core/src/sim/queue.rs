//! What happens next: events by time, and those of the same time in the order in which they
//! were put in.
//!
//! Regular exchanges have many events at few times. So the heap holds runs, not events: a
//! run is a list of events of one time. An event joins the last run of its time, if that is
//! one of the few that are remembered, else it begins a new one. Runs of the same time are
//! ordered by their beginnings, and no event joins a run after a later run of its time has
//! begun; so the order is that of (time, sequence) throughout.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use slab::Slab;

use super::time::Time;

/// How many sets of runs are remembered; a power of two.
const SETS: usize = 256;

/// How many runs of a set.
const WAYS: usize = 4;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// A place in a slab or a table as the small number that events carry.
pub(super) fn place(key: usize) -> u32 {
    u32::try_from(key).expect("fewer than 2^32 messages, events and flows at once")
}

/// Events of one time in a row.
#[derive(Debug, Clone, Copy)]
struct Run {
    time: Time,
    head: u32,
    tail: u32,
}

#[derive(Debug, Clone, Copy)]
struct Node<E> {
    event: E,
    next: u32,
}

/// A queue of small events.
#[derive(Debug)]
pub struct Queue<E> {
    /// The runs that have not begun to be taken, by time and then by age.
    waiting: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// The run that is being taken.
    current: u32,
    /// How many runs there ever were.
    begun: u64,
    runs: Slab<Run>,
    nodes: Slab<Node<E>>,
    /// For each set of times some of the last runs that began, at most one of each time.
    remembered: [[(Time, u32); WAYS]; SETS],
}

impl<E: Copy> Default for Queue<E> {
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

impl<E: Copy> Queue<E> {
    /// Puts an event in.
    pub fn push(&mut self, time: Time, event: E) {
        let node = place(self.nodes.insert(Node { event, next: NONE }));
        let set = &self.remembered[set_of(time)];
        if let Some(&(_, known)) = set.iter().find(|known| is_run_of(time, known)) {
            let run = &mut self.runs[known as usize];
            self.nodes[run.tail as usize].next = node;
            run.tail = node;
            return;
        }
        self.begin(time, node);
    }

    /// When the next event is, if there is one.
    pub fn next_time(&self) -> Option<Time> {
        if self.current != NONE {
            return Some(self.runs[self.current as usize].time);
        }
        self.waiting.peek().map(|Reverse((time, ..))| *time)
    }

    /// Takes the next event out.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        if self.current == NONE {
            let Reverse((.., run)) = self.waiting.pop()?;
            self.current = run;
        }
        let run = &mut self.runs[self.current as usize];
        let (time, head) = (run.time, run.head);
        let Node { event, next } = self.nodes.remove(head as usize);
        run.head = next;
        if next == NONE {
            self.end(time);
        }
        Some((time, event))
    }

    /// A run of one event. It is remembered in place of one that has ended, or of any.
    fn begin(&mut self, time: Time, node: u32) {
        let run = Run {
            time,
            head: node,
            tail: node,
        };
        let place = place(self.runs.insert(run));
        self.waiting.push(Reverse((time, self.begun, place)));
        self.begun += 1;
        let set = &mut self.remembered[set_of(time)];
        let free = set.iter().position(|known| known.1 == NONE);
        set[free.unwrap_or(place as usize % WAYS)] = (time, place);
    }

    /// The current run is empty: nothing may join it any more.
    fn end(&mut self, time: Time) {
        let set = &mut self.remembered[set_of(time)];
        if let Some(known) = set.iter_mut().find(|known| known.1 == self.current) {
            known.1 = NONE;
        }
        self.runs.remove(self.current as usize);
        self.current = NONE;
    }
}

/// Where a run of this time is remembered.
fn set_of(time: Time) -> usize {
    let mixed = time.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> (u64::BITS - SETS.ilog2())).expect("few bits")
}

fn is_run_of(time: Time, known: &(Time, u32)) -> bool {
    known.1 != NONE && known.0 == time
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a sorted list; a third of the steps take an event out, and later events
        /// are never put before it.
        #[test]
        fn events_come_by_time_and_then_in_their_order(
            steps in prop::collection::vec((0u64..200, 0u8..3), 0..600)
        ) {
            let mut queue = Queue::default();
            let mut expected: Vec<(Time, usize)> = Vec::new();
            let mut now = Time::ZERO;
            let mut check = |queue: &mut Queue<usize>, expected: &mut Vec<(Time, usize)>| {
                expected.sort();
                let first = (!expected.is_empty()).then(|| expected.remove(0));
                prop_assert_eq!(queue.next_time(), first.map(|(time, _)| time));
                prop_assert_eq!(queue.pop(), first);
                now = first.map_or(now, |(time, _)| time);
                Ok(now)
            };
            let mut earliest = Time::ZERO;
            for (number, (delay, kind)) in steps.into_iter().enumerate() {
                if kind == 0 {
                    earliest = check(&mut queue, &mut expected)?;
                } else {
                    let time = earliest + Time(delay);
                    queue.push(time, number);
                    expected.push((time, number));
                }
            }
            while !expected.is_empty() {
                check(&mut queue, &mut expected)?;
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
