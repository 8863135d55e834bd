//! Routes against brute force, and every refusal.

use proptest::prelude::*;

use super::*;
use crate::network::binary_tree::Edge;
use crate::network::scenario::Scenario;
use crate::units::Seconds;

fn route(topology: &Topology, from: u32, to: u32) -> Vec<LinkId> {
    let mut links = vec![LinkId(0)];
    topology.route(Vertex(from), Vertex(to), &mut links);
    links
}

/// Whether the links lead from one vertex to the other.
fn leads(topology: &Topology, route: &[LinkId], from: u32, to: u32) -> bool {
    let mut at = Vertex(from);
    for &id in route {
        if topology.link(id).from != at {
            return false;
        }
        at = topology.link(id).to;
    }
    at == Vertex(to)
}

fn cable(a: u32, b: u32) -> Cable {
    Cable {
        ends: [Vertex(a), Vertex(b)],
        rate: BytesPerSecond(1.0),
        buffer: Bytes(1),
    }
}

fn named(kind: &str, count: u32) -> Vec<String> {
    (0..count).map(|number| format!("{kind}{number}")).collect()
}

fn build(hosts: u32, switches: u32, cables: Vec<Cable>) -> Result<Topology, TopologyError> {
    Topology::new(Parts {
        hosts: named("h", hosts),
        switches: named("s", switches),
        cables,
    })
}

#[test]
fn scenarios_are_a_star_or_two_switches() {
    let head = "description = \"\"\nhosts = 5\nrate = \"40Mbit/s\"\nport_buffer = \"64KiB\"\n\
        congestion_control = \"reno\"\n";
    let uplink = "topology = \"tree\"\n[uplink]\nrate = \"100Mbit/s\"\nport_buffer = \"1MiB\"\n";
    let read = |tail: &str| Scenario::parse("s", &format!("{head}{tail}")).unwrap();
    let star = Topology::of_scenario(&read("topology = \"star\"\n")).unwrap();
    assert_eq!((star.hosts().len(), star.vertices()), (5, 6));
    let tree = Topology::of_scenario(&read(uplink)).unwrap();
    assert!(route(&tree, 0, 0).is_empty());
    assert_eq!(
        route(&tree, 2, 4).len(),
        2,
        "hosts 2 to 4 are on the second switch"
    );
    let across = route(&tree, 1, 2);
    let names: Vec<String> = across.iter().map(|&id| tree.link_name(id)).collect();
    assert_eq!(
        names,
        ["host1 -> switch0", "switch0 -> switch1", "switch1 -> host2"]
    );
    let rates: Vec<f64> = across.iter().map(|&id| tree.link(id).rate.0).collect();
    assert_eq!(rates, [5e6, 12.5e6, 5e6]);
    let buffers: Vec<Bytes> = across.iter().map(|&id| tree.link(id).buffer).collect();
    assert_eq!(buffers, [Bytes(65_536), Bytes(1 << 20), Bytes(65_536)]);
}

#[test]
fn a_binary_tree_buffers_what_its_delays_hold() {
    let edge = |rate, delay| Edge {
        bandwidth: BytesPerSecond(rate),
        delay: Seconds(delay),
    };
    let heights = [edge(125e6, 0.0), edge(300e6, 0.0), edge(250e6, 1.82e-5)];
    let tree = Topology::binary_tree(&heights).unwrap();
    assert_eq!((tree.hosts().len(), tree.vertices()), (8, 15));
    let buffers: Vec<Bytes> = route(&tree, 0, 7)
        .iter()
        .map(|&id| tree.link(id).buffer)
        .collect();
    assert_eq!(buffers, [0, 0, 4550, 4550, 0, 0].map(Bytes));
    let single = Topology::binary_tree(&[]).unwrap();
    assert!(route(&single, 0, 0).is_empty());
    assert!(Topology::binary_tree(&[edge(0.0, 0.0)]).is_err());
    let message = Topology::binary_tree(&[edge(1.0, 0.0); 21])
        .unwrap_err()
        .to_string();
    assert_eq!(message, "2097152 hosts are too many; use at most 1048576");
}

/// The switches of a ring of four: both ways to the opposite one are as short, and the way
/// through the lowest switch is taken; the host on two switches passes nothing on.
#[test]
fn ties_go_to_the_lowest_switch_and_never_through_hosts() {
    let mut cables = vec![cable(4, 5), cable(5, 6), cable(6, 7), cable(7, 4)];
    cables.extend([
        cable(0, 4),
        cable(1, 6),
        cable(2, 7),
        cable(3, 5),
        cable(3, 7),
    ]);
    let ring = build(4, 4, cables).unwrap();
    let names = |from, to| {
        let route = route(&ring, from, to);
        route
            .iter()
            .map(|&id| ring.name(ring.link(id).to))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(0, 1), "s0 s1 s2 h1");
    assert_eq!(names(1, 0), "s2 s1 s0 h0");
    assert_eq!(names(2, 3), "s3 h3");
    assert_eq!(names(3, 2), "s3 h2");
    assert_eq!(names(0, 3), "s0 s1 h3");
    let ladder = build(
        3,
        3,
        vec![
            cable(0, 3),
            cable(0, 4),
            cable(1, 3),
            cable(2, 4),
            cable(3, 5),
            cable(5, 4),
        ],
    );
    assert_eq!(route(&ladder.unwrap(), 1, 2).len(), 4, "not through host 0");
}

