//! A bar on standard error for work of more than two seconds, with the time left if its extent is known.
//! It is invisible if standard error is no terminal, and with --quiet.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use netsig_base::text::note::Note;

use crate::print::notes::print_note;

use crate::input::verbosity;

/// Minimal duration of work before the bar is shown.
const DELAY_BEFORE_BAR: Duration = Duration::from_secs(2);

/// A bar that disappears when it is dropped.
#[derive(Debug)]
pub struct ProgressDisplay {
    bar: ProgressBar,
    started: Instant,
}

impl ProgressDisplay {
    /// A bar for work of this extent.
    pub fn new(extent: u64, label: &str) -> Self {
        let style = "{msg} {wide_bar} {percent:>3} %, {eta} left";
        Self::of(Some(extent), style, label)
    }

    /// A bar for work of unknown extent.
    pub fn of_unknown_extent(label: &str) -> Self {
        Self::of(None, "{msg} {elapsed}", label)
    }

    fn of(extent: Option<u64>, template: &str, label: &str) -> Self {
        let style = ProgressStyle::with_template(template).expect("a valid template");
        let bar = ProgressBar::with_draw_target(extent, ProgressDrawTarget::hidden());
        Self {
            bar: bar.with_style(style).with_message(label.to_owned()),
            started: Instant::now(),
        }
    }

    /// Shows that this much is done.
    pub fn set_done(&self, done: u64) {
        self.show_if_due();
        self.bar.set_position(done);
    }

    /// Shows that this much more is done.
    pub fn advance(&self, more: u64) {
        self.show_if_due();
        self.bar.inc(more);
    }

    /// Prints a message on standard error without disturbing the bar.
    pub fn print_message(&self, message: &str) {
        self.bar.suspend(|| eprintln!("{message}"));
    }

    /// Prints a note without disturbing the bar.
    pub fn print_note(&self, note: &Note) {
        self.bar.suspend(|| print_note(note));
    }

    fn show_if_due(&self) {
        if self.bar.is_hidden() && !verbosity::is_quiet() && self.started.elapsed() > DELAY_BEFORE_BAR {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
