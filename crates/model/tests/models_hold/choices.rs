//! Rankings and cross-overs; worked choices are in `vectors.json`.

use netsig_base::algorithm::{Algorithm, COLLECTIVES, Collective, LIBRARY};
use netsig_base::units::{Bytes, Rank};
use netsig_model::model::exchange::{Arc, Exchange, ZeroMessages};
use netsig_model::model::segment::{Search, Segment};
use netsig_model::predict::curve::{Knot, TOLERANCE};
use netsig_model::predict::outside::TooFar;
use netsig_model::predict::request::Binomial;
use netsig_model::predict::select::{CandidateRanker, Ranked};
use netsig_model::profile::Profile;
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{any_network, as_they_come, counts, procs, sizes};
use crate::profiles::{of_network, signature};
use crate::seeded;

/// A file tells its number of processes; a caller may tell too few.
#[test]
fn arcs_of_unknown_processes_are_refused() {
    for (from, to) in [(0, 3), (3, 0)] {
        let (from, to, size) = (Rank(from), Rank(to), Bytes(1));
        let arcs = vec![Arc { from, to, size }];
        let error = Exchange::new(procs(3), arcs, ZeroMessages::Absent).unwrap_err();
        let told = error.to_string();
        assert!(told.ends_with(" processes; number them from 0"), "{told}");
    }
}

fn any_profile() -> impl Strategy<Value = Profile> {
    // u64::MAX as f64 is not a number of bytes.
    let numbers = (0.0..5.0f64, 0.0..0.1f64, 0..1u64 << 60);
    let numbers = numbers.prop_map(|(gamma, delta, size)| [gamma, delta, size as f64]);
    let signatures = prop::collection::vec(numbers, 0..4);
    (any_network(1e-2, as_they_come), signatures).prop_map(|(network, signatures)| {
        let entries = [LIBRARY, "direct", "pairwise"].into_iter().zip(signatures);
        let mut profile = of_network(&network);
        let entries = entries.map(|(name, numbers)| signature(name, numbers));
        profile.fitted = entries.collect();
        profile
    })
}

/// Form of the binomial models, search and unit of the segments.
fn any_options() -> impl Strategy<Value = (Binomial, Search, Segment)> {
    let searches = vec![Search::PowersOfTwo, Search::HillClimbing];
    let readings = vec![Binomial::Printed, Binomial::Exact];
    let datatype = (1..100_000u64).prop_map(|size| Segment::new(Bytes(size)).unwrap());
    (select(readings), select(searches), datatype)
}

/// The candidates, also where they are far from the measurements.
fn ranker(
    profile: &Profile,
    collective: Collective,
    (binomial, search, datatype): (Binomial, Search, Segment),
) -> CandidateRanker<'_> {
    let request = profile.rank(collective).too_far(TooFar::Extrapolated);
    let request = request.binomial(binomial).segments(search, datatype);
    request.ranker().unwrap()
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
            let ranker = ranker(&profile, collective, options);
            let best = ranker.best(count, Bytes(size)).map(|best| best.map(|own| own.algorithm()));
            let Ok(all) = ranker.rank(count, Bytes(size)) else {
                prop_assert!(best.is_err());
                continue;
            };
            prop_assert!(all.len() <= ranker.candidates());
            let mut standing = all.iter().filter(|own| own.stands());
            let library = standing.find(|own| own.algorithm() == LIBRARY);
            let library = library.map(|own| &own.prediction);
            prop_assert!(all.is_sorted_by_key(|own| (!own.stands(), own.prediction.cautious(library, 0.0))));
            prop_assert_eq!(best, Ok(all.first().map(Ranked::algorithm)));
            // Plans, predictions and simulations take the same names, with segments below 2 GiB.
            let own = all.iter().map(Ranked::algorithm).filter(|name| name != LIBRARY);
            for name in own.filter(|_| size < 1 << 30) {
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
            let ranker = ranker(&profile, collective, options);
            let best = |size| {
                let best = ranker.best(procs(count), size).unwrap();
                best.map(|best| best.algorithm())
            };
            let all = ranker.cross_overs(procs(count), &sizes).unwrap();
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

    /// Between the knots of a curve of a fitted algorithm lies what the ranking says, and outside of them nothing.
    #[test]
    fn a_curve_tells_the_times_between_its_knots(
        (profile, count, shares) in (any_profile(), 2..100u32, prop::collection::vec(0.0..1.0f64, 20)),
    ) {
        let ranker = profile.rank(Collective::Alltoall).ranker().unwrap();
        let most = Bytes(1 << 20);
        let curves = ranker.curves(procs(count), [Bytes(1), most]).unwrap();
        let fitted = profile.algorithms(Collective::Alltoall);
        for curve in curves.iter().filter(|curve| fitted.contains(&&*curve.family)) {
            for share in &shares {
                let size = Bytes::rounded(most.as_f64().powf(*share));
                let ranked = ranker.rank(procs(count), size).unwrap();
                let own = ranked.iter().find(|one| one.family() == curve.family && one.stands());
                let told = interpolated(&curve.knots, size);
                prop_assert_eq!(told.is_some(), own.is_some());
                for (told, own) in told.into_iter().zip(own) {
                    let time = own.prediction.time.0;
                    let is_near = (time * (-3.0 * TOLERANCE).exp()..=time * (3.0 * TOLERANCE).exp()).contains(&told);
                    prop_assert!(is_near, "{} {size}: {told} for {time}", curve.family);
                }
            }
        }
    }
}

/// The time at a size, linear between the knots in the logarithms of both.
fn interpolated(knots: &[Knot], size: Bytes) -> Option<f64> {
    let after = knots.partition_point(|knot| knot.size <= size);
    let before = &knots[after.checked_sub(1)?];
    if before.size == size {
        return Some(before.prediction.time.0);
    }
    let next = knots.get(after).filter(|_| before.goes_on)?;
    // Where a network takes no time, its logarithm is none.
    if before.prediction.time == next.prediction.time {
        return Some(before.prediction.time.0);
    }
    let of = |knot: &Knot| (knot.size.as_f64().ln(), knot.prediction.time.0.ln());
    let ((x, y), (u, v)) = (of(before), of(next));
    Some((y + (v - y) * (size.as_f64().ln() - x) / (u - x)).exp())
}
