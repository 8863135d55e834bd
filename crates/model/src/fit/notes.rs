//! Notes and warnings about a fit: data that it passes over, models that failed, and the reliability of
//! the chosen ones.

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::text::counted;
use netsig_base::text::note::Note;
use netsig_base::units::Procs;

use super::model::ModelFit;
use super::network::{FittedRegimes, NetworkFit};
use crate::field::FieldEntry;
use crate::fitted::saturation::Saturation;
use crate::model::FIELD;
use crate::model::regimes::Class;
use crate::regimes::fit::RegimesFit;

/// All notes on a fit, with the reasons of at most `most` fits that failed.
pub fn on_fit(fitted: &NetworkFit, most: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    notes.extend(fitted.without_pairs.map(|procs| {
        Note::warning(format!(
            "no ping-pong: alpha and beta are those of one message of a collective among {procs}; contention among {procs} is unknown, and that of more is relative to it"
        ))
    }));
    notes.extend(about_data(fitted));
    if fitted.is_empty() {
        notes.push(Note::remark(
            "the data hold no alltoall or other collective that models describe: alpha and beta are all that was fitted",
        ));
    }
    if !fitted.models.is_empty() && fitted.plogp.is_none() {
        notes.push(without_tables());
    }
    let failures = fitted.failures.iter().take(most);
    notes.extend(failures.map(|failure| Note::remark(format!("not fitted: {failure}"))));
    if fitted.failures.len() > most {
        let more = fitted.failures.len() - most;
        notes.push(Note::remark(format!(
            "not fitted are {more} more; --all gives the reasons"
        )));
    }
    notes.extend(on_models(fitted));
    notes
}

/// Warnings about the chosen model of each algorithm.
fn on_models(fitted: &NetworkFit) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut warn = |subject: String, warnings: Vec<String>| {
        let warning = |warning| Note::warning(format!("{subject}: {warning}"));
        notes.extend(warnings.into_iter().map(warning));
    };
    for own in &fitted.speaking {
        let (collective, algorithm) = (own.collective, own.algorithm.as_str());
        let subject = format!("{collective} {algorithm}");
        if own.sufficient.model.name == FIELD {
            warn(
                subject,
                fitted.field(collective, algorithm).map_or(Vec::new(), of_field),
            );
        } else if let Some(regimes) = fitted.regimes(collective, algorithm) {
            warn(subject, of_regimes(regimes));
        }
    }
    for own in &fitted.signatures {
        // Warnings about a signature are irrelevant if another model was chosen.
        if fitted.speaking(own.model.collective(), &own.model.algorithm).is_none() {
            let model = &own.model;
            let subject = format!("{} {}", model.model.subject, model.algorithm);
            warn(subject, of_signature(own));
        }
    }
    notes
}

/// Notes that some models coincide without pLogP tables.
pub fn without_tables() -> Note {
    Note::remark(
        "without pLogP tables g, os and or are alpha + beta m, so some models coincide: \
         free with hockney, factor_003 with slowdown",
    )
}

/// Notes the statistics that replace repetitions missing in the data, the algorithms without a
/// fitted model, and cells that stalled in every repetition.
fn about_data(fitted: &NetworkFit) -> Vec<Note> {
    let mut notes = Vec::new();
    let counts = fitted.imported.iter();
    let counts = counts.map(|(kind, n)| format!("{n} {kind}")).join(", ");
    if !counts.is_empty() {
        notes.push(Note::remark(format!(
            "cells with a statistic of another program in place of repetitions: {counts}"
        )));
    }
    if !fitted.rooted_means.is_empty() {
        notes.push(about_rooted_means(&fitted.rooted_means));
    }
    if !fitted.unfitted.is_empty() {
        let names = fitted.unfitted.join(", ");
        notes.push(Note::remark(format!("nothing is fitted to {names}")));
    }
    notes.extend(fitted.odd_counts.iter().map(|own| Note::warning(own.to_string())));
    notes.extend(fitted.stalled.as_ref().map(|stalled| {
        Note::warning(format!(
            "{stalled}; measure smaller messages, or give the switch deeper buffers"
        ))
    }));
    notes
}

/// A warning that the mean over the ranks represents cells of collectives with a root.
pub fn about_rooted_means(collectives: &[Collective]) -> Note {
    let names = collectives.iter().join(", ");
    Note::warning(format!(
        "{names}: times are means over the ranks, and leaves leave before the last rank is done, so that they are shorter than the operation; rank the algorithms with caution, or import maxima over the ranks (OSU prints them with -f)"
    ))
}

/// The introduction of the words on a class of process counts.
pub fn among(class: Class) -> &'static str {
    match class {
        Class::Every => "",
        Class::Power => "among powers of two, ",
        Class::Other => "among other counts, ",
    }
}

