//! Exchanges whose sizes differ from pair to pair, predicted from the profile of an all-to-all.

use netsig_base::algorithm::{Collective, LIBRARY, PairSizes, SizePattern};
use netsig_base::units::Bytes;
use netsig_model::predict::{Prediction, PredictionStanding};
use netsig_model::profile::Profile;

use crate::arbitrary::procs;
use crate::regimes::known_exchange;

/// Mean size.
const MEAN: Bytes = Bytes(8192);

fn predict(profile: &Profile, collective: Collective, algorithm: &str, count: u32) -> Prediction {
    let times = profile.predict(collective).algorithm(algorithm);
    let predictor = times.predictor().unwrap();
    predictor.predict(procs(count), MEAN).unwrap()
}

fn width(prediction: Prediction) -> f64 {
    let interval = prediction.interval.unwrap();
    (interval.upper / interval.lower).ln()
}

/// Equal pieces take the time of the all-to-all. Other pieces differ by the bytes of the busiest port (1.90 times
/// among eight) and the number of messages, and are less certain.
#[test]
fn an_alltoall_tells_of_every_alltoallv() {
    let profile = known_exchange();
    let alltoall = predict(&profile, Collective::Alltoall, "direct", 8);
    let equal = predict(&profile, Collective::Alltoallv, "direct", 8);
    assert!((equal.time / alltoall.time - 1.0).abs() < 1e-3);
    assert_eq!(equal.standing, PredictionStanding::Unfitted);
    let skewed = predict(&profile, Collective::AlltoallvSkewed, "direct", 8);
    let ratio = skewed.time / alltoall.time;
    assert!((1.75..1.95).contains(&ratio), "{ratio}");
    assert!(width(skewed) > width(equal) + 0.3);
    // Sparse pieces reach one port from four ranks, and pairs wait for each other.
    let sparse = |algorithm| predict(&profile, Collective::AlltoallvSparse, algorithm, 8).time;
    assert!(sparse("pairwise") > sparse("direct") * 1.2);
    assert!(sparse("windowed:segment=4096,window=2").0 > 0.0);
}

/// A program's own sizes make the time less certain only as far as they are unequal. The measured schedule is more
/// certain than another.
#[test]
fn nearly_equal_sizes_are_nearly_as_certain() {
    let profile = known_exchange();
    let measured = "direct";
    let equal = predict(&profile, Collective::Alltoallv, measured, 8);
    let known = |spread: u64| {
        let pairs = PairSizes::new(procs(8), |from, to| {
            Bytes(MEAN.0 + spread * u64::from((from.0 + to.0) % 2))
        });
        let times = profile.predict(Collective::Alltoallv).algorithm(measured);
        let predictor = times.pairs(&pairs).predictor().unwrap();
        width(predictor.predict(procs(8), pairs.mean()).unwrap())
    };
    let of_spread = [0, MEAN.0 / 20, MEAN.0].map(known);
    assert!((of_spread[0] - width(equal)).abs() < 1e-3, "{of_spread:?}");
    assert!(of_spread[1] < of_spread[0] + 0.05, "{of_spread:?}");
    assert!(of_spread[2] > of_spread[0] + 0.3, "{of_spread:?}");
    let other = predict(&profile, Collective::Alltoallv, "pairwise", 8);
    assert!(width(other) > width(equal) + 0.05);
}

/// The library's own choice is a candidate, with the time that a prediction by its name gives.
#[test]
fn the_library_of_an_alltoallv_ranks_by_its_predicted_time() {
    let profile = known_exchange();
    let predicted = predict(&profile, Collective::Alltoallv, LIBRARY, 8);
    let ranker = profile.rank(Collective::Alltoallv).ranker().unwrap();
    let ranking = ranker.rank(procs(8), MEAN).unwrap();
    let library_candidate = ranking.iter().find(|one| one.algorithm() == LIBRARY);
    let library = library_candidate.unwrap();
    assert!(library.is_eligible());
    assert_eq!(library.prediction, predicted);
}

/// Known sizes give the time of the law by which they were drawn, for their own process count only.
#[test]
fn known_sizes_are_predicted_as_their_law() {
    let profile = known_exchange();
    let laws = [
        (SizePattern::Skewed, Collective::AlltoallvSkewed),
        (SizePattern::Sparse, Collective::AlltoallvSparse),
    ];
    for (law, collective) in laws {
        let pairs = PairSizes::of_pattern(law, procs(8), MEAN).unwrap();
        assert!(pairs.mean().0.abs_diff(MEAN.0) <= 1);
        let known = PairSizes::new(procs(8), |from, to| pairs.get(from, to));
        for algorithm in ["direct", "pairwise", "windowed:segment=4096,window=2"] {
            let of_law = predict(&profile, collective, algorithm, 8);
            let times = profile.predict(Collective::Alltoallv).algorithm(algorithm);
            let predictor = times.pairs(&known).predictor().unwrap();
            let found = predictor.predict(procs(8), known.mean()).unwrap();
            assert!((found.time / of_law.time - 1.0).abs() < 1e-3, "{algorithm}");
            assert!((width(found) - width(of_law)).abs() < 1e-3, "{algorithm}");
            let other = predictor.predict(procs(7), MEAN).unwrap_err();
            assert!(other.to_string().contains("as in the exchange"), "{other}");
        }
    }
}
