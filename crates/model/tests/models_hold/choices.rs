//! Rankings and cross-overs; worked choices are in `vectors.json`.

use netsig_base::algorithm::{Algorithm, COLLECTIVES, Collective, LIBRARY};
use netsig_base::units::{Bytes, Rank, Seconds};
use netsig_model::model::exchange::{ExchangeArc, MessageExchange, ZeroMessages};
use netsig_model::model::segment::{Segment, SegmentSearch};
use netsig_model::predict::HeldBack;
use netsig_model::predict::curve::{CurveKnot, TOLERANCE};
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::request::BinomialForm;
use netsig_model::predict::select::{CandidateRanker, RankedCandidate};
use netsig_model::profile::Profile;
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{any_network, counts, procs, sizes, unchanged};
use crate::profiles::{of_network, signature};
use crate::seeded;

/// A file determines its number of processes; a caller may give too few.
#[test]
fn arcs_of_unknown_processes_are_refused() {
    for (from, to) in [(0, 3), (3, 0)] {
        let (from, to, size) = (Rank(from), Rank(to), Bytes(1));
        let arcs = vec![ExchangeArc { from, to, size }];
        let error = MessageExchange::new(procs(3), arcs, ZeroMessages::Absent).unwrap_err();
        let error_text = error.to_string();
        assert!(error_text.ends_with(" processes; number them from 0"), "{error_text}");
    }
}

fn any_profile() -> impl Strategy<Value = Profile> {
    // u64::MAX as f64 is not a number of bytes.
    let ranges = (0.0..5.0f64, 0.0..0.1f64, 0..1u64 << 60);
    let numbers = ranges.prop_map(|(gamma, delta, size)| [gamma, delta, size as f64]);
    let signatures = prop::collection::vec(numbers, 0..4);
    (any_network(1e-2, unchanged), signatures).prop_map(|(network, signatures)| {
        let named_signatures = [LIBRARY, "direct", "pairwise"].into_iter().zip(signatures);
        let mut profile = of_network(&network);
        let entries = named_signatures.map(|(name, numbers)| signature(name, numbers));
        profile.fitted = entries.collect();
        profile
    })
}

/// Form of the binomial models, search and unit of the segments.
#[derive(Debug, Clone, Copy)]
struct RankingOptions {
    binomial: BinomialForm,
    search: SegmentSearch,
    datatype: Segment,
}

fn any_options() -> impl Strategy<Value = RankingOptions> {
    let searches = vec![SegmentSearch::PowersOfTwo, SegmentSearch::HillClimbing];
    let readings = vec![BinomialForm::Printed, BinomialForm::Exact];
    let datatype = (1..100_000u64).prop_map(|size| Segment::new(Bytes(size)).unwrap());
    (select(readings), select(searches), datatype).prop_map(|(binomial, search, datatype)| RankingOptions {
        binomial,
        search,
        datatype,
    })
}

