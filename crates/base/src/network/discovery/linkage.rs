//! Hierarchical clustering by average linkage over the pairs whose ratio is known.
//!
//! # Choices
//! Groups without a known pair between them do not join. Of equal means the groups with the first
//! hosts join first, so that the result depends on nothing but the ratios.

use std::collections::BTreeMap;

use super::Pair;

/// Sum and number of the ln ratios between two groups.
#[derive(Debug, Clone, Copy, Default)]
struct Between {
    sum: f64,
    count: f64,
}

/// The groups of `hosts` hosts that join while the mean of ln ratio between two of them is at most 0,
/// by their first hosts.
pub fn average(hosts: usize, ratios: impl Iterator<Item = (Pair, f64)>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<usize, Vec<usize>> = (0..hosts).map(|host| (host, vec![host])).collect();
    let mut between: BTreeMap<Pair, Between> = BTreeMap::new();
    for ([one, other], ratio) in ratios {
        let known = between.entry([one.min(other), one.max(other)]).or_default();
        known.sum += ratio.ln();
        known.count += 1.0;
    }
    while let Some([kept, joined]) = nearest(&between) {
        let hosts = groups.remove(&joined).expect("a group of the pair");
        let own = groups.get_mut(&kept).expect("a group of the pair");
        own.extend(hosts);
        own.sort_unstable();
        between = merged(between, kept, joined);
    }
    groups.into_values().collect()
}

/// The groups, named by their first hosts, with the least mean if that is at most 0.
fn nearest(between: &BTreeMap<Pair, Between>) -> Option<Pair> {
    let means = between.iter().map(|(pair, own)| (pair, own.sum / own.count));
    let least = means.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (least.1 <= 0.0).then_some(*least.0)
}

/// The sums after the group `joined` became a part of `kept`.
fn merged(between: BTreeMap<Pair, Between>, kept: usize, joined: usize) -> BTreeMap<Pair, Between> {
    let mut after: BTreeMap<Pair, Between> = BTreeMap::new();
    for (pair, own) in between {
        let [one, other] = pair.map(|group| if group == joined { kept } else { group });
        if one != other {
            let sum = after.entry([one.min(other), one.max(other)]).or_default();
            sum.sum += own.sum;
            sum.count += own.count;
        }
    }
    after
}
