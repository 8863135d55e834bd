//! Prints the results of `netsig fit` for pairs of processes on standard error: pLogP, protocol
//! changes, agreement of ping-pong and pLogP, and simultaneous transfers.

use itertools::Itertools;
use netsig_base::data::Provenance;
use netsig_base::units::{BytesPerSecond, Seconds};
use netsig_model::fit::agreement::{Agreement, Verdict};
use netsig_model::fit::breakpoints::{Break, Change, EagerLimit};
use netsig_model::fit::flows::{Flows, Load};
use netsig_model::fit::plogp::Measured;
use netsig_model::fit::point_to_point::PointToPoint;

use crate::print::rows::{Cell, Rows};

/// Suffix of the provenance keys of a configured eager limit.
const EAGER_LIMIT: &str = "eager_limit";

/// Prints all results.
pub fn tell(pairs: &PointToPoint, provenance: &Provenance) {
    tell_changes(pairs, provenance);
    if let Some(measured) = &pairs.plogp {
        tell_tables(measured);
    }
    if let Some(flows) = &pairs.flows {
        loads(&pairs.loads).tell();
        eprintln!("{}", saturation(flows));
    }
    for failure in &pairs.failures {
        eprintln!("netsig: note: not fitted: {failure}");
    }
    if let Some(found) = &pairs.agreement {
        eprintln!("{}", agreement(found));
    }
}

/// Prints a line for the eager limit, with the configured limits of the MPI library, and a line for
/// each other change.
fn tell_changes(pairs: &PointToPoint, provenance: &Provenance) {
    let found = pairs.eager_limit.as_ref();
    let own = found.and_then(|limit| limit.ping_pong);
    let breaks = pairs.pieces.iter().flat_map(|pieces| &pieces.breaks);
    for other in breaks.filter(|other| own != Some(**other)) {
        let (kind, what) = kind(other);
        let (below, from, witness) = (other.below, other.from, witness(other));
        eprintln!("{kind} between {below} and {from}: {what}{witness}");
    }
    let limits = provenance.iter();
    let limits = limits.filter(|(key, _)| key.ends_with(EAGER_LIMIT));
    let limits = limits.map(|(key, value)| format!("{key} = {value} bytes")).join(", ");
    match found {
        Some(limit) if limits.is_empty() => eprintln!("{}", eager_limit(limit)),
        Some(limit) => eprintln!("{}; configured: {limits}", eager_limit(limit)),
        None if limits.is_empty() => {}
        None => eprintln!("configured: {limits}"),
    }
}

fn eager_limit(limit: &EagerLimit) -> String {
    let os = limit.send_overhead.map(|step| {
        let (before, after) = (step.before, step.after);
        format!("os rises from {before} to {after}")
    });
    let ping_pong = limit.ping_pong.map(|own| {
        let witness = match limit.send_overhead {
            Some(_) => String::new(),
            None => witness(&own),
        };
        format!("the ping-pong changes by {}{witness}", kind(&own).1)
    });
    let evidence = os.into_iter().chain(ping_pong).join(", ");
    format!("eager limit between {} and {}: {evidence}", limit.above, limit.up_to)
}

/// The kind of a change and its figures.
fn kind(own: &Break) -> (&'static str, String) {
    let jump = own.certain_jump().map(signed);
    match (own.change, jump) {
        (Change::Intercept, Some(jump)) if own.is_rendezvous() => ("protocol change", format!("{jump} (rendezvous)")),
        (Change::Intercept, Some(jump)) => ("step", format!("{jump} at the same slope")),
        (Change::Intercept, None) => ("change", "too little to name".to_owned()),
        (Change::Slope { before, after }, jump) => {
            let jump = jump.map_or(String::new(), |jump| format!(" and {jump}"));
            let what = format!("from {before} to {after}{jump} (bandwidth, or the end of a burst)");
            ("change of slope", what)
        }
    }
}

/// The change of os at the same sizes.
fn witness(own: &Break) -> String {
    own.send_overhead.map_or(String::new(), |jump| {
        format!("; os changes by {} there", signed(Seconds(jump.value)))
    })
}

fn tell_tables(measured: &Measured) {
    let last = measured.gap.last().map(|row| row.size).unwrap_or_default();
    eprintln!(
        "pLogP: L = {}, {} sizes of g up to {last}",
        Seconds(measured.latency.value),
        measured.gap.len()
    );
    for doubt in &measured.doubts {
        eprintln!("netsig: warning: pLogP: {doubt}");
    }
}

fn loads(loads: &[Load]) -> Rows {
    let rate = |rate: BytesPerSecond| Cell::shown_as(rate.0, format!("{:.1} Mbit/s", rate.0 * 8e-6));
    Rows::of(loads)
        .column("pairs", |load| Cell::number(load.pairs))
        .column("size_bytes", |load| Cell::size(load.size))
        .column("transfers", |load| Cell::number(load.transfers))
        .column("bandwidth", |load| rate(load.bandwidth))
        .column("aggregate", |load| rate(load.aggregate))
        .column("mean_s", |load| Cell::time(load.completion.mean))
        .column("min_s", |load| Cell::time(load.completion.min))
        .column("median_s", |load| Cell::time(load.completion.median))
        .column("p90_s", |load| Cell::time(load.completion.p90))
        .column("max_s", |load| Cell::time(load.completion.max))
        .rows
}

fn saturation(flows: &Flows) -> String {
    let from = match flows.saturated_pairs {
        None => "saturation is not reached".to_owned(),
        Some(pairs) => format!("saturated from {pairs} pairs on"),
    };
    let [free, slow] = [flows.beta_free, flows.beta_contended];
    let delayed = if slow.0 < free.0 * DELAYED {
        format!("{slow} at most: none is delayed")
    } else {
        let share = 100.0 * flows.rho;
        format!("{slow} delayed, {share:.0} % of the transfers delayed")
    };
    format!("flows: {free} alone, {delayed}; {from}")
}

/// A sentence on the agreement.
fn agreement(found: &Agreement) -> String {
    let (agreeing, all) = (found.agreeing(), found.sizes.len());
    let sizes = format!("{agreeing} of {all} sizes within their intervals");
    let shape = match found.verdict {
        Verdict::Agree => return format!("pLogP and the ping-pong agree: {sizes}"),
        Verdict::Offset(offset) => format!("; L + g(m) is {} at every size", apart(offset)),
        Verdict::Slope(slope) => format!("; L + g(m) differs by {slope} of m"),
        Verdict::OffsetFrom(from, offset) => {
            format!("; L + g(m) agrees below {from}, and is {} from there on", apart(offset))
        }
        Verdict::Line(offset, slope) => format!("; L + g(m) is {} and differs by {slope} of m besides", apart(offset)),
        Verdict::Scattered => String::new(),
    };
    format!("pLogP and the ping-pong differ: {sizes}{shape}")
}

/// `12 us less` or `12 us more`.
fn apart(offset: Seconds) -> String {
    let word = if offset.0 < 0.0 { "less" } else { "more" };
    format!("{} {word}", Seconds(offset.0.abs()))
}

/// Ratio to a single transfer's time above which a transfer counts as delayed.
const DELAYED: f64 = 1.05;

fn signed(time: Seconds) -> String {
    let sign = if time.0 < 0.0 { "" } else { "+" };
    format!("{sign}{time}")
}
