//! Summarises a fit: the model of each algorithm and its error, the strength and onset of contention, and the range of
//! reliable predictions. States that launches are missing if there is only one.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;
use netsig_base::data::cells::summarise;
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs};
use netsig_model::fit::model::ModelFit;
use netsig_model::fit::network::{ChosenModel, FittedRegimes, ModelsToFit, NetworkFit};
use netsig_model::fitted::saturation::Saturation;
use netsig_model::model::regimes::TrafficPattern;
use netsig_model::model::{FIELD, ModelKind, REGIMES};
use netsig_model::predict::outside_domain::FAR;

use super::{describe_choice, field, meaning, regimes};

/// An algorithm with its chosen model.
struct AlgorithmSummary {
    name: String,
    /// Name of the model, for `predict --model`.
    model: &'static str,
    /// Mean relative error at process counts left out of the fit.
    error: Option<f64>,
    /// Largest ratio to a contention-free time.
    strength: f64,
    /// The parameters in words.
    description: String,
    /// True if contention still grows with the number of processes.
    still_grows: bool,
    /// True if one measured process count suffices to predict others.
    grows_as_usual: bool,
}

/// Least ratio to the contention-free time that counts as contention.
const CONTENDED_RATIO: f64 = 1.2;

/// The most names in a list; longer lists are replaced by their number.
const MOST_LISTED: usize = 3;

/// The sentences; empty if no model was fitted to a collective in `data`.
pub fn verdict(fitted: &NetworkFit, wanted: ModelsToFit, data: &Dataset) -> Vec<String> {
    let algorithms = algorithm_summaries(fitted, wanted);
    if algorithms.is_empty() {
        return Vec::new();
    }
    let mut sentences = vec![
        model_sentence(&algorithms, fitted),
        contention_sentence(&algorithms),
        trust_sentence(&algorithms, data),
    ];
    sentences.extend(launch_sentence(data));
    sentences
}

fn algorithm_summaries(fitted: &NetworkFit, wanted: ModelsToFit) -> Vec<AlgorithmSummary> {
    let chosen = fitted
        .chosen_models
        .iter()
        .map(|choice| summary_of_choice(choice, fitted, wanted));
    let signature_fits = fitted.signatures.iter();
    let others = signature_fits.filter(|signature_fit| {
        fitted
            .chosen_model(signature_fit.model.collective(), &signature_fit.model.algorithm)
            .is_none()
    });
    chosen.chain(others.map(summary_of_signature)).collect()
}

fn summary_of_choice(choice: &ChosenModel, fitted: &NetworkFit, wanted: ModelsToFit) -> AlgorithmSummary {
    let (collective, algorithm) = (choice.collective, choice.algorithm.as_str());
    let regimes = fitted.regimes(collective, algorithm);
    let is_alone = wanted.is_regimes_alone();
    let chosen = choice.sufficient.model;
    let (strength, grows_as_usual) = match (chosen.kind, chosen.name) {
        (ModelKind::ContentionFree, _) if !is_alone => (1.0, false),
        (_, FIELD) => (fitted.field(collective, algorithm).map_or(1.0, field::strength), true),
        _ => regimes.map_or((1.0, false), strength_of_regimes),
    };
    AlgorithmSummary {
        name: format!("{collective} {algorithm}"),
        model: if is_alone { REGIMES } else { chosen.name },
        // The error belongs to the model that the fit chose.
        error: choice.sufficient.error.filter(|_| !is_alone || chosen.name == REGIMES),
        strength,
        description: match regimes {
            Some(regimes) if is_alone => regimes::describe_regimes(regimes),
            _ => describe_choice(choice, fitted),
        },
        still_grows: false,
        grows_as_usual,
    }
}

/// γ of the regimes, and true if one measured process count suffices to predict others.
fn strength_of_regimes(regimes: &FittedRegimes) -> (f64, bool) {
    let class_fits = regimes.fit.fits.iter();
    let protocols = class_fits.flat_map(|fit| [&fit.model.eager, &fit.model.rendezvous]);
    let gammas = protocols.flatten().map(|protocol| protocol.gamma);
    let mut patterns = regimes.fit.fits.iter().map(|fit| fit.model.pattern);
    (gammas.fold(1.0, f64::max), patterns.any(TrafficPattern::grows_as_usual))
}

fn summary_of_signature(signature_fit: &ModelFit) -> AlgorithmSummary {
    let gammas = ["gamma", "gamma_below"].map(|name| signature_fit.model.value(name));
    AlgorithmSummary {
        name: format!(
            "{} {}",
            signature_fit.model.model.subject, signature_fit.model.algorithm
        ),
        model: signature_fit.model.model.name,
        error: None,
        // From M on a signature adds stalls, whatever its gammas.
        strength: gammas
            .into_iter()
            .flatten()
            .fold(signature_fit.model.threshold().map_or(0.0, |_| 1.0), f64::max),
        description: format!("it {}", meaning(&signature_fit.model)),
        still_grows: signature_fit.model.domain.saturation == Saturation::NotReached,
        grows_as_usual: false,
    }
}

