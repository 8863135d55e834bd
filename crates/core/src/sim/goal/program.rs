//! The program of one rank, small in memory: operations, labels and dependencies in flat
//! arrays.

use std::collections::HashMap;
use std::ops::Range;

use crate::units::{Bytes, Rank};

/// Stands for any rank and any tag, as in `LogGOPSim`.
pub(super) const ANY: u32 = u32::MAX;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A message out.
    Send {
        /// The receiver.
        to: Rank,
        /// Its length.
        size: Bytes,
        /// What the receiver knows it by; without, it fits every tag.
        tag: Option<u32>,
    },
    /// A message in.
    Receive {
        /// The sender, or any.
        from: Option<Rank>,
        /// Its length.
        size: Bytes,
        /// What it is known by; without, every tag fits.
        tag: Option<u32>,
    },
    /// Work of the rank's own.
    Calculate {
        /// How long it takes.
        nanoseconds: u64,
    },
}

/// The program of one rank: operations, numbered from 0 in the order of the file, and which
/// wait for which. No operation waits for itself, by whatever detour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankProgram {
    operations: Vec<Operation>,
    /// All labels in a row.
    labels: String,
    /// Where each operation's label ends; the next one's begins there.
    label_ends: Vec<u32>,
    /// `2i` and `2i + 1`: where those begin that wait for the end and for the start of i.
    bounds: Vec<u32>,
    successors: Vec<u32>,
    predecessor_counts: Vec<u32>,
}

/// What of an operation is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    End,
    Start,
}

/// An operation as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub action: Action,
    /// The processor that it takes.
    pub cpu: u8,
    /// The network interface that it takes; 0 of a calculation.
    pub nic: u8,
}

impl Action {
    /// The statement, with these words for any rank and for any tag.
    pub(super) fn statement(self, any_rank: &str, any_tag: &str) -> String {
        let tag_or_any =
            |tag: Option<u32>| tag.map_or(any_tag.to_owned(), |tag| format!("tag {tag}"));
        match self {
            Self::Send { to, size, tag } => {
                format!("send {}b to {to} {}", size.0, tag_or_any(tag))
            }
            Self::Receive { from, size, tag } => {
                let from = from.map_or(any_rank.to_owned(), |rank| rank.to_string());
                format!("recv {}b from {from} {}", size.0, tag_or_any(tag))
            }
            Self::Calculate { nanoseconds } => format!("calc {nanoseconds}"),
        }
    }
}

impl RankProgram {
    /// The numbers of all operations.
    pub fn indices(&self) -> Range<u32> {
        0..count(self.operations.len())
    }

    /// Operation `index`.
    pub fn operation(&self, index: u32) -> Operation {
        self.operations[index as usize]
    }

    /// What operation `index` does.
    pub fn action(&self, index: u32) -> Action {
        self.operation(index).action
    }

    /// What the file calls operation `index`, if it has a name.
    pub fn label(&self, index: u32) -> Option<&str> {
        let index = index as usize;
        let start = match index {
            0 => 0,
            _ => self.label_ends[index - 1] as usize,
        };
        let label = &self.labels[start..self.label_ends[index] as usize];
        (!label.is_empty()).then_some(label)
    }

    /// The operations that begin after `index` has ended, once for each statement.
    pub fn after_end(&self, index: u32) -> &[u32] {
        self.waiting_for(index, Event::End)
    }

    /// The operations that begin after `index` has begun, once for each statement.
    pub fn after_start(&self, index: u32) -> &[u32] {
        self.waiting_for(index, Event::Start)
    }

    /// For each operation, how many ends and starts it waits for: how often it is in
    /// [`RankProgram::after_end`] and [`RankProgram::after_start`].
    pub fn predecessor_counts(&self) -> &[u32] {
        &self.predecessor_counts
    }

    pub(super) fn waiting_for(&self, index: u32, event: Event) -> &[u32] {
        let slot = slot(index, event);
        &self.successors[self.bounds[slot] as usize..self.bounds[slot + 1] as usize]
    }
}

fn slot(index: u32, event: Event) -> usize {
    2 * index as usize + event as usize
}

/// A program that grows. Nothing of it may count beyond 2³² − 1.
#[derive(Debug, Default)]
pub(super) struct Builder<'a> {
    operations: Vec<Operation>,
    labels: String,
    label_ends: Vec<u32>,
    numbers: HashMap<&'a str, u32>,
    /// What is waited for, as a place among the bounds, and what waits.
    dependencies: Vec<(usize, u32)>,
}

impl<'a> Builder<'a> {
    /// The operation of that label.
    pub fn number(&self, label: &str) -> Option<u32> {
        self.numbers.get(label).copied()
    }

    /// Adds an operation with a new label, or with the empty one.
    pub fn push(&mut self, label: &'a str, operation: Operation) {
        if !label.is_empty() {
            self.numbers.insert(label, count(self.operations.len()));
        }
        self.labels.push_str(label);
        self.label_ends.push(count(self.labels.len()));
        self.operations.push(operation);
    }

    /// Operation `after` begins only after that event of `before`.
    pub fn depend(&mut self, after: u32, before: u32, event: Event) {
        self.dependencies.push((slot(before, event), after));
    }

    /// The program, in which there may still be cycles.
    pub fn finish(mut self) -> RankProgram {
        self.operations.shrink_to_fit();
        self.labels.shrink_to_fit();
        self.label_ends.shrink_to_fit();
        let mut predecessor_counts = vec![0; self.operations.len()];
        for &(_, after) in &self.dependencies {
            predecessor_counts[after as usize] += 1;
        }
        let (bounds, successors) = by_event(self.operations.len(), &self.dependencies);
        RankProgram {
            operations: self.operations,
            labels: self.labels,
            label_ends: self.label_ends,
            bounds,
            successors,
            predecessor_counts,
        }
    }
}

/// Sorts dependencies by what they wait for, those alike in their order: the bounds of each
/// event's share and the shares.
fn by_event(operations: usize, dependencies: &[(usize, u32)]) -> (Vec<u32>, Vec<u32>) {
    // Each event's count stands two places on, so that filling moves every bound into place.
    let mut bounds = vec![0_u32; 2 * operations + 2];
    for (slot, _) in dependencies {
        if let Some(bound) = bounds.get_mut(slot + 2) {
            *bound += 1;
        }
    }
    for index in 1..bounds.len() {
        bounds[index] += bounds[index - 1];
    }
    let mut successors = vec![0; dependencies.len()];
    for &(slot, after) in dependencies {
        let bound = &mut bounds[slot + 1];
        successors[*bound as usize] = after;
        *bound += 1;
    }
    bounds.pop();
    (bounds, successors)
}

fn count(length: usize) -> u32 {
    u32::try_from(length).expect("a block is read only up to 4 GiB")
}
