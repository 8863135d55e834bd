//! Terms of T₀, their sum and its derivatives.
//!
//! # Formula
//! T₀ = a + ((S + W)⁸ + F⁸)^⅛: links that are busy for equally long delay each other's messages.
//!
//! # Source
//! netsig.

use derive_more::{Add, Mul, Sum};

/// Terms of T₀ in seconds, or derivatives by them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Add, Mul, Sum)]
pub struct TimeTerms {
    /// a: time that is paid once.
    pub once: f64,
    /// S: time of the start-ups.
    pub startups: f64,
    /// W: time of the bytes on the path.
    pub wire: f64,
    /// F: time of the bytes on the busiest link between switches.
    pub floor: f64,
}

/// Power by which the busiest link between switches adds to a host's own path.
const POWER: i32 = 8;

/// (u⁸ + v⁸)^(1/8).
pub(super) fn root_of_powers(u: f64, v: f64) -> f64 {
    let most = u.max(v);
    if most <= 0.0 {
        return 0.0;
    }
    let least = u.min(v).max(0.0) / most;
    most * (1.0 + least.powi(POWER)).powf(1.0 / f64::from(POWER))
}

impl TimeTerms {
    /// S + W.
    fn host_path(self) -> f64 {
        self.startups + self.wire
    }

    /// T₀.
    pub fn time(self) -> f64 {
        self.once + root_of_powers(self.host_path(), self.floor)
    }

    /// Derivatives of T₀ by the terms.
    #[must_use]
    pub fn marginal(self) -> Self {
        let path = self.host_path();
        let root = root_of_powers(path, self.floor);
        let share = |part: f64| {
            if root > 0.0 { (part / root).powi(POWER - 1) } else { 1.0 }
        };
        let path_share = share(path);
        Self {
            once: 1.0,
            startups: path_share,
            wire: path_share,
            floor: share(self.floor),
        }
    }

    /// Scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.once * other.once + self.startups * other.startups + self.wire * other.wire + self.floor * other.floor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms([once, startups, wire, floor]: [f64; 4]) -> TimeTerms {
        TimeTerms {
            once,
            startups,
            wire,
            floor,
        }
    }

    /// By differences of a millionth, on either side of a floor.
    #[test]
    fn derivatives_are_those_of_the_sum() {
        for floor in [0.0, 9.0] {
            let at = [2.0, 3.0, 4.0, floor];
            let marginal = terms(at).marginal();
            let derivatives = [marginal.once, marginal.startups, marginal.wire, marginal.floor];
            for (place, found) in derivatives.into_iter().enumerate() {
                let mut moved = at;
                moved[place] += 1e-6;
                let [before, after] = [at, moved].map(|at| terms(at).time());
                let slope = (after - before) / 1e-6;
                assert!((slope - found).abs() < 1e-5, "{slope} {found}");
            }
        }
    }

    /// 3 and 4 make 7, and with another link that needs 9 a little more than that.
    #[test]
    fn start_ups_and_bytes_add_up() {
        for (floor, expected) in [(0.0, 7.0f64), (9.0, 9.142_506_835)] {
            let time = terms([2.0, 3.0, 4.0, floor]).time();
            assert!((time - 2.0 - expected).abs() < 1e-9, "{time}");
        }
    }
}
