//! Tests of the collectives in two levels.

use itertools::Itertools as _;

use crate::algorithm::tests::{clustered, layouts, listed};
use crate::algorithm::{Algorithm, Collective};
use crate::units::{Procs, Rank};

/// Pieces that must cross: the message once to every other cluster, the pieces of all ranks in other clusters, or the
/// pieces of each cluster to every other cluster.
fn crossings(collective: Collective, sizes: &[u32], of_root: usize) -> [u32; 2] {
    let clusters = u32::try_from(sizes.len()).unwrap();
    let others = clusters - 1;
    let ranks: u32 = sizes.iter().sum();
    match collective {
        Collective::Bcast => [others, others],
        Collective::Allgather => [others * clusters, others * ranks],
        _ => [others, ranks - sizes[of_root]],
    }
}

/// With every root, and with consecutive or scattered ranks in a cluster, all is delivered. One message crosses to or
/// from each other cluster, with the necessary pieces alone.
#[test]
fn what_is_for_another_cluster_crosses_once() {
    for layout in layouts() {
        for (collective, name) in [
            (Collective::Bcast, "two-level:100"),
            (Collective::Bcast, "two-level:3"),
            (Collective::Scatter, "two-level"),
            (Collective::Gather, "two-level"),
            (Collective::Allgather, "two-level"),
        ] {
            let procs = Procs::new(u32::try_from(layout.ranks()).unwrap()).unwrap();
            let roots = if collective.has_root() { procs.get() } else { 1 };
            for root in (0..roots).map(Rank) {
                let schedule = clustered(collective, name, &layout, root);
                let case = format!("{collective} {name} of {layout} from {root}");
                assert_eq!(schedule.check(), Ok(()), "{case}");
                let extent = schedule.extent();
                let (mut messages, mut blocks, mut longest) = (0, 0, 0);
                for (rank, index) in procs.ranks().cartesian_product(0..extent.rounds) {
                    for send in listed(&schedule.round(rank, index).sends) {
                        longest = longest.max(send.slots.len());
                        if layout.cluster_rank(rank).cluster != layout.cluster_rank(send.partner).cluster {
                            messages += 1;
                            blocks += u32::try_from(send.slots.len()).unwrap();
                        }
                    }
                }
                let sizes = layout.sizes().collect_vec();
                let expected = crossings(collective, &sizes, layout.cluster_rank(root).cluster);
                let parts = extent.division.parts();
                assert_eq!([messages, blocks], expected.map(|count| count * parts), "{case}");
                assert!(longest <= extent.longest_message as usize, "{case}");
            }
        }
    }
}

/// With every root, and with consecutive or scattered ranks in a cluster, every vector is combined once. Of each cluster
/// one vector crosses in a reduce; all-reduces and barriers cross between heads alone.
#[test]
fn reductions_combine_all_vectors_in_every_layout() {
    for layout in layouts() {
        let procs = Procs::new(u32::try_from(layout.ranks()).unwrap()).unwrap();
        for collective in [
            Collective::Reduce,
            Collective::Allreduce,
            Collective::ReduceScatter,
            Collective::ReduceScatterBlock,
            Collective::Barrier,
        ] {
            let roots = if collective.has_root() { procs.get() } else { 1 };
            for root in (0..roots).map(Rank) {
                let schedule = clustered(collective, "two-level", &layout, root);
                let case = format!("{collective} of {layout} from {root}");
                assert_eq!(schedule.check(), Ok(()), "{case}");
                let mut crossings = 0;
                for (rank, index) in procs.ranks().cartesian_product(0..schedule.extent().rounds) {
                    for send in listed(&schedule.round(rank, index).sends) {
                        if layout.cluster_rank(rank).cluster != layout.cluster_rank(send.partner).cluster {
                            crossings += 1;
                        }
                    }
                }
                let others = layout.clusters() - 1;
                let expected = match collective {
                    Collective::Reduce => others,
                    Collective::ReduceScatter | Collective::ReduceScatterBlock => others * layout.clusters(),
                    // Two messages each way between two heads; three clusters fold, exchange twice, and unfold.
                    Collective::Allreduce => [0, 4, 8][others],
                    _ => layout.clusters() * [0, 1, 2][others],
                };
                assert_eq!(crossings, expected, "{case}");
            }
        }
    }
}

/// Twelve ranks in one cluster need the rounds of a binomial tree, two clusters of them one more.
#[test]
fn a_cluster_takes_the_rounds_of_its_tree() {
    let rounds = |text: &str, sizes: &[u32]| {
        let layout = crate::algorithm::ClusterLayout::of_sizes(sizes);
        clustered(Collective::Bcast, text, &layout, Rank(0)).extent().rounds
    };
    assert_eq!(rounds("two-level:100", &[12]), 4);
    assert_eq!(rounds("two-level:100", &[12, 12]), 5);
    assert_eq!(rounds("two-level:2", &[5, 4]), 4 - 1 + 5);
    assert!(Algorithm::parse(Collective::Bcast, "two-level").is_err());
}
