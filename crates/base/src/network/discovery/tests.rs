//! Known networks are recovered exactly from few probes, whatever the order of hosts and the noise.

use proptest::prelude::*;

use super::*;

/// Sites of hosts; `times` gives the time between two sites, on the diagonal inside one.
#[derive(Debug, Clone)]
struct TrueSites {
    site: Vec<usize>,
    times: Vec<Vec<f64>>,
}

impl TrueSites {
    fn time(&self, [one, other]: HostPair) -> f64 {
        self.times[self.site[one]][self.site[other]]
    }

    /// The hosts of each site, by first hosts.
    fn sites(&self) -> Vec<Vec<usize>> {
        let mut hosts_by_site: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (host, &site) in self.site.iter().enumerate() {
            hosts_by_site.entry(site).or_default().push(host);
        }
        let mut sites: Vec<Vec<usize>> = hosts_by_site.into_values().collect();
        sites.sort();
        sites
    }
}

/// Clusters that are discovered in a network, and the number of probes; `noise` lengthens each probe by a share.
fn discovered(
    truth: &TrueSites,
    criterion: NearnessCriterion,
    mut noise: impl FnMut(HostPair) -> f64,
) -> (Vec<Vec<usize>>, usize) {
    let mut search = ClusterSearch::new(truth.site.len(), criterion);
    let mut probes = 0;
    while let Some(pairs) = search.next_pairs() {
        probes += pairs.len();
        for pair in pairs {
            search.add_time(pair, Seconds(truth.time(pair) * (1.0 + noise(pair))));
        }
    }
    (search.clusters(), probes)
}

/// 1 to 6 sites of 2 to 9 hosts in any order, with times between sites that `far` multiplies.
fn networks(far: std::ops::Range<f64>) -> impl Strategy<Value = TrueSites> {
    (1usize..=6)
        .prop_flat_map(move |sites| {
            let hosts = prop::collection::vec(2usize..=9, sites);
            let pairs = prop::collection::vec(far.clone(), sites * sites);
            (hosts, pairs)
        })
        .prop_flat_map(|(hosts, pairs)| {
            let sites = hosts.len();
            let site: Vec<usize> = (0..sites).flat_map(|number| vec![number; hosts[number]]).collect();
            let time = move |a: usize, b: usize| {
                if a == b {
                    1e-2
                } else {
                    1e-2 * pairs[a.min(b) * sites + a.max(b)]
                }
            };
            let rows = (0..sites).map(|a| (0..sites).map(|b| time(a, b)).collect());
            let times: Vec<Vec<f64>> = rows.collect();
            Just(site).prop_shuffle().prop_map(move |site| TrueSites {
                site,
                times: times.clone(),
            })
        })
}

/// Shares from a list, again and again.
fn cycle(noise: Vec<f64>) -> impl FnMut() -> f64 {
    let mut index = 0;
    move || {
        index += 1;
        noise[(index - 1) % noise.len()]
    }
}

proptest! {
    /// Latencies of sites behind links with delays, with up to 20 % of noise.
    #[test]
    fn sites_behind_delays_are_found(
        truth in networks(2.5..1000.0),
        noise in prop::collection::vec(0.0..0.2, 97),
    ) {
        let mut noise = cycle(noise);
        let (found, probes) = discovered(&truth, NearnessCriterion::LATENCY, |_| noise());
        prop_assert_eq!(found, truth.sites());
        let hosts = truth.site.len() as f64;
        prop_assert!(probes as f64 <= hosts * (4.0 * hosts.log2().ceil() + 3.0));
    }

    /// Long messages over links that are 1.25 to 10 times slower, with up to 5 % of noise.
    #[test]
    fn sites_behind_slow_links_are_found(
        truth in networks(1.25..10.0),
        noise in prop::collection::vec(0.0..0.05, 97),
    ) {
        let mut noise = cycle(noise);
        let (found, _) = discovered(&truth, NearnessCriterion::TRANSFER, |_| noise());
        prop_assert_eq!(found, truth.sites());
    }

    /// Any share of the pairs of a star is disturbed when first probed, and takes three times as long.
    #[test]
    fn disturbed_probes_make_no_cluster(
        hosts in 2usize..40,
        noise in prop::collection::vec(prop_oneof![3 => 0.0..0.05, 1 => Just(2.0)], 97),
    ) {
        let truth = TrueSites { site: vec![0; hosts], times: vec![vec![1e-2]] };
        let mut noise = cycle(noise);
        let mut probed = BTreeSet::new();
        let once = |pair| {
            let is_first = probed.insert(ordered(pair));
            noise() * f64::from(u8::from(is_first))
        };
        let (found, _) = discovered(&truth, NearnessCriterion::TRANSFER, once);
        prop_assert_eq!(found, truth.sites());
    }
}

