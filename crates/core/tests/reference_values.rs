//! Estimators against values computed outside netsig: an exact signature, one with noise
//! whose threshold must be found, and what must be refused.

use netsig_core::algorithm::Collective;
use netsig_core::fit::fitted::Base;
use netsig_core::fit::model::{
    DeltaRule, ModelFit, Options, Problem, SidePoints, ThresholdChoice, Unsaturated,
};
use netsig_core::fit::saturation::Saturation;
use netsig_core::fit::{Covariance, FitError, Point};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::{self, Known};
use netsig_core::stats::interval::Estimate;
use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};

const SIZES: [u64; 13] = [
    256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144, 524_288, 1_048_576,
];

/// Fast Ethernet of Steffenel 2006, 24 processes: γ = 1.0195, δ = 8.23 ms, M = 2 KiB.
const EXACT: [f64; 13] = [
    0.001_917_029_303_680_000_2,
    0.002_427_148_607_36,
    0.003_447_387_214_720_000_6,
    0.194_777_864_429_439_98,
    0.198_858_818_858_88,
    0.207_020_727_717_759_98,
    0.223_344_545_435_519_96,
    0.255_992_180_871_04,
    0.321_287_451_742_08,
    0.451_877_993_484_159_97,
    0.713_059_076_968_32,
    1.235_421_243_936_64,
    2.280_145_577_873_280_4,
];

/// The same with noise, and the standard deviation of each of its 100 repetitions.
const NOISY: [(f64, f64); 13] = [
    (0.001_940_033_655_324_160_2, 9.700_168_276_620_802e-5),
    (0.002_407_731_418_501_12, 0.000_120_386_570_925_055_99),
    (0.003_499_098_022_940_800_3, 0.000_174_954_901_147_040_02),
    (0.193_998_752_971_722_2, 0.009_699_937_648_586_112),
    (0.200_648_548_228_609_9, 0.010_032_427_411_430_496),
    (0.204_743_499_712_864_62, 0.010_237_174_985_643_232),
    (0.224_684_612_708_133_09, 0.011_234_230_635_406_656),
    (0.256_760_157_413_653_05, 0.012_838_007_870_682_653),
    (0.319_038_439_579_885_4, 0.015_951_921_978_994_272),
    (0.456_396_773_419_001_6, 0.022_819_838_670_950_082),
    (0.709_493_781_583_478_4, 0.035_474_689_079_173_92),
    (1.240_362_928_912_386_8, 0.062_018_146_445_619_34),
    (2.275_585_286_717_533_7, 0.113_779_264_335_876_69),
];

fn fast_ethernet() -> Hockney {
    Hockney::new(Seconds(6e-5), SecondsPerByte(8.498e-8)).unwrap()
}

fn points(times: impl Iterator<Item = (f64, f64)>) -> Vec<Point> {
    let point = |(size, (time, deviation)): (u64, (f64, f64))| Point {
        procs: Procs::new(24).unwrap(),
        size: Bytes(size),
        time: Seconds(time),
        deviation: Seconds(deviation),
        repetitions: 100,
    };
    SIZES.into_iter().zip(times).map(point).collect()
}

fn exact_points() -> Vec<Point> {
    points(EXACT.into_iter().map(|time| (time, time / 50.0)))
}

fn options(threshold: ThresholdChoice, covariance: Covariance) -> Options {
    Options {
        threshold,
        covariance,
        ..Options::default()
    }
}

/// The fit of a form of the signature on Fast Ethernet.
fn fit(form: &str, points: &[Point], options: &Options) -> Result<ModelFit, FitError> {
    let problem = Problem {
        model: model::find(Collective::Alltoall, form).unwrap(),
        algorithm: "direct",
        base: Base::Hockney,
        network: &Known::of(fast_ethernet(), None),
        points,
        options,
    };
    problem.fit()
}

fn value(fit: &ModelFit, name: &str) -> f64 {
    fit.model.value(name).unwrap_or(f64::NAN)
}

#[track_caller]
fn assert_close(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value / expected - 1.0).abs() < tolerance,
        "{value} is not {expected}"
    );
}

