//! Files read, written and refused; routes against brute force; links with the hosts behind them.

use proptest::prelude::*;

use super::testing::{graph_of, port};
use super::*;

const GRAPH: &str = include_str!("tests/graph.toml");
const BINARY: &str = include_str!("tests/binary.toml");
const TREE: &str = include_str!("tests/tree.toml");

/// Hosts of 8 bit/s on one switch.
pub(super) fn star(hosts: u32) -> Network {
    Network::star(hosts, port()).unwrap()
}

fn read(text: &str) -> Network {
    Network::parse("t", text).unwrap()
}

fn route(network: &Network, from: u32, to: u32) -> Vec<LinkId> {
    let mut links = vec![LinkId(0)];
    network.route(Vertex(from), Vertex(to), &mut links);
    links
}

/// The links on the way.
pub(super) fn route_text(network: &Network, from: u32, to: u32) -> String {
    let told = |id: LinkId| {
        let name = network.link_name(id);
        let Link {
            rate: BytesPerSecond(rate),
            buffer,
            delay,
            ..
        } = network.link(id);
        format!("  {name}: {} Mbit/s, {buffer}, {delay}\n", rate * 8e-6)
    };
    route(network, from, to).into_iter().map(told).collect()
}

/// The second file has nine hosts, half of them rounded down on one switch, and the latency of its signature; the
/// buffers of the third are b·d.
#[test]
fn files_are_read_in_full() {
    let told = [(GRAPH, 2, 5), (TREE, 3, 4), (BINARY, 0, 3)].map(|(text, from, to)| {
        let network = read(text);
        let host_names = network.all_hosts().map(|host| network.vertex_name(host));
        let hosts = host_names.collect::<Vec<_>>().join(" ");
        let Network {
            eager_limit,
            rto,
            latency,
            ..
        } = &network;
        let told = format!("eager limit {eager_limit:?}, rto {rto:?}, latency {latency:?}");
        let links = route_text(&network, from, to);
        format!("{}\n{hosts}\n{told}\n{links}", network.summary())
    });
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_written_network_is_read_again() {
    for text in [GRAPH, BINARY, TREE] {
        let network = read(text);
        let again = read(&network.to_toml());
        assert_eq!(again.to_toml(), network.to_toml());
        assert_eq!(again.summary(), network.summary());
        assert_eq!((again.shape, again.truth), (network.shape, network.truth));
    }
}

/// A replacement in a text gives a fault with its line and a remedy.
#[test]
fn faults_name_line_and_remedy() {
    let refusals = [
        (GRAPH, "\"graph\"", "\"ring\""),
        (GRAPH, "topology = \"graph\"", ""),
        (GRAPH, "port_buffer", "buffer"),
        (GRAPH, "rate = \"1Gbit/s\"\n", ""),
        (GRAPH, "\"1Gbit/s\"", "\"0Mbit/s\""),
        (GRAPH, "16KiB", "0"),
        (GRAPH, "cubic", "re no"),
        (GRAPH, "\"n[0-3]\"", "\"n[0-3\""),
        (GRAPH, "= 2", "= 0"),
        (GRAPH, "= 2", "= 2000000"),
        (GRAPH, "= 2", "= \"n1\""),
        (GRAPH, "\"s1\"", "\"s0\""),
        (GRAPH, "[\"s0\", \"top\"]", "[\"s0\", \"s2\"]"),
        (GRAPH, "[\"s1\", \"top\"]", "[\"s0\", \"top\"]"),
        (GRAPH, "[\"s1\", \"top\"]", "[\"s1\", \"s1\"]"),
        (BINARY, "36.4us", "-1us"),
        (TREE, "hosts = 9", "hosts = 1"),
        (TREE, "hosts = 9", "hosts = \"9\""),
        (TREE, "\"tree\"", "\"star\""),
        (TREE, "[truth]", "first_switch_hosts = 9\n[truth]"),
        (TREE, "gamma = 1.8", "gamma = nan"),
        (TREE, "noise = 0.03", "noise = 1.0"),
    ];
    let told = refusals.map(|(text, old, new)| {
        assert!(text.contains(old), "{old}");
        let error = Network::parse("t", &text.replacen(old, new, 1)).unwrap_err();
        format!("{old:?} → {new:?}\n  {error}\n")
    });
    insta::assert_snapshot!(told.concat());
}

#[test]
fn parts_that_make_no_network_are_refused() {
    let edge = TreeEdge {
        bandwidth: BytesPerSecond(1.0),
        delay: Seconds(0.0),
    };
    let told = [
        Network::star(0, port()),
        Network::star(u32::MAX, port()),
        Network::binary_tree(vec![edge; 21]),
        graph_of(&[2, 1], &[]),
        graph_of(&[2, 1], &[(0, 1), (1, 0)]),
    ]
    .map(|refused| format!("{}\n", refused.unwrap_err()));
    insta::assert_snapshot!(told.concat());
}

/// Switches of 3, 7 and 2 hosts, the second in the middle: number of participating hosts on the smaller side of each
/// link.
#[test]
fn a_link_knows_the_hosts_behind_it() {
    let tree = graph_of(&[3, 7, 2], &[(1, 0), (1, 2)]).unwrap();
    let cuts = tree.cuts().unwrap();
    let behind = |count| {
        let procs = Procs::new(count).unwrap();
        let sides = cuts.iter().map(|cut| cut.procs_behind(procs));
        sides.map(|side| side.min(count - side)).collect::<Vec<_>>()
    };
    assert_eq!([12, 11, 4].map(behind), [[2, 3], [1, 3], [0, 1]]);
    let ring = graph_of(&[3, 7, 2], &[(1, 0), (1, 2), (0, 2)]).unwrap();
    assert!(!ring.is_tree() && ring.cuts().is_none());
}

/// Switches with up to two hosts that are joined at random: each to an earlier one, some to
/// others as well.
fn graph() -> impl Strategy<Value = Network> {
    let number = || any::<prop::sample::Index>();
    let switch = (0u32..3, number());
    let switches = prop::collection::vec(switch, 2..8);
    let more = prop::collection::vec((number(), number()), 0..8);
    (switches, more).prop_map(|(switches, more)| {
        let count = switches.len();
        let earlier = (1..count).map(|switch| (switches[switch].1.index(switch), switch));
        let more = more.iter().map(|(a, b)| (a.index(count), b.index(count)));
        let others = more.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b)));
        let pairs: std::collections::BTreeSet<_> = earlier.chain(others).collect();
        let mut hosts: Vec<u32> = switches.iter().map(|switch| switch.0).collect();
        hosts[0] += 1;
        graph_of(&hosts, &pairs.into_iter().collect::<Vec<_>>()).unwrap()
    })
}

