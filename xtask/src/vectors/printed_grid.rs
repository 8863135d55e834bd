//! The two-phase total exchange of Steffenel, Martinasso, Trystram 2007 (GPC) §7 exactly as
//! printed, carried out datum by datum. netsig runs a corrected form; this one is here to
//! tell what the printed one leaves undelivered.

use std::collections::BTreeSet;

use netsig_core::model::grid::Clusters;

/// M(i, j): what rank i has for rank j.
type Datum = (u32, u32);

/// What never arrives, ascending. The smaller cluster has the first ranks.
pub fn missing(clusters: Clusters) -> Vec<Datum> {
    let [n1, n2] = [clusters.smaller().get(), clusters.larger().get()];
    let ranks = n1 + n2;
    let crosses = |&(i, j): &Datum| (i < n1) != (j < n1);
    let all = (0..ranks).flat_map(|i| (0..ranks).map(move |j| (i, j)));
    let crossing: Vec<Datum> = all.filter(crosses).collect();
    // Phase 1: (relay, datum). A relay that does not exist keeps nothing.
    let relay = |(i, j): Datum| if i < n1 { j % n1 } else { i / n1 * n1 + j };
    let stored: BTreeSet<(u32, Datum)> = crossing
        .iter()
        .map(|&datum| (relay(datum), datum))
        .filter(|(relay, _)| *relay < ranks)
        .collect();
    // Phase 2: the ends of an exchange, i and j, pass on data of the printed ranges.
    let mut delivered = BTreeSet::new();
    for j in n1..ranks {
        let (i, step) = (j % n1, j / n1);
        let there = (0..=n1).map(|k| (i, (k, j)));
        let back = (n1 * step..n1 * (step + 1)).map(|k| (j, (k, i)));
        let held = there.chain(back).filter(|held| stored.contains(held));
        delivered.extend(held.map(|(_, datum)| datum));
    }
    crossing
        .into_iter()
        .filter(|datum| !delivered.contains(datum))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use netsig_core::units::Procs;

    fn missing_among(n1: u32, n2: u32) -> Vec<Datum> {
        let [smaller, larger] = [n1, n2].map(|n| Procs::new(n).unwrap());
        missing(Clusters::new(smaller, larger))
    }

    /// r·(n1 − r) data with r = n2 mod n1; the first case is one that can be followed by hand.
    #[test]
    fn data_are_lost_where_n1_does_not_divide_n2() {
        assert_eq!(missing_among(2, 3), [(4, 1)]);
        for (n1, n2) in (1..=8).flat_map(|n1| (n1..=16).map(move |n2| (n1, n2))) {
            let rest = n2 % n1;
            let lost = missing_among(n1, n2).len();
            assert_eq!(u32::try_from(lost), Ok(rest * (n1 - rest)), "{n1} and {n2}");
        }
    }
}
