//! Cost of predictions: closed forms, an optimised pipeline, whole selection maps. The
//! targets stand in `netsig-bench speed`, which knows these functions by name.
//!
//! A sample is short and there are many, so that most of them are undisturbed on a machine
//! that has other work.

use divan::{Bencher, black_box};
use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs};
use netsig_model::model::{self, ModelError};
use netsig_model::predict::predictor::CasePredictor;
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::Profile;

fn main() {
    divan::main();
}

/// Models by collective and name: some stored in the profile with their intervals, one from α and β, some from the
/// tables.
const CLOSED_FORMS: [&str; 5] = [
    "alltoall/signature",
    "alltoall/hockney",
    "alltoall/factor_001",
    "bcast/binomial",
    "scatter/binomial",
];

/// 48 KiB lies between two rows of the tables. It may lie on either side of M, so the signature's interval covers
/// both.
#[divan::bench(args = CLOSED_FORMS, sample_size = 200, sample_count = 10_000)]
fn closed_form(bencher: Bencher, form: &str) {
    let (collective, name) = form.split_once('/').expect("as written above");
    let profile = profile();
    let predictor = predictor(&profile, collective.parse().expect("a collective"), name);
    let size = Bytes(48 << 10);
    bencher.bench_local(|| plausible(&predictor.predict(procs(), black_box(size))));
}

/// 1 MiB, with the segment that hill climbing on single bytes finds.
#[divan::bench(args = ["chain_seg"], sample_size = 20, sample_count = 10_000)]
fn optimised_broadcast(bencher: Bencher, strategy: &str) {
    let profile = profile();
    let predictor = predictor(&profile, Collective::Bcast, strategy);
    let size = Bytes(1 << 20);
    bencher.bench_local(|| plausible(&predictor.predict(procs(), black_box(size))));
}

/// All algorithms of a collective, ranked, for 64 process counts and 64 sizes up to 1 MiB.
#[divan::bench(args = ["bcast", "scatter", "alltoall"], sample_size = 1, sample_count = 50)]
fn selection_map(bencher: Bencher, collective: &str) {
    let profile = profile();
    let collective = collective.parse().expect("a collective");
    bencher.bench_local(|| {
        let ranker_result = black_box(&profile).rank(collective).ranker();
        let ranker = ranker_result.expect("parameters");
        let counts = (1..=64).map(|i| Procs::new(2 * i).expect("not zero"));
        let cells = counts.flat_map(|procs| (1..=64).map(move |i| (procs, Bytes(i << 14))));
        for (procs, size) in cells {
            let ranked = ranker.rank(procs, size).expect("a ranking");
            assert_eq!(ranked.len(), ranker.candidate_count());
            assert!(ranked.is_sorted_by_key(|candidate| (!candidate.is_eligible(), candidate.cautious_time)));
            assert!(ranked[0].prediction.time.0 > 0.0);
            black_box(ranked);
        }
    });
}

/// The predictor of a model.
fn predictor<'a>(profile: &'a Profile, collective: Collective, name: &str) -> CasePredictor<'a> {
    let model = model::find(collective, name).expect("a model");
    let times = profile.predict(collective).algorithm("direct");
    times.predictor_by(model).expect("known parameters")
}

/// Number of processes of a case.
fn procs() -> Procs {
    Procs::new(24).expect("not zero")
}

/// A benchmark of a wrong answer is worth nothing.
fn plausible(prediction: &Result<Prediction, ModelError>) -> Prediction {
    let prediction = prediction.as_ref().expect("a prediction");
    let time = prediction.time.0;
    assert!(0.0 < time && time < 10.0);
    if let Some(Interval { lower, upper }) = prediction.interval {
        assert!(0.0 < lower.0 && lower.0 <= time && time <= upper.0);
    }
    *prediction
}

fn profile() -> Profile {
    Profile::parse("profile.toml", include_str!("profile.toml")).expect("a profile")
}