#[test]
fn an_exact_signature_is_recovered_under_every_covariance() {
    let at = ThresholdChoice::At(Bytes(2048));
    for covariance in [
        Covariance::Ols,
        Covariance::Means,
        Covariance::Proportional,
        Covariance::BandwidthShare,
        Covariance::Ar1(0.3),
    ] {
        let fitted = fit("full", &exact_points(), &options(at, covariance)).unwrap();
        assert_close(value(&fitted, "gamma"), 1.0195, 1e-8);
        assert_close(value(&fitted, "delta_s"), 8.23e-3, 1e-8);
    }
}

/// γ rises from 4 processes on and stays from 16 on: the first two process counts do not
/// enter the signature unless they are wanted.
#[test]
fn process_counts_that_do_not_saturate_are_left_out() {
    let gammas = [(4, 1.2), (8, 1.5), (16, 2.0), (24, 2.01), (32, 1.99)];
    let at = |n: u32, gamma: f64| {
        SIZES.into_iter().enumerate().map(move |(i, size)| {
            let procs = Procs::new(n).unwrap();
            let wobble = if i % 2 == 0 { 0.99 } else { 1.01 };
            let time = Seconds(fast_ethernet().alltoall(procs, Bytes(size)).0 * gamma * wobble);
            Point {
                procs,
                size: Bytes(size),
                time,
                deviation: time * 0.02,
                repetitions: 10,
            }
        })
    };
    let all: Vec<Point> = gammas
        .into_iter()
        .flat_map(|(n, gamma)| at(n, gamma))
        .collect();
    let standard = Options::default();
    let fitted = fit("signature", &all, &standard).unwrap();
    assert_eq!(
        fitted.model.domain.saturation,
        Saturation::From(Procs::new(16).unwrap())
    );
    assert_eq!(fitted.left_out, [4, 8].map(|n| Procs::new(n).unwrap()));
    assert_close(value(&fitted, "gamma"), 2.0, 0.01);
    let kept = Options {
        unsaturated: Unsaturated::Kept,
        ..standard
    };
    let fitted = fit("signature", &all, &kept).unwrap();
    assert!(fitted.left_out.is_empty() && value(&fitted, "gamma") < 1.9);
}

#[test]
fn the_bandwidth_form_recovers_its_own_delta() {
    // Above M the forms differ by δ_bandwidth = δ_full + (γ−1)·α only; below M the full
    // form is no bandwidth form, so only the upper side is given to the fit.
    let upper: Vec<Point> = exact_points()
        .into_iter()
        .filter(|p| p.size.0 >= 2048)
        .collect();
    let mut lower = exact_points();
    lower.truncate(3);
    for point in &mut lower {
        let base = fast_ethernet();
        point.time =
            Seconds(23.0 * (base.alpha().0 + 1.0195 * base.beta().0 * point.size.as_f64()));
    }
    let all = [lower, upper].concat();
    let at = options(ThresholdChoice::At(Bytes(2048)), Covariance::Ols);
    let fitted = fit("bandwidth", &all, &at).unwrap();
    assert_close(value(&fitted, "gamma"), 1.0195, 1e-8);
    assert_close(value(&fitted, "delta_s"), 8.23e-3 + 0.0195 * 6e-5, 1e-8);
}

#[test]
fn the_threshold_is_found_in_noise() {
    let search = options(ThresholdChoice::Search, Covariance::Means);
    let fitted = fit("full", &points(NOISY.into_iter()), &search).unwrap();
    let threshold = fitted.model.threshold().unwrap();
    assert_eq!(
        threshold,
        Estimate {
            value: 2048.0,
            lower: 2048.0,
            upper: 2048.0
        }
    );
    assert_close(value(&fitted, "gamma"), 1.023_301_331_476_925, 1e-7);
    assert_close(value(&fitted, "delta_s"), 0.008_221_732_926_384_171, 1e-7);
    let [(at, least), (next, more)] = fitted.thresholds[1..3] else {
        panic!("{:?}", fitted.thresholds);
    };
    assert_eq!([at, next], [Bytes(2048), Bytes(4096)]);
    assert_close(least, 32.3035, 1e-5);
    assert_close(more, 37787.2, 1e-5);
}

