//! GOAL against its grammar, against what was put into a text, and against damage.

use std::fmt::Write;

use itertools::Itertools as _;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::units::{Bytes, Rank};

mod faults;

/// As `LogGOPSim`'s own examples are written, and with all that its grammar allows.
const EXAMPLE: &str = "/* two\nlines */ num_ranks 3 // three\r\n
rank 1 { l1: recv 1b from 0 tag 0\r
\tl2 :send18446744073709551615b to2 cpu 255\n\nl2 requires l1\n  l2 irequires l1  \n}
rank 0{
l1: send 1 b to 1 tag 4294967294 cpu 1 nic 2
send 0b to 0 tag -1 nic 3
calc 7
x_9: calc8 cpu2
//x_9: calc 9
x_9irequires: calc 1
}rank 2 {recv 5b from -1 tag 4294967295\n} // the end";

fn parse(text: &str) -> Result<Goal, String> {
    Goal::parse("f.goal", text).map_err(|error| error.to_string())
}

fn written(goal: &Goal) -> String {
    let mut text = Vec::new();
    goal.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn all_that_the_grammar_allows_is_read() {
    let goal = parse(EXAMPLE).unwrap();
    insta::assert_snapshot!(written(&goal));
}

/// The lines of one rank: operations with a processor, of which every other one has a label, and
/// what waits for what, the later first.
type Content = (Vec<(Action, u8)>, Vec<(usize, &'static str, usize)>);

fn contents() -> impl Strategy<Value = Vec<Content>> {
    let number = || prop_oneof![0..9_u64, any::<u64>()];
    let tag = || proptest::option::of(0..u32::MAX);
    let action = prop_oneof![
        (0..4_u32, number(), tag()).prop_map(|(to, size, tag)| Action::Send {
            to: Rank(to),
            size: Bytes(size),
            tag,
        }),
        (proptest::option::of(0..4_u32), number(), tag()).prop_map(|(from, size, tag)| {
            Action::Receive {
                from: from.map(Rank),
                size: Bytes(size),
                tag,
            }
        }),
        number().prop_map(|nanoseconds| Action::Calculate { nanoseconds }),
    ];
    let actions = vec((action, any::<u8>()), 3..12);
    let waits = vec(any::<(Index, Index, bool)>(), 0..20);
    let content = (actions, waits).prop_map(|(actions, waits)| {
        let labelled = actions.len().div_ceil(2);
        let waits = waits.into_iter().map(|(a, b, is_end)| {
            let after = 1 + a.index(labelled - 1);
            let keyword = if is_end { "requires" } else { "irequires" };
            (2 * after, keyword, 2 * b.index(after))
        });
        // In the order in which they are written: by what is waited for.
        let waits = waits.sorted_by_key(|&(_, keyword, before)| (before, keyword != "requires"));
        (actions, waits.collect())
    });
    vec(content, 4)
}

/// The text that netsig writes of this, with blanks where it has them.
fn text_of(contents: &[Content], blank: &str) -> String {
    let mut text = format!("num_ranks {}\n", contents.len());
    for (rank, (actions, waits)) in contents.iter().enumerate() {
        writeln!(text, "\nrank{blank}{rank}{blank}{{").unwrap();
        for (index, (action, cpu)) in actions.iter().enumerate() {
            if index % 2 == 0 {
                write!(text, "n{index}:{blank}").unwrap();
            }
            let any = |value: Option<u32>| value.map_or(-1, i64::from);
            match *action {
                Action::Calculate { nanoseconds } => write!(text, "calc{blank}{nanoseconds}"),
                Action::Send { to, size, tag } => {
                    write!(text, "send {}b{blank}to {to} tag {}", size.0, any(tag))
                }
                Action::Receive { from, size, tag } => {
                    let from = any(from.map(|rank| rank.0));
                    write!(text, "recv{blank}{}b from {from} tag {}", size.0, any(tag))
                }
            }
            .unwrap();
            let cpu = if *cpu > 0 {
                format!("{blank}cpu {cpu}")
            } else {
                String::new()
            };
            writeln!(text, "{cpu}").unwrap();
        }
        for (after, keyword, before) in waits {
            writeln!(text, "n{after} {keyword}{blank}n{before}").unwrap();
        }
        text.push_str("}\n");
    }
    text
}

/// Something of a text in the place of something else of it.
type Damage = [Index; 4];

fn damaged(text: &str, [from, length, copied, copy_length]: &Damage) -> String {
    let signs: Vec<char> = text.chars().collect();
    let part = |from: &Index, length: &Index| {
        let from = from.index(signs.len() + 1);
        from..from + length.index(signs.len() - from + 1).min(30)
    };
    let copy = signs[part(copied, copy_length)].to_vec();
    let mut signs = signs.clone();
    signs.splice(part(from, length), copy);
    signs.into_iter().collect()
}

/// Reads a text: either a fault of one line with its place, or what writes and reads alike.
fn check(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(goal) => prop_assert_eq!(parse(&written(&goal)), Ok(goal)),
        Err(error) => {
            prop_assert_eq!(error.lines().count(), 1);
            let mut parts = error.splitn(4, ':').skip(1);
            let mut number = || parts.next().and_then(|part| part.parse().ok());
            let (line, column): (Option<usize>, Option<usize>) = (number(), number());
            let lines = 1 + text.matches('\n').count();
            prop_assert!((1..=lines).contains(&line.unwrap_or(0)), "{}", error);
            prop_assert!(column.unwrap_or(0) > 0, "{}", error);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_put_into_a_text_is_read_from_it(contents in contents(), blank in "[ \t]{1,2}") {
        let goal = parse(&text_of(&contents, &blank)).unwrap();
        prop_assert_eq!(written(&goal), text_of(&contents, " "));
    }

    #[test]
    fn damage_is_a_fault_or_another_program(
        contents in contents(),
        damages in vec(any::<Damage>(), 1..4),
    ) {
        let example = damages.iter().fold(EXAMPLE.to_owned(), |text, one| damaged(&text, one));
        check(&example)?;
        let text = text_of(&contents, " ");
        check(&damages.iter().fold(text, |text, one| damaged(&text, one)))?;
    }

    #[test]
    fn any_text_is_a_fault_or_a_program(text in "(num_ranks 1\nrank 0 \\{\n)?(\\PC|[ \n\r\t}:/*])*") {
        check(&text)?;
    }
}
