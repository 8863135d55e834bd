//! The frames under way in one direction of a wire: each leaves one delay after it entered, in the
//! order of entering.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use netsig_base::network::Link;
use netsig_base::units::Bytes;

/// Bytes under way beyond those that the link sends during its delay: what a thread that got no
/// processor for 80 ms finds at 100 Mbit/s.
const SLACK: f64 = 1024.0 * 1024.0;

/// One direction of a wire.
pub(crate) struct Lane {
    delay: Duration,
    /// With these many bytes under way no further frame may enter.
    limit: Bytes,
    under_way: Bytes,
    frames: VecDeque<Frame>,
}

struct Frame {
    leaves: Instant,
    content: Box<[u8]>,
}

impl Lane {
    /// An empty lane with the delay of `link`, and room for more than the link can send during it.
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
    pub(crate) fn enter(&mut self, content: &[u8], now: Instant) {
        self.under_way.0 += content.len() as u64;
        self.frames.push_back(Frame {
            leaves: now + self.delay,
            content: content.into(),
        });
    }

    /// When the next frame leaves, if one is under way.
    pub(crate) fn next(&self) -> Option<Instant> {
        Some(self.frames.front()?.leaves)
    }

    /// The next frame, if it leaves at `now` or before.
    pub(crate) fn leave(&mut self, now: Instant) -> Option<Box<[u8]>> {
        self.next().filter(|leaves| *leaves <= now)?;
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

    fn lane() -> Lane {
        Lane::of(&Link {
            from: Vertex(2),
            to: Vertex(3),
            rate: BytesPerSecond(1e6),
            buffer: Bytes(65536),
            delay: Seconds(5e-3),
        })
    }

    #[test]
    fn frames_leave_in_order_one_delay_after_they_entered() {
        let (mut lane, start) = (lane(), Instant::now());
        for (content, entered) in [(b"one", 0), (b"two", 0), (b"six", 3)] {
            lane.enter(content, start + entered * MS);
        }
        assert_eq!(lane.next(), Some(start + 5 * MS));
        assert_eq!(lane.leave(start + 4 * MS), None);
        let mut leaves = |ms| Some(lane.leave(start + ms * MS)?.into_vec());
        assert_eq!(leaves(5), Some(b"one".to_vec()));
        assert_eq!(leaves(7), Some(b"two".to_vec()), "late, and not lost");
        assert_eq!(leaves(7), None);
        assert_eq!(leaves(8), Some(b"six".to_vec()));
        assert_eq!(lane.next(), None);
    }

    #[test]
    fn a_lane_holds_more_than_its_link_sends_during_the_delay() {
        let (mut lane, start) = (lane(), Instant::now());
        let mut entered = 0;
        while lane.has_room() {
            lane.enter(&[0; 1000], start);
            entered += 1;
        }
        assert_eq!(entered, 1054, "5 for the delay, 1049 for the slack");
        while lane.leave(start + 5 * MS).is_some() {
            entered -= 1;
        }
        assert!(entered == 0 && lane.has_room());
    }
}
