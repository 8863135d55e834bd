//! Oracles: times by hand, the same algorithms as rounds, and programs that stand still run
//! without time.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::algorithm::{ALGORITHMS, Algorithm};
use crate::model::testing::affine;
use crate::sim::goal::write_algorithm;
use crate::sim::network::endpoint::{Endpoint, Ports};
use crate::sim::rounds::Rounds;
use crate::sim::testing::loggp;
use crate::sim::{Outcome, Stuck, run};
use crate::units::Bytes;

fn parse(text: &str) -> Goal {
    Goal::parse("f.goal", text).unwrap()
}

fn run_text(text: &str, ports: Ports) -> Result<Outcome, Stuck> {
    let goal = parse(text);
    let mut goals = Goals::new(&goal).unwrap();
    let mut network = Endpoint::new(ports, goals.procs());
    run(&mut goals, &mut network, &mut ())
}

/// L = 1000, o = 100, g = 50 (ns) and G = 2 ns a byte.
fn ports() -> Ports {
    loggp([1000.0, 100.0, 50.0], 2.0)
}

/// The end of all in nanoseconds.
fn end(text: &str) -> u64 {
    run_text(text, ports()).unwrap().time.0 / 1000
}

/// `LogGOPSim`'s example of a broadcast.
const BROADCAST: &str = "num_ranks 8
rank 0 {\nsend 101b to 4\nsend 101b to 2\nsend 101b to 1\n}
rank 1 {\nrecv 101b from 0\n}
rank 2 {\nr: recv 101b from 0\ns: send 101b to 3\ns requires r\n}
rank 3 {\nrecv 101b from 2\n}
rank 4 {\nr: recv 101b from 0\na: send 101b to 6\na requires r\nb: send 101b to 5\nb requires r\n}
rank 5 {\nrecv 101b from 4\n}
rank 6 {\nr: recv 101b from 4\ns: send 101b to 7\ns requires r\n}
rank 7 {\nrecv 101b from 6\n}";

#[test]
fn a_binomial_broadcast_takes_hops_and_intervals() {
    // A hop h is o + (m − 1)·G + L + o, and a rank's sends begin i = g + (m − 1)·G apart:
    // with L = 1000, o = 100, G = 2 and m = 101, h = 1400 and i = g + 200.
    for gap in [50, 1800] {
        let (h, i) = (1400, gap + 200);
        let ports = loggp([1000.0, 100.0, gap as f64], 2.0);
        let outcome = run_text(BROADCAST, ports).unwrap();
        let last = (3 * h).max(2 * i + h).max(i + 2 * h);
        assert_eq!(outcome.time, Time(1000 * last));
        assert_eq!((outcome.messages, outcome.bytes), (7, 707));
    }
}

#[test]
fn an_algorithm_takes_as_long_as_its_rounds() {
    let networks = [
        loggp([1000.0, 0.0, 70.0], 2.0),
        loggp([1000.0, 130.0, 70.0], 2.0),
        Ports::PLogP(affine()),
    ];
    for entry in ALGORITHMS {
        let example = entry.example();
        let algorithm = Algorithm::parse(entry.collective, &example).unwrap();
        for procs in (1..=9).map(|count| Procs::new(count).unwrap()) {
            for size in [0, 1, 1000].map(Bytes) {
                let mut text = Vec::new();
                write_algorithm(&algorithm.schedule(procs, size), &mut text).unwrap();
                let text = str::from_utf8(&text).unwrap();
                for ports in &networks {
                    let mut network = Endpoint::new(ports.clone(), procs);
                    let mut rounds = Rounds::new(algorithm.schedule(procs, size));
                    let expected = run(&mut rounds, &mut network, &mut ());
                    let found = run_text(text, ports.clone());
                    assert_eq!(found, expected, "{example}, {procs}, {size:?}, {ports:?}");
                }
            }
        }
    }
}

