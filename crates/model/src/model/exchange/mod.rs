//! Message exchange digraphs: sender, receiver and size of each message, and lower bounds on the time of every
//! schedule that sends only these messages.
//!
//! # Symbols
//! Processes are vertices, a message of w bytes from i to j is an arc i→j of size w. A message of a
//! process to itself is local and never counted. Process p sends Δs(p) messages with Σs(p) bytes in
//! total and receives Δr(p) messages with Σr(p) bytes; Δs, Δr are the maxima over the processes,
//! `t_s = β·max Σs(p)` and `t_r = β·max Σr(p)`. α in seconds and β in seconds per byte; a process
//! has one port and full duplex.
//!
//! # Domain
//! Any sizes; sums are exact. A message of no bytes counts as no message unless
//! [`ZeroMessages::Counted`]. The exchange keeps the loads of its processes, not its arcs.
//!
//! # Source
//! Steffenel 2006 (INRIA report) §5.1, Claims 1–3, and Algorithm 1 for direct exchange;
//! Steffenel, Martinasso, Trystram 2007 (GPC) §4.1. Proposition 1 of both is Claim 3 of
//! the uniform exchange.

mod bounds;
mod direct_exchange;
mod file;
mod named_bounds;
mod signature;

pub use bounds::{Claim3Validity, ExchangeBounds, StepSynchrony};
pub use file::{parse_pair_sizes, refuse_many_pairs};
pub use named_bounds::{BoundsRequest, NamedBound};
use netsig_base::units::{Bytes, Procs, Rank, Seconds};

use std::collections::HashMap;

use super::entry::Model;
use super::hockney::Hockney;

pub(super) const MODELS: &[Model] = &[
    bounds::CLAIM_1,
    bounds::CLAIM_2,
    bounds::CLAIM_3,
    bounds::PER_VERTEX,
    direct_exchange::DIRECT_EXCHANGE_SYNC,
    signature::EXCHANGE_SIGNATURE,
];

/// One message: its sender, its receiver, its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeArc {
    /// Sender.
    pub from: Rank,
    /// Receiver.
    pub to: Rank,
    /// Bytes of the message.
    pub size: Bytes,
}

/// Treatment of messages without bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ZeroMessages {
    /// Not sent (the default).
    #[default]
    Absent,
    /// Sent, at the cost of a start-up.
    Counted,
}

/// Errors of a list of arcs or a matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// A rank is not among the processes.
    #[error("rank {rank} is not among {procs} processes; number them from 0")]
    RankOutside {
        /// The rank.
        rank: Rank,
        /// Number of processes.
        procs: Procs,
    },
    /// Two arcs have the same ends.
    #[error("the arc {from} -> {to} is listed twice; add its sizes up")]
    Repeated {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
}

/// The messages of a personalised exchange, as the loads of its processes.
#[derive(Debug, Clone)]
pub struct MessageExchange {
    procs: Procs,
    messages: u64,
    bytes: u128,
    /// Sum over t of the largest message from a rank i to rank i + t.
    rotations: u128,
    /// Loads of the processes, at least one. A load that several processes share may be listed
    /// once; processes without messages may be missing.
    loads: Vec<ProcessLoad>,
}

/// Messages that a process sends, and those that it receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ProcessLoad {
    sent: MessageTotals,
    received: MessageTotals,
}

/// Messages in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct MessageTotals {
    messages: u32,
    bytes: u128,
}

impl MessageExchange {
    /// An exchange of these messages; messages to oneself are left out.
    ///
    /// # Errors
    /// If a rank is not among the processes, or two arcs have the same ends.
    pub fn new(procs: Procs, mut arcs: Vec<ExchangeArc>, zero: ZeroMessages) -> Result<Self, ExchangeError> {
        let mut ranks = arcs.iter().flat_map(|arc| [arc.from, arc.to]);
        if let Some(rank) = ranks.find(|rank| rank.0 >= procs.get()) {
            return Err(ExchangeError::RankOutside { rank, procs });
        }
        arcs.retain(|arc| arc.from != arc.to);
        arcs.sort_unstable_by_key(|arc| (arc.from, arc.to));
        let same_ends = |pair: &&[ExchangeArc]| (pair[0].from, pair[0].to) == (pair[1].from, pair[1].to);
        if let Some(pair) = arcs.windows(2).find(same_ends) {
            let ExchangeArc { from, to, .. } = pair[0];
            return Err(ExchangeError::Repeated { from, to });
        }
        arcs.retain(|arc| arc.size.0 > 0 || zero == ZeroMessages::Counted);
        Ok(Self::of_messages(procs, arcs))
    }

