//! Placement of ranks on hosts.
//!
//! ```
//! # use netsig_base::network::Vertex;
//! # use netsig_base::network::placement::{PlacementOrder, place_ranks};
//! # use netsig_base::units::Procs;
//! let hosts = [10, 11, 12].map(Vertex);
//! let procs = Procs::new(5)?;
//! let block = place_ranks(PlacementOrder::Block, procs, &hosts, 2)?;
//! assert_eq!(block[2], Vertex(11));
//! let cyclic = place_ranks(PlacementOrder::Cyclic, procs, &hosts, 2)?;
//! assert_eq!(cyclic[2], Vertex(12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use super::{Network, Vertex};
use crate::text::file_error::FileError;
use crate::units::Procs;

/// Order in which ranks are assigned to hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementOrder {
    /// A host gets all its ranks before the next gets any.
    Block,
    /// Each host gets one rank in turn, then each a second one, and so on.
    Cyclic,
}

/// The ranks, ascending, that take part if `procs` of `all` ranks do. They are spread evenly, so that they load the
/// switches in the same proportions as the whole job, in which neighbouring ranks share a switch. Two processes are
/// ranks 0 and 1.
///
/// # Formula
/// Process i of n takes part on rank ⌊i·N/n⌋ of N.
pub fn spread_ranks(all: Procs, procs: Procs) -> Vec<u32> {
    let (all, wanted) = (u64::from(all.get()), u64::from(procs.get().min(all.get())));
    let rank = |place: u64| match wanted {
        ..=2 => place,
        _ => place * all / wanted,
    };
    let ranks = (0..wanted).map(rank);
    ranks
        .map(|rank| u32::try_from(rank).expect("less than `all`"))
        .collect()
}

/// Ranks that take part in a collective among some of the ranks of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParticipatingRanks {
    /// The ranks of [`spread_ranks`]: each has a host of its own.
    Spread,
    /// The first ranks: several share a host.
    First,
}

impl ParticipatingRanks {
    /// The ranks, ascending, that take part if `procs` of `all` ranks do.
    pub fn ranks(self, all: Procs, procs: Procs) -> Vec<u32> {
        match self {
            Self::Spread => spread_ranks(all, procs),
            Self::First => (0..procs.get().min(all.get())).collect(),
        }
    }
}

/// Number of the ranks of [`spread_ranks`] that lie before `rank`.
pub(super) fn spread_before(rank: u32, all: Procs, procs: Procs) -> u32 {
    let (all, wanted) = (u64::from(all.get()), u64::from(procs.get().min(all.get())));
    let before = match wanted {
        ..=2 => u64::from(rank).min(wanted),
        _ => (u64::from(rank) * wanted).div_ceil(all),
    };
    u32::try_from(before).expect("at most the ranks that take part")
}

/// Error of a placement; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The hosts do not hold all ranks.
    #[error(
        "{procs} ranks need {} hosts at {per_host} on each, and there are {hosts}; \
         name more hosts or place {} on each",
        .procs.get().div_ceil(*.per_host),
        u64::from(.procs.get()).div_ceil(*.hosts)
    )]
    TooFew {
        /// Number of ranks.
        procs: Procs,
        /// Largest number of ranks per host.
        per_host: u32,
        /// Number of hosts.
        hosts: u64,
    },
    /// Zero ranks per host.
    #[error("0 ranks on each host; place at least 1")]
    NoRanks,
}

/// Host of each rank, out of `hosts`; each host takes at most `per_host` ranks.
///
/// # Errors
/// If the hosts cannot hold all ranks, or `per_host` is 0.
pub fn place_ranks(
    order: PlacementOrder,
    procs: Procs,
    hosts: &[Vertex],
    per_host: u32,
) -> Result<Arc<[Vertex]>, PlacementError> {
    if per_host == 0 {
        return Err(PlacementError::NoRanks);
    }
    let (ranks, count) = (procs.get() as usize, hosts.len());
    if ranks.div_ceil(per_host as usize) > count {
        return Err(PlacementError::TooFew {
            procs,
            per_host,
            hosts: count as u64,
        });
    }
    let host = |rank: usize| match order {
        PlacementOrder::Block => hosts[rank / per_host as usize],
        PlacementOrder::Cyclic => hosts[rank % count],
    };
    Ok((0..ranks).map(host).collect())
}

