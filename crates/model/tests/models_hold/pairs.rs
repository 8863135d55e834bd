//! Uses of measurements between pairs: tables as the base of fits, and transfers as the base of predictions.

use netsig_base::algorithm::Collective;
use netsig_base::data::{Dataset, Experiment, Provenance};
use netsig_base::units::Bytes;
use netsig_model::fit::agreement::PLogPVerdict;
use netsig_model::fit::network::{self, ModelsToFit, NetworkFitOptions};
use netsig_model::fitted::{ContentionFreeBase, FittedModel};
use netsig_model::model::{self, Model, SIGNATURE, THROUGHPUT};
use netsig_model::profile::Profile;

use crate::arbitrary::{procs, push};
use crate::profiles::predictor;

const ALLTOALL: Experiment = Experiment::Collective(Collective::Alltoall);
const BCAST: Experiment = Experiment::Collective(Collective::Bcast);

/// `plogp_factor` with γ = 1/2 and no supplement, on the tables of [`data`].
fn alltoall(count: u32, m: f64) -> f64 {
    f64::from(count - 1) * (13e-6 + 12.5e-9 * m) + 50e-6
}

/// L = 50 µs, g(m) = 10 µs + 10 ns·m, os = 5 µs + 4 ns·m, or = 6 µs + 5 ns·m.
fn data() -> Dataset {
    let mut data = Dataset::default();
    for size in [0].into_iter().chain((0..=20).map(|i| 1 << i)) {
        let m = size as f64;
        for (experiment, count, time) in [
            (Experiment::PingPong, 2, 60e-6 + 1e-8 * m),
            (Experiment::RoundTrip, 2, 120e-6 + 1e-8 * m),
            (Experiment::SendOverhead, 2, 5e-6 + 4e-9 * m),
            (Experiment::ReceiveOverhead, 2, 6e-6 + 5e-9 * m),
            (ALLTOALL, 4, alltoall(4, m)),
            (ALLTOALL, 8, alltoall(8, m)),
            (BCAST, 8, 180e-6 + 3e-8 * m),
        ] {
            let times = [0.9999, 1.0001, 0.9999, 1.0001].map(|error| error * time);
            push(&mut data, experiment, count, size, times);
        }
    }
    push(&mut data, Experiment::Gap, 2, 0, [1e-5; 4]);
    data
}

pub fn profile_of(data: &Dataset, options: &NetworkFitOptions) -> Profile {
    let fitted = network::fit(data, options).unwrap();
    Profile::of(&fitted, Provenance::default(), 0.95)
}

/// The time of an all-to-all by direct exchange.
fn predicted(profile: &Profile, model: &'static Model, count: u32, size: u64) -> f64 {
    let predictor = predictor(profile, "direct", model).unwrap();
    let predicted = predictor.predict(procs(count), Bytes(size));
    predicted.unwrap().time.0
}

fn is_close(value: f64, expected: f64, tolerance: f64) -> bool {
    (value / expected - 1.0).abs() < tolerance
}

/// Fits and predictions use measured tables, and Hockney's model would predict something else. Given tables have
/// precedence.
#[test]
fn measured_tables_serve_the_models_of_tables() {
    let mut data = data();
    let fitted = network::fit(&data, &NetworkFitOptions::default()).unwrap();
    let agreement = fitted.point_to_point.agreement.as_ref();
    assert_eq!(agreement.unwrap().verdict, PLogPVerdict::Agree);
    assert_eq!(fitted.point_to_point.failures, []);
    assert!(fitted.unmodelled.iter().eq(&[Collective::Bcast]));
    let mut profile = Profile::of(&fitted, Provenance::default(), 0.95);
    let latency = profile.plogp.as_ref().unwrap().latency();
    assert!(is_close(latency.0, 50e-6, 0.01));
    let model = model::find(Collective::Alltoall, "plogp_factor").unwrap();
    let found = profile.model(model, "direct").unwrap();
    assert_eq!(found.fitted_on, ContentionFreeBase::Tables);
    assert!(is_close(found.value("gamma").unwrap(), 0.5, 0.02));
    let truth = alltoall(7, 5000.0);
    assert!(is_close(predicted(&profile, model, 7, 5000), truth, 0.01));
    for entry in &mut profile.fitted {
        entry.fitted_on = ContentionFreeBase::Hockney;
    }
    assert!(!is_close(predicted(&profile, model, 7, 5000), truth, 0.1));
    data.samples
        .iter_mut()
        .for_each(|sample| sample.time = sample.time * 2.0);
    let options = NetworkFitOptions {
        plogp: profile.plogp.clone(),
        ..NetworkFitOptions::default()
    };
    assert_eq!(profile_of(&data, &options).plogp, profile.plogp);
}

/// Eight pairs, every other one delayed, with the gaps of Steffenel 2006: the mix is his. A single requested model is
/// fitted to its own collective alone.
#[test]
fn measured_transfers_predict_where_no_fit_does() {
    let mut data = data();
    let times = [0.285_279, 2.851_532];
    push(&mut data, Experiment::Flow, 2, 32 << 20, [times[0]]);
    push(&mut data, Experiment::Flow, 16, 32 << 20, times.repeat(4));
    let options = NetworkFitOptions {
        models_to_fit: ModelsToFit::One(model::find(Collective::Alltoall, SIGNATURE).unwrap()),
        ..NetworkFitOptions::default()
    };
    let profile = profile_of(&data, &options);
    let fitted = profile.fitted.iter().map(FittedModel::collective);
    assert_eq!(fitted.collect::<Vec<_>>(), [Some(Collective::Alltoall)]);
    let flows = profile.flows.as_ref().unwrap();
    assert!(is_close(flows.rho, 0.5, 1e-12), "{flows:?}");
    let model = model::find(Collective::Alltoall, THROUGHPUT).unwrap();
    let expected = 39.0 * (6e-5 + 4.674_194_5e-8 * f64::from(1 << 20));
    let time = predicted(&profile, model, 40, 1 << 20);
    assert!(is_close(time, expected, 2e-3), "{time}");
}
