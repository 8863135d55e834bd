//! Oracles: times computed by hand, the same algorithms as rounds, and deadlocked programs executed without time.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{ALGORITHMS, Algorithm};
use netsig_base::units::{Bytes, SecondsPerByte};
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::engine::run_with;
use crate::goal::write_algorithm;
use crate::network::endpoint::{Endpoint, PortParameters};
use crate::rounds::ScheduleProgram;
use crate::testing::{ActivityRecorder, goal_text, loggp, on_ports};
use crate::testing::{affine, procs, sent_bytes};
use crate::{SimOutcome, StuckProgram, run};

fn parse(text: &str) -> Goal {
    Goal::parse("f.goal", text).unwrap()
}

fn run_text(text: &str, ports: PortParameters) -> Result<SimOutcome, StuckProgram> {
    let goal = parse(text);
    let mut goals = GoalRun::new(&goal).unwrap();
    let mut network = Endpoint::new(ports, goals.procs());
    run(&mut goals, &mut network, &mut ())
}

/// L = 1000, o = 100, g = 50 (ns) and G = 2 ns a byte.
fn ports() -> PortParameters {
    loggp([1000.0, 100.0, 50.0], 2.0)
}

/// Time at which all ranks have ended, in nanoseconds.
fn end(text: &str) -> u64 {
    run_text(text, ports()).unwrap().time.0 / 1000
}

/// Algorithms deliver the same messages as rounds and as GOAL programs. A program that ends has received all of its
/// messages. Two runs act in the same order, and rendezvous messages arrive like eager ones.
#[test]
fn every_message_of_every_algorithm_is_delivered() {
    let networks = [
        PortParameters::PLogP(affine()),
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
                let mut log = ActivityRecorder::default();
                let outcome = on_ports(algorithm, count, size, &ports, &mut log);
                (outcome, log)
            };
            let (outcome, log) = once();
            let bytes: u64 = sent_bytes(algorithm, procs(count), Bytes(size)).iter().sum();
            assert_eq!(outcome.bytes, bytes, "{example} among {count}");
            assert_eq!(log.received.len() as u64, outcome.messages, "{example}");
            assert_eq!(log.sent.len(), log.received.len(), "{example}");
            let mut network = Endpoint::new(ports.clone(), procs(count));
            let mut program = ScheduleProgram::new(algorithm.schedule(procs(count), Bytes(size)));
            let asking = run_with(Some(Bytes(0)), &mut program, &mut network, &mut ()).unwrap();
            assert_eq!((asking.messages, asking.bytes), (outcome.messages, bytes));
            let mut text = Vec::new();
            write_algorithm(&schedule, SecondsPerByte(0.0), &mut text).unwrap();
            let read = run_text(str::from_utf8(&text).unwrap(), ports.clone());
            assert_eq!(read.as_ref(), Ok(&outcome), "{example}, {count}, {size}, {ports:?}");
            assert_eq!(once(), (outcome, log));
        }
    }
}

/// Combinations take as long in a program as in rounds, and follow the same messages.
#[test]
fn combinations_are_calculations() {
    let operation_time = SecondsPerByte(2e-9);
    let reductions = ALGORITHMS.iter().filter(|entry| entry.collective.is_reduction());
    let networks = [PortParameters::PLogP(affine()), ports()];
    for ((entry, count), ports) in reductions.cartesian_product(1..10).cartesian_product(networks) {
        let algorithm = Algorithm::parse(entry.collective, &entry.example()).unwrap();
        let schedule = algorithm.schedule(procs(count), Bytes(5040));
        let mut text = Vec::new();
        write_algorithm(&schedule, operation_time, &mut text).unwrap();
        let read = run_text(str::from_utf8(&text).unwrap(), ports.clone()).unwrap();
        let mut program = ScheduleProgram::new(schedule).with_operation_time(operation_time);
        let outcome = run(&mut program, &mut Endpoint::new(ports, procs(count)), &mut ()).unwrap();
        assert_eq!(read, outcome, "{algorithm} among {count}");
    }
}

/// The message of 1 byte arrives at o + L = 1100, while rank 1 calculates; the receive then takes o, when its
/// processor is free. A calculation of no time takes no time in a chain. A calculation that waits for the start of a
/// send begins after its o, as does a calculation without dependencies.
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

/// Two receives of rank 0. The message of rank 2 is received at 100 + 1000 + 100, the message of rank 1 with tag 7
/// comes 500 later.
fn two_receives(first: &str, second: &str) -> String {
    let zero = format!("a: recv 1b from {first}\nb: recv 1b from {second}\nc: calc 9\nc requires a");
    let one = "w: calc 500\ns: send 1b to 0 tag 7\ns requires w";
    goal_text(&[&zero, one, "send 1b to 0 tag -1"])
}

/// A wildcard must not take the message of the exact receive.
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