/// A host alone, also the first; slow hosts; a cluster that is slower inside.
#[test]
fn a_host_alone_and_slower_clusters_are_found() {
    let times = vec![vec![1e-4, 2e-2, 1e-3], vec![2e-2, 4e-4, 2e-2], vec![1e-3, 2e-2, 1e-3]];
    for site in [
        vec![0, 1, 1, 1, 1],
        vec![1, 1, 0, 1, 1],
        vec![0, 0, 1, 1, 1, 0],
        vec![0, 0, 0, 2],
        vec![2, 0, 0, 0],
        vec![0, 2, 0, 2, 0, 2],
    ] {
        let truth = TrueSites {
            site,
            times: times.clone(),
        };
        let (found, _) = discovered(&truth, NearnessCriterion::LATENCY, |_| 0.0);
        assert_eq!(found, truth.sites(), "{:?}", truth.site);
    }
}

/// More clusters than landmarks: 16 sites of 2 hosts, apart in the order of hosts.
#[test]
fn more_clusters_than_landmarks_are_found() {
    let hosts = 32;
    let site = (0..hosts).map(|host| host % 16).collect();
    let time = |a: usize, b: usize| {
        if a == b {
            1e-4
        } else {
            1e-3 * (2 + a.abs_diff(b)) as f64
        }
    };
    let times = (0..16).map(|a| (0..16).map(|b| time(a, b)).collect()).collect();
    let truth = TrueSites { site, times };
    let (found, probes) = discovered(&truth, NearnessCriterion::LATENCY, |_| 0.0);
    assert_eq!(found, truth.sites());
    assert!(probes < hosts * (hosts - 1) / 2, "{probes} probes");
}

#[test]
fn few_hosts_are_one_cluster_or_none() {
    for (hosts, expected) in [(0, vec![]), (1, vec![vec![0]]), (2, vec![vec![0, 1]])] {
        let truth = TrueSites {
            site: vec![0; hosts],
            times: vec![vec![1.0]],
        };
        let (found, probes) = discovered(&truth, NearnessCriterion::LATENCY, |_| 0.0);
        assert_eq!((found, probes), (expected, hosts.saturating_sub(1)));
    }
}

/// A pair that is probed first in the last round of verification, and disturbed then, is probed again.
#[test]
fn a_disturbed_probe_of_the_last_round_is_repeated() {
    let truth = TrueSites {
        site: vec![0; 6],
        times: vec![vec![1e-2]],
    };
    let slow = [0, 3, 12, 14, 16];
    let shares = [2.0, 0.0442, 0.0, 2.0, 0.0274, 0.0103, 0.0158, 0.0496];
    let mut number = 0;
    let mut probed = BTreeSet::new();
    let once = |pair| {
        let is_first = probed.insert(ordered(pair));
        let share = shares
            .get(number)
            .copied()
            .unwrap_or(f64::from(2 * u8::from(slow.contains(&number))));
        number += 1;
        share * f64::from(u8::from(is_first))
    };
    let (found, _) = discovered(&truth, NearnessCriterion::TRANSFER, once);
    assert_eq!(found, truth.sites());
}
