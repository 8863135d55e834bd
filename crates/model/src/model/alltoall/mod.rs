//! All-to-all among P (or n) processes with m bytes per destination: one file per formula with its
//! variants.

mod clement;
mod contention_001;
mod factor_001;
mod factor_003;
mod free;
mod hockney;
pub mod labarta;
mod plogp;
pub mod plogpt;
pub(super) mod signature;
mod slowdown;
pub mod tam;
pub mod throughput;
mod tree;
pub mod two_phase;
mod upper_003;

pub use upper_003::has_degenerate_bounds;

use super::clusters::{PACED, SHARED_LINK};
use super::entry::Model;
use super::field::ALLTOALL as FIELD;
use super::regimes::entry::ALLTOALL as REGIMES;
use super::words::{Parameter, Role};

pub(super) const MODELS: &[Model] = &[
    hockney::HOCKNEY,
    free::FREE,
    contention_001::CONTENTION_001,
    upper_003::UPPER_003,
    tree::TREE,
    plogp::A,
    plogp::B,
    factor_001::FACTOR_001,
    factor_001::TIMES_P_MINUS_1,
    factor_003::FACTOR_003,
    signature::SIGNATURE,
    signature::FULL,
    signature::BANDWIDTH,
    signature::FULL_DELTA_ONCE,
    throughput::THROUGHPUT,
    FIELD,
    REGIMES,
    plogpt::A,
    plogpt::B,
    plogpt::B_TWO_PASS,
    plogpt::B_PRINTED,
    clement::CLEMENT,
    labarta::LABARTA,
    labarta::LABARTA_TOTAL,
    slowdown::SLOWDOWN,
    tam::TAM,
    two_phase::TWO_PHASE,
    two_phase::TOTAL_N,
    two_phase::EXACT,
    two_phase::EFFECTIVE,
    two_phase::SHARED_BACKBONE,
    PACED,
    SHARED_LINK,
];

/// γ of the signatures and of the contention factors; each model multiplies another term by γ.
const GAMMA: Parameter = Parameter {
    name: "gamma",
    meaning: "contention ratio γ",
    role: Role::Linear(f64::NEG_INFINITY),
    default: None,
};

/// Threshold M, infinite (no threshold) by default.
const THRESHOLD: Parameter = Parameter {
    name: "threshold_bytes",
    meaning: "M",
    role: Role::Threshold,
    default: Some(f64::INFINITY),
};
