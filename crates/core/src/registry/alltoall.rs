//! The all-to-alls of one cluster without contention, by topology, and by time-outs.

use super::networks::{case, hockney, on_toy};
use super::{
    Case, Estimator, Example, Inputs, Kind, Model, ModelError, Need, Network, Subject, Timed,
    Values,
};
use crate::collective::Collective;
use crate::model::hockney::Hockney;
use crate::model::plogpt::{self, RtoMode};
use crate::model::tree::{Link, Tree};
use crate::model::{ParameterError, alltoall};
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

const PPAM: &str = "Barchet-Steffenel and Mounié 2005 (PPAM), Table 1";

pub(super) const HOCKNEY: Model = Model {
    name: "hockney",
    subject: Subject::Collective(Collective::Alltoall),
    kind: Kind::ContentionFree,
    formula: "T = (n−1)·(α + β·m)",
    source: "Steffenel 2006, eq. 1 and Proposition 1",
    domain: "The lower bound for one port and full duplex if nobody forwards; direct exchange \
             attains it where there is no contention. Algorithms that relay blocks, such as \
             two-phase, may need fewer start-ups. Too high for small messages whose start-ups overlap.",
    needs: &[Need::Hockney],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: Example {
        inputs: "n = 4, m = 1000 B, α = 50 µs, β = 10 ns/B",
        expected: 0.000_18,
        unit: "s",
        on: "",
        network: || hockney(5e-5, 1e-8),
        values: Values::default,
        case: || case(4, 1000),
    },
    time: |inputs| {
        let Case { procs, size, .. } = inputs.case;
        Ok(inputs.network.hockney.alltoall(procs, size).into())
    },
};

pub(super) const FREE: Model = Model {
    name: "free",
    formula: "T = (P−1)·g(m) + L",
    source: "Barchet-Steffenel and Mounié 2005 (PPAM) Table 1, (RenPar) Table 3",
    domain: "The lower limit in pLogP, if nobody forwards.",
    needs: &[Need::PLogP],
    example: on_toy("P = 24, m = 1 MiB", 0.241_452_48, || case(24, 1 << 20)),
    time: |inputs| {
        let Case { procs, size, .. } = inputs.case;
        Ok(alltoall::free(&inputs.network.plogp, procs, size).into())
    },
    ..HOCKNEY
};

pub(super) const MODELS: [Model; 9] = [
    HOCKNEY,
    FREE,
    Model {
        name: "contention_001",
        kind: Kind::UpperBound,
        formula: "T = (P−1)·g(m) + (P−1)·or(m) + L",
        source: PPAM,
        domain: "The upper limit that netsig takes: a process never sends while it receives.",
        example: on_toy("P = 24, m = 1 MiB", 0.362_176_72, || case(24, 1 << 20)),
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            Ok(alltoall::contention_001(&inputs.network.plogp, procs, size).into())
        },
        ..FREE
    },
    Model {
        name: "upper_003",
        kind: Kind::UpperBound,
        formula: "T = (P−1)·os(m) + (P−1)·or(m) + L",
        source: "Barchet-Steffenel and Mounié 2005 (RenPar), Table 3",
        domain: "The earlier upper limit. Where os + or < g it lies below the lower one, as in \
                 the example: the limits are degenerate.",
        example: on_toy("P = 24, m = 1 MiB", 0.217_358_232, || case(24, 1 << 20)),
        time: |inputs| {
            let Case { procs, size, .. } = inputs.case;
            Ok(alltoall::upper_003(&inputs.network.plogp, procs, size).into())
        },
        ..FREE
    },
    Model {
        name: "tree",
        kind: Kind::LowerBound,
        formula: "T ≥ max over the links of a·(P−a)·m·β_link, a processes behind the link",
        source: "netsig; the bisection argument",
        domain: "A tree of switches with full-duplex links.",
        needs: &[Need::Tree],
        example: Example {
            inputs: "P = 12, m = 64 KiB, 6 processes behind a link of 100 Mbit/s, one behind each \
                     of 40 Mbit/s",
            expected: 0.188_743_68,
            unit: "s",
            on: "",
            network: two_switches,
            values: Values::default,
            case: || case(12, 65536),
        },
        time: |inputs| {
            let remedy = "name a scenario with --network";
            let tree = inputs.network.tree.as_ref();
            let tree = tree.ok_or_else(|| inputs.missing("the links of the network", remedy))?;
            let Case { procs, size, .. } = inputs.case;
            Ok(tree.alltoall(procs, size).into())
        },
        ..HOCKNEY
    },
    Model {
        name: "plogp_a",
        formula: "T = (P−1)·(g(m) + L)",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogP",
        domain: "Irecv, Send and Wait in every round; rounds do not overlap.",
        example: on_toy("P = 24, m = 1 MiB", 0.242_552_48, || case(24, 1 << 20)),
        time: |inputs| Ok(steps(inputs, alltoall::Steps::A)),
        ..FREE
    },
    Model {
        name: "plogp_b",
        formula: "T = (P−1)·g(m) + L",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogP",
        domain: "All Irecv first, then all Sends, then all Waits; the same as free.",
        example: on_toy("P = 24, m = 1 MiB", 0.241_452_48, || case(24, 1 << 20)),
        time: |inputs| Ok(steps(inputs, alltoall::Steps::B)),
        ..FREE
    },
    Model {
        name: "plogpt_a",
        formula: "T = Σ_i (m/thr(h_i) + L), rounds i = 1…P−1 with partner r xor i",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogPT",
        domain: "P a power of two on a complete binary tree. From a profile the tree is a single \
                 switch of full bisection with links of rate 1/β and L = α; A never times out.",
        needs: &[Need::Hockney],
        example: on_one_switch(0.000_91),
        time: |inputs| plogpt(inputs, plogpt::Algorithm::A),
        kind: Kind::Contention,
        ..HOCKNEY
    },
    Model {
        name: "plogpt_b",
        formula: "T = max(Σ_i m/thr(h_i) + L, latest f_noRTO + T_RTO + L)",
        source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogPT",
        domain: "As plogpt_a; on a tree with narrow uplinks B meets time-outs of 200 ms, on a \
                 single switch it does not.",
        needs: &[Need::Hockney],
        example: on_one_switch(0.000_61),
        time: |inputs| plogpt(inputs, plogpt::Algorithm::B),
        kind: Kind::Contention,
        ..HOCKNEY
    },
];

