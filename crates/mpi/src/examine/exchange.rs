//! An exchange of a short and a long message in both directions between two ranks, which give up after a time limit.
//!
//! A firewall stops all messages, a link whose hosts disagree about the length of frames only long ones. A message that
//! was given up may arrive at any later time: its memory is never freed.

use std::time::Duration;

use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Destination as _, Source as _};

use crate::discover::probe::process;
use crate::stopwatch::Stopwatch;

/// Sleep between tests for messages.
pub const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// Lengths of the messages.
const SHORT: usize = 1;
const LONG: usize = 64 << 10;

/// Tags of the messages.
const TAGS: [(usize, mpi::Tag); 2] = [(SHORT, 0x657b), (LONG, 0x657c)];

/// The data of all messages.
static DATA: [u8; LONG] = [0x5a; LONG];

/// A message on its way.
type PendingRequest = Request<'static, [u8], StaticScope>;

/// The exchanges of a rank.
pub struct RankExchanges<'a> {
    world: &'a SimpleCommunicator,
    watch: Stopwatch,
    limit: Duration,
}

impl<'a> RankExchanges<'a> {
    /// Exchanges of the ranks of `world`, each given up after `limit`.
    pub fn new(world: &'a SimpleCommunicator, watch: Stopwatch, limit: Duration) -> Self {
        Self { world, watch, limit }
    }

    /// Exchanges messages with the rank `other`, which does the same; returns the seconds until its
    /// messages arrived, infinity if they did not.
    pub fn exchange_with(&self, other: u32) -> f64 {
        let other_process = process(self.world, other);
        let started = self.watch.now();
        let elapsed = || (self.watch.now() - started).0;
        let receive = |(length, tag)| {
            let memory = Box::leak(vec![0u8; length].into_boxed_slice());
            other_process.immediate_receive_into_with_tag(StaticScope, memory, tag)
        };
        let mut receives: Vec<PendingRequest> = TAGS.map(receive).into();
        let send = |(length, tag)| other_process.immediate_send_with_tag(StaticScope, &DATA[..length], tag);
        let mut sends: Vec<PendingRequest> = TAGS.map(send).into();
        let mut arrived = f64::INFINITY;
        while !(receives.is_empty() && sends.is_empty()) && elapsed() < self.limit.as_secs_f64() {
            receives = still_pending(receives);
            sends = still_pending(sends);
            if receives.is_empty() {
                arrived = arrived.min(elapsed());
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        // Their memory lives as long as this process.
        receives.into_iter().chain(sends).for_each(std::mem::forget);
        arrived
    }
}

/// The messages that are still on their way.
fn still_pending(messages: Vec<PendingRequest>) -> Vec<PendingRequest> {
    let on_their_way = messages.into_iter().map(Request::test);
    on_their_way.filter_map(Result::err).collect()
}
