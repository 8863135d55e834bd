//! Oracles: times by hand, the same algorithms as rounds, and programs that stand still run
//! without time.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{ALGORITHMS, Algorithm};
use netsig_base::units::Bytes;
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::engine::run_with;
use crate::goal::write_algorithm;
use crate::network::endpoint::{Endpoint, Ports};
use crate::rounds::Rounds;
use crate::testing::{Recorder, goal_text, loggp, on_ports};
use crate::testing::{affine, procs, sent_bytes};
use crate::{Outcome, Stuck, run};

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

/// As rounds and as a program in GOAL alike. A program that ends has all of its messages. Two runs
/// do the same in the same order, and the same messages arrive where every sender asks first.
#[test]
fn every_message_of_every_algorithm_is_delivered() {
    let networks = [
        Ports::PLogP(affine()),
        loggp([5e3, 2e3, 1e3], 1.0),
        loggp([1000.0, 0.0, 70.0], 2.0),
        loggp([0.0; 3], 0.0),
    ];
    for (entry, ports) in ALGORITHMS.iter().cartesian_product(networks) {
        let example = entry.example();
        let algorithm = Algorithm::parse(entry.collective, &example).unwrap();
        let sizes = [0, 1, 20_000].into_iter().cycle();
        for (count, size) in (1..14).zip(sizes) {
            let schedule = algorithm.schedule(procs(count), Bytes(size));
            let once = || {
                let mut log = Recorder::default();
                let outcome = on_ports(algorithm, (count, size), &ports, &mut log);
                (outcome, log)
            };
            let (outcome, log) = once();
            let bytes: u64 = sent_bytes(algorithm, procs(count), Bytes(size)).iter().sum();
            assert_eq!(outcome.bytes, bytes, "{example} among {count}");
            assert_eq!(log.received.len() as u64, outcome.messages, "{example}");
            assert_eq!(log.sent.len(), log.received.len(), "{example}");
            let mut network = Endpoint::new(ports.clone(), procs(count));
            let mut program = Rounds::new(algorithm.schedule(procs(count), Bytes(size)));
            let asking = run_with(Some(Bytes(0)), &mut program, &mut network, &mut ()).unwrap();
            assert_eq!((asking.messages, asking.bytes), (outcome.messages, bytes));
            let mut text = Vec::new();
            write_algorithm(&schedule, &mut text).unwrap();
            let read = run_text(str::from_utf8(&text).unwrap(), ports.clone());
            assert_eq!(read.as_ref(), Ok(&outcome), "{example}, {count}, {size}, {ports:?}");
            assert_eq!(once(), (outcome, log));
        }
    }
}

/// Rank 1 calculates while the message of 1 byte is under way until o + L = 1100, and then takes
/// it with o, from whichever processor is free. An empty link of a chain takes no time. What waits
/// for the start of a send comes behind its o; what is free as well does, too.
#[test]
fn calculations_take_their_processor_and_follow_what_they_wait_for() {
    let (send, receive) = ("send 1b to 1", "recv 1b from 0");
    let chain = "a: calc 5\nb: calc 0\nc: calc 7\nb requires a\nc requires b";
    for (zero, one, expected) in [
        (chain, "", 12),
        ("calc 5\ncalc 7", "", 12),
        ("calc 5 cpu 1\ncalc 7 cpu 2\ncalc 3", "", 7),
        (send, "r: recv 1b from 0\nc: calc 300\nc irequires r", 1200),
        (send, "r: recv 1b from 0\nc: calc 1150\nc irequires r", 1250),
        (send, "r: recv 1b from 0\nc: calc 1150 cpu 1\nc irequires r", 1200),
        (send, "r: recv 1b from 0\nc: calc 300\nc requires r", 1500),
        ("s: send 1b to 1\nc: calc 2000\nc irequires s", receive, 2100),
        ("s: send 1b to 1\nc: calc 2000", receive, 2100),
    ] {
        assert_eq!(end(&goal_text(&[zero, one])), expected, "{zero}\n{one}");
    }
}

