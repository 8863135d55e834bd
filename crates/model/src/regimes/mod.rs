//! The contention regimes as a fitted model: their fit, their entry of a profile, and their predictions; the
//! formula is [`crate::model::regimes`].

pub mod entry;
pub mod fit;
pub mod forecast;
pub mod interval;
pub mod parameters;
pub mod transferred;