#[test]
fn a_network_without_contention_has_neither_delta_nor_threshold() {
    let bound = |size| {
        fast_ethernet()
            .alltoall(Procs::new(24).unwrap(), Bytes(size))
            .0
    };
    // Alternating errors of one per cent leave nothing for δ or a second γ to explain.
    let times = SIZES.into_iter().zip([0.99, 1.01].into_iter().cycle());
    let flat = points(times.map(|(size, error)| (bound(size) * 1.5 * error, bound(size) / 50.0)));
    let fitted = fit("signature", &flat, &Options::default()).unwrap();
    assert_eq!(fitted.model.threshold(), None);
    assert_eq!(fitted.model.value("delta_s"), Some(0.0));
    assert_close(value(&fitted, "gamma"), 1.5, 0.02);
}

/// A network that gains 0.5 ms on each message from 2 KiB on.
#[test]
fn a_negative_delta_is_kept_where_it_is_wanted() {
    let gain = |size: u64| if size >= 2048 { 23.0 * 5e-4 } else { 0.0 };
    let bound = |size| fast_ethernet().alltoall(Procs::new(24).unwrap(), Bytes(size));
    let times = SIZES.map(|size| (bound(size).0 * 1.5 - gain(size), 1e-4));
    let at = options(ThresholdChoice::At(Bytes(2048)), Covariance::Ols);
    let fit_with = |delta| {
        let options = Options {
            delta,
            ..at.clone()
        };
        fit("full", &points(times.into_iter()), &options).unwrap()
    };
    let kept = fit_with(DeltaRule::Kept);
    assert_close(value(&kept, "gamma"), 1.5, 1e-9);
    assert_close(value(&kept, "delta_s"), -5e-4, 1e-8);
    assert_eq!(
        fit_with(DeltaRule::Tested).model.value("delta_s"),
        Some(0.0)
    );
}

#[test]
fn fewer_points_do_where_fewer_are_asked_for() {
    let options = Options {
        least: SidePoints { below: 2, from: 2 },
        ..options(ThresholdChoice::Search, Covariance::Ols)
    };
    let fitted = fit("full", &exact_points()[..6], &options).unwrap();
    assert_eq!(fitted.model.value("threshold_bytes"), Some(2048.0));
    assert_close(value(&fitted, "gamma"), 1.0195, 1e-6);
}

#[test]
fn a_second_gamma_is_found_where_there_is_one() {
    let bound = |size| {
        fast_ethernet()
            .alltoall(Procs::new(24).unwrap(), Bytes(size))
            .0
    };
    let gamma = |size| if size < 65536 { 1.05 } else { 1.8 };
    let errors = [0.995, 1.005].into_iter().cycle();
    let times = SIZES.into_iter().zip(errors);
    let two = points(times.map(|(size, e)| (bound(size) * gamma(size) * e, bound(size) / 50.0)));
    let fitted = fit("signature", &two, &Options::default()).unwrap();
    assert_eq!(fitted.model.value("threshold_bytes"), Some(65536.0));
    assert_close(value(&fitted, "gamma"), 1.8, 0.01);
    assert_close(value(&fitted, "gamma_below"), 1.05, 0.01);
}

#[test]
fn data_that_cannot_answer_are_refused() {
    let fit_with = |points: &[Point], choice| {
        fit("full", points, &options(choice, Covariance::Means)).unwrap_err()
    };
    let all = exact_points();
    let unsearched = fit_with(&all[..5], ThresholdChoice::Search);
    assert!(
        matches!(unsearched, FitError::NoSearch { found: 5, .. }),
        "{unsearched}"
    );
    let few = fit_with(&all[..3], ThresholdChoice::Search);
    assert!(
        matches!(
            few,
            FitError::TooFewPoints {
                found: 3,
                needed: 4,
                ..
            }
        ),
        "{few}"
    );
    for (threshold, side) in [(4 << 20, "below"), (1, "at or above")] {
        let one_sided = fit_with(&all, ThresholdChoice::At(Bytes(threshold)));
        assert!(
            one_sided
                .to_string()
                .starts_with(&format!("all sizes are {side} M")),
            "{one_sided}"
        );
    }
    let short = fit_with(&all, ThresholdChoice::At(Bytes(524_288)));
    assert!(
        matches!(short, FitError::TooFewPoints { found: 2, .. }),
        "{short}"
    );
    let mut flat = all;
    flat[3].deviation = Seconds(0.0);
    assert_eq!(fit_with(&flat, ThresholdChoice::Search), FitError::NoSpread);
}