/// Two receives of rank 0, for a message of rank 2 that is in at 100 + 1000 + 100 and for one
/// of rank 1 with tag 7 that comes 500 later.
fn two_receives(first: &str, second: &str) -> String {
    let zero = format!("a: recv 1b from {first}\nb: recv 1b from {second}\nc: calc 9\nc requires a");
    let one = "w: calc 500\ns: send 1b to 0 tag 7\ns requires w";
    goal_text(&[&zero, one, "send 1b to 0 tag -1"])
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
    let ring = [(4, 1), (0, 2), (1, 3), (2, 4), (3, 0)]
        .map(|(from, to)| format!("a: recv 8b from {from}\nb: send 8b to {to}\nb requires a"));
    let wildcards = "l1: recv 8b from -1 tag -1\nl2: calc 0\nl3: send 8b to 0 tag 4\n\
        l2 requires l1\nl3 irequires l2\nrecv 8b from 0 tag 9";
    let receives = "a: recv 8b from 1 tag 3\nb: recv 8b from 1 tag 3";
    let told = [
        ("ring of 5", goal_text(&ring)),
        ("wildcards, irequires, no name", goal_text(&[wildcards])),
        ("other tags", two_receives("-1 tag 7", "2 tag 5")),
        ("one receive too many", goal_text(&[receives, "send 8b to 0 tag 3"])),
        ("a send too many", goal_text(&["send 8b to 1 tag 3", ""])),
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

/// Sender, receiver and tag.
type Channel = (u32, u32, u32);

/// An end of a message: whether it is sent, its channel, and which earlier lines it waits for.
type Line = (bool, Channel, Vec<bool>);

const RANKS: u32 = 3;

/// Messages whose ends come in any order, and now and then one without a partner. Each receive
/// waits for the one before of its channel: else, which of them takes a message is a matter of
/// time.
fn any_program() -> impl Strategy<Value = Vec<Vec<Line>>> {
    let end = || (0..RANKS, any::<Index>(), vec(weighted(0.3), 24));
    vec((end(), end(), 0..2u32, 0..16u32), 0..12).prop_map(|messages| {
        let mut ranks = vec![Vec::<Line>::new(); RANKS as usize];
        for (send, receive, tag, lost) in messages {
            let channel = (send.0, receive.0, tag);
            for (number, (rank, at, waits)) in [(0, send), (1, receive)] {
                let lines = &mut ranks[rank as usize];
                if lost != number {
                    lines.insert(at.index(lines.len() + 1), (number == 0, channel, waits));
                }
            }
        }
        for lines in &mut ranks {
            let mut last = BTreeMap::new();
            for (index, line) in lines.iter_mut().enumerate().filter(|line| !line.1.0) {
                if let Some(before) = last.insert(line.1, index) {
                    line.2[before] = true;
                }
            }
        }
        ranks
    })
}

fn text_of(ranks: &[Vec<Line>]) -> String {
    let line = |(index, (is_send, (from, to, tag), waits)): (usize, &Line)| {
        let kind = usize::from(*is_send);
        let what = ["recv 1b from", "send 1b to"][kind];
        let peer = [from, to][kind];
        let waits = (0..index).filter(|before| waits[*before]);
        let waits = waits.map(|before| format!("\nl{index} requires l{before}"));
        format!("l{index}: {what} {peer} tag {tag}{}", waits.format(""))
    };
    let ranks = ranks.iter().map(|lines| lines.iter().enumerate().map(line).join("\n"));
    goal_text(&ranks.collect::<Vec<_>>())
}

/// Runs without time, as far as it goes: whether all is done.
fn ends(ranks: &[Vec<Line>]) -> bool {
    let mut done: Vec<Vec<bool>> = ranks.iter().map(|lines| vec![false; lines.len()]).collect();
    let mut messages: BTreeMap<Channel, u32> = BTreeMap::new();
    loop {
        let before = done.clone();
        for (own, lines) in done.iter_mut().zip(ranks) {
            for (index, (is_send, channel, waits)) in lines.iter().enumerate() {
                let is_free = (0..index).all(|earlier| own[earlier] || !waits[earlier]);
                let waiting = messages.entry(*channel).or_default();
                if !own[index] && is_free && (*is_send || *waiting > 0) {
                    *waiting = if *is_send { *waiting + 1 } else { *waiting - 1 };
                    own[index] = true;
                }
            }
        }
        if done == before {
            return done.into_iter().flatten().all(|one| one);
        }
    }
}

proptest! {
    #[test]
    fn a_standstill_is_explained(ranks in any_program()) {
        let mut balance: BTreeMap<Channel, i64> = BTreeMap::new();
        for (is_send, channel, _) in ranks.iter().flatten() {
            *balance.entry(*channel).or_default() += if *is_send { 1 } else { -1 };
        }
        let (lacks, excess): (Vec<i64>, _) = balance.into_values().partition(|count| *count < 0);
        let counts = [-lacks.iter().sum::<i64>(), excess.iter().sum()];
        let found = run_text(&text_of(&ranks), ports());
        prop_assert_eq!(found.is_ok(), ends(&ranks) && counts[1] == 0);
        let Err(Stuck(rest)) = found else { return Ok(()) };
        let told = [&rest.receives, &rest.sends].map(|them| i64::try_from(them.len()).unwrap());
        prop_assert_eq!(told, counts);
        prop_assert!(rest.cycle.len() + rest.receives.len() + rest.sends.len() > 0);
        let number = |line: &str, word| line.split(word).nth(1).unwrap().chars().next();
        for (line, next) in rest.cycle.iter().zip(rest.cycle.iter().cycle().skip(1)) {
            prop_assert_eq!(number(line, "for rank "), number(next, "rank "));
        }
    }
}
