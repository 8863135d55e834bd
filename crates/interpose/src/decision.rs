//! Decisions: the schedule that runs, or the reason for running the MPI library's own algorithm.

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::Bytes;
use netsig_model::predict::runtime_choice::{GainCertainty, OUTSIDE_PROFILE};
use netsig_mpi::SegmentOrder;

/// The algorithm for the calls of a collective of one size on a communicator.
#[derive(Debug, Clone, PartialEq)]
pub struct CallDecision {
    /// The schedule; `None` for the MPI library's own algorithm.
    pub algorithm: Option<Algorithm>,
    /// Reason for running the library's own algorithm.
    pub reason: String,
    /// Length of a piece, or the mean length; 0 if the decision holds for all lengths.
    pub size: Bytes,
    /// Predicted seconds of the library's own algorithm, if known.
    pub library_s: Option<f64>,
    /// Predicted seconds of the algorithm that runs, if known.
    pub chosen_s: Option<f64>,
    /// Predicted seconds of a faster algorithm that could change the result, if there is one.
    pub left_s: Option<f64>,
    /// Certainty of the gain of the schedule.
    pub certainty: GainCertainty,
    /// Order of the segments, where pieces differ in size.
    pub order: SegmentOrder,
}

impl CallDecision {
    /// The decision for the library's own algorithm.
    pub fn library(reason: impl Into<String>) -> Self {
        Self {
            algorithm: None,
            reason: reason.into(),
            size: Bytes(0),
            library_s: None,
            chosen_s: None,
            left_s: None,
            certainty: GainCertainty::Given,
            order: SegmentOrder::default(),
        }
    }

    /// The decision that leaves calls to the library for the sake of their results.
    pub fn left_for(&self, reason: &str) -> Self {
        let left_s = self.left_s.into_iter().chain(self.chosen_s).reduce(f64::min);
        Self {
            algorithm: None,
            reason: reason.to_owned(),
            chosen_s: self.library_s,
            left_s,
            ..self.clone()
        }
    }

    /// The decision for an operation of the program, of which no other setting would allow more.
    pub fn without_left(self) -> Self {
        let reason = match self.algorithm {
            None if self.left_s.is_some() => "an operation of the program".to_owned(),
            _ => self.reason.clone(),
        };
        Self {
            left_s: None,
            reason,
            ..self
        }
    }

    /// Predicted time of the library's own algorithm over that of the algorithm that runs; 1 if they are unknown.
    pub fn predicted_gain(&self) -> f64 {
        let times = self.library_s.zip(self.chosen_s);
        times.map_or(1.0, |(library, chosen)| library / chosen)
    }

    /// The decision that replaces this one if its schedule has gained nothing.
    pub fn library_is_as_fast(&self) -> Self {
        Self {
            algorithm: None,
            reason: "the library's own choice is as fast in this program".to_owned(),
            ..self.clone()
        }
    }

    /// True if the call is too far from the measurements.
    pub fn is_outside(&self) -> bool {
        self.reason.starts_with(OUTSIDE_PROFILE)
    }

    /// The decision in a line.
    pub fn to_line(&self) -> String {
        let name = self.algorithm.map(|algorithm| algorithm.to_string());
        let number = |value: Option<f64>| value.map(|seconds| seconds.to_string()).unwrap_or_default();
        let words = [
            name.unwrap_or_default(),
            self.size.0.to_string(),
            number(self.library_s),
            number(self.chosen_s),
            number(self.left_s),
            self.certainty.to_string(),
            self.order.to_string(),
            self.reason.replace(['\t', '\0'], " "),
        ];
        words.join("\t")
    }

    /// The decision of a line.
    pub fn of_line(collective: Collective, line: &str) -> Option<Self> {
        let (name, size, library_s, chosen_s, left_s, certainty, order, reason) =
            line.splitn(8, '\t').collect_tuple()?;
        Some(Self {
            algorithm: match name {
                "" => None,
                name => Some(Algorithm::parse(collective, name).ok()?),
            },
            reason: reason.to_owned(),
            size: Bytes(size.parse().ok()?),
            library_s: library_s.parse().ok(),
            chosen_s: chosen_s.parse().ok(),
            left_s: left_s.parse().ok(),
            certainty: certainty.parse().ok()?,
            order: order.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_survives_its_line() {
        let collective = Collective::Alltoall;
        let algorithm = Algorithm::parse(collective, "windowed:segment=4096,window=4").unwrap();
        for decision in [
            CallDecision::library("no profile"),
            CallDecision {
                algorithm: Some(algorithm),
                reason: String::new(),
                size: Bytes(1 << 40),
                library_s: Some(0.1 + 0.2),
                chosen_s: Some(1e-300),
                left_s: Some(0.1),
                certainty: GainCertainty::Unsure,
                order: SegmentOrder::Together,
            },
        ] {
            let line = decision.to_line();
            assert_eq!(CallDecision::of_line(collective, &line), Some(decision));
        }
        assert_eq!(CallDecision::of_line(collective, "nonsense\t\t\t\t\t\t"), None);
    }
}
