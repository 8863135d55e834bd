//! `netsig discover --network`: clusters of described networks, in a file of their own and in a profile.
//! Discoveries by measurement are in `../real_lab`.

use crate::support::TestHome;
use netsig_base::network::{ClusterGrid, HostCluster, HostClusters};
use netsig_model::profile::Profile;

fn clusters(grid: &[(&str, &str)]) -> HostClusters {
    let named = grid.iter().map(|(name, hosts)| HostCluster {
        name: (*name).to_owned(),
        hosts: hosts.split(',').map(str::to_owned).collect(),
    });
    HostClusters::Named(named.collect())
}

/// Expected clusters are worked by hand from the descriptions: Slurm's forms without rates, a scenario with the lab's
/// host names, and a file with its own host names.
#[test]
fn clusters_of_described_networks_are_written() {
    let home = TestHome::new();
    home.write(
        "topology.conf",
        "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=m7\nSwitchName=top Switches=s[0-1]\n",
    );
    home.write(
        "shown.txt",
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[3-4]\n\
         SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[0-1]\n",
    );
    home.write(
        "block.conf",
        "BlockName=b1 Nodes=g[01-02]\nBlockName=b2 Nodes=g[03-04]\nBlockSizes=2,4\n",
    );
    home.write(
        "topology.yaml",
        "- topology: flat\n  flat: true\n- topology: tree\n  cluster_default: true\n  tree:\n\
         \x20   switches:\n    - switch: top\n      children: leaf[1-2]\n\
         \x20   - switch: leaf1\n      nodes: n[1-2]\n    - switch: leaf2\n      nodes: x.lan\n",
    );
    home.write(
        "far.toml",
        "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n\
         [[switch]]\nname = 'a'\nhosts = 'x,y'\n[[switch]]\nname = 'b'\nhosts = 'z'\n\
         [[switch]]\nname = 'c'\nhosts = 'w'\n\
         [[link]]\nbetween = ['a', 'b']\nrate = '1Gbit/s'\nport_buffer = '64KiB'\ndelay = '5ms'\n\
         [[link]]\nbetween = ['c', 'b']\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n",
    );
    for (network, expected) in [
        ("topology.conf", [("s0", "n0,n1"), ("s1", "m7")]),
        ("shown.txt", [("s0", "n1,n2"), ("s1", "n3,n4")]),
        ("block.conf", [("b1", "g01,g02"), ("b2", "g03,g04")]),
        ("topology.yaml", [("leaf1", "n1,n2"), ("leaf2", "x.lan")]),
        ("far.toml", [("a", "x,y"), ("b", "z,w")]),
        ("tree-2x4x40", [("switch0", "h0,h1,h2,h3"), ("switch1", "h4,h5,h6,h7")]),
    ] {
        let arguments = format!("discover --network {network} -o clusters.toml --format csv");
        let printed = home.run(&arguments);
        let grid = ClusterGrid::parse("clusters.toml", &home.read("clusters.toml")).unwrap();
        assert_eq!(grid.clusters, clusters(&expected), "{network}");
        assert!(grid.links.is_empty());
        let [(name, hosts), _] = expected;
        let line = format!("{name},,\"{hosts}\",,");
        assert!(printed.lines().any(|printed_line| printed_line == line), "{printed}");
    }
}

#[test]
fn clusters_in_a_profile_replace_earlier_ones_and_nothing_else() {
    let home = TestHome::new();
    let text = include_str!("../refusals/home/profile.toml");
    let before = Profile::parse("profile.toml", text).unwrap();
    let links = "\n[[cluster]]\nname = \"a\"\nhosts = \"a,b\"\n[[cluster_link]]\n\
                 between = [\"a\", \"a\"]\nbytes = [1, 2]\ntime_s = [1e-4, 2e-4]\n";
    home.write("profile.toml", &(text.to_owned() + links));
    home.run("discover --network unequal-2-6-4x40 -o profile.toml");
    let after = Profile::parse("profile.toml", &home.read("profile.toml")).unwrap();
    assert!(matches!(&after.clusters, Some(HostClusters::Named(named)) if named.len() == 3));
    assert!(after.cluster_links.is_empty());
    let plain = Profile {
        clusters: None,
        ..after
    };
    assert_eq!(plain, before);
}