#[test]
fn calculations_take_their_processor_and_follow_what_they_wait_for() {
    // A chain on one processor, whose empty link takes no time.
    let alone = |lines: &str| end(&format!("num_ranks 1\nrank 0 {{\n{lines}\n}}"));
    let chain = "a: calc 5\nb: calc 0\nc: calc 7\nb requires a\nc requires b";
    assert_eq!(alone(chain), 12);
    // Independent ones share the processor, or not.
    assert_eq!(alone("calc 5\ncalc 7"), 12);
    assert_eq!(alone("calc 5 cpu 1\ncalc 7 cpu 2\ncalc 3"), 7);
    // Rank 1 calculates while the message of 1 byte is under way until o + L = 1100, and
    // then takes it with o, from whichever processor is free.
    let with = |waits: &str, calc: &str| {
        let text = format!(
            "num_ranks 2\nrank 0 {{\nsend 1b to 1\n}}\n\
             rank 1 {{\nr: recv 1b from 0\nc: calc {calc}\nc {waits} r\n}}"
        );
        end(&text)
    };
    assert_eq!(with("irequires", "300"), 1200);
    assert_eq!(with("irequires", "1150"), 1250);
    assert_eq!(with("irequires", "1150 cpu 1"), 1200);
    assert_eq!(with("requires", "300"), 1500);
    // A calculation that waits for the start of the send comes behind its o; one that is
    // free as well does, too.
    let send =
        "num_ranks 2\nrank 1 {\nrecv 1b from 0\n}\nrank 0 {\ns: send 1b to 1\nc: calc 2000\n";
    assert_eq!(end(&format!("{send}c irequires s\n}}")), 2100);
    assert_eq!(end(&format!("{send}}}")), 2100);
}

/// Two receives of rank 0, for a message of rank 2 that is in at 100 + 1000 + 100 and for one
/// of rank 1 with tag 7 that comes 500 later.
fn two_receives(first: &str, second: &str) -> String {
    format!(
        "num_ranks 3\nrank 0 {{\na: recv 1b from {first}\nb: recv 1b from {second}\n\
         c: calc 9\nc requires a\n}}\nrank 1 {{\nw: calc 500\ns: send 1b to 0 tag 7\n\
         s requires w\n}}\nrank 2 {{\nsend 1b to 0 tag -1\n}}"
    )
}

/// The exact receive must not go without.
#[test]
fn wildcards_take_what_comes() {
    for (first, second, expected) in [
        ("-1 tag -1", "1 tag 7", 1700),
        ("-1 tag 3", "-1 tag 7", 1700),
        ("1 tag -1", "2 tag 5", 1709),
    ] {
        assert_eq!(end(&two_receives(first, second)), expected, "{first}");
    }
}

/// Circles of ranks, and messages and receives without a partner.
#[test]
fn a_standstill_names_what_waits() {
    let ring = |count: u32| {
        let rank = |rank| {
            let (from, to) = ((rank + count - 1) % count, (rank + 1) % count);
            format!(
                "rank {rank} {{\nl1: recv 8b from {from}\nl2: send 8b to {to}\n\
                 l2 requires l1\n}}\n"
            )
        };
        format!(
            "num_ranks {count}\n{}",
            (0..count).map(rank).collect::<String>()
        )
    };
    let wildcards = "num_ranks 1\nrank 0 {\nl1: recv 8b from -1 tag -1\nl2: calc 0\n\
        l3: send 8b to 0 tag 4\nl2 requires l1\nl3 irequires l2\nrecv 8b from 0 tag 9\n}";
    let receive = "num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 3\nb: recv 8b from 1 tag 3\n}\n\
        rank 1 {\nsend 8b to 0 tag 3\n}";
    let send = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\n}";
    let told = [
        ("ring of 2", ring(2)),
        ("ring of 5", ring(5)),
        ("wildcards, irequires, no name", wildcards.to_owned()),
        ("other tags", two_receives("-1 tag 7", "2 tag 5")),
        ("one receive too many", receive.to_owned()),
        ("a send too many", send.to_owned()),
    ]
    .map(|(name, text)| format!("{name}: {:#?}\n", run_text(&text, ports()).unwrap_err().0));
    insta::assert_snapshot!(told.concat());
}

#[test]
fn another_interface_is_refused() {
    let goal = parse("num_ranks 1\nrank 0 {\nl1: send 8b to 0 nic 2\nrecv 8b from 0\n}");
    let expected = "rank 0: \"l1\" (send 8b to 0 tag 0) takes network interface 2, \
                    but each rank has one; remove nic 2";
    assert_eq!(Goals::new(&goal).unwrap_err().to_string(), expected);
}

/// A line of a rank, and which earlier ones of the rank it waits for.
type Line = (u32, u32, u32, Vec<bool>);

const RANKS: u32 = 3;

fn text_of(ranks: &[Vec<Line>]) -> String {
    let mut text = format!("num_ranks {RANKS}\n");
    for (rank, lines) in ranks.iter().enumerate() {
        writeln!(text, "rank {rank} {{").unwrap();
        for (index, (kind, peer, tag, waits)) in lines.iter().enumerate() {
            match kind {
                0 => writeln!(text, "l{index}: calc {tag}"),
                1 => writeln!(text, "l{index}: send 1b to {peer} tag {tag}"),
                _ => writeln!(text, "l{index}: recv 1b from {peer} tag {tag}"),
            }
            .unwrap();
            for (before, _) in waits.iter().enumerate().take(index).filter(|wait| *wait.1) {
                writeln!(text, "l{index} requires l{before}").unwrap();
            }
        }
        text.push_str("}\n");
    }
    text
}

