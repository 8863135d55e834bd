//! Probes of a pair of ranks on an order of rank 0: one rank sends a message and measures the time until it is back,
//! the other rank returns it.
//!
//! An order is a message to each rank of the pair. A message of no bytes ends the probe, so that the measuring rank
//! decides on the number of round trips.

use std::time::Duration;

use itertools::Itertools as _;
use mpi::datatype::Equivalence as _;
use mpi::topology::{Process, SimpleCommunicator};
use mpi::traits::{Communicator as _, Destination as _, Source as _};
use netsig_base::stats::sample::median;
use netsig_base::units::{Bytes, Seconds};

use crate::batch::{RankTools, rounded};

/// Tags of orders, of the messages of a probe, and of its result.
const ORDER: mpi::Tag = 0x6469;
const PROBE: mpi::Tag = 0x646a;
const RESULT: mpi::Tag = 0x646b;

/// Sleep of a waiting rank between tests for a message.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Number of words of an order.
const WORDS: usize = 7;

/// First word of an order: the part of the rank.
const DISMISSED: u64 = 0;
const MEASURES: u64 = 1;
const RETURNS: u64 = 2;

/// Size and number of the messages of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeSettings {
    /// Size of the message.
    pub size: Bytes,
    /// Least number of round trips after the warm-up.
    pub least: u32,
    /// Largest number of round trips.
    pub most: u32,
    /// Time after which no round trip begins beyond the least number.
    pub within: Duration,
    /// Pause before each round trip, in place of a warm-up; none if zero.
    pub pause: Duration,
}

/// One-way times of a probe: halves of round trips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeTimes {
    /// The least.
    pub least: Seconds,
    /// The median.
    pub median: Seconds,
}

/// Orders probes of pairs of ranks; used on rank 0.
pub struct Prober<'a> {
    world: &'a SimpleCommunicator,
    tools: &'a RankTools,
    part: ProbePart<'a>,
}

/// Obeys the orders of rank 0 on another rank, until it is dismissed.
pub fn follow_orders(world: &SimpleCommunicator, tools: &RankTools) {
    let mut part = ProbePart::new(world, tools);
    let leader = world.process_at_rank(0);
    loop {
        let mut order = [0u64; WORDS];
        wait_for(&leader, ORDER);
        leader.receive_into_with_tag(&mut order[..], ORDER);
        if order[0] == DISMISSED {
            return;
        }
        if let Some(times) = part.follow_order(order) {
            leader.send_with_tag(&[times.least.0, times.median.0][..], RESULT);
        }
    }
}

impl<'a> Prober<'a> {
    /// A prober of the ranks of `world`.
    pub fn new(world: &'a SimpleCommunicator, tools: &'a RankTools) -> Self {
        Self {
            world,
            tools,
            part: ProbePart::new(world, tools),
        }
    }

    /// Has a pair of ranks probed, and waits for the result.
    pub fn probe(&mut self, [from, to]: [u32; 2], probing: ProbeSettings) -> ProbeTimes {
        let words = |part: u64, other: u32| {
            let [within, pause] =
                [probing.within, probing.pause].map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
            let (least, most) = (u64::from(probing.least), u64::from(probing.most));
            [part, other.into(), probing.size.0, least, most, within, pause]
        };
        let orders = [(from, words(MEASURES, to)), (to, words(RETURNS, from))];
        let activity = format!("a probe of {} between ranks {from} and {to}", probing.size);
        let among = [0, from, to].into_iter().sorted().dedup().collect_vec();
        self.tools
            .watchdog
            .enter("the choice of the next probe".to_owned(), &[0]);
        self.tools.announce_step();
        self.tools.watchdog.enter(activity, &among);
        self.tools.watchdog.step();
        for (rank, order) in orders.iter().filter(|(rank, _)| *rank != 0) {
            process(self.world, *rank).send_with_tag(&order[..], ORDER);
        }
        let rank_0_order = orders.iter().find(|(rank, _)| *rank == 0);
        let found = rank_0_order.and_then(|(_, order)| self.part.follow_order(*order));
        let times = found.unwrap_or_else(|| {
            let mut times = [0.0f64; 2];
            let source = process(self.world, from);
            wait_for(&source, RESULT);
            source.receive_into_with_tag(&mut times[..], RESULT);
            let [least, median] = times.map(Seconds);
            ProbeTimes { least, median }
        });
        self.tools.watchdog.leave_activity();
        times
    }

