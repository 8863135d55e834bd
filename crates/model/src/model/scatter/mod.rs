//! Scatter in pLogP, one file per tree, and gather as its mirror.
//!
//! # Symbols
//! m bytes to each of P processes, P·m below 2⁶⁴ bytes; the root keeps its own block. g(m) and L in
//! seconds. Gather has the same values (§4 of the source: "symmetric"). They are contention-free,
//! while contention and loss dominate a real gather (§5).

mod binomial;
mod chain;
mod flat;

use super::clusters::{GATHER as GATHER_LEVELS, SCATTER as SCATTER_LEVELS};
use super::field::{GATHER as GATHER_FIELD, SCATTER as SCATTER_FIELD};
use super::prelude::*;
use super::regimes::entry::{GATHER as GATHER_REGIMES, SCATTER as SCATTER_REGIMES};

pub(super) const SCATTER: &[Model] = &[
    flat::FLAT,
    chain::CHAIN,
    binomial::BINOMIAL,
    binomial::BINOMIAL_EXACT,
    SCATTER_LEVELS,
    SCATTER_FIELD,
    SCATTER_REGIMES,
];

pub(super) const GATHER: &[Model] = &[
    mirrored(&flat::FLAT),
    mirrored(&chain::CHAIN),
    mirrored(&binomial::BINOMIAL),
    mirrored(&binomial::BINOMIAL_EXACT),
    GATHER_LEVELS,
    GATHER_FIELD,
    GATHER_REGIMES,
];

const fn mirrored(model: &Model) -> Model {
    Model {
        subject: ModelSubject::Collective(Collective::Gather),
        domain: "The mirror of the scatter of the same name, and without contention: real \
                 gathers suffer from many senders to one receiver, which this does not know.",
        ..*model
    }
}

/// Fields that all scatters share.
const BASE: Model = Model {
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 2",
    needs: &[ModelInput::PLogP],
    ..Model::of_subject(ModelSubject::Collective(Collective::Scatter))
};
