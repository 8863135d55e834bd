//! Whether tests take their long forms, as in `make test-all`.

/// True with `NETSIG_TESTS=all`.
// The pure crates may not read the environment; their tests may.
#[allow(clippy::disallowed_methods)]
pub fn is_long_form() -> bool {
    std::env::var_os("NETSIG_TESTS").is_some_and(|value| value == "all")
}
