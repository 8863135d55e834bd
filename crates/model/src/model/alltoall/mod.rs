//! All-to-all among P (or n) processes with m bytes per destination: one file per formula with its
//! variants.

mod clement;
mod contention_free;
mod hockney;
pub mod labarta;
mod plogp;
mod plogp_factor;
mod plogp_overhead_bound;
mod plogp_overhead_factor;
mod plogp_receive_bound;
pub mod plogpt;
pub(super) mod signature;
mod slowdown;
pub mod tam;
pub mod throughput;
mod tree_bound;
pub mod two_phase;

pub use plogp_overhead_bound::has_degenerate_bounds;

use super::clusters::{PACED, SHARED_LINK};
use super::entry::Model;
use super::field::ALLTOALL as FIELD;
use super::properties::{ModelParameter, ParameterRole};
use super::regimes::entry::ALLTOALL as REGIMES;

pub(super) const MODELS: &[Model] = &[
    hockney::HOCKNEY,
    contention_free::CONTENTION_FREE,
    plogp_receive_bound::PLOGP_RECEIVE_BOUND,
    plogp_overhead_bound::PLOGP_OVERHEAD_BOUND,
    tree_bound::TREE_BOUND,
    plogp::PLOGP_A,
    plogp::PLOGP_B,
    plogp_factor::PLOGP_FACTOR,
    plogp_factor::DELTA_PER_PEER,
    plogp_overhead_factor::PLOGP_OVERHEAD_FACTOR,
    signature::SIGNATURE,
    signature::FULL,
    signature::BANDWIDTH,
    signature::FULL_DELTA_ONCE,
    throughput::THROUGHPUT,
    FIELD,
    REGIMES,
    plogpt::PLOGPT_A,
    plogpt::PLOGPT_B,
    plogpt::PLOGPT_B_TWO_PASS,
    plogpt::PLOGPT_B_PRINTED,
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
const GAMMA: ModelParameter = ModelParameter {
    name: "gamma",
    meaning: "contention ratio γ",
    role: ParameterRole::Linear(f64::NEG_INFINITY),
    default: None,
};

/// Threshold M, infinite (no threshold) by default.
const THRESHOLD: ModelParameter = ModelParameter {
    name: "threshold_bytes",
    meaning: "M",
    role: ParameterRole::Threshold,
    default: Some(f64::INFINITY),
};
