//! Summarises a fit: the model of each algorithm and its error, the strength and onset of contention,
//! the range of reliable predictions, and that launches are missing where there is one alone.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;
use netsig_base::data::cells::summarise;
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs};
use netsig_model::fit::model::ModelFit;
use netsig_model::fit::network::{FittedRegimes, NetworkFit, SpeakingModel, Wanted};
use netsig_model::fitted::saturation::Saturation;
use netsig_model::model::regimes::Pattern;
use netsig_model::model::{FIELD, Kind, REGIMES};
use netsig_model::predict::outside::FAR;

use super::{field, meaning, regimes, said};

/// An algorithm with its chosen model.
struct Subject {
    name: String,
    /// Name of the model, for `predict --model`.
    model: &'static str,
    /// Mean relative error at process counts left out of the fit.
    error: Option<f64>,
    /// Largest ratio to a contention-free time.
    strength: f64,
    /// The parameters in words.
    said: String,
    /// True if contention still grows with the number of processes.
    still_grows: bool,
    /// True if one process count tells of others.
    grows_as_usual: bool,
}

/// Least ratio to the contention-free time that counts as contention.
const CONTENDED: f64 = 1.2;

/// The most names in a list; longer lists are replaced by their number.
const LISTED: usize = 3;

/// The sentences; empty if no model was fitted to a collective in `data`.
pub fn verdict(fitted: &NetworkFit, wanted: Wanted, data: &Dataset) -> Vec<String> {
    let subjects = subjects(fitted, wanted);
    if subjects.is_empty() {
        return Vec::new();
    }
    let mut sentences = vec![models(&subjects, fitted), contention(&subjects), trust(&subjects, data)];
    sentences.extend(launches(data));
    sentences
}

fn subjects(fitted: &NetworkFit, wanted: Wanted) -> Vec<Subject> {
    let chosen = fitted.speaking.iter().map(|own| of_choice(own, fitted, wanted));
    let others = fitted.signatures.iter();
    let others = others.filter(|own| fitted.speaking(own.model.collective(), &own.model.algorithm).is_none());
    chosen.chain(others.map(of_signature)).collect()
}

fn of_choice(own: &SpeakingModel, fitted: &NetworkFit, wanted: Wanted) -> Subject {
    let (collective, algorithm) = (own.collective, own.algorithm.as_str());
    let regimes = fitted.regimes(collective, algorithm);
    let is_alone = wanted.is_regimes_alone();
    let chosen = own.sufficient.model;
    let (strength, grows_as_usual) = match (chosen.kind, chosen.name) {
        (Kind::ContentionFree, _) if !is_alone => (1.0, false),
        (_, FIELD) => (fitted.field(collective, algorithm).map_or(1.0, field::strength), true),
        _ => regimes.map_or((1.0, false), of_regimes),
    };
    Subject {
        name: format!("{collective} {algorithm}"),
        model: if is_alone { REGIMES } else { chosen.name },
        // The error belongs to the model that the fit chose.
        error: own.sufficient.error.filter(|_| !is_alone || chosen.name == REGIMES),
        strength,
        said: match regimes {
            Some(regimes) if is_alone => regimes::said(regimes),
            _ => said(own, fitted),
        },
        still_grows: false,
        grows_as_usual,
    }
}

/// γ of the regimes, and true if one process count tells of others.
fn of_regimes(own: &FittedRegimes) -> (f64, bool) {
    let protocols = own.fit.fits.iter();
    let protocols = protocols.flat_map(|fit| [&fit.model.eager, &fit.model.rendezvous]);
    let gammas = protocols.flatten().map(|protocol| protocol.gamma);
    let mut patterns = own.fit.fits.iter().map(|fit| fit.model.pattern);
    (gammas.fold(1.0, f64::max), patterns.any(Pattern::grows_as_usual))
}

fn of_signature(own: &ModelFit) -> Subject {
    let gammas = ["gamma", "gamma_below"].map(|name| own.model.value(name));
    Subject {
        name: format!("{} {}", own.model.model.subject, own.model.algorithm),
        model: own.model.model.name,
        error: None,
        // From M on a signature adds stalls, whatever its gammas.
        strength: gammas
            .into_iter()
            .flatten()
            .fold(own.model.threshold().map_or(0.0, |_| 1.0), f64::max),
        said: format!("it {}", meaning(&own.model)),
        still_grows: own.model.domain.saturation == Saturation::NotReached,
        grows_as_usual: false,
    }
}

