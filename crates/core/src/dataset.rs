//! Measurements as they were taken: every repetition of every experiment, and where
//! they come from.
//!
//! A data file is CSV with `#@key=value` lines for provenance (FORMATS.md). Columns are
//! found by name; those that netsig does not know are passed over. Nothing is summarised
//! here: see [`crate::cells`].

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;
use std::sync::Arc;

use crate::collective::Collective;
use crate::file_error::FileError;
use crate::units::{Bytes, Procs, Seconds};

/// The columns, in the order in which they are written.
pub const COLUMNS: [&str; 11] = [
    "experiment",
    "collective",
    "algorithm",
    "procs",
    "size_bytes",
    "repetition",
    "launch",
    "time_s",
    "retransmits",
    "rtos",
    "tail_probes",
];

/// How many of [`COLUMNS`] a file must have: all up to `time_s`.
const REQUIRED: usize = 8;

/// The provenance key that marks data which must not be used.
pub const VOID: &str = "void";

/// What kind of operation was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Experiment {
    /// Half of a round trip with `size_bytes` each way.
    PingPong,
    /// A collective, from the common start to the last finish.
    Collective(Collective),
}

/// What the kernel's TCP counted on all hosts during a repetition; `None` where it
/// could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LossCounters {
    /// Segments sent again (`Tcp: RetransSegs`).
    pub retransmits: Option<u64>,
    /// Expired retransmission timers (`TcpExt: TCPTimeouts`).
    pub rtos: Option<u64>,
    /// Tail-loss probes (`TcpExt: TCPLossProbes`).
    pub tail_probes: Option<u64>,
}

/// One repetition of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What was timed.
    pub experiment: Experiment,
    /// Who ran it: an algorithm of netsig or `library`; empty for a ping-pong.
    pub algorithm: Arc<str>,
    /// How many processes took part.
    pub procs: Procs,
    /// Bytes per destination (all-to-all) or per message (ping-pong).
    pub size: Bytes,
    /// The number of the repetition within its launch, from 0.
    pub repetition: u32,
    /// The number of the MPI launch, from 0.
    pub launch: u32,
    /// How long it took.
    pub time: Seconds,
    /// What TCP lost meanwhile.
    pub losses: LossCounters,
}

/// Ordered `key=value` facts about how data came to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance(Vec<(String, String)>);

/// Samples with their provenance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dataset {
    /// Where the samples come from.
    pub provenance: Provenance,
    /// The samples in the order they were taken.
    pub samples: Vec<Sample>,
}

impl Provenance {
    /// Adds a fact; line breaks in it become spaces.
    pub fn push(&mut self, key: &str, value: impl fmt::Display) {
        let one_line = |text: String| text.replace(['\n', '\r'], " ");
        self.0
            .push((one_line(key.to_owned()), one_line(value.to_string())));
    }

    /// The last value given for `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(k, _)| k == key)
            .map(|(_, value)| value.as_str())
    }

    /// All facts in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Writes the facts as `#@key=value` lines.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.iter()
            .try_for_each(|(key, value)| writeln!(out, "#@{key}={value}"))
    }
}

impl Dataset {
    /// Reads a data file; `name` is what errors call it.
    ///
    /// # Errors
    /// If it cannot be read, a column is missing, or a cell holds no value of its kind.
    pub fn read(name: &str, mut input: impl Read) -> Result<Self, FileError> {
        let mut text = String::new();
        input.read_to_string(&mut text).map_err(|error| {
            let problem = format!("cannot be read as text: {error}; give a CSV file of netsig");
            FileError::at_line(name, 1, problem)
        })?;
        Self::parse(name, &text)
    }

    fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let at = |line, problem| FileError::at_line(name, line, problem);
        let mut provenance = Provenance::default();
        for (key, value) in text
            .lines()
            .filter_map(|line| line.strip_prefix("#@")?.split_once('='))
        {
            provenance.push(key, value);
        }
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let header = reader
            .headers()
            .map_err(|error| at(1, describe(&error)))?
            .clone();
        let columns = Columns::find(&header)
            .map_err(|problem| at(header.position().map_or(1, csv::Position::line), problem))?;
        let mut names = Names::default();
        let mut samples = Vec::new();
        let mut record = csv::StringRecord::new();
        loop {
            let more = reader.read_record(&mut record);
            let line = reader.position().line();
            if !more.map_err(|error| at(error_line(&error).unwrap_or(line), describe(&error)))? {
                break;
            }
            let line = record.position().map_or(line, csv::Position::line);
            let sample = columns.sample(&record, &mut names);
            samples.push(sample.map_err(|problem| at(line, problem))?);
        }
        Ok(Self {
            provenance,
            samples,
        })
    }

    /// Writes the file: provenance, header, samples.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.provenance.write(out)?;
        write_header(out)?;
        self.samples.iter().try_for_each(|sample| sample.write(out))
    }

    /// Why these data must not be used, if whoever took them said so.
    pub fn void(&self) -> Option<&str> {
        self.provenance.get(VOID)
    }
}

/// Writes the line of column names.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))
}

impl Sample {
    /// Writes the sample as one line in a single call, so that a killed run leaves
    /// whole lines.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (experiment, collective) = match self.experiment {
            Experiment::PingPong => ("pingpong", String::new()),
            Experiment::Collective(collective) => ("collective", collective.to_string()),
        };
        let count = |counter: Option<u64>| counter.map_or(String::new(), |c| c.to_string());
        let line = format!(
            "{experiment},{collective},{},{},{},{},{},{},{},{},{}\n",
            self.algorithm,
            self.procs,
            self.size.0,
            self.repetition,
            self.launch,
            self.time.0,
            count(self.losses.retransmits),
            count(self.losses.rtos),
            count(self.losses.tail_probes),
        );
        out.write_all(line.as_bytes())
    }
}

