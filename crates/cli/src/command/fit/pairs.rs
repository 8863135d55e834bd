//! What `netsig fit` says on standard error about pairs of processes: pLogP, changes of
//! protocol, whether ping-pong and pLogP agree, and simultaneous transfers.

mod agreement;

use std::io::Write;

use netsig_core::data::Provenance;
use netsig_core::fit::breakpoints::{Break, Change, EagerLimit};
use netsig_core::fit::flows::{Flows, Load};
use netsig_core::fit::plogp::Measured;
use netsig_core::fit::point_to_point::PointToPoint;
use netsig_core::units::BytesPerSecond;
use netsig_core::units::{Seconds, SecondsPerByte};

use crate::print::rows::{Cell, Format, Rows};

/// How provenance keys of a configured eager limit end.
const EAGER_LIMIT: &str = "eager_limit";

/// Tells everything.
///
/// # Errors
/// If standard error cannot be written.
pub fn tell(pairs: &PointToPoint, provenance: &Provenance) -> anyhow::Result<()> {
    let lines = [
        Some(changes(pairs, provenance)),
        pairs.plogp.as_ref().map(tables),
        pairs.agreement.as_ref().map(agreement::lines),
    ];
    let mut out = std::io::stderr().lock();
    for line in lines.into_iter().flatten().flatten() {
        writeln!(out, "{line}")?;
    }
    if let Some(flows) = &pairs.flows {
        loads(flows).write(Format::Table, &mut out)?;
        writeln!(out, "{}", saturation(flows))?;
    }
    for failure in &pairs.failures {
        writeln!(out, "netsig: note: not fitted: {failure}")?;
    }
    Ok(())
}

/// One line for the eager limit, one for each other change, and the limits that the MPI library
/// was configured with.
fn changes(pairs: &PointToPoint, provenance: &Provenance) -> Vec<String> {
    let limits = provenance
        .iter()
        .filter(|(key, _)| key.ends_with(EAGER_LIMIT));
    let limits: Vec<String> = limits
        .map(|(key, value)| format!("{key} = {value} bytes"))
        .collect();
    let limits = (!limits.is_empty()).then(|| format!("configured: {}", limits.join(", ")));
    let found = pairs.eager_limit.as_ref();
    let own = found.and_then(|limit| limit.ping_pong);
    let breaks = pairs.pieces.iter().flat_map(|pieces| &pieces.breaks);
    let others = breaks.filter(|other| own != Some(**other)).map(change);
    match found {
        Some(limit) => {
            let limits = limits.map_or(String::new(), |limits| format!("; {limits}"));
            others.chain([eager_limit(limit) + &limits]).collect()
        }
        None => others.chain(limits).collect(),
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
    let evidence: Vec<String> = [os, ping_pong].into_iter().flatten().collect();
    format!(
        "eager limit between {} and {}: {}",
        limit.above,
        limit.up_to,
        evidence.join(", ")
    )
}

fn change(own: &Break) -> String {
    let (kind, what) = kind(own);
    format!(
        "{kind} between {} and {}: {what}{}",
        own.below,
        own.from,
        witness(own)
    )
}

/// The name of a change and its figures.
fn kind(own: &Break) -> (&'static str, String) {
    let jump = own.certain_jump().map(signed);
    match (own.change, jump) {
        (Change::Intercept, Some(jump)) if own.is_rendezvous() => {
            ("protocol change", format!("{jump} (rendezvous)"))
        }
        (Change::Intercept, Some(jump)) => ("step", format!("{jump} at the same slope")),
        (Change::Intercept, None) => ("change", "too little to name".to_owned()),
        (Change::Slope { before, after }, jump) => {
            let jump = jump.map_or(String::new(), |jump| format!(" and {jump}"));
            let [before, after] = [before, after].map(gap);
            let what = format!("from {before} to {after}{jump} (bandwidth, or the end of a burst)");
            ("change of slope", what)
        }
    }
}

/// What os does at the same sizes.
fn witness(own: &Break) -> String {
    own.send_overhead.map_or(String::new(), |jump| {
        format!("; os changes by {} there", signed(Seconds(jump.value)))
    })
}

fn tables(measured: &Measured) -> Vec<String> {
    let last = measured.gap.last().map(|row| row.size).unwrap_or_default();
    let head = format!(
        "pLogP: L = {}, {} sizes of g up to {last}",
        Seconds(measured.latency.value),
        measured.gap.len()
    );
    let doubts = measured.doubts.iter();
    let doubts = doubts.map(|doubt| format!("netsig: warning: pLogP: {doubt}"));
    [head].into_iter().chain(doubts).collect()
}

fn loads(flows: &Flows) -> Rows {
    let mut rows = Rows::new(&[
        "pairs",
        "size_bytes",
        "transfers",
        "bandwidth",
        "aggregate",
        "mean_s",
        "min_s",
        "median_s",
        "p90_s",
        "max_s",
    ]);
    for Load {
        pairs,
        size,
        transfers,
        bandwidth,
        aggregate,
        completion,
    } in flows.loads.iter().copied()
    {
        rows.push(vec![
            Cell::count(u64::from(pairs)),
            Cell::size(size),
            Cell::count(transfers as u64),
            rate(bandwidth),
            rate(aggregate),
            Cell::time(completion.mean),
            Cell::time(completion.min),
            Cell::time(completion.median),
            Cell::time(completion.p90),
            Cell::time(completion.max),
        ]);
    }
    rows
}

fn saturation(flows: &Flows) -> String {
    let from = flows.saturated_pairs.map_or_else(
        || "saturation is not reached".to_owned(),
        |pairs| format!("saturated from {pairs} pairs on"),
    );
    let [free, slow] = [flows.beta_free, flows.modes.beta_contended];
    if slow.0 < free.0 * DELAYED {
        let [free, slow] = [free, slow].map(gap);
        return format!("flows: {free} alone, {slow} at most: none is delayed; {from}");
    }
    format!(
        "flows: {} alone, {} delayed, {:.0} % of the transfers delayed; {from}",
        gap(free),
        gap(slow),
        100.0 * flows.modes.rho
    )
}

/// A transfer that takes less than so many times as long as a lone one is not delayed.
const DELAYED: f64 = 1.05;

fn rate(rate: BytesPerSecond) -> Cell {
    Cell::shown_as(rate.0, format!("{:.1} Mbit/s", rate.0 * 8e-6))
}

fn gap(gap: SecondsPerByte) -> String {
    format!("{:.4} ns/B", gap.0 * 1e9)
}

fn signed(time: Seconds) -> String {
    let sign = if time.0 < 0.0 { "" } else { "+" };
    format!("{sign}{time}")
}
