//! Strategies for regimes.

use nalgebra::DMatrix;
use netsig_base::algorithm::Collective::{self, Allgather, Alltoall, Bcast, Gather, Scatter};
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::fitted::domain::MeasuredDomain;
use netsig_model::fitted::saturation::Saturation;
use netsig_model::model::regimes::{
    CountClass, OnsetSource, Protocol, ProtocolParameters, Regimes, StallOnset, StallParameters, TimeCorrection,
    TrafficPattern, WireTime,
};
use netsig_model::regimes::entry::{CellKindError, RegimesEntry, RepetitionAvailability};
use netsig_model::regimes::fit::{CellKind, RegimesParameter};
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{procs, sizes};

/// Algorithms of every pattern, at the process counts of a class.
const MEASURED: [(Collective, &str, CountClass, [u32; 2]); 8] = [
    (Alltoall, "direct", CountClass::Every, [4, 6]),
    (Alltoall, "pairwise", CountClass::Power, [4, 8]),
    (Alltoall, "pairwise", CountClass::Other, [3, 6]),
    (Bcast, "binomial", CountClass::Every, [4, 6]),
    (Bcast, "pipeline:1024", CountClass::Every, [4, 6]),
    (Scatter, "library:binomial", CountClass::Every, [4, 6]),
    (Gather, "library:basic_linear", CountClass::Every, [4, 6]),
    (Allgather, "bruck", CountClass::Every, [4, 6]),
];

fn any_wire() -> impl Strategy<Value = WireTime> {
    let steps = prop::collection::vec((1..1u64 << 20, 0.0..1e-3f64), 0..5);
    (steps, 0.0..1e-6f64).prop_map(|(steps, beta)| {
        let mut times = vec![(Bytes(0), Seconds(0.0))];
        for (bytes, time) in steps {
            let (Bytes(size), before) = times[times.len() - 1];
            times.push((Bytes(size + bytes), before + Seconds(time)));
        }
        WireTime::new(&times, SecondsPerByte(beta)).unwrap()
    })
}

fn any_stalls() -> impl Strategy<Value = StallParameters> {
    let numbers = (0.0..2.0f64, 0.0..1.0f64, 0.0..0.5f64, 1.0..1e7f64);
    numbers.prop_map(|(rate, cost, spread, bytes)| StallParameters {
        rate,
        cost: Seconds(cost),
        spread,
        onset: StallOnset {
            bytes,
            lower: bytes / 2.0,
            upper: bytes * 1.5,
            source: OnsetSource::Data,
        },
    })
}

fn any_protocol() -> impl Strategy<Value = ProtocolParameters> {
    let ranges = (2..100u32, 2..1u64 << 30, -0.4..0.4f64);
    let cell = ranges.prop_map(|(count, size, weight)| (procs(count), Bytes(size), weight).into());
    let cells = prop::collection::vec(cell, 1..4);
    let correction = prop::option::of((prop::array::uniform2(0.1..5.0f64), cells));
    let numbers = (0.0..5.0f64, -2.0..2.0f64, 0.0..3.0f64, 0.0..0.3f64);
    let stalls = prop::option::of(any_stalls());
    (numbers, correction, stalls).prop_map(|(numbers, correction, stalls)| ProtocolParameters {
        gamma: numbers.0,
        growth: numbers.1,
        slowdown: numbers.2 / 2.0,
        spread: numbers.3,
        correction: correction.map(|(lengths, cells)| TimeCorrection { lengths, cells }),
        stalls,
    })
}

/// The regimes of one algorithm at the process counts of one class.
pub fn any_regimes() -> impl Strategy<Value = RegimesEntry> {
    let parts = (any_wire(), any_protocol(), prop::option::of(any_protocol()));
    let rest = (select(MEASURED.to_vec()), sizes(), 0.0..1e-3f64, 1..50usize);
    (parts, rest).prop_map(|((wire, eager, rendezvous), (measured, size, startup, cells))| {
        let (collective, algorithm, class, counts) = measured;
        let growth = rendezvous
            .as_ref()
            .map(|_| RegimesParameter::Growth(Protocol::Rendezvous));
        let required_columns = [RegimesParameter::Startup, RegimesParameter::Gamma(Protocol::Eager)];
        let columns: Vec<RegimesParameter> = required_columns.into_iter().chain(growth).collect();
        let error = |kind| CellKindError {
            kind,
            deviation: startup * 100.0,
            cells,
        };
        RegimesEntry {
            repetitions: RepetitionAvailability::default(),
            stalls_beyond_bytes: None,
            collective,
            algorithm: algorithm.to_owned(),
            class,
            covariance: DMatrix::from_diagonal_element(columns.len(), columns.len(), 1e-6),
            columns,
            model: Regimes {
                pattern: TrafficPattern::of(collective, algorithm).unwrap(),
                wire,
                latency: Seconds(startup / 2.0),
                startup: Seconds(startup),
                request: Seconds(startup * 2.0),
                eager_limit: rendezvous.as_ref().map(|_| Bytes(size)),
                eager: Some(eager),
                rendezvous,
            },
            errors: vec![error(CellKind::Startup), error(CellKind::Stalling)],
            confidence: 0.9,
            domain: MeasuredDomain {
                procs: counts.map(procs).to_vec(),
                smallest: Bytes(0),
                largest: Bytes(size),
                saturation: Saturation::Unverified,
            },
        }
    })
}
