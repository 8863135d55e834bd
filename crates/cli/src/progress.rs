//! Progress with time left, on standard error, for whatever takes over two seconds.
//!
//! A measurement is followed through its data file: the volume of the samples in it
//! against the volume of the plan.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use netsig_core::units::Bytes;
use netsig_measure::plan::{Plan, volume};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the data file is looked at.
const GLANCE: Duration = Duration::from_millis(200);

/// What the line begins with that ends a launch.
const LAUNCH_END: &str = "#@launch_";

/// A bar that follows a growing data file. It shows nothing where standard error is no
/// terminal.
pub struct Follower {
    bar: ProgressBar,
    path: PathBuf,
    file: Option<File>,
    /// An incomplete last line.
    rest: String,
    started: Instant,
    looked: Instant,
    done: u64,
    launches_ended: u32,
}

impl Follower {
    /// Follows the data file of `plan` at `path`, which need not exist yet.
    pub fn new(plan: &Plan, path: &Path, what: &str) -> Self {
        let bar = ProgressBar::new(plan.volume());
        let style = "{msg} {wide_bar} {percent:>3} %, {eta} left";
        bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
        bar.set_message(what.to_owned());
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        let now = Instant::now();
        Self {
            bar,
            path: path.to_owned(),
            file: None,
            rest: String::new(),
            started: now,
            looked: now,
            done: 0,
            launches_ended: 0,
        }
    }

    /// Prints a message on standard error without disturbing the bar.
    pub fn say(&self, message: &str) {
        self.bar.suspend(|| eprintln!("{message}"));
    }

    /// How many launches have said in the file that they are complete.
    pub fn launches_ended(&self) -> u32 {
        self.launches_ended
    }

    /// Looks at the file, if it is time to.
    pub fn look(&mut self) {
        if self.looked.elapsed() < GLANCE {
            return;
        }
        self.looked = Instant::now();
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar
                .set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        // What cannot be read now is read at the next look.
        if let Some(file) = &mut self.file {
            let _ = file.read_to_string(&mut self.rest);
        }
        while let Some(end) = self.rest.find('\n') {
            let line = &self.rest[..end];
            self.done += line_volume(line).unwrap_or(0);
            self.launches_ended += u32::from(line.starts_with(LAUNCH_END));
            self.rest.drain(..=end);
        }
        self.bar.set_position(self.done);
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The volume of a data line as netsig writes it; `None` for other lines.
fn line_volume(line: &str) -> Option<u64> {
    let mut fields = line.split(',').skip(3);
    let procs = fields.next()?.parse().ok()?;
    let size = fields.next()?.parse().ok()?;
    Some(volume(procs, Bytes(size)))
}
