//! The engine on the network of ports, against models and values by hand.

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::{Seconds, SecondsPerByte};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::segment::Segment;
use netsig_model::model::{self, Case, KnownNetwork, ParameterValues, SegmentChoice};

use super::*;
use crate::testing::{ActivityRecorder, loggp, on_ports, plogp};
use crate::testing::{affine, procs};

use Collective::{Alltoall, Bcast, Gather, Scatter};

fn logged(
    collective: Collective,
    text: &str,
    count: u32,
    size: u64,
    ports: &PortParameters,
) -> (Time, ActivityRecorder) {
    let algorithm = Algorithm::parse(collective, text).unwrap();
    let mut recorder = ActivityRecorder::default();
    let outcome = on_ports(algorithm, count, size, ports, &mut recorder);
    (outcome.time, recorder)
}

/// L = 50, o = 4, g = 10, and 1 for the bytes after the first (µs). Three messages reach a port at once, and begin to
/// arrive at 54, 65 and 76. The last has arrived at 77 and is received at 81. Scattered, they leave at 0, 11 and 22.
#[test]
fn messages_to_one_receiver_wait_for_its_port() {
    let ports = loggp([5e4, 4e3, 1e4], 10.0);
    for collective in [Gather, Scatter] {
        let (time, _) = logged(collective, "flat", 4, 101, &ports);
        assert_eq!(time, Time(81_000_000));
    }
}

/// L = 2, o = 3, g = 4 (µs): a rank sends until 3 and from 4 to 7. The messages to it are there
/// at 5 and 9, but received from 7 and from 10 on: a processor does one thing at a time.
#[test]
fn overheads_of_sends_and_receives_follow_each_other() {
    let (time, log) = logged(Alltoall, "direct", 3, 1, &loggp([2e3, 3e3, 4e3], 0.0));
    let sends = log.sent.iter().filter(|sent| sent.0 == 0);
    let receives = log.received.iter().filter(|received| received.1 == 0);
    let ends = sends.map(|it| it.3).chain(receives.map(|it| it.2));
    assert!(ends.eq([3, 7, 10, 13].map(|us| us * 1_000_000)));
    assert_eq!(time, Time(13_000_000));
}

/// Time of a model for 7000 bytes in segments of 1000.
fn modelled(collective: Collective, name: &str, count: u32, network: &PLogP) -> Seconds {
    let known = KnownNetwork {
        plogp: network.clone(),
        ..KnownNetwork::of(Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).unwrap(), None)
    };
    let case = Case {
        procs: procs(count),
        size: Bytes(7000),
        segments: SegmentChoice::Fixed(Segment::new(Bytes(1000)).unwrap()),
    };
    let model = model::find(collective, name).unwrap();
    model.time(&known, &ParameterValues::default(), case).unwrap().time
}

/// Parameters with dominant gaps, with dominant L, and with a g that jumps and even decreases.
#[test]
fn collectives_take_what_their_models_say() {
    let steady = [(0, 1e-5), (1, 1.001e-5)];
    let jagged = [(0, 3e-5), (2000, 1e-5), (7000, 9e-5), (27_000, 1.1e-4), (67_000, 9e-5)];
    let networks = [
        affine(),
        plogp(0.0, &steady),
        plogp(1e-2, &steady),
        plogp(2e-5, &jagged),
    ];
    for (collective, text, model) in [
        (Bcast, "flat", "flat"),
        (Bcast, "chain", "chain"),
        (Bcast, "binomial", "binomial_exact"),
        (Bcast, "pipeline:1000", "chain_seg"),
        (Bcast, "flat-segmented:1000", "flat_seg"),
        (Scatter, "flat", "flat"),
        (Scatter, "chain", "chain"),
        (Scatter, "binomial", "binomial_exact"),
        (Gather, "flat", "flat"),
        (Gather, "chain", "chain"),
        (Alltoall, "pairwise", "plogp_a"),
        (Alltoall, "direct", "contention_free"),
        (Alltoall, "throttled:1", "contention_free"),
        (Alltoall, "throttled:3", "contention_free"),
    ] {
        for (network, count) in networks.iter().flat_map(|it| (1..40).map(move |n| (it, n))) {
            let ports = PortParameters::PLogP(network.clone());
            let (found, _) = logged(collective, text, count, 7000, &ports);
            let is_printed = (collective, text) == (Scatter, "binomial") && count.is_power_of_two();
            for name in [model].into_iter().chain(is_printed.then_some("binomial")) {
                let expected = modelled(collective, name, count, network);
                let error = (found.seconds() - expected).0.abs();
                assert!(error <= 1e-9 * expected.0, "{found} is not {expected}");
            }
        }
    }
}
