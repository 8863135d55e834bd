//! Stars and trees of two switches.
//!
//! # Method
//! A network has 8 to 16 hosts with links of 20 to 45 Mbit/s, all together at most 480 Mbit/s, which one machine
//! emulates faithfully. Port buffers are log-uniform from 24 to 128 KiB, or 1 MiB in one network of eight. The
//! congestion control is reno or cubic. Three networks of four are stars; the fourth has two switches with an uplink
//! that is oversubscribed one to three times and has twice the buffer. The eager limit is 16, 32, 64 or 128 KiB. Of
//! three consecutive networks one is measured with MPICH, the others with Open MPI.

use anyhow::Result;
use netsig_base::network::{LinkSpec, Network};
use netsig_base::units::{Bytes, Seconds};
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;

use super::{DrawnNetwork, congestion_control, generator, mbit, with_name};

/// Largest sum of the rates of all hosts in Mbit/s.
const MOST_RATE_SUM: u32 = 480;

/// Fewest hosts of a network whose quarter is measured.
const FEWEST_FOR_QUARTER: u32 = 12;

/// Hosts of each switch of a star or of a tree of two switches, and the links.
#[derive(Debug, Clone, PartialEq)]
struct DrawnLinks {
    hosts: Vec<u32>,
    port: LinkSpec,
    uplink: LinkSpec,
}

/// Network `number` of `seed`, from 0: `seed-S-K`.
pub fn network(seed: u64, number: u32) -> Result<DrawnNetwork> {
    let (mut rng, is_of_mpich) = generator(seed, number);
    let links = DrawnLinks::draw(&mut rng);
    let control = congestion_control(&mut rng);
    let limit = *[16, 32, 64, 128].choose(&mut rng).expect("not empty");
    let name = format!("seed-{seed}-{number}");
    let built = |links: &DrawnLinks, part: &str| -> Result<Network> {
        let mut network = with_name(links.network(), format!("{name}{part}"), control)?;
        network.eager_limit = Some(Bytes(limit << 10));
        Ok(network)
    };
    Ok(DrawnNetwork {
        whole: built(&links, "")?,
        half: built(&links.part(|hosts| hosts / 2), "-half")?,
        // Rounded up: `netsig predict` answers up to four times the measured hosts.
        quarter: (links.hosts.iter().sum::<u32>() >= FEWEST_FOR_QUARTER)
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
        let rate = rng.random_range(20..=45.min(MOST_RATE_SUM / hosts));
        let buffer = if rng.random_bool(0.125) {
            1 << 20
        } else {
            let kib = 24.0 * (128.0f64 / 24.0).powf(rng.random());
            Bytes::rounded(kib).0 << 10
        };
        let is_tree = rng.random_bool(0.25);
        let oversubscribed = rng.random_range(1.0..3.0);
        let port = LinkSpec::new(mbit(f64::from(rate)), Bytes(buffer));
        let first = hosts / 2;
        Self {
            hosts: if is_tree {
                vec![first, hosts - first]
            } else {
                vec![hosts]
            },
            port,
            uplink: LinkSpec::new(mbit(f64::from(first * rate) / oversubscribed), Bytes(2 * buffer)),
        }
    }

    /// The same links with a part of the hosts of every switch, at least three hosts in all.
    fn part(&self, part_of: impl Fn(u32) -> u32) -> Self {
        let least = if self.hosts.len() == 1 { 3 } else { 2 };
        let hosts = self.hosts.iter().map(|&hosts| part_of(hosts).max(least));
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
