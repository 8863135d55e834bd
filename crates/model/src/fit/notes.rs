//! Notes and warnings about a fit: data that it passes over, models that failed, and the reliability of the chosen
//! models.

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::text::counted;
use netsig_base::text::note::Note;
use netsig_base::units::{Bytes, Procs};

use super::model::ModelFit;
use super::network::{FittedRegimes, NetworkFit};
use crate::field::FieldEntry;
use crate::fitted::saturation::Saturation;
use crate::model::FIELD;
use crate::model::regimes::CountClass;
use crate::regimes::fit::RegimesFit;

/// All notes on a fit, with the reasons of at most `most` fits that failed.
pub fn notes_on_fit(fitted: &NetworkFit, most: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    notes.extend(fitted.substitute_procs.map(|procs| {
        Note::warning(format!(
            "no ping-pong: alpha and beta are those of one message of a collective among {procs}; contention among {procs} is unknown, and that of more is relative to it"
        ))
    }));
    notes.extend(fitted.busy_cells.notes());
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

/// Notes on the parameters of pairs of processes that were not fitted.
pub fn notes_on_failed_pairs(fitted: &NetworkFit) -> Vec<Note> {
    let failures = fitted.point_to_point.failures.iter();
    failures
        .map(|failure| Note::remark(format!("not fitted: {failure}")))
        .collect()
}

/// Warnings about the measured tables of pLogP.
pub fn doubts_about_tables(fitted: &NetworkFit) -> Vec<Note> {
    let tables = fitted.point_to_point.plogp.iter();
    let doubts = tables.flat_map(|measured| &measured.doubts);
    doubts.map(|doubt| Note::warning(format!("pLogP: {doubt}"))).collect()
}

/// Warnings about the chosen model of each algorithm.
fn on_models(fitted: &NetworkFit) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut warn = |subject: String, warnings: Vec<String>| {
        let warning = |warning| Note::warning(format!("{subject}: {warning}"));
        notes.extend(warnings.into_iter().map(warning));
    };
    for chosen in &fitted.chosen_models {
        let (collective, algorithm) = (chosen.collective, chosen.algorithm.as_str());
        let subject = format!("{collective} {algorithm}");
        if chosen.sufficient.model.name == FIELD {
            warn(
                subject,
                fitted
                    .field(collective, algorithm)
                    .map_or(Vec::new(), warnings_on_field),
            );
        } else if let Some(regimes) = fitted.regimes(collective, algorithm) {
            warn(subject, warnings_on_regimes(regimes));
        }
    }
    for signature_fit in &fitted.signatures {
        // Warnings about a signature are irrelevant if another model was chosen.
        if fitted
            .chosen_model(signature_fit.model.collective(), &signature_fit.model.algorithm)
            .is_none()
        {
            let model = &signature_fit.model;
            let subject = format!("{} {}", model.model.subject, model.algorithm);
            warn(subject, warnings_on_signature(signature_fit));
        }
    }
    notes
}

/// Notes that some models coincide without pLogP tables.
pub fn without_tables() -> Note {
    Note::remark(
        "without pLogP tables g, os and or are alpha + beta m, so some models coincide: \
         contention_free with hockney, plogp_overhead_factor with slowdown",
    )
}

