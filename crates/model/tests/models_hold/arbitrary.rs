//! Strategies for numbers, tables and networks, and functions that build data.

use netsig_base::algorithm::{Algorithm, ClusterLayout, Collective};
use netsig_base::data::{Dataset, Experiment, LaunchCell};
use netsig_base::network::placement::ParticipatingRanks;
use netsig_base::network::{LinkSpec, Network};
use netsig_base::units::table::SizeTable;
use netsig_base::units::{BitsPerSecond, Bytes, Procs, Seconds, SecondsPerByte};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::plogp::{PLogP, PLogPParameters};
use netsig_model::model::signature::{Signature, SignatureForm};
use netsig_model::model::{ClusteredRanks, KnownNetwork, Model, ModelParameter, ModelSubject, WideAreaLink};
use proptest::prelude::*;
use proptest::sample::select;

pub fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

pub fn table(rows: impl IntoIterator<Item = (u64, f64)>) -> SizeTable {
    let rows = rows.into_iter().map(|(m, t)| (Bytes(m), Seconds(t)));
    SizeTable::new("g", rows.collect()).unwrap()
}

pub fn hockney(alpha: f64, beta: f64) -> Hockney {
    Hockney::new(Seconds(alpha), SecondsPerByte(beta)).unwrap()
}

/// pLogP from L, g, os and or.
pub fn plogp(latency: f64, [gap, send_overhead, receive_overhead]: [SizeTable; 3]) -> PLogP {
    let parameters = PLogPParameters {
        latency: Seconds(latency),
        gap,
        send_overhead,
        receive_overhead,
    };
    PLogP::new(parameters).unwrap()
}

/// g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, or = 6 µs + 5 ns/B·m, L = 50 µs.
pub fn toy() -> KnownNetwork {
    let line = |a: f64, b: f64| table([0, 1 << 24].map(|m: u64| (m, a + b * m as f64)));
    let tables = [line(1e-5, 1e-8), line(5e-6, 4e-9), line(6e-6, 5e-9)];
    with_clusters(KnownNetwork::of(hockney(6e-5, 1e-8), Some(&plogp(5e-5, tables))))
}

/// The network with 64 processes in clusters of 24 and 40, 5 ms and 0.4 µs a byte apart, and an algorithm that
/// works between them.
fn with_clusters(network: KnownNetwork) -> KnownNetwork {
    KnownNetwork {
        clusters: Some(ClusteredRanks {
            layout: ClusterLayout::of_sizes(&[24, 40]),
            taking_part: ParticipatingRanks::Spread,
            inside: None,
            wide_area: Some(WideAreaLink {
                consent: Some(Bytes(1 << 16)),
                first_window: Some(Bytes(14_480)),
                ..WideAreaLink::without_windows(Seconds(5e-3), SecondsPerByte(0.4e-6))
            }),
        }),
        algorithm: Algorithm::parse(Collective::Alltoall, "two-phase:2").ok(),
        operation: SecondsPerByte(1e-9),
        ..network
    }
}

/// Adds repetitions of direct exchange, or of an experiment between two processes.
pub fn push(data: &mut Dataset, experiment: Experiment, count: u32, size: u64, times: impl IntoIterator<Item = f64>) {
    let place = LaunchCell {
        experiment,
        algorithm: "direct".into(),
        procs: procs(count),
        size: Bytes(size),
        launch: 0,
    };
    let numbered_times = (0..).zip(times);
    let samples = numbered_times.map(|(number, time)| place.clone().sample(number, Seconds(time)));
    data.samples.extend(samples);
}

/// Small sizes, any sizes, and neighbours that f64 does not tell apart.
pub fn sizes() -> impl Strategy<Value = u64> {
    let neighbours = prop_oneof![(1u64 << 60)..(1 << 60) + 6, u64::MAX - 5..=u64::MAX];
    prop_oneof![0..6u64, 0..1u64 << 22, any::<u64>(), neighbours]
}

