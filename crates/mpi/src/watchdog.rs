//! Says on standard error when this rank does not get on: whoever started the job finds out
//! from the ranks' reports which of them hangs.
//!
//! A thread of its own looks now and then at a counter of the steps that the rank has
//! entered. It calls no MPI function and sleeps in between, so that it disturbs no timing.

use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use netsig_core::units::{Procs, Rank};

/// It looks so many times within the time-out,
const LOOKS: u32 = 20;

/// but no more often than this.
const SHORTEST_NAP: Duration = Duration::from_millis(20);

/// What a rank tells its watchdog.
#[derive(Clone)]
pub struct Watchdog(Arc<State>);

struct State {
    /// Who and where, as a report begins.
    name: String,
    /// How many steps this rank has entered since it began,
    steps: AtomicU64,
    /// and how many before what is going on: ranks that had no part in something have
    /// entered fewer.
    before: AtomicU64,
    /// How many ranks take part in what is going on; 0 while this one has no part in it.
    among: AtomicU32,
    repetition: AtomicU32,
    activity: Mutex<String>,
}

impl Watchdog {
    /// Watches this rank from now on; it reports after `timeout` without a step.
    pub fn start(rank: Rank, host: &str, timeout: Duration) -> Self {
        let dog = Self(Arc::new(State {
            name: format!("rank={} host={host}", rank.0),
            steps: AtomicU64::new(0),
            before: AtomicU64::new(0),
            among: AtomicU32::new(0),
            repetition: AtomicU32::new(0),
            activity: Mutex::default(),
        }));
        let state = Arc::clone(&dog.0);
        std::thread::spawn(move || state.watch(timeout));
        dog
    }

    /// The first `among` ranks begin something together, from which on steps are counted.
    pub fn enter(&self, activity: String, among: Procs) {
        self.0.before.store(self.steps(), Relaxed);
        self.0.among.store(among.get(), Relaxed);
        self.begin(activity);
    }

    /// A part of it begins.
    pub fn begin(&self, activity: String) {
        *self.0.activity() = activity;
        self.0.repetition.store(0, Relaxed);
        self.step();
    }

    /// This rank enters its next step.
    pub fn step(&self) {
        self.0.steps.fetch_add(1, Relaxed);
    }

    /// This rank enters a repetition.
    pub fn repetition(&self, number: u32) {
        self.0.repetition.store(number, Relaxed);
        self.step();
    }

    /// How many steps this rank has entered since it began.
    pub fn steps(&self) -> u64 {
        self.0.steps.load(Relaxed)
    }

    /// This rank has nothing more to do for now.
    pub fn rest(&self) {
        self.0.among.store(0, Relaxed);
    }
}

impl State {
    fn watch(&self, timeout: Duration) {
        let nap = (timeout / LOOKS).max(SHORTEST_NAP);
        let mut seen = self.steps.load(Relaxed);
        let mut since = Instant::now();
        loop {
            std::thread::sleep(nap);
            let steps = self.steps.load(Relaxed);
            let among = self.among.load(Relaxed);
            if steps != seen || among == 0 {
                (seen, since) = (steps, Instant::now());
            } else if since.elapsed() >= timeout {
                // Without a standard error there is nobody to tell.
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
            self.among.load(Relaxed),
            self.activity(),
            self.repetition.load(Relaxed)
        )
    }

    fn activity(&self) -> std::sync::MutexGuard<'_, String> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_who_is_where() {
        let dog = Watchdog::start(Rank(3), "h3", Duration::from_secs(3600));
        dog.step();
        dog.enter("ping-pong of 1 B".to_owned(), Procs::new(2).unwrap());
        dog.repetition(5);
        assert_eq!(dog.steps(), 3);
        assert_eq!(
            dog.0.report(),
            "@netsig-stall rank=3 host=h3 steps=2 among=2 in=ping-pong of 1 B, repetition 5\n"
        );
    }
}
