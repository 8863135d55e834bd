//! Tests against closed forms.

use netsig_base::network::LinkSpec;
use netsig_base::units::{BitsPerSecond, Bytes, SecondsPerByte};
use proptest::prelude::*;

use super::*;
use crate::testing::{ActivityRecorder, alltoall};
use crate::{SimOutcome, run};

const LATENCY: Time = Time(50_000_000);

/// Outcome of a collective, and the end of each receive.
fn exchange(name: &str, topology: &Network, hosts: Vec<Vertex>, size: u64) -> (SimOutcome, Vec<Time>) {
    let mut program = alltoall(name, u32::try_from(hosts.len()).unwrap(), size);
    let mut network = Fluid::new(topology, hosts, LATENCY);
    let mut recorder = ActivityRecorder::default();
    let outcome = run(&mut program, &mut network, &mut recorder).unwrap();
    let ends = recorder.received.iter().map(|received| Time(received.2));
    (outcome, ends.collect())
}

fn port(mbit: u64) -> LinkSpec {
    LinkSpec::new(BitsPerSecond(mbit * 1_000_000), Bytes(0))
}

/// Hosts of 125 MB/s on one switch.
fn star(hosts: u32) -> Network {
    Network::star(hosts, port(1000)).unwrap()
}

proptest! {
    /// Every message takes (n − 1)·m/rate + L to the picosecond; in a pairwise exchange every round waits for the
    /// latency.
    #[test]
    fn exchanges_on_a_star_are_exact(n in 2u32..20, size in 1u64..1_000_000) {
        let star = star(n);
        let (outcome, ends) = exchange("direct", &star, star.all_hosts().collect(), size);
        let expected = Time(8000) * (u64::from(n - 1) * size) + LATENCY;
        prop_assert_eq!(outcome.time, expected);
        prop_assert_eq!(ends, vec![expected; (n * (n - 1)) as usize]);
        for link in outcome.links {
            prop_assert_eq!((link.bytes, link.busy + LATENCY), (u64::from(n - 1) * size, expected));
        }
        let (pairs, _) = exchange("pairwise", &star, star.all_hosts().collect(), size);
        prop_assert_eq!(pairs.time, (Time(8000) * size + LATENCY) * u64::from(n - 1));
    }

    /// The narrowest link, between the switches, determines the time, as the cut bound states; it is busy without a
    /// break.
    #[test]
    fn a_narrow_uplink_attains_the_cut_bound(a in 2u32..8, b in 2u32..8, size in 1u64..100_000) {
        let tree = Network::two_switches([a, b], port(1000), port(800)).unwrap();
        let (outcome, _) = exchange("direct", &tree, tree.all_hosts().collect(), size);
        let bound = SecondsPerByte(1e-8) * Bytes(u64::from(a * b) * size);
        prop_assert_eq!(outcome.time, Time::of(bound) + LATENCY);
        let joint = outcome.links.last().unwrap();
        prop_assert_eq!(&joint.name, "switch1 -> switch0");
        prop_assert_eq!(joint.busy, Time::of(bound));
    }
}

/// Two ranks on each host: messages within a host, and empty messages, take L alone.
#[test]
fn messages_within_a_host_take_the_latency() {
    let star = Network::star(3, port(8)).unwrap();
    let (_, ends) = exchange("direct", &star, [0, 0, 1, 1].map(Vertex).to_vec(), 1000);
    let across = Time(4_000_000_000) + LATENCY;
    assert_eq!(ends, [vec![LATENCY; 4], vec![across; 8]].concat());
    let (empty, _) = exchange("direct", &star, star.all_hosts().collect(), 0);
    assert_eq!(empty.time, LATENCY);
}
