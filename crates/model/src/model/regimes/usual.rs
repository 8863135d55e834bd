//! Usual parameters of exchanges over TCP on Ethernet, where data do not tell them: means of priors,
//! and the parameters of algorithms that were not measured.
//!
//! Rendezvous messages differ more from pattern to pattern than from network to network. All at
//! once, they queue behind each other. In rounds a request waits for data of other rounds. Partners that
//! send to each other wait for each other's data: pairwise exchange among powers of two uses its links in one direction
//! at a time.
//!
//! # Source
//! netsig, exchanges on emulated networks (`bench/data/accuracy`).

use super::{Class, Order, Pattern};

/// A value with its standard deviation from network to network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) value: f64,
    pub(crate) deviation: f64,
}

/// Usual parameters of an exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Usual {
    /// κ of eager messages, and of rendezvous messages.
    pub(crate) growth: [Spread; 2],
    /// u.
    pub(crate) slowdown: Spread,
    /// γ of rendezvous messages, of algorithms that were not measured.
    pub(crate) rendezvous: f64,
    /// r in bytes on the wire.
    pub(crate) request: Spread,
    /// Stalls of eager messages per connection.
    pub(crate) stall_rate: f64,
}

const fn about(value: f64, deviation: f64) -> Spread {
    Spread { value, deviation }
}

const KIB: f64 = 1024.0;

const AT_ONCE: Usual = Usual {
    growth: [about(-0.5, 0.2), about(0.0, 0.2)],
    slowdown: about(0.2, 0.2),
    rendezvous: 1.75,
    request: about(KIB, 3.0 * KIB),
    stall_rate: 0.01,
};

const IN_ROUNDS: Usual = Usual {
    slowdown: about(0.17, 0.07),
    rendezvous: 1.08,
    request: about(26.0 * KIB, 5.0 * KIB),
    stall_rate: 0.0005,
    ..AT_ONCE
};

/// A few exchanges of a segment at a time.
const IN_WINDOWS: Usual = Usual {
    stall_rate: AT_ONCE.stall_rate,
    ..IN_ROUNDS
};

const IN_PAIRS: Usual = Usual {
    rendezvous: 2.0,
    request: about(0.0, 3.0 * KIB),
    ..IN_ROUNDS
};

impl Pattern {
    /// True if the usual growth of contention is known, so that one process count tells of others.
    pub fn grows_as_usual(self) -> bool {
        self.is_exchange()
    }
}

impl Usual {
    /// Parameters of a pattern at a class of process counts; `None` unless it is an exchange.
    pub(crate) fn of(pattern: Pattern, class: Class) -> Option<&'static Self> {
        match (pattern, class) {
            (Pattern::Exchange(Order::AtOnce), _) => Some(&AT_ONCE),
            (Pattern::Exchange(Order::Powers), Class::Power) => Some(&IN_PAIRS),
            (Pattern::Segments { window: 2.., .. } | Pattern::Digits { .. }, _) => Some(&IN_WINDOWS),
            (Pattern::Exchange(_) | Pattern::Segments { .. }, _) => Some(&IN_ROUNDS),
            _ => None,
        }
    }
}
