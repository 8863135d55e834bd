//! For tests: networks of ports, schedules as programs, programs of given messages, and a
//! record of what happened.

use std::collections::VecDeque;

use super::network::endpoint::{Endpoint, Ports};
use super::observer::{Activity, Observer};
use super::program::{Envelope, Op, Program, Rest, Send, Task};
use super::rounds::Rounds;
use super::time::Time;
use super::{Outcome, run};
use crate::algorithm::{Algorithm, Collective};
use crate::model::message::loggp::LogGP;
use crate::model::plogp::{self, PLogP};
use crate::model::testing::{procs, table};
use crate::units::{Bytes, Procs, Rank, Seconds, SecondsPerByte};

/// L, o and g in nanoseconds, G in nanoseconds per byte.
pub(crate) fn loggp(times: [f64; 3], per_byte: f64) -> Ports {
    let [latency, overhead, gap] = times.map(|nanoseconds| Seconds(nanoseconds * 1e-9));
    let per_byte = SecondsPerByte(per_byte * 1e-9);
    Ports::LogGP(LogGP::new(latency, overhead, gap, per_byte).unwrap())
}

/// L in seconds and g by size, without overheads.
pub(crate) fn plogp(latency: f64, gap: &[(u64, f64)]) -> PLogP {
    let parameters = plogp::Parameters {
        latency: Seconds(latency),
        gap: table(gap),
        send_overhead: table(&[(0, 0.0)]),
        receive_overhead: table(&[(0, 0.0)]),
    };
    PLogP::new(parameters).unwrap()
}

/// An algorithm on a network of ports.
pub(crate) fn on_ports(
    algorithm: Algorithm,
    (count, size): (u32, u64),
    ports: &Ports,
    observer: &mut impl Observer,
) -> Outcome {
    let procs = procs(count);
    let mut program = Rounds::new(algorithm.schedule(procs, Bytes(size)));
    run(
        &mut program,
        &mut Endpoint::new(ports.clone(), procs),
        observer,
    )
    .unwrap()
}

/// An all-to-all of `size` bytes a pair.
pub(crate) fn alltoall(algorithm: &str, count: u32, size: u64) -> Rounds {
    let algorithm = Algorithm::parse(Collective::Alltoall, algorithm).unwrap();
    Rounds::new(algorithm.schedule(procs(count), Bytes(size)))
}

/// A message by its begin, sender, receiver and length.
pub(crate) type Begun = (u64, u32, u32, u64);

/// Messages that begin at given times, those of one sender and time in their order.
#[derive(Clone)]
pub(crate) struct Script {
    procs: Procs,
    messages: Vec<Begun>,
    /// What each rank may send.
    ready: Vec<VecDeque<Op>>,
}

impl Script {
    pub(crate) fn new(count: u32, messages: Vec<Begun>) -> Self {
        let mut ready = vec![VecDeque::new(); count as usize];
        for (op, message) in (0..).zip(&messages).filter(|(_, it)| it.0 == 0) {
            ready[message.1 as usize].push_back(op);
        }
        Self {
            procs: procs(count),
            messages,
            ready,
        }
    }
}

impl Program for Script {
    fn procs(&self) -> Procs {
        self.procs
    }

    fn start(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        let later = (0..).zip(&self.messages).filter(|(_, it)| it.0 > 0);
        let own = later.filter(|(_, message)| message.1 == rank.0);
        tasks.extend(own.map(|(op, message)| Task::Compute {
            op,
            duration: Time(message.0),
        }));
    }

    fn next_send(&mut self, rank: Rank, _: &mut Vec<Task>) -> Option<Send> {
        let op = self.ready[rank.0 as usize].pop_front()?;
        let (.., to, bytes) = self.messages[op as usize];
        let (to, tag) = (Rank(to), 0);
        Some(Send { op, to, tag, bytes })
    }

    fn sent(&mut self, _: Rank, _: Op, _: &mut Vec<Task>) {}

    fn deliver(&mut self, _: Rank, _: Envelope) -> Option<Op> {
        Some(0)
    }

    fn received(&mut self, _: Rank, _: Op, _: &mut Vec<Task>) {}

    fn computed(&mut self, rank: Rank, op: Op, _: &mut Vec<Task>) {
        self.ready[rank.0 as usize].push_back(op);
    }

    fn rest(&self) -> Option<Rest> {
        None
    }
}

/// Sends (from, to, begin, end) and receives (from, to, end) in the order of their ends.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Recorder {
    pub(crate) sent: Vec<(u32, u32, u64, u64)>,
    pub(crate) received: Vec<(u32, u32, u64)>,
}

impl Observer for Recorder {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        match activity {
            Activity::Send(_, c) => self.sent.push((c.from.0, c.to.0, start.0, end.0)),
            Activity::Receive(_, c, _) => self.received.push((c.from.0, c.to.0, end.0)),
            Activity::Compute(..) | Activity::Loss(_) => {}
        }
    }
}
