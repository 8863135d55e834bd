//! Fits of all models that have parameters: known truths are found, and invalid data are refused.

use netsig_base::algorithm::Collective;
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::fit::model::{FitProblem, ModelFit, ModelFitOptions, UnsaturatedRule};
use netsig_model::fit::{Covariance, FitError, MeasuredPoint};
use netsig_model::fitted::{ContentionFreeBase, FittedModel, Residuals};
use netsig_model::model::{self, Case, KnownNetwork, Model, ModelEstimator, ParameterRole, ParameterValues, SIGNATURE};
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{any_network, counts, hockney, procs, sizes, toy, unchanged};
use crate::profiles::{check, of_network, predictor};
use crate::seeded;

/// Every model that a fit supports.
pub fn fittable() -> impl Iterator<Item = &'static Model> {
    model::models().filter(|model| model.is_fitted_to_cells())
}

fn any_covariance() -> impl Strategy<Value = Covariance> {
    select(vec![
        Covariance::Means,
        Covariance::Proportional,
        Covariance::BandwidthShare,
        Covariance::Ols,
        Covariance::Ar1(0.3),
    ])
}

fn options(covariance: Covariance) -> ModelFitOptions {
    ModelFitOptions {
        covariance,
        unsaturated: UnsaturatedRule::Kept,
        ..ModelFitOptions::default()
    }
}

const COUNTS: [u32; 3] = [5, 12, 24];

pub fn size(index: usize) -> Bytes {
    Bytes(256 << (index + index / 5))
}

/// Ten sizes at each process count, with the times that `values` give.
pub fn exact(model: &'static Model, values: &ParameterValues, counts: &[u32]) -> Vec<MeasuredPoint> {
    let sizes = |&count| (0..10).map(move |i| Case::new(procs(count), size(i)));
    let point = |case| {
        let time = model.time(&toy(), values, case).unwrap().time;
        MeasuredPoint {
            procs: case.procs,
            size: case.size,
            time,
            deviation: time * 0.02,
            repetitions: 10,
        }
    };
    counts.iter().flat_map(sizes).map(point).collect()
}

/// γ from the threshold on, and below it.
fn gammas(shares: [f64; 2]) -> [f64; 2] {
    [0.5 + 4.0 * shares[0], 1.0 + 4.0 * shares[1]]
}

/// True parameters of a model, from numbers of [0, 1).
fn truth(model: &Model, shares: [f64; 2], threshold: usize) -> Vec<f64> {
    let value = |parameter: &model::ModelParameter| match parameter.name {
        "gamma_below" => gammas(shares)[1],
        "gamma" | "slowdown" => gammas(shares)[0],
        "delta_s" | "delta_per_process_s" => 1e-3 + 0.1 * shares[1],
        "threshold_bytes" => size(threshold).as_f64(),
        "sharing" | "beta_contended_s_per_byte" => 1e-3 + shares[0],
        "buses" => (1.0 + 99.0 * shares[0]).floor(),
        name => parameter.default.unwrap_or_else(|| panic!("{name} has no truth here")),
    };
    model.parameters.iter().map(value).collect()
}

/// Waves between 24 and 40 processes lose from 400 kB in flight on, whatever their size and number.
#[test]
fn what_overflows_a_wave_is_found() {
    overflow_is_found("two_phase_paced");
}

/// So do pieces that all cross at once; M may lie anywhere between two measured cells.
#[test]
fn what_overflows_a_shared_link_is_found() {
    let fitted = overflow_is_found("shared_link");
    let threshold = fitted.threshold().unwrap();
    assert!(
        threshold.lower < 400_000.0 && threshold.value >= 400_000.0,
        "{threshold:?}"
    );
}

