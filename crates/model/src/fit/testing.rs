//! Data for the tests of estimators.

use netsig_base::data::{Dataset, Experiment, LaunchCell};
use netsig_base::stats::interval::Variance;
use netsig_base::units::{Bytes, Seconds};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::MeasuredPoint;
use super::medians::SizeMedian;
use crate::regimes::fit::observation::CellObservation;
use crate::testing::procs;

/// True if a value differs from the expected one by at most this share.
pub(crate) fn is_close(value: f64, expected: f64, tolerance: f64) -> bool {
    (value / expected - 1.0).abs() < tolerance
}

/// A ping-pong with a spread of 1 %.
pub(crate) fn points(times: &[(u64, f64)]) -> Vec<MeasuredPoint> {
    let point = |&(size, time): &(u64, f64)| MeasuredPoint {
        procs: procs(2),
        size: Bytes(size),
        time: Seconds(time),
        deviation: Seconds(time / 100.0),
        repetitions: 10,
    };
    times.iter().map(point).collect()
}

/// Samples between two processes: experiment, size, launch, time.
pub(crate) fn data(rows: impl IntoIterator<Item = (Experiment, u64, u32, f64)>) -> Dataset {
    let sample = |(experiment, size, launch, time)| {
        let place = LaunchCell {
            experiment,
            algorithm: "".into(),
            procs: procs(2),
            size: Bytes(size),
            launch,
        };
        place.sample(0, Seconds(time))
    };
    Dataset {
        samples: rows.into_iter().map(sample).collect(),
        ..Dataset::default()
    }
}

/// The repetitions of a collective.
pub(crate) fn observed(count: u32, size: u64, times: &[f64]) -> CellObservation {
    let times: Vec<Seconds> = times.iter().copied().map(Seconds).collect();
    CellObservation::of(procs(count), Bytes(size), &times)
}

/// Numbers with a standard normal distribution.
pub(crate) fn normal(seed: u64) -> impl FnMut() -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move || StandardNormal.sample(&mut rng)
}

/// Times whose logarithms are off by `noise`.
pub(crate) fn noisy_medians(times: impl IntoIterator<Item = (u64, f64)>, noise: f64, seed: u64) -> Vec<SizeMedian> {
    let mut error = normal(seed);
    let size_median = |(size, time)| {
        let time = Seconds(time * (noise * error()).exp());
        SizeMedian {
            size: Bytes(size),
            time,
            variance: Variance {
                value: (noise * time.0).powi(2),
                dof: 10.0,
            },
            between_launches_dof: 0.0,
            shortest: time,
        }
    };
    times.into_iter().map(size_median).collect()
}

/// No bytes, and powers of two up to 2^last.
pub(crate) fn doubling(last: u32) -> Vec<u64> {
    let powers = (0..=last).map(|i| 1 << i);
    [0].into_iter().chain(powers).collect()
}
