//! `tree_bound`: time of the busiest link of a tree of switches, a lower bound beside Hockney's.
//!
//! A link with a of P processes on its far side carries a·(P − a) blocks in each direction. A link
//! with none or all of the processes on its far side carries nothing.
//!
//! # Source
//! The cut argument, as for bisection bandwidth; the papers on contention do not print it.

use netsig_base::network::{LinkSpec, Network};
use netsig_base::units::BitsPerSecond;

use super::hockney::HOCKNEY;
use crate::model::examples::hockney_network;
use crate::model::prelude::*;

/// max over the links of a·(P − a)·m·β; `None` if the network is no tree.
fn busiest_link(network: &Network, procs: Procs, size: Bytes) -> Option<Seconds> {
    let host = network.host_gap().0 * procs.partners();
    let cuts = network.cuts()?.iter().map(|cut| {
        let behind = cut.procs_behind(procs);
        cut.gap.0 * f64::from(behind) * f64::from(procs.get() - behind)
    });
    Some(Seconds(cuts.fold(host, f64::max) * size.as_f64()))
}

pub(super) const TREE_BOUND: Model = Model {
    name: "tree_bound",
    kind: ModelKind::LowerBound,
    formula: "T ≥ max over the links of a·(P−a)·m·β_link, a processes behind the link",
    source: "netsig; the bisection argument",
    domain: "A tree of switches with full-duplex links.",
    needs: &[ModelInput::Network],
    example: WorkedExample::on_network(
        ExampleNetwork::Known(two_switches),
        "P = 12, m = 64 KiB, 6 processes behind a link of 100 Mbit/s, one behind each \
         of 40 Mbit/s",
        0.188_743_68,
        (12, 65536),
    ),
    time: |inputs| {
        let remedy = "name a tree of switches with --network";
        let missing = || inputs.missing("the links of the network", remedy);
        let network = inputs.known.network.as_ref().ok_or_else(missing)?;
        let link_time = busiest_link(network, inputs.case.procs, inputs.case.size);
        let time = link_time.ok_or_else(missing)?;
        inputs.evaluate_hockney(|_, _, _| time)
    },
    ..HOCKNEY
};

fn two_switches() -> KnownNetwork {
    let port = |mbit: u64| LinkSpec::new(BitsPerSecond(mbit * 1_000_000), Bytes(65536));
    KnownNetwork {
        network: Network::two_switches([6, 6], port(40), port(100)).ok(),
        ..hockney_network(1e-4, 2e-7)
    }
}

#[cfg(test)]
mod tests {
    use itertools::Itertools as _;
    use netsig_base::network::placement::spread_ranks;

    use super::*;
    use crate::testing::procs;

    /// Counts the pairs whose messages cross each link in one direction.
    #[test]
    fn the_busiest_link_decides() {
        let text = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '4kB'\n\
            [[switch]]\nname = 'a'\nhosts = 3\n\
            [[switch]]\nname = 'b'\nhosts = 2\n\
            [[switch]]\nname = 'c'\nhosts = 5\n\
            [[link]]\nbetween = ['a', 'b']\nrate = '4Gbit/s'\nport_buffer = '4kB'\n\
            [[link]]\nbetween = ['b', 'c']\nrate = '2Gbit/s'\nport_buffer = '4kB'\n";
        let network = Network::parse("chain", text).unwrap();
        for n in 1..=10u32 {
            let hosts = spread_ranks(procs(10), procs(n));
            let crossing = |below| {
                let pairs = hosts.iter().cartesian_product(&hosts);
                pairs.filter(|&(i, j)| *i < below && *j >= below).count() as f64
            };
            let times = [(1, 8e-9), (3, 2e-9), (5, 4e-9)].map(|(below, gap)| crossing(below) * 1000.0 * gap);
            let expected = times.into_iter().fold(0.0, f64::max);
            let time = busiest_link(&network, procs(n), Bytes(1000)).unwrap().0;
            let is_close = (time - expected).abs() <= 1e-12 * expected;
            assert!(is_close, "{n}: {time} not {expected}");
        }
    }
}
