//! `netsig-rank examine`: rank 0 writes the findings of each rank on its host, and the pairs of hosts that exchange no
//! messages.
//!
//! # Method
//! 1. Each rank sends its findings (`examine/findings.rs`) to rank 0, which answers and writes them.
//! 2. Rank 0 orders exchanges of messages between pairs of ranks (`examine/exchange.rs`), one pair after the other. Up
//!    to 64 ranks it takes all pairs, of more ranks the pairs whose numbers differ by a power of two.
//!
//! # Choices
//! An MPI library may end the job when it cannot connect two hosts, and need not name them. Rank 0 therefore writes
//! each pair before its exchange, and the time of its messages afterwards. For the same reason there is no collective
//! operation. A message that does not arrive in half of the time-out is given up, so that the watchdogs, which are for
//! ranks that hang, stay quiet. After [`MOST_SILENT_PAIRS`] silent pairs no further pair exchanges messages.

mod exchange;
mod findings;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};

use crate::batch::RankTools;
use crate::discover::probe::{process, wait_for};
use crate::report::RankReport;
use exchange::{POLL_INTERVAL, RankExchanges};
use findings::RankFindings;

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

/// The order that ends the work; any other order is the number of a partner.
const DISMISSED: u32 = u32::MAX;

/// Most ranks at which all pairs exchange messages.
const MOST_RANKS_ALL_PAIRS: u32 = 64;

/// Number of silent pairs after which no further one exchanges messages.
const MOST_SILENT_PAIRS: usize = 4;

/// Activity of the watchdogs until all findings have arrived.
const FIRST_MESSAGE: &str = "the first message to rank 0";

/// Runs on all ranks.
///
/// # Errors
/// If the launcher does not belong to the MPI, or the report cannot be written.
pub fn run(args: &Args, world: &SimpleCommunicator) -> Result<()> {
    let started = Instant::now();
    let ranks = crate::available(world)?;
    let tools = crate::tools(world, args.timeout)?;
    let limit = Duration::from_secs(u64::from(args.timeout.max(1))) / 2;
    let exchanges = RankExchanges::new(world, tools.watch, limit);
    let mine = RankFindings::gather(&tools.watch);
    if world.rank() != 0 {
        follow_orders(world, &tools, &exchanges, &mine);
        return Ok(());
    }
    let mut report = RankReport::create(&args.output)?;
    report.add_toml(&format!("started = {ranks}\n"))?;
    let all = receive_findings(world, &tools, ranks, mine);
    let hosts: Vec<&str> = all.iter().map(RankFindings::host).collect();
    report.add_hosts(&hosts)?;
    report.add_toml(&all.iter().map(RankFindings::to_toml).collect::<String>())?;
    let leader = ExaminationLeader {
        world,
        tools: &tools,
        exchanges,
        hosts,
    };
    leader.pairs(&mut report)?;
    report.add_end(started.elapsed())
}

/// Receives the findings of all ranks, and answers each.
fn receive_findings(
    world: &SimpleCommunicator,
    tools: &RankTools,
    ranks: u32,
    mine: RankFindings,
) -> Vec<RankFindings> {
    let mut found = vec![(0, mine)];
    let mut left: Vec<u32> = (1..ranks).collect();
    while !left.is_empty() {
        tools
            .watchdog
            .enter(FIRST_MESSAGE.to_owned(), &[&[0], &left[..]].concat());
        tools.announce_step();
        let has_sent = |rank: &&u32| {
            let source = process(world, **rank);
            source.immediate_probe_with_tag(GREETING).is_some()
        };
        let rank = loop {
            if let Some(rank) = left.iter().find(has_sent) {
                break *rank;
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let other = process(world, rank);
        let (message, _) = other.receive_vec_with_tag::<u8>(GREETING);
        other.send_with_tag(&[0u8; 0][..], GREETING);
        found.push((rank, RankFindings::of_message(&message)));
        left.retain(|waiting| *waiting != rank);
    }
    tools.watchdog.leave_activity();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, findings)| findings).collect()
}

/// Orders exchanges between pairs of ranks; used on rank 0.
struct ExaminationLeader<'a> {
    world: &'a SimpleCommunicator,
    tools: &'a RankTools,
    exchanges: RankExchanges<'a>,
    /// The host of each rank.
    hosts: Vec<&'a str>,
}

impl ExaminationLeader<'_> {
    /// Orders the exchange of each pair, writes its times, and dismisses the other ranks at the end.
    fn pairs(&self, report: &mut RankReport) -> Result<()> {
        let ranks = u32::try_from(self.hosts.len())?;
        let mut silent = 0;
        for pair in pairs(ranks) {
            report.add_toml(&format!("[[pair]]\nranks = {pair:?}\n"))?;
            let [first, second] = self.exchange(pair);
            report.add_toml(&format!("arrived_s = [{first:e}, {second:e}]\n"))?;
            silent += usize::from(first.is_infinite() || second.is_infinite());
            if silent >= MOST_SILENT_PAIRS {
                break;
            }
        }
        self.tools.watchdog.leave_activity();
        (1..ranks).for_each(|rank| process(self.world, rank).send_with_tag(&DISMISSED, ORDER));
        Ok(())
    }

    /// Orders the exchange of a pair; returns for each rank of it the seconds until the messages of the other rank
    /// arrived.
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
            self.tools.watchdog.enter(activity.clone(), &[0, rank]);
            self.tools.announce_step();
            if rank == 0 {
                return self.exchanges.exchange_with(partner);
            }
            let source = process(self.world, rank);
            wait_for(&source, RESULT);
            source.receive_with_tag::<f64>(RESULT).0
        })
    }
}

/// The pairs of ranks that exchange messages.
fn pairs(ranks: u32) -> impl Iterator<Item = [u32; 2]> {
    let apart = move |distance: &u32| ranks <= MOST_RANKS_ALL_PAIRS || distance.is_power_of_two();
    let of_distance = move |distance| (distance..ranks).map(move |rank| [rank - distance, rank]);
    (1..ranks).filter(apart).flat_map(of_distance)
}

/// Takes part in the exchanges that rank 0 orders; used on the other ranks.
fn follow_orders(world: &SimpleCommunicator, tools: &RankTools, exchanges: &RankExchanges, mine: &RankFindings) {
    let leader = world.process_at_rank(0);
    let rank = crate::group::rank(world).0;
    tools.watchdog.enter(FIRST_MESSAGE.to_owned(), &[0, rank]);
    tools.announce_step();
    leader.send_with_tag(&mine.to_message()[..], GREETING);
    wait_for(&leader, GREETING);
    leader.receive_vec_with_tag::<u8>(GREETING);
    tools.watchdog.leave_activity();
    loop {
        wait_for(&leader, ORDER);
        let (partner, _) = leader.receive_with_tag::<u32>(ORDER);
        if partner == DISMISSED {
            return;
        }
        let activity = format!("an exchange of messages with rank {partner}");
        tools.watchdog.enter(activity, &[rank.min(partner), rank.max(partner)]);
        tools.announce_step();
        leader.send_with_tag(&exchanges.exchange_with(partner), RESULT);
        tools.watchdog.leave_activity();
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