/// The sentence on the model and the error of each algorithm, including algorithms that follow clusters.
fn model_sentence(algorithms: &[AlgorithmSummary], fitted: &NetworkFit) -> String {
    let cluster_models = fitted
        .models
        .iter()
        .filter(|fitted_model| fitted_model.model.is_of_clusters());
    let of_clusters: Vec<(&str, String)> = cluster_models
        .map(|fitted_model| {
            let name = format!("{} {}", fitted_model.model.subject, fitted_model.algorithm);
            (fitted_model.model.name, name)
        })
        .collect();
    let mut names_by_model: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for algorithm in algorithms {
        names_by_model.entry(algorithm.model).or_default().push(&algorithm.name);
    }
    for (model, name) in &of_clusters {
        names_by_model.entry(model).or_default().push(name);
    }
    let models_by_count = names_by_model.into_iter().sorted_by_key(|(_, names)| names.len());
    let most_used_first = models_by_count.rev();
    let models = most_used_first.map(|(model, names)| format!("{model} for {}", listed(&names)));
    let known_errors = algorithms
        .iter()
        .filter_map(|algorithm| Some((algorithm.error?, &algorithm.name)));
    let errors: Vec<(f64, &String)> = known_errors.sorted_by(|a, b| a.0.total_cmp(&b.0)).collect();
    let percent = |error: f64| format!("{:.1} %", error * 100.0);
    let error_range = match errors[..] {
        [] => String::new(),
        [(error, _)] => percent(error),
        [(least, best), (most, worst)] => {
            format!("{} ({best}) and {} ({worst})", percent(least), percent(most))
        }
        [(least, best), .., (most, worst)] => format!(
            "{} ({best}) to {} ({worst}), {} in the median of the algorithms",
            percent(least),
            percent(most),
            percent(errors[errors.len() / 2].0)
        ),
    };
    let error_part = match errors[..] {
        [] => error_range,
        _ => {
            format!("; the error at process counts that were left out of the fit is {error_range}")
        }
    };
    format!("Model: {}{error_part}.", models.format(", "))
}

/// The sentence on the strength and onset of contention.
fn contention_sentence(algorithms: &[AlgorithmSummary]) -> String {
    let by_strength = |a: &&AlgorithmSummary, b: &&AlgorithmSummary| a.strength.total_cmp(&b.strength);
    let strongest = algorithms
        .iter()
        .rev()
        .max_by(by_strength)
        .expect("there is an algorithm");
    let contended_algorithms = algorithms
        .iter()
        .filter(|algorithm| algorithm.strength >= CONTENDED_RATIO);
    let (contended, all) = (contended_algorithms.count(), algorithms.len());
    let AlgorithmSummary { name, description, .. } = strongest;
    match (contended, all) {
        (_, 1) if strongest.strength < 1.0 => {
            format!("Contention: none shows in {name}: {description}.")
        }
        (_, 1) => format!("Contention: {name}: {description}."),
        (0, _) => format!(
            "Contention: no algorithm needs {CONTENDED_RATIO} times its contention-free time; the most needs {name}: {description}."
        ),
        _ => format!(
            "Contention: {contended} of {all} algorithms need at least {CONTENDED_RATIO} times their contention-free time, most of all {name}: {description}."
        ),
    }
}

/// The sentence on the range of reliable predictions and the next measurement.
fn trust_sentence(algorithms: &[AlgorithmSummary], data: &Dataset) -> String {
    let keys = summarise(data).into_keys();
    let collective_keys = keys.filter(|key| is_collective(key.experiment));
    let (counts, sizes): (BTreeSet<Procs>, BTreeSet<Bytes>) = collective_keys.map(|key| (key.procs, key.size)).unzip();
    let (Some(&least), Some(&most)) = (counts.first(), counts.last()) else {
        unreachable!("something was fitted to a collective");
    };
    let smallest = sizes.first().copied().unwrap_or_default();
    let largest = sizes.last().copied().unwrap_or_default();
    if counts.len() == 1 {
        let range = if algorithms.iter().any(|algorithm| algorithm.grows_as_usual) {
            format!(
                "measured are {least} processes alone and {smallest} to {largest}, and predict answers up to {} processes with the usual growth of contention and wide intervals",
                least.get().saturating_mul(FAR)
            )
        } else {
            format!("predictions hold for {least} processes and {smallest} to {largest} alone")
        };
        return format!("Trust: {range}; measure three process counts, which show how times grow.");
    }
    let growing_algorithms = algorithms.iter().filter(|algorithm| algorithm.still_grows);
    let growing: Vec<&str> = growing_algorithms.map(|algorithm| algorithm.name.as_str()).collect();
    let next = if growing.is_empty() {
        "to predict more, measure more processes (netsig plan proposes which)".to_owned()
    } else {
        format!(
            "of {} only up to {most}, since contention still grows there: measure more processes (netsig plan proposes which)",
            listed(&growing)
        )
    };
    format!(
        "Trust: measured are {least} to {most} processes and {smallest} to {largest}, and predict answers up to {} processes and {}; {next}.",
        most.get().saturating_mul(FAR),
        Bytes(largest.0.saturating_mul(FAR.into()))
    )
}

/// The sentence on missing launches, for data of one launch.
fn launch_sentence(data: &Dataset) -> Option<String> {
    let places = data.samples.iter().map(|sample| &sample.cell);
    let collective_places = places.filter(|place| is_collective(place.experiment));
    let launches = collective_places.map(|place| place.launch).unique().count();
    (launches == 1).then(|| {
        "Launches: one alone was measured, so that no interval shows how much they differ; measure three.".to_owned()
    })
}

fn is_collective(experiment: Experiment) -> bool {
    matches!(experiment, Experiment::Collective(_))
}

/// A list of names, or their number if there are many.
fn listed(names: &[&str]) -> String {
    match names {
        [only] => (*only).to_owned(),
        [first @ .., last] if names.len() <= MOST_LISTED => {
            format!("{} and {last}", first.join(", "))
        }
        _ => format!("{} algorithms", names.len()),
    }
}
