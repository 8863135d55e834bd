//! Points and parameters that a fit of the signature drops, keeps or refuses. `fits.rs` tests that it finds a truth;
//! `vectors.json` has fits that were computed outside netsig.

use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::fit::model::{DeltaRule, ModelFit, ModelFitOptions, SidePoints, ThresholdChoice, UnsaturatedRule};
use netsig_model::fit::{Covariance, FitError, MeasuredPoint};
use netsig_model::fitted::saturation::Saturation;
use netsig_model::model::{self, ParameterValues, SIGNATURE};

use crate::arbitrary::{procs, toy};
use crate::fits;

/// γ of 1.5 at all sizes.
const FLAT: [f64; 3] = [1.5, 1.5, f64::INFINITY];

/// Ten sizes under a signature of γ, `γ_below` and M, in turn lower and higher by `noise`.
fn points(count: u32, noise: f64, numbers: [f64; 3]) -> Vec<MeasuredPoint> {
    let model = model::find(Collective::Alltoall, SIGNATURE).unwrap();
    let [gamma, below, threshold] = numbers;
    let numbers = vec![gamma, below, 0.0, threshold];
    let latency = None;
    let mut points = fits::exact(model, &ParameterValues { numbers, latency }, &[count]);
    for (point, sign) in points.iter_mut().zip([-1.0, 1.0].into_iter().cycle()) {
        point.time = point.time * (1.0 + sign * noise);
    }
    points
}

fn fit(form: &str, points: &[MeasuredPoint], options: &ModelFitOptions) -> Result<ModelFit, FitError> {
    let model = model::find(Collective::Alltoall, form).unwrap();
    fits::fit(model, &toy(), points, options)
}

#[track_caller]
fn assert_close(fit: &ModelFit, name: &str, expected: f64, tolerance: f64) {
    let value = fit.model.value(name).unwrap_or(f64::NAN);
    let is_close = (value - expected).abs() <= tolerance * expected.abs();
    assert!(is_close, "{name} = {value} is not {expected}");
}

/// γ rises from 4 processes on and stays from 16 on: the first two process counts do not enter the signature unless
/// the options keep them.
#[test]
fn process_counts_that_do_not_saturate_are_left_out() {
    let gammas = [(4, 1.2), (8, 1.5), (16, 2.0), (24, 2.01), (32, 1.99)];
    let at = gammas.map(|(count, gamma)| points(count, 0.01, [gamma, gamma, f64::INFINITY]));
    let mut options = ModelFitOptions::default();
    let fitted = fit("signature", &at.concat(), &options).unwrap();
    let from_16 = Saturation::From(procs(16));
    assert_eq!(fitted.model.domain.saturation, from_16);
    assert_eq!(fitted.left_out, [4, 8].map(procs));
    assert_close(&fitted, "gamma", 2.0, 0.01);
    options.unsaturated = UnsaturatedRule::Kept;
    let fitted = fit("signature", &at.concat(), &options).unwrap();
    assert!(fitted.left_out.is_empty());
    assert!(fitted.model.value("gamma").unwrap() < 1.9);
}

/// Errors of one per cent leave nothing for δ to explain, and nothing for a second γ where
/// there is none.
#[test]
fn delta_threshold_and_second_gamma_are_there_if_the_data_need_them() {
    let flat = points(24, 0.01, FLAT);
    let fitted = fit("signature", &flat, &ModelFitOptions::default()).unwrap();
    assert_eq!(fitted.model.threshold(), None);
    assert_close(&fitted, "delta_s", 0.0, 0.0);
    assert_close(&fitted, "gamma", 1.5, 0.02);
    let two = points(24, 0.005, [1.8, 1.05, 16384.0]);
    let fitted = fit("signature", &two, &ModelFitOptions::default()).unwrap();
    assert_close(&fitted, "threshold_bytes", 16384.0, 0.0);
    assert_close(&fitted, "gamma", 1.8, 0.01);
    assert_close(&fitted, "gamma_below", 1.05, 0.01);
}

/// A network that gains 50 µs on each message from 2 KiB on.
#[test]
fn a_negative_delta_is_kept_where_it_is_wanted() {
    let mut gaining = points(24, 0.0, FLAT);
    for point in &mut gaining[3..] {
        point.time = point.time - Seconds(23.0 * 5e-5);
    }
    let fitted = |delta| {
        let options = ModelFitOptions {
            delta,
            threshold: ThresholdChoice::At(Bytes(2048)),
            covariance: Covariance::Ols,
            ..ModelFitOptions::default()
        };
        fit("full", &gaining, &options).unwrap()
    };
    let kept = fitted(DeltaRule::Kept);
    assert_close(&kept, "gamma", 1.5, 1e-9);
    assert_close(&kept, "delta_s", -5e-5, 1e-8);
    assert_close(&fitted(DeltaRule::Tested), "delta_s", 0.0, 0.0);
}

/// A fit needs two points below M and four from M on, or as few as its options allow.
#[test]
fn points_that_cannot_answer_are_refused() {
    let all = points(24, 0.01, [2.0, 1.0, 2048.0]);
    let fewer = ModelFitOptions {
        least_points: SidePoints { below: 2, from: 2 },
        ..ModelFitOptions::default()
    };
    assert!(fit("full", &all[..6], &fewer).is_ok());
    let mut unspread = all.clone();
    unspread[3].deviation = Seconds(0.0);
    let at = |size| ThresholdChoice::At(Bytes(size));
    let refused = [
        (&all[..5], ThresholdChoice::Search),
        (&all[..3], ThresholdChoice::Search),
        (&all, at(4 << 20)),
        (&all, at(1)),
        (&all, at(131_072)),
        (&unspread, ThresholdChoice::Search),
    ];
    let refusals = refused.map(|(points, threshold)| {
        let options = ModelFitOptions {
            threshold,
            covariance: Covariance::Means,
            ..ModelFitOptions::default()
        };
        let error = fit("full", points, &options).unwrap_err();
        format!("{} points, {threshold:?}\n  {error}\n", points.len())
    });
    insta::assert_snapshot!(refusals.concat());
}
