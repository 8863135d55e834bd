//! Exchanges and their bounds, rankings and cross-overs.

use netsig_core::algorithm::{COLLECTIVES, Collective};
use netsig_core::model::exchange::{Arc, Exchange, ZeroMessages};
use netsig_core::model::segment::{Search, Segment};
use netsig_core::predict::select::{Binomial, Options, Ranked, Selector, Sources};
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Rank};
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{any_network, as_they_come, counts, hockney, procs, sizes};
use crate::profiles::{of_network, signature};
use crate::seeded;

fn any_zero() -> impl Strategy<Value = ZeroMessages> {
    select(vec![ZeroMessages::Absent, ZeroMessages::Counted])
}

proptest! {
    #![proptest_config(seeded::cases(200))]

    /// Claims 1 and 2 are parts of the bound of one process, that is no more than Claim 3,
    /// and a schedule in lock-step takes all start-ups and the largest of each step.
    #[test]
    fn bounds_are_in_their_order(
        rows in (1..7usize).prop_flat_map(|n| {
            prop::collection::vec(prop::collection::vec(prop_oneof![Just(0), sizes()], n), n)
        }),
        (alpha, beta, zero) in (0.0..1e-2f64, 0.0..1e-6f64, any_zero()),
    ) {
        let base = hockney(alpha, beta);
        let row = |row: &Vec<u64>| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let text = rows.iter().map(row).collect::<Vec<_>>().join("\n");
        let exchange = Exchange::parse("a matrix", &text, zero).unwrap();
        let bounds = exchange.bounds(&base);
        prop_assert!(bounds.claim1 <= bounds.per_vertex && bounds.claim2 <= bounds.per_vertex);
        prop_assert!(bounds.per_vertex <= bounds.claim3);
        prop_assert!(bounds.claim3 <= exchange.direct_exchange_sync(&base));
    }

    #[test]
    fn what_is_no_list_of_arcs_is_refused(
        arcs in prop::collection::vec((0..4u32, 0..4u32, sizes()), 0..6),
        (count, zero) in (1..5u32, any_zero()),
    ) {
        let mut ends: Vec<_> = arcs.iter().map(|arc| (arc.0, arc.1)).collect();
        let are_known = ends.iter().all(|&(from, to)| from < count && to < count);
        ends.retain(|(from, to)| from != to);
        ends.sort_unstable();
        let are_unique = ends.windows(2).all(|pair| pair[0] != pair[1]);
        let arc = |&(from, to, size): &_| Arc { from: Rank(from), to: Rank(to), size: Bytes(size) };
        let exchange = Exchange::new(procs(count), arcs.iter().map(arc).collect(), zero);
        prop_assert_eq!(exchange.is_ok(), are_known && are_unique);
    }

    #[test]
    fn no_text_makes_the_reader_of_exchanges_panic(
        text in r#"(from,to,size_bytes\n)?([0-9]{0,21}|[,\n# "a-]|16777215|-1|\PC){0,24}"#,
        zero in any_zero(),
    ) {
        match Exchange::parse("x.csv", &text, zero) {
            Ok(exchange) => {
                let bounds = exchange.bounds(&hockney(1e-4, 1e-8));
                prop_assert!(bounds.claim3.0.is_finite());
            }
            Err(error) => prop_assert!(error.to_string().starts_with("x.csv:")),
        }
    }
}

fn any_profile() -> impl Strategy<Value = Profile> {
    // u64::MAX as f64 is not a number of bytes.
    let numbers = (0.0..5.0f64, 0.0..0.1f64, 0..1u64 << 60);
    let numbers = numbers.prop_map(|(gamma, delta, size)| [gamma, delta, size as f64]);
    let signatures = prop::collection::vec(numbers, 0..3);
    (any_network(1e-2, as_they_come), signatures).prop_map(|(network, signatures)| {
        let entries = signatures.into_iter().enumerate();
        Profile {
            fitted: entries
                .map(|(i, numbers)| signature(&i.to_string(), numbers))
                .collect(),
            ..of_network(&network)
        }
    })
}

fn any_options() -> impl Strategy<Value = Options> {
    let searches = vec![Search::PowersOfTwo, Search::HillClimbing];
    let readings = vec![Binomial::Printed, Binomial::Exact];
    (select(readings), select(searches), 1..100_000u64).prop_map(|(binomial, search, datatype)| {
        let datatype = Segment::new(Bytes(datatype)).unwrap();
        Options {
            binomial,
            search,
            datatype,
        }
    })
}

proptest! {
    #![proptest_config(seeded::cases(32))]

    #[test]
    fn the_best_is_the_first_of_an_ascending_ranking(
        (profile, options) in (any_profile(), any_options()),
        (count, size) in (counts(), sizes()),
    ) {
        let count = procs(count.min(10_000));
        for &collective in COLLECTIVES {
            let selector = Selector::new(Sources::from(&profile), collective, options).unwrap();
            let best = selector.best(count, Bytes(size)).map(|best| best.map(|own| own.algorithm()));
            let Ok(all) = selector.rank(count, Bytes(size)) else {
                prop_assert!(best.is_err());
                continue;
            };
            prop_assert!(all.len() <= selector.candidates());
            prop_assert!(all.is_sorted_by_key(|own| (!own.stands(), own.prediction.time)));
            prop_assert_eq!(best, Ok(all.first().map(Ranked::algorithm)));
        }
    }

    /// The best candidate changes at every cross-over, and has changed between two sizes
    /// only if there is one between them.
    #[test]
    fn a_cross_over_is_where_the_best_changes(
        (profile, options) in (any_profile(), any_options()),
        (count, mut sizes) in (1..1000u32, prop::collection::vec(0..1u64 << 50, 1..4)),
    ) {
        sizes.sort_unstable();
        let sizes: Vec<Bytes> = sizes.into_iter().map(Bytes).collect();
        for collective in [Collective::Bcast, Collective::Scatter, Collective::Alltoall] {
            let selector = Selector::new(Sources::from(&profile), collective, options).unwrap();
            let best = |size| {
                let best = selector.best(procs(count), size).unwrap();
                best.map(|best| best.algorithm())
            };
            let all = selector.cross_overs(procs(count), &sizes).unwrap();
            prop_assert!(all.windows(2).all(|pair| pair[0].size < pair[1].size));
            for change in &all {
                prop_assert_eq!(best(Bytes(change.size.0 - 1)), Some(change.from.algorithm()));
                prop_assert_eq!(best(change.size), Some(change.to.algorithm()));
            }
            let entry = |name: Option<String>| {
                name.map(|name| name.split(':').next().map(str::to_owned))
            };
            let [first, last] = [sizes[0], sizes[sizes.len() - 1]].map(|size| entry(best(size)));
            let reached = all.last().map_or(first, |change| entry(Some(change.to.algorithm())));
            prop_assert_eq!(reached, last);
        }
    }
}