/// Notes the statistics that replace repetitions missing in the data, the algorithms without a
/// fitted model, and cells that stalled in every repetition.
fn about_data(fitted: &NetworkFit) -> Vec<Note> {
    let mut notes = Vec::new();
    let imported = fitted.imported.iter();
    let counts = imported.map(|(kind, n)| format!("{n} {kind}")).join(", ");
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
    notes.extend(
        fitted
            .odd_counts
            .iter()
            .map(|odd_counts| Note::warning(odd_counts.to_string())),
    );
    notes.extend(fitted.stalled_cells.as_ref().map(|stalled| {
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

/// Words that introduce a class of process counts.
pub fn class_prefix(class: CountClass) -> &'static str {
    match class {
        CountClass::Every => "",
        CountClass::Power => "among powers of two, ",
        CountClass::Other => "among other counts, ",
    }
}

/// A warning about cells that stalled in every repetition.
fn stall_warning(regimes: &FittedRegimes) -> Option<String> {
    let cells = regimes.fit.fits.iter().flat_map(|fit| &fit.cells);
    let mut stalled = cells.filter(|cell| cell.unstalled == 0);
    let first = stalled.next()?;
    let (procs, size) = (first.procs, first.size);
    let count = counted(1 + stalled.count() as u64, "cell", "cells");
    Some(format!(
        "{count} stalled in every repetition, until a tail-loss probe or a time-out of TCP (first: {procs} processes, {size}): their time without a stall is only known from the other cells; measure smaller messages, or give the switch deeper buffers"
    ))
}

/// Least median error of a fit on its own data that is noted, and its least ratio to their scatter.
const LEAST_MISFIT: f64 = 0.1;
const BEYOND_SCATTER: f64 = 2.0;

/// A warning about a fit that misses its own data by more than their scatter.
fn misfit_warning(fit: &RegimesFit) -> Option<String> {
    let [error, scatter] = fit.misfit;
    let is_missed = error > LEAST_MISFIT && error > BEYOND_SCATTER * scatter;
    is_missed.then(|| {
        format!(
            "{}the model misses the data that it was fitted to by {:.0} % in the median, more than their scatter ({:.0} %): its predictions are no better; see compare for others",
            class_prefix(fit.class),
            error.exp_m1() * 100.0,
            scatter.exp_m1() * 100.0
        )
    })
}

/// Words on one or two process counts, which do not show growth.
fn few_counts_phrase(all: &[Procs]) -> Option<String> {
    match all {
        [only] => Some(format!("{only} is the only process count")),
        [few, many] => Some(format!("{few} and {many} are the only process counts")),
        _ => None,
    }
}

/// Warnings about the reliability of an algorithm's field.
fn warnings_on_field(field: &FieldEntry) -> Vec<String> {
    let domain = &field.domain;
    let counts = few_counts_phrase(&domain.procs);
    let is_single = domain.smallest == domain.largest && field.collective.has_data();
    let sizes = is_single.then(|| format!("{} is the only size", domain.largest));
    let all = [counts, sizes].into_iter().flatten();
    all.map(|only| format!("{only}, so that others are predicted with a wide interval; measure three"))
        .collect()
}

/// Warnings about the reliability of an algorithm's regimes.
fn warnings_on_regimes(regimes: &FittedRegimes) -> Vec<String> {
    let mut warnings = Vec::new();
    for fit in &regimes.fit.fits {
        let distinct_counts: BTreeSet<Procs> = fit.cells.iter().map(|cell| cell.procs).collect();
        let counts = Vec::from_iter(distinct_counts);
        // In the usual campaign a partial class has two of the three counts.
        let is_noted = fit.class == CountClass::Every || counts.len() == 1;
        if let (true, Some(only)) = (is_noted, few_counts_phrase(&counts)) {
            let unknown = if fit.model.pattern.grows_as_usual() {
                "others are predicted with the usual growth of exchanges and a wide interval"
            } else {
                "growth, overflow and intervals at other counts cannot be estimated"
            };
            warnings.push(format!(
                "{}{only}, so that {unknown}; measure three",
                class_prefix(fit.class)
            ));
        }
    }
    warnings.extend(regimes.fit.fits.iter().filter_map(misfit_warning));
    warnings.extend(stall_warning(regimes));
    let has_data = |fit: &RegimesFit| fit.cells.iter().any(|cell| cell.size > Bytes(0));
    let has_no_limit = |fit: &RegimesFit| fit.model.eager_limit.is_none() && has_data(fit);
    if regimes.fit.fits.iter().any(has_no_limit) {
        warnings.push("no eager limit was seen: larger messages than were measured may be sent otherwise".to_owned());
    }
    warnings
}

/// Warnings about the reliability of a signature.
pub fn warnings_on_signature(fit: &ModelFit) -> Vec<String> {
    let mut warnings = Vec::new();
    for (name, words) in [("gamma_below", "gamma below M"), ("gamma", "gamma")] {
        if let Some(gamma) = fit.model.value(name).filter(|gamma| *gamma < 1.0) {
            warnings.push(format!(
                "{words} = {gamma:.2} is below 1: the contention-free model is too slow there"
            ));
        }
    }
    let gamma_by_procs = fit.gamma_by_procs.iter();
    let gammas = gamma_by_procs.map(|(n, gamma)| format!("{gamma:.2} at {n}")).join(", ");
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
