//! Describes a fitted field.

use netsig_base::units::{Bytes, Procs};
use netsig_model::field::FieldEntry;

/// Relative change of γ up to which it counts as saturated.
const LEVEL: f64 = 0.05;

/// Describes γ of the largest messages: among the most processes, and from where it saturates or that it
/// grows; below 1 it is no contention.
pub fn said(own: &FieldEntry) -> String {
    let (Some(most), size) = (own.domain.procs.last(), own.domain.largest) else {
        return String::new();
    };
    let of_most = strength(own);
    let ratio = format!("gamma is {of_most:.2} among {most} at {size}");
    if of_most < 1.0 {
        return format!("{ratio}, below 1: the contention-free form is too slow there");
    }
    let counts = &own.domain.procs;
    let level = |procs: &Procs| (gamma(own, *procs, size) / of_most - 1.0).abs() <= LEVEL;
    let from = counts.iter().rev().take_while(|procs| level(procs)).last();
    match (from, counts.first()) {
        (Some(from), Some(first)) if from == first => {
            format!("{ratio}, as among all that were measured")
        }
        (Some(from), _) if from != most => format!("{ratio}, saturated from {from} processes on"),
        _ => format!("{ratio}, and still changes with the processes"),
    }
}

/// γ of the largest messages among the most processes: relative to a message between two processes, or
/// without a ping-pong to the measured count with the least.
pub fn strength(own: &FieldEntry) -> f64 {
    let most = own.domain.procs.last().copied();
    most.map_or(1.0, |most| gamma(own, most, own.domain.largest))
}

fn gamma(own: &FieldEntry, procs: Procs, size: Bytes) -> f64 {
    own.ratio.at(procs, size).gamma
}
