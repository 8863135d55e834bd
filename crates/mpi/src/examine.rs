//! `netsig-rank examine`: what each rank finds on its host, and which pairs of hosts exchange no messages,
//! written by rank 0.
//!
//! # Method
//! 1. Each rank sends its findings (`examine/findings.rs`) to rank 0, which answers and writes them.
//! 2. In round d each rank i sends to rank i + d and receives from rank i − d (`examine/round.rs`). All
//!    distances up to 64 ranks, only powers of two for more. Rank 0 begins the rounds and collects the results.
//!
//! # Choices
//! No collective operation is used: it would hang on a pair that exchanges no messages, and name no host.
//! A message that does not arrive in half of the time-out is given up, so that the watchdogs, which are for
//! ranks that hang, stay quiet. After [`ENOUGH`] silent pairs no round begins.

mod findings;
mod round;

use std::iter::successors;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};

use crate::batch::Tools;
use crate::discover::probe::{process, wait_for};
use crate::report::Report;
use findings::Findings;
use round::Rounds;

/// Examine the hosts of the ranks and the connections between them.
#[derive(clap::Args)]
pub struct Args {
    /// The report that rank 0 writes.
    #[arg(short, long)]
    output: PathBuf,
    /// Seconds without a step after which a rank reports that it hangs.
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    timeout: u32,
}

/// Tags of the first messages, of orders and of their results.
const GREETING: mpi::Tag = 0x6578;
const ORDER: mpi::Tag = 0x6579;
const RESULT: mpi::Tag = 0x657a;

/// The order that ends the work.
const DISMISSED: u32 = 0;

/// The most ranks of which all pairs exchange messages.
const MOST: u32 = 64;

/// Number of silent pairs after which no round begins.
const ENOUGH: usize = 4;

/// Activities of the watchdog.
const MEETING: &str = "the first message to rank 0";
const EXCHANGE: &str = "the exchange of messages between all hosts";

/// Runs on all ranks.
///
/// # Errors
/// If the launcher does not belong to the MPI, or the report cannot be written.
pub fn run(args: &Args, world: &SimpleCommunicator) -> Result<()> {
    let started = Instant::now();
    let ranks = crate::available(world)?;
    let tools = crate::tools(world, args.timeout)?;
    let limit = Duration::from_secs(u64::from(args.timeout.max(1))) / 2;
    let rounds = Rounds::new(world, limit);
    let mine = Findings::gather(&tools.watch);
    if world.rank() != 0 {
        follow(world, &tools, (ranks, &rounds), &mine);
        return Ok(());
    }
    let mut report = Report::create(&args.output)?;
    report.toml(&format!("started = {ranks}\n"))?;
    let all = meet(world, &tools, ranks, mine);
    report.hosts(&all.iter().map(Findings::host).collect::<Vec<_>>())?;
    report.toml(&all.iter().map(Findings::to_toml).collect::<String>())?;
    let connections = lead(world, &tools, (ranks, &rounds));
    report.toml(&connections.to_toml())?;
    report.end(started.elapsed())
}

/// Receives the findings of all ranks, and answers each.
fn meet(world: &SimpleCommunicator, tools: &Tools, ranks: u32, mine: Findings) -> Vec<Findings> {
    let mut found = vec![(0, mine)];
    let mut left: Vec<u32> = (1..ranks).collect();
    while !left.is_empty() {
        tools
            .dog
            .enter(MEETING.to_owned(), &[&[0], &left[..]].concat());
        let has_sent = |rank: &&u32| {
            let source = process(world, **rank);
            source.immediate_probe_with_tag(GREETING).is_some()
        };
        let rank = loop {
            if let Some(rank) = left.iter().find(has_sent) {
                break *rank;
            }
            std::thread::sleep(round::NAP);
        };
        let other = process(world, rank);
        let (message, _) = other.receive_vec_with_tag::<u8>(GREETING);
        other.send_with_tag(&[0u8; 0][..], GREETING);
        found.push((rank, Findings::of_message(&message)));
        left.retain(|waiting| *waiting != rank);
    }
    tools.dog.rest();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, findings)| findings).collect()
}