/// Cycles of ranks, and messages and receives without a partner.
#[test]
fn a_deadlock_names_what_waits() {
    let ring = [(4, 1), (0, 2), (1, 3), (2, 4), (3, 0)]
        .map(|(from, to)| format!("a: recv 8b from {from}\nb: send 8b to {to}\nb requires a"));
    let wildcards = "l1: recv 8b from -1 tag -1\nl2: calc 0\nl3: send 8b to 0 tag 4\n\
        l2 requires l1\nl3 irequires l2\nrecv 8b from 0 tag 9";
    let receives = "a: recv 8b from 1 tag 3\nb: recv 8b from 1 tag 3";
    let reports = [
        ("ring of 5", goal_text(&ring)),
        ("wildcards, irequires, no name", goal_text(&[wildcards])),
        ("other tags", two_receives("-1 tag 7", "2 tag 5")),
        ("one receive too many", goal_text(&[receives, "send 8b to 0 tag 3"])),
        ("a send too many", goal_text(&["send 8b to 1 tag 3", ""])),
    ]
    .map(|(name, text)| format!("{name}: {:#?}\n", run_text(&text, ports()).unwrap_err().0));
    insta::assert_snapshot!(reports.concat());
}

#[test]
fn another_interface_is_refused() {
    let goal = parse("num_ranks 1\nrank 0 {\nl1: send 8b to 0 nic 2\nrecv 8b from 0\n}");
    let expected = "rank 0: \"l1\" (send 8b to 0 tag 0) takes network interface 2, \
                    but each rank has one; remove nic 2";
    assert_eq!(GoalRun::new(&goal).unwrap_err().to_string(), expected);
}

/// Sender, receiver and tag.
type GoalChannel = (u32, u32, u32);

/// An end of a message: true for the send, the channel, and for each earlier line whether this end waits for it.
type GoalMessageEnd = (bool, GoalChannel, Vec<bool>);

const RANKS: u32 = 3;

/// Messages whose ends come in any order, some without a partner. Each receive waits for the previous receive of its
/// channel; otherwise times would decide which of them takes a message.
fn any_program() -> impl Strategy<Value = Vec<Vec<GoalMessageEnd>>> {
    let end = || (0..RANKS, any::<Index>(), vec(weighted(0.3), 24));
    vec((end(), end(), 0..2u32, 0..16u32), 0..12).prop_map(|messages| {
        let mut ranks = vec![Vec::<GoalMessageEnd>::new(); RANKS as usize];
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

fn text_of(ranks: &[Vec<GoalMessageEnd>]) -> String {
    let line = |(index, (is_send, (from, to, tag), waits)): (usize, &GoalMessageEnd)| {
        let kind = usize::from(*is_send);
        let what = ["recv 1b from", "send 1b to"][kind];
        let peer = [from, to][kind];
        let waited_for = (0..index).filter(|before| waits[*before]);
        let requirements = waited_for.map(|before| format!("\nl{index} requires l{before}"));
        format!("l{index}: {what} {peer} tag {tag}{}", requirements.format(""))
    };
    let blocks = ranks.iter().map(|lines| lines.iter().enumerate().map(line).join("\n"));
    goal_text(&blocks.collect::<Vec<_>>())
}

/// Executes the lines without time as far as possible; true if all are done.
fn ends(ranks: &[Vec<GoalMessageEnd>]) -> bool {
    let mut done: Vec<Vec<bool>> = ranks.iter().map(|lines| vec![false; lines.len()]).collect();
    let mut messages: BTreeMap<GoalChannel, u32> = BTreeMap::new();
    loop {
        let before = done.clone();
        for (is_done, lines) in done.iter_mut().zip(ranks) {
            for (index, (is_send, channel, waits)) in lines.iter().enumerate() {
                let is_free = (0..index).all(|earlier| is_done[earlier] || !waits[earlier]);
                let waiting = messages.entry(*channel).or_default();
                if !is_done[index] && is_free && (*is_send || *waiting > 0) {
                    *waiting = if *is_send { *waiting + 1 } else { *waiting - 1 };
                    is_done[index] = true;
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
    fn a_deadlock_is_explained(ranks in any_program()) {
        let mut balance: BTreeMap<GoalChannel, i64> = BTreeMap::new();
        for (is_send, channel, _) in ranks.iter().flatten() {
            *balance.entry(*channel).or_default() += if *is_send { 1 } else { -1 };
        }
        let (lacks, excess): (Vec<i64>, _) = balance.into_values().partition(|count| *count < 0);
        let counts = [-lacks.iter().sum::<i64>(), excess.iter().sum()];
        let found = run_text(&text_of(&ranks), ports());
        prop_assert_eq!(found.is_ok(), ends(&ranks) && counts[1] == 0);
        let Err(StuckProgram(rest)) = found else { return Ok(()) };
        let reported = [&rest.receives, &rest.sends].map(|them| i64::try_from(them.len()).unwrap());
        prop_assert_eq!(reported, counts);
        prop_assert!(rest.cycle.len() + rest.receives.len() + rest.sends.len() > 0);
        let number = |line: &str, word| line.split(word).nth(1).unwrap().chars().next();
        for (line, next) in rest.cycle.iter().zip(rest.cycle.iter().cycle().skip(1)) {
            prop_assert_eq!(number(line, "for rank "), number(next, "rank "));
        }
    }
}
