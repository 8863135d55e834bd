//! Exchanges and their bounds, rankings and cross-overs.

use netsig_core::algorithm::{Algorithm, COLLECTIVES, Collective};
use netsig_core::model::exchange::{Arc, Exchange, ZeroMessages};
use netsig_core::model::segment::{Search, Segment};
use netsig_core::predict::select::{Binomial, Options, Ranked, Selector, Sources};
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Rank};
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{any_network, as_they_come, counts, hockney, procs, sizes, toy};
use crate::profiles::{of_network, signature};
use crate::seeded;

fn any_zero() -> impl Strategy<Value = ZeroMessages> {
    select(vec![ZeroMessages::Absent, ZeroMessages::Counted])
}

proptest! {
    #![proptest_config(seeded::cases(200))]

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
        let told = exchange.map(drop).map_err(|error| error.to_string());
        let is_right = match &told {
            Ok(()) => are_known && are_unique,
            Err(error) if error.ends_with(" processes; number them from 0") => !are_known,
            Err(error) => error.ends_with(" is listed twice; add its sizes up") && !are_unique,
        };
        prop_assert!(is_right, "{told:?}");
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
        let entries = ["direct", "pairwise"].into_iter().zip(signatures);
        let mut profile = of_network(&network);
        profile.fitted = entries
            .map(|(name, numbers)| signature(name, numbers))
            .collect();
        profile
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
            // Plans, predictions and simulations take the same names, with segments below 2 GiB.
            for name in all.iter().map(Ranked::algorithm).filter(|_| size < 1 << 30) {
                let parsed = Algorithm::parse(collective, &name).unwrap();
                prop_assert_eq!(parsed.to_string(), name);
            }
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

/// The worked choices of `vectors.json`: a broadcast of 1 MiB pipelines, and just below a power
/// of two a binomial scatter beats the flat one.
#[test]
fn the_choices_of_the_literature_come_out() {
    let profile = of_network(&toy());
    let options = Options {
        search: Search::PowersOfTwo,
        ..Options::default()
    };
    for (collective, count, size, name) in [
        (Collective::Bcast, 24, 1 << 20, "pipeline:8192"),
        (Collective::Bcast, 24, 1, "flat"),
        (Collective::Scatter, 24, 64, "flat"),
        (Collective::Scatter, 31, 64, "binomial"),
    ] {
        let selector = Selector::new(Sources::from(&profile), collective, options).unwrap();
        let best = selector.best(procs(count), Bytes(size)).unwrap();
        assert_eq!(best.unwrap().algorithm(), name);
    }
}