/// Where each of [`COLUMNS`] stands in a file.
struct Columns([Option<usize>; COLUMNS.len()]);

/// Algorithm names, each kept once.
#[derive(Default)]
struct Names(HashSet<Arc<str>>);

impl Names {
    fn intern(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

impl Columns {
    fn find(header: &csv::StringRecord) -> Result<Self, String> {
        let found = COLUMNS.map(|name| header.iter().position(|field| field == name));
        match found[..REQUIRED].iter().position(Option::is_none) {
            None => Ok(Self(found)),
            Some(missing) => Err(format!(
                "column {:?} is missing; the header must name {}",
                COLUMNS[missing],
                COLUMNS[..REQUIRED].join(", ")
            )),
        }
    }

    fn sample(&self, record: &csv::StringRecord, names: &mut Names) -> Result<Sample, String> {
        let [
            experiment,
            collective,
            algorithm,
            procs,
            size,
            repetition,
            launch,
            time,
            rest @ ..,
        ] = &self.0;
        let text =
            |column: &Option<usize>| column.and_then(|index| record.get(index)).unwrap_or("");
        let experiment = match text(experiment) {
            "pingpong" => Experiment::PingPong,
            "collective" => Experiment::Collective(
                text(collective)
                    .parse()
                    .map_err(|e| format!("collective: {e}"))?,
            ),
            other => {
                return Err(format!(
                    "experiment {other:?} is unknown; write pingpong or collective"
                ));
            }
        };
        let [retransmits, rtos, tail_probes] =
            [0, 1, 2].map(|i| optional_count(COLUMNS[REQUIRED + i], text(&rest[i])));
        Ok(Sample {
            experiment,
            algorithm: names.intern(text(algorithm)),
            procs: text(procs).parse().map_err(|e| format!("procs: {e}"))?,
            size: Bytes(integer("size_bytes", text(size), "4096")?),
            repetition: integer("repetition", text(repetition), "0")?,
            launch: integer("launch", text(launch), "0")?,
            time: duration(text(time))?,
            losses: LossCounters {
                retransmits: retransmits?,
                rtos: rtos?,
                tail_probes: tail_probes?,
            },
        })
    }
}

fn integer<T: FromStr>(column: &str, text: &str, example: &str) -> Result<T, String> {
    text.parse().map_err(|_| {
        format!("{column} {text:?} is not an integer; write a number such as {example}")
    })
}

fn optional_count(column: &str, text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        Ok(None)
    } else {
        integer(column, text, "0").map(Some)
    }
}

fn duration(text: &str) -> Result<Seconds, String> {
    text.parse()
        .ok()
        .filter(|time: &f64| time.is_finite() && *time > 0.0)
        .map(Seconds)
        .ok_or_else(|| {
            format!("time_s {text:?} is not a positive time; write seconds such as 0.0123")
        })
}

fn error_line(error: &csv::Error) -> Option<u64> {
    error.position().map(csv::Position::line)
}

fn describe(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("{len} cells where the header has {expected_len}; complete or delete the line")
        }
        _ => format!("{error}; give a CSV file of netsig"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "#@mpi=Open MPI 4.1.4\n\
        experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,note,rtos\n\
        pingpong,,,2,1024,0,0,1e-4,,\n\
        collective,alltoall,direct,8,4096,1,2,0.01,\"x, y\",3\n\
        #@void=because\n";

    fn problem(text: &str) -> String {
        Dataset::parse("runs/a.csv", text).unwrap_err().to_string()
    }

    #[test]
    fn columns_are_found_by_name() {
        let data = Dataset::parse("a.csv", GOOD).unwrap();
        assert_eq!(data.samples.len(), 2);
        assert_eq!(data.samples[0].experiment, Experiment::PingPong);
        let second = &data.samples[1];
        assert_eq!(
            second.losses,
            LossCounters {
                rtos: Some(3),
                ..LossCounters::default()
            }
        );
        assert_eq!((second.size, second.launch), (Bytes(4096), 2));
        assert_eq!(data.provenance.get("mpi"), Some("Open MPI 4.1.4"));
        assert_eq!(data.void(), Some("because"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let data = Dataset::parse("a.csv", GOOD).unwrap();
        let mut text = Vec::new();
        data.write(&mut text).unwrap();
        assert_eq!(Dataset::read("a.csv", text.as_slice()).unwrap(), data);
    }

    #[test]
    fn a_bad_cell_is_named_with_its_line() {
        assert_eq!(
            problem(&GOOD.replace("4096", "4k")),
            r#"runs/a.csv:4: size_bytes "4k" is not an integer; write a number such as 4096"#
        );
        assert!(problem(&GOOD.replace("0.01", "-1")).contains(":4: time_s \"-1\""));
        assert!(problem(&GOOD.replace("0.01", "NaN")).contains(":4: time_s"));
        assert!(problem(&GOOD.replace("direct,8", "direct,0")).contains(":4: procs"));
        assert!(problem(&GOOD.replace("alltoall", "alltoal")).contains(":4: collective"));
        assert!(problem(&GOOD.replace("pingpong", "pong")).contains(":3: experiment"));
        assert!(problem(&GOOD.replace("1e-4,,", "1e-4")).contains(":3: 8 cells"));
    }

    #[test]
    fn a_missing_column_is_named() {
        assert!(problem(&GOOD.replace("time_s", "time")).contains("\"time_s\" is missing"));
        assert!(problem("").contains("is missing"));
    }
}
