//! Parsers of the options of a fit.

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::text::guess::guess;

use super::Covariance;
use super::model::ThresholdChoice;
use super::network::ModelsToFit;
use crate::model::{self, Model, ModelEstimator};

/// Parses `auto` or the name of a model with parameters.
///
/// # Errors
/// If the text is none of these.
pub fn parse_models(text: &str) -> Result<ModelsToFit, String> {
    let is_fitted = |m: &&Model| m.estimator != ModelEstimator::None || m.is_stored();
    let fittable = || model::of_collective(Collective::Alltoall).filter(is_fitted);
    if text == "auto" {
        return Ok(ModelsToFit::All);
    }
    let named = fittable().find(|model| model.name == model::present_name(text));
    named.map(ModelsToFit::One).ok_or_else(|| {
        let names = fittable().map(|model| model.name).join(", ");
        let guess = guess(text, &names);
        format!("{guess}write auto or one of: {names}")
    })
}

/// Parses `auto` or the name of a covariance; `None` for `auto`: that of the repetitions if it explains
/// the residuals, otherwise by bandwidth share.
///
/// # Errors
/// If the text is none of these.
pub fn parse_covariance(text: &str) -> Result<Option<Covariance>, String> {
    let plain = [
        Covariance::Means,
        Covariance::Proportional,
        Covariance::BandwidthShare,
        Covariance::Ols,
    ];
    let named = plain.into_iter().find(|covariance| covariance.to_string() == text);
    let ar1 = || Some(Covariance::Ar1(text.strip_prefix("ar1:")?.parse().ok()?));
    match named.or_else(ar1) {
        None if text != "auto" => Err("write auto, means, proportional, bandwidth-share, ols or ar1:RHO".to_owned()),
        named => Ok(named),
    }
}

/// Parses `auto`, `none` or a size.
///
/// # Errors
/// If the text is none of these.
pub fn parse_threshold(text: &str) -> Result<ThresholdChoice, String> {
    match text {
        "auto" => Ok(ThresholdChoice::Search),
        "none" => Ok(ThresholdChoice::None),
        size => size
            .parse()
            .map(ThresholdChoice::At)
            .map_err(|error| format!("a threshold is a size from 0 on: {error}, auto or none")),
    }
}

/// The lowest confidence level.
const LEAST_CONFIDENT: f64 = 0.000_001;

/// The highest confidence level: no data give a useful interval above it.
const MOST_CONFIDENT: f64 = 0.999_999;

/// Parses a confidence level above 0 and below 1.
///
/// # Errors
/// If the text is no such level.
pub fn parse_confidence(text: &str) -> Result<f64, String> {
    let level: Option<f64> = text.parse().ok();
    level
        .filter(|level| (LEAST_CONFIDENT..=MOST_CONFIDENT).contains(level))
        .ok_or_else(|| format!("write a level such as 0.95, from {LEAST_CONFIDENT} to {MOST_CONFIDENT}"))
}
