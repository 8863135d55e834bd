//! Cases of property tests, the same in every run.

use proptest::test_runner::{Config, RngSeed};

/// A configuration of `count` cases, eight times as many if `NETSIG_TESTS=all`, from a fixed seed;
/// `PROPTEST_RNG_SEED` sets another seed.
pub fn cases(count: u32) -> Config {
    let takes_all = std::env::var_os("NETSIG_TESTS").is_some_and(|value| value == "all");
    let config = Config::with_cases(if takes_all { 8 * count } else { count });
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given @ RngSeed::Fixed(_) => given,
    };
    Config { rng_seed, ..config }
}
