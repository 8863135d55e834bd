//! The table of algorithms: one entry each, one function that gives a rank's rounds.
//!
//! Help, documents, the executor, the tests and the benchmarks walk [`ALGORITHMS`];
//! adding an algorithm is one function and one line here.

mod alltoall;
mod two_phase;

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use crate::names::{name_of, variant_of};
use crate::schedule::{self, Datum, Extent, Round, ScheduleError};
use crate::units::{Procs, Rank};

/// A collective operation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collective {
    /// `MPI_Bcast`: the root's message reaches every rank.
    Bcast,
    /// `MPI_Scatter`: block `i` of the root reaches rank `i`.
    Scatter,
    /// `MPI_Gather`: the block of rank `i` becomes block `i` of the root.
    Gather,
    /// `MPI_Alltoall`: block `j` of rank `i` becomes block `i` of rank `j`.
    Alltoall,
}

/// All collectives with their names in files and options.
pub const COLLECTIVES: [(Collective, &str); 4] = [
    (Collective::Bcast, "bcast"),
    (Collective::Scatter, "scatter"),
    (Collective::Gather, "gather"),
    (Collective::Alltoall, "alltoall"),
];

/// An entry of the table.
#[derive(Debug)]
pub struct Entry {
    /// The name in plans, data and options.
    pub name: &'static str,
    /// What it computes.
    pub collective: Collective,
    /// One line for people.
    pub summary: &'static str,
    /// What `name:VALUE` sets, for algorithms that have such a setting.
    pub parameter: Option<&'static str>,
    extent: fn(Shape) -> Extent,
    round: fn(Shape, Rank, usize) -> Round,
}

/// What a schedule depends on: all of a round but the rank and its number.
#[derive(Debug, Clone, Copy)]
struct Shape {
    procs: Procs,
    parameter: Option<NonZeroU32>,
}

/// Every algorithm, in the order in which help and reports list them.
pub static ALGORITHMS: [Entry; 6] = [
    alltoall::DIRECT,
    alltoall::DIRECT_UNROTATED,
    alltoall::PAIRWISE,
    alltoall::THROTTLED,
    two_phase::TWO_PHASE,
    two_phase::TWO_PHASE_BALANCED,
];

/// An algorithm with its setting, such as `direct` or `throttled:4`.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    entry: &'static Entry,
    parameter: Option<NonZeroU32>,
}

/// An algorithm that was proved for a number of processes: the right to run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proven {
    algorithm: Algorithm,
    procs: Procs,
}

/// Who runs the collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The MPI library's own call.
    Library,
    /// netsig's schedule.
    Schedule(Algorithm),
}

/// Why a name is not an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAlgorithm {
    /// No entry has that name.
    #[error("{name:?} is not an algorithm of {collective}; write library or one of: {known}")]
    Name {
        /// What was asked for.
        name: String,
        /// For which collective.
        collective: Collective,
        /// What there is.
        known: String,
    },
    /// A setting is missing, superfluous or not a number.
    #[error("algorithm {text:?} is wrongly set; write {usage}")]
    Parameter {
        /// What was asked for.
        text: String,
        /// The right form.
        usage: String,
    },
    /// No such collective: the whole message, which names those there are.
    #[error("{0}")]
    Collective(String),
    /// A collective that has models but no schedules.
    #[error("{0} is predicted by netsig but not yet measured; write alltoall")]
    NotRun(Collective),
}

impl Entry {
    /// How the algorithm is written: `direct`, or `throttled:WINDOW`.
    pub fn usage(&self) -> String {
        match self.parameter {
            None => self.name.to_owned(),
            Some(parameter) => format!("{}:{parameter}", self.name),
        }
    }

    /// The algorithm with an ordinary setting, ready for a plan: `direct`, `throttled:2`.
    pub fn example(&self) -> String {
        match self.parameter {
            None => self.name.to_owned(),
            Some(_) => format!("{}:2", self.name),
        }
    }
}

impl Algorithm {
    /// The algorithm of `collective` written as `text`.
    ///
    /// # Errors
    /// If there is none of that name or its setting is not as [`Entry::usage`] says.
    pub fn parse(collective: Collective, text: &str) -> Result<Self, UnknownAlgorithm> {
        let (name, setting) = match text.split_once(':') {
            Some((name, setting)) => (name, Some(setting)),
            None => (text, None),
        };
        let entry = entries(collective)
            .find(|entry| entry.name == name)
            .ok_or_else(|| unknown_name(collective, text))?;
        let parameter = setting.map(str::parse::<NonZeroU32>).transpose();
        match parameter {
            Ok(parameter) if parameter.is_some() == entry.parameter.is_some() => {
                Ok(Self { entry, parameter })
            }
            _ => Err(UnknownAlgorithm::Parameter {
                text: text.to_owned(),
                usage: entry.usage(),
            }),
        }
    }

    /// The collective it computes.
    pub fn collective(&self) -> Collective {
        self.entry.collective
    }

    /// Rounds, memory and longest message among `procs`.
    pub fn extent(&self, procs: Procs) -> Extent {
        (self.entry.extent)(self.shape(procs))
    }

