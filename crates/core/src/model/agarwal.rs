//! Agarwal's model of contention in a k-ary n-cube: the cycles a message waits and takes.
//!
//! # Formula
//! `w = ρB/(1−ρ) · (k_d−1)/k_d² · (1 + 1/n)`, at least 0, and `T_c = (1 + w)·n·k_d + B`. w
//! is what a message waits at a hop and `T_c` its latency, both in cycles of the network; ρ
//! is the utilisation of a channel, B the length of the message in flits, n the number of
//! dimensions, `k_d` the mean number of hops in each. A ring of k nodes in one direction has
//! `k_d = (k−1)/2`.
//!
//! # Domain
//! Wormhole routing, uniform destinations, 0 ≤ ρ < 1. Where `k_d` is below 1 the
//! formula would give a negative wait; it is 0 there. This is a model of a message under a
//! known load, not of an all-to-all.
//!
//! # Source
//! A. Agarwal, IEEE Transactions on Parallel and Distributed Systems 2(4), 1991, eq. 12.
//! LoGPC (C. A. Moritz and M. I. Frank 2001), which Steffenel 2006 (INRIA report) quotes,
//! builds on it; its own formula is not this one and not in netsig.
//!
//! ```
//! # use std::num::NonZeroU32;
//! # use netsig_core::model::agarwal::Agarwal;
//! let two = NonZeroU32::new(2).ok_or("no dimension")?;
//! let model = Agarwal::new(0.5, 8.0, two, 2.0)?;
//! // 8 · 1/4 · 3/2 cycles for each of 4 hops, and 8 flits.
//! assert_eq!((model.waiting(), model.latency()), (3.0, 24.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::num::NonZeroU32;

use crate::units::parameter::{ParameterError, non_negative};

/// A loaded k-ary n-cube and the messages in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agarwal {
    /// ρ.
    utilisation: f64,
    /// B.
    message_flits: f64,
    /// n.
    dimensions: NonZeroU32,
    /// `k_d`.
    mean_hops: f64,
}

impl Agarwal {
    /// A cube with these ρ, B, n and `k_d`.
    ///
    /// # Errors
    /// If the utilisation is not at least 0 and less than 1, or another number is negative
    /// or not finite.
    pub fn new(
        utilisation: f64,
        message_flits: f64,
        dimensions: NonZeroU32,
        mean_hops: f64,
    ) -> Result<Self, ParameterError> {
        if !(0.0..1.0).contains(&utilisation) {
            let rule = "at least 0 and less than 1";
            return Err(ParameterError::new("rho", utilisation, rule));
        }
        non_negative("flits", message_flits)?;
        non_negative("hops", mean_hops)?;
        Ok(Self {
            utilisation,
            message_flits,
            dimensions,
            mean_hops,
        })
    }

    /// w: the cycles that a message waits at a hop.
    pub fn waiting(&self) -> f64 {
        if self.mean_hops <= 1.0 {
            return 0.0;
        }
        let load = self.utilisation * self.message_flits / (1.0 - self.utilisation);
        let hops = (self.mean_hops - 1.0) / self.mean_hops.powi(2);
        load * hops * (1.0 + 1.0 / f64::from(self.dimensions.get()))
    }

    /// `T_c`: the cycles from the first flit sent to the last one received.
    pub fn latency(&self) -> f64 {
        let hops = f64::from(self.dimensions.get()) * self.mean_hops;
        (1.0 + self.waiting()) * hops + self.message_flits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(utilisation: f64, mean_hops: f64) -> Result<Agarwal, ParameterError> {
        Agarwal::new(utilisation, 8.0, NonZeroU32::new(3).unwrap(), mean_hops)
    }

    #[test]
    fn an_idle_cube_has_no_waiting_and_a_loaded_one_more_with_the_load() {
        // 3 · 4 hops and 8 flits.
        let latency = |utilisation| cube(utilisation, 4.0).unwrap().latency();
        assert!((latency(0.0) - 20.0).abs() < 1e-12);
        // 0.8 · 8 / 0.2 = 32; 32 · 3/16 · 4/3 = 8 cycles for each of 12 hops more.
        assert!((latency(0.8) - 116.0).abs() < 1e-9);
        assert!(latency(0.9) > latency(0.8));
    }

    #[test]
    fn waiting_is_never_negative() {
        for mean_hops in [0.0, 0.5, 1.0] {
            let cube = cube(0.9, mean_hops).unwrap();
            assert!(cube.waiting().abs() < 1e-12);
            assert!((cube.latency() - (3.0 * mean_hops + 8.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn impossible_loads_are_refused() {
        for utilisation in [-0.1, 1.0, f64::NAN] {
            assert!(cube(utilisation, 4.0).is_err(), "{utilisation}");
        }
        assert!(cube(0.5, f64::INFINITY).is_err());
    }
}
