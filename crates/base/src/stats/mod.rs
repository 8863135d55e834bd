//! Statistics without a domain: least squares, samples and their quantiles, intervals.

pub mod bootstrap;
pub mod gaussian;
pub mod interval;
pub mod least_squares;
pub mod line;
pub mod sample;
