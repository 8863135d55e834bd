//! The calls on a communicator: their decisions, their turns in trials, and their times.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use netsig_base::units::Procs;
use netsig_model::predict::result_rule::OrderDependence;
use netsig_model::predict::runtime_choice::GainCertainty;

use crate::call::{CallLength, RefusedArguments};
use crate::decision::CallDecision;
use crate::operation::CalledOperation;
use crate::order::{OTHER_BLOCKS, SPECIAL_NUMBERS};
use crate::report::{CallLedger, CallTally};
use crate::size_class::CallClass;
use crate::trial::{BothSides, CallRunner, ComparisonPart, ScheduleTrial};
use crate::verdicts::TrialVerdict;

/// Calls with numbers by which the order of operands could tell, after which a class is left to the library.
const MOST_SPECIAL: u32 = 8;

/// Reason for leaving an exchange to the library.
pub const UNBALANCED: &str = "lengths that differ between sender and receiver";

/// Most calls of an exchange whose sizes differ between two checks of its sizes.
const MOST_UNCHECKED_CALLS: u64 = 64;

/// The calls on a communicator. All ranks apply the same changes.
#[derive(Default)]
pub struct CommunicatorCalls {
    /// By collective and class of sizes, one entry for each algorithm that ran; the last entry is in force. Exchanges
    /// of one class may get different decisions.
    entries: BTreeMap<CallClass, Vec<ClassCalls>>,
    /// Calls that were passed on.
    pub passed: PassedCalls,
    /// Calls that were left to the library for the sake of their results, although a schedule was decided.
    left: Vec<(LeftCalls, CallTally)>,
    /// The collectives that were called, each with the reason if all its calls are passed on.
    seen: BTreeMap<CalledOperation, Option<&'static str>>,
    /// By operation whose sizes differ from pair to pair: its number of calls, and the class of the last call whose sizes
    /// were checked.
    by_pair: BTreeMap<CalledOperation, (u64, u32)>,
}

