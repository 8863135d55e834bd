//! Comments in a rules file, one line each.

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::text::date::utc_date;
use netsig_base::text::{range, range_beside};

use super::candidates::{DataOrigin, TuningChoice};
use super::map::{OWN_DECISION, TOLERANCE, TuningMap};
use super::{RuleBlock, TargetRelease, TunedCollective};
use crate::profile::Profile;

/// Names in the comments.
#[derive(Debug, Clone, Copy)]
pub struct CommentNames<'a> {
    /// The profile.
    pub profile: &'a str,
    /// The rules file.
    pub file: &'a str,
}

/// Origin of the rules, and the options of a launch with them.
pub(super) fn head(
    profile: &Profile,
    release: &TargetRelease,
    all: &[TunedCollective],
    names: CommentNames,
) -> Vec<String> {
    let mpi = match DataOrigin::of(profile, release.target.flavour) {
        DataOrigin::Same => String::new(),
        DataOrigin::Unknown => ", which does not say by which MPI it was measured".to_owned(),
        DataOrigin::Other(name) => format!(", which was measured by {name}"),
    };
    let mut lines = vec![
        format!("netsig tune: rules for {release}"),
        format!("from the profile {}{mpi}; {}", names.profile, dates(profile)),
        format!("launch: {}", (release.target.launch)(names.file)),
    ];
    lines.extend(release.target.remarks.iter().map(|remark| (*remark).to_owned()));
    if all.iter().any(|tuned| tuned.needs_commutative(release)) {
        lines.push("These rules are wrong for operations that do not commute".to_owned());
    }
    lines
}

/// Domain of a collective's rules, and the considered and missing algorithms.
pub(super) fn describe_collective(tuned: &TunedCollective) -> Vec<String> {
    let TunedCollective {
        collective,
        choices,
        times,
        ..
    } = tuned;
    let count_ends = times.counts.first().zip(times.counts.last());
    let counts = count_ends.map(|(first, last)| range(first, last));
    let own_decision_note = if choices.has_own_decision() {
        ""
    } else {
        "the library's own choice was not measured and may be faster; "
    };
    let mut lines = vec![format!(
        "{collective}: predicted for {} processes{}; {own_decision_note}rules are within {:.0} % of the best",
        counts.unwrap_or_default(),
        sizes(*collective, times),
        (TOLERANCE - 1.0) * 100.0
    )];
    let measured = choices.all.iter().filter(|choice| !choice.measured.is_empty());
    lines.push(format!(
        "considered: {}",
        measured.map(|choice| &choice.measured).join(", ")
    ));
    let measured_names = |choices: &[TuningChoice]| choices.iter().map(|choice| &choice.measured).join(", ");
    for (what, names) in [
        ("measured, but no rule can name", choices.beyond_rules.iter().join(", ")),
        (
            "left out as wrong for operations that do not commute (the option commutative takes them)",
            measured_names(&choices.wrong_for_some),
        ),
        (
            "left out because they call collectives that have rules here",
            measured_names(&choices.calling_ruled),
        ),
        ("not measured", choices.unmeasured.iter().join(", ")),
    ] {
        if !names.is_empty() {
            lines.push(format!("{what}: {names}"));
        }
    }
    if !tuned.has_rules() {
        lines.push(format!(
            "no rule is predicted to gain; the library decides {collective}"
        ));
    }
    lines
}

/// Sizes of the map in words; nothing of a barrier.
fn sizes(collective: Collective, times: &TuningMap) -> String {
    let ends = times.sizes.first().zip(times.sizes.last());
    let sizes = ends.map(|(first, last)| range(first, last)).unwrap_or_default();
    if collective.is_reduction() {
        format!(" and vectors of {sizes}")
    } else if collective.has_data() {
        format!(" and {sizes} each")
    } else {
        String::new()
    }
}

/// Counts of a block.
pub(super) fn block(tuned: &TunedCollective, block: &RuleBlock) -> String {
    let (first, last) = tuned.count_range(block);
    format!("{} among {}:", tuned.collective, range(first, last))
}

/// Choice and gain of the rule at `place` of a block.
pub(super) fn rule(tuned: &TunedCollective, block: &RuleBlock, place: usize) -> String {
    let choice = block.rules[place].choice;
    let from = block.rules[place].from;
    let what = &tuned.choices.all[choice];
    if choice == OWN_DECISION {
        return format!("from {from}: the library's own choice");
    }
    let gain = tuned.gain(block, place).map_or_else(String::new, |gain| {
        let why = if gain.mean < 1.0 {
            ", whose time is less certain"
        } else {
            ""
        };
        let [mean, least, most] = [gain.mean, gain.least, gain.most].map(|ratio| format!("{ratio:.2}"));
        let ends = range_beside(&mean, least, most);
        let interval = ends.map_or(String::new(), |ends| format!(" ({ends})"));
        format!(", predicted {mean} times as fast as the library's own choice{interval}{why}")
    });
    format!("from {from}: {}{gain}", describe_choice(what))
}

/// Name of an algorithm in the library, and its name as measured.
fn describe_choice(choice: &TuningChoice) -> String {
    let name = choice.library_algorithm.map_or("", |algorithm| algorithm.offer.name);
    format!("{name}, measured as {}", choice.measured)
}

/// First and last day of the data.
fn dates(profile: &Profile) -> String {
    let day = |key: &str| {
        let seconds = profile.provenance.get(key)?.parse().ok()?;
        Some(utc_date(seconds))
    };
    match (day("data_started_unix_s"), day("data_ended_unix_s")) {
        (Some(first), Some(last)) if first != last => format!("data of {first} to {last}"),
        (Some(day), _) | (None, Some(day)) => format!("data of {day}"),
        (None, None) => "data without a date".to_owned(),
    }
}
