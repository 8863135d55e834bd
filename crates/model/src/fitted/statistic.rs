//! Statistics that represent a predicted distribution of times.

use netsig_base::data::cells::Statistic;
use netsig_base::units::Seconds;
use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::model::regimes::TimeDistribution;

/// Statistic of the predicted times of a case.
#[derive(Debug, Clone, Copy, PartialEq, derive_more::From)]
pub enum PredictedStatistic {
    /// Average of the times, as of measured repetitions.
    #[from]
    Average(Statistic),
    /// Quantile: the time that this share of the repetitions does not exceed.
    Quantile(f64),
}

impl Default for PredictedStatistic {
    fn default() -> Self {
        Self::Average(Statistic::Median)
    }
}

/// Number of repetitions in the median that the interval is for.
const INTERVAL_REPETITIONS: f64 = 10.0;

/// Smallest distance of a quantile's level from 0 and 1.
const LEAST_LEVEL: f64 = 0.02;

/// Parses the share of a quantile, above 0 and below 1.
///
/// # Errors
/// If the text is no such share.
pub fn parse_quantile(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok();
    share
        .filter(|share| *share > 0.0 && *share < 1.0)
        .ok_or_else(|| "write a share between 0 and 1, such as 0.9".to_owned())
}

impl PredictedStatistic {
    /// The statistic of a distribution.
    pub fn value_of(self, times: &TimeDistribution) -> Seconds {
        match self {
            Self::Average(Statistic::Mean) => times.mean(),
            Self::Average(Statistic::Median) => times.median(),
            Self::Quantile(level) => times.quantile(level),
        }
    }

    /// Levels of the interval of the statistic of ten repetitions.
    pub(crate) fn interval_levels(self, confidence: f64) -> [f64; 2] {
        let level = match self {
            Self::Average(_) => 0.5,
            Self::Quantile(level) => level,
        };
        let normal = Normal::standard().inverse_cdf(f64::midpoint(1.0, confidence));
        let half = normal * (level * (1.0 - level) / INTERVAL_REPETITIONS).sqrt();
        [level - half, level + half].map(|end| end.clamp(LEAST_LEVEL, 1.0 - LEAST_LEVEL))
    }
}
