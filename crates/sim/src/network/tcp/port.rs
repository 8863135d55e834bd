//! Losses of trains of segments that meet in a port.
//!
//! # Method
//! A train arrives at the rate of its input link, and the port sends at its own rate. The buffer
//! fills while more bytes arrive than leave. When it is full, the excess is lost from all
//! arriving trains in proportion to their rates: a drop-tail queue.

use rustc_hash::FxHashMap;

use netsig_base::network::LinkId;

/// Consecutive segments of a flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SegmentTrain {
    /// The flow.
    pub(super) flow: u32,
    /// The link on which the train arrives, one train at a time.
    pub(super) input: LinkId,
    /// Arrival time of the first byte in seconds.
    pub(super) start: f64,
    /// Number of bytes.
    pub(super) bytes: f64,
    /// Arrival rate in bytes per second.
    pub(super) rate: f64,
}

impl SegmentTrain {
    fn end(&self) -> f64 {
        self.start + self.bytes / self.rate
    }
}

/// Losses of a train.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct TrainLosses {
    /// Number of lost bytes.
    pub(super) bytes: f64,
    /// Number of bytes of the train that come through after the first lost one.
    pub(super) following: f64,
}

/// A port, while trains go through it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TcpPort {
    /// Sending rate in bytes per second.
    rate: f64,
    /// Free buffer in bytes.
    room: f64,
}

impl TcpPort {
    pub(super) fn new(rate: f64, room: f64) -> Self {
        Self { rate, room }
    }

    /// Sends `trains` through and returns the losses of each. Trains of one input that would
    /// overlap follow each other.
    pub(super) fn send(self, trains: &mut [SegmentTrain]) -> Vec<TrainLosses> {
        trains.sort_by(|a, b| a.start.total_cmp(&b.start));
        queue_up(trains);
        let mut lost = vec![TrainLosses::default(); trains.len()];
        let mut present: Vec<usize> = Vec::new();
        let (mut now, mut level, mut next) = (0.0, 0.0, 0);
        while next < trains.len() || !present.is_empty() {
            let ends = present.iter().map(|&place| trains[place].end());
            let starts = trains[next..].first().map(|train| train.start);
            let until = ends.chain(starts).fold(f64::INFINITY, f64::min);
            level = self.fill(level, until - now, trains, &present, &mut lost);
            now = until;
            present.retain(|&place| trains[place].end() > now);
            while next < trains.len() && trains[next].start <= now {
                present.push(next);
                next += 1;
            }
        }
        lost
    }

    /// Buffer level after `seconds` with the same `present` trains; adds their losses to `lost`.
    fn fill(
        self,
        level: f64,
        seconds: f64,
        trains: &[SegmentTrain],
        present: &[usize],
        lost: &mut [TrainLosses],
    ) -> f64 {
        let arrival_rate: f64 = present.iter().map(|&place| trains[place].rate).sum();
        let fill_level = level + (arrival_rate - self.rate) * seconds;
        let overflow = (fill_level - self.room).max(0.0);
        for &place in present {
            let (train, lost) = (&trains[place], &mut lost[place]);
            let share = overflow * train.rate / arrival_rate;
            if lost.bytes > 0.0 {
                lost.following += train.rate * seconds - share;
            } else if overflow > 0.0 {
                // The first byte is lost when the buffer is full, not before.
                let full = overflow / (arrival_rate - self.rate);
                lost.following = train.rate * full - share;
            }
            lost.bytes += share;
        }
        fill_level.clamp(0.0, self.room)
    }
}

/// Delays trains that would overlap on one input; trains are sorted by their starts before and
/// after.
fn queue_up(trains: &mut [SegmentTrain]) {
    let mut free_times: FxHashMap<LinkId, f64> = FxHashMap::default();
    let mut is_late = false;
    for train in trains.iter_mut() {
        let free_time = free_times.entry(train.input).or_insert(f64::NEG_INFINITY);
        is_late |= *free_time > train.start;
        train.start = train.start.max(*free_time);
        *free_time = train.end();
    }
    if is_late {
        trains.sort_by(|a, b| a.start.total_cmp(&b.start));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn train(input: u32, start: f64, bytes: f64) -> SegmentTrain {
        SegmentTrain {
            flow: input,
            input: LinkId(input),
            start,
            bytes,
            rate: 1.0,
        }
    }

    /// Losses of trains, computed byte by byte in small steps.
    fn step_by_step(port: TcpPort, trains: &[SegmentTrain]) -> Vec<f64> {
        const STEP: f64 = 1e-3;
        let mut lost = vec![0.0; trains.len()];
        let (mut now, mut level) = (STEP / 2.0, 0.0);
        while trains.iter().any(|train| now < train.end()) {
            let is_here = |train: &SegmentTrain| train.start <= now && now < train.end();
            let arrival_rate: f64 = trains.iter().filter(|t| is_here(t)).map(|t| t.rate).sum();
            level = f64::max(level + (arrival_rate - port.rate) * STEP, 0.0);
            let overflow = f64::max(level - port.room, 0.0);
            for (train, lost) in trains.iter().zip(&mut lost) {
                if is_here(train) {
                    *lost += overflow * train.rate / arrival_rate;
                }
            }
            level -= overflow;
            now += STEP;
        }
        lost
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn losses_are_those_of_small_steps(
            trains in prop::collection::vec((0.0..4.0, 0.1..2.0, 0.5..2.0), 1..7),
            room in 0.0..1.5,
        ) {
            let trains = (0..).zip(trains).map(|(input, (start, bytes, rate))| SegmentTrain {
                rate,
                ..train(input, start, bytes)
            });
            let mut trains: Vec<SegmentTrain> = trains.collect();
            let port = TcpPort::new(1.0, room);
            let lost = port.send(&mut trains);
            for (lost, expected) in lost.iter().zip(step_by_step(port, &trains)) {
                prop_assert!((lost.bytes - expected).abs() < 0.05, "{lost:?} {expected}");
            }
        }
    }

    /// From time 2 on both trains lose half: 1 of each is lost, 1 of each comes through. If the second continues
    /// alone for 2, without loss, 3 of it come through. Trains of one link arrive one after the other.
    #[test]
    fn the_end_of_trains_that_come_at_once_is_lost() {
        let first = train(0, 0.0, 4.0);
        let lost = |bytes, following| TrainLosses { bytes, following };
        for (second, expected) in [
            (train(1, 0.0, 4.0), [lost(1.0, 1.0), lost(1.0, 1.0)]),
            (train(1, 0.0, 6.0), [lost(1.0, 1.0), lost(1.0, 3.0)]),
            (train(0, 1.0, 4.0), [TrainLosses::default(); 2]),
        ] {
            assert_eq!(TcpPort::new(1.0, 2.0).send(&mut [first, second]), expected);
        }
    }
}
