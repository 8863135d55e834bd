//! Schedules as programs: the rounds of each rank, generated when they are needed.
//!
//! A rank is in at most one round at a time. Messages match within their round: the number of the round is their tag,
//! and a rank only counts them. A message of the present round is received; a message of a later round is kept until
//! that round. Messages of a round are told apart only where exchanges in progress are limited (`paired`).
//!
//! The combinations of a round follow its messages and take the rank's processor: ω seconds for each byte of a combined
//! block. The rank begins its next round when they are complete. Copies take no time.

mod paired;
#[cfg(test)]
mod reduction_times;

use netsig_base::algorithm::Schedule;
use netsig_base::schedule::{BlockSlot, Round};
use netsig_base::units::{Bytes, Procs, Rank, SecondsPerByte};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::program::{ArrivedMessage, FlightId, OperationId, ReadySend, SimProgram, SimTask, UnfinishedOperations};
use super::time::Time;
use paired::PairedMessages;

/// Progress of a rank.
#[derive(Debug, Clone, Copy, Default)]
struct RankProgress {
    round: u32,
    /// The first round in which the rank has no more operations.
    end: u32,
    /// Sends and receives of the round that are not complete.
    open: u32,
    /// Entries of the list of sends that have started or are not sent.
    started: u32,
    /// Sends that have started and are not complete.
    in_flight: u32,
}

/// Messages of a round with their senders, oldest first.
type EarlyMessages = SmallVec<[(Rank, FlightId); 4]>;

/// Program of all ranks of a schedule.
#[derive(Debug, Clone)]
pub struct ScheduleProgram {
    schedule: Schedule,
    /// ω, the time of a combination for each byte of a block.
    operation_time: SecondsPerByte,
    ranks: Vec<RankProgress>,
    /// Messages that arrived before their round, by receiver and round.
    early: FxHashMap<(Rank, u32), EarlyMessages>,
    /// Exchanges in progress of the ranks whose present round limits them.
    paired: FxHashMap<Rank, PairedMessages>,
    cache: RoundCache,
}

/// Cache of generated rounds, with rank and number: one entry per rank, or a single entry for more than
/// [`MOST_CACHED_RANKS`] ranks.
#[derive(Debug, Clone)]
struct RoundCache(Vec<(Rank, u32, Round)>);

/// Largest number of ranks with one cached round each; these fit a processor's cache.
const MOST_CACHED_RANKS: usize = 1 << 12;

impl RoundCache {
    /// Creates a cache for `ranks` ranks.
    fn of(ranks: usize) -> Self {
        let kept = if ranks <= MOST_CACHED_RANKS { ranks } else { 1 };
        Self(vec![(Rank(u32::MAX), 0, Round::default()); kept])
    }

    fn round(&mut self, schedule: &Schedule, rank: Rank, round: u32) -> &Round {
        let place = rank.0 as usize % self.0.len();
        let cached = &mut self.0[place];
        if (cached.0, cached.1) != (rank, round) {
            *cached = (rank, round, schedule.round(rank, round as usize));
        }
        &cached.2
    }
}

impl ScheduleProgram {
    /// Creates the program with all ranks at their start; combinations take no time.
    pub fn new(schedule: Schedule) -> Self {
        let count = schedule.procs().get() as usize;
        Self {
            ranks: vec![RankProgress::default(); count],
            schedule,
            operation_time: SecondsPerByte::default(),
            early: FxHashMap::default(),
            paired: FxHashMap::default(),
            cache: RoundCache::of(count),
        }
    }

    /// The program with combinations that take this time for each byte of a block.
    #[must_use]
    pub fn with_operation_time(self, operation_time: SecondsPerByte) -> Self {
        Self { operation_time, ..self }
    }

    fn progress(&mut self, rank: Rank) -> &mut RankProgress {
        &mut self.ranks[rank.0 as usize]
    }

    /// Begins the present round of `rank`, or the next round in which it has operations.
    fn begin(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) {
        loop {
            let progress = &mut self.ranks[rank.0 as usize];
            if progress.round >= progress.end {
                return;
            }
            let round = self.cache.round(&self.schedule, rank, progress.round);
            let open = open_operations(&self.schedule, rank, round);
            *progress = RankProgress {
                open,
                round: progress.round,
                end: progress.end,
                ..RankProgress::default()
            };
            match PairedMessages::of(&self.schedule, rank, round) {
                Some(paired) => self.paired.insert(rank, paired),
                None => self.paired.remove(&rank),
            };
            if open > 0 {
                let now = progress.round;
                self.take_early(rank, now, tasks);
                return;
            }
            if let Some(combining) = self.combinations(rank) {
                tasks.push(combining);
                return;
            }
            self.progress(rank).round += 1;
        }
    }

