//! Emulated networks drawn from a seed, so that no formula can be adjusted to them.
//!
//! # Method
//! 8 to 16 hosts; links of 20 to 45 Mbit/s, all together at most 480 Mbit/s, which one machine
//! emulates faithfully; port buffers log-uniform from 24 to 128 KiB, or 1 MiB in one of eight; reno
//! or cubic; a star, or in one of four two switches with an uplink that is oversubscribed one to
//! three times and has twice the buffer; an eager limit of 16, 32, 64 or 128 KiB. Of three
//! consecutive networks one is measured with MPICH, the others with Open MPI.

use anyhow::Result;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::network::{Network, Port};
use netsig_base::units::{BitsPerSecond, Bytes, BytesPerSecond, Seconds};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Largest sum of the rates of all hosts in Mbit/s.
const FAITHFUL: u32 = 480;

/// Fewest hosts of a network whose quarter is measured.
const QUARTERED: u32 = 12;

/// A drawn network.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// `seed-S-K`, K being the number of the network.
    pub name: String,
    /// The whole network.
    pub whole: Network,
    /// Half of the hosts of every switch, with the same links between switches.
    pub half: Network,
    /// A quarter of them, if the network is large enough for that.
    pub quarter: Option<Network>,
    /// The MPI: `openmpi` or `mpich`.
    pub mpi: &'static str,
    /// Longest delay between two hosts.
    pub delay: Seconds,
}

/// Hosts of each switch of a star or of a tree of two switches, and the links.
#[derive(Debug, Clone, PartialEq)]
struct Links {
    hosts: Vec<u32>,
    port: Port,
    uplink: Port,
}

/// Network `number` of `seed`, from 0.
pub fn network(seed: u64, number: u32) -> Result<Drawn> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(number / 3));
    let of_mpich = rng.random_range(0..3);
    rng.set_stream(1 << 32 | u64::from(number));
    rng.set_word_pos(0);
    let links = Links::draw(&mut rng);
    let congestion_control = *["reno", "cubic"].choose(&mut rng).expect("not empty");
    let limit = *[16, 32, 64, 128].choose(&mut rng).expect("not empty");
    let built = |links: &Links, part: &str| -> Result<Network> {
        let mut network = links.network()?;
        network.name = format!("seed-{seed}-{number}{part}");
        congestion_control.clone_into(&mut network.congestion_control);
        network.eager_limit = Some(Bytes(limit << 10));
        Ok(network)
    };
    Ok(Drawn {
        name: format!("seed-{seed}-{number}"),
        whole: built(&links, "")?,
        half: built(&links.half(), "-half")?,
        quarter: (links.hosts.iter().sum::<u32>() >= QUARTERED)
            .then(|| built(&links.quarter(), "-quarter"))
            .transpose()?,
        mpi: if number % 3 == of_mpich {
            "mpich"
        } else {
            "openmpi"
        },
        delay: Seconds(0.0),
    })
}

impl Drawn {
    /// The description that a user gives: of a tree, since a star needs none.
    pub fn description(&self) -> Option<&Network> {
        let cuts = self.whole.cuts().unwrap_or_default();
        (!cuts.is_empty()).then_some(&self.whole)
    }

    /// Its MPI.
    pub fn flavour(&self) -> MpiFlavour {
        flavour(self.mpi)
    }
}

/// The MPI of a launcher.
pub fn flavour(launcher: &str) -> MpiFlavour {
    match launcher {
        "mpich" => MpiFlavour::Mpich,
        _ => MpiFlavour::OpenMpi,
    }
}

impl Links {
    fn draw(rng: &mut ChaCha8Rng) -> Self {
        let hosts: u32 = rng.random_range(8..=16);
        let rate = rng.random_range(20..=45.min(FAITHFUL / hosts));
        let buffer = if rng.random_bool(0.125) {
            1 << 20
        } else {
            let kib = 24.0 * (128.0f64 / 24.0).powf(rng.random());
            Bytes::rounded(kib).0 << 10
        };
        let is_tree = rng.random_bool(0.25);
        let oversubscribed = rng.random_range(1.0..3.0);
        let port = Port::new(mbit(f64::from(rate)), Bytes(buffer));
        let first = hosts / 2;
        Self {
            hosts: if is_tree {
                vec![first, hosts - first]
            } else {
                vec![hosts]
            },
            port,
            uplink: Port::new(
                mbit(f64::from(first * rate) / oversubscribed),
                Bytes(2 * buffer),
            ),
        }
    }

    /// The same links with at most half of the hosts of every switch, at least three in all.
    fn half(&self) -> Self {
        self.part(|hosts| hosts / 2)
    }

    /// The same links with a quarter of the hosts of every switch, rounded up: all of the hosts are
    /// at most four times these, the farthest that `netsig predict` answers.
    fn quarter(&self) -> Self {
        self.part(|hosts| hosts.div_ceil(4))
    }

    /// The same links with a part of the hosts of every switch, at least three in all.
    fn part(&self, of: impl Fn(u32) -> u32) -> Self {
        let least = if self.hosts.len() == 1 { 3 } else { 2 };
        let hosts = self.hosts.iter().map(|&hosts| of(hosts).max(least));
        Self {
            hosts: hosts.collect(),
            ..self.clone()
        }
    }

    fn network(&self) -> Result<Network> {
        Ok(match self.hosts[..] {
            [first, second] => Network::two_switches([first, second], self.port, self.uplink)?,
            _ => Network::star(self.hosts[0], self.port)?,
        })
    }
}

/// A rate of so many Mbit/s, in whole ones.
pub fn mbit(rate: f64) -> BitsPerSecond {
    BitsPerSecond::from(BytesPerSecond(rate.round() * 1e6 / 8.0))
}
