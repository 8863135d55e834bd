//! Profiles survive being written, and no text makes their reader panic.

use std::iter::zip;

use itertools::Itertools as _;
use nalgebra::DMatrix;
use netsig_base::algorithm::{Collective, ReductionOperands};
use netsig_base::data::Provenance;
use netsig_base::stats::interval::{IntervalEstimate, StudentQuantile};
use netsig_base::units::{Bytes, SecondsPerByte};
use netsig_model::fit::hockney::HockneyFit;
use netsig_model::fit::operation::OperationTime;
use netsig_model::fitted::domain::MeasuredDomain;
use netsig_model::fitted::saturation::Saturation;
use netsig_model::fitted::{ContentionFreeBase, FittedModel, ParameterValue, Residuals};
use netsig_model::model::{
    self, KnownNetwork, Model, ModelError, ModelEstimator, ModelParameter, ModelSubject, ParameterRole,
    ParameterValues, REGIMES, SIGNATURE,
};
use netsig_model::predict::predictor::CasePredictor;
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::{ChosenModelEntry, Profile, VERSION};
use netsig_model::regimes::entry::RegimesEntry;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::arbitrary::{any_network, any_table, counts, procs, sizes, toy, unchanged};
use crate::field::any_field;
use crate::fits::fittable;
use crate::regime_profiles::any_regimes;
use crate::seeded;

/// A profile of the point-to-point parameters alone.
pub fn of_network(network: &KnownNetwork) -> Profile {
    let model = network.hockney;
    Profile {
        version: VERSION,
        provenance: Provenance::default(),
        hockney: HockneyFit {
            alpha: towards(model.alpha().0, model.alpha().0),
            beta: towards(model.beta().0, model.beta().0),
            residual: 0.1,
        },
        plogp: Some(network.plogp.clone()),
        protocol: None,
        flows: None,
        operations: vec![OperationTime {
            operands: ReductionOperands::default(),
            per_byte: network.operation,
            deviation: SecondsPerByte(0.0),
        }],
        fitted: Vec::new(),
        fields: Vec::new(),
        regimes: Vec::new(),
        choices: Vec::new(),
        clusters: None,
        cluster_links: Vec::new(),
    }
}

/// The interval between two numbers in any order, around the first.
fn towards(value: f64, end: f64) -> IntervalEstimate {
    let (lower, upper) = (value.min(end), value.max(end));
    IntervalEstimate { value, lower, upper }
}

/// Smallest value of a parameter that a profile may hold.
fn least(role: ParameterRole) -> f64 {
    match role {
        ParameterRole::Linear(least) | ParameterRole::Below(least) => least,
        ParameterRole::Supplement | ParameterRole::Threshold => 0.0,
        ParameterRole::Count => 1.0,
        ParameterRole::Given => f64::MIN,
    }
}

/// A model with these values. Its linear parameters and the threshold of a signature were
/// estimated, with one end of their intervals at `end`; a value that is not finite is not an
/// estimate.
pub fn fitted(model: &'static Model, values: &ParameterValues, end: f64) -> FittedModel {
    let is_signature = matches!(model.estimator, ModelEstimator::Signature(_));
    let named_value = |(parameter, value): (&ModelParameter, &f64)| {
        let stored = match parameter.role {
            ParameterRole::Threshold if *value >= 2f64.powi(60) => f64::INFINITY,
            ParameterRole::Threshold => value.max(0.0).round(),
            role => value.max(least(role)),
        };
        let is_estimate = match parameter.role {
            ParameterRole::Linear(_) | ParameterRole::Supplement => true,
            ParameterRole::Threshold => is_signature && stored.is_finite(),
            _ => false,
        };
        let found = if is_estimate {
            ParameterValue::Estimated(towards(stored.min(f64::MAX), end))
        } else {
            ParameterValue::Plain(stored)
        };
        (parameter.name.to_owned(), found)
    };
    let is_linear = |p: &&ModelParameter| matches!(p.role, ParameterRole::Linear(_) | ParameterRole::Supplement);
    let linear = model.parameters.iter().filter(is_linear);
    let covariance_of: Vec<String> = linear.map(|p| p.name.to_owned()).collect();
    let count = covariance_of.len();
    FittedModel {
        model,
        algorithm: "direct \"ü\" #1".to_owned(),
        fitted_on: ContentionFreeBase::Hockney,
        errors: "ar1:0.5".to_owned(),
        student: StudentQuantile::new(0.5, 3),
        parameters: zip(model.parameters, &values.numbers).map(named_value).collect(),
        latency_s: values.latency.clone(),
        covariance_of,
        covariance: DMatrix::from_diagonal_element(count, count, 1e-5),
        residuals: Residuals { below: 0.1, above: 0.0 },
        domain: MeasuredDomain {
            procs: [4, 8].map(procs).to_vec(),
            smallest: Bytes(1),
            largest: Bytes(u64::MAX),
            saturation: Saturation::From(procs(6)),
        },
    }
}

