//! The common clock against clocks whose relation is known.

use netsig_base::units::Seconds;
use netsig_measure::clock::{ClockConversion, ClockExchange, ExchangeBurst};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two clocks whose relation is known.
struct ClockTruth {
    offset: f64,
    drift: f64,
}

impl ClockTruth {
    fn common(&self, local: f64) -> f64 {
        local + self.offset + self.drift * local
    }

    /// Ten exchanges whose ways there and back take `ways`, or up to ten times as long.
    fn burst(&self, mut now: f64, ways: [f64; 2], rng: &mut ChaCha8Rng) -> ExchangeBurst {
        let exchange = |_| {
            let [there, back] = ways.map(|way| way * (1.0 + 9.0 * rng.random::<f64>()));
            let (sent, remote) = (Seconds(now), Seconds(self.common(now + there)));
            now += there + back;
            ClockExchange {
                sent,
                remote,
                received: Seconds(now),
            }
        };
        (0..10).map(exchange).collect()
    }
}

proptest! {
    #![proptest_config(crate::seeded::cases(256))]
    #[test]
    fn the_truth_lies_within_the_bound(
        seed: u64,
        offset in -1e6..1e6,
        drift in -9e-5..9e-5,
        ways in [1e-6..1e-3, 1e-6..1e-3],
        starts in prop::collection::vec(0.0..100.0, 1..6),
        at in 0.0..1000.0,
    ) {
        let truth = ClockTruth { offset, drift };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bursts: Vec<ExchangeBurst> =
            starts.iter().map(|&start| truth.burst(start, ways, &mut rng)).collect();
        let clock = ClockConversion::fit(&bursts).unwrap();
        let error = clock.to_common(Seconds(at)).0 - truth.common(at);
        // Doubles resolve 0.1 ns at a million seconds.
        prop_assert!(error.abs() <= clock.error_at(Seconds(at)).0 + 1e-8, "{error}");
    }
}

/// Ways of at least 20 µs, bursts over a minute: the bound must be better than the largest drift of quartz clocks
/// gives.
#[test]
fn the_bound_is_worth_something() {
    let truth = ClockTruth {
        offset: 12.5,
        drift: 4e-5,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut burst = |start| truth.burst(start, [2e-5, 2e-5], &mut rng);
    let one = ClockConversion::fit(&[burst(0.0)]).unwrap();
    assert!(one.error_at(Seconds(0.0)) < Seconds(1e-4));
    assert!(one.error_at(Seconds(60.0)) > Seconds(6e-3));
    let bursts: Vec<ExchangeBurst> = (0..7).map(|i| burst(10.0 * f64::from(i))).collect();
    let many = ClockConversion::fit(&bursts).unwrap();
    assert!(many.error_at(Seconds(30.0)) < Seconds(1e-4));
    assert!(many.error_at(Seconds(120.0)) < Seconds(1e-3));
}

/// A clock that was set forward by a second between two bursts.
#[test]
fn bursts_that_contradict_each_other_make_a_large_bound() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let bursts = [(0.0, 0.0), (1e-3, 1.0), (2e-3, 0.0)].map(|(start, offset)| {
        let drift = 0.0;
        ClockTruth { offset, drift }.burst(start, [1e-5, 1e-5], &mut rng)
    });
    let clock = ClockConversion::fit(&bursts).unwrap();
    assert!(clock.error_at(Seconds(1e-3)) > Seconds(0.49));
}

#[test]
fn without_exchanges_there_is_no_clock_but_that_of_rank_0() {
    assert_eq!(ClockConversion::fit(&[]), None);
    let backwards = ClockExchange {
        sent: Seconds(2.0),
        remote: Seconds(0.0),
        received: Seconds(1.0),
    };
    assert_eq!(ClockConversion::fit(&[Vec::new(), vec![backwards]]), None);
    let rank_0_clock = ClockConversion::default();
    assert_eq!(rank_0_clock.to_common(Seconds(3.5)), Seconds(3.5));
    assert_eq!(rank_0_clock.error_at(Seconds(3.5)), Seconds(0.0));
}
