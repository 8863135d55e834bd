//! The estimators: the contention signature, its threshold, saturation, pLogP and Hockney's
//! model.

use anyhow::{Context, Result, anyhow, ensure};
use itertools::izip;
use netsig_base::algorithm::Collective;
use netsig_base::stats::interval::t_quantile;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::model::{DeltaRule, FitProblem, ModelFitOptions, SidePoints, ThresholdChoice, UnsaturatedRule};
use netsig_model::fit::{Covariance, MeasuredPoint, hockney as hockney_fit, plogp};
use netsig_model::fitted::saturation::{Saturation, diagnose};
use netsig_model::fitted::{ContentionFreeBase, ParameterValue};
use netsig_model::model::{self, KnownNetwork};
use serde_json::{Value, json};

use super::inputs::{VectorInputs, hockney_base};

/// The confidence level of intervals.
const CONFIDENCE: f64 = 0.95;

/// The measured points with `procs` processes; `times` is the name of the input with the times.
fn points(inputs: &VectorInputs, times: &str, procs: Procs) -> Result<Vec<MeasuredPoint>> {
    let sizes: Vec<Bytes> = inputs.get("sizes")?;
    let count = sizes.len();
    let times: Vec<Seconds> = inputs.get(times)?;
    ensure!(times.len() == count, "{} times for {count} sizes", times.len());
    let deviations = inputs.each("sd", count, Seconds(0.0))?;
    let repetitions = inputs.each("reps", count, 1)?;
    let measured_rows = izip!(sizes, times, deviations, repetitions);
    let points = measured_rows.map(|(size, time, deviation, repetitions)| MeasuredPoint {
        procs,
        size,
        time,
        deviation,
        repetitions,
    });
    Ok(points.collect())
}

/// `fit.signature`: the plain regression at the given M, with δ kept even if it is not significant;
/// and `fit.choose_M` if no M is given.
pub fn signature(inputs: &VectorInputs, default_threshold: ThresholdChoice) -> Result<Value> {
    let points = points(inputs, "T", inputs.get("n")?)?;
    let mut weights = [("1/(sd^2/reps)", Covariance::Means), ("unit", Covariance::Ols)];
    if points.iter().all(|point| point.deviation.0 <= 0.0) {
        weights.reverse();
    }
    let standard = SidePoints::default();
    let options = ModelFitOptions {
        covariance: inputs.one_of("weights", &weights)?,
        threshold: inputs.find("M")?.map_or(default_threshold, ThresholdChoice::At),
        least_points: SidePoints {
            below: inputs.find("min_points_below")?.unwrap_or(standard.below),
            from: inputs.find("min_points_above")?.unwrap_or(standard.from),
        },
        delta: DeltaRule::Kept,
        unsaturated: UnsaturatedRule::Kept,
        hockney_variances: None,
        confidence: CONFIDENCE,
    };
    let variant: Option<String> = inputs.find("variant")?;
    let problem = FitProblem {
        model: model::find(Collective::Alltoall, variant.as_deref().unwrap_or("full"))?,
        algorithm: "",
        base: ContentionFreeBase::Hockney,
        network: &KnownNetwork::of(hockney_base(inputs)?, None),
        points: &points,
        options: &options,
    };
    let fit = problem.fit()?;
    let (fitted, dof) = (&fit.model, fit.model.student.dof());
    let s2 = fit.weighted_rss / dof as f64;
    // A known σ² is 1: dividing by the estimated one removes it from the variances.
    let scale = inputs.one_of("scale", &[("estimated", 1.0), ("known", s2)])?;
    let interval = |name| match fitted.parameters.get(name) {
        Some(ParameterValue::Estimated(found)) => {
            let scaled_end = |end: f64| found.value + (end - found.value) / scale.sqrt();
            Some([found.lower, found.upper].map(scaled_end))
        }
        _ => None,
    };
    let covariance_rows = fitted.covariance.row_iter();
    let covariance = covariance_rows.map(|row| row.iter().map(|element| element / scale).collect::<Vec<f64>>());
    Ok(json!({
        "M": fitted.threshold().map(|threshold| Bytes::rounded(threshold.value)),
        "gamma": fitted.value("gamma"),
        "delta": fitted.value("delta_s"),
        "cov": covariance.collect::<Vec<_>>(),
        "ci95_gamma": interval("gamma"),
        "ci95_delta": interval("delta_s"),
        "t975": t_quantile(CONFIDENCE, dof as f64),
        "dof": dof,
        "weighted_rss": fit.weighted_rss,
        "s2": s2,
    }))
}

/// `fit.saturation`.
pub fn saturation(inputs: &VectorInputs) -> Result<Value> {
    let counts: Vec<Procs> = inputs.get("n")?;
    let gammas: Vec<f64> = inputs.get("gamma_n")?;
    ensure!(counts.len() == gammas.len(), "n and gamma_n differ in length");
    let reference: Procs = inputs.get("n_ref")?;
    let place = counts.iter().position(|n| *n == reference);
    let at_reference = gammas[place.context("n_ref is not among n")?];
    let errors: Vec<f64> = gammas.iter().map(|gamma| gamma / at_reference - 1.0).collect();
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

/// `measure.discontinuity`.
pub fn discontinuity(inputs: &VectorInputs) -> Result<Value> {
    let sizes: Vec<Bytes> = inputs.get("sizes")?;
    let overheads: Vec<Seconds> = inputs.get("os")?;
    let row_list: Vec<_> = sizes.into_iter().zip(overheads).collect();
    let count = row_list.len();
    let converted = row_list.try_into();
    let rows = converted.map_err(|_| anyhow!("{count} sizes with an os, not three"))?;
    let found = plogp::discontinuity(rows, inputs.find("max_diff")?.unwrap_or(0.2));
    Ok(json!({
        "expected_os": found.expected,
        "rel_err": found.relative_error,
        "insert": found.insert,
    }))
}

/// `measure.hockney_fit`.
pub fn hockney(inputs: &VectorInputs) -> Result<Value> {
    let points = points(inputs, "t_oneway", Procs::new(2)?)?;
    let (fitted, _) = hockney_fit::fit(&points, &Covariance::Ols, 0.95)?;
    Ok(json!({"alpha": fitted.alpha.value, "beta": fitted.beta.value}))
}
