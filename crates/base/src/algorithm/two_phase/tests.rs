//! Tests of the two-phase exchange.

use itertools::Itertools;

use super::*;
use crate::algorithm::tests::{clustered, layouts, listed};
use crate::algorithm::{Algorithm, Schedule};
use crate::testing::procs;
use crate::units::Bytes;

/// Forms with a limit on the exchanges at once.
const LIMITED: [&str; 3] = ["two-phase", "two-phase-balanced", "two-phase-staggered"];

const FORMS: [&str; 4] = [LIMITED[0], LIMITED[1], LIMITED[2], "two-phase-spaced"];

fn schedule(form: &str, flows: u32, layout: &ClusterLayout) -> Schedule {
    clustered(Collective::Alltoall, &format!("{form}:{flows}"), layout, Rank(0))
}

/// All messages of a round, with their senders and whether they leave a cluster.
fn sends(schedule: &Schedule, layout: &ClusterLayout, index: usize) -> Vec<(Rank, ScheduleMessage, bool)> {
    let of = |rank: Rank| {
        let round = schedule.round(rank, index);
        let sends = listed(&round.sends).into_iter();
        sends.map(move |send| {
            let crosses = layout.cluster_rank(rank).cluster != layout.cluster_rank(send.partner).cluster;
            (rank, send, crosses)
        })
    };
    schedule.procs().ranks().flat_map(of).collect()
}

/// All blocks are delivered, so that no crossing is superfluous.
#[test]
fn each_datum_crosses_once_in_two_messages_a_rank_of_the_larger_cluster() {
    for (layout, form, flows) in itertools::iproduct!(layouts(), FORMS, [1, 2, 5, u32::MAX]) {
        // The longest spacing takes hundreds of rounds.
        if form == "two-phase-spaced" && flows > 5 && layout.ranks() > 6 {
            continue;
        }
        let schedule = schedule(form, flows, &layout);
        let case = format!("{form}:{flows} of {layout}");
        assert_eq!(schedule.check(), Ok(()), "{case}");
        let sizes = layout.sizes().collect_vec();
        let pairs: Vec<[u32; 2]> = sizes.into_iter().array_combinations().collect();
        let rounds = (0..schedule.extent().rounds).collect_vec();
        let of_round = rounds.iter().map(|&index| sends(&schedule, &layout, index));
        let wide: Vec<_> = of_round.flatten().filter(|(.., crosses)| *crosses).collect();
        let exchanges: u32 = pairs.iter().map(|[a, b]| a.max(b)).sum();
        assert_eq!(wide.len(), 2 * exchanges as usize, "{case}");
        let crossings: usize = wide.iter().map(|(_, send, _)| send.slots.len()).sum();
        let data: u32 = pairs.iter().map(|[a, b]| 2 * a * b).sum();
        assert_eq!(crossings, data as usize, "{case}");
    }
}

/// No rank begins an exchange before its predecessor is complete. In a simulation with exchanges of one unit of time
/// and signals of none, at most so many are in progress between two clusters.
#[test]
fn no_more_exchanges_cross_at_once_than_the_setting_says() {
    for (layout, form, flows) in itertools::iproduct!(layouts(), LIMITED, [1, 2, 3, 7]) {
        let schedule = schedule(form, flows, &layout);
        let mut ready = vec![0; layout.ranks()];
        let mut begun = std::collections::BTreeMap::new();
        for index in 1..schedule.extent().rounds {
            let before = ready.clone();
            let all = sends(&schedule, &layout, index);
            for (from, send, crosses) in &all {
                let pair = [*from, send.partner].map(|rank| layout.cluster_rank(rank).cluster);
                let [from, to] = [*from, send.partner].map(|rank| rank.0 as usize);
                let start = before[from].max(before[to]);
                if *crosses {
                    *begun.entry((pair, start)).or_insert(0) += 1;
                    ready[from] = ready[from].max(start + 1);
                    ready[to] = ready[to].max(start + 1);
                } else {
                    ready[to] = ready[to].max(before[from]);
                }
            }
        }
        let most = begun.values().max().copied().unwrap_or(0);
        assert!(most <= flows, "{most}: {form}:{flows} of {layout}");
    }
}

/// Ranks of the larger cluster with their numbers of data, in the order of the steps, worked
/// by hand. Clusters of 2 and 3 and of 4 and 4 are in `vectors.json`.
#[test]
fn balanced_exchanges_share_what_the_last_step_has_too_few_of() {
    let layout = ClusterLayout::of_sizes(&[4, 6]);
    let simple = [(4, 4), (5, 4), (6, 6), (7, 6), (8, 2), (9, 2)];
    let balanced = [(4, 3), (5, 3), (6, 6), (7, 6), (8, 3), (9, 3)];
    for (form, expected) in LIMITED.into_iter().zip([simple, balanced]) {
        let schedule = schedule(form, 4, &layout);
        let sends = [1, 3].into_iter().flat_map(|step| sends(&schedule, &layout, step));
        let all_sizes = sends.map(|(rank, send, _)| (rank.0, send.slots.len()));
        let sizes: Vec<_> = all_sizes.filter(|(rank, _)| *rank >= 4).collect();
        assert_eq!(sizes, expected, "{form}");
    }
}

#[test]
fn one_cluster_exchanges_directly() {
    let direct_algorithm = Algorithm::parse(Collective::Alltoall, "direct").unwrap();
    let lone = schedule("two-phase", 5, &ClusterLayout::one_cluster(procs(5)));
    let direct = direct_algorithm.schedule(procs(5), Bytes(1));
    assert_eq!(lone.extent().rounds, 1);
    let rounds = |one: &Schedule| procs(5).ranks().map(|rank| one.round(rank, 0)).collect_vec();
    assert_eq!(rounds(&lone), rounds(&direct));
}
