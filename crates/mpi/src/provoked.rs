//! Provoked failures, to test netsig's reactions. `NETSIG_TEST_FAULT` in the environment of the ranks names one, see
//! CONTRIBUTING.md.

use std::time::Duration;

use anyhow::{Context, Result};
use netsig_base::units::Rank;
use nix::sys::signal::{Signal, raise};
use strum::EnumString;

const VARIABLE: &str = "NETSIG_TEST_FAULT";

/// The failure to provoke on this rank, if any, and its step.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ProvokedFailure(Option<(FailureKind, u64)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
enum FailureKind {
    /// The rank stops for ever.
    Hang,
    /// The rank dies.
    Die,
    /// The rank sends wrong data, once.
    Corrupt,
}

impl ProvokedFailure {
    /// Reads the failure of `rank` from the environment.
    ///
    /// # Errors
    /// If the value is not `hang:RANK:STEP`, `die:RANK:STEP` or `corrupt:RANK:STEP`.
    pub fn from_environment(rank: Rank) -> Result<Self> {
        match std::env::var(VARIABLE) {
            Ok(text) => Self::parse(&text, rank)
                .with_context(|| format!("{VARIABLE}={text:?} is no fault; write hang:RANK:STEP, die:… or corrupt:…")),
            Err(_) => Ok(Self(None)),
        }
    }

    fn parse(text: &str, mine: Rank) -> Option<Self> {
        let (kind, place) = text.split_once(':')?;
        let (rank, step) = place.split_once(':')?;
        let (kind, rank, step) = (kind.parse().ok()?, rank.parse().ok()?, step.parse().ok()?);
        Some(Self((mine == Rank(rank)).then_some((kind, step))))
    }

    /// Hangs or dies if `step`, which is about to begin, is the step of the failure or a later one.
    pub fn fail_before(&self, step: u64) {
        match self.0 {
            Some((FailureKind::Hang, at)) if step >= at => sleep_for_ever(),
            Some((FailureKind::Die, at)) if step >= at => {
                let _ = raise(Signal::SIGKILL);
                sleep_for_ever()
            }
            _ => {}
        }
    }

    /// The repetition number for the label of this rank's data in `step`: `repetition`, but once another number, which
    /// corrupts the data.
    pub fn label(&mut self, step: u64, repetition: u32) -> u32 {
        match self.0 {
            Some((FailureKind::Corrupt, at)) if step >= at => {
                self.0 = None;
                !repetition
            }
            _ => repetition,
        }
    }
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_corrupt_once_on_one_rank() {
        let mut provoked = ProvokedFailure::parse("corrupt:2:10", Rank(2)).unwrap();
        assert_eq!(provoked.label(9, 4), 4);
        assert_ne!(provoked.label(11, 5), 5);
        assert_eq!(provoked.label(12, 6), 6);
        assert_eq!(
            ProvokedFailure::parse("corrupt:2:10", Rank(1)),
            Some(ProvokedFailure(None))
        );
        for text in ["", "hang", "hang:1", "burn:1:2", "die:x:1"] {
            assert_eq!(ProvokedFailure::parse(text, Rank(0)), None, "{text}");
        }
    }
}
