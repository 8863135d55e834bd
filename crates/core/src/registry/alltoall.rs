//! The all-to-alls of one cluster without contention, and by topology.

use super::networks::{case, hockney, on_toy};
use super::{Case, Estimator, Example, Inputs, Kind, Model, Need, Network, Subject, Timed, Values};
use crate::algorithm::Collective;
use crate::model::alltoall;
use crate::network::tree::{Link, Tree};
use crate::units::{Bytes, SecondsPerByte};

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

pub(super) const MODELS: [Model; 7] = [
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
];

fn two_switches() -> Network {
    let link = |below, gap| Link {
        below,
        gap: SecondsPerByte(gap),
        buffer: Bytes(65536),
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