/// The signature of an algorithm.
pub fn signature(algorithm: &str, [gamma, delta, threshold]: [f64; 3]) -> FittedModel {
    let values = ParameterValues {
        numbers: vec![gamma, gamma, delta, threshold],
        latency: None,
    };
    let model = model::find(Collective::Alltoall, SIGNATURE).unwrap();
    FittedModel {
        algorithm: algorithm.to_owned(),
        ..fitted(model, &values, gamma)
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("as a parameter", |x| x.is_finite()),
        select(vec![0.0, 5e-324, f64::MAX, f64::INFINITY]),
        0.0..10.0f64,
    ]
}

fn any_profile() -> impl Strategy<Value = Profile> {
    let numbers = prop::array::uniform5(any_number());
    let network = (any_network(1e-2, unchanged), any_table(0.0..1.0f64, unchanged));
    let whole = (network, numbers, "\\PC{0,9}").prop_map(|((network, latency), numbers, fact)| {
        let end = numbers[0].min(f64::MAX);
        let entry = |model: &'static Model| {
            let numbers = numbers[..model.parameters.len()].to_vec();
            let latency = (model.estimator == ModelEstimator::Latency).then(|| latency.clone());
            fitted(model, &ParameterValues { numbers, latency }, end)
        };
        let mut profile = of_network(&network);
        profile.provenance.push("fact", fact);
        profile.fitted = fittable().map(entry).collect();
        for entry in &mut profile.fitted {
            entry.fitted_on = ContentionFreeBase::of(entry.model, profile.plogp.as_ref());
        }
        profile
    });
    let fields = prop::option::of(any_field());
    let models = (prop::collection::vec(any_regimes(), 0..3), fields);
    (whole, models).prop_map(|(mut profile, (regimes, field))| {
        profile.fields.extend(field);
        let key = |entry: &RegimesEntry| (entry.collective, entry.algorithm.clone());
        for entry in regimes.into_iter().unique_by(key) {
            profile.choices.push(ChosenModelEntry {
                collective: entry.collective,
                algorithm: entry.algorithm.clone(),
                model: REGIMES.to_owned(),
                reason: "\"why\" not".to_owned(),
                error: Some(0.1),
            });
            profile.regimes.push(entry);
        }
        profile
    })
}

/// Damage to a text: `word` replaces `count` words and signs from `place` on.
#[derive(Debug, Clone, Copy)]
struct TextDamage {
    place: Index,
    count: usize,
    word: &'static str,
}

fn any_damage() -> impl Strategy<Value = TextDamage> {
    let word_text = "0 -1 nan inf 1e400 1e-300 18446744073709551616 [ ] \" = x { # \0 ü \n [\"delta_s\"] \
        [[fitted]]\n [regimes.model.eager]\n [[field]]\n";
    let words: Vec<&str> = std::iter::once("").chain(word_text.split(' ')).collect();
    let count = prop_oneof![3 => Just(1), 1 => 0..12usize];
    (any::<Index>(), count, select(words)).prop_map(|(place, count, word)| TextDamage { place, count, word })
}

fn apply_damage(text: &str, damage: TextDamage) -> String {
    let is_word = |c: &char| c.is_alphanumeric() || "._-".contains(*c);
    let characters: Vec<char> = text.chars().collect();
    let chunks = characters.chunk_by(|a, b| is_word(a) && is_word(b));
    let mut parts: Vec<String> = chunks.map(|part| part.iter().collect()).collect();
    let start = damage.place.index(parts.len());
    let end = parts.len().min(start + damage.count);
    parts.splice(start..end, [damage.word.to_owned()]);
    parts.concat()
}