#[test]
fn parts_that_make_no_network_are_refused() {
    let message = |hosts, switches, cables| build(hosts, switches, cables).unwrap_err().to_string();
    assert_eq!(
        message(0, 1, vec![]),
        "a topology without hosts; give at least one"
    );
    assert_eq!(
        message(
            4,
            2,
            vec![cable(0, 4), cable(1, 4), cable(2, 5), cable(3, 5)]
        ),
        "no way leads from h0 to h2 through switches; join their parts by a cable"
    );
    assert!(message(2, 1, vec![cable(0, 2)]).starts_with("no way leads from h0 to h1"));
    assert!(message(1, 2, vec![cable(0, 1)]).starts_with("no way leads from h0 to s1"));
    assert!(message(2, 0, vec![]).starts_with("no way leads from h1 to h0"));
    assert_eq!(
        message(1, 1, vec![cable(0, 1), cable(1, 0)]),
        "h0 and s0 are joined twice; join them once, at the sum of the rates"
    );
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Topology::star(2, BytesPerSecond(rate), Bytes(0))
            .unwrap_err()
            .to_string();
        let expected =
            format!("the cable from host0 to switch0 has {rate} B/s; give a finite rate above 0");
        assert_eq!(error, expected);
    }
    let twins = Parts {
        hosts: vec!["a".to_owned(), "a".to_owned()],
        ..Parts::default()
    };
    let error = Topology::new(twins).unwrap_err().to_string();
    assert_eq!(
        error,
        "two hosts are called \"a\"; give each a name of its own"
    );
    let crowd = Topology::star(u32::MAX, BytesPerSecond(1.0), Bytes(0)).unwrap_err();
    assert_eq!(
        crowd.to_string(),
        "4294967295 hosts are too many; use at most 1048576"
    );
}

/// Hosts and switches that are joined at random: each switch to an earlier one, some to
/// others as well, each host to one or two.
fn graph() -> impl Strategy<Value = Topology> {
    let shape = (2u32..8, 1u32..8);
    shape.prop_flat_map(|(hosts, switches)| {
        let number = prop::num::u32::ANY;
        let firsts = prop::collection::vec(number, (hosts + switches) as usize);
        let more = prop::collection::vec((number, number), 0..8);
        (firsts, more).prop_map(move |(firsts, more)| {
            let mut pairs = std::collections::BTreeSet::new();
            for switch in 1..switches {
                pairs.insert((hosts + firsts[switch as usize] % switch, hosts + switch));
            }
            for host in 0..hosts {
                pairs.insert((host, hosts + firsts[(switches + host) as usize] % switches));
            }
            for (a, b) in more {
                let (a, b) = (a % (hosts + switches), hosts + b % switches);
                if a != b {
                    pairs.insert((a.min(b), a.max(b)));
                }
            }
            let cables = pairs.into_iter().map(|(a, b)| cable(a, b)).collect();
            build(hosts, switches, cables).unwrap()
        })
    })
}

/// The fewest links between all vertices, hosts passing nothing on, by relaxing all links
/// until nothing changes.
fn fewest(topology: &Topology) -> Vec<Vec<usize>> {
    const FAR: usize = 1000;
    let count = topology.vertices();
    let mut fewest = vec![vec![FAR; count]; count];
    for (from, row) in fewest.iter_mut().enumerate() {
        row[from] = 0;
        for _ in 0..count {
            for link in topology.links() {
                let passes = link.from.index() == from || !topology.is_host(link.from);
                if passes {
                    let longer = row[link.from.index()] + 1;
                    row[link.to.index()] = row[link.to.index()].min(longer);
                }
            }
        }
    }
    fewest
}

proptest! {
    /// A message of height h climbs h edges and descends h; the way back is the same.
    #[test]
    fn ways_in_binary_trees_have_their_heights(height in 1usize..8, a in 0u32..128, b in 0u32..128) {
        let edge = |rate: usize| Edge { bandwidth: BytesPerSecond(rate as f64), delay: Seconds(0.0) };
        let heights: Vec<Edge> = (1..=height).map(edge).collect();
        let tree = Topology::binary_tree(&heights).unwrap();
        let (a, b) = (a % (1 << height), b % (1 << height));
        let there = route(&tree, a, b);
        prop_assert!(leads(&tree, &there, a, b));
        let top = u32::BITS - (a ^ b).leading_zeros();
        let rates: Vec<f64> = there.iter().map(|&id| tree.link(id).rate.0).collect();
        let expected: Vec<f64> = (1..=top).chain((1..=top).rev()).map(f64::from).collect();
        prop_assert_eq!(rates, expected);
        let mut back: Vec<LinkId> = route(&tree, b, a).into_iter().map(LinkId::reverse).collect();
        back.reverse();
        prop_assert_eq!(there, back);
    }

    #[test]
    fn ways_in_graphs_are_shortest(graph in graph()) {
        let fewest = fewest(&graph);
        for (a, b) in graph.hosts().flat_map(|a| graph.hosts().map(move |b| (a.0, b.0))) {
            let links = route(&graph, a, b);
            prop_assert!(leads(&graph, &links, a, b));
            prop_assert_eq!(links.len(), fewest[a as usize][b as usize]);
            // No other next vertex that is as near has a lower number.
            for &id in &links {
                let link = graph.link(id);
                let left = |v: Vertex| fewest[v.index()][b as usize];
                let nearer = graph.links().iter().filter(|other| {
                    let passes = other.to.0 == b || !graph.is_host(other.to);
                    other.from == link.from && passes && left(other.to) + 1 == left(link.from)
                });
                prop_assert_eq!(nearer.map(|other| other.to).min(), Some(link.to));
            }
        }
    }
}
