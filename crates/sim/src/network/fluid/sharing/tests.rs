//! Tests against sharing done flow by flow.

use std::collections::BTreeSet;

use netsig_base::network::{Network, TreeEdge, Vertex};
use netsig_base::units::Seconds;
use proptest::prelude::*;

use super::*;

/// A flow of the tests: links, length and start.
type TestFlow = (Vec<usize>, u32, u64);

fn sharing(rates: &[f64]) -> LinkSharing {
    LinkSharing::new(rates.iter().copied().map(BytesPerSecond))
}

fn links(route: &[usize]) -> Vec<LinkId> {
    route.iter().map(|&link| LinkId(index_u32(link))).collect()
}

/// Max–min fair rates; searches the fullest link again after every single flow.
fn fair_rates(rates: &[f64], routes: &[&[usize]]) -> Vec<f64> {
    let mut fixed: Vec<Option<f64>> = vec![None; routes.len()];
    loop {
        let share = |link: usize| {
            let crosses_link = |flow: &usize| routes[*flow].contains(&link);
            let (done, open): (Vec<usize>, Vec<usize>) = (0..routes.len())
                .filter(crosses_link)
                .partition(|&flow| fixed[flow].is_some());
            let used: f64 = done.iter().filter_map(|&flow| fixed[flow]).sum();
            let first = open.first().copied()?;
            Some(((rates[link] - used) / open.len() as f64, first))
        };
        let shares = (0..rates.len()).filter_map(share);
        let Some((rate, flow)) = shares.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return fixed.into_iter().flatten().collect();
        };
        fixed[flow] = Some(rate);
    }
}

/// All to all in a binary tree: one class for each height that messages reach.
#[test]
fn flows_that_are_alike_make_one_class() {
    let edge = |rate: u32| TreeEdge {
        bandwidth: BytesPerSecond(rate.into()),
        delay: Seconds(0.0),
    };
    let network = Network::binary_tree([1, 2, 3, 4].map(edge).into()).unwrap();
    let mut sharing = LinkSharing::new(network.links().iter().map(|link| link.rate));
    let pairs = (0..16).flat_map(|a| (0..16).map(move |b| (a, b)));
    let mut route = Vec::new();
    for (flow, (a, b)) in (0..).zip(pairs.filter(|(a, b)| a != b)) {
        network.route(Vertex(a), Vertex(b), &mut route);
        sharing.add(flow, &route, 100.0);
    }
    sharing.settle(Time::ZERO);
    let sizes = sharing.groups.iter().map(|(_, group)| group.classes.len());
    assert!(sizes.eq([4]));
}

/// End of each flow in seconds, computed flow by flow.
fn ends_flow_by_flow(rates: &[f64], given: &[TestFlow]) -> Vec<f64> {
    let mut left: Vec<f64> = given.iter().map(|flow| f64::from(flow.1)).collect();
    let starts: Vec<f64> = given.iter().map(|flow| Time(flow.2).seconds().0).collect();
    let mut ends = vec![f64::INFINITY; given.len()];
    let mut now = 0.0;
    while ends.contains(&f64::INFINITY) {
        let is_active = |flow: &usize| starts[*flow] <= now && ends[*flow].is_infinite();
        let active: Vec<usize> = (0..given.len()).filter(is_active).collect();
        let routes: Vec<&[usize]> = active.iter().map(|&flow| &*given[flow].0).collect();
        let speeds = fair_rates(rates, &routes);
        let finish = |(&flow, speed): (&usize, &f64)| now + left[flow] / speed;
        let finishes = active.iter().zip(&speeds).map(finish);
        let arrivals = starts.iter().copied().filter(|start| *start > now);
        let next = finishes.chain(arrivals).fold(f64::INFINITY, f64::min);
        for (&flow, speed) in active.iter().zip(&speeds) {
            left[flow] -= speed * (next - now);
            if left[flow] < 1e-6 {
                ends[flow] = next;
            }
        }
        now = next;
    }
    ends
}

/// End of each flow in seconds, by [`LinkSharing`].
fn ends_by_sharing(rates: &[f64], given: &[TestFlow]) -> Vec<f64> {
    let mut sharing = sharing(rates);
    let mut ends = vec![f64::INFINITY; given.len()];
    let mut moments: BTreeSet<Time> = given.iter().map(|flow| Time(flow.2)).collect();
    loop {
        let next = [moments.first().copied(), sharing.next_finish()];
        let Some(now) = next.into_iter().flatten().min() else {
            return ends;
        };
        sharing.finish(now, |flow| ends[flow as usize] = now.seconds().0);
        if moments.remove(&now) {
            for (flow, (route, bytes, _)) in given.iter().enumerate().filter(|it| it.1.2 == now.0) {
                sharing.add(index_u32(flow), &links(route), f64::from(*bytes));
            }
        }
        sharing.settle(now);
    }
}

/// Links, and flows over any of them; few rates and lengths, so that many flows are alike.
fn network() -> impl Strategy<Value = (Vec<f64>, Vec<TestFlow>)> {
    let rate = (1u32..4).prop_map(|rate| f64::from(rate) * 1e6);
    let route = prop::sample::subsequence(vec![0, 1, 2, 3, 4], 1..=4);
    let flow_parts = (route, 1u32..3, 0u64..3);
    let flow = flow_parts.prop_map(|(route, size, start)| (route, size * 3000, start * 700_000_001));
    (prop::collection::vec(rate, 5), prop::collection::vec(flow, 1..24))
}

proptest! {
    /// Times agree to 50 ps.
    #[test]
    fn flows_finish_as_they_do_one_by_one((rates, given) in network()) {
        let expected = ends_flow_by_flow(&rates, &given);
        for (found, expected) in ends_by_sharing(&rates, &given).into_iter().zip(expected) {
            prop_assert!((found - expected).abs() < 5e-11, "{found} {expected}");
        }
    }
}