    /// The combinations of the present round, if they take time.
    fn combinations(&mut self, rank: Rank) -> Option<SimTask> {
        if self.operation_time.0 <= 0.0 {
            return None;
        }
        let op = self.progress(rank).round;
        let round = self.cache.round(&self.schedule, rank, op);
        let duration = combination_time(&self.schedule, round, self.operation_time);
        (duration > Time::ZERO).then_some(SimTask::Compute { op, duration })
    }

    fn take_early(&mut self, rank: Rank, round: u32, tasks: &mut Vec<SimTask>) {
        if self.early.is_empty() {
            return;
        }
        let flights = self.early.remove(&(rank, round)).unwrap_or_default();
        for (sender, flight) in flights {
            let op = self.receive_from(rank, sender, round);
            tasks.push(SimTask::Receive { op, flight });
        }
    }

    /// The receive for the next message from `sender`: the number of the round, or its place in the round where
    /// messages are told apart.
    fn receive_from(&mut self, rank: Rank, sender: Rank, round: u32) -> OperationId {
        let paired = self.paired.get_mut(&rank);
        paired.map_or(round, |paired| {
            let place = paired.receive_from(sender);
            place.expect("a proved schedule receives what is sent")
        })
    }

    /// Completes one message of the round.
    fn complete(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) {
        let progress = self.progress(rank);
        progress.open -= 1;
        if progress.open > 0 {
            return;
        }
        match self.combinations(rank) {
            Some(combining) => tasks.push(combining),
            None => self.begin_next(rank, tasks),
        }
    }

    /// Begins the round after the present one.
    fn begin_next(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) {
        self.progress(rank).round += 1;
        self.begin(rank, tasks);
    }
}

impl SimProgram for ScheduleProgram {
    fn procs(&self) -> Procs {
        self.schedule.procs()
    }

    fn start(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) {
        let active = self.schedule.active_rounds(rank);
        let progress = self.progress(rank);
        (progress.round, progress.end) = (count(active.start), count(active.end));
        self.begin(rank, tasks);
    }

    fn next_send(&mut self, rank: Rank, _: &mut Vec<SimTask>) -> Option<ReadySend> {
        let progress = &mut self.ranks[rank.0 as usize];
        if progress.open == 0 {
            return None;
        }
        let round = self.cache.round(&self.schedule, rank, progress.round);
        let (_, most) = round.in_flight.receive_and_send_limits();
        let paired = self.paired.get(&rank);
        if progress.in_flight as usize >= most {
            return None;
        }
        loop {
            let place = progress.started;
            if paired.is_some_and(|paired| !paired.may_send(place)) {
                return None;
            }
            let send = round.sends.get(place as usize)?;
            progress.started += 1;
            let pair = (rank, send.partner);
            if self.schedule.is_sent(pair, &send.slots) {
                progress.in_flight += 1;
                return Some(ReadySend {
                    op: paired.map_or(progress.round, |_| place),
                    to: send.partner,
                    tag: progress.round,
                    bytes: self.schedule.message_bytes(pair, &send.slots),
                });
            }
        }
    }

    fn sent(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>) {
        if let Some(paired) = self.paired.get_mut(&rank) {
            paired.sent(op);
        }
        self.progress(rank).in_flight -= 1;
        self.complete(rank, tasks);
    }

    fn deliver(&mut self, rank: Rank, envelope: ArrivedMessage) -> Option<OperationId> {
        let ArrivedMessage { flight, from, tag, .. } = envelope;
        let progress = self.ranks[rank.0 as usize];
        if progress.round == tag && progress.open > 0 {
            return Some(self.receive_from(rank, from, tag));
        }
        let early = self.early.entry((rank, tag)).or_default();
        early.push((from, flight));
        None
    }

    fn received(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>) {
        if let Some(paired) = self.paired.get_mut(&rank) {
            paired.received(op);
        }
        self.complete(rank, tasks);
    }

    fn computed(&mut self, rank: Rank, _: OperationId, tasks: &mut Vec<SimTask>) {
        self.begin_next(rank, tasks);
    }

