//! The estimators: the contention signature, its threshold, saturation, pLogP and Hockney's
//! model.

use anyhow::{Context, Result, anyhow, ensure};
use netsig_core::fit::saturation::{Saturation, diagnose};
use netsig_core::fit::signature::{
    DeltaRule, Options, Parameter, Scale, SidePoints, SignatureFit, ThresholdChoice, Unsaturated,
    fit,
};
use netsig_core::fit::{Covariance, Point, hockney as hockney_fit, plogp};
use netsig_core::model::signature::{FORMS, Sides};
use netsig_core::stats::interval::{Estimate, t_quantile};
use netsig_core::units::{Bytes, Procs, Seconds};
use serde_json::{Value, json};

use super::inputs::Inputs;
use super::inputs::base;

/// The level of intervals.
const CONFIDENCE: f64 = 0.95;

/// The points of a measurement of `procs`, whose times are called `times`.
fn points(inputs: &Inputs, times: &str, procs: Procs) -> Result<Vec<Point>> {
    let sizes: Vec<Bytes> = inputs.get("sizes")?;
    let count = sizes.len();
    let times: Vec<Seconds> = inputs
        .each(times, count)?
        .with_context(|| format!("the input {times} is missing"))?;
    let deviations = inputs.each("sd", count)?;
    let deviations = deviations.unwrap_or_else(|| vec![Seconds(0.0); count]);
    let repetitions = inputs.each("reps", count)?;
    let repetitions = repetitions.unwrap_or_else(|| vec![1; count]);
    let point = |(i, size)| Point {
        procs,
        size,
        time: times[i],
        deviation: deviations[i],
        repetitions: repetitions[i],
    };
    Ok(sizes.into_iter().enumerate().map(point).collect())
}

/// `fit.signature`: the plain regression, whose δ stays whatever it is.
pub fn signature(inputs: &Inputs) -> Result<Value> {
    let threshold = match inputs.find("M")? {
        Some(size) => ThresholdChoice::At(size),
        None => ThresholdChoice::None,
    };
    let fitted = regression(inputs, threshold)?;
    let cov: Vec<Vec<f64>> = fitted
        .covariance
        .row_iter()
        .map(|row| row.iter().copied().collect())
        .collect();
    Ok(json!({
        "gamma": fitted.signature.gamma,
        "delta": fitted.signature.delta,
        "cov": cov,
        "ci95_gamma": interval(&fitted, Parameter::Gamma),
        "ci95_delta": interval(&fitted, Parameter::Delta),
        "t975": t_quantile(CONFIDENCE, fitted.dof as f64),
        "dof": fitted.dof,
        "weighted_rss": fitted.weighted_rss,
        "s2": fitted.weighted_rss / fitted.dof as f64,
    }))
}

/// `fit.choose_M`.
pub fn choose_threshold(inputs: &Inputs) -> Result<Value> {
    let fitted = regression(inputs, ThresholdChoice::Search)?;
    Ok(json!({
        "M": fitted.threshold.map(|threshold| threshold.value),
        "gamma": fitted.signature.gamma,
        "delta": fitted.signature.delta,
    }))
}

fn regression(inputs: &Inputs, threshold: ThresholdChoice) -> Result<SignatureFit> {
    let points = points(inputs, "T", inputs.get("n")?)?;
    let has_spread = points.iter().any(|point| point.deviation.0 > 0.0);
    let mut weights = [
        ("1/(sd^2/reps)", Covariance::Means),
        ("unit", Covariance::Ols),
    ];
    if !has_spread {
        weights.reverse();
    }
    let scales = [("estimated", Scale::Estimated), ("known", Scale::Known)];
    let forms = FORMS.map(|(form, name)| (name, form));
    let standard = SidePoints::default();
    let options = Options {
        form: inputs.one_of("variant", &forms)?,
        covariance: inputs.one_of("weights", &weights)?,
        threshold,
        least: SidePoints {
            below: inputs.find("min_points_below")?.unwrap_or(standard.below),
            from: inputs.find("min_points_above")?.unwrap_or(standard.from),
        },
        sides: Sides::OneGamma,
        delta: DeltaRule::Kept,
        scale: inputs.one_of("scale", &scales)?,
        unsaturated: Unsaturated::Kept,
        base_error: None,
        confidence: CONFIDENCE,
    };
    Ok(fit(&base(inputs)?, &points, &options)?)
}

/// The ends of an interval.
fn interval(fitted: &SignatureFit, wanted: Parameter) -> Option<[f64; 2]> {
    let found = fitted
        .parameters
        .iter()
        .find(|(parameter, _)| *parameter == wanted);
    found.map(|(_, Estimate { lower, upper, .. })| [*lower, *upper])
}

/// `fit.saturation`.
pub fn saturation(inputs: &Inputs) -> Result<Value> {
    let counts: Vec<Procs> = inputs.get("n")?;
    let gammas: Vec<f64> = inputs.get("gamma_n")?;
    ensure!(
        counts.len() == gammas.len(),
        "n and gamma_n differ in length"
    );
    let reference: Procs = inputs.get("n_ref")?;
    let place = counts.iter().position(|n| *n == reference);
    let at_reference = gammas[place.context("n_ref is not among n")?];
    let errors: Vec<f64> = gammas
        .iter()
        .map(|gamma| gamma / at_reference - 1.0)
        .collect();
    let mut points: Vec<(Procs, f64)> = counts.into_iter().zip(gammas).collect();
    points.sort_unstable_by_key(|(n, _)| *n);
    let n_sat = match diagnose(&points, inputs.get("tol")?) {
        Saturation::From(n) => Some(n),
        Saturation::NotReached | Saturation::Unverified => None,
    };
    Ok(json!({
        "n_sat": n_sat,
        "reference_saturated": n_sat.is_some_and(|n| reference >= n),
        "rel_error_vs_ref": errors,
    }))
}

/// `measure.L`.
pub fn latency(inputs: &Inputs) -> Result<Value> {
    Ok(json!(plogp::latency(
        inputs.get("RTT0")?,
        inputs.get("g0")?
    )))
}

/// `measure.g_from_rtt`.
pub fn gap(inputs: &Inputs) -> Result<Value> {
    let gap =
        plogp::gap_from_round_trips(inputs.get("RTT_m")?, inputs.get("RTT0")?, inputs.get("g0")?);
    Ok(json!(gap))
}

/// `measure.discontinuity`.
pub fn discontinuity(inputs: &Inputs) -> Result<Value> {
    let sizes: Vec<Bytes> = inputs.get("sizes")?;
    let overheads: Vec<Seconds> = inputs.get("os")?;
    let rows: Vec<_> = sizes.into_iter().zip(overheads).collect();
    let count = rows.len();
    let rows = rows.try_into();
    let rows = rows.map_err(|_| anyhow!("{count} sizes with an os, not three"))?;
    let found = plogp::discontinuity(rows, inputs.find("max_diff")?.unwrap_or(0.2));
    Ok(json!({
        "expected_os": found.expected,
        "rel_err": found.relative_error,
        "insert": found.insert,
    }))
}

/// `measure.hockney_fit`.
pub fn hockney(inputs: &Inputs) -> Result<Value> {
    let points = points(inputs, "t_oneway", Procs::new(2)?)?;
    let fitted = hockney_fit::fit(&points, &Covariance::Ols, 0.95)?;
    Ok(json!({"alpha": fitted.alpha.value, "beta": fitted.beta.value}))
}