/// What the exchange of messages found.
#[derive(Default)]
struct Connections {
    /// Number of exchanges, each of a short and a long message.
    exchanges: u32,
    /// Pairs of a sender and a receiver to whom its messages did not come.
    silent: Vec<[u32; 2]>,
    /// The pair whose messages took longest, in seconds.
    slowest: Option<([u32; 2], f64)>,
}

/// Rank 0 begins the rounds, and takes part in them.
fn lead(world: &SimpleCommunicator, tools: &Tools, (ranks, rounds): (u32, &Rounds)) -> Connections {
    let all: Vec<u32> = (0..ranks).collect();
    let mut found = Connections::default();
    for distance in distances(ranks) {
        tools.dog.enter(EXCHANGE.to_owned(), &all);
        tools.step();
        all[1..]
            .iter()
            .for_each(|rank| process(world, *rank).send_with_tag(&distance, ORDER));
        found.learn([rounds.sender(0, distance), 0], rounds.run(distance));
        for &rank in &all[1..] {
            let other = process(world, rank);
            wait_for(&other, RESULT);
            let (time, _) = other.receive_with_tag::<f64>(RESULT);
            found.learn([rounds.sender(rank, distance), rank], time);
        }
        if found.silent.len() >= ENOUGH {
            break;
        }
    }
    tools.dog.rest();
    all[1..]
        .iter()
        .for_each(|rank| process(world, *rank).send_with_tag(&DISMISSED, ORDER));
    found
}

/// The distances between ranks that exchange messages.
fn distances(ranks: u32) -> Vec<u32> {
    let doubled = successors(Some(1u32), |distance| distance.checked_mul(2));
    if ranks > MOST {
        doubled.take_while(|distance| *distance < ranks).collect()
    } else {
        (1..ranks).collect()
    }
}

/// The other ranks take part in the rounds that rank 0 begins.
fn follow(
    world: &SimpleCommunicator,
    tools: &Tools,
    (ranks, rounds): (u32, &Rounds),
    mine: &Findings,
) {
    let leader = world.process_at_rank(0);
    let rank = crate::group::rank(world).0;
    tools.dog.enter(MEETING.to_owned(), &[0, rank]);
    tools.step();
    leader.send_with_tag(&mine.to_message()[..], GREETING);
    wait_for(&leader, GREETING);
    leader.receive_vec_with_tag::<u8>(GREETING);
    tools.dog.rest();
    let all: Vec<u32> = (0..ranks).collect();
    loop {
        wait_for(&leader, ORDER);
        let (distance, _) = leader.receive_with_tag::<u32>(ORDER);
        if distance == DISMISSED {
            return;
        }
        tools.dog.enter(EXCHANGE.to_owned(), &all);
        tools.step();
        leader.send_with_tag(&rounds.run(distance), RESULT);
    }
}

impl Connections {
    /// Adds a pair, with the time of its messages, which is infinite if they did not arrive.
    fn learn(&mut self, pair: [u32; 2], time: f64) {
        self.exchanges += 1;
        if time.is_infinite() {
            self.silent.push(pair);
        } else if self.slowest.is_none_or(|(_, longest)| time > longest) {
            self.slowest = Some((pair, time));
        }
    }

    /// The table of the report.
    fn to_toml(&self) -> String {
        let slowest = self.slowest.map_or(String::new(), |(pair, time)| {
            format!("slowest = {pair:?}\nslowest_s = {time:e}\n")
        });
        let (exchanges, silent) = (self.exchanges, &self.silent);
        format!("[connections]\nexchanges = {exchanges}\nsilent = {silent:?}\n{slowest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranks_meet_all_others_and_many_some() {
        assert_eq!(distances(1), []);
        assert_eq!(distances(4), [1, 2, 3]);
        assert_eq!(distances(64).len(), 63);
        assert_eq!(distances(100), [1, 2, 4, 8, 16, 32, 64]);
    }
}
