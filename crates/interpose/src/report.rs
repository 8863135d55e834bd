//! The report of rank 0 of `MPI_COMM_WORLD`: the calls, the algorithms that ran, and the time that they saved.

use std::collections::{BTreeMap, BTreeSet};

use std::time::Duration;

use netsig_base::units::Procs;

use crate::decision::CallDecision;
use crate::operation::CalledOperation;
use crate::trial::{BothSides, CallRunner, ComparedCalls};

/// First line of the file.
const HEAD: &str = "# netsig interposer report 3\n";

/// Start of the first line of a report of any version.
pub const ANY_HEAD: &str = "# netsig interposer report ";

const COLUMNS: &str = "collective,procs,size_bytes,calls,time_s,algorithm,call_s,library_call_s,library_calls,\
     predicted_library_s,predicted_s,saved_s,left_gain_s,reason\n";

/// Number of calls, and the time that they took.
#[derive(Debug, Clone, Copy, Default)]
struct CallSum {
    calls: u64,
    time: Duration,
}

/// The calls of each runner, and the compared calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallTally {
    schedule: CallSum,
    library: CallSum,
    compared: ComparedCalls,
}

impl CallSum {
    fn add(&mut self, calls: u64, time: Duration) {
        self.calls += calls;
        self.time += time;
    }

    /// Seconds of a call.
    fn mean(self) -> Option<f64> {
        (self.calls > 0).then(|| self.time.as_secs_f64() / self.calls as f64)
    }
}

impl CallTally {
    /// Counts a call.
    pub fn add(&mut self, time: Duration, runs: CallRunner) {
        match runs {
            CallRunner::Schedule => self.schedule.add(1, time),
            CallRunner::Library => self.library.add(1, time),
        }
    }

    /// Adds calls that were compared.
    pub fn compare(&mut self, compared: ComparedCalls) {
        self.compared.add(compared);
    }

    fn add_all(&mut self, other: Self) {
        self.schedule.add(other.schedule.calls, other.schedule.time);
        self.library.add(other.library.calls, other.library.time);
        self.compared.add(other.compared);
    }

    fn calls(&self) -> u64 {
        self.schedule.calls + self.library.calls
    }

    /// Seconds of a call by the schedule and by the library. If no rank ends before all have sent, the mean over this
    /// rank's calls is the time of the collective; else the comparisons give the times.
    fn means(&self, ends_with_all: bool) -> BothSides<Option<f64>> {
        let means = self.compared.means();
        let library = means.map(|sides| sides.library);
        if !ends_with_all {
            let schedule = means.map(|sides| sides.schedule);
            return BothSides { library, schedule };
        }
        BothSides {
            library: match self.schedule.calls {
                0 => self.library.mean(),
                _ => library,
            },
            schedule: self.schedule.mean(),
        }
    }
}

/// The calls of the program.
#[derive(Debug, Default)]
pub struct CallLedger {
    /// True if schedules run; else the report has the time that they would save.
    is_on: bool,
    rows: BTreeMap<LedgerKey, (CallTally, PredictedTimes)>,
    written_lines: BTreeSet<String>,
}

/// Predicted seconds of a call.
#[derive(Debug, Clone, Copy, Default)]
struct PredictedTimes {
    library: Option<f64>,
    chosen: Option<f64>,
    left: Option<f64>,
}

impl PredictedTimes {
    /// Seconds that a faster algorithm, which could change the results, would save in `calls` calls.
    fn left_gain(self, calls: u64) -> Option<f64> {
        let runs = self.chosen.or(self.library)?;
        Some((runs - self.left?) * calls as f64)
    }
}

/// Key of a row.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LedgerKey {
    collective: &'static str,
    procs: Option<Procs>,
    size: u64,
    algorithm: String,
    reason: String,
}

