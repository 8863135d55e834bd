//! The statistic of a predicted distribution that is asked for.

use netsig_base::data::cells::Statistic;
use netsig_base::units::Seconds;
use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::model::regimes::Times;

/// Requested statistic of the times of a case.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Asked {
    /// Median: the usual time.
    #[default]
    Median,
    /// Mean, which includes the stalls.
    Mean,
    /// Quantile: the time that this share of the repetitions does not exceed.
    Quantile(f64),
}

/// Number of repetitions in the median that the interval is for.
const REPETITIONS: f64 = 10.0;

/// Smallest distance of a quantile's level from 0 and 1.
const LEAST_LEVEL: f64 = 0.02;

/// Parses the share of a quantile, above 0 and below 1.
///
/// # Errors
/// If the text is no such share.
pub fn quantile(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok();
    share
        .filter(|share| *share > 0.0 && *share < 1.0)
        .ok_or_else(|| "write a share between 0 and 1, such as 0.9".to_owned())
}

impl From<Statistic> for Asked {
    fn from(statistic: Statistic) -> Self {
        match statistic {
            Statistic::Mean => Self::Mean,
            Statistic::Median => Self::Median,
        }
    }
}

impl Asked {
    /// Requested statistic of a distribution.
    pub fn of(self, times: &Times) -> Seconds {
        match self {
            Self::Median => times.median(),
            Self::Mean => times.mean(),
            Self::Quantile(level) => times.quantile(level),
        }
    }

    /// Levels of the interval of the statistic of ten repetitions.
    pub(crate) fn levels(self, confidence: f64) -> [f64; 2] {
        let level = match self {
            Self::Median | Self::Mean => 0.5,
            Self::Quantile(level) => level,
        };
        let normal = Normal::standard().inverse_cdf(f64::midpoint(1.0, confidence));
        let half = normal * (level * (1.0 - level) / REPETITIONS).sqrt();
        [level - half, level + half].map(|end| end.clamp(LEAST_LEVEL, 1.0 - LEAST_LEVEL))
    }
}
