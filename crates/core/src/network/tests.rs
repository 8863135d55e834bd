//! Files read, written and refused; routes against brute force; links with the hosts behind them.

use proptest::prelude::*;

use super::*;

const GRAPH: &str = r#"description = "three \"unequal\" switches"
topology = "graph"
rate = "1Gbit/s"
port_buffer = "64KiB"
congestion_control = "cubic"
eager_limit = "16KiB"
rto = "300ms"
[[switch]]
name = "s0"
hosts = "n[0-3]"
[[switch]]
name = "s1"
hosts = 2
rate = "100Mbit/s"
delay = "2ms"
[[switch]]
name = "top"
[[link]]
between = ["s0", "top"]
rate = "2Gbit/s"
port_buffer = "128KiB"
[[link]]
between = ["s1", "top"]
rate = "1Gbit/s"
port_buffer = "32KiB"
delay = "5ms"
"#;

const BINARY: &str = r#"topology = "binary-tree"
latency = "50us"
[[height]]
rate = "1Gbit/s"
[[height]]
rate = "1Gbit/s"
delay = "36.4us"
"#;

const TREE: &str = r#"description = "two switches"
topology = "tree"
hosts = 9
rate = "40Mbit/s"
port_buffer = "64KiB"
[uplink]
rate = "100Mbit/s"
port_buffer = "128KiB"
[truth]
alpha = "100us"
gamma = 1.8
delta = "4ms"
threshold = "64KiB"
noise = 0.03
"#;

/// Hosts of 8 bit/s on one switch.
pub(super) fn star(hosts: u32) -> Network {
    Network::star(hosts, port()).unwrap()
}

fn port() -> Port {
    Port::new(BitsPerSecond(8), Bytes(1))
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
fn way(network: &Network, from: u32, to: u32) -> String {
    let told = |id: LinkId| {
        let link = network.link(id);
        let rate = link.rate.0 * 8e-6;
        let (buffer, delay) = (link.buffer, link.delay);
        format!(
            "  {}: {rate} Mbit/s, {buffer}, {delay}\n",
            network.link_name(id)
        )
    };
    route(network, from, to).into_iter().map(told).collect()
}

/// The second has its half of nine hosts rounded down, and the latency of its truth; buffers
/// of the third are its b·d.
#[test]
fn files_are_read_in_full() {
    let told = [(GRAPH, 2, 5), (TREE, 3, 4), (BINARY, 0, 3)].map(|(text, from, to)| {
        let network = read(text);
        let names: Vec<&str> = network
            .all_hosts()
            .map(|host| network.vertex_name(host))
            .collect();
        format!(
            "{}\n{}\neager limit {:?}, rto {:?}, latency {:?}\n{}",
            network.summary(),
            names.join(" "),
            network.eager_limit,
            network.rto,
            network.latency,
            way(&network, from, to)
        )
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

/// A text with something replaced: each fault is told with its line and a remedy.
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
    let edge = Edge {
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

/// Links between switches that leave hosts of both ends of the list on one side.
#[test]
fn a_link_knows_the_hosts_behind_it() {
    let text = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '4kB'\n\
        [[switch]]\nname = 'a'\nhosts = 3\n[[switch]]\nname = 'b'\nhosts = 7\n\
        [[switch]]\nname = 'c'\nhosts = 2\n";
    let link = |a, b| {
        format!("[[link]]\nbetween = ['{a}', '{b}']\nrate = '2Gbit/s'\nport_buffer = '4kB'\n")
    };
    let tree = read(&format!("{text}{}{}", link("b", "a"), link("b", "c")));
    let procs = |count| Procs::new(count).unwrap();
    let cuts = tree.cuts().unwrap();
    let behind = |count| {
        let sides = cuts.iter().map(|cut| cut.count(procs(count)));
        sides.map(|side| side.min(count - side)).collect::<Vec<_>>()
    };
    assert_eq!(
        [behind(12), behind(11), behind(4)],
        [[2, 3], [1, 3], [0, 1]]
    );
    let ring = read(&format!(
        "{text}{}{}{}",
        link("b", "a"),
        link("b", "c"),
        link("a", "c")
    ));
    assert!(!ring.is_tree() && ring.cuts().is_none());
}

/// The switches of a ring of four: both ways to the opposite one are as short, and the way
/// through the lowest switch is taken.
#[test]
fn ties_go_to_the_lowest_switch() {
    let ring = graph_of(&[1, 1, 1, 1], &[(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap();
    let names = |from, to| {
        let links = route(&ring, from, to).into_iter();
        let ends = links.map(|id| ring.vertex_name(ring.link(id).to).to_owned());
        ends.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(0, 2), "s0 s1 s2 h2");
    assert_eq!(names(2, 0), "s2 s1 s0 h0");
    assert_eq!(names(1, 3), "s1 s0 s3 h3");
}

/// Switches with so many hosts, joined.
pub(crate) fn graph_of(hosts: &[u32], pairs: &[(usize, usize)]) -> Result<Network, NetworkError> {
    let mut names = (0..).map(|number| format!("h{number}"));
    let switch = |(number, count): (usize, &u32)| Switch {
        name: format!("s{number}"),
        hosts: names.by_ref().take(*count as usize).collect(),
        port: port(),
    };
    let switches = hosts.iter().enumerate().map(switch).collect();
    let trunk = |&(a, b): &(usize, usize)| Trunk {
        ends: [a, b],
        port: port(),
    };
    Network::new(switches, pairs.iter().map(trunk).collect())
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
        let others = more
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.min(b), a.max(b)));
        let pairs: std::collections::BTreeSet<_> = earlier.chain(others).collect();
        let mut hosts: Vec<u32> = switches.iter().map(|switch| switch.0).collect();
        hosts[0] += 1;
        graph_of(&hosts, &pairs.into_iter().collect::<Vec<_>>()).unwrap()
    })
}

/// The fewest links between all vertices, by relaxing all links until nothing changes.
fn fewest(network: &Network) -> Vec<Vec<usize>> {
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

/// Whether the links lead from one vertex to the other.
fn leads(network: &Network, route: &[LinkId], from: u32, to: u32) -> bool {
    let mut at = Vertex(from);
    for &id in route {
        if network.link(id).from != at {
            return false;
        }
        at = network.link(id).to;
    }
    at == Vertex(to)
}

proptest! {
    /// A message of height h climbs h edges and descends h; the way back is the same.
    #[test]
    fn ways_in_binary_trees_have_their_heights(height in 1usize..8, a in 0u32..128, b in 0u32..128) {
        let edge = |rate: usize| Edge { bandwidth: BytesPerSecond(rate as f64), delay: Seconds(0.0) };
        let heights: Vec<Edge> = (1..=height).map(edge).collect();
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
        let fewest = fewest(&graph);
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
