//! What predictions cost: closed forms, an optimised pipeline, whole selection maps. The
//! targets stand in `cargo xtask bench`, which knows these functions by name.
//!
//! A sample is short and there are many, so that most of them are undisturbed on a machine
//! that has other work.

use divan::{Bencher, black_box};
use netsig_core::collective::Collective;
use netsig_core::predict::{self, Networks, Prediction};
use netsig_core::profile::{ModelEntry, Profile, SignatureEntry};
use netsig_core::registry::{self, Case, Model, ModelError, SIGNATURE, Values};
use netsig_core::select::{Options, Selector};
use netsig_core::units::{Bytes, Procs};

fn main() {
    divan::main();
}

/// Models by collective and name: some at home in the profile with their intervals, one
/// from α and β, some from the tables.
const CLOSED_FORMS: [&str; 5] = [
    "alltoall/signature",
    "alltoall/hockney",
    "alltoall/factor_001",
    "bcast/binomial",
    "scatter/binomial",
];

/// 48 KiB: between two rows of the tables, and where both sides of M are possible, so that
/// the signature's interval has to cover two.
#[divan::bench(args = CLOSED_FORMS, sample_size = 200, sample_count = 10_000)]
fn closed_form(bencher: Bencher, form: &str) {
    let (collective, name) = form.split_once('/').expect("as written above");
    let profile = profile();
    let source = Source::new(&profile, collective.parse().expect("a collective"), name);
    let case = case(24, 48 << 10);
    bencher.bench_local(|| plausible(&source.predict(black_box(case))));
}

/// 1 MiB, with the segment that hill climbing on single bytes finds.
#[divan::bench(args = ["chain_seg"], sample_size = 20, sample_count = 10_000)]
fn optimised_broadcast(bencher: Bencher, strategy: &str) {
    let profile = profile();
    let source = Source::new(&profile, Collective::Bcast, strategy);
    let case = case(24, 1 << 20);
    bencher.bench_local(|| plausible(&source.predict(black_box(case))));
}

/// All algorithms of a collective, ranked, for 64 process counts and 64 sizes up to 1 MiB.
#[divan::bench(args = ["bcast", "scatter", "alltoall"], sample_size = 1, sample_count = 50)]
fn selection_map(bencher: Bencher, collective: &str) {
    let profile = profile();
    let collective = collective.parse().expect("a collective");
    bencher.bench_local(|| {
        let selector = Selector::new(black_box(&profile), collective, Options::default());
        let counts = (1..=64).map(|i| Procs::new(2 * i).expect("not zero"));
        let cells = counts.flat_map(|procs| (1..=64).map(move |i| (procs, Bytes(i << 14))));
        for (procs, size) in cells {
            let ranked = selector.rank(procs, size).expect("a ranking");
            assert_eq!(ranked.len(), selector.candidates());
            assert!(ranked[0].time.0 > 0.0 && ranked.is_sorted_by_key(|r| r.time));
            black_box(ranked);
        }
    });
}

/// A model with what the profile knows of it, as `netsig predict` chooses between them.
struct Source<'a> {
    model: &'static Model,
    networks: Networks,
    signature: Option<&'a SignatureEntry>,
    fitted: Option<&'a ModelEntry>,
}

impl<'a> Source<'a> {
    fn new(profile: &'a Profile, collective: Collective, name: &str) -> Self {
        let model = registry::find(collective, name).expect("a model");
        let signature = profile.signature(collective, "direct");
        Self {
            model,
            networks: Networks::of(profile, |network| network),
            signature: signature.filter(|_| name == SIGNATURE),
            fitted: profile.model(model, "direct"),
        }
    }

    fn predict(&self, case: Case) -> Result<Prediction, ModelError> {
        match (self.signature, self.fitted) {
            (Some(entry), _) => predict::signature(entry, case.procs, case.size),
            (None, Some(entry)) => self.networks.fitted(entry, case),
            (None, None) => self.networks.model(self.model, &Values::default(), case),
        }
    }
}

/// A benchmark of a wrong answer is worth nothing.
fn plausible(prediction: &Result<Prediction, ModelError>) -> Prediction {
    let prediction = prediction.as_ref().expect("a prediction");
    let Prediction {
        time, lower, upper, ..
    } = prediction;
    assert!(0.0 < lower.0 && lower <= time && time <= upper && upper.0 < 10.0);
    *prediction
}

fn profile() -> Profile {
    Profile::parse("profile.toml", include_str!("profile.toml")).expect("a profile")
}

fn case(procs: u32, size: u64) -> Case {
    Case::new(Procs::new(procs).expect("not zero"), Bytes(size))
}
