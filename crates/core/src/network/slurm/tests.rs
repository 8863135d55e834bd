//! Files as Slurm reads them, every fault with its place, and damage of all kinds.

use proptest::prelude::*;

use super::*;
use crate::network::tests::way;
use crate::units::{BitsPerSecond, Bytes};

/// The example of the manual page, with continuation, comments, cases and quotes.
const FILE: &str = "# a tree\n\
    SwitchName=s0 Nodes=dev[0-5]\n\
    switchname = s1  NODES=dev[06-07],\\\n  LinkSpeed=3\n\
    \n\
    SwitchName=s2 Nodes=\"a, b[1-2]\" LinkSpeed=9 # leaf\r\n\
    SwitchName=s3 Switches=s[0-1] LinkSpeed=5\n\
    SwitchName=top Switches=s3,s2\n";

fn read(text: &str) -> Result<Network, FileError> {
    let port = |rate| Port::new(BitsPerSecond(rate), Bytes(7));
    parse("f", text, port(80_000_000), port(16_000_000))
}

#[test]
fn a_file_is_read_in_full() {
    let tree = read(FILE).unwrap();
    let hosts = tree.all_hosts().map(|host| tree.vertex_name(host));
    let hosts: Vec<&str> = hosts.collect();
    let ends = tree.hosts_named("dev07,b2").unwrap();
    let way = way(&tree, ends[0].0, ends[1].0);
    insta::assert_snapshot!(format!("{}\n{way}", hosts.join(" ")));
}

/// Lines before one that describes switch s0 with node a.
const FAULTS: [&str; 25] = [
    "include x.conf",
    "  nodes",
    "SwitchName=s0 = 4",
    "SwitchName+=s0",
    "SwitchName=",
    "SwitchName=s0 Nodes=\"a",
    "BlockName=b0 Nodes=a",
    "SwitchName=s0 Nodes=a nodes=b",
    "Nodes=a",
    "SwitchName=s[0-1] Nodes=a",
    "SwitchName=\"s 0\" Nodes=a",
    "SwitchName=s0",
    "SwitchName=s0 Nodes=a Switches=b",
    "SwitchName=s0 Nodes=a LinkSpeed=0",
    "SwitchName=s0 \\\n  Nodes=a,n[3-1]",
    "SwitchName=é0 Nodes=a;",
    "SwitchName=s0 Nodes=n[0-2000000]",
    "SwitchName=s1 Nodes=n[0-999999]\nSwitchName=s2 Nodes=x[0-99999]",
    "SwitchName=s1 Nodes=x,b,x",
    "SwitchName=s0 Nodes=b",
    "SwitchName=s1 Nodes=b,a",
    "SwitchName=t Switches=s[0-1]",
    "SwitchName=t Switches=s0,s0",
    "SwitchName=t Switches=u,s0\nSwitchName=u Switches=t",
    "SwitchName=s1 Nodes=b",
];

#[test]
fn each_fault_has_its_place_and_remedy() {
    let among_others = FAULTS.map(|fault| format!("{fault}\nSwitchName=s0 Nodes=a\n"));
    let alone = ["", "# only\n"].map(str::to_owned);
    let told = alone.into_iter().chain(among_others).map(|text| {
        let message = read(&text).unwrap_err().to_string();
        assert_is_good(&message);
        format!("{text:?}\n  {message}\n")
    });
    insta::assert_snapshot!(told.collect::<String>());
}

/// One line: file, line, column, problem, remedy.
fn assert_is_good(message: &str) {
    assert_eq!(message.lines().count(), 1, "{message}");
    let mut parts = message.splitn(4, ':').skip(1);
    let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    let place: [u64; 2] = [number(), number()];
    assert!(place.iter().all(|&part| part > 0), "{message}");
    assert!(message.contains("; "), "{message}");
}

proptest! {
    /// Whatever is done to a file, and whatever else is given, is read or refused with a place.
    #[test]
    fn damage_never_panics(
        drop in 0usize..9,
        flips in prop::collection::vec((0usize..300, any::<u8>()), 0..6),
        nonsense in "[SwitchNamesodeLnkp=\\[\\]0-9,\\\\#\" \n-]{0,60}",
    ) {
        let lines = FILE.lines().enumerate().filter(|&(number, _)| number != drop);
        let kept: Vec<&str> = lines.map(|(_, line)| line).collect();
        let mut bytes = kept.join("\n").into_bytes();
        for (at, byte) in flips {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        for text in [&nonsense, &*String::from_utf8_lossy(&bytes)] {
            if let Err(error) = read(text) {
                assert_is_good(&error.to_string());
            }
        }
    }
}
