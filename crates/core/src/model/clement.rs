//! Clement's model of a shared network: the gap per byte grows with the number of sharers.
//!
//! # Formula
//! t(m) = α + β·m·γ, with γ the number of processes that share the network, α in seconds,
//! β in seconds per byte, m in bytes. All-to-all: T = (n−1)·(α + β·m·γ) with γ = `share`·n.
//!
//! # Domain
//! A shared medium such as Ethernet without switches, and only while all processes
//! communicate at once, as they do in every round of direct exchange. On switches a smaller
//! share says which part of the processes meets on a link.
//!
//! # Source
//! M. Clement, M. Steed, P. Crandall, Supercomputing 1996, as quoted by Steffenel 2006 (INRIA
//! report) eq. 2, T = l + bγ/W, and by Steffenel, Martinasso, Trystram 2007 (GPC) eq. 3.
//! They quote one message; the all-to-all of n − 1 rounds is netsig's, and so is the share.
//! This γ counts processes and is none of the ratios that other models call γ.
//!
//! ```
//! # use netsig_core::model::{clement, hockney::Hockney};
//! # use netsig_core::units::{Bytes, Seconds, SecondsPerByte};
//! let base = Hockney::new(Seconds(5e-5), SecondsPerByte(1e-7))?;
//! let time = clement::message(&base, Bytes(10_000), 8.0)?;
//! assert!((time.0 / 0.00805 - 1.0).abs() < 1e-12);
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

use super::hockney::Hockney;
use crate::units::parameter::{ParameterError, non_negative};
use crate::units::{Bytes, Procs, Seconds};

/// One message while `sharers` processes use the network: α + β·m·γ.
///
/// # Errors
/// If `sharers` is negative or not finite.
pub fn message(base: &Hockney, size: Bytes, sharers: f64) -> Result<Seconds, ParameterError> {
    non_negative("gamma", sharers)?;
    Ok(shared(base, size, sharers))
}

/// The part of all processes that share one medium; by default all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clement {
    share: f64,
}

impl Default for Clement {
    fn default() -> Self {
        Self { share: 1.0 }
    }
}

impl Clement {
    /// γ is `share`·n.
    ///
    /// # Errors
    /// If `share` is negative or not finite.
    pub fn new(share: f64) -> Result<Self, ParameterError> {
        non_negative("sharing", share)?;
        Ok(Self { share })
    }

    /// The all-to-all with `size` bytes per destination: (n−1)·(α + β·m·`share`·n).
    pub fn alltoall(&self, base: &Hockney, procs: Procs, size: Bytes) -> Seconds {
        let sharers = self.share * f64::from(procs.get());
        shared(base, size, sharers) * procs.partners()
    }
}

fn shared(base: &Hockney, size: Bytes, sharers: f64) -> Seconds {
    base.alpha() + base.beta() * size * sharers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SecondsPerByte;

    fn base() -> Hockney {
        Hockney::new(Seconds(5e-5), SecondsPerByte(1e-7)).unwrap()
    }

    #[test]
    fn a_bus_carries_all_blocks_one_after_the_other() {
        // 7 rounds of 50 µs, and 7 · 8 blocks of 10 000 B at 100 ns/B.
        let eight = Procs::new(8).unwrap();
        let time = Clement::default().alltoall(&base(), eight, Bytes(10_000));
        assert!((time.0 / 0.05635 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_sharer_is_no_contention() {
        let size = Bytes(10_000);
        assert_eq!(message(&base(), size, 1.0).unwrap(), base().time(size));
        let half = Clement::new(0.5).unwrap();
        let two = Procs::new(2).unwrap();
        assert_eq!(
            half.alltoall(&base(), two, size),
            base().alltoall(two, size)
        );
        let one = Procs::new(1).unwrap();
        assert_eq!(half.alltoall(&base(), one, size), Seconds(0.0));
    }

    #[test]
    fn impossible_sharers_are_refused() {
        assert!(message(&base(), Bytes(1), -1.0).is_err());
        assert!(Clement::new(f64::NAN).is_err());
    }
}
