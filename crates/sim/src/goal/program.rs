//! Compact program of one rank: operations, labels and dependencies in flat arrays.

use std::collections::HashMap;
use std::ops::Range;

use netsig_base::units::{Bytes, Rank};

/// Any rank or any tag, as in `LogGOPSim`.
pub(super) const ANY: u32 = u32::MAX;

/// Action of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalAction {
    /// Sends a message.
    Send {
        /// The receiver.
        to: Rank,
        /// Length of the message.
        size: Bytes,
        /// The tag; `None` fits a receive with any tag.
        tag: Option<u32>,
    },
    /// Receives a message.
    Receive {
        /// The sender; `None` for any rank.
        from: Option<Rank>,
        /// Length in the statement; the message may have another length.
        size: Bytes,
        /// The tag; `None` fits a message with any tag.
        tag: Option<u32>,
    },
    /// Computes.
    Calculate {
        /// Duration of the computation.
        nanoseconds: u64,
    },
}

/// The program of one rank: operations, numbered from 0 in the order of the file, and the
/// dependencies among them, which form no cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalRankProgram {
    operations: Vec<GoalOperation>,
    /// All labels, concatenated.
    labels: String,
    /// End of each operation's label; the next label begins there.
    label_ends: Vec<u32>,
    /// Entries `2i` and `2i + 1`: first of the successors that wait for the end and for the start of operation i.
    bounds: Vec<u32>,
    successors: Vec<u32>,
    predecessor_counts: Vec<u32>,
}

/// Event of an operation that others wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoalEvent {
    End,
    Start,
}

/// An operation as written in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoalOperation {
    /// The action.
    pub action: GoalAction,
    /// The processor that executes the operation.
    pub cpu: u8,
    /// The network interface; 0 for a calculation.
    pub nic: u8,
}

impl GoalAction {
    /// The statement, with the given words for any rank and for any tag.
    pub(super) fn statement(self, any_rank: &str, any_tag: &str) -> String {
        let tag_or_any = |tag: Option<u32>| tag.map_or(any_tag.to_owned(), |tag| format!("tag {tag}"));
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

impl GoalRankProgram {
    /// The numbers of all operations.
    pub fn indices(&self) -> Range<u32> {
        0..count(self.operations.len())
    }

    /// Operation `index`.
    pub fn operation(&self, index: u32) -> GoalOperation {
        self.operations[index as usize]
    }

    /// Action of operation `index`.
    pub fn action(&self, index: u32) -> GoalAction {
        self.operation(index).action
    }

    /// Label of operation `index` in the file, if it has one.
    pub fn label(&self, index: u32) -> Option<&str> {
        let index = index as usize;
        let start = match index {
            0 => 0,
            _ => self.label_ends[index - 1] as usize,
        };
        let label = &self.labels[start..self.label_ends[index] as usize];
        (!label.is_empty()).then_some(label)
    }

    /// The operations that begin after the end of `index`, once for each statement.
    pub fn after_end(&self, index: u32) -> &[u32] {
        self.waiting_for(index, GoalEvent::End)
    }

    /// The operations that begin after the start of `index`, once for each statement.
    pub fn after_start(&self, index: u32) -> &[u32] {
        self.waiting_for(index, GoalEvent::Start)
    }

    /// For each operation, the number of ends and starts it waits for: its occurrences in
    /// [`GoalRankProgram::after_end`] and [`GoalRankProgram::after_start`].
    pub fn predecessor_counts(&self) -> &[u32] {
        &self.predecessor_counts
    }

    pub(super) fn waiting_for(&self, index: u32, event: GoalEvent) -> &[u32] {
        let slot = slot(index, event);
        &self.successors[self.bounds[slot] as usize..self.bounds[slot + 1] as usize]
    }
}

fn slot(index: u32, event: GoalEvent) -> usize {
    2 * index as usize + event as usize
}

/// A program under construction. No count may exceed 2³² − 1.
#[derive(Debug, Default)]
pub(super) struct GoalRankBuilder<'a> {
    operations: Vec<GoalOperation>,
    labels: String,
    label_ends: Vec<u32>,
    numbers_by_label: HashMap<&'a str, u32>,
    /// Index of the awaited event among the bounds, and the waiting operation.
    dependencies: Vec<(usize, u32)>,
}

impl<'a> GoalRankBuilder<'a> {
    /// The operation with this label.
    pub fn number(&self, label: &str) -> Option<u32> {
        self.numbers_by_label.get(label).copied()
    }

    /// Adds an operation with a new label or an empty one.
    pub fn push(&mut self, label: &'a str, operation: GoalOperation) {
        if !label.is_empty() {
            self.numbers_by_label.insert(label, count(self.operations.len()));
        }
        self.labels.push_str(label);
        self.label_ends.push(count(self.labels.len()));
        self.operations.push(operation);
    }

    /// Lets operation `after` begin only after `event` of `before`.
    pub fn add_dependency(&mut self, after: u32, before: u32, event: GoalEvent) {
        self.dependencies.push((slot(before, event), after));
    }

    /// Finishes the program, which may still contain cycles.
    pub fn finish(mut self) -> GoalRankProgram {
        self.operations.shrink_to_fit();
        self.labels.shrink_to_fit();
        self.label_ends.shrink_to_fit();
        let mut predecessor_counts = vec![0; self.operations.len()];
        for &(_, after) in &self.dependencies {
            predecessor_counts[after as usize] += 1;
        }
        let (bounds, successors) = dependencies_by_event(self.operations.len(), &self.dependencies);
        GoalRankProgram {
            operations: self.operations,
            labels: self.labels,
            label_ends: self.label_ends,
            bounds,
            successors,
            predecessor_counts,
        }
    }
}

/// Sorts dependencies by awaited event, in stable order; returns the bounds of each event's share, and the waiting
/// operations.
fn dependencies_by_event(operations: usize, dependencies: &[(usize, u32)]) -> (Vec<u32>, Vec<u32>) {
    // Each event's count stands two entries further, so that filling moves every bound into place.
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
