//! Regimes of an algorithm that was not measured: its own traffic pattern, with the parameters that
//! were fitted to another algorithm of the collective.
//!
//! # Method
//! The wire, the onset of losses and the eager limit belong to the network and to the MPI library. Start-ups, γ and the
//! rate of stalls are those of the measured exchange that is most alike. If its pattern is another one, rendezvous
//! messages and stalls are the usual ones of the wanted pattern. The intervals widen accordingly. An alltoallv takes
//! the parameters of an alltoall where none of its own algorithms is more alike: sizes per pair change start-ups and
//! bytes on the path, not the network. Of several settings of an algorithm, the one with the nearest segment is taken.
//!
//! # Domain
//! Algorithms whose pattern is an exchange, or relays blocks by digits, beside a measured exchange.
//!
//! # Source
//! netsig.

use std::cmp::Reverse;

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::{Bytes, Seconds};

use super::entry::RegimesEntry;
use crate::fitted::domain::MeasuredDomain;
use crate::model::regimes::{CountClass, ExchangeOrder, TrafficPattern, UsualParameters};

/// Standard deviation of ln T that is added, since γ and start-ups belong to another algorithm.
const OTHER_ALGORITHM: f64 = 0.25;

/// The same if they belong to the same algorithm with other segments or windows.
const OTHER_SETTINGS: f64 = 0.1;

/// The same for the same schedule of netsig with pieces that differ in size.
const OTHER_SIZES: f64 = 0.05;

/// Regimes for a pattern, one entry for each class of process counts; empty if no other algorithm can supply the
/// parameters.
pub(super) fn regimes(
    entries: &[RegimesEntry],
    collective: Collective,
    algorithm: &str,
    pattern: TrafficPattern,
) -> Vec<RegimesEntry> {
    let source_collectives = [collective, collective.table_collective()];
    let all_entries = entries.iter();
    let suitable = all_entries
        .filter(|entry| source_collectives.contains(&entry.collective) && can_supply(entry.model.pattern, pattern));
    let source = suitable.clone().max_by_key(|entry| {
        let likeness_rank = likeness(entry.model.pattern, pattern);
        let is_same = entry.collective == collective;
        let apart = Reverse(segments_apart(entry.model.pattern, pattern));
        (likeness_rank, is_same, apart, entry.domain.procs.len())
    });
    let Some(source) = source else {
        return Vec::new();
    };
    let same = suitable.clone().filter(|entry| {
        (entry.collective, &entry.algorithm) == (source.collective, &source.algorithm)
            && entry.model.pattern == source.model.pattern
    });
    let domain = MeasuredDomain::joint(suitable.clone().map(|entry| &entry.domain));
    let with_joint_domain = |mut entry: RegimesEntry| {
        entry.domain.clone_from(&domain);
        entry
    };
    if source.model.pattern == pattern {
        return same
            .map(|entry| entry_for_algorithm(entry, collective, algorithm, pattern))
            .map(with_joint_domain)
            .collect();
    }
    let classes: &[CountClass] = match pattern {
        TrafficPattern::Exchange(ExchangeOrder::Powers) => &[CountClass::Power, CountClass::Other],
        _ => &[CountClass::Every],
    };
    let of_class = |class: &CountClass| entry_of_pattern(source, collective, algorithm, pattern, *class);
    classes.iter().map(of_class).map(with_joint_domain).collect()
}

/// True if parameters of the pattern `measured` can serve the pattern `wanted`.
fn can_supply(measured: TrafficPattern, wanted: TrafficPattern) -> bool {
    match wanted {
        TrafficPattern::Digits { .. } => measured.is_exchange(),
        TrafficPattern::Pipeline { .. } => matches!(measured, TrafficPattern::Pipeline { .. }),
        _ => measured.is_exchange() && wanted.is_exchange(),
    }
}

/// Order of an exchange in segments, none for a pipeline, and the segment size.
fn segments(pattern: TrafficPattern) -> Option<(Option<ExchangeOrder>, Bytes)> {
    match pattern {
        TrafficPattern::Segments { order, segment, .. } => Some((Some(order), segment)),
        TrafficPattern::Pipeline { segment } => Some((None, segment)),
        _ => None,
    }
}

