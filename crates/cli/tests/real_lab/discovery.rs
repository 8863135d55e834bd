//! `netsig discover` in the lab: two sites behind a slow link, a star, and a host that hangs.

use std::process::Command;

use netsig_base::network::{ClusterGrid, HostClusters};
use tempfile::TempDir;

use super::{has_lab, netsig, path_of, rank_program, run_unless_void, stderr_text};
use crate::long_form::is_long_form;

/// Two switches of two and three hosts at 50 Mbit/s, joined by 15 Mbit/s.
const TWO_SITES: &str = "description = 'two sites'\ntopology = 'tree'\nhosts = 5\nrate = '50Mbit/s'\n\
    port_buffer = '64KiB'\ncongestion_control = 'reno'\n\
    [uplink]\nrate = '15Mbit/s'\nport_buffer = '64KiB'\nfirst_switch_hosts = 2\n";

fn discovering(home: &TempDir, scenario: &str) -> Command {
    let place = format!("lab:{scenario}");
    let arguments = ["discover", "-o", "clusters.toml", "--on", &place];
    let mut command = netsig(home.path(), &arguments);
    command
        .args(["--mpirun", &path_of("mpirun.openmpi")])
        .env("NETSIG_RANK_PROGRAM", rank_program());
    command
}

/// Noise only lengthens times, and the link is three times slower than the links inside.
#[test]
#[ignore = "asserts times"]
fn sites_behind_a_slow_link_are_found_and_a_star_is_one() {
    if !has_lab() {
        return;
    }
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("sites.toml"), TWO_SITES).unwrap();
    for (scenario, expected) in [
        ("./sites.toml", &["h0,h1", "h2,h3,h4"][..]),
        ("ethernet-4x50", &["h0,h1,h2,h3"]),
    ] {
        let output = run_unless_void(discovering(&home, scenario), home.path());
        assert!(output.status.success(), "{}", stderr_text(&output));
        let text = std::fs::read_to_string(home.path().join("clusters.toml")).unwrap();
        let grid = ClusterGrid::parse("clusters.toml", &text).unwrap();
        let HostClusters::Named(clusters) = &grid.clusters else {
            panic!("{text}");
        };
        let found: Vec<String> = clusters.iter().map(|cluster| cluster.hosts.join(",")).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(grid.links.len(), [1, 3][clusters.len() - 1], "{text}");
        if let [one, other] = &clusters[..] {
            let slope = |other: &str| grid.link(&one.name, other).unwrap().beta().0;
            assert!(slope(&other.name) > 1.5 * slope(&one.name), "{text}");
        }
    }
}

/// In the long form: also where six links share the time. A byte takes 8 s/30e6, and its share of headers.
#[test]
#[ignore = "asserts times"]
fn bandwidths_between_three_sites_are_found() {
    if !(is_long_form() && has_lab()) {
        return;
    }
    let home = TempDir::new().unwrap();
    let output = run_unless_void(discovering(&home, "wan-4-4-4-30x10"), home.path());
    assert!(output.status.success(), "{}", stderr_text(&output));
    let text = std::fs::read_to_string(home.path().join("clusters.toml")).unwrap();
    let grid = ClusterGrid::parse("clusters.toml", &text).unwrap();
    assert_eq!(grid.links.len(), 6, "{text}");
    let wide = grid
        .links
        .iter()
        .filter(|link| link.cluster_names()[0] != link.cluster_names()[1]);
    for link in wide {
        let share = link.beta().0 * 30e6 / 8.0;
        assert!((1.0..1.25).contains(&share), "{share}: {text}");
    }
}

#[test]
#[ignore = "asserts times"]
fn a_host_that_hangs_is_named_and_nothing_is_written() {
    if !has_lab() {
        return;
    }
    let home = TempDir::new().unwrap();
    let mut command = discovering(&home, "ethernet-4x50");
    command.args(["--timeout", "3"]).env("NETSIG_TEST_FAULT", "hang:2:30");
    let output = run_unless_void(command, home.path());
    let message = stderr_text(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("rank 2 on host h2 did not answer"), "{message}");
    assert!(
        message.trim_end().ends_with("leave it out of the host file"),
        "{message}"
    );
    assert_eq!(home.path().read_dir().unwrap().count(), 0);
}
