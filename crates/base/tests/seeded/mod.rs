//! Cases of property tests, the same in every run.

use proptest::test_runner::{Config, RngSeed};

/// The default of `PROPTEST_CASES`.
const DEFAULT_CASES: u32 = 256;

/// A configuration of `count` cases, as many times more as `PROPTEST_CASES` exceeds its default,
/// from a fixed seed; `PROPTEST_RNG_SEED` sets another seed.
pub fn cases(count: u32) -> Config {
    let config = Config::default();
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given @ RngSeed::Fixed(_) => given,
    };
    let cases = count * config.cases.div_ceil(DEFAULT_CASES);
    Config {
        cases,
        rng_seed,
        ..config
    }
}
