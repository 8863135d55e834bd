//! Scatter in pLogP, one file a tree, and gather as its mirror.
//!
//! # Symbols
//! m bytes to each of P processes, P·m below 2⁶⁴ bytes; the root keeps its own block. g(m) and
//! L in seconds. Gather has the same values (§4 of the source: "symmetric"), but there they are
//! contention-free: what gather really takes is dominated by contention and loss (§5).

mod binomial;
mod chain;
mod flat;

use super::entry::Model;
use super::examples::{case, on_toy};
use super::regimes::entry::{GATHER as GATHER_REGIMES, SCATTER as SCATTER_REGIMES};
use super::words::{Estimator, Kind, Need, Subject};
use crate::algorithm::Collective;
use crate::units::Seconds;

pub(super) const SCATTER: [Model; 5] = [
    flat::FLAT,
    chain::CHAIN,
    binomial::BINOMIAL,
    binomial::BINOMIAL_EXACT,
    SCATTER_REGIMES,
];

pub(super) const GATHER: [Model; 5] = [
    mirrored(flat::FLAT),
    mirrored(chain::CHAIN),
    mirrored(binomial::BINOMIAL),
    mirrored(binomial::BINOMIAL_EXACT),
    GATHER_REGIMES,
];

const fn mirrored(model: Model) -> Model {
    Model {
        subject: Subject::Collective(Collective::Gather),
        domain: "The mirror of the scatter of the same name, and without contention: real \
                 gathers suffer from many senders to one receiver, which this does not know.",
        ..model
    }
}

/// What the scatters have in common.
const BASE: Model = Model {
    name: "",
    subject: Subject::Collective(Collective::Scatter),
    kind: Kind::ContentionFree,
    formula: "",
    source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 2",
    domain: "",
    needs: &[Need::PLogP],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: on_toy("", 0.0, || case(1, 0)),
    time: |_| Ok(Seconds(0.0).into()),
};
