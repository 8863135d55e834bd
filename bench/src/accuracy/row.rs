//! The prediction of one cell by one method.

use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs, Seconds};
use serde::Serialize;

/// The choice of data and cells.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display, strum::EnumIter,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Trial {
    Half,
    Quarter,
    LeftOut,
    Tables,
    Osu,
    Others,
}

/// netsig, to which the goals apply.
pub(super) const OURS: &str = "netsig";

/// The other launches of the truth: nobody can predict better.
pub(super) const ORACLE: &str = "other launches";

/// The prediction of one cell by one method: a row of residuals.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) network: String,
    pub(super) trial: Trial,
    pub(super) collective: Collective,
    pub(super) algorithm: String,
    pub(super) method: &'static str,
    pub(super) procs: Procs,
    pub(super) size_bytes: Bytes,
    /// The median of the truth, of tables the mean.
    pub(super) measured_s: Seconds,
    /// True if the size is in the data.
    pub(super) known_size: bool,
    /// Share of the repetitions that stall.
    pub(super) stalled: f64,
    pub(super) mixture: bool,
    pub(super) contended: bool,
    /// Empty where the method cannot tell or refuses to.
    pub(super) predicted_s: Option<Seconds>,
    pub(super) lower_s: Option<Seconds>,
    pub(super) upper_s: Option<Seconds>,
    /// CRPS of ln T.
    pub(super) crps: Option<f64>,
    /// Brier score of the chance of a stall.
    pub(super) brier: Option<f64>,
}
