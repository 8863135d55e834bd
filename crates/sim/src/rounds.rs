//! Schedules as programs: the rounds of each rank, generated when they are needed.
//!
//! A rank is in at most one round at a time. Messages match within their round, so the number of
//! the round is their tag, and a rank only counts: a message of the present round is received, a
//! message of a later round is kept until then. Only where exchanges in progress are limited, the
//! messages of a round are told apart (`paired`).

mod paired;

use netsig_base::algorithm::Schedule;
use netsig_base::schedule::Round;
use netsig_base::units::{Procs, Rank};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::program::{Envelope, FlightId, Op, Program, Rest, Send, Task};
use paired::Paired;

/// Progress of a rank.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    round: u32,
    /// The first round in which the rank has no more operations.
    end: u32,
    /// Sends and receives of the round that are not complete.
    open: u32,
    /// Sends of the list that have started or are not sent.
    started: u32,
    /// Sends that have started and are not complete.
    in_flight: u32,
}

/// Messages of a round with their senders, oldest first.
type Early = SmallVec<[(Rank, FlightId); 4]>;

/// Program of all ranks of a schedule.
#[derive(Debug, Clone)]
pub struct Rounds {
    schedule: Schedule,
    ranks: Vec<Progress>,
    /// Messages that arrived before their round, by receiver and round.
    early: FxHashMap<(Rank, u32), Early>,
    /// Exchanges in progress of the ranks whose present round limits them.
    paired: FxHashMap<Rank, Paired>,
    made: Made,
}

/// Cache of generated rounds, with rank and number: one entry per rank, or a single entry for
/// more than [`MOST_KEPT`] ranks.
#[derive(Debug, Clone)]
struct Made(Vec<(Rank, u32, Round)>);

/// Largest number of ranks with one cached round each; these fit a processor's cache.
const MOST_KEPT: usize = 1 << 12;

impl Made {
    /// Creates a cache for `ranks` ranks.
    fn of(ranks: usize) -> Self {
        let kept = if ranks <= MOST_KEPT { ranks } else { 1 };
        Self(vec![(Rank(u32::MAX), 0, Round::default()); kept])
    }

    fn round(&mut self, schedule: &Schedule, rank: Rank, round: u32) -> &Round {
        let place = rank.0 as usize % self.0.len();
        let made = &mut self.0[place];
        if (made.0, made.1) != (rank, round) {
            *made = (rank, round, schedule.round(rank, round as usize));
        }
        &made.2
    }
}

impl Rounds {
    /// Creates the program with all ranks at their start.
    pub fn new(schedule: Schedule) -> Self {
        let count = schedule.procs().get() as usize;
        Self {
            ranks: vec![Progress::default(); count],
            schedule,
            early: FxHashMap::default(),
            paired: FxHashMap::default(),
            made: Made::of(count),
        }
    }

    fn progress(&mut self, rank: Rank) -> &mut Progress {
        &mut self.ranks[rank.0 as usize]
    }

    /// Begins the present round of `rank`, or the next round in which it has operations.
    fn begin(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        loop {
            let progress = &mut self.ranks[rank.0 as usize];
            if progress.round >= progress.end {
                return;
            }
            let round = self.made.round(&self.schedule, rank, progress.round);
            let open = open(&self.schedule, rank, round);
            *progress = Progress {
                open,
                round: progress.round,
                end: progress.end,
                ..Progress::default()
            };
            match Paired::of(&self.schedule, rank, round) {
                Some(paired) => self.paired.insert(rank, paired),
                None => self.paired.remove(&rank),
            };
            if open > 0 {
                let now = progress.round;
                self.take_early(rank, now, tasks);
                return;
            }
            progress.round += 1;
        }
    }

    fn take_early(&mut self, rank: Rank, round: u32, tasks: &mut Vec<Task>) {
        if self.early.is_empty() {
            return;
        }
        let flights = self.early.remove(&(rank, round)).unwrap_or_default();
        for (sender, flight) in flights {
            let op = self.receive_from(rank, sender, round);
            tasks.push(Task::Receive { op, flight });
        }
    }

    /// The receive for the next message from `sender`: the number of the round, or the place in it
    /// where messages are told apart.
    fn receive_from(&mut self, rank: Rank, sender: Rank, round: u32) -> Op {
        let paired = self.paired.get_mut(&rank);
        paired.map_or(round, |paired| {
            let place = paired.receive_from(sender);
            place.expect("a proved schedule receives what is sent")
        })
    }