/// Number of doublings between the segments of two patterns; 0 without segments.
fn segments_apart(measured: TrafficPattern, wanted: TrafficPattern) -> u32 {
    let doublings = |pattern| segments(pattern).map(|(_, segment)| segment.0.max(1).ilog2());
    let both = doublings(measured).zip(doublings(wanted));
    both.map_or(0, |(measured, wanted)| measured.abs_diff(wanted))
}

/// Standard deviation of ln T that is added if the parameters are those of another pattern or algorithm.
fn added_deviation(measured: TrafficPattern, wanted: TrafficPattern) -> f64 {
    let order = |pattern| segments(pattern).map(|(order, _)| order);
    let is_setting = measured != wanted && order(measured).is_some() && order(measured) == order(wanted);
    if is_setting { OTHER_SETTINGS } else { OTHER_ALGORITHM }
}

/// Rank of a measured pattern as a source of parameters for `wanted`, highest for the same pattern. Segments of another
/// size come next; algorithms that wait for their partners are alike.
fn likeness(measured: TrafficPattern, wanted: TrafficPattern) -> u8 {
    let is_waiting = |pattern: TrafficPattern| !matches!(pattern, TrafficPattern::Exchange(ExchangeOrder::AtOnce));
    match (measured, wanted) {
        _ if measured == wanted => 3,
        _ if segments(measured).is_some() && segments(wanted).is_some() => 2,
        _ => u8::from(is_waiting(measured) == is_waiting(wanted)),
    }
}

/// An entry of another pattern, with the usual rendezvous messages and stalls of that pattern.
fn entry_of_pattern(
    source: &RegimesEntry,
    collective: Collective,
    algorithm: &str,
    pattern: TrafficPattern,
    class: CountClass,
) -> RegimesEntry {
    let mut entry = entry_for_algorithm(source, collective, algorithm, pattern);
    let model = &mut entry.model;
    model.pattern = pattern;
    let [usual, other] = [
        UsualParameters::of(pattern, class),
        UsualParameters::of(source.model.pattern, source.class),
    ];
    let (Some(usual), Some(other)) = (usual, other) else {
        return entry;
    };
    model.request = Seconds(usual.request.value * model.wire.beta().0);
    if let Some(rendezvous) = &mut model.rendezvous {
        rendezvous.gamma = usual.rendezvous;
        rendezvous.growth = 0.0;
    }
    let stalls = model.eager.as_mut().and_then(|eager| eager.stalls.as_mut());
    if let Some(stalls) = stalls {
        stalls.rate = if usual.stall_rate < other.stall_rate {
            stalls.rate * usual.stall_rate / other.stall_rate
        } else {
            usual.stall_rate
        };
    }
    RegimesEntry { class, ..entry }
}

/// Leaves out the corrections: those of pieces of one size do not hold for pieces that differ.
pub(super) fn remove_corrections(entry: &mut RegimesEntry) {
    let protocols = [&mut entry.model.eager, &mut entry.model.rendezvous];
    for parameters in protocols.into_iter().flatten() {
        parameters.correction = None;
    }
}

/// An entry in the name of another algorithm; it keeps the collective that was measured.
fn entry_for_algorithm(
    source: &RegimesEntry,
    collective: Collective,
    algorithm: &str,
    pattern: TrafficPattern,
) -> RegimesEntry {
    let mut entry = RegimesEntry {
        algorithm: algorithm.to_owned(),
        ..source.clone()
    };
    let has_other_sizes = source.collective.size_pattern() != collective.size_pattern();
    if has_other_sizes {
        remove_corrections(&mut entry);
    }
    let is_same = source.algorithm == algorithm && Algorithm::parse(collective, algorithm).is_ok();
    let uncertainty = if is_same {
        OTHER_SIZES
    } else {
        added_deviation(source.model.pattern, pattern)
    };
    for error in &mut entry.errors {
        error.deviation = error.deviation.hypot(uncertainty);
    }
    entry
}