fn overflow_is_found(name: &str) -> FittedModel {
    let model = model::find(Collective::Alltoall, name).unwrap();
    let given = ParameterValues {
        numbers: vec![0.9, 1.1, 1.3, 0.02, 400_000.0],
        latency: None,
    };
    let points = exact(model, &given, &COUNTS);
    let fit_result = fit(model, &toy(), &points, &options(Covariance::Proportional));
    let fitted = fit_result.unwrap().model;
    let values = fitted.values().unwrap();
    for (found, truth) in values.numbers.iter().zip(&given.numbers).take(4) {
        assert!((found / truth - 1.0).abs() < 1e-6, "{values:?}");
    }
    for p in &points {
        let again = model.time(&toy(), &values, Case::new(p.procs, p.size));
        assert!((again.unwrap().time / p.time - 1.0).abs() < 1e-6, "{values:?}");
    }
    fitted
}

proptest! {
    #![proptest_config(seeded::cases(6))]

    #[test]
    fn the_truth_is_found(
        (shares, threshold) in (prop::array::uniform2(0.0..1.0f64), 2..6usize),
        latencies in prop::collection::vec(1e-5..1e-2f64, 10),
        covariance in any_covariance(),
    ) {
        // A fit keeps one γ where two are too near to be distinguished.
        let [gamma, gamma_below] = gammas(shares);
        prop_assume!((gamma / gamma_below - 1.0).abs() > 0.01);
        for model in fittable() {
            let numbers = truth(model, shares, threshold);
            let rows = (0..10).map(size).zip(latencies.iter().map(|t| Seconds(*t)));
            let latency = (model.estimator == ModelEstimator::Latency)
                .then(|| SizeTable::new("L", rows.collect()).unwrap());
            let given = ParameterValues { numbers, latency };
            let points = exact(model, &given, &COUNTS);
            let fitted = fit(model, &toy(), &points, &options(covariance.clone())).unwrap().model;
            let values = fitted.values().unwrap();
            prop_assert_eq!(values.numbers.len(), given.numbers.len(), "{}", model.name);
            let pairs = values.numbers.iter().zip(&given.numbers).zip(model.parameters);
            for ((value, truth), parameter) in pairs {
                // Several numbers of buses make the same waves.
                let is_found = value.total_cmp(truth).is_eq()
                    || (value - truth).abs() <= 1e-6 * truth.abs();
                prop_assert!(is_found || parameter.role == ParameterRole::Count, "{}: {value}", model.name);
            }
            for p in &points {
                let again = model.time(&toy(), &values, Case::new(p.procs, p.size));
                prop_assert!((again.unwrap().time / p.time - 1.0).abs() < 1e-6, "{}", model.name);
            }
            let Residuals { below, above } = fitted.residuals;
            prop_assert!(below.max(above) < 1e-6, "{}: {below} {above}", model.name);
        }
    }

    /// Times multiplied by k give the same γ on k times α and β, and k times δ. δ stays clear of the limit below
    /// which it is dropped.
    #[test]
    fn a_fit_scales_with_its_data(scale in 1e-3..1e3f64, covariance in any_covariance()) {
        let model = model::find(Collective::Alltoall, SIGNATURE).unwrap();
        let numbers = vec![1.5, 1.5, 4e-3, size(4).as_f64()];
        let mut points = exact(model, &ParameterValues { numbers, latency: None }, &COUNTS);
        for (point, wobble) in points.iter_mut().zip([1.0, 1.02, 1.04].into_iter().cycle()) {
            point.time = point.time * wobble;
        }
        let [plain, scaled] = [1.0, scale].map(|scale| {
            let mut points = points.clone();
            for point in &mut points {
                (point.time, point.deviation) = (point.time * scale, point.deviation * scale);
            }
            let network = KnownNetwork::of(hockney(6e-5 * scale, 1e-8 * scale), None);
            fit(model, &network, &points, &options(covariance.clone())).unwrap().model
        });
        prop_assert_eq!(plain.threshold(), scaled.threshold());
        for (name, factor) in [("gamma", 1.0), ("delta_s", scale)] {
            let [plain, scaled] = [&plain, &scaled].map(|fit| fit.value(name).unwrap());
            prop_assert!((scaled / plain / factor - 1.0).abs() < 1e-6, "{name}: {plain} {scaled}");
        }
    }
}

