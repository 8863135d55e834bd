//! Finds the ranks that share a machine or a network stack: one of the ranks that share a counter reads it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::path::Path;

use itertools::Itertools;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use netsig_base::network::placement::ParticipatingRanks;
use netsig_base::units::Procs;

use crate::group::rank;

/// Locations of the ranks, in rank order, as numbers.
pub struct RankLocations {
    mine: usize,
    /// Machine (running kernel) of each rank; emulated hosts share one.
    machines: Vec<u64>,
    /// Network namespace of each rank; each emulated host has its own.
    networks: Vec<u64>,
    /// Number of processors of this rank's machine.
    processors: usize,
}

/// The counters that this rank reads for all ranks that share them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterDuty {
    /// TCP's counters, one set for each network namespace.
    pub tcp: bool,
    /// The packets that the kernel dropped, one count for each machine.
    pub machine: bool,
}

impl RankLocations {
    /// Exchanges the locations; all ranks must call this.
    pub fn gather(world: &SimpleCommunicator) -> Self {
        let machine = machine();
        let mine = [machine, network(machine)];
        let count = usize::try_from(world.size()).expect("a communicator has ranks");
        let mut all = vec![0; 2 * count];
        world.all_gather_into(&mine[..], &mut all[..]);
        Self {
            mine: rank(world).0 as usize,
            machines: all.iter().copied().step_by(2).collect(),
            networks: all.iter().copied().skip(1).step_by(2).collect(),
            processors: processors(),
        }
    }

    /// The duty of this rank: the first rank at a location reads the counters for the others.
    pub fn duty(&self) -> CounterDuty {
        let is_first = |places: &[u64]| {
            let place = places[self.mine];
            places.iter().position(|&other| other == place) == Some(self.mine)
        };
        CounterDuty {
            tcp: is_first(&self.networks),
            machine: is_first(&self.machines),
        }
    }

    /// The ranks that take part in a cell of `procs` processes: spread over all ranks, or the first ranks where ranks
    /// share a network stack. Then the rank that reads the counters of others takes part with them. Two processes are
    /// on two hosts even then.
    pub fn taking_part(&self, procs: Procs) -> Vec<u32> {
        let rank_count = u32::try_from(self.networks.len()).expect("MPI counts ranks in 32 bits");
        let all = Procs::new(rank_count).expect("a communicator has ranks");
        if let (2, Some(other)) = (procs.get(), self.first_elsewhere()) {
            return vec![0, other];
        }
        let taking_part = if self.networks.iter().all_unique() {
            ParticipatingRanks::Spread
        } else {
            ParticipatingRanks::First
        };
        taking_part.ranks(all, procs)
    }

    /// The first rank with another network than rank 0; `None` if each rank has its own network.
    fn first_elsewhere(&self) -> Option<u32> {
        let are_apart = self.networks.iter().all_unique();
        let other = self.networks.iter().position(|network| *network != self.networks[0]);
        other.filter(|_| !are_apart).and_then(|rank| u32::try_from(rank).ok())
    }

    /// True if more of `ranks` are on this rank's machine than it has processors.
    pub fn share_processors(&self, ranks: &[u32]) -> bool {
        let machine = self.machines[self.mine];
        let machines = ranks.iter().map(|&rank| self.machines[rank as usize]);
        machines.filter(|&other| other == machine).count() > self.processors
    }
}

/// Number of processors of this machine. Reads `/proc/cpuinfo`, because a launcher may bind each
/// rank to one processor.
pub fn processors() -> usize {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let count = text.lines().filter(|line| line.starts_with("processor"));
    count.count().max(1)
}

/// Identifies this machine: by the random boot id of its kernel, or by the host's name if that
/// cannot be read.
fn machine() -> u64 {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    hash(boot.unwrap_or_else(|_| mpi::environment::processor_name().unwrap_or_default()))
}

fn network(machine: u64) -> u64 {
    let namespace = Path::new("/proc/self/ns/net").read_link().ok();
    hash((machine, namespace))
}

/// A hash that is equal in all processes for equal values.
fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_of_a_place_counts() {
        let duties = [0, 1, 2, 3].map(|mine| {
            let scopes = RankLocations {
                mine,
                machines: vec![7, 7, 7, 8],
                networks: vec![1, 2, 2, 3],
                processors: 2,
            };
            let CounterDuty { tcp, machine } = scopes.duty();
            (tcp, machine)
        });
        let expected = [(true, true), (true, false), (false, false), (true, true)];
        assert_eq!(duties, expected);
    }

    #[test]
    fn ranks_without_a_processor_of_their_own_yield() {
        let scopes = RankLocations {
            mine: 1,
            machines: vec![7, 7, 8, 7],
            networks: vec![1; 4],
            processors: 2,
        };
        assert!(!scopes.share_processors(&[0, 1, 2]));
        assert!(scopes.share_processors(&[0, 1, 3]));
        let three = Procs::new(3).unwrap();
        assert_eq!(scopes.taking_part(three), [0, 1, 2]);
        let apart = RankLocations {
            networks: vec![1, 2, 3, 4],
            ..scopes
        };
        assert_eq!(apart.taking_part(three), [0, 1, 2]);
    }
}