impl LedgerKey {
    /// True if no rank ends before all have sent: the time of one rank is then the time of the collective. In the other
    /// collectives the root returns when its messages have left. Calls that are only counted have no time.
    fn ends_with_all(&self) -> bool {
        let operation = CalledOperation::named(self.collective);
        self.procs.is_some() && operation.is_some_and(|named| !named.has_root())
    }

    /// Seconds that the schedule saved in `calls` calls: the library's time for as many calls, less theirs. Takes the
    /// predicted times unless both were measured in this program.
    fn saved(&self, calls: u64, tally: &CallTally, predicted: PredictedTimes) -> Option<f64> {
        if self.algorithm.is_empty() {
            return None;
        }
        let BothSides { library, schedule } = tally.means(self.ends_with_all());
        let measured = library.zip(schedule);
        let (library, schedule) = measured.or(predicted.library.zip(predicted.chosen))?;
        Some((library - schedule) * calls as f64)
    }
}

/// Calls of a part of the program.
pub trait CallAccount: Send + Sync {
    /// Adds the calls since the last time to a ledger.
    fn move_to_ledger(&self, ledger: &mut CallLedger);

    /// Frees the datatypes of schedules before MPI ends.
    fn end(&self);
}

impl CallLedger {
    /// An empty ledger.
    pub fn new(is_on: bool) -> Self {
        Self {
            is_on,
            ..Self::default()
        }
    }

    /// Adds calls of a communicator.
    pub fn add(&mut self, operation: CalledOperation, procs: Procs, decision: &CallDecision, tally: CallTally) {
        let algorithm = decision.algorithm.map(|chosen| chosen.to_string());
        let row = LedgerKey {
            collective: operation.name(),
            procs: Some(procs),
            size: decision.size.0,
            algorithm: algorithm.unwrap_or_default(),
            reason: decision.reason.clone(),
        };
        let predicted = PredictedTimes {
            library: decision.library_s,
            chosen: decision.chosen_s,
            left: decision.left_s,
        };
        self.enter(row, tally, predicted);
    }

    /// Sets the number of calls of an operation that is only counted.
    pub fn set_counted(&mut self, name: &'static str, calls: u64) {
        let row = LedgerKey {
            collective: name,
            procs: None,
            size: 0,
            algorithm: String::new(),
            reason: "passed on".to_owned(),
        };
        let mut tally = CallTally::default();
        tally.library.calls = calls;
        if calls > 0 {
            self.rows.insert(row, (tally, PredictedTimes::default()));
        }
    }

    /// Writes a line to standard error, if it was not written before.
    pub fn print_once(&mut self, line: &str) {
        if self.written_lines.insert(line.to_owned()) {
            crate::print_line(line);
        }
    }

    fn enter(&mut self, row: LedgerKey, tally: CallTally, predicted: PredictedTimes) {
        if tally.calls() > 0 {
            let empty = (CallTally::default(), predicted);
            self.rows.entry(row).or_insert(empty).0.add_all(tally);
        }
    }

