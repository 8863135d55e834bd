//! The calls on a communicator: what was decided for them, whose turn a call is, and their times.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use netsig_base::algorithm::Collective;
use netsig_base::units::Procs;

use crate::call::{Length, Refused};
use crate::choice::{Certainty, Decision};
use crate::report::{Ledger, Tally};
use crate::size_class::{Place, class};
use crate::trial::{Part, Runs, Sides, Trial};
use crate::verdicts::TrialVerdict;

/// Calls of an alltoallv after which its sizes are looked at anew, at the latest.
const LONGEST_TRUST: u64 = 64;

/// The calls on a communicator. All ranks change it alike.
#[derive(Default)]
pub struct Calls {
    /// By collective and class of sizes, one for each algorithm that ran, the last one in force: other
    /// exchanges of a class may be decided otherwise.
    entries: BTreeMap<Place, Vec<Entry>>,
    passed: BTreeMap<(Collective, &'static str), Tally>,
    /// The collectives that were called, and why all their calls are passed on, if they are.
    met: BTreeMap<Collective, Option<&'static str>>,
    /// Number of calls of `MPI_Alltoallv`, and the class of the last one that was looked at.
    by_pair: (u64, u32),
}

/// Calls of one class of sizes.
struct Entry {
    decision: Arc<Decision>,
    tally: Tally,
    /// The comparison with the library; none of an algorithm that the user gives.
    trial: Option<Trial>,
    /// The times of a comparison on this rank in nanoseconds.
    times: Sides<u64>,
}

/// What is to be done with a call.
pub enum Turn {
    /// It is passed on.
    Passed(&'static str),
    /// It was decided before.
    Decided(Place, Arc<Decision>),
    /// All ranks must agree.
    Open,
}

impl Calls {
    /// What is to be done with a call: the first of a collective is agreed on whatever its arguments are.
    pub fn turn(&mut self, collective: Collective, length: Result<Length, Refused>) -> Turn {
        let place = match length {
            Ok(Length::Piece(size)) => Some((collective, class(size.0))),
            _ if collective == Collective::Alltoallv => self.trusted(),
            _ => None,
        };
        match self.met.get(&collective) {
            Some(Some(reason)) => return Turn::Passed(reason),
            None => return Turn::Open,
            Some(None) => {}
        }
        let passed = match length {
            _ if collective == Collective::Alltoallv => None,
            Ok(length) => length.passed(),
            Err(Refused) => Some(Refused::REASON),
        };
        if let Some(reason) = passed {
            return Turn::Passed(reason);
        }
        let found = place.and_then(|place| Some((place, self.entries.get(&place)?.last()?)));
        found.map_or(Turn::Open, |(place, entry)| {
            Turn::Decided(place, Arc::clone(&entry.decision))
        })
    }

    /// The place of an alltoallv whose sizes need not be looked at: they are at the calls 0, 1, 2, 4 and so
    /// on, and at every 64th. All ranks count the calls of a communicator alike.
    fn trusted(&mut self) -> Option<Place> {
        let (calls, class) = &mut self.by_pair;
        let is_due = calls.is_power_of_two() || calls.is_multiple_of(LONGEST_TRUST);
        *calls += 1;
        (!is_due).then_some((Collective::Alltoallv, *class))
    }

    /// True if a collective was called before.
    pub fn has_met(&self, collective: Collective) -> bool {
        self.met.contains_key(&collective)
    }

    /// Notes that a collective was called, and why all its calls are passed on, if they are.
    pub fn meet(&mut self, collective: Collective, passed: Option<&'static str>) {
        self.met.insert(collective, passed);
    }

    /// Puts a decision in force for calls of a length; an exchange of pieces that differ has the decision's.
    pub fn enter(&mut self, collective: Collective, (length, decision): (Length, Decision)) -> (Place, Arc<Decision>) {
        let size = match length {
            Length::Piece(size) => size,
            _ => decision.size,
        };
        let place = (collective, class(size.0));
        if collective == Collective::Alltoallv {
            self.by_pair.1 = place.1;
        }
        (place, self.put(place, decision))
    }

