//! Networks drawn from a seed, so that no formula can be adjusted to them.

pub mod ethernet;
pub mod sites;

use anyhow::Result;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::network::Network;
use netsig_base::units::{BitsPerSecond, Bytes, BytesPerSecond, Seconds};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::cell::is_tree;

/// A drawn network.
#[derive(Debug, Clone)]
pub struct DrawnNetwork {
    /// Name made of the seed and the number of the network.
    pub name: String,
    /// The whole network.
    pub whole: Network,
    /// Half of its hosts.
    pub half: Network,
    /// A quarter of its hosts, if the network is large enough.
    pub quarter: Option<Network>,
    /// The MPI: `openmpi` or `mpich`.
    pub mpi: &'static str,
    /// Longest delay between two hosts.
    pub delay: Seconds,
}

impl DrawnNetwork {
    /// The description that a user gives: the network if it is a tree; a star needs none.
    pub fn description(&self) -> Option<&Network> {
        is_tree(&self.whole).then_some(&self.whole)
    }

    /// Its MPI.
    pub fn flavour(&self) -> MpiFlavour {
        flavour(self.mpi)
    }

    /// Its links and its MPI, for a note.
    pub fn summary(&self) -> String {
        format!("{}, {}", self.whole.summary(), self.mpi)
    }

    /// A random generator seeded by the network; no campaign knows its numbers.
    pub fn rng(&self) -> ChaCha8Rng {
        let seed = self
            .name
            .bytes()
            .fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        ChaCha8Rng::seed_from_u64(seed)
    }
}

/// The MPI of a launcher.
pub fn flavour(launcher: &str) -> MpiFlavour {
    match launcher {
        "mpich" => MpiFlavour::Mpich,
        _ => MpiFlavour::OpenMpi,
    }
}

/// A size between 2^`octave` and its double, far from both.
pub fn size_in_octave(rng: &mut ChaCha8Rng, octave: i32) -> Bytes {
    let power = f64::from(octave) + rng.random_range(0.2..0.8);
    Bytes::rounded(2f64.powf(power))
}

/// The random generator of network `number` of `seed`, and a flag that is true for one of three consecutive networks.
fn generator(seed: u64, number: u32) -> (ChaCha8Rng, bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(number / 3));
    let is_one = rng.random_range(0..3) == number % 3;
    rng.set_stream(1 << 32 | u64::from(number));
    rng.set_word_pos(0);
    (rng, is_one)
}

/// Reno or cubic.
fn congestion_control(rng: &mut ChaCha8Rng) -> &'static str {
    ["reno", "cubic"].choose(rng).expect("not empty")
}

/// A rate in Mbit/s, rounded to a whole number.
fn mbit(rate: f64) -> BitsPerSecond {
    BitsPerSecond::from(BytesPerSecond(rate.round() * 1e6 / 8.0))
}

/// A network with its name and its congestion control.
fn with_name(built: Result<Network>, name: String, congestion_control: &str) -> Result<Network> {
    let mut network = built?;
    network.name = name;
    congestion_control.clone_into(&mut network.congestion_control);
    Ok(network)
}