    fn unfinished_work(&self) -> Option<UnfinishedOperations> {
        let waits = |(rank, progress): (usize, &RankProgress)| {
            (progress.round < progress.end).then(|| format!("rank {rank} in round {}", progress.round))
        };
        let receives: Vec<String> = self.ranks.iter().enumerate().filter_map(waits).collect();
        let mut early: Vec<(Rank, u32)> = self.early.keys().copied().collect();
        early.sort_unstable();
        let late = |(rank, round)| format!("messages to rank {rank} in round {round}");
        let sends: Vec<String> = early.into_iter().map(late).collect();
        (!receives.is_empty() || !sends.is_empty()).then(|| UnfinishedOperations {
            receives,
            sends,
            ..UnfinishedOperations::default()
        })
    }
}

/// Duration of the combinations of a round: ω for each byte of a combined block.
pub(crate) fn combination_time(schedule: &Schedule, round: &Round, operation_time: SecondsPerByte) -> Time {
    let blocks: Vec<BlockSlot> = round.combinations.iter().map(|both| both.right).collect();
    // The parts of a vector are as long on all ranks.
    let bytes = schedule.message_bytes((Rank(0), Rank(0)), &blocks);
    Time::of(operation_time * Bytes(bytes))
}

/// Number of sends and receives of a round.
fn open_operations(schedule: &Schedule, rank: Rank, round: &Round) -> u32 {
    if schedule.pair_sizes().is_none() {
        return count(round.sends.len() + round.receives.len());
    }
    let all_sends = round.sends.iter();
    let sends = all_sends.filter(|send| schedule.is_sent((rank, send.partner), &send.slots));
    let all_receives = round.receives.iter();
    let receives = all_receives.filter(|receive| schedule.is_sent((receive.partner, rank), &receive.slots));
    count(sends.count() + receives.count())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^32 rounds and messages of one rank in each")
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::{Algorithm, Collective, CollectiveCall, PairSizes};
    use netsig_base::units::Seconds;

    use super::*;
    use crate::network::endpoint::Endpoint;
    use crate::run;
    use crate::testing::loggp;
    use crate::time::Time;

    /// Time in seconds, messages and bytes among three ranks, with L = 50 µs and 10 ns a byte beyond
    /// the first, by a function of sender and receiver.
    #[track_caller]
    fn assert_takes(name: &str, bytes: fn((u32, u32)) -> u64, expected: (f64, u64, u64)) {
        let procs = Procs::new(3).unwrap();
        let pairs = PairSizes::new(procs, |from, to| Bytes(bytes((from.0, to.0))));
        let algorithm = Algorithm::parse(Collective::Alltoall, name).unwrap();
        let schedule = algorithm.serve(&CollectiveCall::of_pairs(pairs)).unwrap();
        let mut network = Endpoint::new(loggp([50_000.0, 0.0, 0.0], 10.0), procs);
        let outcome = run(&mut ScheduleProgram::new(schedule), &mut network, &mut ()).unwrap();
        let (time, messages, bytes) = expected;
        assert_eq!(outcome.time, Time::of(Seconds(time)), "{name}");
        assert_eq!((outcome.messages, outcome.bytes), (messages, bytes), "{name}");
    }

    /// Rank 0 has 1001 bytes for rank 1, which are 10 µs on the wire, and all others one byte,
    /// which takes L = 50 µs. At once, each message of rank 0 comes 10 µs late. In steps, rank 1
    /// begins its second 10 µs after the others.
    #[test]
    fn sizes_may_differ_from_pair_to_pair() {
        let long = |pair| if pair == (0, 1) { 1001 } else { 1 };
        for (name, expected) in [("direct", 6e-5), ("pairwise", 1.1e-4)] {
            assert_takes(name, long, (expected, 6, 1006));
        }
    }

    /// Rank 0 has 2002 bytes for rank 1, and rank 1 has 1002 bytes for rank 2; all else is empty. Whole messages are
    /// there 50 + 20.01 µs later. In segments of 1001 bytes, one exchange at a time, rank 1 has its first segment
    /// after 60 µs. Only then does it send its second segment, of one byte. Two exchanges at a time take as long,
    /// since empty places count; with four it does not wait.
    #[test]
    fn empty_messages_are_not_sent_and_keep_their_place() {
        let few = |pair| match pair {
            (0, 1) => 2002,
            (1, 2) => 1002,
            _ => 0,
        };
        for name in ["direct", "pairwise", "throttled:1", "sends-in-turn"] {
            assert_takes(name, few, (70.01e-6, 2, 3004));
        }
        assert_takes("windowed:segment=1001,window=1", few, (110e-6, 4, 3004));
        assert_takes("windowed:segment=1001,window=2", few, (110e-6, 4, 3004));
        assert_takes("windowed:segment=1001,window=4", few, (70e-6, 4, 3004));
        assert_takes("pairwise-segmented:1001", few, (110e-6, 4, 3004));
    }
}