pub fn fit(
    model: &'static Model,
    network: &KnownNetwork,
    points: &[MeasuredPoint],
    options: &ModelFitOptions,
) -> Result<ModelFit, FitError> {
    let problem = FitProblem {
        model,
        algorithm: "direct",
        base: ContentionFreeBase::Hockney,
        network,
        points,
        options,
    };
    problem.fit()
}

/// Valid cells, and now and then an invalid one.
fn any_points() -> impl Strategy<Value = Vec<MeasuredPoint>> {
    let limits = [5e-324, f64::MAX, f64::INFINITY, f64::NAN];
    let wild = select([&limits[..], &[1e-300, 1e300, 0.0, -1.0]].concat());
    let (time, deviation) = (1e-6..1e3f64, 1e-6..1e-3f64);
    let [any_time, any_deviation] = [&time, &deviation].map(|tame| prop_oneof![tame.clone(), wild.clone()]);
    let tame = (2..40u32, 0..1u64 << 20, time, deviation);
    let wild = (counts(), sizes(), any_time, any_deviation);
    let cell_ranges = (prop::collection::vec(tame, 0..25), prop::collection::vec(wild, 0..2));
    let cell = |(count, size, time, deviation): (_, _, _, _)| MeasuredPoint {
        procs: procs(count),
        size: Bytes(size),
        time: Seconds(time),
        deviation: Seconds(deviation),
        repetitions: 5,
    };
    let cells = cell_ranges.prop_map(move |cells| [cells.0, cells.1].concat());
    let points = cells.prop_map(move |cells| cells.into_iter().map(cell).collect::<Vec<_>>());
    points.prop_shuffle()
}

proptest! {
    #![proptest_config(seeded::cases(24))]

    #[test]
    fn any_points_give_a_finite_fit_or_an_error(
        (network, points) in (any_network(1e-2, unchanged), any_points()),
        covariance in any_covariance(),
        confidence in select(vec![0.95, 0.5, 0.0, 1.0, 2.0, -1.0, f64::NAN]),
        (count, size) in (counts(), sizes()),
    ) {
        let mut profile = of_network(&network);
        for model in fittable() {
            let options = ModelFitOptions { covariance: covariance.clone(), confidence, ..ModelFitOptions::default() };
            if let Ok(ModelFit { model: fitted, weighted_rss, .. }) = fit(model, &network, &points, &options) {
                let Residuals { below, above } = &fitted.residuals;
                let covariances = fitted.covariance.iter();
                let numbers = covariances.chain([below, above, &weighted_rss]);
                prop_assert!(numbers.into_iter().all(|x| x.is_finite()), "{}: {fitted:?}", model.name);
                prop_assert!(fitted.covariance_of.iter().all(|name| fitted.value(name).is_some_and(f64::is_finite)));
                if !(0.0..1.0).contains(&confidence) {
                    continue;
                }
                profile.fitted = vec![fitted];
                let predictor = predictor(&profile, "direct", model);
                check(&predictor.and_then(|case_predictor| case_predictor.predict(procs(count), Bytes(size))))?;
            }
        }
    }
}

/// More processes than 2^16 could have more buses than a model can count.
#[test]
fn buses_are_counted_among_any_number_of_processes() {
    for model in fittable().filter(|model| model.name.starts_with("labarta")) {
        for count in [70_000, u32::MAX] {
            let numbers = vec![3.0];
            let latency = None;
            let points = exact(model, &ParameterValues { numbers, latency }, &[count]);
            let fitted = fit(model, &toy(), &points, &options(Covariance::Means));
            let buses = fitted.unwrap().model.value("buses");
            assert_eq!(buses, Some(3.0), "{}", model.name);
        }
    }
}
