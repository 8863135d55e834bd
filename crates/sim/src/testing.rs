//! For tests: networks of ports, schedules as programs, programs of given messages, and recorders of activities.

#[path = "../../model/src/testing/affine.rs"]
mod affine;
#[path = "../../base/src/algorithm/testing.rs"]
mod algorithm;
#[path = "../../base/src/testing.rs"]
mod base;
#[path = "../../base/src/network/testing.rs"]
mod network;

use std::fmt::{Display, Write};

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::model::message::loggp::LogGP;
use netsig_model::model::plogp::{self, PLogP};

use super::goal::Goal;
use super::network::endpoint::{Endpoint, PortParameters};
use super::observer::{Activity, Observer};
use super::rounds::ScheduleProgram;
use super::time::Time;
use super::{SimOutcome, run};
pub(crate) use affine::affine;
use affine::table;
pub(crate) use algorithm::sent_bytes;
pub(crate) use base::procs;
pub(crate) use network::graph_of;

/// L, o and g in nanoseconds, G in nanoseconds per byte.
pub(crate) fn loggp(times: [f64; 3], per_byte: f64) -> PortParameters {
    let [latency, overhead, gap] = times.map(|nanoseconds| Seconds(nanoseconds * 1e-9));
    let per_byte = SecondsPerByte(per_byte * 1e-9);
    PortParameters::LogGP(LogGP::new(latency, overhead, gap, per_byte).unwrap())
}

/// L in seconds and g by size, without overheads.
pub(crate) fn plogp(latency: f64, gap: &[(u64, f64)]) -> PLogP {
    let parameters = plogp::PLogPParameters {
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
    count: u32,
    size: u64,
    ports: &PortParameters,
    observer: &mut impl Observer,
) -> SimOutcome {
    let procs = procs(count);
    let mut program = ScheduleProgram::new(algorithm.schedule(procs, Bytes(size)));
    run(&mut program, &mut Endpoint::new(ports.clone(), procs), observer).unwrap()
}

/// An all-to-all of `size` bytes a pair.
pub(crate) fn alltoall(algorithm: &str, count: u32, size: u64) -> ScheduleProgram {
    let algorithm = Algorithm::parse(Collective::Alltoall, algorithm).unwrap();
    ScheduleProgram::new(algorithm.schedule(procs(count), Bytes(size)))
}

/// A message by its start in nanoseconds, sender, receiver and length.
pub(crate) type ScriptedMessage = (u64, u32, u32, u64);

/// Messages that begin at given times; messages of one sender and time begin in their order.
pub(crate) fn script(count: u32, messages: &[ScriptedMessage]) -> Goal {
    let mut ranks = vec![String::new(); count as usize];
    for (tag, (begin, from, to, bytes)) in messages.iter().enumerate() {
        let send = &mut ranks[*from as usize];
        writeln!(send, "s{tag}: send {bytes}b to {to} tag {tag}").unwrap();
        if *begin > 0 {
            writeln!(send, "c{tag}: calc {begin}\ns{tag} requires c{tag}").unwrap();
        }
        let receive = &mut ranks[*to as usize];
        writeln!(receive, "recv {bytes}b from {from} tag {tag}").unwrap();
    }
    Goal::parse("script", &goal_text(&ranks)).unwrap()
}

/// A GOAL program from the lines of each rank.
pub(crate) fn goal_text(ranks: &[impl Display]) -> String {
    let numbered_ranks = ranks.iter().enumerate();
    let blocks = numbered_ranks.map(|(rank, lines)| format!("rank {rank} {{\n{lines}\n}}\n"));
    format!("num_ranks {}\n{}", ranks.len(), blocks.collect::<String>())
}

/// Sends (from, to, begin, end) and receives (from, to, end) in the order of their ends.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ActivityRecorder {
    pub(crate) sent: Vec<(u32, u32, u64, u64)>,
    pub(crate) received: Vec<(u32, u32, u64)>,
}

impl Observer for ActivityRecorder {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        match activity {
            Activity::Send(_, c) => self.sent.push((c.from.0, c.to.0, start.0, end.0)),
            Activity::Receive(_, c, _) => self.received.push((c.from.0, c.to.0, end.0)),
            Activity::Compute(..) | Activity::Loss(_) => {}
        }
    }
}
