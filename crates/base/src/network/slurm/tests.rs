//! Files as Slurm reads them, every fault with its place, and damage of all kinds.

use proptest::prelude::*;

use super::*;
use crate::network::NetworkShape;
use crate::network::tests::route_text;
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
    let port = |rate| LinkSpec::new(BitsPerSecond(rate), Bytes(7));
    parse("f", text, port(80_000_000), port(16_000_000))
}

#[test]
fn a_file_is_read_in_full() {
    let tree = read(FILE).unwrap();
    let names = tree.all_hosts().map(|host| tree.vertex_name(host));
    let hosts: Vec<&str> = names.collect();
    let ends = tree.hosts_listed("dev07,b2").unwrap();
    let way = route_text(&tree, ends[0].0, ends[1].0);
    insta::assert_snapshot!(format!("{}\n{way}", hosts.join(" ")));
}

/// Each switch with its nodes, and the links between switches, by name.
fn description(text: &str) -> String {
    let network = read(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let NetworkShape::Switches { switches, trunks } = &network.shape else {
        panic!("switches")
    };
    let name = |index: usize| switches[index].name.as_str();
    let switches_with_hosts = switches.iter().filter(|switch| !switch.hosts.is_empty());
    let nodes = switches_with_hosts.map(|switch| format!("{}: {}", switch.name, switch.hosts.join(" ")));
    let links = trunks.iter().map(|trunk| trunk.ends.map(name).join(" < "));
    nodes.chain(links).collect::<Vec<_>>().join(", ")
}

/// Output of `scontrol show topology`, below a prompt.
const PRINTED: &str = "[u@login ~]$ scontrol show topology\n\
    SwitchName=s0 Level=0 LinkSpeed=1 Nodes=a[1-2]\n\
    SwitchName=s1 Level=0 LinkSpeed=1 Nodes=r[0-1]n[0-1].lan,b.lan\n\
    SwitchName=s2 Level=0 LinkSpeed=1 Nodes=(null)\n\
    SwitchName=top Level=1 LinkSpeed=1 Nodes=a[1-2],b.lan,r[0-1]n[0-1].lan Switches=s[0-2]\n";

const PRINTED_BLOCKS: &str = "BlockName=b1 BlockIndex=0 Nodes=10.0.0.1,10.0.0.2 BlockSize=2\n\
    BlockName=b2 BlockIndex=1 Nodes=10.0.0.3 BlockSize=2\n\
    BlockName=b3 BlockIndex=2 BlockSize=2\n\
    AggregatedBlock=b[1-2] BlockIndex=3 Nodes=10.0.0.[1-3] BlockSize=4\n";

const BLOCKS: &str = "# two\nBlockName=spine Nodes=g[01-02]\nblockname=b2 nodes=g03\nBlockSizes=2,4\n";

/// A default among others, with comments, quotes and a document's begin.
const YAML: &str = "---\n# all\n- topology: old\n  cluster_default: false\n  flat: true\n\
    - topology: trees\n  cluster_default: true\n  tree:\n    switches:\n\
    \x20     - switch: top\n        children: s[0-1]\n\
    \x20     - switch: s0\n        nodes: \"a[1-2]\"\n\
    \x20     - switch: s1\n        nodes: b.lan, 17 # one\n\
    - topology: later\n  cluster_default: true\n  block:\n    block_sizes: [2]\n    blocks: []\n";

const YAML_BLOCKS: &str = "- topology: x\n  block:\n    block_sizes:\n      - 4\n      - 8\n\
    \x20   blocks:\n    - block: b1\n      nodes: g[1-2]\n    - block: b2\n      nodes: g3\n";

#[test]
fn every_form_of_slurm_is_read() {
    let tree = "s0: a1 a2, s1: r0n0.lan r0n1.lan r1n0.lan r1n1.lan b.lan, s0 < top, s1 < top, s2 < top";
    assert_eq!(description(PRINTED), tree);
    assert_eq!(description(&PRINTED.replace('\n', "\r\n")), tree);
    let blocks = "b1: 10.0.0.1 10.0.0.2, b2: 10.0.0.3, b1 < spine, b2 < spine, b3 < spine";
    assert_eq!(description(PRINTED_BLOCKS), blocks);
    assert_eq!(
        description(BLOCKS),
        "spine: g01 g02, b2: g03, spine < spine_, b2 < spine_"
    );
    assert_eq!(description("BlockName=b Nodes=g[1-2]\nBlockSizes=2"), "b: g1 g2");
    assert_eq!(description(YAML), "s0: a1 a2, s1: b.lan 17, s0 < top, s1 < top");
    assert_eq!(description(YAML_BLOCKS), "b1: g1 g2, b2: g3, b1 < spine, b2 < spine");
}

/// A terminal of any width wraps lines within words; a copy may lose the blanks at the ends of lines.
#[test]
fn wrapped_lines_are_joined() {
    let expected = description(PRINTED);
    for width in 12..120 {
        let wrapped = |line: &str| {
            let chunks = line.as_bytes().chunks(width);
            let parts = chunks.map(|part| std::str::from_utf8(part).unwrap());
            parts.collect::<Vec<_>>().join("\n")
        };
        let lines: Vec<String> = PRINTED.lines().skip(1).map(wrapped).collect();
        assert_eq!(description(&lines.join("\n")), expected, "{width}");
    }
    let with_wrapped_nodes = PRINTED.replace(" Nodes", "\nNodes");
    let trimmed = with_wrapped_nodes
        .replace(" Switches", " \n  Switches")
        .replace(",b", ",\n   b");
    assert_eq!(description(&trimmed), expected);
}

/// Each switch prints all nodes below it, so that each node is printed at each of its levels.
#[test]
fn nodes_count_once_however_deep_the_tree() {
    let text = "SwitchName=l0 Level=0 Nodes=n[0-149999]\n\
        SwitchName=l1 Level=0 Nodes=n[150000-299999]\n\
        SwitchName=m0 Level=1 Nodes=n[0-149999] Switches=l0\n\
        SwitchName=m1 Level=1 Nodes=n[150000-299999] Switches=l1\n\
        SwitchName=top Level=2 Nodes=n[0-299999] Switches=m[0-1]\n\
        SwitchName=root Level=3 Nodes=n[0-299999] Switches=top\n";
    assert_eq!(read(text).unwrap().hosts().get(), 300_000);
}

/// A backslash continues a line in every form, whatever the next line begins with.
#[test]
fn continued_lines_are_joined_in_every_form() {
    let expected = description(PRINTED);
    let spellings = [
        (" Nodes", " \\\nNodes"),
        (" Nodes", "\\\n\\\n Nodes"),
        (" Switches", "\\\n  \\\n\t Switches"),
        ("a[1-2]", "a[1-\\\n2]"),
        ("a[1-2]", "a[1-\\\n   \n2]"),
        (",b", ",\\\nb"),
        ("Nodes=", "\nNodes=\\\n"),
    ];
    for (from, to) in spellings {
        let text = PRINTED.replace(from, to);
        assert_eq!(description(&text), expected, "{text}");
    }
}

/// Lines before one that describes switch s0 with node a.
const FAULTS: [&str; 28] = [
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
    "SwitchName=s1 Level=0 Nodes=b[1-2\n]:;",
    "SwitchName=s1 Level=0 Nodes=b, \\\n  \n;",
    "SwitchName=t Level=1 Nodes=a,c Switches=s0",
];

/// Files that are faulty as a whole.
const FILES: [&str; 12] = [
    "",
    "# only\n",
    "- topology: x\n  flat: true\n",
    "- topology: x\n",
    "- topology: x\n  tree:\n    switches: []\n",
    "- topology: x\n  tree:\n    switches:\n    - switch: a\n      nodes: n[1-\n",
    "- topology: x\n  tree:\n    switches:\n    - switch: a\n      node: n\n",
    "- topology: x\n  tree:\n    switches:\n    - switch: a\n      children: b\n",
    "- topology: x\n  flat: true\n- topology: y\n  flat: true\n",
    "- topology: x\n  tree: [\n",
    "--- {}\n",
    "BlockSizes=2\n",
];

#[test]
fn each_fault_has_its_place_and_remedy() {
    let among_others = FAULTS.map(|fault| format!("{fault}\nSwitchName=s0 Nodes=a\n"));
    let alone = FILES.map(str::to_owned);
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

/// The message that refuses a text, unless the text has no hosts: this fault is nowhere in it.
fn refusal_with_place(text: &str) -> Option<String> {
    let message = read(text).err()?.to_string();
    (message != "f: a network without hosts; give at least one").then_some(message)
}

proptest! {
    /// A damaged file, or any other text, is read or refused with a place.
    #[test]
    fn damage_never_panics(
        drop in 0usize..9,
        flips in prop::collection::vec((0usize..300, any::<u8>()), 0..6),
        nonsense in "[SwitchNamesodeLnkp=\\[\\]0-9,\\\\#\" \n-]{0,60}",
    ) {
        let lines = FILE.lines().enumerate().filter(|&(number, _)| number != drop);
        let kept: Vec<&str> = lines.map(|(_, line)| line).collect();
        let mut texts = vec![nonsense];
        for form in [&*kept.join("\n"), PRINTED, BLOCKS, PRINTED_BLOCKS, YAML, YAML_BLOCKS] {
            let mut bytes = form.as_bytes().to_vec();
            for &(at, byte) in &flips {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        for text in texts {
            if let Some(message) = refusal_with_place(&text) {
                assert_is_good(&message);
            }
        }
    }

    /// Lines that are continued, wrapped, blank or cut anywhere are read, or refused at a place in the file.
    #[test]
    fn odd_lines_never_panic(pieces in prop::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        if let Some(message) = refusal_with_place(&text) {
            assert_is_good(&message);
            assert_is_within(&message, &text);
        }
    }
}

/// Parts of lines, with both forms of line ends.
const PIECES: [&str; 20] = [
    "SwitchName=s0",
    "SwitchName=s1 Level=1",
    "BlockName=b BlockIndex=0",
    " Level=0",
    " Nodes=a,",
    "Nodes=n[0-",
    " Switches=s0",
    "1]",
    "b, ",
    "=",
    "\"",
    "é",
    "$",
    "# x",
    "  ",
    "\t",
    "\\\n",
    " \\\r\n",
    "\n",
    "\r\n",
];

/// The place of the fault is a place of the file, or the one behind a line's last character.
fn assert_is_within(message: &str, text: &str) {
    let mut parts = message.split(':').skip(1);
    let mut number = || parts.next().unwrap().parse::<usize>().unwrap();
    let [line, column] = [number(), number()];
    let lines: Vec<&str> = text.lines().collect();
    let length = lines.get(line - 1).map_or(0, |line| line.chars().count());
    assert!(line <= lines.len().max(1), "{message}\n{text}");
    assert!(column <= length + 1, "{message}\n{text}");
}
