//! Every fault of a text: where it is said to be, and what to do.

use super::*;

/// Whole texts, and what is wrong with them.
const OF_FILES: [(&str, &str); 15] = [
    (
        "",
        "1:1: the number of ranks is missing; begin with num_ranks N",
    ),
    (
        "rank 0 {\n}\n",
        "1:1: the number of ranks is missing; begin with num_ranks N",
    ),
    (
        "num_ranks 0\n",
        "2:1: there are no ranks; give num_ranks 1 or more",
    ),
    (
        "num_ranks -2\n",
        "1:11: -2 is negative; correct the number of ranks",
    ),
    (
        "num_ranks two",
        "1:11: found \"two\"; write the number of ranks",
    ),
    (
        "num_ranks 2\nrank 0 {\n}\n",
        "4:1: rank 1 has no block; add rank 1 { }",
    ),
    (
        "num_ranks 4000000000",
        "1:21: rank 0 has no block; add rank 0 { }",
    ),
    (
        "num_ranks 2\nrank 2 {\n}\n",
        "2:6: rank 2 is not among 2; correct it or num_ranks",
    ),
    (
        "num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
        "4:1: rank 0 has a second block; join it with the first",
    ),
    (
        "num_ranks 1\nrank 0\n{\n}\n",
        "2:7: found the end of the line; write {",
    ),
    (
        "num_ranks 1\nrank 0 {\ncalc 1\n",
        "2:1: the block of rank 0 is not closed; end it with }",
    ),
    (
        "num_ranks 2\nrank 0 {\nrank 1 {\n}\n",
        "3:1: the block of rank 0 is not closed; end it with }",
    ),
    (
        "num_ranks 1\ncalc 1\n",
        "2:1: \"calc\" is not in the block of a rank; write rank N { and the operations behind it",
    ),
    (
        "num_ranks 1\nrank 0 {\n}\n}\n",
        "4:1: found \"}\"; write rank N { and the operations behind it",
    ),
    (
        "num_ranks 1 /* x",
        "1:13: the comment is not closed; end it with */",
    ),
];

/// What the block of rank 3 of 4 holds from line 3 on, and what is wrong with it.
const OF_STATEMENTS: [(&str, &str); 24] = [
    ("send 8 to 1", "3:8: found \"to\"; write b"),
    ("send 8b from 1", "3:9: found \"from\"; write to"),
    (
        "send 8b to 5",
        "3:12: rank 5 is not among 4; correct it or num_ranks",
    ),
    ("send 8b to -1", "3:12: -1 is negative; correct the rank"),
    (
        "send 8b to 1 -1",
        "3:14: found \"-1\"; write tag, cpu and nic in this order, or the end of the line",
    ),
    ("recv 8b from -2", "3:14: -2 is negative; correct the rank"),
    (
        "recv 8b from -11",
        "3:14: -11 is negative; correct the rank",
    ),
    (
        "recv -8b from 1",
        "3:6: -8 is negative; correct the number of bytes",
    ),
    (
        "recv 18446744073709551616b from 1",
        "3:6: 18446744073709551616 is too large; correct the number of bytes",
    ),
    (
        "recv 8b from 1 tag 4294967296",
        "3:20: 4294967296 is too large; correct the tag",
    ),
    (
        "recv 8b from 1 cpu 256",
        "3:20: 256 is too large; correct the cpu",
    ),
    (
        "recv 8b from 1 nic 1 cpu 1",
        "3:22: found \"cpu\"; write tag, cpu and nic in this order, or the end of the line",
    ),
    (
        "calc 5 nic 1",
        "3:8: found \"nic\"; write cpu or the end of the line",
    ),
    (
        "calc 5 }",
        "3:8: found \"}\"; write cpu or the end of the line",
    ),
    (
        "calc",
        "3:5: found the end of the line; write the time in nanoseconds",
    ),
    (
        "é: calc 1",
        "3:1: found \"é:\"; write send, recv, calc, a label or }",
    ),
    (
        "l1 calc 1",
        "3:4: found \"calc\"; write a colon, requires or irequires behind a label",
    ),
    (
        "l1: wait 1",
        "3:5: found \"wait\"; write send, recv or calc",
    ),
    (
        "l1: calc 1\nl1: calc 2",
        "4:1: label \"l1\" is defined twice in rank 3; rename one",
    ),
    (
        "l1: calc 1\n l1 requires l9",
        "4:14: label \"l9\" is not defined before in rank 3; define it or correct the name",
    ),
    (
        "l9 requires l1",
        "3:1: label \"l9\" is not defined before in rank 3; define it or correct the name",
    ),
    (
        "l1: calc 1\nl1 requires",
        "4:12: found the end of the line; write the label of the required operation",
    ),
    (
        "l1: calc 1\nl1 irequires l1",
        "2:1: rank 3 never ends: l1 waits for l1; remove one of these dependencies",
    ),
    (
        "a: calc 1\nb: calc 1\nc: calc 1\nd: calc 1\nb requires c\nc irequires b\nd requires b",
        "2:1: rank 3 never ends: b waits for c waits for b; remove one of these dependencies",
    ),
];

#[test]
fn every_fault_has_its_place_and_its_remedy() {
    let files = OF_FILES.map(|(text, fault)| (text.to_owned(), fault));
    let statements = OF_STATEMENTS.map(|(body, fault)| (in_a_block(body), fault));
    for (text, fault) in files.into_iter().chain(statements) {
        assert_eq!(parse(&text), Err(format!("f.goal:{fault}")), "{text}");
    }
}

#[test]
fn a_fault_of_much_is_told_in_short() {
    let mut ring = String::new();
    (0..20).for_each(|i| writeln!(ring, "l{i}: calc 1").unwrap());
    (0..20).for_each(|i| writeln!(ring, "l{i} requires l{}", (i + 1) % 20).unwrap());
    for body in [ring, format!("calc {}", "9".repeat(1000)), "é".repeat(1000)] {
        let error = parse(&in_a_block(&body)).unwrap_err();
        assert!(error.len() < 200 && error.contains('…'), "{error}");
    }
}

fn in_a_block(body: &str) -> String {
    format!("num_ranks 4\nrank 3 {{\n{body}\n}}\n")
}