/// The sentence on the model of each algorithm, those that follow clusters among them, and its error.
fn models(subjects: &[Subject], fitted: &NetworkFit) -> String {
    let of_clusters = fitted.models.iter().filter(|own| own.model.is_of_clusters());
    let of_clusters: Vec<(&str, String)> = of_clusters
        .map(|own| {
            let name = format!("{} {}", own.model.subject, own.algorithm);
            (own.model.name, name)
        })
        .collect();
    let mut by_model: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for own in subjects {
        by_model.entry(own.model).or_default().push(&own.name);
    }
    for (model, name) in &of_clusters {
        by_model.entry(model).or_default().push(name);
    }
    let by_model = by_model.into_iter().sorted_by_key(|(_, own)| own.len());
    let by_model = by_model.rev();
    let models = by_model.map(|(model, names)| format!("{model} for {}", listed(&names)));
    let errors = subjects.iter().filter_map(|own| Some((own.error?, &own.name)));
    let errors: Vec<(f64, &String)> = errors.sorted_by(|a, b| a.0.total_cmp(&b.0)).collect();
    let percent = |error: f64| format!("{:.1} %", error * 100.0);
    let known = match errors[..] {
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
    let known = match errors[..] {
        [] => known,
        _ => format!("; the error at process counts that were left out of the fit is {known}"),
    };
    format!("Model: {}{known}.", models.format(", "))
}

/// The sentence on the strength and onset of contention.
fn contention(subjects: &[Subject]) -> String {
    let strongest = subjects.iter().rev();
    let strongest = strongest.max_by(|a, b| a.strength.total_cmp(&b.strength));
    let strongest = strongest.expect("there are subjects");
    let contended = subjects.iter().filter(|own| own.strength >= CONTENDED);
    let (contended, all) = (contended.count(), subjects.len());
    let Subject { name, said, .. } = strongest;
    match (contended, all) {
        (_, 1) if strongest.strength < 1.0 => {
            format!("Contention: none shows in {name}: {said}.")
        }
        (_, 1) => format!("Contention: {name}: {said}."),
        (0, _) => format!(
            "Contention: no algorithm needs {CONTENDED} times its contention-free time; the most needs {name}: {said}."
        ),
        _ => format!(
            "Contention: {contended} of {all} algorithms need at least {CONTENDED} times their contention-free time, most of all {name}: {said}."
        ),
    }
}

/// The sentence on the range of reliable predictions and the next measurement.
fn trust(subjects: &[Subject], data: &Dataset) -> String {
    let cells = summarise(data).into_keys();
    let cells = cells.filter(|key| is_collective(key.experiment));
    let (counts, sizes): (BTreeSet<Procs>, BTreeSet<Bytes>) = cells.map(|key| (key.procs, key.size)).unzip();
    let (Some(&least), Some(&most)) = (counts.first(), counts.last()) else {
        unreachable!("something was fitted to a collective");
    };
    let smallest = sizes.first().copied().unwrap_or_default();
    let largest = sizes.last().copied().unwrap_or_default();
    if counts.len() == 1 {
        let range = if subjects.iter().any(|own| own.grows_as_usual) {
            format!(
                "measured are {least} processes alone and {smallest} to {largest}, and predict answers up to {} processes with the usual growth of contention and wide intervals",
                least.get().saturating_mul(FAR)
            )
        } else {
            format!("predictions hold for {least} processes and {smallest} to {largest} alone")
        };
        return format!("Trust: {range}; measure three process counts, which show how times grow.");
    }
    let growing = subjects.iter().filter(|own| own.still_grows);
    let growing: Vec<&str> = growing.map(|own| own.name.as_str()).collect();
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

/// The sentence on data of one launch.
fn launches(data: &Dataset) -> Option<String> {
    let places = data.samples.iter().map(|sample| &sample.place);
    let own = places.filter(|place| is_collective(place.experiment));
    let launches = own.map(|place| place.launch).unique().count();
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
        [first @ .., last] if names.len() <= LISTED => {
            format!("{} and {last}", first.join(", "))
        }
        _ => format!("{} algorithms", names.len()),
    }
}
