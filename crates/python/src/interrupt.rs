//! Ctrl-C during long work: cases end early, and Python raises the interrupt.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

/// Number of cases between two checks for an interrupt.
const CASES_BETWEEN_CHECKS: usize = 1 << 13;

/// Iteration over cases that ends when Python is interrupted.
#[derive(Default)]
pub struct Interruptible {
    is_raised: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Interruptible {
    /// The cases up to an interrupt.
    pub fn take_until_interrupt<T>(&self, cases: impl Iterator<Item = T> + Clone) -> impl Iterator<Item = T> + Clone {
        let numbered = cases.enumerate();
        let goes_on = |(number, case): (usize, T)| {
            (number % CASES_BETWEEN_CHECKS != CASES_BETWEEN_CHECKS - 1 || self.may_go_on()).then_some(case)
        };
        numbered.map_while(goes_on)
    }

    /// The cases up to an interrupt, with a check before each, because each takes long.
    pub fn take_slow_until_interrupt<T>(&self, cases: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        cases.map_while(|case| self.may_go_on().then_some(case))
    }

    /// Checks for an interrupt; false if there was one.
    fn may_go_on(&self) -> bool {
        if self.is_raised.load(Ordering::Relaxed) {
            return false;
        }
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method alone is not general enough"
        )]
        let found = Python::attach(|py| py.check_signals());
        let Err(error) = found else {
            return true;
        };
        self.is_raised.store(true, Ordering::Relaxed);
        *self.error.lock().expect("nobody panics with it") = Some(error);
        false
    }

    /// Raises the interrupt, if there was one.
    ///
    /// # Errors
    /// If there was one.
    pub fn check(self) -> PyResult<()> {
        let error = self.error.into_inner().expect("nobody panics with it");
        error.map_or(Ok(()), Err)
    }
}