    /// Ends the work of the other ranks.
    pub fn dismiss(&self) {
        for rank in 1..self.world.size() {
            let order = [DISMISSED; WORDS];
            self.world.process_at_rank(rank).send_with_tag(&order[..], ORDER);
        }
    }
}

impl ProbeSettings {
    /// With as many round trips as fit into `left` if a message takes `expected` seconds, at least one.
    pub fn bounded(self, expected: f64, left: Duration) -> Self {
        // The warm-up is a round trip, too.
        let fitting = left.as_secs_f64() / (2.0 * expected.max(f64::MIN_POSITIVE)) - 1.0;
        // A cast from a float saturates.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let least = self.least.min(fitting as u32).max(1);
        Self { least, ..self }
    }
}

/// A rank's part in probes.
struct ProbePart<'a> {
    world: &'a SimpleCommunicator,
    tools: &'a RankTools,
    memory: Vec<u8>,
}

impl<'a> ProbePart<'a> {
    fn new(world: &'a SimpleCommunicator, tools: &'a RankTools) -> Self {
        Self {
            world,
            tools,
            memory: Vec::new(),
        }
    }

    /// Takes part in a probe; returns the times if this rank measures.
    fn follow_order(&mut self, order: [u64; WORDS]) -> Option<ProbeTimes> {
        let [part, other, size, least, most, within, pause] = order;
        let number = |word: u64| u32::try_from(word).expect("an order has small numbers");
        let probing = ProbeSettings {
            size: Bytes(size),
            least: number(least),
            most: number(most),
            within: Duration::from_micros(within),
            pause: Duration::from_micros(pause),
        };
        let (mine, other) = (crate::group::rank(self.world).0, number(other));
        if mine != 0 {
            let activity = format!("a probe of {} with rank {other}", probing.size);
            self.tools.watchdog.enter(activity, &[mine.min(other), mine.max(other)]);
            self.tools.announce_step();
        }
        let length = usize::try_from(size).expect("a probe fits into memory");
        self.memory.resize(self.memory.len().max(length), 0);
        let partner = process(self.world, other);
        let times = if part == MEASURES {
            Some(self.measure(&partner, probing, length))
        } else {
            self.send_back(&partner, length);
            None
        };
        if mine != 0 {
            self.tools.watchdog.leave_activity();
        }
        times
    }

    fn measure(&mut self, partner: &Process, probing: ProbeSettings, length: usize) -> ProbeTimes {
        let message = &mut self.memory[..length];
        let mut times = Vec::new();
        let mut round_trip = |number| {
            self.tools.watchdog.repetition(number);
            std::thread::sleep(probing.pause);
            let start = self.tools.watch.now();
            partner.send_with_tag(&*message, PROBE);
            partner.receive_into_with_tag(message, PROBE);
            (self.tools.watch.now() - start).0 / 2.0
        };
        if probing.pause.is_zero() {
            round_trip(0);
        }
        let started = self.tools.watch.now();
        for number in 1..=probing.most {
            let spent = (self.tools.watch.now() - started).0;
            if number > probing.least && spent > probing.within.as_secs_f64() {
                break;
            }
            times.push(round_trip(number));
        }
        let nothing: &[u8] = &[];
        partner.send_with_tag(nothing, PROBE);
        ProbeTimes {
            least: rounded(times.iter().copied().fold(f64::INFINITY, f64::min)),
            median: rounded(median(times)),
        }
    }

    fn send_back(&mut self, partner: &Process, length: usize) {
        for number in 0.. {
            let message = &mut self.memory[..length];
            let status = partner.receive_into_with_tag(message, PROBE);
            if status.count(u8::equivalent_datatype()) == 0 {
                return;
            }
            partner.send_with_tag(&*message, PROBE);
            self.tools.watchdog.repetition(number);
        }
    }
}

pub fn process(world: &SimpleCommunicator, rank: u32) -> Process<'_> {
    world.process_at_rank(mpi::Rank::try_from(rank).expect("MPI numbers ranks with a C int"))
}

/// Sleeps until a message has arrived.
pub fn wait_for(source: &Process, tag: mpi::Tag) {
    while source.immediate_probe_with_tag(tag).is_none() {
        std::thread::sleep(POLL_INTERVAL);
    }
}
