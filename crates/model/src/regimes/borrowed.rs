//! Regimes of an algorithm that was not measured: its own traffic pattern, with the parameters that
//! were fitted to another algorithm of the collective.
//!
//! # Method
//! The wire, the onset of losses and the eager limit belong to the network and to the MPI library;
//! start-ups, γ and the rate of stalls are those of the measured exchange that is most alike, with the
//! usual rendezvous messages and stalls of the pattern if that is another one. The intervals widen
//! accordingly. An alltoallv takes them from an alltoall where none of its own is more alike: sizes
//! per pair change start-ups and bytes on the path, not the network. Of several settings of the
//! algorithm the one with the nearest segment counts.
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
use crate::fitted::domain::Domain;
use crate::model::regimes::{Class, Order, Pattern, Usual};

/// Standard deviation of ln T that is added, since γ and start-ups belong to another algorithm.
const OTHER_ALGORITHM: f64 = 0.25;

/// The same if they belong to the same algorithm with other segments or windows.
const OTHER_SETTINGS: f64 = 0.1;

/// The same for the same schedule of netsig with pieces that differ in size.
const OTHER_SIZES: f64 = 0.05;

/// The regimes under a pattern, one entry for each class of process counts; none if no other
/// algorithm has parameters for it.
pub(super) fn regimes(
    entries: &[RegimesEntry],
    (collective, algorithm): (Collective, &str),
    pattern: Pattern,
) -> Vec<RegimesEntry> {
    let who = (collective, algorithm);
    let lenders = [collective, collective.table()];
    let all = entries.iter();
    let all = all.filter(|own| lenders.contains(&own.collective) && lends(own.model.pattern, pattern));
    let source = all.clone().max_by_key(|own| {
        let likeness = likeness(own.model.pattern, pattern);
        let is_same = own.collective == collective;
        let apart = Reverse(segments_apart(own.model.pattern, pattern));
        (likeness, is_same, apart, own.domain.procs.len())
    });
    let Some(source) = source else {
        return Vec::new();
    };
    let same = all.clone().filter(|own| {
        (own.collective, &own.algorithm) == (source.collective, &source.algorithm)
            && own.model.pattern == source.model.pattern
    });
    let domain = Domain::joint(all.clone().map(|own| &own.domain));
    let within = |mut entry: RegimesEntry| {
        entry.domain.clone_from(&domain);
        entry
    };
    if source.model.pattern == pattern {
        return same.map(|own| within(lent(own, who, pattern))).collect();
    }
    let classes: &[Class] = match pattern {
        Pattern::Exchange(Order::Powers) => &[Class::Power, Class::Other],
        _ => &[Class::Every],
    };
    let of_class = |class: &Class| of_pattern(source, who, (pattern, *class));
    classes.iter().map(of_class).map(within).collect()
}

/// True if an algorithm with the pattern `own` tells of one with the pattern `wanted`.
fn lends(own: Pattern, wanted: Pattern) -> bool {
    match wanted {
        Pattern::Digits { .. } => own.is_exchange(),
        Pattern::Pipeline { .. } => matches!(own, Pattern::Pipeline { .. }),
        _ => own.is_exchange() && wanted.is_exchange(),
    }
}

/// Order of an exchange in segments, none for a pipeline, and the segment size.
fn segments(pattern: Pattern) -> Option<(Option<Order>, Bytes)> {
    match pattern {
        Pattern::Segments { order, segment, .. } => Some((Some(order), segment)),
        Pattern::Pipeline { segment } => Some((None, segment)),
        _ => None,
    }
}

/// Number of doublings between the segments of two patterns; 0 without segments.
fn segments_apart(own: Pattern, wanted: Pattern) -> u32 {
    let doublings = |pattern| segments(pattern).map(|(_, segment)| segment.0.max(1).ilog2());
    let both = doublings(own).zip(doublings(wanted));
    both.map_or(0, |(own, wanted)| own.abs_diff(wanted))
}

/// Standard deviation of ln T that is added to a time under a pattern with parameters of another.
fn uncertainty(own: Pattern, wanted: Pattern) -> f64 {
    let order = |pattern| segments(pattern).map(|(order, _)| order);
    let is_setting = own != wanted && order(own).is_some() && order(own) == order(wanted);
    if is_setting { OTHER_SETTINGS } else { OTHER_ALGORITHM }
}

/// Rank of a measured pattern among those whose parameters `wanted` may take. Algorithms that wait for
/// their partners are alike; segments of another size come next to the same.
fn likeness(own: Pattern, wanted: Pattern) -> u8 {
    let is_paced = |pattern: Pattern| !matches!(pattern, Pattern::Exchange(Order::AtOnce));
    match (own, wanted) {
        _ if own == wanted => 3,
        _ if segments(own).is_some() && segments(wanted).is_some() => 2,
        _ => u8::from(is_paced(own) == is_paced(wanted)),
    }
}

/// An entry of another pattern, with the usual rendezvous messages and stalls of that pattern.
fn of_pattern(source: &RegimesEntry, who: (Collective, &str), (pattern, class): (Pattern, Class)) -> RegimesEntry {
    let mut entry = lent(source, who, pattern);
    let model = &mut entry.model;
    model.pattern = pattern;
    let [usual, other] = [Usual::of(pattern, class), Usual::of(source.model.pattern, source.class)];
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
pub(super) fn uncorrected(entry: &mut RegimesEntry) {
    let protocols = [&mut entry.model.eager, &mut entry.model.rendezvous];
    for parameters in protocols.into_iter().flatten() {
        parameters.correction = None;
    }
}

/// An entry in the name of another algorithm; it keeps the collective that was measured.
fn lent(source: &RegimesEntry, (collective, algorithm): (Collective, &str), pattern: Pattern) -> RegimesEntry {
    let mut entry = RegimesEntry {
        algorithm: algorithm.to_owned(),
        ..source.clone()
    };
    let has_other_sizes = source.collective.sizes() != collective.sizes();
    if has_other_sizes {
        uncorrected(&mut entry);
    }
    let is_same = source.algorithm == algorithm && Algorithm::parse(collective, algorithm).is_ok();
    let uncertainty = if is_same {
        OTHER_SIZES
    } else {
        uncertainty(source.model.pattern, pattern)
    };
    for error in &mut entry.errors {
        error.deviation = error.deviation.hypot(uncertainty);
    }
    entry
}
