//! The all-to-alls of `PlogPT`: shared uplinks and retransmission time-outs in a tree.

use super::alltoall::HOCKNEY;
use super::networks::{case, hockney};
use super::{Case, Example, Inputs, Kind, Model, ModelError, Network, Timed, Values};
use crate::model::hockney::Hockney;
use crate::model::plogpt::{Algorithm, RtoMode};
use crate::network::binary_tree;
use crate::network::binary_tree::{Edge, Negligible};
use crate::network::tree::{Link, Tree};
use crate::units::BytesPerSecond;
use crate::units::parameter::ParameterError;
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

const IN_A_TREE: Example = Example {
    inputs: "P = 8, m = 10000 B, links of 125 MB/s, between the halves 250 MB/s with a buffer of \
             4550 B, L = 50 µs",
    expected: 0.001_23,
    unit: "s",
    on: "",
    network: tree_of_eight,
    values: Values::default,
    case: || case(8, 10_000),
};

const A: Model = Model {
    name: "plogpt_a",
    kind: Kind::Contention,
    formula: "T = Σ_i (m/thr(h_i) + L), rounds i = 1…P−1 with partner r xor i",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogPT",
    domain: "P a power of two on a complete binary tree: the two switches of --network SCENARIO \
             with half of the processes each, else one switch with links of rate 1/β; L = α. A \
             waits in every round and never times out.",
    example: IN_A_TREE,
    time: |inputs| plogpt(inputs, Algorithm::A, DEFAULT),
    ..HOCKNEY
};

const B: Model = Model {
    name: "plogpt_b",
    formula: "T = max(Σ_i m/thr(h_i) + L, latest f_noRTO + T_RTO + L)",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogPT",
    domain: "As plogpt_a. Where the uplink is narrow and m beyond its buffer, B meets a time-out \
             of 200 ms, which delays its receiver.",
    example: Example {
        expected: 0.200_29,
        ..IN_A_TREE
    },
    time: |inputs| plogpt(inputs, Algorithm::B, DEFAULT),
    ..A
};

pub(super) const MODELS: [Model; 4] = [
    A,
    B,
    Model {
        name: "plogpt_b_two_pass",
        formula: "T = Σ_i m/thr(h_i) + L + T_RTO for each time-out",
        source: "netsig, after Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogPT",
        domain: "The other reading of plogpt_b: time-outs are found first, and then each delays \
                 all that comes after it.",
        example: Example {
            expected: 0.200_93,
            ..IN_A_TREE
        },
        time: |inputs| {
            let mode = RtoMode::TwoPass;
            plogpt(inputs, Algorithm::B, Variant { mode, ..DEFAULT })
        },
        ..B
    },
    Model {
        name: "plogpt_b_printed",
        domain: "plogpt_b with the printed rule: an edge is negligible if it is more than twice as \
                 wide as the one below, not at least. Then even a switch of full bisection times \
                 out, as in the example.",
        example: Example {
            inputs: "P = 8, m = 10000 B, links of 125 MB/s on one switch, L = 50 µs",
            expected: 0.200_29,
            network: || hockney(5e-5, 8e-9),
            ..IN_A_TREE
        },
        time: |inputs| {
            let negligible = Negligible::Above;
            plogpt(
                inputs,
                Algorithm::B,
                Variant {
                    negligible,
                    ..DEFAULT
                },
            )
        },
        ..B
    },
];

/// The choices that the slides leave open.
#[derive(Clone, Copy)]
struct Variant {
    mode: RtoMode,
    negligible: Negligible,
}

const DEFAULT: Variant = Variant {
    mode: RtoMode::Receiver,
    negligible: Negligible::AtLeast,
};

/// Two switches of four hosts.
fn tree_of_eight() -> Network {
    let link = |below, gap, buffer| Link {
        below,
        gap: SecondsPerByte(gap),
        buffer: Bytes(buffer),
    };
    Network {
        tree: Tree::new(vec![link(1, 8e-9, 0), link(4, 4e-9, 4550)]).ok(),
        ..hockney(5e-5, 8e-9)
    }
}

fn plogpt(inputs: &Inputs, algorithm: Algorithm, variant: Variant) -> Result<Timed, ModelError> {
    let Case { procs, size, .. } = inputs.case;
    if procs.get() == 1 {
        return Ok(Seconds(0.0).into());
    }
    let Network { hockney, tree, .. } = inputs.network;
    let Some(edges) = edges(hockney, tree.as_ref(), procs)? else {
        return Ok(start_ups(hockney, algorithm, procs).into());
    };
    let mut parameters = binary_tree::Parameters::new(edges, hockney.alpha());
    parameters.negligible = variant.negligible;
    let network = binary_tree::Network::new(parameters)?;
    Ok(network.alltoall(size, algorithm, variant.mode).time.into())
}

fn start_ups(hockney: &Hockney, algorithm: Algorithm, procs: Procs) -> Seconds {
    match algorithm {
        Algorithm::A => hockney.alpha() * procs.partners(),
        Algorithm::B => hockney.alpha(),
    }
}

/// The edges of the tree by height: those of the hosts, above them twice the bandwidth from
/// height to height, as within a switch, and at the top the uplink between two switches, if
/// there is one. `None` if messages take no time per byte.
fn edges(
    hockney: &Hockney,
    tree: Option<&Tree>,
    procs: Procs,
) -> Result<Option<Vec<Edge>>, ParameterError> {
    if !procs.get().is_power_of_two() {
        let rule = "a power of two for PlogPT";
        return Err(ParameterError::new("procs", procs, rule));
    }
    let links = tree.map_or(&[][..], Tree::links);
    let leaf = links.iter().find(|link| link.below == 1);
    let gap = leaf.map_or(hockney.beta(), |link| link.gap).0;
    if gap == 0.0 {
        return Ok(None);
    }
    let edge = |height: u32| Edge {
        bandwidth: BytesPerSecond(f64::from(height).exp2() / gap),
        delay: Seconds(0.0),
    };
    let mut edges: Vec<Edge> = (0..procs.floor_log2()).map(edge).collect();
    let is_cut = |link: &&Link| link.below > 1 && link.below < procs.get() && link.gap.0 > 0.0;
    for uplink in links.iter().filter(is_cut) {
        if uplink.below * 2 != procs.get() {
            let value = format!("{procs} with {} of them behind an uplink", uplink.below);
            let rule = "twice as many as behind the uplink for PlogPT";
            return Err(ParameterError::new("procs", value, rule));
        }
        edges.pop();
        edges.push(Edge {
            bandwidth: BytesPerSecond(1.0 / uplink.gap.0),
            delay: uplink.gap * uplink.buffer,
        });
    }
    Ok(Some(edges))
}
