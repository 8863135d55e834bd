//! The report: what was called, what ran, and what that saved, on rank 0 of `MPI_COMM_WORLD`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use netsig_core::algorithm::Collective;
use netsig_core::units::Procs;

use crate::choice::Decision;

/// First line of the file.
const HEAD: &str = "# netsig interposer report 1\n";

const COLUMNS: &str = "collective,procs,size_bytes,calls,time_s,algorithm,predicted_library_s,predicted_s,saved_s,reason\n";

/// Number of calls, and the time that they took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    calls: u64,
    time: Duration,
}

/// The calls of the program.
#[derive(Debug, Default)]
pub struct Ledger {
    rows: BTreeMap<Row, (Tally, [Option<f64>; 2])>,
    told: BTreeSet<String>,
}

/// What distinguishes the rows.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    collective: &'static str,
    procs: Option<Procs>,
    size: u64,
    algorithm: String,
    reason: String,
}

impl Row {
    /// True if no rank ends before all have sent: one rank's time is then that of the collective. The
    /// root of the others returns when its messages have left.
    fn ends_with_all(&self) -> bool {
        let collective = self.collective.parse::<Collective>();
        collective.is_ok_and(|own| !own.has_root())
    }
}

/// Calls of a part of the program.
pub trait Account: Send + Sync {
    /// Adds the calls since the last time to a ledger.
    fn settle(&self, ledger: &mut Ledger);

    /// Frees the datatypes of schedules: MPI ends.
    fn end(&self);
}

impl Tally {
    /// Counts a call.
    pub fn add(&mut self, time: Duration) {
        self.calls += 1;
        self.time += time;
    }
}

impl Ledger {
    /// Adds calls of a communicator.
    pub fn add(&mut self, collective: Collective, procs: Procs, decision: &Decision, tally: Tally) {
        let algorithm = decision.algorithm.map(|own| own.to_string());
        let row = Row {
            collective: collective.into(),
            procs: Some(procs),
            size: decision.size.0,
            algorithm: algorithm.unwrap_or_default(),
            reason: decision.reason.clone(),
        };
        self.enter(row, tally, [decision.library_s, decision.chosen_s]);
    }

    /// Sets the number of calls that are counted alone.
    pub fn set_counted(&mut self, name: &'static str, calls: u64) {
        let row = Row {
            collective: name,
            procs: None,
            size: 0,
            algorithm: String::new(),
            reason: "passed on".to_owned(),
        };
        let time = Duration::ZERO;
        if calls > 0 {
            self.rows.insert(row, (Tally { calls, time }, [None; 2]));
        }
    }

    /// Writes a line to standard error, if it was not written before.
    pub fn tell_once(&mut self, line: &str) {
        if self.told.insert(line.to_owned()) {
            crate::tell(line);
        }
    }

    fn enter(&mut self, row: Row, tally: Tally, predicted: [Option<f64>; 2]) {
        if tally.calls > 0 {
            let (own, _) = self
                .rows
                .entry(row)
                .or_insert((Tally::default(), predicted));
            own.calls += tally.calls;
            own.time += tally.time;
        }
    }

    /// The file; `is_on` if schedules ran, so that the time saved is known, and not only predicted.
    fn text(&self, is_on: bool) -> String {
        let mut text = format!("{HEAD}{COLUMNS}");
        for (row, (tally, predicted)) in &self.rows {
            let number = |value: Option<f64>| value.map(|own| own.to_string()).unwrap_or_default();
            let some = |value: u64| {
                if value == 0 {
                    String::new()
                } else {
                    value.to_string()
                }
            };
            let time = tally.time.as_secs_f64();
            let calls = tally.calls as f64;
            let [library, chosen] = *predicted;
            let spent = if is_on && row.ends_with_all() {
                Some(time)
            } else {
                chosen.map(|own| own * calls)
            };
            let saved = library
                .zip(spent)
                .map(|(library, spent)| library * calls - spent);
            let saved = saved.filter(|_| !row.algorithm.is_empty());
            let procs = row.procs.map(|own| own.to_string()).unwrap_or_default();
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "{},{procs},{},{},{time},{},{},{},{},{}",
                row.collective,
                some(row.size),
                tally.calls,
                quoted(&row.algorithm),
                number(library),
                number(chosen),
                number(saved),
                quoted(&row.reason),
            );
        }
        text
    }

    /// Replaces the file of the report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path, is_on: bool) -> io::Result<()> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", std::process::id()));
        let new = Path::new(&name);
        std::fs::write(new, self.text(is_on))?;
        std::fs::rename(new, path).inspect_err(|_| {
            // What could not take its place is left over.
            let _ = std::fs::remove_file(new);
        })
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
    use netsig_core::algorithm::Algorithm;
    use netsig_core::units::Bytes;

    use super::*;

    fn decision(collective: Collective, name: &str) -> Decision {
        Decision {
            algorithm: Some(Algorithm::parse(collective, name).unwrap()),
            size: Bytes(65536),
            library_s: Some(0.5),
            chosen_s: Some(0.25),
            ..Decision::library("")
        }
    }

    /// Two calls of an exchange that took 0.75 s, and one of a broadcast, of which a rank's time tells
    /// nothing.
    #[test]
    fn rows_tell_what_ran_and_what_it_saved() {
        let procs = Procs::new(8).unwrap();
        let exchange = decision(Collective::Alltoall, "windowed:segment=4096,window=4");
        let message = decision(Collective::Bcast, "pipeline:1024");
        let tally = |times: &[u64]| {
            let mut tally = Tally::default();
            for time in times {
                tally.add(Duration::from_millis(*time));
            }
            tally
        };
        let mut ledger = Ledger::default();
        ledger.add(Collective::Alltoall, procs, &exchange, tally(&[500, 250]));
        ledger.add(Collective::Bcast, procs, &message, tally(&[500]));
        let without = Decision::library("no data");
        ledger.add(Collective::Alltoall, procs, &without, Tally::default());
        ledger.set_counted("allreduce", 3);
        let rows = |is_on| ledger.text(is_on).replace(HEAD, "").replace(COLUMNS, "");
        assert_eq!(
            rows(true),
            "allreduce,,,3,0,,,,,passed on\n\
             alltoall,8,65536,2,0.75,\"windowed:segment=4096,window=4\",0.5,0.25,0.25,\n\
             bcast,8,65536,1,0.5,pipeline:1024,0.5,0.25,0.25,\n"
        );
        assert!(
            rows(false).contains("window=4\",0.5,0.25,0.5,"),
            "predicted"
        );
    }
}
