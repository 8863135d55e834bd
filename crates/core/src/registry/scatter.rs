//! Scatter, and gather as its mirror.

use super::networks::{case, on_toy};
use super::{Case, Estimator, Inputs, Kind, Model, ModelError, Need, Subject, Timed};
use crate::algorithm::Collective;
use crate::model::scatter::{self, Strategy};

const SOURCE: &str = "Barchet-Steffenel and Mounié 2005 (RenPar), Table 2";

const FLAT: Model = Model {
    name: "flat",
    subject: Subject::Collective(Collective::Scatter),
    kind: Kind::ContentionFree,
    formula: "T = (P−1)·g(m) + L",
    source: SOURCE,
    domain: "The root sends each block to its rank, one after the other; its own block stays.",
    needs: &[Need::PLogP],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: on_toy("P = 8, m = 1000 B", 0.000_19, || case(8, 1000)),
    time: |inputs| scatter(inputs, Strategy::Flat),
};

const CHAIN: Model = Model {
    name: "chain",
    formula: "T = Σ_{j=1…P−1} g(j·m) + (P−1)·L",
    domain: "Each keeps its block and passes the rest on; exact in pLogP.",
    example: on_toy("P = 24, m = 4096 B", 0.012_684_96, || case(24, 4096)),
    time: |inputs| scatter(inputs, Strategy::Chain),
    ..FLAT
};

const BINOMIAL: Model = Model {
    name: "binomial",
    formula: "T = Σ_{j=0…⌈log2 P⌉−1} g(2^j·m) + ⌈log2 P⌉·L",
    domain: "Exact for powers of two; for other P an upper bound, since it charges blocks that \
             do not exist: binomial_exact does not. May beat flat for P just below a power of two.",
    example: on_toy("P = 8, m = 1000 B", 0.000_25, || case(8, 1000)),
    time: |inputs| scatter(inputs, Strategy::Binomial),
    ..FLAT
};

const BINOMIAL_EXACT: Model = Model {
    name: "binomial_exact",
    mends: Some("binomial"),
    formula: "T(1) = 0, T(n) = g(b·m) + max(L + T(b), T(h)), h the greatest power of two below n, b = n−h",
    source: "netsig, after Barchet-Steffenel and Mounié 2005 (RenPar), Table 2",
    domain: "What the truncated binomial tree takes in pLogP for every P; deviates from the print.",
    example: on_toy("P = 24, m = 4096 B", 0.001_192_08, || case(24, 4096)),
    time: |inputs| scatter(inputs, Strategy::BinomialExact),
    ..FLAT
};

pub(super) const SCATTER: [Model; 4] = [FLAT, CHAIN, BINOMIAL, BINOMIAL_EXACT];

pub(super) const GATHER: [Model; 4] = [
    mirrored(FLAT),
    mirrored(CHAIN),
    mirrored(BINOMIAL),
    mirrored(BINOMIAL_EXACT),
];

const fn mirrored(model: Model) -> Model {
    Model {
        subject: Subject::Collective(Collective::Gather),
        domain: "The mirror of the scatter of the same name, and without contention: real \
                 gathers suffer from many senders to one receiver, which this does not know.",
        ..model
    }
}

fn scatter(inputs: &Inputs, strategy: Strategy) -> Result<Timed, ModelError> {
    let Case { procs, size, .. } = inputs.case;
    Ok(scatter::time(&inputs.network.plogp, strategy, procs, size)?.into())
}