/// An example on one switch with links of 1 Gbit/s.
const fn on_one_switch(expected: f64) -> Example {
    Example {
        inputs: "P = 8, m = 10000 B, links of 125 MB/s on one switch, L = 50 µs",
        expected,
        unit: "s",
        on: "",
        network: || hockney(5e-5, 8e-9),
        values: Values::default,
        case: || case(8, 10_000),
    }
}

fn two_switches() -> Network {
    let link = |below, gap| Link {
        below,
        gap: SecondsPerByte(gap),
    };
    Network {
        tree: Tree::new(vec![link(6, 8e-8), link(1, 2e-7)]).ok(),
        ..hockney(1e-4, 2e-7)
    }
}

fn steps(inputs: &Inputs, order: alltoall::Steps) -> Timed {
    let Case { procs, size, .. } = inputs.case;
    let plogp = &inputs.network.plogp;
    alltoall::steps(plogp.g(size), plogp.latency(), procs, order).into()
}

fn plogpt(inputs: &Inputs, algorithm: plogpt::Algorithm) -> Result<Timed, ModelError> {
    let Case { procs, size, .. } = inputs.case;
    if procs.get() == 1 {
        return Ok(Seconds(0.0).into());
    }
    let (network, size) = one_switch(&inputs.network.hockney, procs, size)?;
    Ok(network
        .alltoall(size, algorithm, RtoMode::default())
        .time
        .into())
}

/// A switch of full bisection as a complete binary tree: links of rate 1/β, above them
/// twice the bandwidth from height to height. Where β = 0 no rate is so high, but then a
/// message takes as long as an empty one at any.
fn one_switch(
    hockney: &Hockney,
    procs: Procs,
    size: Bytes,
) -> Result<(plogpt::Network, Bytes), ParameterError> {
    if !procs.get().is_power_of_two() {
        return Err(ParameterError::new(
            "procs",
            procs,
            "a power of two for PlogPT",
        ));
    }
    let (gap, size) = match hockney.beta().0 {
        0.0 => (1.0, Bytes(0)),
        beta => (beta, size),
    };
    let edge = |height: u32| plogpt::Edge {
        bandwidth: plogpt::BytesPerSecond(f64::from(height).exp2() / gap),
        delay: Seconds(0.0),
    };
    let edges = (0..procs.floor_log2()).map(edge).collect();
    let network = plogpt::Network::new(plogpt::Parameters::new(edges, hockney.alpha()))?;
    Ok((network, size))
}