    /// An exchange of valid messages, each to another process. Grouping by sorting is fast for
    /// millions of processes and arcs.
    fn of_messages(procs: Procs, mut arcs: Vec<ExchangeArc>) -> Self {
        let mut loads_by_rank: HashMap<Rank, ProcessLoad> = HashMap::new();
        for (rank, traffic) in totals_by_end(&mut arcs, |arc| arc.from) {
            loads_by_rank.entry(rank).or_default().sent = traffic;
        }
        for (rank, traffic) in totals_by_end(&mut arcs, |arc| arc.to) {
            loads_by_rank.entry(rank).or_default().received = traffic;
        }
        let distance = |arc: &ExchangeArc| arc.to.predecessor(arc.from.0, procs);
        let mut distances: Vec<(Rank, Bytes)> = arcs.iter().map(|arc| (distance(arc), arc.size)).collect();
        distances.sort_unstable();
        let same_distance = |a: &(Rank, Bytes), b: &(Rank, Bytes)| a.0 == b.0;
        let largest = distances.chunk_by(same_distance).filter_map(<[_]>::last);
        let mut loads: Vec<ProcessLoad> = loads_by_rank.into_values().collect();
        if loads.is_empty() {
            loads.push(ProcessLoad::default());
        }
        Self {
            procs,
            messages: arcs.len() as u64,
            bytes: loads.iter().map(|load| load.sent.bytes).sum(),
            rotations: largest.map(|(_, size)| u128::from(size.0)).sum(),
            loads,
        }
    }

    /// All-to-all with `size` bytes per destination, where messages of zero bytes are sent too.
    pub fn uniform(procs: Procs, size: Bytes) -> Self {
        let partners = procs.get() - 1;
        let traffic = MessageTotals {
            messages: partners,
            bytes: u128::from(partners) * u128::from(size.0),
        };
        let messages = u64::from(partners) * u64::from(procs.get());
        Self {
            procs,
            messages,
            bytes: u128::from(messages) * u128::from(size.0),
            rotations: traffic.bytes,
            loads: vec![ProcessLoad {
                sent: traffic,
                received: traffic,
            }],
        }
    }

    /// Number of processes, idle ones included.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// Number of messages, without those to oneself.
    pub fn messages(&self) -> u64 {
        self.messages
    }
}

/// Sorts the arcs by one end, and sums up the traffic of each rank at that end.
fn totals_by_end(
    arcs: &mut [ExchangeArc],
    end: fn(&ExchangeArc) -> Rank,
) -> impl Iterator<Item = (Rank, MessageTotals)> {
    arcs.sort_unstable_by_key(end);
    let groups = arcs.chunk_by(move |a, b| end(a) == end(b));
    groups.map(move |group| (end(&group[0]), MessageTotals::of(group)))
}

impl ProcessLoad {
    fn directions(&self) -> [MessageTotals; 2] {
        [self.sent, self.received]
    }
}

impl MessageTotals {
    /// Traffic of messages with a common end; there are fewer messages than ranks.
    fn of(arcs: &[ExchangeArc]) -> Self {
        Self {
            messages: u32::try_from(arcs.len()).expect("each other rank once at most"),
            bytes: arcs.iter().map(|arc| u128::from(arc.size.0)).sum(),
        }
    }

