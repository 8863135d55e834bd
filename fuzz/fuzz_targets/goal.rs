//! Any text is a fault, or a program that reads back as it was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netsig_sim::goal::Goal;

fuzz_target!(|text: &str| {
    let Ok(goal) = Goal::parse("f.goal", text) else {
        return;
    };
    let mut bytes = Vec::new();
    goal.write(&mut bytes).expect("a vector takes all");
    let goal_text = str::from_utf8(&bytes).expect("GOAL is text");
    assert_eq!(Goal::parse("f.goal", goal_text), Ok(goal));
});
