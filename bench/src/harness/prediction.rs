//! The prediction of one cell by one method.

use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs, Seconds};
use serde::Serialize;

use super::row_goal::ResultRow;

/// Name of netsig as a method; the goals apply to it.
pub const OURS: &str = "netsig";

/// The oracle: the other launches of the truth, the best possible prediction.
pub const ORACLE: &str = "other launches";

/// The choice of data and cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum TrialKind {
    Half,
    Quarter,
    LeftOut,
    Tables,
    Osu,
    Others,
}

/// The prediction of one cell by one method: a row of residuals.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictionRow {
    pub network: String,
    pub trial: TrialKind,
    pub collective: Collective,
    pub algorithm: String,
    pub method: &'static str,
    pub procs: Procs,
    pub size_bytes: Bytes,
    /// The median of the truth; the mean for tables.
    pub measured_s: Seconds,
    /// True if the size is in the data.
    pub known_size: bool,
    /// Share of the repetitions that stall.
    pub stalled: f64,
    pub mixture: bool,
    pub contended: bool,
    /// Empty if the method has no prediction or refuses one.
    pub predicted_s: Option<Seconds>,
    pub lower_s: Option<Seconds>,
    pub upper_s: Option<Seconds>,
    /// CRPS of ln T.
    pub crps: Option<f64>,
    /// Brier score of the chance of a stall.
    pub brier: Option<f64>,
}

impl ResultRow for PredictionRow {
    fn network(&self) -> &str {
        &self.network
    }
}

impl PredictionRow {
    /// predicted/measured − 1; −1 without a prediction.
    pub fn error(&self) -> f64 {
        self.predicted_s.map_or(-1.0, |time| time / self.measured_s - 1.0)
    }

    /// True if the interval holds the measured time; false without an interval.
    pub fn is_covered(&self) -> bool {
        let ends = self.lower_s.zip(self.upper_s);
        ends.is_some_and(|(lower, upper)| (lower..=upper).contains(&self.measured_s))
    }
}
