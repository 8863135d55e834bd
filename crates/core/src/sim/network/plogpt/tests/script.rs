//! Messages that begin when they are told to, and who sees them.

use super::PlogPT;
use crate::sim::engine;
use crate::sim::observer::{Activity, Observer};
use crate::sim::program::{Envelope, Op, Program, Rest, Send, Task};
use crate::sim::time::Time;
use crate::units::{Procs, Rank};

/// Messages by begin, sender, receiver and length; at most one of each sender.
#[derive(Clone)]
pub(super) struct Script {
    procs: Procs,
    messages: Vec<(u64, u32, u32, u64)>,
    ready: Vec<bool>,
}

impl Script {
    pub(super) fn new(procs: u32, messages: &[(u64, u32, u32, u64)]) -> Self {
        Self {
            procs: Procs::new(procs).unwrap(),
            messages: messages.to_vec(),
            ready: vec![false; procs as usize],
        }
    }
}

/// Who received what from whom and when, in that order of time.
pub(super) fn play(script: &Script, network: &PlogPT) -> Vec<(u32, u32, u64)> {
    let mut recorder = Recorder::default();
    engine::run(&mut script.clone(), &mut network.clone(), &mut recorder).unwrap();
    recorder.received
}

impl Program for Script {
    fn procs(&self) -> Procs {
        self.procs
    }

    fn start(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        let own = self.messages.iter().filter(|message| message.1 == rank.0);
        tasks.extend(own.map(|message| Task::Compute {
            op: 0,
            duration: Time(message.0),
        }));
    }

    fn next_send(&mut self, rank: Rank, _: &mut Vec<Task>) -> Option<Send> {
        std::mem::take(&mut self.ready[rank.0 as usize]).then(|| {
            let mut messages = self.messages.iter();
            let (.., to, bytes) = messages.find(|message| message.1 == rank.0).unwrap();
            Send {
                op: 0,
                to: Rank(*to),
                tag: 0,
                bytes: *bytes,
            }
        })
    }

    fn sent(&mut self, _: Rank, _: Op, _: &mut Vec<Task>) {}

    fn deliver(&mut self, _: Rank, _: Envelope) -> Option<Op> {
        Some(0)
    }

    fn received(&mut self, _: Rank, _: Op, _: &mut Vec<Task>) {}

    fn computed(&mut self, rank: Rank, _: Op, _: &mut Vec<Task>) {
        self.ready[rank.0 as usize] = true;
    }

    fn rest(&self) -> Option<Rest> {
        None
    }
}

/// What was sent (from, to, begin, end) and received (from, to, end).
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) sent: Vec<(u32, u32, u64, u64)>,
    pub(super) received: Vec<(u32, u32, u64)>,
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
