//! GOAL against its grammar, generated texts and damaged texts.

use std::fmt::Write;

use itertools::Itertools as _;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

mod faults;

/// Written like `LogGOPSim`'s own examples, with all that its grammar allows.
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

/// An operation as netsig writes it.
const OPERATION: &str = "((send (0|[1-9][0-9]{0,18})b to [0-3]|\
    recv (0|[1-9][0-9]{0,18})b from (-1|[0-3])) tag (-1|0|[1-9][0-9]{0,8})\
    ( cpu [1-9][0-9]?)?( nic [1-9])?|calc (0|[1-9][0-9]{0,18})( cpu [1-9][0-9]?)?)\n";

/// A text as netsig writes it. Every other operation of a rank has a label, and later operations wait for earlier
/// ones, in the order of the earlier ones.
fn any_text() -> impl Strategy<Value = String> {
    let waits = vec(any::<(Index, Index, bool)>(), 0..20);
    let rank = (vec(OPERATION, 3..12), waits).prop_map(|(operations, waits)| {
        let labelled = operations.len().div_ceil(2);
        let dependencies = waits.into_iter().map(|(after, before, is_start)| {
            let after = 1 + after.index(labelled - 1);
            (2 * before.index(after), is_start, 2 * after)
        });
        let label = |index| {
            if index % 2 == 0 {
                format!("n{index}: ")
            } else {
                String::new()
            }
        };
        let numbered_operations = operations.iter().enumerate();
        let lines = numbered_operations.map(|(index, line)| label(index) + line);
        let sorted_dependencies = dependencies.sorted_by_key(|&(before, is_start, _)| (before, is_start));
        let dependency_lines = sorted_dependencies.map(|(before, is_start, after)| {
            let keyword = if is_start { "irequires" } else { "requires" };
            format!("n{after} {keyword} n{before}\n")
        });
        lines.chain(dependency_lines).collect::<String>()
    });
    vec(rank, 4).prop_map(|ranks| {
        let numbered_ranks = ranks.iter().enumerate();
        let blocks = numbered_ranks.map(|(rank, lines)| format!("\nrank {rank} {{\n{lines}}}\n"));
        format!("num_ranks 4\n{}", blocks.collect::<String>())
    })
}

/// A part of a text (start and length), and another part that replaces it.
type GoalDamage = [Index; 4];

fn damaged(text: &str, [from, length, copied, copy_length]: &GoalDamage) -> String {
    let characters: Vec<char> = text.chars().collect();
    let part = |from: &Index, length: &Index| {
        let from = from.index(characters.len() + 1);
        from..from + length.index(characters.len() - from + 1).min(30)
    };
    let copy = characters[part(copied, copy_length)].to_vec();
    let mut damaged_characters = characters.clone();
    damaged_characters.splice(part(from, length), copy);
    damaged_characters.into_iter().collect()
}

/// Parses a text: it has a fault, told in one line with its place, or writing and parsing it again gives the same
/// program.
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
    fn what_is_read_from_a_text_is_written(text in any_text(), blank in "[ \t]{1,2}") {
        let goal = parse(&text.replace(' ', &blank)).unwrap();
        prop_assert_eq!(written(&goal), text);
    }

    #[test]
    fn damage_is_a_fault_or_another_program(
        text in any_text(),
        damages in vec(any::<GoalDamage>(), 1..4),
    ) {
        let example = damages.iter().fold(EXAMPLE.to_owned(), |text, one| damaged(&text, one));
        check(&example)?;
        check(&damages.iter().fold(text, |text, one| damaged(&text, one)))?;
    }

    #[test]
    fn any_text_is_a_fault_or_a_program(text in "(num_ranks 1\nrank 0 \\{\n)?(\\PC|[ \n\r\t}:/*])*") {
        check(&text)?;
    }
}