/// Host of each rank: line r of a file, from 0, names the host of rank r. A host may occur again,
/// and lines beyond the last rank are ignored, as are empty lines and text after `#`. Errors name
/// the file `name`.
///
/// # Errors
/// If a line does not name a host of the network, or there are fewer lines than ranks.
pub fn parse(name: &str, text: &str, network: &Network, procs: Procs) -> Result<Arc<[Vertex]>, FileError> {
    let known = network.hosts_by_name();
    let mut hosts = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let host = line.trim_start();
        if host.is_empty() {
            continue;
        }
        let found = known.get(host).copied().ok_or_else(|| {
            let indent = line.chars().take_while(|c| c.is_whitespace()).count() as u64;
            FileError::at_column(name, number, indent + 1, network.unknown_host_problem(host))
        });
        hosts.push(found?);
    }
    let lines = hosts.len();
    if lines < procs.get() as usize {
        let problem = format!("{lines} of the {procs} ranks have a host; name one for each rank, a line each");
        let last = text.lines().count().max(1) as u64;
        return Err(FileError::at_column(name, last, 1, problem));
    }
    hosts.truncate(procs.get() as usize);
    Ok(hosts.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::procs;

    /// So many ranks on hosts 5, 7 and 9 with so many places each.
    #[test]
    fn blocks_fill_hosts_and_cycles_go_round_while_there_are_places() {
        let told = [
            (PlacementOrder::Block, 5, 2),
            (PlacementOrder::Cyclic, 5, 2),
            (PlacementOrder::Block, 2, u32::MAX),
            (PlacementOrder::Cyclic, 2, 1),
            (PlacementOrder::Block, 64, 4),
            (PlacementOrder::Cyclic, 7, 2),
            (PlacementOrder::Cyclic, u32::MAX, 1),
            (PlacementOrder::Block, 1, 0),
        ]
        .map(|(order, count, per_host)| {
            let placed = place_ranks(order, procs(count), &[5, 7, 9].map(Vertex), per_host);
            let told = placed.map_or_else(|error| error.to_string(), |hosts| format!("{hosts:?}"));
            format!("{order:?}, {count} by {per_host}\n  {told}\n")
        });
        insta::assert_snapshot!(told.concat());
    }

    /// Both halves of the ranks have their share.
    #[test]
    fn a_subset_is_spread_over_all_ranks() {
        let ranks = |all, count| spread_ranks(procs(all), procs(count));
        assert_eq!(ranks(12, 8), [0, 1, 3, 4, 6, 7, 9, 10]);
        assert_eq!(ranks(8, 2), [0, 1]);
        for all in [4, 7, 8, 12, 16, 1000] {
            for count in 3..=all {
                let taken = ranks(all, count);
                let before = |rank| spread_before(rank, procs(all), procs(count));
                assert_eq!(
                    taken.iter().copied().map(before).collect::<Vec<_>>(),
                    (0..count).collect::<Vec<_>>()
                );
                assert!(taken.is_sorted() && taken[count as usize - 1] < all);
                let share = f64::from(count) / 2.0;
                let lower = f64::from(before(all / 2));
                assert!((lower - share).abs() <= 1.0, "{all} {count}");
            }
        }
    }

    #[test]
    fn a_file_names_a_host_for_each_rank() {
        let star = crate::network::tests::star(4);
        let text = "# ranks\n host2\r\n\nhost0 # again\nhost2\n";
        let read = |text, count| parse("hosts.txt", text, &star, procs(count));
        assert_eq!(*read(text, 2).unwrap(), [2, 0].map(Vertex));
        assert_eq!(*read(text, 3).unwrap(), [2, 0, 2].map(Vertex));
        let told = [(text, 4), ("host1\n\t host4 slots=2\n", 1), ("", 1)]
            .map(|(text, count)| format!("{}\n", read(text, count).unwrap_err()));
        insta::assert_snapshot!(told.concat());
    }
}
