//! Describes a fitted field.

use netsig_base::units::{Bytes, Procs};
use netsig_model::field::FieldEntry;

/// Relative change of γ up to which it counts as saturated.
const SATURATED_CHANGE: f64 = 0.05;

/// Describes γ of the largest messages among the most processes, and whether it still grows or from which count on it
/// saturates. γ below 1 is no contention.
pub fn describe_field(field: &FieldEntry) -> String {
    let (Some(most), size) = (field.domain.procs.last(), field.domain.largest) else {
        return String::new();
    };
    let gamma_of_most = strength(field);
    let ratio = format!("gamma is {gamma_of_most:.2} among {most} at {size}");
    if gamma_of_most < 1.0 {
        return format!("{ratio}, below 1: the contention-free form is too slow there");
    }
    let counts = &field.domain.procs;
    let is_saturated = |procs: &Procs| (gamma(field, *procs, size) / gamma_of_most - 1.0).abs() <= SATURATED_CHANGE;
    let from = counts.iter().rev().take_while(|procs| is_saturated(procs)).last();
    match (from, counts.first()) {
        (Some(from), Some(first)) if from == first => {
            format!("{ratio}, as among all that were measured")
        }
        (Some(from), _) if from != most => format!("{ratio}, saturated from {from} processes on"),
        _ => format!("{ratio}, and still changes with the processes"),
    }
}

/// γ of the largest messages among the most processes, relative to two processes; without a ping-pong, relative to the
/// measured count with the least γ.
pub fn strength(field: &FieldEntry) -> f64 {
    let most = field.domain.procs.last().copied();
    most.map_or(1.0, |most| gamma(field, most, field.domain.largest))
}

fn gamma(field: &FieldEntry, procs: Procs, size: Bytes) -> f64 {
    field.ratio.at(procs, size).gamma
}
