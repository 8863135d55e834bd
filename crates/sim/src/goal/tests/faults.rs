//! Every fault of a text, with its reported place and remedy.

use super::*;

const FILES: [&str; 11] = [
    "rank 0 {\n}\n",
    "num_ranks 0\n",
    "num_ranks two",
    "num_ranks 4000000000",
    "num_ranks 2\nrank 2 {\n}\n",
    "num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
    "num_ranks 1\nrank 0\n{\n}\n",
    "num_ranks 2\nrank 0 {\nrank 1 {\n}\n",
    "num_ranks 1\ncalc 1\n",
    "num_ranks 1\nrank 0 {\n}\n}\n",
    "num_ranks 1 /* x",
];

/// Contents of the block of rank 3 of 4, from line 3 on.
const STATEMENTS: [&str; 17] = [
    "send 8 to 1",
    "send 8b to 5",
    "send 8b to -1",
    "send 8b to 1 -1",
    "recv -8b from 1",
    "recv 18446744073709551616b from 1",
    "recv 8b from 1 tag 4294967296",
    "recv 8b from 1 cpu 256",
    "recv 8b from 1 nic 1 cpu 1",
    "calc",
    "é: calc 1",
    "l1 calc 1",
    "l1: wait 1",
    "l1: calc 1\nl1: calc 2",
    "l1: calc 1\n l1 requires l9",
    "l1: calc 1\nl1 requires",
    "a: calc 1\nb: calc 1\nc: calc 1\nd: calc 1\nb requires c\nc irequires b\nd requires b",
];

#[test]
fn every_fault_has_its_place_and_its_remedy() {
    let statements = STATEMENTS.map(|body| (body, in_a_block(body)));
    let files = FILES.map(|text| (text, text.to_owned()));
    let reports = files.into_iter().chain(statements).map(|(given, text)| {
        let fault = parse(&text).unwrap_err();
        format!("{given:?}\n  {fault}\n")
    });
    insta::assert_snapshot!(reports.collect::<String>());
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
