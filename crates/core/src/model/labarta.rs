//! Labarta's model of a limited network: messages cross it in waves of as many as it has
//! buses.
//!
//! # Formula
//! N ready messages on b buses are serialised in ⌈N/b⌉ waves. All-to-all among n processes,
//! α in seconds, β in seconds per byte, m bytes per destination:
//!
//! | mode | T(n, m) |
//! |---|---|
//! | `PerRound` | (n−1)·⌈n/b⌉·(α + β·m) |
//! | `Total` | ⌈n·(n−1)/b⌉·(α + β·m) |
//!
//! # Domain
//! Networks that carry a fixed number of messages at a time, each at full speed. `PerRound`
//! (the default) takes the rounds of direct exchange one after the other, so a wave may go
//! half empty at the end of each; `Total` fills every wave but the last.
//!
//! # Source
//! J. Labarta, S. Girona, V. Pillet, T. Cortes, L. Gregoris, Euro-Par 1996, as quoted by
//! Barchet-Steffenel and Mounié 2005 (PPAM) §3 and Steffenel 2006 (INRIA report) §2. They
//! quote the waves only; both ways of applying them to all-to-all are netsig's.
//!
//! ```
//! # use std::num::NonZeroU32;
//! # use netsig_core::model::{hockney::Hockney, labarta::{Labarta, Mode}};
//! # use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
//! let base = Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8))?;
//! let buses = NonZeroU32::new(3).ok_or("no bus")?;
//! let model = Labarta { buses, mode: Mode::PerRound };
//! let time = model.alltoall(&base, Procs::new(8)?, Bytes(10_000));
//! assert!((time.0 / 0.0031500000000000005 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::num::NonZeroU32;

use super::hockney::Hockney;
use crate::units::{Bytes, Procs, Seconds};

/// Which messages are ready at once in an all-to-all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The n messages of a round (the default).
    #[default]
    PerRound,
    /// All n·(n−1) messages.
    Total,
}

/// A network that carries one message on each of its buses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labarta {
    /// b.
    pub buses: NonZeroU32,
    /// Which messages are ready at once.
    pub mode: Mode,
}

/// In how many waves `messages` cross `buses`: ⌈N/b⌉.
pub fn waves(messages: u64, buses: NonZeroU32) -> u64 {
    messages.div_ceil(u64::from(buses.get()))
}

impl Labarta {
    /// The all-to-all with `size` bytes per destination.
    pub fn alltoall(&self, base: &Hockney, procs: Procs, size: Bytes) -> Seconds {
        let count = u64::from(procs.get());
        let waves = match self.mode {
            Mode::PerRound => (count - 1) * waves(count, self.buses),
            Mode::Total => waves(count * (count - 1), self.buses),
        };
        base.time(size) * waves as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SecondsPerByte;

    fn buses(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    /// Unit time for each message.
    fn waves_of(mode: Mode, count: u32, width: u32) -> Seconds {
        let base = Hockney::new(Seconds(1.0), SecondsPerByte(0.0)).unwrap();
        let model = Labarta {
            buses: buses(width),
            mode,
        };
        let procs = Procs::new(count).unwrap();
        model.alltoall(&base, procs, Bytes(10_000))
    }

    #[test]
    fn worked_values() {
        assert_eq!(waves(10, buses(4)), 3);
        assert_eq!(waves(0, buses(4)), 0);
        // 7 rounds of 3 waves; 56 messages on 3 buses.
        assert_eq!(waves_of(Mode::PerRound, 8, 3), Seconds(21.0));
        assert_eq!(waves_of(Mode::Total, 8, 3), Seconds(19.0));
    }

    #[test]
    fn full_waves_save_time_and_a_bus_for_each_process_ends_contention() {
        for count in 1..20 {
            for width in 1..25 {
                let [rounds, total] =
                    [Mode::PerRound, Mode::Total].map(|mode| waves_of(mode, count, width));
                assert!(total <= rounds);
                let one_each = Seconds(f64::from(count - 1));
                assert_eq!(rounds <= one_each, count == 1 || width >= count);
            }
        }
    }

    #[test]
    fn the_largest_counts_do_not_overflow() {
        let messages = f64::from(u32::MAX) * f64::from(u32::MAX - 1);
        for mode in [Mode::PerRound, Mode::Total] {
            assert!((waves_of(mode, u32::MAX, 1).0 / messages - 1.0).abs() < 1e-12);
        }
    }
}
