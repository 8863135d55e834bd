//! Regimes to choose from.

use nalgebra::DMatrix;
use netsig_base::algorithm::Collective::{self, Allgather, Alltoall, Bcast, Gather, Scatter};
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::fitted::domain::Domain;
use netsig_model::fitted::saturation::Saturation;
use netsig_model::model::regimes::{
    Class, Correction, Onset, Pattern, Protocol, ProtocolParameters, Regimes, Stalls, Wire,
};
use netsig_model::regimes::entry::{KindError, RegimesEntry, Repetitions};
use netsig_model::regimes::fit::{Column, Kind};
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{procs, sizes};

/// Algorithms of every pattern, at the process counts of a class.
const MEASURED: [(Collective, &str, Class, [u32; 2]); 8] = [
    (Alltoall, "direct", Class::Every, [4, 6]),
    (Alltoall, "pairwise", Class::Power, [4, 8]),
    (Alltoall, "pairwise", Class::Other, [3, 6]),
    (Bcast, "binomial", Class::Every, [4, 6]),
    (Bcast, "pipeline:1024", Class::Every, [4, 6]),
    (Scatter, "library:binomial", Class::Every, [4, 6]),
    (Gather, "library:basic_linear", Class::Every, [4, 6]),
    (Allgather, "bruck", Class::Every, [4, 6]),
];

fn any_wire() -> impl Strategy<Value = Wire> {
    let steps = prop::collection::vec((1..1u64 << 20, 0.0..1e-3f64), 0..5);
    (steps, 0.0..1e-6f64).prop_map(|(steps, beta)| {
        let mut times = vec![(Bytes(0), Seconds(0.0))];
        for (bytes, time) in steps {
            let (Bytes(size), before) = times[times.len() - 1];
            times.push((Bytes(size + bytes), before + Seconds(time)));
        }
        Wire::new(&times, SecondsPerByte(beta)).unwrap()
    })
}

fn any_stalls() -> impl Strategy<Value = Stalls> {
    let numbers = (0.0..2.0f64, 0.0..1.0f64, 0.0..0.5f64, 1.0..1e7f64);
    numbers.prop_map(|(rate, cost, spread, bytes)| Stalls {
        rate,
        cost: Seconds(cost),
        spread,
        onset: Onset {
            bytes,
            lower: bytes / 2.0,
            upper: bytes * 1.5,
        },
    })
}

fn any_protocol() -> impl Strategy<Value = ProtocolParameters> {
    let cell = (2..100u32, 2..1u64 << 30, -0.4..0.4f64);
    let cell = cell.prop_map(|(count, size, weight)| (procs(count), Bytes(size), weight).into());
    let cells = prop::collection::vec(cell, 1..4);
    let correction = prop::option::of((prop::array::uniform2(0.1..5.0f64), cells));
    let numbers = (0.0..5.0f64, -2.0..2.0f64, 0.0..3.0f64, 0.0..0.3f64);
    let stalls = prop::option::of(any_stalls());
    (numbers, correction, stalls).prop_map(|(numbers, correction, stalls)| ProtocolParameters {
        gamma: numbers.0,
        growth: numbers.1,
        slowdown: numbers.2 / 2.0,
        spread: numbers.3,
        correction: correction.map(|(lengths, cells)| Correction { lengths, cells }),
        stalls,
    })
}

/// The regimes of one algorithm at the process counts of one class.
pub fn any_regimes() -> impl Strategy<Value = RegimesEntry> {
    let parts = (any_wire(), any_protocol(), prop::option::of(any_protocol()));
    let rest = (select(MEASURED.to_vec()), sizes(), 0.0..1e-3f64, 1..50usize);
    (parts, rest).prop_map(|((wire, eager, rendezvous), (measured, size, startup, cells))| {
        let (collective, algorithm, class, counts) = measured;
        let growth = rendezvous.as_ref().map(|_| Column::Growth(Protocol::Rendezvous));
        let columns = [Column::Startup, Column::Gamma(Protocol::Eager)];
        let columns: Vec<Column> = columns.into_iter().chain(growth).collect();
        let error = |kind| KindError {
            kind,
            deviation: startup * 100.0,
            cells,
        };
        RegimesEntry {
            repetitions: Repetitions::default(),
            stalls_beyond_bytes: None,
            collective,
            algorithm: algorithm.to_owned(),
            class,
            covariance: DMatrix::from_diagonal_element(columns.len(), columns.len(), 1e-6),
            columns,
            model: Regimes {
                pattern: Pattern::of(collective, algorithm).unwrap(),
                wire,
                latency: Seconds(startup / 2.0),
                startup: Seconds(startup),
                request: Seconds(startup * 2.0),
                eager_limit: rendezvous.as_ref().map(|_| Bytes(size)),
                eager: Some(eager),
                rendezvous,
            },
            errors: vec![error(Kind::Startup), error(Kind::Stalling)],
            confidence: 0.9,
            domain: Domain {
                procs: counts.map(procs).to_vec(),
                smallest: Bytes(0),
                largest: Bytes(size),
                saturation: Saturation::Unverified,
            },
        }
    })
}