    fn put(&mut self, place: Place, decision: Decision) -> Arc<Decision> {
        let all = self.entries.entry(place).or_default();
        let known = all.iter().position(|own| own.decision.algorithm == decision.algorithm);
        let has_failed = |own: &Entry| own.trial.as_ref().is_some_and(Trial::has_failed);
        let decision = match known {
            Some(index) if has_failed(&all[index]) => return self.put(place, decision.as_fast()),
            _ => decision,
        };
        let mut entry = match known {
            Some(index) => all.remove(index),
            None => Entry {
                trial: trial(&decision),
                decision: Arc::new(Decision::library("")),
                tally: Tally::default(),
                times: Sides::default(),
            },
        };
        entry.decision = Arc::new(decision);
        let decision = Arc::clone(&entry.decision);
        all.push(entry);
        decision
    }

    fn entry(&mut self, place: Place) -> Option<&mut Entry> {
        self.entries.get_mut(&place)?.last_mut()
    }

    /// Who carries out the next call of a place for which a schedule was decided.
    pub fn next(&mut self, place: Place) -> (Runs, Option<Part>) {
        let trial = self.entry(place).and_then(|own| own.trial.as_mut());
        trial.map_or((Runs::Schedule, None), Trial::next)
    }

    /// Counts a call.
    pub fn count(&mut self, place: Place, elapsed: Duration, runs: Runs) {
        if let Some(entry) = self.entry(place) {
            entry.tally.add(elapsed, runs);
        }
    }

    /// Counts a call that was passed on.
    pub fn pass(&mut self, collective: Collective, reason: &'static str, elapsed: Duration) {
        let tally = self.passed.entry((collective, reason)).or_default();
        tally.add(elapsed, Runs::Library);
    }

    /// Adds the time of a call to those of a comparison; returns the sums in nanoseconds.
    pub fn keep(&mut self, place: Place, runs: Runs, time: Duration) -> Sides<u64> {
        let Some(entry) = self.entry(place) else {
            return Sides::default();
        };
        let own = match runs {
            Runs::Library => &mut entry.times.library,
            Runs::Schedule => &mut entry.times.schedule,
        };
        *own = own.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        entry.times
    }

    /// Compares by the times of all ranks, in seconds. The schedule may give way to the library. Returns the verdict,
    /// if there is one.
    pub fn compare(&mut self, place: Place, seconds: Sides<f64>) -> Option<TrialVerdict> {
        let entry = self.entry(place)?;
        entry.times = Sides::default();
        let algorithm = entry.decision.algorithm?;
        let trial = entry.trial.as_mut()?;
        let compared = trial.compared(seconds);
        entry.tally.compare(compared);
        let stays = trial.stays(compared);
        let has_verdict = !stays || trial.has_passed();
        if !stays {
            let decision = entry.decision.as_fast();
            self.put(place, decision);
        }
        has_verdict.then_some(TrialVerdict {
            place,
            algorithm,
            stays,
        })
    }

    /// Adds the calls since the last time to a ledger.
    pub fn settle(&mut self, procs: Procs, ledger: &mut Ledger) {
        for ((collective, _), entries) in &mut self.entries {
            for entry in entries {
                let tally = std::mem::take(&mut entry.tally);
                ledger.add(*collective, procs, &entry.decision, tally);
            }
        }
        for ((collective, reason), tally) in std::mem::take(&mut self.passed) {
            ledger.add(collective, procs, &Decision::library(reason), tally);
        }
    }
}

/// The comparison of a schedule with the library.
fn trial(decision: &Decision) -> Option<Trial> {
    let is_sure = match decision.certainty {
        Certainty::Given => return None,
        Certainty::Sure => true,
        Certainty::Unsure => false,
    };
    let predicted = decision.library_s.zip(decision.chosen_s);
    let ratio = predicted.map_or(1.0, |(library, chosen)| library / chosen);
    Some(Trial::new(ratio, is_sure))
}
