//! `netsig-rank examine`: what each rank finds on its host, and which pairs of hosts exchange no messages,
//! written by rank 0.
//!
//! # Method
//! 1. Each rank sends its findings (`examine/findings.rs`) to rank 0, which answers and writes them.
//! 2. Rank 0 has pairs of ranks exchange messages (`examine/exchange.rs`), one pair after the other: all
//!    pairs of up to 64 ranks, of more those whose numbers differ by a power of two.
//!
//! # Choices
//! An MPI library may end the job when it cannot connect two hosts, and need not name them. Rank 0 therefore
//! writes each pair before its exchange, and the time of its messages afterwards. For the same reason there
//! is no collective operation. A message that does not arrive in half of the time-out is given up, so that
//! the watchdogs, which are for ranks that hang, stay quiet. After [`ENOUGH`] silent pairs there is no further
//! one.

mod exchange;
mod findings;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};

use crate::batch::Tools;
use crate::discover::probe::{process, wait_for};
use crate::report::Report;
use exchange::{Exchanges, NAP};
use findings::Findings;

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

/// The order that ends the work; other orders are the number of the other rank of a pair.
const DISMISSED: u32 = u32::MAX;

/// The most ranks of which all pairs exchange messages.
const MOST: u32 = 64;

/// Number of silent pairs after which no further one exchanges messages.
const ENOUGH: usize = 4;

/// Activity of the watchdogs until all findings have arrived.
const MEETING: &str = "the first message to rank 0";

/// Runs on all ranks.
///
/// # Errors
/// If the launcher does not belong to the MPI, or the report cannot be written.
pub fn run(args: &Args, world: &SimpleCommunicator) -> Result<()> {
    let started = Instant::now();
    let ranks = crate::available(world)?;
    let tools = crate::tools(world, args.timeout)?;
    let limit = Duration::from_secs(u64::from(args.timeout.max(1))) / 2;
    let exchanges = Exchanges::new(world, tools.watch, limit);
    let mine = Findings::gather(&tools.watch);
    if world.rank() != 0 {
        follow(world, &tools, &exchanges, &mine);
        return Ok(());
    }
    let mut report = Report::create(&args.output)?;
    report.toml(&format!("started = {ranks}\n"))?;
    let all = meet(world, &tools, ranks, mine);
    let hosts: Vec<&str> = all.iter().map(Findings::host).collect();
    report.hosts(&hosts)?;
    report.toml(&all.iter().map(Findings::to_toml).collect::<String>())?;
    let leader = Leader {
        world,
        tools: &tools,
        exchanges,
        hosts,
    };
    leader.pairs(&mut report)?;
    report.end(started.elapsed())
}

/// Receives the findings of all ranks, and answers each.
fn meet(world: &SimpleCommunicator, tools: &Tools, ranks: u32, mine: Findings) -> Vec<Findings> {
    let mut found = vec![(0, mine)];
    let mut left: Vec<u32> = (1..ranks).collect();
    while !left.is_empty() {
        tools.dog.enter(MEETING.to_owned(), &[&[0], &left[..]].concat());
        tools.step();
        let has_sent = |rank: &&u32| {
            let source = process(world, **rank);
            source.immediate_probe_with_tag(GREETING).is_some()
        };
        let rank = loop {
            if let Some(rank) = left.iter().find(has_sent) {
                break *rank;
            }
            std::thread::sleep(NAP);
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

/// Rank 0's way to have pairs exchange messages.
struct Leader<'a> {
    world: &'a SimpleCommunicator,
    tools: &'a Tools,
    exchanges: Exchanges<'a>,
    /// The host of each rank.
    hosts: Vec<&'a str>,
}

impl Leader<'_> {
    /// Has the pairs exchange messages, writes their times, and dismisses the other ranks.
    fn pairs(&self, report: &mut Report) -> Result<()> {
        let ranks = u32::try_from(self.hosts.len())?;
        let mut silent = 0;
        for pair in pairs(ranks) {
            report.toml(&format!("[[pair]]\nranks = {pair:?}\n"))?;
            let [first, second] = self.exchange(pair);
            report.toml(&format!("arrived_s = [{first:e}, {second:e}]\n"))?;
            silent += usize::from(first.is_infinite() || second.is_infinite());
            if silent >= ENOUGH {
                break;
            }
        }
        self.tools.dog.rest();
        (1..ranks).for_each(|rank| process(self.world, rank).send_with_tag(&DISMISSED, ORDER));
        Ok(())
    }

    /// Has a pair exchange messages; returns the seconds until each of both had those of the other one.
    fn exchange(&self, pair: [u32; 2]) -> [f64; 2] {
        let [one, other] = pair;
        let [first, second] = pair.map(|rank| self.hosts[rank as usize]);
        let activity = format!("an exchange of messages between {first} and {second}");
        let orders = [(one, other), (other, one)];
        for (rank, partner) in orders.iter().filter(|(rank, _)| *rank != 0) {
            process(self.world, *rank).send_with_tag(partner, ORDER);
        }
        orders.map(|(rank, partner)| {
            // Ranks rest after their exchange.
            self.tools.dog.enter(activity.clone(), &[0, rank]);
            self.tools.step();
            if rank == 0 {
                return self.exchanges.with(partner);
            }
            let source = process(self.world, rank);
            wait_for(&source, RESULT);
            source.receive_with_tag::<f64>(RESULT).0
        })
    }
}

/// The pairs of ranks that exchange messages.
fn pairs(ranks: u32) -> impl Iterator<Item = [u32; 2]> {
    let apart = move |distance: &u32| ranks <= MOST || distance.is_power_of_two();
    let of_distance = move |distance| (distance..ranks).map(move |rank| [rank - distance, rank]);
    (1..ranks).filter(apart).flat_map(of_distance)
}

/// The other ranks take part in the exchanges that rank 0 orders.
fn follow(world: &SimpleCommunicator, tools: &Tools, exchanges: &Exchanges, mine: &Findings) {
    let leader = world.process_at_rank(0);
    let rank = crate::group::rank(world).0;
    tools.dog.enter(MEETING.to_owned(), &[0, rank]);
    tools.step();
    leader.send_with_tag(&mine.to_message()[..], GREETING);
    wait_for(&leader, GREETING);
    leader.receive_vec_with_tag::<u8>(GREETING);
    tools.dog.rest();
    loop {
        wait_for(&leader, ORDER);
        let (partner, _) = leader.receive_with_tag::<u32>(ORDER);
        if partner == DISMISSED {
            return;
        }
        let activity = format!("an exchange of messages with rank {partner}");
        tools.dog.enter(activity, &[rank.min(partner), rank.max(partner)]);
        tools.step();
        leader.send_with_tag(&exchanges.with(partner), RESULT);
        tools.dog.rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranks_meet_all_others_and_many_some() {
        let all: Vec<_> = pairs(4).collect();
        assert_eq!(all, [[0, 1], [1, 2], [2, 3], [0, 2], [1, 3], [0, 3]]);
        assert_eq!(pairs(64).count(), 64 * 63 / 2);
        assert_eq!(pairs(100).count(), 7 * 100 - 127);
    }
}
