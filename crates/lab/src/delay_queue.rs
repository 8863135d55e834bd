//! The frames under way in one direction of a wire: each leaves one delay after it entered, in the
//! order of entering.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use netsig_base::network::Link;
use netsig_base::units::Bytes;

/// Room beyond the bytes that the link sends during its delay: the backlog at 100 Mbit/s of a thread that got no
/// processor for 80 ms.
const SLACK: f64 = 1024.0 * 1024.0;

/// One direction of a wire.
pub(crate) struct DelayQueue {
    delay: Duration,
    /// Number of bytes under way from which no further frame may enter.
    limit: Bytes,
    under_way: Bytes,
    frames: VecDeque<DelayedFrame>,
}

struct DelayedFrame {
    leaves: Instant,
    content: Box<[u8]>,
}

impl DelayQueue {
    /// An empty queue with the delay of `link`, and room for more than the link can send during it.
    pub(crate) fn of(link: &Link) -> Self {
        Self {
            delay: Duration::from_secs_f64(link.delay.0),
            limit: Bytes::rounded(link.rate.0 * link.delay.0 + SLACK),
            under_way: Bytes(0),
            frames: VecDeque::new(),
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.under_way < self.limit
    }

    /// Takes a frame at `now`.
    pub(crate) fn push(&mut self, content: &[u8], now: Instant) {
        self.under_way.0 += content.len() as u64;
        self.frames.push_back(DelayedFrame {
            leaves: now + self.delay,
            content: content.into(),
        });
    }

    /// Departure time of the next frame, if one is under way.
    pub(crate) fn next_departure(&self) -> Option<Instant> {
        Some(self.frames.front()?.leaves)
    }

    /// Takes the next frame, if it leaves at `now` or before.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<Box<[u8]>> {
        self.next_departure().filter(|leaves| *leaves <= now)?;
        let frame = self.frames.pop_front()?;
        self.under_way.0 -= frame.content.len() as u64;
        Some(frame.content)
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::network::Vertex;
    use netsig_base::units::{BytesPerSecond, Seconds};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn queue() -> DelayQueue {
        DelayQueue::of(&Link {
            from: Vertex(2),
            to: Vertex(3),
            rate: BytesPerSecond(1e6),
            buffer: Bytes(65536),
            delay: Seconds(5e-3),
        })
    }

    #[test]
    fn frames_leave_in_order_one_delay_after_they_entered() {
        let (mut queue, start) = (queue(), Instant::now());
        for (content, entered) in [(b"one", 0), (b"two", 0), (b"six", 3)] {
            queue.push(content, start + entered * MS);
        }
        assert_eq!(queue.next_departure(), Some(start + 5 * MS));
        assert_eq!(queue.pop_due(start + 4 * MS), None);
        let mut leaves = |ms| Some(queue.pop_due(start + ms * MS)?.into_vec());
        assert_eq!(leaves(5), Some(b"one".to_vec()));
        assert_eq!(leaves(7), Some(b"two".to_vec()), "late, and not lost");
        assert_eq!(leaves(7), None);
        assert_eq!(leaves(8), Some(b"six".to_vec()));
        assert_eq!(queue.next_departure(), None);
    }

    #[test]
    fn a_lane_holds_more_than_its_link_sends_during_the_delay() {
        let (mut queue, start) = (queue(), Instant::now());
        let mut entered = 0;
        while queue.has_room() {
            queue.push(&[0; 1000], start);
            entered += 1;
        }
        assert_eq!(entered, 1054, "5 for the delay, 1049 for the slack");
        while queue.pop_due(start + 5 * MS).is_some() {
            entered -= 1;
        }
        assert!(entered == 0 && queue.has_room());
    }
}
