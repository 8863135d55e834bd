//! Stars and trees of two switches.
//!
//! # Method
//! 8 to 16 hosts; links of 20 to 45 Mbit/s, all together at most 480 Mbit/s, which one machine
//! emulates faithfully; port buffers log-uniform from 24 to 128 KiB, or 1 MiB in one of eight; reno
//! or cubic; a star, or in one of four two switches with an uplink that is oversubscribed one to
//! three times and has twice the buffer; an eager limit of 16, 32, 64 or 128 KiB. Of three
//! consecutive networks one is measured with MPICH, the others with Open MPI.

use anyhow::Result;
use netsig_base::network::{Network, Port};
use netsig_base::units::{Bytes, Seconds};
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;

use super::{DrawnNetwork, congestion_control, generator, mbit, named};

/// Largest sum of the rates of all hosts in Mbit/s.
const FAITHFUL: u32 = 480;

/// Fewest hosts of a network whose quarter is measured.
const QUARTERED: u32 = 12;

/// Hosts of each switch of a star or of a tree of two switches, and the links.
#[derive(Debug, Clone, PartialEq)]
struct DrawnLinks {
    hosts: Vec<u32>,
    port: Port,
    uplink: Port,
}

/// Network `number` of `seed`, from 0: `seed-S-K`.
pub fn network(seed: u64, number: u32) -> Result<DrawnNetwork> {
    let (mut rng, is_of_mpich) = generator(seed, number);
    let links = DrawnLinks::draw(&mut rng);
    let control = congestion_control(&mut rng);
    let limit = *[16, 32, 64, 128].choose(&mut rng).expect("not empty");
    let name = format!("seed-{seed}-{number}");
    let built = |links: &DrawnLinks, part: &str| -> Result<Network> {
        let mut network = named(links.network(), format!("{name}{part}"), control)?;
        network.eager_limit = Some(Bytes(limit << 10));
        Ok(network)
    };
    Ok(DrawnNetwork {
        whole: built(&links, "")?,
        half: built(&links.part(|hosts| hosts / 2), "-half")?,
        // Rounded up: all of the hosts are at most four times these, the farthest that `netsig
        // predict` answers.
        quarter: (links.hosts.iter().sum::<u32>() >= QUARTERED)
            .then(|| built(&links.part(|hosts| hosts.div_ceil(4)), "-quarter"))
            .transpose()?,
        mpi: if is_of_mpich { "mpich" } else { "openmpi" },
        delay: Seconds(0.0),
        name,
    })
}

impl DrawnLinks {
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
            uplink: Port::new(mbit(f64::from(first * rate) / oversubscribed), Bytes(2 * buffer)),
        }
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