    /// What `rank` does in round `index` among `procs`.
    pub fn round(&self, procs: Procs, rank: Rank, index: usize) -> Round {
        (self.entry.round)(self.shape(procs), rank, index)
    }

    fn shape(&self, procs: Procs) -> Shape {
        Shape {
            procs,
            parameter: self.parameter,
        }
    }

    /// Proves the schedule for `procs`: every datum arrives, every rule is kept.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self, procs: Procs) -> Result<(), ScheduleError> {
        let expected = |rank: Rank| {
            procs
                .ranks()
                .map(|origin| Datum {
                    origin,
                    block: rank.0,
                })
                .collect::<Vec<_>>()
        };
        let round = |rank, index| self.round(procs, rank, index);
        schedule::check_delivery(self.extent(procs), round, expected)
    }

    /// [`Algorithm::check`] with its success in hand. Takes time and memory that grow
    /// with the square of `procs`: well below a second and 100 MB among 1024.
    ///
    /// # Errors
    /// As there.
    pub fn prove(&self, procs: Procs) -> Result<Proven, ScheduleError> {
        self.check(procs)?;
        Ok(Proven {
            algorithm: *self,
            procs,
        })
    }
}

impl Proven {
    /// Whether it is `algorithm` that was proved, and for `procs`.
    pub fn is_for(&self, algorithm: Algorithm, procs: Procs) -> bool {
        (self.algorithm, self.procs) == (algorithm, procs)
    }

    /// Rounds, memory and longest message.
    pub fn extent(&self) -> Extent {
        self.algorithm.extent(self.procs)
    }

    /// What `rank` does in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        self.algorithm.round(self.procs, rank, index)
    }
}

impl Method {
    /// The method of `collective` written as `text`: `library` or an algorithm.
    ///
    /// # Errors
    /// As [`Algorithm::parse`].
    pub fn parse(collective: Collective, text: &str) -> Result<Self, UnknownAlgorithm> {
        match text {
            _ if entries(collective).next().is_none() => Err(UnknownAlgorithm::NotRun(collective)),
            "library" => Ok(Self::Library),
            _ => Algorithm::parse(collective, text).map(Self::Schedule),
        }
    }
}

fn entries(collective: Collective) -> impl Iterator<Item = &'static Entry> {
    ALGORITHMS
        .iter()
        .filter(move |entry| entry.collective == collective)
}

fn unknown_name(collective: Collective, text: &str) -> UnknownAlgorithm {
    let known: Vec<_> = entries(collective).map(Entry::usage).collect();
    UnknownAlgorithm::Name {
        name: text.to_owned(),
        collective,
        known: known.join(", "),
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        (self.entry.name, self.parameter) == (other.entry.name, other.parameter)
    }
}

impl Eq for Algorithm {}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        match self.parameter {
            Some(value) => write!(f, ":{value}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library => f.write_str("library"),
            Self::Schedule(algorithm) => algorithm.fmt(f),
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &COLLECTIVES))
    }
}

impl FromStr for Collective {
    type Err = UnknownAlgorithm;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = variant_of(text, "a collective that netsig knows", &COLLECTIVES);
        found.map_err(UnknownAlgorithm::Collective)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_delivers_for_every_process_count() {
        for entry in &ALGORITHMS {
            for procs in 1..=33 {
                let settings: &[_] = if entry.parameter.is_some() {
                    &[1, 2, 3, 7, 16, 21, 64]
                } else {
                    &[0]
                };
                for &setting in settings {
                    let algorithm = Algorithm {
                        entry,
                        parameter: NonZeroU32::new(setting),
                    };
                    let procs = Procs::new(procs).unwrap();
                    assert_eq!(algorithm.check(procs), Ok(()), "{algorithm} among {procs}");
                }
            }
        }
    }

    #[test]
    fn a_proof_is_for_one_algorithm_and_number_of_processes() {
        let of = |text| Algorithm::parse(Collective::Alltoall, text).unwrap();
        let [four, five] = [4, 5].map(|procs| Procs::new(procs).unwrap());
        let proven = of("throttled:2").prove(four).unwrap();
        assert!(proven.is_for(of("throttled:2"), four));
        assert!(!proven.is_for(of("throttled:3"), four));
        assert!(!proven.is_for(of("throttled:2"), five));
    }

    #[test]
    fn names_are_unique_and_survive_a_round_trip() {
        for entry in &ALGORITHMS {
            let text = entry.example();
            let algorithm = Algorithm::parse(entry.collective, &text).unwrap();
            assert_eq!(algorithm.to_string(), text);
            assert_eq!(algorithm.entry.name, entry.name);
        }
    }

    #[test]
    fn wrong_names_say_what_there_is() {
        let message = |text| {
            Method::parse(Collective::Alltoall, text)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message("ring"),
            r#""ring" is not an algorithm of alltoall; write library or one of: direct, direct-unrotated, pairwise, throttled:WINDOW, two-phase:N1, two-phase-balanced:N1"#
        );
        for text in ["throttled", "throttled:0", "throttled:x", "throttled:-1"] {
            assert!(message(text).ends_with("write throttled:WINDOW"), "{text}");
        }
        assert!(message("direct:3").ends_with("write direct"));
    }
}
