//! The rounds of an all-to-all in `PlogPT`, in classes of one height, in seconds or in the simulator's whole
//! picoseconds.

use std::ops::Add;

use netsig_base::units::{Bytes, Seconds};

use super::{PlogptAlgorithm, PlogptLevel, PlogptRound};

/// Number type of the closed form: seconds here, whole picoseconds in the simulator.
pub trait ElapsedTime: Copy + PartialOrd + Add<Output = Self> + From<Seconds> {
    /// This time, `count` times.
    #[must_use]
    fn times(self, count: u32) -> Self;
}

impl ElapsedTime for Seconds {
    fn times(self, count: u32) -> Self {
        self * f64::from(count)
    }
}

/// All rounds of one height: 2^(height−1) successive rounds.
#[derive(Debug, Clone, Copy)]
pub struct RoundClass<'a, T> {
    pub(super) level: &'a PlogptLevel,
    /// Number of rounds, and also the number of the first round.
    pub(super) rounds: u32,
    /// Time at which the first round begins.
    start: T,
    /// Gap `g_c(m, C)` of a message.
    pub gap: T,
    /// Wait of a receiver beyond the gap.
    latency: T,
    /// Time from the start of one round to the start of the next.
    pace: T,
}

impl<'a, T: ElapsedTime> RoundClass<'a, T> {
    pub(super) fn new(level: &'a PlogptLevel, size: Bytes, algorithm: PlogptAlgorithm, start: T) -> Self {
        let (gap, latency) = (T::from(level.gap(size)), T::from(level.latency));
        Self {
            level,
            rounds: 1 << (level.height - 1),
            start,
            gap,
            latency,
            pace: match algorithm {
                PlogptAlgorithm::A => gap + latency,
                PlogptAlgorithm::B => gap,
            },
        }
    }

    /// Time at which the k-th round, k from 0, begins.
    pub(super) fn enter(&self, k: u32) -> T {
        self.start + self.pace.times(k)
    }

    /// Time at which the messages of the last round have been sent.
    pub fn finish(&self) -> T {
        self.enter(self.rounds - 1) + self.gap
    }

    /// Time at which the messages of the last round have been received.
    pub(super) fn last_received(&self) -> T {
        self.finish() + self.latency
    }
}

impl RoundClass<'_, Seconds> {
    pub(super) fn round(&self, k: u32) -> PlogptRound {
        PlogptRound {
            xor: self.rounds + k,
            height: self.level.height,
            effective_height: self.level.effective_height,
            throughput: self.level.throughput,
            enter: self.enter(k),
            finish_no_rto: self.enter(k) + self.gap,
        }
    }
}
