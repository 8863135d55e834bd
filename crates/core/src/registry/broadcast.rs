//! The broadcasts: ten strategies as printed, and the binomial ones with floor and ceiling
//! in the right places.

use super::networks::{case, in_segments, on_toy};
use super::{Case, Estimator, Inputs, Kind, Model, Need, Segments, Subject, Timed};
use crate::algorithm::Collective;
use crate::model::broadcast::{Broadcast, Levels, Strategy};
use crate::model::segment::Optimum;

const SOURCE: &str = "Barchet-Steffenel and Mounié 2005 (RenPar), Table 1";
const DEVIATES: &str = "netsig, after Barchet-Steffenel and Mounié 2005 (RenPar), Table 1";

const BASE: Model = Model {
    name: "",
    subject: Subject::Collective(Collective::Bcast),
    kind: Kind::ContentionFree,
    formula: "",
    source: SOURCE,
    domain: "",
    needs: &[Need::PLogP],
    mends: None,
    parameters: &[],
    estimator: Estimator::None,
    example: on_toy("", 0.0, || case(1, 0)),
    time: |inputs| Ok(broadcast(inputs, Strategy::Flat, Levels::Printed)),
};

pub(super) const MODELS: [Model; 13] = [
    Model {
        name: "flat",
        formula: "T = (P−1)·g(m) + L",
        domain: "The root sends to all, one after the other.",
        example: on_toy("P = 8, m = 4096 B", 0.000_406_72, || case(8, 4096)),
        time: |inputs| Ok(broadcast(inputs, Strategy::Flat, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "flat_rdv",
        formula: "T = (P−1)·g(m) + 2·g(1) + 3·L",
        domain: "As flat, with one request and one answer before the data (rendezvous).",
        example: on_toy("P = 8, m = 4096 B", 0.000_526_74, || case(8, 4096)),
        time: |inputs| Ok(broadcast(inputs, Strategy::FlatRendezvous, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "flat_seg",
        formula: "T = (P−1)·g(s)·k + L, k = ⌈m/s⌉",
        domain: "As flat, in segments of s bytes.",
        example: on_toy("P = 24, m = 65536 B, s = 8192 B", 0.016_963_28, || {
            in_segments(24, 65536, 8192)
        }),
        time: |inputs| Ok(broadcast(inputs, Strategy::FlatSegmented, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "chain",
        formula: "T = (P−1)·(g(m) + L)",
        domain: "Each passes the whole message on to the next.",
        example: on_toy("P = 8, m = 4096 B", 0.000_706_72, || case(8, 4096)),
        time: |inputs| Ok(broadcast(inputs, Strategy::Chain, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "chain_rdv",
        formula: "T = (P−1)·(g(m) + 2·g(1) + 3·L)",
        domain: "As chain, with rendezvous at each step.",
        example: on_toy("P = 8, m = 4096 B", 0.001_546_86, || case(8, 4096)),
        time: |inputs| {
            Ok(broadcast(
                inputs,
                Strategy::ChainRendezvous,
                Levels::Printed,
            ))
        },
        ..BASE
    },
    Model {
        name: "chain_seg",
        formula: "T = (P−1)·(g(s) + L) + g(s)·(k−1), k = ⌈m/s⌉",
        domain: "The pipeline: each passes segments on as they come. One of the two that the source recommends.",
        example: on_toy("P = 24, m = 65536 B, s = 8192 B", 0.003_907_6, || {
            in_segments(24, 65536, 8192)
        }),
        time: |inputs| Ok(broadcast(inputs, Strategy::ChainSegmented, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "binary",
        kind: Kind::UpperBound,
        formula: "T ≤ ⌈log2 P⌉·(2·g(m) + L)",
        domain: "Each passes the message on to two; an upper bound as printed.",
        example: on_toy("P = 8, m = 4096 B", 0.000_455_76, || case(8, 4096)),
        time: |inputs| Ok(broadcast(inputs, Strategy::Binary, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "binomial",
        formula: "T = ⌊log2 P⌋·g(m) + ⌈log2 P⌉·L",
        domain: "Exact for powers of two. For other P the print has floor and ceiling interchanged and is no bound: binomial_exact is right. One of the two that the source recommends.",
        example: on_toy("P = 24, m = 65536 B", 0.002_911_44, || case(24, 65536)),
        time: |inputs| Ok(broadcast(inputs, Strategy::Binomial, Levels::Printed)),
        ..BASE
    },
    Model {
        name: "binomial_rdv",
        formula: "T = ⌊log2 P⌋·g(m) + ⌈log2 P⌉·(2·g(1) + 3·L)",
        domain: "As binomial, with rendezvous at each level; the same remark holds.",
        example: on_toy("P = 24, m = 65536 B", 0.003_511_54, || case(24, 65536)),
        time: |inputs| {
            Ok(broadcast(
                inputs,
                Strategy::BinomialRendezvous,
                Levels::Printed,
            ))
        },
        ..BASE
    },
    Model {
        name: "binomial_seg",
        formula: "T = ⌊log2 P⌋·g(s)·k + ⌈log2 P⌉·L, k = ⌈m/s⌉",
        domain: "As binomial, in segments, stored and forwarded level by level; the same remark holds.",
        example: on_toy("P = 24, m = 65536 B, s = 8192 B", 0.003_191_44, || {
            in_segments(24, 65536, 8192)
        }),
        time: |inputs| {
            Ok(broadcast(
                inputs,
                Strategy::BinomialSegmented,
                Levels::Printed,
            ))
        },
        ..BASE
    },
    Model {
        name: "binomial_exact",
        mends: Some("binomial"),
        formula: "T = ⌈log2 P⌉·g(m) + ⌊log2 P⌋·L",
        source: DEVIATES,
        domain: "What the truncated binomial tree takes in pLogP for every P; deviates from the print.",
        example: on_toy("P = 24, m = 65536 B", 0.003_526_8, || case(24, 65536)),
        time: |inputs| Ok(broadcast(inputs, Strategy::Binomial, Levels::Exact)),
        ..BASE
    },
    Model {
        name: "binomial_rdv_exact",
        mends: Some("binomial_rdv"),
        formula: "T = ⌈log2 P⌉·g(m) + ⌊log2 P⌋·(2·g(1) + 3·L)",
        source: DEVIATES,
        domain: "binomial_rdv with floor and ceiling in the right places; deviates from the print.",
        example: on_toy("P = 24, m = 65536 B", 0.004_006_88, || case(24, 65536)),
        time: |inputs| {
            Ok(broadcast(
                inputs,
                Strategy::BinomialRendezvous,
                Levels::Exact,
            ))
        },
        ..BASE
    },
    Model {
        name: "binomial_seg_exact",
        mends: Some("binomial_seg"),
        formula: "T = ⌈log2 P⌉·g(s)·k + ⌊log2 P⌋·L, k = ⌈m/s⌉",
        source: DEVIATES,
        domain: "binomial_seg with floor and ceiling in the right places; deviates from the print.",
        example: on_toy("P = 24, m = 65536 B, s = 8192 B", 0.003_876_8, || {
            in_segments(24, 65536, 8192)
        }),
        time: |inputs| {
            Ok(broadcast(
                inputs,
                Strategy::BinomialSegmented,
                Levels::Exact,
            ))
        },
        ..BASE
    },
];

fn broadcast(inputs: &Inputs, strategy: Strategy, levels: Levels) -> Timed {
    let Case {
        procs,
        size,
        segments,
    } = inputs.case;
    let model = Broadcast {
        network: &inputs.network.plogp,
        strategy,
        levels,
    };
    if !strategy.is_segmented() {
        return model.time(procs, size, None).into();
    }
    let Optimum { segment, time } = match segments {
        Segments::Of(segment) => Optimum {
            segment,
            time: model.time(procs, size, Some(segment)),
        },
        Segments::Best(search, datatype) => model.optimal_segment(procs, size, search, datatype),
    };
    Timed {
        time,
        segment: Some(segment),
    }
}