/// The messages of each channel less its receives.
type Balance = BTreeMap<(u32, u32, u32), i64>;

/// Runs without time, as far as it goes: whether all is done, and what is left over then.
fn untimed(ranks: &[Vec<Line>]) -> (bool, Balance) {
    let mut done: Vec<Vec<bool>> = ranks.iter().map(|lines| vec![false; lines.len()]).collect();
    let mut balance = Balance::new();
    loop {
        let mut has_changed = false;
        for (rank, lines) in (0..).zip(ranks) {
            for (index, (kind, peer, tag, waits)) in lines.iter().enumerate() {
                let own = &mut done[rank as usize];
                let is_free = (0..index).all(|before| own[before] || !waits[before]);
                let channel = match kind {
                    1 => (rank, *peer, *tag),
                    _ => (*peer, rank, *tag),
                };
                let messages = balance.entry(channel).or_default();
                if own[index] || !is_free || (*kind == 2 && *messages == 0) {
                    continue;
                }
                *messages += [0, 1, -1][*kind as usize];
                (own[index], has_changed) = (true, true);
            }
        }
        if !has_changed {
            return (done.iter().flatten().all(|&one| one), balance);
        }
    }
}

/// All messages of each channel less all its receives.
fn balance(ranks: &[Vec<Line>]) -> Balance {
    let mut balance = Balance::new();
    for (rank, lines) in (0..).zip(ranks) {
        for (kind, peer, tag, _) in lines {
            match kind {
                1 => *balance.entry((rank, *peer, *tag)).or_default() += 1,
                2 => *balance.entry((*peer, rank, *tag)).or_default() -= 1,
                _ => {}
            }
        }
    }
    balance
}

fn lines() -> impl Strategy<Value = Vec<Vec<Line>>> {
    let waits = proptest::collection::vec(proptest::bool::weighted(0.3), 12);
    let line = (0..3_u32, 0..RANKS, 0..2_u32, waits);
    let ranks = proptest::collection::vec(line, 0..12);
    proptest::collection::vec(ranks, RANKS as usize)
}

/// Lets each receive wait for the one before of its channel: else, which of them takes a
/// message is a matter of time.
fn in_order(mut ranks: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
    for lines in &mut ranks {
        let mut last = BTreeMap::new();
        for (index, (_, peer, tag, waits)) in lines.iter_mut().enumerate().filter(|l| l.1.0 == 2) {
            if let Some(before) = last.insert((*peer, *tag), index) {
                waits[before] = true;
            }
        }
    }
    ranks
}

/// Adds what each channel lacks to be even, at the ends of the blocks.
fn even(mut ranks: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
    for ((from, to, tag), excess) in balance(&ranks) {
        for _ in 0..excess.abs() {
            let (rank, kind, peer) = match excess {
                1.. => (to, 2, from),
                _ => (from, 1, to),
            };
            let lines = &mut ranks[rank as usize];
            // Behind the last line, so that circles may come about.
            let behind = (0..lines.len()).map(|index| index + 1 == lines.len());
            let waits = behind.collect();
            lines.push((kind, peer, tag, waits));
        }
    }
    ranks
}

proptest! {
    #[test]
    fn a_standstill_is_explained(ranks in lines(), is_even in any::<bool>()) {
        let ranks = in_order(if is_even { even(ranks) } else { ranks });
        let (is_done, left) = untimed(&ranks);
        let found = run_text(&text_of(&ranks), ports());
        let is_done = is_done && left.values().all(|&count| count == 0);
        prop_assert_eq!(found.is_ok(), is_done);
        let Err(Stuck(rest)) = found else { return Ok(()) };
        let balance = balance(&ranks);
        let (lacks, excess): (Vec<i64>, _) = balance.values().partition(|&&count| count < 0);
        prop_assert_eq!(i64::try_from(rest.receives.len()), Ok(-lacks.iter().sum::<i64>()));
        prop_assert_eq!(i64::try_from(rest.sends.len()), Ok(excess.iter().sum::<i64>()));
        let all = rest.cycle.len() + rest.receives.len() + rest.sends.len();
        prop_assert!(all > 0);
        let number = |line: &str, word| line.split(word).nth(1).unwrap().chars().next();
        for (line, next) in rest.cycle.iter().zip(rest.cycle.iter().cycle().skip(1)) {
            prop_assert_eq!(number(line, "for rank "), number(next, "rank "));
        }
    }
}