/// The ranker of the candidates, also far from the measurements.
fn ranker(profile: &Profile, collective: Collective, options: RankingOptions) -> CandidateRanker<'_> {
    let far_request = profile.rank(collective).too_far(ExtrapolationRule::Extrapolated);
    far_request
        .binomial(options.binomial)
        .segments(options.search, options.datatype)
        .ranker()
        .unwrap()
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
            let best = ranker.best(count, Bytes(size)).map(|best| best.map(|candidate| candidate.algorithm()));
            let Ok(all) = ranker.rank(count, Bytes(size)) else {
                prop_assert!(best.is_err());
                continue;
            };
            prop_assert!(all.len() <= ranker.candidate_count());
            let mut standing = all.iter().filter(|candidate| candidate.is_eligible());
            let library_candidate = standing.find(|candidate| candidate.algorithm() == LIBRARY);
            let library = library_candidate.map(|candidate| &candidate.prediction);
            prop_assert!(all.is_sorted_by_key(|candidate| (!candidate.is_eligible(), candidate.prediction.cautious_time(library, 0.0))));
            prop_assert_eq!(best, Ok(all.first().map(RankedCandidate::algorithm)));
            // Plans, predictions and simulations take the same names, with segments below 2 GiB.
            let candidate_names = all.iter().map(RankedCandidate::algorithm).filter(|name| name != LIBRARY);
            for name in candidate_names.filter(|_| size < 1 << 30) {
                let parsed = Algorithm::parse(collective, &name).unwrap();
                prop_assert_eq!(parsed.to_string(), name);
            }
        }
    }

    /// A reason is given where an algorithm stands behind one with a longer time, and nowhere else. A note names an
    /// algorithm that was never measured and stands before all measured ones.
    #[test]
    fn an_order_against_the_times_has_a_reason(
        (profile, options) in (any_profile(), any_options()),
        (count, size) in (counts(), sizes()),
    ) {
        let count = procs(count.min(10_000));
        for &collective in COLLECTIVES {
            let ranker = ranker(&profile, collective, options);
            let answer = ranker.answer([(count, Bytes(size))]);
            for ranking in &answer.found {
                let mut longest = Seconds(0.0);
                for place in ranking.places() {
                    let (one, time) = (place.candidate, place.candidate.prediction.time);
                    prop_assert_eq!(place.held_back.is_some(), time < longest);
                    longest = if time < longest { longest } else { time };
                    let is_eligible = matches!(place.held_back, Some(HeldBack::LessSure | HeldBack::UnsureGain));
                    prop_assert!(place.held_back.is_none() || one.is_eligible() == is_eligible);
                }
                let first = &ranking.ranked[0];
                let is_noted = answer.limits.iter().any(|note| note.to_string().contains("was never measured"));
                let is_unmeasured = first.is_eligible() && !first.is_measured();
                prop_assert_eq!(is_noted, is_unmeasured && ranking.best_measured().is_some());
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
            let cross_overs = ranker.cross_overs(procs(count), &sizes).unwrap();
            prop_assert!(cross_overs.windows(2).all(|pair| pair[0].size < pair[1].size));
            for change in &cross_overs {
                prop_assert_eq!(best(Bytes(change.size.0 - 1)), Some(change.from.algorithm()));
                prop_assert_eq!(best(change.size), Some(change.to.algorithm()));
            }
            let entry = |name: Option<String>| {
                name.map(|name| name.split(':').next().map(str::to_owned))
            };
            let [first, last] = [sizes[0], sizes[sizes.len() - 1]].map(|size| entry(best(size)));
            let reached = cross_overs.last().map_or(first, |change| entry(Some(change.to.algorithm())));
            prop_assert_eq!(reached, last);
        }
    }

    /// Between its knots the curve of a fitted algorithm has the times of the ranking; outside it has none.
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
                let candidate = ranked.iter().find(|one| one.family() == curve.family && one.is_eligible());
                let curve_times = interpolated(&curve.knots, size);
                prop_assert_eq!(curve_times.is_some(), candidate.is_some());
                for (curve_time, candidate) in curve_times.into_iter().zip(candidate) {
                    let time = candidate.prediction.time.0;
                    let is_near = (time * (-3.0 * TOLERANCE).exp()..=time * (3.0 * TOLERANCE).exp()).contains(&curve_time);
                    prop_assert!(is_near, "{} {size}: {curve_time} for {time}", curve.family);
                }
            }
        }
    }
}

/// The time at a size, linear between the knots in the logarithms of both.
fn interpolated(knots: &[CurveKnot], size: Bytes) -> Option<f64> {
    let after = knots.partition_point(|knot| knot.size <= size);
    let before = &knots[after.checked_sub(1)?];
    if before.size == size {
        return Some(before.prediction.time.0);
    }
    let next = knots.get(after).filter(|_| before.is_continued)?;
    // Where a network takes no time, its logarithm is none.
    if before.prediction.time == next.prediction.time {
        return Some(before.prediction.time.0);
    }
    let logarithms = |knot: &CurveKnot| (knot.size.as_f64().ln(), knot.prediction.time.0.ln());
    let ((x, y), (u, v)) = (logarithms(before), logarithms(next));
    Some((y + (v - y) * (size.as_f64().ln() - x) / (u - x)).exp())
}