    /// Time of the messages one after the other.
    fn time(self, base: &Hockney) -> Seconds {
        Seconds(f64::from(self.messages) * base.alpha().0 + self.bytes as f64 * base.beta().0)
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::units::SecondsPerByte;

    use crate::testing::{assert_close, matrix, procs};
    use proptest::prelude::*;

    use super::*;

    fn base() -> Hockney {
        Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap()
    }

    /// Process 0 sends five messages of one byte; one message of 10⁶ bytes goes elsewhere, or to
    /// process 0. The bounds themselves are in `vectors.json`.
    #[test]
    fn claim_3_needs_the_same_process_and_the_same_direction() {
        for (to, verdict) in [(7, Claim3Validity::No), (0, Claim3Validity::PrintedHypothesisOnly)] {
            let mut rows = vec![vec![0; 8]; 8];
            rows[0][1..=5].fill(1);
            rows[6][to] = 1_000_000;
            let bounds = matrix(&rows, ZeroMessages::Absent).bounds(&base());
            assert_eq!(bounds.claim3_applies(StepSynchrony::Asynchronous), verdict);
            let in_steps = bounds.claim3_applies(StepSynchrony::Synchronous);
            assert_eq!(in_steps, Claim3Validity::Synchronous);
        }
    }

    #[test]
    fn the_uniform_exchange_is_its_matrix_and_no_number_is_too_large() {
        let mut rows = vec![vec![1000; 4]; 4];
        rows[2][2] = u64::MAX; // local, so it does not count
        let matrix = matrix(&rows, ZeroMessages::Absent);
        let uniform = MessageExchange::uniform(procs(4), Bytes(1000));
        assert_eq!(matrix.bounds(&base()), uniform.bounds(&base()));
        let (procs, size) = (procs(u32::MAX), Bytes(u64::MAX));
        let most = MessageExchange::uniform(procs, size).bounds(&base());
        assert_close(most.per_vertex, base().alltoall(procs, size).0);
    }

    #[test]
    fn without_messages_there_is_nothing_to_wait_for() {
        let lone = matrix(&[vec![9]], ZeroMessages::Absent);
        assert_eq!(lone.direct_exchange_sync(&base()), Seconds(0.0));
        let [idle, counted] =
            [ZeroMessages::Absent, ZeroMessages::Counted].map(|zero| matrix(&vec![vec![0; 3]; 3], zero));
        assert_eq!(idle.bounds(&base()).claim3, Seconds(0.0));
        assert!(idle.bounds(&base()).is_same_process_and_direction);
        // Every step costs its start-up: 2·α.
        assert_close(idle.direct_exchange_sync(&base()), 1e-4);
        assert_eq!(counted.bounds(&base()).startups, 2);
    }

    /// A square matrix of up to six processes, sparse, and an order of its cells.
    fn any_matrix() -> impl Strategy<Value = (Vec<Vec<u64>>, Vec<usize>)> {
        let size = prop_oneof![Just(0u64), 1..10u64, 1000..100_000u64, any::<u64>()];
        (1..7usize).prop_flat_map(move |n| {
            let rows = prop::collection::vec(prop::collection::vec(size.clone(), n), n);
            (rows, Just((0..n * n).collect::<Vec<_>>()).prop_shuffle())
        })
    }

    proptest! {
        /// Messages in any order, each begun as soon as both its ports are free: a schedule
        /// that exists, so no bound may exceed it.
        #[test]
        fn no_schedule_beats_the_bound((rows, order) in any_matrix()) {
            let n = rows.len();
            let (mut send_free, mut receive_free) = (vec![0.0f64; n], vec![0.0f64; n]);
            for (i, j) in order.into_iter().map(|cell| (cell / n, cell % n)) {
                if i != j && rows[i][j] > 0 {
                    let end = send_free[i].max(receive_free[j]) + base().time(Bytes(rows[i][j])).0;
                    (send_free[i], receive_free[j]) = (end, end);
                }
            }
            let scheduled = receive_free.into_iter().fold(0.0, f64::max) * (1.0 + 1e-12);
            let exchange = matrix(&rows, ZeroMessages::Absent);
            let bounds = exchange.bounds(&base());
            prop_assert!(bounds.per_vertex.0 <= scheduled);
            prop_assert!(bounds.claim1 <= bounds.per_vertex && bounds.claim2 <= bounds.per_vertex);
            prop_assert!(bounds.per_vertex <= bounds.claim3);
            if bounds.claim3_applies(StepSynchrony::Asynchronous) == Claim3Validity::SameProcessSameDirection {
                prop_assert!(bounds.claim3.0 <= scheduled);
            }
        }

        #[test]
        fn direct_exchange_takes_its_slowest_message_in_every_step((rows, _) in any_matrix()) {
            let n = rows.len();
            let slowest = |t: usize| {
                let times = (0..n).map(|i| base().time(Bytes(rows[i][(i + t) % n])).0);
                times.fold(0.0, f64::max)
            };
            let literal: f64 = (1..n).map(slowest).sum();
            let exchange = matrix(&rows, ZeroMessages::Absent);
            let time = exchange.direct_exchange_sync(&base()).0;
            prop_assert!((time - literal).abs() <= 1e-12 * literal);
            prop_assert!(exchange.bounds(&base()).claim3.0 <= time * (1.0 + 1e-12));
        }
    }
}
