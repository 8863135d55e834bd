//! The two-phase total exchange exactly as Section 7 of Steffenel, Martinasso, Trystram
//! 2007 (GPC) prints it, simulated datum by datum: which data never arrive. This is why
//! netsig's `two-phase` departs from the print.

use std::collections::BTreeSet;

/// M_{from,to}, the data of one rank for another.
type Datum = (u32, u32);

/// The data between different ranks that the printed rules leave undelivered. C1 is
/// 0 … n1−1, C2 is n1 … n1+n2−1.
fn missing(n1: u32, n2: u32) -> BTreeSet<Datum> {
    let ranks = n1 + n2;
    let is_first = |rank: u32| rank < n1;
    let all = (0..ranks).flat_map(|i| (0..ranks).map(move |j| (i, j)));
    let mut stored: Vec<BTreeSet<Datum>> = vec![BTreeSet::new(); ranks as usize];
    let mut delivered = BTreeSet::new();
    // First phase: local data arrive, the others are stored on relays.
    for (i, j) in all.clone() {
        if is_first(i) == is_first(j) {
            delivered.insert((i, j));
            continue;
        }
        let relay = if is_first(i) { j % n1 } else { i / n1 * n1 + j };
        // A relay beyond the last rank keeps nothing.
        if let Some(place) = stored.get_mut(relay as usize) {
            place.insert((i, j));
        }
    }
    // Second phase: pairs exchange what they have stored for each other.
    for step in 1..=n2.div_ceil(n1) {
        for i in 0..n1 {
            let j = i + n1 * step;
            if j >= ranks {
                continue;
            }
            let to_second = (0..=n1).map(|k| (i, (k, j)));
            let to_first = (n1 * step..n1 * (step + 1)).map(|k| (j, (k, i)));
            for (holder, datum) in to_second.chain(to_first) {
                if stored[holder as usize].contains(&datum) {
                    delivered.insert(datum);
                }
            }
        }
    }
    all.filter(|datum| !delivered.contains(datum)).collect()
}

#[test]
fn the_incomplete_block_of_the_larger_cluster_loses_data() {
    for n2 in 1..=12 {
        for n1 in 1..=n2 {
            let rest = n2 % n1;
            let lost: BTreeSet<Datum> = (n1 + n2 - rest..n1 + n2)
                .flat_map(|i| (rest..n1).map(move |j| (i, j)))
                .collect();
            assert_eq!(missing(n1, n2), lost, "{n1} and {n2} ranks");
            assert_eq!(lost.len(), (rest * (n1 - rest)) as usize);
            assert_eq!(lost.is_empty(), n2.is_multiple_of(n1));
        }
    }
}

#[test]
fn with_2_and_3_ranks_it_is_one_datum() {
    assert_eq!(missing(2, 3), BTreeSet::from([(4, 1)]));
}
