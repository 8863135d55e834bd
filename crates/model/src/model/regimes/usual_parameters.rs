//! Usual parameters of exchanges over TCP on Ethernet: means of priors, and the parameters of algorithms that were
//! not measured.
//!
//! Contention of rendezvous messages differs more from pattern to pattern than from network to network. If all are
//! sent at once, they queue behind each other. In rounds a request waits for data of other rounds. Partners that send
//! to each other wait for each other's data: pairwise exchange among powers of two uses its links in one direction at
//! a time.
//!
//! # Source
//! netsig, exchanges on emulated networks (`bench/data/accuracy`).

use super::{CountClass, ExchangeOrder, TrafficPattern};

/// A value with its standard deviation from network to network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UsualValue {
    pub(crate) value: f64,
    pub(crate) deviation: f64,
}

/// Usual parameters of an exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UsualParameters {
    /// κ of eager messages, and of rendezvous messages.
    pub(crate) growth: [UsualValue; 2],
    /// u.
    pub(crate) slowdown: UsualValue,
    /// γ of rendezvous messages, for algorithms that were not measured.
    pub(crate) rendezvous: f64,
    /// r in bytes on the wire.
    pub(crate) request: UsualValue,
    /// Stalls of eager messages per connection.
    pub(crate) stall_rate: f64,
}

const fn usual_value(value: f64, deviation: f64) -> UsualValue {
    UsualValue { value, deviation }
}

const KIB: f64 = 1024.0;

const AT_ONCE: UsualParameters = UsualParameters {
    growth: [usual_value(-0.5, 0.2), usual_value(0.0, 0.2)],
    slowdown: usual_value(0.2, 0.2),
    rendezvous: 1.75,
    request: usual_value(KIB, 3.0 * KIB),
    stall_rate: 0.01,
};

const IN_ROUNDS: UsualParameters = UsualParameters {
    slowdown: usual_value(0.17, 0.07),
    rendezvous: 1.08,
    request: usual_value(26.0 * KIB, 5.0 * KIB),
    stall_rate: 0.0005,
    ..AT_ONCE
};

/// A few exchanges of a segment at a time.
const IN_WINDOWS: UsualParameters = UsualParameters {
    stall_rate: AT_ONCE.stall_rate,
    ..IN_ROUNDS
};

const IN_PAIRS: UsualParameters = UsualParameters {
    rendezvous: 2.0,
    request: usual_value(0.0, 3.0 * KIB),
    ..IN_ROUNDS
};

impl TrafficPattern {
    /// True if the usual growth of contention is known, so that one measured process count suffices.
    pub fn grows_as_usual(self) -> bool {
        self.is_exchange()
    }
}

impl UsualParameters {
    /// Parameters of a pattern at a class of process counts; `None` unless it is an exchange.
    pub(crate) fn of(pattern: TrafficPattern, class: CountClass) -> Option<&'static Self> {
        match (pattern, class) {
            (TrafficPattern::Exchange(ExchangeOrder::AtOnce), _) => Some(&AT_ONCE),
            (TrafficPattern::Exchange(ExchangeOrder::Powers), CountClass::Power) => Some(&IN_PAIRS),
            (TrafficPattern::Segments { window: 2.., .. } | TrafficPattern::Digits { .. }, _) => Some(&IN_WINDOWS),
            (TrafficPattern::Exchange(_) | TrafficPattern::Segments { .. }, _) => Some(&IN_ROUNDS),
            _ => None,
        }
    }
}