/// A warning about cells that stalled in every repetition.
fn only_stalled(own: &FittedRegimes) -> Option<String> {
    let cells = own.fit.fits.iter().flat_map(|fit| &fit.cells);
    let mut stalled = cells.filter(|cell| cell.plain == 0);
    let first = stalled.next()?;
    let (procs, size) = (first.procs, first.size);
    let count = counted(1 + stalled.count() as u64, "cell", "cells");
    Some(format!(
        "{count} stalled in every repetition, until a tail-loss probe or a time-out of TCP (first: {procs} processes, {size}): their time without a stall is only known from the other cells; measure smaller messages, or give the switch deeper buffers"
    ))
}

/// Least median error of a fit on its own data that is told, and least ratio to their scatter.
const MISSED: f64 = 0.1;
const BEYOND_SCATTER: f64 = 2.0;

/// A warning about a fit that misses its own data by more than their scatter.
fn missed(fit: &RegimesFit) -> Option<String> {
    let [error, scatter] = fit.misfit;
    let is_missed = error > MISSED && error > BEYOND_SCATTER * scatter;
    is_missed.then(|| {
        format!(
            "{}the model misses the data that it was fitted to by {:.0} % in the median, more than their scatter ({:.0} %): its predictions are no better; see compare for others",
            among(fit.class),
            error.exp_m1() * 100.0,
            scatter.exp_m1() * 100.0
        )
    })
}

/// Words on one or two process counts, of which growth cannot be told.
fn only_counts(all: &[Procs]) -> Option<String> {
    match all {
        [only] => Some(format!("{only} is the only process count")),
        [few, many] => Some(format!("{few} and {many} are the only process counts")),
        _ => None,
    }
}

/// Warnings about the reliability of an algorithm's field.
fn of_field(own: &FieldEntry) -> Vec<String> {
    let domain = &own.domain;
    let counts = only_counts(&domain.procs);
    let sizes = (domain.smallest == domain.largest).then(|| format!("{} is the only size", domain.largest));
    let all = [counts, sizes].into_iter().flatten();
    all.map(|only| format!("{only}, so that others are predicted with a wide interval; measure three"))
        .collect()
}

/// Warnings about the reliability of an algorithm's regimes.
fn of_regimes(own: &FittedRegimes) -> Vec<String> {
    let mut warnings = Vec::new();
    for fit in &own.fit.fits {
        let counts: BTreeSet<Procs> = fit.cells.iter().map(|cell| cell.procs).collect();
        let counts = Vec::from_iter(counts);
        // Kinds of counts have two of three in the usual campaign.
        let is_told = fit.class == Class::Every || counts.len() == 1;
        if let (true, Some(only)) = (is_told, only_counts(&counts)) {
            let unknown = if fit.model.pattern.grows_as_usual() {
                "others are predicted with the usual growth of exchanges and a wide interval"
            } else {
                "growth, overflow and intervals at other counts cannot be estimated"
            };
            warnings.push(format!("{}{only}, so that {unknown}; measure three", among(fit.class)));
        }
    }
    warnings.extend(own.fit.fits.iter().filter_map(missed));
    warnings.extend(only_stalled(own));
    let has_no_limit = |fit: &RegimesFit| fit.model.eager_limit.is_none();
    if own.fit.fits.iter().any(has_no_limit) {
        warnings.push("no eager limit was seen: larger messages than were measured may be sent otherwise".to_owned());
    }
    warnings
}

/// Warnings about the reliability of a signature.
pub fn of_signature(fit: &ModelFit) -> Vec<String> {
    let mut warnings = Vec::new();
    for (name, words) in [("gamma_below", "gamma below M"), ("gamma", "gamma")] {
        if let Some(gamma) = fit.model.value(name).filter(|gamma| *gamma < 1.0) {
            warnings.push(format!(
                "{words} = {gamma:.2} is below 1: the contention-free model is too slow there"
            ));
        }
    }
    let gammas = fit.gamma_by_procs.iter();
    let gammas = gammas.map(|(n, gamma)| format!("{gamma:.2} at {n}")).join(", ");
    if !fit.left_out.is_empty() {
        warnings.push(format!(
            "{} processes do not saturate the network and were left out of the fit; --keep-unsaturated keeps them",
            fit.left_out.iter().join(", ")
        ));
    }
    match fit.model.domain.saturation {
        Saturation::From(_) => {}
        Saturation::NotReached => warnings.push(format!(
            "saturation is not reached: gamma still changes with the number of processes ({gammas}); measure more processes"
        )),
        Saturation::Unverified if fit.gamma_by_procs.len() == 1 => warnings.push(format!(
            "all data are of one process count (gamma = {gammas}), so that saturation, growth with the processes and intervals at other counts cannot be estimated; measure three process counts"
        )),
        Saturation::Unverified => warnings.push(format!(
            "saturation is unverified ({gammas}): it takes three process counts; predictions for more may be too low"
        )),
    }
    warnings
}