/// Calls that were passed on, by operation and reason.
#[derive(Default)]
pub struct PassedCalls(BTreeMap<(CalledOperation, &'static str), CallTally>);

impl PassedCalls {
    /// Counts a call.
    pub fn count(&mut self, operation: CalledOperation, reason: &'static str, elapsed: Duration) {
        let tally = self.0.entry((operation, reason)).or_default();
        tally.add(elapsed, CallRunner::Library);
    }

    /// Adds the calls since the last time to a ledger.
    pub fn move_to_ledger(&mut self, procs: Procs, ledger: &mut CallLedger) {
        for ((operation, reason), tally) in std::mem::take(&mut self.0) {
            ledger.add(operation, procs, &CallDecision::library(reason), tally);
        }
    }
}

/// Calls of one class of sizes.
struct ClassCalls {
    decision: Arc<CallDecision>,
    tally: CallTally,
    /// The comparison with the library; `None` for an algorithm that the user gives.
    trial: Option<ScheduleTrial>,
    /// Sums of the times of a comparison on this rank, in nanoseconds.
    times: BothSides<u64>,
    /// Number of calls with numbers by which the order of operands could tell.
    special: u32,
}

/// Calls that were left to the library.
#[derive(PartialEq)]
struct LeftCalls {
    call_class: CallClass,
    decision: CallDecision,
}

/// The next action for a call.
pub enum CallAction {
    /// It is passed on.
    Passed(&'static str),
    /// It was decided before.
    Decided(CallClass, Arc<CallDecision>),
    /// All ranks must agree.
    Open,
}

impl CommunicatorCalls {
    /// The next action for a call: the first call of a collective is agreed on whatever its arguments are.
    pub fn action_for(
        &mut self,
        operation: CalledOperation,
        length: Result<CallLength, RefusedArguments>,
    ) -> CallAction {
        let call_class = match length {
            _ if operation.is_by_pair() => self.unchecked_class(operation),
            Ok(length) => length.class(operation),
            Err(RefusedArguments) => None,
        };
        match self.seen.get(&operation) {
            Some(Some(reason)) => return CallAction::Passed(reason),
            None => return CallAction::Open,
            Some(None) => {}
        }
        let passed = match length {
            _ if operation.is_by_pair() => None,
            Ok(length) => length.reason_to_pass(),
            Err(RefusedArguments) => Some(RefusedArguments::REASON),
        };
        if let Some(reason) = passed {
            return CallAction::Passed(reason);
        }
        let found = call_class.and_then(|call_class| Some((call_class, self.entries.get(&call_class)?.last()?)));
        found.map_or(CallAction::Open, |(call_class, entry)| {
            CallAction::Decided(call_class, Arc::clone(&entry.decision))
        })
    }

    /// The class of an exchange whose sizes differ and need no check. They are checked at the calls 0, 1, 2, 4 and so on, and at
    /// every 64th. All ranks have the same count of the calls on a communicator.
    fn unchecked_class(&mut self, operation: CalledOperation) -> Option<CallClass> {
        let (calls, class) = self.by_pair.entry(operation).or_default();
        let is_due = calls.is_power_of_two() || calls.is_multiple_of(MOST_UNCHECKED_CALLS);
        *calls += 1;
        (!is_due).then_some(CallClass {
            operation,
            size: *class,
            dependence: OrderDependence::None,
        })
    }

    /// True if a collective was called before.
    pub fn has_seen(&self, operation: CalledOperation) -> bool {
        self.seen.contains_key(&operation)
    }

    /// Notes that a collective was called; `passed` is the reason if all its calls are passed on.
    pub fn mark_seen(&mut self, operation: CalledOperation, passed: Option<&'static str>) {
        self.seen.insert(operation, passed);
    }

    /// Puts a decision in force for calls of a length; for pieces that differ in size, the decision has the length.
    pub fn put_decision(
        &mut self,
        operation: CalledOperation,
        length: CallLength,
        decision: CallDecision,
    ) -> (CallClass, Arc<CallDecision>) {
        let of_decision = CallClass::of_pieces(operation, decision.size);
        let call_class = length.class(operation).unwrap_or(of_decision);
        if operation.is_by_pair() {
            self.by_pair.entry(operation).or_default().1 = call_class.size;
        }
        (call_class, self.put(call_class, decision))
    }

    fn put(&mut self, call_class: CallClass, decision: CallDecision) -> Arc<CallDecision> {
        let all = self.entries.entry(call_class).or_default();
        let known = all
            .iter()
            .position(|class_calls| class_calls.decision.algorithm == decision.algorithm);
        let has_failed = |class_calls: &ClassCalls| class_calls.trial.as_ref().is_some_and(ScheduleTrial::has_failed);
        let decision_in_force = match known {
            Some(index) if has_failed(&all[index]) => {
                return self.put(call_class, decision.library_is_as_fast());
            }
            _ => decision,
        };
        let mut entry = match known {
            Some(index) => all.remove(index),
            None => ClassCalls {
                trial: trial(&decision_in_force),
                decision: Arc::new(CallDecision::library("")),
                tally: CallTally::default(),
                times: BothSides::default(),
                special: 0,
            },
        };
        entry.decision = Arc::new(decision_in_force);
        let decision = Arc::clone(&entry.decision);
        all.push(entry);
        decision
    }

    fn entry(&mut self, call_class: CallClass) -> Option<&mut ClassCalls> {
        self.entries.get_mut(&call_class)?.last_mut()
    }

    fn trial(&mut self, call_class: CallClass) -> Option<&mut ScheduleTrial> {
        self.entry(call_class)?.trial.as_mut()
    }

    /// The runner of the next call of a class for which a schedule was decided, and its part in a comparison.
    pub fn turn(&mut self, call_class: CallClass) -> (CallRunner, Option<ComparisonPart>) {
        let trial = self.trial(call_class);
        trial.map_or((CallRunner::Schedule, None), |trial| trial.turn())
    }

    /// Takes a turn: the next call is another one.
    pub fn take_turn(&mut self, call_class: CallClass) {
        if let Some(trial) = self.trial(call_class) {
            trial.take_turn();
        }
    }

    /// Counts a call.
    pub fn count(&mut self, call_class: CallClass, elapsed: Duration, runs: CallRunner) {
        if let Some(entry) = self.entry(call_class) {
            entry.tally.add(elapsed, runs);
        }
    }

    /// Counts a call that was left to the library for `reason`, although its decision takes a schedule.
    pub fn count_left(
        &mut self,
        call_class: CallClass,
        decision: &CallDecision,
        reason: &'static str,
        elapsed: Duration,
    ) {
        let mut left_decision = decision.left_for(reason);
        if reason == OTHER_BLOCKS || reason == UNBALANCED {
            left_decision.left_s = None;
        }
        if reason == SPECIAL_NUMBERS && self.is_often_special(call_class) {
            self.put(call_class, left_decision.clone());
        }
        let left_calls = LeftCalls {
            call_class,
            decision: left_decision,
        };
        let known = self.left.iter().position(|(known, _)| *known == left_calls);
        let index = known.unwrap_or_else(|| {
            self.left.push((left_calls, CallTally::default()));
            self.left.len() - 1
        });
        self.left[index].1.add(elapsed, CallRunner::Library);
    }

    /// Counts a call with numbers by which the order could tell; true if the calls of its class have had so many that the
    /// check does not pay.
    fn is_often_special(&mut self, call_class: CallClass) -> bool {
        self.entry(call_class).is_some_and(|entry| {
            entry.special += 1;
            entry.special == MOST_SPECIAL
        })
    }

    /// Leaves all calls of a class to the library from now on, for `reason`.
    pub fn leave(&mut self, call_class: CallClass, decision: &CallDecision, reason: &'static str) {
        self.put(call_class, decision.left_for(reason));
    }

    /// Adds the time of a call to the sums of a comparison; returns these in nanoseconds.
    pub fn add_time(&mut self, call_class: CallClass, runs: CallRunner, time: Duration) -> BothSides<u64> {
        let Some(entry) = self.entry(call_class) else {
            return BothSides::default();
        };
        let sum = match runs {
            CallRunner::Library => &mut entry.times.library,
            CallRunner::Schedule => &mut entry.times.schedule,
        };
        *sum = sum.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        entry.times
    }

    /// Compares schedule and library by the seconds of all ranks; the schedule may give way. Returns the verdict, if
    /// there is one.
    pub fn compare(&mut self, call_class: CallClass, seconds: BothSides<f64>) -> Option<TrialVerdict> {
        let entry = self.entry(call_class)?;
        entry.times = BothSides::default();
        let algorithm = entry.decision.algorithm?;
        let trial = entry.trial.as_mut()?;
        let compared = trial.compared(seconds);
        entry.tally.compare(compared);
        let stays = trial.stays(compared);
        let has_verdict = !stays || trial.has_passed();
        if !stays {
            let decision = entry.decision.library_is_as_fast();
            self.put(call_class, decision);
        }
        has_verdict.then_some(TrialVerdict {
            call_class,
            algorithm,
            stays,
        })
    }

    /// Adds the calls since the last time to a ledger.
    pub fn move_to_ledger(&mut self, procs: Procs, ledger: &mut CallLedger) {
        for (call_class, entries) in &mut self.entries {
            for entry in entries {
                let tally = std::mem::take(&mut entry.tally);
                ledger.add(call_class.operation, procs, &entry.decision, tally);
            }
        }
        for (left, tally) in std::mem::take(&mut self.left) {
            ledger.add(left.call_class.operation, procs, &left.decision, tally);
        }
        self.passed.move_to_ledger(procs, ledger);
    }
}

/// The comparison of a schedule with the library.
fn trial(decision: &CallDecision) -> Option<ScheduleTrial> {
    let is_sure = match decision.certainty {
        GainCertainty::Given => return None,
        GainCertainty::Sure => true,
        GainCertainty::Unsure => false,
    };
    Some(ScheduleTrial::new(decision.predicted_gain(), is_sure))
}
