//! Cells of a benchmark.

use std::collections::BTreeMap;

use netsig_base::algorithm::Collective;
use netsig_base::data::Experiment;
use netsig_base::data::cells::CellKey;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};

/// A collective with a process count and a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BenchCell {
    pub collective: Collective,
    pub procs: Procs,
    pub size: Bytes,
}

/// The chosen algorithm of every cell.
pub type CellChoices = BTreeMap<BenchCell, String>;

/// True if a network has links between switches.
pub fn is_tree(network: &Network) -> bool {
    network.cuts().is_some_and(|cuts| !cuts.is_empty())
}

impl BenchCell {
    /// The cell of a key; `None` if the key is not of a collective.
    pub fn of(key: &CellKey) -> Option<Self> {
        let Experiment::Collective(collective) = key.experiment else {
            return None;
        };
        Some(Self {
            collective,
            procs: key.procs,
            size: key.size,
        })
    }

    /// The key of an algorithm in this cell.
    pub fn key(self, algorithm: &str) -> CellKey {
        CellKey {
            experiment: Experiment::Collective(self.collective),
            algorithm: algorithm.into(),
            procs: self.procs,
            size: self.size,
        }
    }

    /// The note on an algorithm without times.
    pub fn unmeasured_note(self, algorithm: &str) -> String {
        let Self {
            collective,
            procs,
            size,
        } = self;
        format!("{collective} {algorithm}, {procs} x {size}: was not measured")
    }

    /// Time of the bytes of an all-to-all on the busiest link.
    pub fn bound(self, network: &Network) -> Seconds {
        let (procs, bytes) = (self.procs, self.size.as_f64());
        let host = network.host_gap().0 * procs.partners();
        let links = network.cuts().unwrap_or_default().iter().map(|cut| {
            let behind = f64::from(cut.procs_behind(procs));
            cut.gap.0 * behind * (f64::from(procs.get()) - behind)
        });
        Seconds(bytes * links.fold(host, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::network::LinkSpec;
    use netsig_base::units::{BitsPerSecond, BytesPerSecond};

    use super::*;

    fn mbytes(rate: f64) -> BitsPerSecond {
        BitsPerSecond::from(BytesPerSecond(rate * 1e6))
    }

    fn time(network: &Network, procs: u32) -> f64 {
        let cell = BenchCell {
            collective: Collective::Alltoall,
            procs: Procs::new(procs).unwrap(),
            size: Bytes(1_000_000),
        };
        cell.bound(network).0
    }

    /// Hosts have 1 MB/s, pieces 1 MB. In a star of 8, each host sends 7 MB. With an uplink of 2 MB/s, 4 of 8 hosts
    /// behind it send 16 MB over it, 3 of 6 send 9 MB.
    #[test]
    fn the_bound_is_that_of_the_busiest_link() {
        let port = LinkSpec::new(mbytes(1.0), Bytes(65536));
        let uplink = LinkSpec::new(mbytes(2.0), Bytes(65536));
        let star = Network::star(8, port).unwrap();
        let tree = Network::two_switches([4, 4], port, uplink).unwrap();
        assert!((time(&star, 8) - 7.0).abs() < 1e-9);
        assert!((time(&tree, 8) - 8.0).abs() < 1e-9);
        assert!((time(&tree, 6) - 5.0).abs() < 1e-9);
    }
}
