//! What must hold for any input: data survive being written, text
//! forms never panic, predictions lie in their intervals, fits scale with their data.

mod seeded;

use std::sync::Arc;

use netsig_core::algorithm::{COLLECTIVES, Collective, Method};
use netsig_core::data::{Dataset, Experiment, LossCounters, Place, Provenance, Sample};
use netsig_core::fit::fitted::{Base, FittedModel};
use netsig_core::fit::model::{self as fit_model, Problem};
use netsig_core::fit::network::{self, Options, Wanted};
use netsig_core::fit::{Covariance, Point};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::{self, Case, Known, SIGNATURE};
use netsig_core::predict::regimes::Asked;
use netsig_core::predict::{Interval, Knowledge};
use netsig_core::profile::Profile;
use netsig_core::units::list::List;
use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
use proptest::prelude::*;

fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

fn sample() -> impl Strategy<Value = Sample> {
    let counter = || proptest::option::of(any::<u32>());
    let counters = (counter(), counter(), counter());
    let numbers = (
        1u32..5000,
        any::<u64>(),
        any::<u32>(),
        any::<u32>(),
        1e-9..1e6f64,
    );
    let who = prop_oneof![
        Just((Experiment::PingPong, "")),
        Just((Experiment::Collective(Collective::Alltoall), "direct")),
        Just((Experiment::Collective(Collective::Alltoall), "throttled:3")),
        Just((
            Experiment::Collective(Collective::Bcast),
            "tree:radix=2,segment=8"
        )),
    ];
    (who, numbers, counters).prop_map(
        |((experiment, algorithm), (n, size, repetition, launch, time), losses)| Sample {
            place: Place {
                experiment,
                algorithm: Arc::from(algorithm),
                procs: procs(n),
                size: Bytes(size),
                launch,
            },
            repetition,
            time: Seconds(time),
            losses: LossCounters {
                retransmits: losses.0,
                rtos: losses.1,
                tail_probes: losses.2,
                softnet_drops: losses.0,
            },
            part: repetition % 7,
            sync_error: losses.1.map(|_| Seconds(time)),
        },
    )
}

/// Times of a ping-pong and of all-to-all at 4 and 8 processes under a signature, with an
/// error of up to one per cent.
fn network_data(gamma: f64, delta: f64) -> Dataset {
    let base = Hockney::new(Seconds(1e-4), SecondsPerByte(2e-7)).unwrap();
    let mut data = Dataset::default();
    let mut push = |experiment, algorithm: &str, n, size, time: f64| {
        for repetition in 0..4 {
            let error = 1.0 + 0.01 * f64::from(repetition % 2);
            data.samples.push(Sample {
                place: Place {
                    experiment,
                    algorithm: Arc::from(algorithm),
                    procs: procs(n),
                    size: Bytes(size),
                    launch: 0,
                },
                repetition,
                time: Seconds(time * error),
                losses: LossCounters::default(),
                part: 0,
                sync_error: None,
            });
        }
    };
    for exponent in 0..12 {
        let size = 64u64 << exponent;
        push(Experiment::PingPong, "", 2, size, base.time(Bytes(size)).0);
        for n in [4, 8] {
            let stall = if size >= 8192 {
                delta * f64::from(n - 1)
            } else {
                0.0
            };
            let time = base.alltoall(procs(n), Bytes(size)).0 * gamma + stall;
            push(
                Experiment::Collective(Collective::Alltoall),
                "direct",
                n,
                size,
                time,
            );
        }
    }
    data
}

