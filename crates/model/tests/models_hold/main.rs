//! Invariants of every model for any numbers: a finite time or an error that names
//! value and rule, never a panic; times that do not fall where sizes or process counts grow;
//! choices that agree with their ranking; fits that find the truth; texts that survive being
//! written.

mod arbitrary;
mod choices;
mod field;
mod fits;
mod pair_sizes;
mod pairs;
mod profiles;
mod regime_profiles;
mod regimes;
#[path = "../../../base/tests/seeded/mod.rs"]
mod seeded;
mod segments;
mod signatures;
mod texts;
mod times;