/// The fewest links between all vertices, by relaxing all links until nothing changes.
fn fewest_links(network: &Network) -> Vec<Vec<usize>> {
    const FAR: usize = 1000;
    let count = network.vertices();
    let mut fewest = vec![vec![FAR; count]; count];
    for (from, row) in fewest.iter_mut().enumerate() {
        row[from] = 0;
        for _ in 0..count {
            for link in network.links() {
                let longer = row[link.from.index()] + 1;
                row[link.to.index()] = row[link.to.index()].min(longer);
            }
        }
    }
    fewest
}

/// True if the links lead from one vertex to the other.
fn leads(network: &Network, route: &[LinkId], from: u32, to: u32) -> bool {
    let mut links = route.iter().map(|&id| network.link(id));
    let end = links.try_fold(Vertex(from), |at, link| (at == link.from).then_some(link.to));
    end == Some(Vertex(to))
}

proptest! {
    /// A message of height h climbs h edges and descends h; the way back is the same.
    #[test]
    fn ways_in_binary_trees_have_their_heights(height in 1usize..8, a in 0u32..128, b in 0u32..128) {
        let edge = |rate: usize| TreeEdge { bandwidth: BytesPerSecond(rate as f64), delay: Seconds(0.0) };
        let heights: Vec<TreeEdge> = (1..=height).map(edge).collect();
        let tree = Network::binary_tree(heights).unwrap();
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
        let fewest = fewest_links(&graph);
        for (a, b) in graph.all_hosts().flat_map(|a| graph.all_hosts().map(move |b| (a.0, b.0))) {
            let links = route(&graph, a, b);
            prop_assert!(leads(&graph, &links, a, b));
            prop_assert_eq!(links.len(), fewest[a as usize][b as usize]);
            // No other next vertex that is as near has a lower number.
            for &id in &links {
                let link = graph.link(id);
                let left = |v: Vertex| fewest[v.index()][b as usize];
                let nearer = graph.links().iter().filter(|other| {
                    other.from == link.from && left(other.to) + 1 == left(link.from)
                });
                prop_assert_eq!(nearer.map(|other| other.to).min(), Some(link.to));
            }
        }
    }
}
