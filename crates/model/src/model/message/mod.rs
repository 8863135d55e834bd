//! Models of one message between two processes.

mod agarwal;
mod clement;
mod hockney;
pub mod loggp;
mod plogp;

pub use agarwal::waiting;

use super::entry::Model;

pub(super) const MODELS: &[Model] = &[
    hockney::HOCKNEY,
    plogp::PLOGP,
    loggp::LOGGP,
    clement::CLEMENT,
    agarwal::AGARWAL,
];
