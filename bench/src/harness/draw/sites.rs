//! Sites with links between them.
//!
//! # Method
//! A network has twelve hosts. Of three consecutive networks one has three sites of 3 to 5 hosts, joined by a core
//! without hosts; the others have two sites, the smaller of 4 to 6 hosts. Hosts have 50 Mbit/s, the links of the sites
//! 20 to 40 Mbit/s. The delay between two hosts of different sites is uniform in 0 to 20 ms. Every port buffers 64 KiB.
//! The congestion control is reno or cubic, the MPI library Open MPI.

use anyhow::Result;
use netsig_base::network::{LinkSpec, Network, Switch, Trunk};
use netsig_base::units::{Bytes, Seconds};
use rand::RngExt as _;

use super::{DrawnNetwork, congestion_control, generator, mbit, with_name};

/// Hosts of all sites.
const HOSTS: u32 = 12;

/// Buffer of every port.
const BUFFER: Bytes = Bytes(64 << 10);

/// Network `number` of `seed`, from 0: `sites-S-K`.
pub fn network(seed: u64, number: u32) -> Result<DrawnNetwork> {
    let (mut rng, has_three) = generator(seed, number);
    let first = rng.random_range(3..=4);
    let sites = if has_three {
        vec![first, 4, HOSTS - first - 4]
    } else {
        let first = rng.random_range(4..=6);
        vec![first, HOSTS - first]
    };
    let rate = rng.random_range(20..=40);
    // In whole microseconds, as in files.
    let delay = Seconds(f64::from(rng.random_range(0..=20_000)) * 1e-6);
    let control = congestion_control(&mut rng);
    let name = format!("sites-{seed}-{number}");
    let built = |sites: &[u32], part: &str| with_name(join_sites(sites, rate, delay), format!("{name}{part}"), control);
    let half: Vec<u32> = sites.iter().map(|hosts| hosts.div_ceil(2)).collect();
    Ok(DrawnNetwork {
        whole: built(&sites, "")?,
        half: built(&half, "-half")?,
        quarter: None,
        mpi: "openmpi",
        delay,
        name,
    })
}

/// Joins two sites by a link, or more sites by links to a core. A message between two sites takes `delay`.
fn join_sites(sites: &[u32], rate: u32, delay: Seconds) -> Result<Network> {
    let host = LinkSpec::new(mbit(50.0), BUFFER);
    let mut switches = Vec::new();
    for (site, &hosts) in sites.iter().enumerate() {
        switches.push(Switch {
            name: format!("site{site}"),
            hosts: (0..hosts).map(|host| format!("site{site}-{host}")).collect(),
            host_link: host,
        });
    }
    let link = |ends: [usize; 2], delay: f64| Trunk {
        ends,
        link: LinkSpec {
            delay: Seconds(delay),
            ..LinkSpec::new(mbit(f64::from(rate)), BUFFER)
        },
    };
    let links = match sites.len() {
        2 => vec![link([0, 1], delay.0)],
        count => {
            switches.push(Switch {
                name: "core".to_owned(),
                hosts: Vec::new(),
                host_link: host,
            });
            (0..count).map(|site| link([site, count], delay.0 / 2.0)).collect()
        }
    };
    Ok(Network::new(switches, links)?)
}

#[cfg(test)]
mod tests {
    use netsig_base::network::HostClusters;

    use super::*;

    /// A network reads back as it was written, and one of three networks has three sites.
    #[test]
    fn sites_are_drawn_as_described() {
        for seed in 1..20 {
            let drawn = [0, 1, 2].map(|number| network(seed, number).unwrap());
            let sites = drawn
                .each_ref()
                .map(|drawn_network| match netsig_lab::clusters(&drawn_network.whole) {
                    HostClusters::Named(sites) => sites.len(),
                    HostClusters::EachHost => 0,
                });
            assert_eq!(sites.iter().filter(|count| **count == 3).count(), 1);
            for drawn_network in drawn {
                assert_eq!(drawn_network.whole.hosts().get(), HOSTS, "{}", drawn_network.name);
                let read = Network::parse("drawn.toml", &drawn_network.whole.to_toml()).unwrap();
                assert_eq!(read.to_toml(), drawn_network.whole.to_toml());
            }
        }
    }
}