    /// Completes one operation of the round.
    fn complete(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        let progress = self.progress(rank);
        progress.open -= 1;
        if progress.open == 0 {
            progress.round += 1;
            self.begin(rank, tasks);
        }
    }
}

impl Program for Rounds {
    fn procs(&self) -> Procs {
        self.schedule.procs()
    }

    fn start(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        let active = self.schedule.active(rank);
        let progress = self.progress(rank);
        (progress.round, progress.end) = (count(active.start), count(active.end));
        self.begin(rank, tasks);
    }

    fn next_send(&mut self, rank: Rank, _: &mut Vec<Task>) -> Option<Send> {
        let progress = &mut self.ranks[rank.0 as usize];
        if progress.open == 0 {
            return None;
        }
        let round = self.made.round(&self.schedule, rank, progress.round);
        let (_, most) = round.in_flight.at_once();
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
                return Some(Send {
                    op: paired.map_or(progress.round, |_| place),
                    to: send.partner,
                    tag: progress.round,
                    bytes: self.schedule.bytes(pair, &send.slots),
                });
            }
        }
    }

    fn sent(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>) {
        if let Some(paired) = self.paired.get_mut(&rank) {
            paired.sent(op);
        }
        self.progress(rank).in_flight -= 1;
        self.complete(rank, tasks);
    }

    fn deliver(&mut self, rank: Rank, envelope: Envelope) -> Option<Op> {
        let Envelope { flight, from, tag, .. } = envelope;
        let progress = self.ranks[rank.0 as usize];
        if progress.round == tag && progress.open > 0 {
            return Some(self.receive_from(rank, from, tag));
        }
        let early = self.early.entry((rank, tag)).or_default();
        early.push((from, flight));
        None
    }

    fn received(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>) {
        if let Some(paired) = self.paired.get_mut(&rank) {
            paired.received(op);
        }
        self.complete(rank, tasks);
    }

    fn computed(&mut self, _: Rank, _: Op, _: &mut Vec<Task>) {
        unreachable!("an algorithm has no computations");
    }

    fn rest(&self) -> Option<Rest> {
        let waits = |(rank, progress): (usize, &Progress)| {
            (progress.round < progress.end).then(|| format!("rank {rank} in round {}", progress.round))
        };
        let receives: Vec<String> = self.ranks.iter().enumerate().filter_map(waits).collect();
        let mut early: Vec<(Rank, u32)> = self.early.keys().copied().collect();
        early.sort_unstable();
        let late = |(rank, round)| format!("messages to rank {rank} in round {round}");
        let sends: Vec<String> = early.into_iter().map(late).collect();
        (!receives.is_empty() || !sends.is_empty()).then(|| Rest {
            receives,
            sends,
            ..Rest::default()
        })
    }
}

/// Number of sends and receives of a round.
fn open(schedule: &Schedule, rank: Rank, round: &Round) -> u32 {
    if schedule.pairs().is_none() {
        return count(round.sends.len() + round.receives.len());
    }
    let sends = round.sends.iter();
    let sends = sends.filter(|own| schedule.is_sent((rank, own.partner), &own.slots));
    let receives = round.receives.iter();
    let receives = receives.filter(|own| schedule.is_sent((own.partner, rank), &own.slots));
    count(sends.count() + receives.count())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^32 rounds and messages of one rank in each")
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::{Algorithm, Call, Collective, PairSizes};
    use netsig_base::units::{Bytes, Seconds};

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
        let schedule = algorithm.serve(&Call::of_pairs(pairs)).unwrap();
        let mut network = Endpoint::new(loggp([50_000.0, 0.0, 0.0], 10.0), procs);
        let outcome = run(&mut Rounds::new(schedule), &mut network, &mut ()).unwrap();
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

    /// Rank 0 has 2002 bytes for rank 1, and rank 1 has 1002 bytes for rank 2; all else is empty. Whole
    /// messages are there 50 + 20.01 µs later. In segments of 1001 bytes, one exchange at a time, rank
    /// 1 has the first one after 60 µs and only then sends its second, of one byte: also with two at a
    /// time, since empty places count. With four it does not wait.
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
