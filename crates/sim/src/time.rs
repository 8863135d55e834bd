//! Simulated time: whole picoseconds, so that equal times are equal and sums are exact.

use std::ops::{Add, AddAssign, Mul, Sub};

use netsig_base::units::Seconds;

/// Picoseconds in a second.
const PER_SECOND: f64 = 1e12;

/// A time since the start of a simulation, or a duration, in picoseconds: up to 213 days. Larger
/// sums saturate at [`Time::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, derive_more::Display)]
#[display("{}", self.seconds())]
pub struct Time(pub u64);

impl Time {
    /// The start.
    pub const ZERO: Self = Self(0);
    /// Largest time; a result of this value is an overflow.
    pub const MAX: Self = Self(u64::MAX);

    /// Rounds to the nearest picosecond; negative values become 0.
    pub fn of(seconds: Seconds) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of a float ends at the bounds, which is what is wanted"
        )]
        Self((seconds.0 * PER_SECOND).round() as u64)
    }

    /// In whole nanoseconds, rounded.
    pub fn nanoseconds(self) -> u64 {
        self.0.saturating_add(500) / 1000
    }

    /// In seconds.
    pub fn seconds(self) -> Seconds {
        Seconds(self.0 as f64 / PER_SECOND)
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Saturates at 0.
impl Sub for Time {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Time {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_end_at_their_bounds_and_never_wrap() {
        assert_eq!(Time::of(Seconds(-1.0)), Time::ZERO);
        assert_eq!(Time::of(Seconds(f64::INFINITY)), Time::MAX);
        assert_eq!(Time::MAX + Time(1), Time::MAX);
        assert_eq!(Time(1) - Time(2), Time::ZERO);
        assert_eq!(Time::of(Seconds(1.5e-12)).seconds(), Seconds(2e-12));
    }
}
