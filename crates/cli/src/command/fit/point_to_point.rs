//! Prints the results of `netsig fit` for pairs of processes on standard error: pLogP, protocol
//! changes, agreement of ping-pong and pLogP, and simultaneous transfers.

use itertools::Itertools;
use netsig_base::data::Provenance;
use netsig_base::units::{BytesPerSecond, Seconds};
use netsig_model::fit::agreement::{PLogPAgreement, PLogPVerdict};
use netsig_model::fit::breakpoints::{BreakChange, EagerLimit, PingPongBreak};
use netsig_model::fit::flows::{FlowGaps, FlowLoad};
use netsig_model::fit::network::NetworkFit;
use netsig_model::fit::notes::notes_on_failed_pairs;
use netsig_model::fit::plogp::MeasuredPLogP;
use netsig_model::fit::point_to_point::PointToPointFits;

use crate::print::notes::print;
use crate::print::rows::print_rows_to_stderr;
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Suffix of the provenance keys of a configured eager limit.
const EAGER_LIMIT: &str = "eager_limit";

/// Prints all results.
pub fn print_results(fitted: &NetworkFit, provenance: &Provenance) {
    let point_to_point = &fitted.point_to_point;
    print_changes(point_to_point, provenance);
    if let Some(measured) = &point_to_point.plogp {
        print_tables(measured);
    }
    if let Some(flows) = &point_to_point.flows {
        print_rows_to_stderr(&load_rows(&point_to_point.loads));
        eprintln!("{}", saturation(flows));
    }
    print(&notes_on_failed_pairs(fitted));
    if let Some(found) = &point_to_point.agreement {
        eprintln!("{}", agreement(found));
    }
}