    /// The text of the report file.
    pub fn text(&self) -> String {
        let number = |value: Option<f64>| value.map(|seconds| seconds.to_string()).unwrap_or_default();
        let some = |value: u64| match value {
            0 => String::new(),
            value => value.to_string(),
        };
        let mut text = format!("{HEAD}{COLUMNS}");
        for (row, (tally, predicted)) in &self.rows {
            let procs = row.procs.map(|count| count.to_string()).unwrap_or_default();
            let time = tally.schedule.time + tally.library.time;
            let BothSides { library, schedule } = tally.means(row.ends_with_all());
            let replaced = if self.is_on {
                tally.schedule.calls
            } else {
                tally.calls()
            };
            let fields = [
                row.collective.to_owned(),
                procs,
                some(row.size),
                tally.calls().to_string(),
                time.as_secs_f64().to_string(),
                quoted(&row.algorithm),
                number(schedule),
                number(library),
                tally.library.calls.to_string(),
                number(predicted.library),
                number(predicted.chosen),
                number(row.saved(replaced, tally, *predicted)),
                number(predicted.left_gain(tally.calls())),
                quoted(&row.reason),
            ];
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::{Algorithm, Collective};
    use netsig_base::units::Bytes;

    use super::*;

    fn decision(collective: Collective, name: &str) -> CallDecision {
        CallDecision {
            algorithm: Some(Algorithm::parse(collective, name).unwrap()),
            size: Bytes(65536),
            library_s: Some(0.5),
            chosen_s: Some(0.25),
            ..CallDecision::library("")
        }
    }

    /// A tally of calls with these milliseconds.
    fn tally(schedule: &[u64], library: &[u64]) -> CallTally {
        let mut tally = CallTally::default();
        for (times, runs) in [(schedule, CallRunner::Schedule), (library, CallRunner::Library)] {
            for time in times {
                tally.add(Duration::from_millis(*time), runs);
            }
        }
        tally
    }

    /// Rows of exchanges: two calls with the predicted gain; five calls, two by the library and one compared; two calls
    /// without a schedule, with schedules off and on. Rows of broadcasts, whose time one rank cannot tell: without a
    /// comparison, and with a comparison of two calls.
    #[test]
    fn rows_tell_what_ran_and_what_it_saved() {
        let procs = Procs::new(8).unwrap();
        let exchange = decision(Collective::Alltoall, "windowed:segment=4096,window=4");
        let message = decision(Collective::Bcast, "pipeline:1024");
        let rows_of = |is_on: bool, collective: Collective, decision: &CallDecision, tally: CallTally| {
            let mut ledger = CallLedger::new(is_on);
            ledger.add(collective.into(), procs, decision, tally);
            ledger.add(
                collective.into(),
                procs,
                &CallDecision::library("no data"),
                CallTally::default(),
            );
            ledger.text().replace(HEAD, "").replace(COLUMNS, "")
        };
        let rows = |collective, decision: &CallDecision, tally| rows_of(true, collective, decision, tally);
        let name = "\"windowed:segment=4096,window=4\"";
        assert_eq!(
            rows(Collective::Alltoall, &exchange, tally(&[750, 500], &[])),
            format!("alltoall,8,65536,2,1.25,{name},0.625,,0,0.5,0.25,0.5,,\n")
        );
        let mut exchanges = tally(&[250, 500, 375], &[500, 875]);
        let compared = |calls, library, schedule| ComparedCalls {
            calls: BothSides {
                library: calls,
                schedule: calls,
            },
            seconds: BothSides { library, schedule },
        };
        exchanges.compare(compared(1, 0.875, 0.5));
        assert_eq!(
            rows(Collective::Alltoall, &exchange, exchanges),
            format!("alltoall,8,65536,5,2.5,{name},0.375,0.875,2,0.5,0.25,1.5,,\n")
        );
        for (is_on, saved) in [(false, 0.5), (true, 0.0)] {
            let left = tally(&[], &[875, 875]);
            assert_eq!(
                rows_of(is_on, Collective::Alltoall, &exchange, left),
                format!("alltoall,8,65536,2,1.75,{name},,0.875,2,0.5,0.25,{saved},,\n")
            );
        }
        let mut broadcasts = tally(&[500, 125], &[125]);
        assert_eq!(
            rows(Collective::Bcast, &message, broadcasts),
            "bcast,8,65536,3,0.75,pipeline:1024,,,1,0.5,0.25,0.5,,\n"
        );
        broadcasts.compare(compared(2, 2.0, 1.0));
        assert_eq!(
            rows(Collective::Bcast, &message, broadcasts),
            "bcast,8,65536,3,0.75,pipeline:1024,0.5,1,1,0.5,0.25,1,,\n"
        );
    }

    #[test]
    fn counted_calls_have_neither_processes_nor_times() {
        let mut ledger = CallLedger::default();
        ledger.set_counted("iallreduce", 3);
        assert!(
            ledger.text().ends_with("iallreduce,,,3,0,,,,3,,,,,passed on\n"),
            "{}",
            ledger.text()
        );
    }
}
