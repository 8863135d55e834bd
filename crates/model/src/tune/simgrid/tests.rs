//! The text of a platform, and the refusals. Its times are tested in the real smpirun.

use netsig_base::network::{Network, TreeEdge};
use netsig_base::units::{BytesPerSecond, Procs, Seconds};

use super::{MOST_SWITCHES, PlatformTopology, platform};
use crate::profile::Profile;

const EVERYTHING: &str = include_str!("../../profile/tests/everything.toml");

/// A graph whose middle switch has no hosts, with names that XML and comments must escape.
const NETWORK: &str = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n\
    [[switch]]\nname = 'a&b'\nhosts = 'n[0-1]'\n[[switch]]\nname = 'top'\n\
    [[switch]]\nname = 'c'\nhosts = 'x'\nrate = '2Gbit/s'\n\
    [[link]]\nbetween = ['a&b', 'top']\nrate = '4Gbit/s'\nport_buffer = '1MiB'\ndelay = '3us'\n\
    [[link]]\nbetween = ['c', 'top']\nrate = '4Gbit/s'\nport_buffer = '1MiB'\n";

fn profile(text: &str) -> Profile {
    Profile::parse("p.toml", text).unwrap()
}

#[test]
fn a_platform_states_its_origin_settings_links_and_routes() {
    let table = EVERYTHING.replace("[1024, 2e-5]", "[1024, 2.4e-4], [8192, 2.2e-3]");
    let everything = profile(&table);
    let network = Network::parse("graph", NETWORK).unwrap();
    let described = PlatformTopology::Described(&network);
    let star = PlatformTopology::Star(Procs::new(4).unwrap());
    let dated_text = EVERYTHING.replace("[provenance]", "[provenance]\ndata_started_unix_s = \"86400\"");
    let line = dated_text.split("[plogp]").next().unwrap().to_owned();
    let texts = [
        platform(&everything, "a--b.toml", described).unwrap(),
        platform(&profile(&line), "line.toml", star).unwrap(),
    ];
    insta::assert_snapshot!(texts.join("\n").replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn without_a_bandwidth_or_with_too_many_switches_there_is_no_platform() {
    let star = PlatformTopology::Star(Procs::new(4).unwrap());
    let beta = "{ value = 2e-7, lower = 1.9e-7, upper = 2.1e-7 }";
    let flat = EVERYTHING.replace(beta, "{ value = 0, lower = 0, upper = 0 }");
    let edge = TreeEdge {
        bandwidth: BytesPerSecond(1e8),
        delay: Seconds(1e-6),
    };
    let heights = MOST_SWITCHES.ilog2() as usize + 2;
    let tree = Network::binary_tree(vec![edge; heights]).unwrap();
    let refused = [
        platform(&profile(&flat), "p.toml", star).unwrap_err(),
        platform(&profile(EVERYTHING), "p.toml", PlatformTopology::Described(&tree)).unwrap_err(),
    ];
    insta::assert_snapshot!(refused.map(|error| error.to_string()).join("\n"));
}