/// Prints a line for the eager limit, with the configured limits of the MPI library, and a line for
/// each other change.
fn print_changes(point_to_point: &PointToPointFits, provenance: &Provenance) {
    let found_limit = point_to_point.eager_limit.as_ref();
    let eager_break = found_limit.and_then(|limit| limit.ping_pong);
    let breaks = point_to_point.pieces.iter().flat_map(|pieces| &pieces.breaks);
    for other in breaks.filter(|other| eager_break != Some(**other)) {
        let (kind, figures) = describe_break(other);
        let (below, from, witness) = (other.below, other.from, describe_overhead_jump(other));
        eprintln!("{kind} between {below} and {from}: {figures}{witness}");
    }
    let facts = provenance.iter();
    let limit_facts = facts.filter(|(key, _)| key.ends_with(EAGER_LIMIT));
    let limits = limit_facts
        .map(|(key, value)| format!("{key} = {value} bytes"))
        .join(", ");
    match found_limit {
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
    let ping_pong = limit.ping_pong.map(|ping_pong_break| {
        let witness = match limit.send_overhead {
            Some(_) => String::new(),
            None => describe_overhead_jump(&ping_pong_break),
        };
        format!(
            "the ping-pong changes by {}{witness}",
            describe_break(&ping_pong_break).1
        )
    });
    let evidence = os.into_iter().chain(ping_pong).join(", ");
    format!("eager limit between {} and {}: {evidence}", limit.above, limit.up_to)
}

/// The kind of a change and its figures.
fn describe_break(found_break: &PingPongBreak) -> (&'static str, String) {
    let jump = found_break.certain_jump().map(signed);
    match (found_break.change, jump) {
        (BreakChange::Intercept, Some(jump)) if found_break.is_rendezvous() => {
            ("protocol change", format!("{jump} (rendezvous)"))
        }
        (BreakChange::Intercept, Some(jump)) => ("step", format!("{jump} at the same slope")),
        (BreakChange::Intercept, None) => ("change", "too little to name".to_owned()),
        (BreakChange::Slope { before, after }, jump) => {
            let jump = jump.map_or(String::new(), |jump| format!(" and {jump}"));
            let figures = format!("from {before} to {after}{jump} (bandwidth, or the end of a burst)");
            ("change of slope", figures)
        }
    }
}

/// Describes the jump of os at the same sizes.
fn describe_overhead_jump(found_break: &PingPongBreak) -> String {
    found_break.send_overhead.map_or(String::new(), |jump| {
        format!("; os changes by {} there", signed(Seconds(jump.value)))
    })
}

fn print_tables(measured: &MeasuredPLogP) {
    let last = measured.gap.last().map(|row| row.size).unwrap_or_default();
    eprintln!(
        "pLogP: L = {}, {} sizes of g up to {last}",
        Seconds(measured.latency.value),
        measured.gap.len()
    );
}

fn load_rows(loads: &[FlowLoad]) -> PrintedRows {
    let rate = |rate: BytesPerSecond| PrintedCell::shown_as(rate.0, format!("{:.1} Mbit/s", rate.0 * 8e-6));
    PrintedRows::of(loads)
        .column("pairs", |load| PrintedCell::number(load.pairs))
        .column("size_bytes", |load| PrintedCell::size(load.size))
        .column("transfers", |load| PrintedCell::number(load.transfers))
        .column("bandwidth", |load| rate(load.bandwidth))
        .column("aggregate", |load| rate(load.aggregate))
        .column("mean_s", |load| PrintedCell::time(load.completion.mean))
        .column("min_s", |load| PrintedCell::time(load.completion.min))
        .column("median_s", |load| PrintedCell::time(load.completion.median))
        .column("p90_s", |load| PrintedCell::time(load.completion.p90))
        .column("max_s", |load| PrintedCell::time(load.completion.max))
        .rows
}

fn saturation(flows: &FlowGaps) -> String {
    let from = match flows.saturated_pairs {
        None => "saturation is not reached".to_owned(),
        Some(pairs) => format!("saturated from {pairs} pairs on"),
    };
    let [contention_free, contended] = [flows.beta_free, flows.beta_contended];
    let delayed = if contended.0 < contention_free.0 * DELAYED_RATIO {
        format!("{contended} at most: none is delayed")
    } else {
        let share = 100.0 * flows.rho;
        format!("{contended} delayed, {share:.0} % of the transfers delayed")
    };
    format!("flows: {contention_free} alone, {delayed}; {from}")
}

/// A sentence on the agreement.
fn agreement(found: &PLogPAgreement) -> String {
    let (agreeing, all) = (found.count_of_agreeing(), found.sizes.len());
    let sizes = format!("{agreeing} of {all} sizes within their intervals");
    let shape = match found.verdict {
        PLogPVerdict::Agree => return format!("pLogP and the ping-pong agree: {sizes}"),
        PLogPVerdict::Offset(offset) => {
            format!("; L + g(m) is {} at every size", offset_in_words(offset))
        }
        PLogPVerdict::Slope(slope) => format!("; L + g(m) differs by {slope} of m"),
        PLogPVerdict::OffsetFrom(from, offset) => format!(
            "; L + g(m) agrees below {from}, and is {} from there on",
            offset_in_words(offset)
        ),
        PLogPVerdict::Line(offset, slope) => format!(
            "; L + g(m) is {} and differs by {slope} of m besides",
            offset_in_words(offset)
        ),
        PLogPVerdict::Scattered => String::new(),
    };
    format!("pLogP and the ping-pong differ: {sizes}{shape}")
}

/// `12 us less` or `12 us more`.
fn offset_in_words(offset: Seconds) -> String {
    let word = if offset.0 < 0.0 { "less" } else { "more" };
    format!("{} {word}", Seconds(offset.0.abs()))
}

/// Ratio to a single transfer's time above which a transfer counts as delayed.
const DELAYED_RATIO: f64 = 1.05;

fn signed(time: Seconds) -> String {
    let sign = if time.0 < 0.0 { "" } else { "+" };
    format!("{sign}{time}")
}
