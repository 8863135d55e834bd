//! Hierarchical clustering by average linkage over the pairs whose ratio is known.
//!
//! # Choices
//! Groups without a known pair between them do not join. Of equal means the groups with the first
//! hosts join first, so that the result depends on nothing but the ratios.

use std::collections::BTreeMap;

use super::HostPair;

/// Sum and number of the ln ratios between two groups.
#[derive(Debug, Clone, Copy, Default)]
struct LinkageSum {
    sum: f64,
    count: f64,
}

/// The groups of `hosts` hosts that join while the mean of ln ratio between two of them is at most 0,
/// by their first hosts.
pub fn average_linkage(hosts: usize, ratios: impl Iterator<Item = (HostPair, f64)>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<usize, Vec<usize>> = (0..hosts).map(|host| (host, vec![host])).collect();
    let mut between: BTreeMap<HostPair, LinkageSum> = BTreeMap::new();
    for ([one, other], ratio) in ratios {
        let known = between.entry([one.min(other), one.max(other)]).or_default();
        known.sum += ratio.ln();
        known.count += 1.0;
    }
    while let Some([kept, joined]) = nearest_groups(&between) {
        let hosts = groups.remove(&joined).expect("a group of the pair");
        let kept_hosts = groups.get_mut(&kept).expect("a group of the pair");
        kept_hosts.extend(hosts);
        kept_hosts.sort_unstable();
        between = merged(between, kept, joined);
    }
    groups.into_values().collect()
}

/// The groups, named by their first hosts, with the least mean if that is at most 0.
fn nearest_groups(between: &BTreeMap<HostPair, LinkageSum>) -> Option<HostPair> {
    let means = between.iter().map(|(pair, ratios)| (pair, ratios.sum / ratios.count));
    let least = means.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (least.1 <= 0.0).then_some(*least.0)
}

/// The sums after the group `joined` became a part of `kept`.
fn merged(between: BTreeMap<HostPair, LinkageSum>, kept: usize, joined: usize) -> BTreeMap<HostPair, LinkageSum> {
    let mut after: BTreeMap<HostPair, LinkageSum> = BTreeMap::new();
    for (pair, ratios) in between {
        let [one, other] = pair.map(|group| if group == joined { kept } else { group });
        if one != other {
            let merged_ratios = after.entry([one.min(other), one.max(other)]).or_default();
            merged_ratios.sum += ratios.sum;
            merged_ratios.count += ratios.count;
        }
    }
    after
}
