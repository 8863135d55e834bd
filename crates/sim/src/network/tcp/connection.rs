//! State of a TCP connection: its window, and its waiting time after a loss.

use netsig_base::network::LINUX_RTO;

use super::{INITIAL_WINDOW, MAX_WINDOW, SEGMENT};
use crate::network::TcpRepair;
use crate::time::Time;

/// Largest number of doublings of the retransmission timer, which keeps it below two minutes.
const MOST_DOUBLINGS: u32 = 9;

/// The congestion window and the slow-start threshold, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TcpConnection {
    pub(super) window: f64,
    threshold: f64,
}

impl Default for TcpConnection {
    fn default() -> Self {
        Self {
            window: INITIAL_WINDOW,
            threshold: f64::INFINITY,
        }
    }
}

impl TcpConnection {
    /// Grows after a whole window was acknowledged: doubles in slow start, then adds a segment.
    pub(super) fn grow(&mut self) {
        let grown = if self.window < self.threshold {
            (2.0 * self.window).min(self.threshold)
        } else {
            self.window + SEGMENT
        };
        self.window = grown.min(MAX_WINDOW);
    }

    /// Shrinks after a loss in a train of `train` bytes.
    pub(super) fn shrink(&mut self, train: f64, repair: TcpRepair) {
        self.threshold = (train / 2.0).max(2.0 * SEGMENT);
        self.window = match repair {
            TcpRepair::FastRetransmit | TcpRepair::TailLossProbe => self.threshold,
            TcpRepair::Timeout => SEGMENT,
        };
    }
}

/// Repair by a sender of `train` bytes whose end is lost, and its waiting time after the last
/// acknowledgement; `tries` is the number of earlier repairs in a row.
pub(super) fn tail_repair(train: f64, round_trip: Time, tries: u32, min_timeout: Time) -> (TcpRepair, Time) {
    let timeout = round_trip + min_timeout;
    if let Some(doublings) = tries.checked_sub(1) {
        return (TcpRepair::Timeout, timeout * (1 << doublings.min(MOST_DOUBLINGS)));
    }
    let is_alone = train <= SEGMENT;
    let ack_delay = if is_alone { Time::of(LINUX_RTO) } else { Time::ZERO };
    let probe = round_trip * 2 + ack_delay;
    (TcpRepair::TailLossProbe, probe.min(timeout))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand from RFC 8985, section 7.2, and RFC 6298, section 5, with 200 ms and a round
    /// trip of 30 ms.
    #[test]
    fn a_probe_comes_before_timeouts_that_double() {
        let wait = |train, tries| {
            let round_trip = Time(30_000_000_000);
            let (repair, wait) = tail_repair(train, round_trip, tries, Time::of(LINUX_RTO));
            (repair, wait.0 / 1_000_000_000)
        };
        assert_eq!(wait(2896.0, 0), (TcpRepair::TailLossProbe, 60));
        assert_eq!(wait(1448.0, 0), (TcpRepair::TailLossProbe, 230));
        assert_eq!(wait(1448.0, 1), (TcpRepair::Timeout, 230));
        assert_eq!(wait(1448.0, 2), (TcpRepair::Timeout, 460));
    }

    /// RFC 5681, section 3.1: slow start to the threshold, then a segment each round trip.
    #[test]
    fn a_window_that_was_halved_grows_by_segments() {
        let mut connection = TcpConnection::default();
        let segments = [0, 1, 2, 3, 4, 5, 6, 7].map(|step| {
            match step {
                0 => {}
                2 => connection.shrink(28_960.0, TcpRepair::Timeout),
                _ => connection.grow(),
            }
            connection.window / 1448.0
        });
        assert_eq!(segments.to_vec(), [10.0, 20.0, 1.0, 2.0, 4.0, 8.0, 10.0, 11.0]);
    }
}
