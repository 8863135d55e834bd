//! A bar on standard error for work of more than two seconds, with the time left if its extent is known.
//! It is invisible if standard error is no terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Minimal duration of work before the bar is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// A bar that disappears when it is dropped.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
}

impl Bar {
    /// A bar for work of this extent; `what` is its label.
    pub fn new(extent: u64, what: &str) -> Self {
        let style = "{msg} {wide_bar} {percent:>3} %, {eta} left";
        Self::of(Some(extent), style, what)
    }

    /// A bar for work of unknown extent.
    pub fn without_end(what: &str) -> Self {
        Self::of(None, "{msg} {elapsed}", what)
    }

    fn of(extent: Option<u64>, style: &str, what: &str) -> Self {
        let style = ProgressStyle::with_template(style).expect("a valid template");
        let bar = ProgressBar::with_draw_target(extent, ProgressDrawTarget::hidden());
        Self {
            bar: bar.with_style(style).with_message(what.to_owned()),
            started: Instant::now(),
        }
    }

    /// Shows that this much is done.
    pub fn reach(&self, done: u64) {
        self.show_if_due();
        self.bar.set_position(done);
    }

    /// Shows that one more is done.
    pub fn advance(&self) {
        self.show_if_due();
        self.bar.inc(1);
    }

    /// Prints a message on standard error without disturbing the bar.
    pub fn say(&self, message: &str) {
        self.bar.suspend(|| eprintln!("{message}"));
    }

    fn show_if_due(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
