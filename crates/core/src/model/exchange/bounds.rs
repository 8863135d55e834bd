//! The bounds of an exchange, and when Claim 3 is one.

use super::{Exchange, Load, Traffic};
use crate::model::hockney::Hockney;
use crate::units::Seconds;

/// The bounds of an exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Δs: the most messages that a process sends.
    pub max_out_degree: u32,
    /// Δr: the most messages that a process receives.
    pub max_in_degree: u32,
    /// max(Δs, Δr).
    pub startups: u32,
    /// Claim 1: max(Δs, Δr)·α, a bound if nobody forwards.
    pub claim1: Seconds,
    /// `t_s`: the longest time that a process transmits.
    pub send_time: Seconds,
    /// `t_r`: the longest time that a process is transmitted to.
    pub receive_time: Seconds,
    /// Claim 2: `max(t_s, t_r)`, which no algorithm avoids.
    pub claim2: Seconds,
    /// Claim 3: `max(Δs, Δr)·α + max(t_s, t_r)`, whether or not it applies.
    pub claim3: Seconds,
    /// Whether one process has both maxima of Claim 3.
    pub same_process: bool,
    /// Whether one process has both maxima of Claim 3 in the same direction.
    pub same_process_and_direction: bool,
    /// The longest time of a process and a direction, a bound if nobody forwards.
    pub per_vertex: Seconds,
}

/// How the processes take their steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stepping {
    /// All together.
    Synchronous,
    /// Each on its own.
    Asynchronous,
}

/// Why Claim 3 is a bound where nobody forwards, or that it is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim3 {
    /// It holds in the synchronous model.
    Synchronous,
    /// It holds: both maxima are due to one process and direction.
    SameProcessSameDirection,
    /// The printed condition holds (one process), but the bound need not.
    PrintedHypothesisOnly,
    /// Not even the printed condition holds.
    No,
}

impl Exchange {
    /// The bounds where a message takes the time of `base`.
    pub fn bounds(&self, base: &Hockney) -> Bounds {
        let sent = most(self.loads.iter().map(|load| load.sent));
        let received = most(self.loads.iter().map(|load| load.received));
        let either = most([sent, received].into_iter());
        let transmission = |traffic: Traffic| base.beta().0 * traffic.bytes as f64;
        let times = self.loads.iter().flat_map(Load::each);
        let times = times.map(|traffic| traffic.time(base).0);
        Bounds {
            max_out_degree: sent.messages,
            max_in_degree: received.messages,
            startups: either.messages,
            claim1: base.alpha() * f64::from(either.messages),
            send_time: Seconds(transmission(sent)),
            receive_time: Seconds(transmission(received)),
            claim2: Seconds(transmission(either)),
            claim3: either.time(base),
            same_process: self.loads.iter().any(|load| load.reaches(either)),
            same_process_and_direction: self.loads.iter().any(|load| load.each().contains(&either)),
            per_vertex: Seconds(times.fold(0.0, f64::max)),
        }
    }
}

/// The most messages and the most bytes, each on its own.
fn most(traffic: impl Iterator<Item = Traffic>) -> Traffic {
    traffic.fold(Traffic::default(), |a, b| Traffic {
        messages: a.messages.max(b.messages),
        bytes: a.bytes.max(b.bytes),
    })
}

impl Load {
    /// Whether it has so many messages in one direction, and so many bytes in one.
    fn reaches(&self, most: Traffic) -> bool {
        let each = self.each();
        each.iter().any(|traffic| traffic.messages == most.messages)
            && each.iter().any(|traffic| traffic.bytes == most.bytes)
    }
}

impl Bounds {
    /// Whether Claim 3 is a bound where processes step so and nobody forwards.
    pub fn claim3_applies(&self, stepping: Stepping) -> Claim3 {
        match (stepping, self.same_process_and_direction, self.same_process) {
            (Stepping::Synchronous, _, _) => Claim3::Synchronous,
            (Stepping::Asynchronous, true, _) => Claim3::SameProcessSameDirection,
            (Stepping::Asynchronous, false, true) => Claim3::PrintedHypothesisOnly,
            (Stepping::Asynchronous, false, false) => Claim3::No,
        }
    }
}
