//! Reports on standard error if this rank makes no progress, so that the program that started the
//! job can name the hanging rank.
//!
//! A thread checks a counter of the steps that the rank has entered. It calls no MPI function and
//! sleeps between checks, so that it does not disturb measurements.

use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use itertools::Itertools;
use netsig_base::units::Rank;

/// Number of checks within the time-out.
const CHECKS_PER_TIMEOUT: u32 = 20;

/// Lower bound of the time between checks.
const SHORTEST_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// State shared by a rank and its watchdog thread.
#[derive(Clone)]
pub struct Watchdog(Arc<WatchdogState>);

struct WatchdogState {
    /// Rank and host, the beginning of a report.
    name: String,
    /// Number of steps that this rank has entered.
    steps: AtomicU64,
    /// Value of `steps` at the start of the current activity: ranks that did not take part in
    /// earlier activities have entered fewer steps.
    before: AtomicU64,
    /// Ranks in the current activity, joined by commas; empty if this rank takes no part.
    among: Mutex<String>,
    repetition: AtomicU32,
    activity: Mutex<String>,
}

impl Watchdog {
    /// Starts the watchdog of this rank; it reports after `timeout` without a step.
    pub fn start(rank: Rank, host: &str, timeout: Duration) -> Self {
        let dog = Self(Arc::new(WatchdogState {
            name: format!("rank={} host={host}", rank.0),
            steps: AtomicU64::new(0),
            before: AtomicU64::new(0),
            among: Mutex::default(),
            repetition: AtomicU32::new(0),
            activity: Mutex::default(),
        }));
        let state = Arc::clone(&dog.0);
        std::thread::spawn(move || state.watch(timeout));
        dog
    }

    /// Begins an activity of the ranks `among`; reports count the steps from here.
    pub fn enter(&self, activity: String, among: &[u32]) {
        self.0.before.store(self.steps(), Relaxed);
        *self.0.lock_among() = among.iter().join(",");
        self.begin(activity);
    }

    /// Begins a part of the activity.
    pub fn begin(&self, activity: String) {
        *self.0.lock_activity() = activity;
        self.0.repetition.store(0, Relaxed);
        self.step();
    }

    /// Counts a step of this rank.
    pub fn step(&self) {
        self.0.steps.fetch_add(1, Relaxed);
    }

    /// Counts a repetition of this rank as a step.
    pub fn repetition(&self, number: u32) {
        self.0.repetition.store(number, Relaxed);
        self.step();
    }

    /// Number of steps that this rank has entered.
    pub fn steps(&self) -> u64 {
        self.0.steps.load(Relaxed)
    }

    /// Ends this rank's part in the activity.
    pub fn leave_activity(&self) {
        self.0.lock_among().clear();
    }
}

impl WatchdogState {
    fn watch(&self, timeout: Duration) {
        let interval = (timeout / CHECKS_PER_TIMEOUT).max(SHORTEST_CHECK_INTERVAL);
        let mut seen = self.steps.load(Relaxed);
        let mut since = Instant::now();
        loop {
            std::thread::sleep(interval);
            let steps = self.steps.load(Relaxed);
            if steps != seen || self.lock_among().is_empty() {
                (seen, since) = (steps, Instant::now());
            } else if since.elapsed() >= timeout {
                // A failure to write to standard error cannot be reported.
                let _ = std::io::stderr().write_all(self.report().as_bytes());
                since = Instant::now();
            }
        }
    }

    fn report(&self) -> String {
        format!(
            "@netsig-stall {} steps={} among={} in={}, repetition {}\n",
            self.name,
            self.steps.load(Relaxed) - self.before.load(Relaxed),
            self.lock_among(),
            self.lock_activity(),
            self.repetition.load(Relaxed)
        )
    }

    fn lock_activity(&self) -> MutexGuard<'_, String> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_among(&self) -> MutexGuard<'_, String> {
        self.among.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_who_is_where() {
        let dog = Watchdog::start(Rank(3), "h3", Duration::from_secs(3600));
        dog.step();
        dog.enter("ping-pong of 1 B".to_owned(), &[0, 1]);
        dog.repetition(5);
        assert_eq!(dog.steps(), 3);
        assert_eq!(
            dog.0.report(),
            "@netsig-stall rank=3 host=h3 steps=2 among=0,1 in=ping-pong of 1 B, repetition 5\n"
        );
    }
}
