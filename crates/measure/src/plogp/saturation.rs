//! Finds the number of messages, sent without a pause, that saturates the path to the other rank.
//!
//! # Formula
//! The flood begins with 10 messages and doubles. Let a be the gap between two messages and T the time until the
//! answer to the last message, in seconds. A flood saturates when it has 2560 messages, or when it has at least 20
//! and
//!
//! - a differs from the gap of the previous flood by less than 1 % (1.5 % above 64 KiB, 8 % from 640 messages on);
//! - RTT/T < ε/2: the answer is negligible;
//! - |2·T' − RTT/2|/T < 1 + ε with T' of the previous flood: T grew with the number of messages.
//!
//! # Source
//! The MPI `LogP` benchmark of Kielmann, Bal, Verstoep 2000.

use netsig_base::units::{Bytes, Seconds};

/// Number of messages of the first flood.
pub(super) const FIRST_FLOOD: u32 = 10;

/// The least and the most messages of a saturating flood.
const FEWEST: u32 = 20;
const MOST: u32 = 2560;

/// Number of messages from which the gaps of two floods may differ by more.
const MANY: u32 = 640;

/// The search for the number of messages of a saturating flood.
pub(super) struct FloodSearch {
    messages: u32,
    size: Bytes,
    round_trip: Seconds,
    epsilon: f64,
    /// The gap between messages and the total time of the previous flood.
    before: Option<[f64; 2]>,
}

impl FloodSearch {
    /// A search before its first flood.
    pub fn new(size: Bytes, round_trip: Seconds, epsilon: f64) -> Self {
        Self {
            messages: FIRST_FLOOD,
            size,
            round_trip,
            epsilon,
            before: None,
        }
    }

    /// Number of messages of the next flood; after the search, of the saturating flood.
    pub fn messages(&self) -> u32 {
        self.messages
    }

    /// True if the current flood, with these times (`None` if rejected), ends the search: it
    /// saturates or has the most messages. Otherwise doubles the messages of the next flood.
    pub fn ends_with(&mut self, times: Option<&[Seconds]>) -> bool {
        let now = match times {
            Some([average, whole]) => Some([average.0, whole.0]),
            _ => None,
        };
        let is_steady = match (self.before, now) {
            (Some(before), Some(now)) => self.is_steady(before, now),
            _ => false,
        };
        if is_steady || self.messages >= MOST {
            return true;
        }
        self.before = now;
        self.messages *= 2;
        false
    }

    fn is_steady(&self, [average_before, whole_before]: [f64; 2], now: [f64; 2]) -> bool {
        let [average, whole] = now;
        let tolerance = match self.size {
            _ if self.messages >= MANY => 0.08,
            Bytes(65_537..) => 0.015,
            _ => 0.01,
        };
        let round_trip = self.round_trip.0;
        let growth = (2.0 * whole_before - round_trip / 2.0).abs() / whole;
        self.messages >= FEWEST
            && (average / average_before - 1.0).abs() < tolerance
            && round_trip / whole < self.epsilon / 2.0
            && growth < 1.0 + self.epsilon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of messages at the end of the search if the sends of n messages take `sends`(n)
    /// and an answer another round trip of 0.1 ms.
    fn flood_size(size: u64, sends: impl Fn(f64) -> f64) -> u32 {
        let mut search = FloodSearch::new(Bytes(size), Seconds(1e-4), 0.03);
        loop {
            let messages = f64::from(search.messages());
            let all = sends(messages);
            let times = [all / messages, all + 1e-4].map(Seconds);
            if search.ends_with(Some(&times)) {
                return search.messages();
            }
        }
    }

    /// Without buffers only the answer counts: 0.1 ms is 1.5 % of 6.67 ms. Messages of 0.1 ms reach this time at 80,
    /// counting the answer; messages of 10 ms reach it at once.
    #[test]
    fn an_answer_must_count_for_nothing() {
        assert_eq!(flood_size(0, |n| n * 1e-4), 80);
        assert_eq!(flood_size(0, |n| n * 1e-2), 20);
    }

    /// Messages of 1 ms, but the first 8 go into a buffer at no cost. The averages 1 − 8/n of n = 320 and 640 differ
    /// by 1.27 %: this suffices above 64 KiB, and from 640 messages on 8 % suffice.
    #[test]
    fn buffers_must_count_for_little() {
        let buffered = |n: f64| (n - 8.0) * 1e-3;
        assert_eq!(flood_size(0, buffered), 640);
        let fewer = |n: f64| (n - 2.0) * 1e-3;
        assert_eq!(flood_size(0, fewer), 320);
        assert_eq!(flood_size(1 << 17, fewer), 160);
    }

    #[test]
    fn the_search_ends_even_if_nothing_is_steady() {
        assert_eq!(flood_size(0, |n| n * n), 2560);
        let mut search = FloodSearch::new(Bytes(0), Seconds(1e-4), 0.03);
        let floods = std::iter::from_fn(|| (!search.ends_with(None)).then_some(()));
        assert_eq!(floods.count(), 8);
    }
}