proptest! {
    #![proptest_config(seeded::cases(256))]

    #[test]
    fn data_survive_being_written(samples in prop::collection::vec(sample(), 0..20), fact in "[ -~]{0,30}") {
        let mut provenance = Provenance::default();
        provenance.push("fact", fact);
        let completed = samples.iter().map(|s| s.place.clone()).collect();
        let data = Dataset { provenance, samples, completed, ..Dataset::default() };
        let mut text = Vec::new();
        data.write(&mut text).unwrap();
        prop_assert_eq!(Dataset::read("data.csv", text.as_slice()).unwrap(), data);
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,60}") {
        let _ = text.parse::<List<Bytes>>();
        let _ = text.parse::<List<Procs>>();
        let _ = Dataset::read("data.csv", text.as_bytes());
        let _ = Profile::parse("profile.toml", &text);
        for &collective in COLLECTIVES {
            let _ = Method::parse(collective, &text);
            let _ = Method::parse(collective, &format!("library:{text}"));
        }
    }

    #[test]
    fn predictions_are_finite_positive_and_inside_their_intervals(
        gamma in 0.5..5.0f64,
        delta in 0.0..0.05f64,
        n in 2u32..10_000,
        size in 0u64..(1 << 40),
    ) {
        let model = model::find(Collective::Alltoall, SIGNATURE).unwrap();
        let options = Options { wanted: Wanted::One(model), ..Options::default() };
        let fitted = network::fit(&network_data(gamma, delta), &options).unwrap();
        let profile = Profile::of(&fitted, Provenance::default(), 0.95);
        let knowledge = Knowledge {
            profile: &profile,
            algorithm: "direct",
            network: None,
            given: &[],
            asked: Asked::default(),
        };
        let case = Case::new(procs(n), Bytes(size));
        let seen = knowledge.basis(model).unwrap().predict(case).unwrap();
        prop_assert!(seen.time.0.is_finite() && seen.time.0 > 0.0);
        let Interval { lower, upper } = seen.interval.unwrap();
        prop_assert!(lower <= seen.time && seen.time <= upper, "{:?}", seen);
        prop_assert!(upper.0.is_finite());
        prop_assert_eq!(Profile::parse("p.toml", &profile.to_toml()).unwrap(), profile);
    }

    /// Twice the times: the same γ on twice the α and β; k times the delay: k times δ.
    #[test]
    fn a_fit_scales_with_its_data(scale in 1e-3..1e3f64) {
        let base = Hockney::new(Seconds(1e-4), SecondsPerByte(2e-7)).unwrap();
        let scaled = Hockney::new(Seconds(1e-4 * scale), SecondsPerByte(2e-7 * scale)).unwrap();
        let points = |scale: f64| -> Vec<Point> {
            let at = |i: u32| {
                let size = Bytes(256 << i);
                let stall = if i >= 5 { 7.0 * 4e-3 } else { 0.0 };
                let wobble = 1.0 + 0.02 * f64::from(i % 3);
                let time = (base.alltoall(procs(8), size).0 * 1.5 + stall) * wobble * scale;
                Point { procs: procs(8), size, time: Seconds(time), deviation: Seconds(time / 30.0), repetitions: 5 }
            };
            (0..11).map(at).collect()
        };
        for covariance in [Covariance::Means, Covariance::Proportional, Covariance::Ols] {
            // δ stays clear of the limit below which it is dropped.
            let options = fit_model::Options { covariance, ..fit_model::Options::default() };
            let fit = |base, points: &[Point]| {
                let network = &Known::of(base, None);
                let model = model::find(Collective::Alltoall, SIGNATURE).unwrap();
                let base = Base::Hockney;
                Problem { model, algorithm: "direct", base, network, points, options: &options }.fit().unwrap().model
            };
            let (plain, other) = (fit(base, &points(1.0)), fit(scaled, &points(scale)));
            let of = |model: &FittedModel, name| model.value(name).unwrap();
            prop_assert!((of(&plain, "gamma") / of(&other, "gamma") - 1.0).abs() < 1e-6);
            prop_assert!((of(&plain, "delta_s") * scale - of(&other, "delta_s")).abs() < 1e-6 * scale);
            prop_assert_eq!(plain.threshold(), other.threshold());
        }
    }
}