pub fn check(prediction: &Result<Prediction, ModelError>) -> Result<(), TestCaseError> {
    let Ok(Prediction { time, interval, .. }) = prediction else {
        return Ok(());
    };
    prop_assert!(time.0.is_finite() && time.0 >= 0.0);
    if let Some(Interval { lower, upper }) = interval {
        prop_assert!(lower <= time && time <= upper);
    }
    Ok(())
}

proptest! {
    #![proptest_config(seeded::cases(64))]

    /// A text that is still a profile predicts, and survives being written and read.
    #[test]
    fn a_profile_survives_being_written_and_is_refused_or_works_when_damaged(
        profile in any_profile(),
        changes in prop::collection::vec(any_damage(), 0..4),
        (count, size) in (counts(), sizes()),
    ) {
        let written = profile.to_toml();
        prop_assert_eq!(Profile::parse("p.toml", &written), Ok(profile));
        let text = changes.into_iter().fold(written, |text, one| apply_damage(&text, one));
        match Profile::parse("p.toml", &text) {
            Err(error) => prop_assert!(error.to_string().starts_with("p.toml:")),
            Ok(profile) => {
                let again = Profile::parse("p.toml", &profile.to_toml());
                prop_assert_eq!(again.map(|again| again.to_toml()), Ok(profile.to_toml()));
                let fitted = profile.fitted.iter().map(|entry| (entry.model, &entry.algorithm));
                let regimes = profile.regimes.iter().map(|entry| {
                    (model::find(entry.collective, REGIMES).unwrap(), &entry.algorithm)
                });
                for (model, algorithm) in fitted.chain(regimes) {
                    // A tree takes a step for each process.
                    let most = if model.name == REGIMES { 10_000 } else { u32::MAX };
                    let count = procs(count.min(most));
                    let predictor = predictor(&profile, algorithm, model);
                    check(&predictor.and_then(|case_predictor| case_predictor.predict(count, Bytes(size))))?;
                }
            }
        }
    }
}

/// Predictor of an algorithm by a model of a collective, without links and given values.
pub fn predictor<'a>(
    profile: &'a Profile,
    algorithm: &'a str,
    model: &'static Model,
) -> Result<CasePredictor<'a>, ModelError> {
    let ModelSubject::Collective(collective) = model.subject else {
        panic!("{} is of no collective", model.name);
    };
    let times = profile.predict(collective).algorithm(algorithm);
    times.predictor_by(model)
}

/// A prediction is an extrapolation up to four times the fitted processes and sizes, and outside beyond. If γ still
/// grows or one count was measured, it is outside beyond all counts.
#[test]
fn predictions_far_from_a_fit_are_outside() {
    let steady = (Saturation::From(procs(6)), &[4, 8][..]);
    let rising = (Saturation::NotReached, &[4, 8][..]);
    let lone = (Saturation::Unverified, &[8][..]);
    let cases = [
        (steady, 8, 1000),
        (steady, 5, 1000),
        (steady, 32, 4000),
        (steady, 33, 1000),
        (steady, 8, 4001),
        (rising, 9, 1000),
        (rising, 8, 1000),
        (lone, 4, 1000),
    ];
    let standings = cases.map(|((saturation, measured), count, size)| {
        let mut entry = signature("direct", [1.5, 1e-3, 4096.0]);
        entry.domain.largest = Bytes(1000);
        entry.domain.saturation = saturation;
        entry.domain.procs = measured.iter().copied().map(procs).collect();
        let model = entry.model;
        let mut profile = of_network(&toy());
        profile.fitted.push(entry);
        let predictor = predictor(&profile, "direct", model).unwrap();
        let (count, size) = (procs(count), Bytes(size));
        let standing = predictor.predict(count, size).unwrap().standing;
        let reason = predictor.reason_outside(count, size).map(|why| why.to_string());
        format!("{measured:?} {saturation:?}, {count} and {size}: {standing} {reason:?}\n")
    });
    insta::assert_snapshot!(standings.concat());
}
