//! What a fit of the signature leaves out, drops, keeps and refuses. That it finds a truth is
//! in `fits.rs`; fits that were computed outside netsig are in `vectors.json`.

use netsig_core::algorithm::Collective;
use netsig_core::fit::model::{
    DeltaRule, ModelFit, Options, SidePoints, ThresholdChoice, Unsaturated,
};
use netsig_core::fit::saturation::Saturation;
use netsig_core::fit::{Covariance, FitError, Point};
use netsig_core::model::{self, Known};
use netsig_core::units::{Bytes, Seconds};

use crate::arbitrary::{hockney, procs};
use crate::fits;

/// Thirteen sizes from 256 bytes to 1 MiB. Their times are those without contention by `factor`,
/// in turn lower and higher by `noise`.
fn points(count: u32, noise: f64, factor: impl Fn(u64) -> f64) -> Vec<Point> {
    let point = |i: u32| {
        let size = 256 << i;
        let error = 1.0 + if i.is_multiple_of(2) { -noise } else { noise };
        let time = hockney(6e-5, 8.498e-8).alltoall(procs(count), Bytes(size));
        Point {
            procs: procs(count),
            size: Bytes(size),
            time: time * factor(size) * error,
            deviation: time * 0.02,
            repetitions: 100,
        }
    };
    (0..13).map(point).collect()
}

fn fit(form: &str, points: &[Point], options: &Options) -> Result<ModelFit, FitError> {
    let network = Known::of(hockney(6e-5, 8.498e-8), None);
    let model = model::find(Collective::Alltoall, form).unwrap();
    fits::fit(model, &network, points, options)
}

#[track_caller]
fn assert_close(fit: &ModelFit, name: &str, expected: f64, tolerance: f64) {
    let value = fit.model.value(name).unwrap_or(f64::NAN);
    let is_close = (value - expected).abs() <= tolerance * expected.abs();
    assert!(is_close, "{name} = {value} is not {expected}");
}

/// γ rises from 4 processes on and stays from 16 on: the first two process counts do not
/// enter the signature unless they are wanted.
#[test]
fn process_counts_that_do_not_saturate_are_left_out() {
    let gammas = [(4, 1.2), (8, 1.5), (16, 2.0), (24, 2.01), (32, 1.99)];
    let at = gammas.map(|(count, gamma)| points(count, 0.01, |_| gamma));
    let mut options = Options::default();
    let fitted = fit("signature", &at.concat(), &options).unwrap();
    let from_16 = Saturation::From(procs(16));
    assert_eq!(fitted.model.domain.saturation, from_16);
    assert_eq!(fitted.left_out, [4, 8].map(procs));
    assert_close(&fitted, "gamma", 2.0, 0.01);
    options.unsaturated = Unsaturated::Kept;
    let fitted = fit("signature", &at.concat(), &options).unwrap();
    assert!(fitted.left_out.is_empty());
    assert!(fitted.model.value("gamma").unwrap() < 1.9);
}

/// Errors of one per cent leave nothing for δ to explain, and nothing for a second γ where
/// there is none.
#[test]
fn delta_threshold_and_second_gamma_are_there_if_the_data_need_them() {
    let flat = points(24, 0.01, |_| 1.5);
    let fitted = fit("signature", &flat, &Options::default()).unwrap();
    assert_eq!(fitted.model.threshold(), None);
    assert_close(&fitted, "delta_s", 0.0, 0.0);
    assert_close(&fitted, "gamma", 1.5, 0.02);
    let two = points(24, 0.005, |size| if size < 65536 { 1.05 } else { 1.8 });
    let fitted = fit("signature", &two, &Options::default()).unwrap();
    assert_close(&fitted, "threshold_bytes", 65536.0, 0.0);
    assert_close(&fitted, "gamma", 1.8, 0.01);
    assert_close(&fitted, "gamma_below", 1.05, 0.01);
}

/// A network that gains 0.5 ms on each message from 2 KiB on.
#[test]
fn a_negative_delta_is_kept_where_it_is_wanted() {
    let mut gaining = points(24, 0.0, |_| 1.5);
    for point in &mut gaining[3..] {
        point.time = point.time - Seconds(23.0 * 5e-4);
    }
    let fitted = |delta| {
        let options = Options {
            delta,
            threshold: ThresholdChoice::At(Bytes(2048)),
            covariance: Covariance::Ols,
            ..Options::default()
        };
        fit("full", &gaining, &options).unwrap()
    };
    let kept = fitted(DeltaRule::Kept);
    assert_close(&kept, "gamma", 1.5, 1e-9);
    assert_close(&kept, "delta_s", -5e-4, 1e-8);
    assert_close(&fitted(DeltaRule::Tested), "delta_s", 0.0, 0.0);
}

/// Two points on either side of M where as many are asked for; else two below and four from M on.
#[test]
fn points_that_cannot_answer_are_refused() {
    let all = points(24, 0.01, |size| if size < 2048 { 1.0 } else { 2.0 });
    let fewer = Options {
        least: SidePoints { below: 2, from: 2 },
        ..Options::default()
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
        (&all, at(524_288)),
        (&unspread, ThresholdChoice::Search),
    ];
    let told = refused.map(|(points, threshold)| {
        let options = Options {
            threshold,
            covariance: Covariance::Means,
            ..Options::default()
        };
        let error = fit("full", points, &options).unwrap_err();
        format!("{} points, {threshold:?}\n  {error}\n", points.len())
    });
    insta::assert_snapshot!(told.concat());
}