/// Values of a model's parameters that make sense, from one number of [0, 1) each.
pub fn sane_values(model: &Model, shares: [f64; 4]) -> Vec<f64> {
    let value = |(parameter, share): (&ModelParameter, f64)| match parameter.name {
        "gamma" | "gamma_below" | "gamma_eager" | "gamma_rendezvous" | "gamma_x" | "kappa" | "slowdown" => 5.0 * share,
        "growth_eager" | "growth_rendezvous" => 4.0 * share - 2.0,
        "beta_contended_s_per_byte" | "beta_w_s_per_byte" => 1e-6 * share,
        "buses" | "dimensions" | "first_cluster_procs" | "packed_blocks" => (1.0 + 99.0 * share).floor(),
        "sharing" | "rho" | "stall_rate" => share,
        "flits" | "hops" => 10.0 * share,
        name if name.ends_with("_bytes") && share < 0.1 => f64::INFINITY,
        name if name.ends_with("_bytes") => (share * 1e6).floor(),
        name if name.ends_with("_s") => 0.1 * share,
        name => {
            let is_program = model.subject == ModelSubject::Program;
            assert!(is_program, "{name} has no sane value here");
            share
        }
    };
    let shares = shares.into_iter().cycle();
    model.parameters.iter().zip(shares).map(value).collect()
}

/// A table of up to six sizes whose values pass through `order`.
pub fn any_table(value: impl Strategy<Value = f64>, order: fn(&mut [f64])) -> impl Strategy<Value = SizeTable> {
    prop::collection::btree_map(sizes(), value, 1..7).prop_map(move |rows| {
        let (sizes, mut values): (Vec<u64>, Vec<f64>) = rows.into_iter().unzip();
        order(&mut values);
        table(sizes.into_iter().zip(values))
    })
}

/// Networks whose times, where they are tables, pass through `order`; the numbers are times
/// of up to `most` seconds.
pub fn any_network(most: f64, order: fn(&mut [f64])) -> impl Strategy<Value = KnownNetwork> {
    let time = move || prop_oneof![1 => Just(0.0), 4 => 0.0..most, 4 => 0.0..most * 1e-6];
    let tables = [(); 3].map(|()| any_table(time(), order));
    let forms = select(vec![
        SignatureForm::Full,
        SignatureForm::Bandwidth,
        SignatureForm::FullDeltaOnce,
    ]);
    let threshold = prop::option::of(sizes());
    let signature = (forms, 0.0..5.0f64, 0.0..=1.0f64, time(), threshold);
    let rate = || (1..1_000_000_000_000u64).prop_map(BitsPerSecond);
    let switches = ([1..40u32, 1..40u32], [rate(), rate()]);
    let rest = (prop::option::of(signature), prop::option::of(switches));
    ([time(), time(), time()], tables, rest).prop_map(|(times, tables, (signature, switches))| {
        let base = hockney(times[0], times[1] * 1e-6);
        let two_switches = |(hosts, rates): (_, [_; 2])| {
            let [port, uplink] = rates.map(|rate| LinkSpec::new(rate, Bytes(4096)));
            Network::two_switches(hosts, port, uplink).unwrap()
        };
        let signature = signature.map(|(form, gamma, below, delta, threshold)| Signature {
            base,
            form,
            gamma,
            gamma_below: Some(gamma * below),
            delta: Seconds(delta),
            threshold: threshold.map(Bytes),
        });
        with_clusters(KnownNetwork {
            signature,
            network: switches.map(two_switches),
            ..KnownNetwork::of(base, Some(&plogp(times[2], tables)))
        })
    })
}

pub fn unchanged(_: &mut [f64]) {}

pub fn ascending(values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
}

/// Few processes, many, powers of two, and any number.
pub fn counts() -> impl Strategy<Value = u32> {
    let powers = (0..32u32).prop_map(|height| 1 << height);
    prop_oneof![1..16u32, 1..10_000u32, powers, 1..=u32::MAX]
}

pub fn shares() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(0.0..1.0f64)
}
