//! What measurements between pairs do for the rest: tables that models are fitted on, and
//! transfers that predictions draw on.

use netsig_core::algorithm::Collective;
use netsig_core::data::{Dataset, Experiment, LossCounters, Place, Provenance, Sample};
use netsig_core::fit::fitted::Base;
use netsig_core::fit::network::{self, Options, Wanted};
use netsig_core::model::{self, Case, SIGNATURE, THROUGHPUT};
use netsig_core::predict::Knowledge;
use netsig_core::predict::regimes::Asked;
use netsig_core::profile::Profile;
use netsig_core::units::{Bytes, Procs, Seconds};

const ALLTOALL: Experiment = Experiment::Collective(Collective::Alltoall);
const BCAST: Experiment = Experiment::Collective(Collective::Bcast);

/// L = 50 µs, g(m) = 10 µs + 10 ns·m, os = 5 µs + 4 ns·m, or = 6 µs + 5 ns·m.
fn time(experiment: Experiment, procs: f64, m: f64) -> f64 {
    let g = 1e-5 + 1e-8 * m;
    let or = 6e-6 + 5e-9 * m;
    match experiment {
        Experiment::PingPong => 50e-6 + g,
        Experiment::RoundTrip => 110e-6 + g,
        Experiment::SendOverhead => 5e-6 + 4e-9 * m,
        Experiment::ReceiveOverhead => or,
        // factor_001 with γ = 1/2 and no supplement.
        ALLTOALL => (procs - 1.0) * (g + or * 0.5) + 50e-6,
        BCAST => 3.0 * (50e-6 + g),
        _ => g,
    }
}

fn push(data: &mut Dataset, experiment: Experiment, procs: u32, (size, time): (u64, f64)) {
    for repetition in 0..4 {
        data.samples.push(Sample {
            place: Place {
                experiment,
                algorithm: "direct".into(),
                procs: Procs::new(procs).unwrap(),
                size: Bytes(size),
                launch: 0,
            },
            repetition,
            time: Seconds(time * (0.9999 + 0.0002 * f64::from(repetition % 2))),
            losses: LossCounters::default(),
            part: 0,
            sync_error: None,
        });
    }
}

fn data() -> Dataset {
    let mut data = Dataset::default();
    for m in [0].into_iter().chain((0..=20).map(|i| 1 << i)) {
        for (experiment, procs) in [
            (Experiment::PingPong, 2),
            (Experiment::RoundTrip, 2),
            (Experiment::SendOverhead, 2),
            (Experiment::ReceiveOverhead, 2),
            (ALLTOALL, 4),
            (ALLTOALL, 8),
            (BCAST, 8),
        ] {
            let time = time(experiment, f64::from(procs), m as f64);
            push(&mut data, experiment, procs, (m, time));
        }
    }
    push(&mut data, Experiment::Gap, 2, (0, 1e-5));
    data
}

#[test]
fn measured_tables_are_fitted_on_and_kept() {
    let fitted = network::fit(&data(), &Options::default()).unwrap();
    assert!(
        fitted
            .point_to_point
            .agreement
            .as_ref()
            .unwrap()
            .is_complete()
    );
    assert_eq!(fitted.point_to_point.failures, []);
    let passed_over: Vec<_> = fitted.passed_over.iter().copied().collect();
    assert_eq!(passed_over, [Collective::Bcast]);
    let profile = Profile::of(&fitted, Provenance::default(), 0.95);
    let model = model::find(Collective::Alltoall, "factor_001").unwrap();
    let model = profile.model(model, "direct").unwrap();
    let gamma = model.value("gamma").unwrap();
    assert!((gamma - 0.5).abs() < 0.01, "{model:?}");
    assert_eq!(model.fitted_on, Base::Tables);
    let latency = profile.plogp.as_ref().unwrap().latency();
    assert!((latency.0 / 50e-6 - 1.0).abs() < 0.01);
    assert_eq!(Profile::parse("p.toml", &profile.to_toml()), Ok(profile));
}

#[test]
fn given_tables_come_before_measured_ones() {
    let given = network::fit(&data(), &Options::default())
        .unwrap()
        .plogp
        .unwrap();
    let mut other = data();
    for sample in &mut other.samples {
        if sample.place.experiment == Experiment::RoundTrip {
            sample.time = sample.time * 2.0;
        }
    }
    let options = Options {
        plogp: Some(given.clone()),
        ..Options::default()
    };
    assert_eq!(network::fit(&other, &options).unwrap().plogp, Some(given));
}

/// Eight pairs, every other one delayed, with the gaps of Steffenel 2006: the mix is his.
#[test]
fn measured_transfers_predict_where_no_fit_does() {
    let mut data = data();
    push(&mut data, Experiment::Flow, 2, (32 << 20, 0.285_279));
    for time in [0.285_279, 2.851_532] {
        push(&mut data, Experiment::Flow, 16, (32 << 20, time));
    }
    let options = Options {
        wanted: Wanted::One(model::find(Collective::Alltoall, SIGNATURE).unwrap()),
        ..Options::default()
    };
    let fitted = network::fit(&data, &options).unwrap();
    let profile = Profile::of(&fitted, Provenance::default(), 0.95);
    let flows = profile.flows.unwrap();
    assert!((flows.rho - 0.5).abs() < 1e-12, "{flows:?}");
    let knowledge = Knowledge {
        profile: &profile,
        algorithm: "direct",
        network: None,
        given: &[],
        asked: Asked::default(),
    };
    let model = model::find(Collective::Alltoall, THROUGHPUT).unwrap();
    let case = Case::new(Procs::new(40).unwrap(), Bytes(1 << 20));
    let time = knowledge.basis(model).unwrap().predict(case).unwrap().time;
    let expected = 39.0 * (6e-5 + 4.674_194_5e-8 * f64::from(1 << 20));
    assert!((time.0 / expected - 1.0).abs() < 2e-3, "{time:?}");
}
