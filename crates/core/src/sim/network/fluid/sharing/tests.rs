//! Tests against sharing done flow by flow.

use proptest::prelude::*;

use super::*;
use crate::network::{Edge, Network, Port, Vertex};
use crate::units::{BitsPerSecond, Bytes, Seconds};

/// A flow of the tests: its links, its length, and when it comes.
type Given = (Vec<usize>, u32, u64);

fn sharing(rates: &[f64]) -> Sharing {
    Sharing::new(rates.iter().copied().map(BytesPerSecond))
}

fn links(route: &[usize]) -> Vec<LinkId> {
    route.iter().map(|&link| LinkId(place(link))).collect()
}

/// Max–min fair rates: the fullest link is looked for again after every single flow.
fn fair(rates: &[f64], routes: &[&[usize]]) -> Vec<f64> {
    let mut fixed: Vec<Option<f64>> = vec![None; routes.len()];
    loop {
        let share = |link: usize| {
            let on = |flow: &usize| routes[*flow].contains(&link);
            let (done, open): (Vec<usize>, Vec<usize>) = (0..routes.len())
                .filter(on)
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

/// The long way shares each of three links with a short one; and a link that leaves its
/// flows less than another makes room there: 12/3 = 4 on the second, 10 − 4 on the first.
#[test]
fn rates_by_hand() {
    let rates = |rates: &[f64], routes: &[&[usize]]| {
        let mut sharing = sharing(rates);
        for (flow, route) in (0..).zip(routes) {
            sharing.add(flow, &links(route), 1.0);
        }
        sharing.settle(Time::ZERO);
        let rates = (0..).map_while(|flow| sharing.rate(flow));
        rates.map(|rate| rate.0).collect::<Vec<f64>>()
    };
    let line = rates(&[1.0; 3], &[&[0, 1, 2], &[0], &[1], &[2]]);
    assert_eq!(line, [0.5; 4]);
    let uneven = rates(&[10.0, 12.0], &[&[0, 1], &[0], &[1], &[1]]);
    assert_eq!(uneven, [4.0, 6.0, 4.0, 4.0]);
    let [crowd, rest] = [
        rates(&[9.0, 2.0], &[&[0], &[0], &[0, 1], &[1]]),
        vec![4.0, 4.0, 1.0, 1.0],
    ];
    assert_eq!(crowd, rest);
}

/// All to all in a binary tree: a class for each height that messages climb to.
#[test]
fn flows_that_are_alike_make_one_class() {
    let edge = |rate: u32| Edge {
        bandwidth: BytesPerSecond(rate.into()),
        delay: Seconds(0.0),
    };
    let star = Network::star(16, Port::new(BitsPerSecond(8), Bytes(0))).unwrap();
    let tree = Network::binary_tree([1, 2, 3, 4].map(edge).into()).unwrap();
    for (network, classes) in [(star, 1), (tree, 4)] {
        let mut sharing = Sharing::new(network.links().iter().map(|link| link.rate));
        let pairs = (0..16).flat_map(|a| (0..16).map(move |b| (a, b)));
        let mut route = Vec::new();
        for (flow, (a, b)) in (0..).zip(pairs.filter(|(a, b)| a != b)) {
            network.route(Vertex(a), Vertex(b), &mut route);
            sharing.add(flow, &route, 100.0);
        }
        sharing.settle(Time::ZERO);
        let sizes: Vec<usize> = sharing
            .groups
            .iter()
            .map(|(_, group)| group.classes.len())
            .collect();
        assert_eq!(sizes, [classes]);
    }
}

/// What a flow of [`flow_by_flow`] has left, and when it finished.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    Coming,
    Left(f64),
    Finished(f64),
}

/// Follows each flow by itself in seconds.
fn flow_by_flow(rates: &[f64], given: &[Given]) -> Vec<Fate> {
    let mut fates = vec![Fate::Coming; given.len()];
    let mut now = 0.0;
    loop {
        let left = |flow: &usize| matches!(fates[*flow], Fate::Left(_));
        let active: Vec<usize> = (0..given.len()).filter(left).collect();
        let routes: Vec<&[usize]> = active.iter().map(|&flow| &*given[flow].0).collect();
        let speeds = fair(rates, &routes);
        let mut next = f64::INFINITY;
        for (&flow, speed) in active.iter().zip(&speeds) {
            if let Fate::Left(bytes) = fates[flow] {
                next = next.min(now + bytes / speed);
            }
        }
        for (flow, (_, _, start)) in given.iter().enumerate() {
            if fates[flow] == Fate::Coming {
                next = next.min(Time(*start).seconds().0);
            }
        }
        if next.is_infinite() {
            return fates;
        }
        for (&flow, speed) in active.iter().zip(&speeds) {
            if let Fate::Left(bytes) = fates[flow] {
                let left = bytes - speed * (next - now);
                fates[flow] = if left < 1e-6 {
                    Fate::Finished(next)
                } else {
                    Fate::Left(left)
                };
            }
        }
        now = next;
        for (flow, (_, bytes, start)) in given.iter().enumerate() {
            if fates[flow] == Fate::Coming && Time(*start).seconds().0 <= now {
                fates[flow] = Fate::Left(f64::from(*bytes));
            }
        }
    }
}

/// The same with [`Sharing`].
fn together(rates: &[f64], given: &[Given]) -> Vec<Fate> {
    let mut sharing = sharing(rates);
    let mut fates = vec![Fate::Coming; given.len()];
    let mut moments: Vec<Time> = given.iter().map(|(_, _, start)| Time(*start)).collect();
    moments.sort();
    moments.reverse();
    while let Some(now) = [moments.last().copied(), sharing.next_finish()]
        .into_iter()
        .flatten()
        .min()
    {
        sharing.finish(now, |flow| {
            fates[flow as usize] = Fate::Finished(now.seconds().0);
        });
        for (flow, (route, bytes, start)) in given.iter().enumerate() {
            if *start == now.0 && fates[flow] == Fate::Coming {
                sharing.add(place(flow), &links(route), f64::from(*bytes));
                fates[flow] = Fate::Left(f64::NAN);
            }
        }
        sharing.settle(now);
        while moments.last() == Some(&now) {
            moments.pop();
        }
    }
    fates
}

/// Links and flows over any of them; few rates and lengths, so that many flows are alike.
fn network() -> impl Strategy<Value = (Vec<f64>, Vec<Given>)> {
    let rates = prop::collection::vec(1u32..4, 1..9);
    rates.prop_flat_map(|rates| {
        let count = rates.len();
        let route = prop::sample::subsequence((0..count).collect::<Vec<_>>(), 1..=count.min(4));
        let flow = (route, 1u32..3, 0u64..3);
        let flows = prop::collection::vec(flow, 1..24);
        let rates: Vec<f64> = rates.iter().map(|rate| f64::from(*rate) * 1e6).collect();
        (Just(rates), flows).prop_map(|(rates, flows)| {
            let given = |(route, bytes, start): (Vec<usize>, u32, u64)| {
                (route, bytes * 3000, start * 700_000_001)
            };
            (rates, flows.into_iter().map(given).collect())
        })
    })
}

proptest! {
    /// Times agree to 50 ps.
    #[test]
    fn flows_finish_as_they_do_one_by_one((rates, given) in network()) {
        let expected = flow_by_flow(&rates, &given);
        for (found, expected) in together(&rates, &given).into_iter().zip(expected) {
            let (Fate::Finished(a), Fate::Finished(b)) = (found, expected) else {
                panic!("{found:?} and {expected:?} did not finish")
            };
            prop_assert!((a - b).abs() < 5e-11, "{} {}", a, b);
        }
    }
}
