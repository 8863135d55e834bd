//! What `netsig fit` says on standard error about pairs of processes: pLogP, changes of
//! protocol, whether ping-pong and pLogP agree, and simultaneous transfers.

use std::io::Write;

use netsig_core::dataset::Provenance;
use netsig_core::fit::agreement::{Agreement, Twice, Verdict};
use netsig_core::fit::breakpoints::{Break, Change, Pieces};
use netsig_core::fit::flows::{Flows, Load};
use netsig_core::fit::plogp::Measured;
use netsig_core::fit::point_to_point::PointToPoint;
use netsig_core::model::plogpt::BytesPerSecond;
use netsig_core::units::{Seconds, SecondsPerByte};

use crate::rows::{Cell, Format, Rows};

/// How provenance keys of a configured eager limit end.
const EAGER_LIMIT: &str = "eager_limit";

/// Tells everything.
///
/// # Errors
/// If standard error cannot be written.
pub fn tell(pairs: &PointToPoint, provenance: &Provenance) -> anyhow::Result<()> {
    let lines = [
        pairs
            .pieces
            .as_ref()
            .map(|found| changes(found, provenance)),
        pairs.plogp.as_ref().map(tables),
        pairs.agreement.as_ref().map(agreement),
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

/// One line a change, and the limits that the MPI library was configured with.
fn changes(found: &Pieces, provenance: &Provenance) -> Vec<String> {
    let limits = provenance
        .iter()
        .filter(|(key, _)| key.ends_with(EAGER_LIMIT));
    let limits = limits.map(|(key, value)| format!("configured: {key} = {value} bytes"));
    found.breaks.iter().map(change).chain(limits).collect()
}

fn change(own: &Break) -> String {
    let jump = own.certain_jump().map(signed);
    let (kind, what) = match (own.change, jump) {
        (Change::Intercept, Some(jump)) if own.is_rendezvous() => {
            ("protocol change", format!("{jump} (rendezvous)"))
        }
        (Change::Intercept, Some(jump)) => ("step", format!("{jump} at the same slope")),
        (Change::Intercept, None) => ("change", "too small to name".to_owned()),
        (Change::Slope { before, after }, jump) => {
            let jump = jump.map_or(String::new(), |jump| format!(" and {jump}"));
            let [before, after] = [before, after].map(gap);
            let what = format!("from {before} to {after}{jump} (bandwidth, or the end of a burst)");
            ("change of slope", what)
        }
    };
    let witness = own.send_overhead.map_or(String::new(), |jump| {
        format!("; os changes by {} there", signed(Seconds(jump.value)))
    });
    format!(
        "{kind} between {} and {}: {what}{witness}",
        own.below, own.from
    )
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

fn agreement(found: &Agreement) -> Vec<String> {
    let of = found.sizes.len();
    let sizes = format!("{} of {of} sizes within their intervals", found.agreeing());
    let verdict = match found.verdict {
        Verdict::Agree if found.is_complete() => {
            return vec![format!(
                "pLogP and the ping-pong agree in alpha, beta and g: {sizes}"
            )];
        }
        Verdict::Agree => "each size agrees, the lines through them do not".to_owned(),
        Verdict::Offset(offset) => format!("L + g(m) is {} at every size", apart(offset)),
        Verdict::Slope(slope) => format!("L + g(m) grows by {} otherwise", gap(slope)),
        Verdict::OffsetFrom(from, offset) => {
            format!(
                "L + g(m) agrees below {from}, and is {} from there on",
                apart(offset)
            )
        }
        Verdict::Line(offset, slope) => format!(
            "L + g(m) is {} and grows by {} otherwise",
            apart(offset),
            gap(slope)
        ),
        Verdict::Scattered(worst) => {
            let worst = found.sizes.iter().find(|one| one.size == worst);
            let share = worst.map_or(0.0, |one| 100.0 * one.relative());
            let size = worst.map(|one| one.size).unwrap_or_default();
            format!("L + g(m) deviates without a pattern, most at {size}: {share:+.1} %")
        }
    };
    vec![
        format!("pLogP and the ping-pong differ ({sizes}): {verdict}"),
        twice("alpha", &found.alpha, |s| Seconds(s).to_string()),
        twice("beta", &found.beta, |s| gap(SecondsPerByte(s))),
    ]
}

fn twice(name: &str, found: &Twice, show: fn(f64) -> String) -> String {
    let judged = if found.differs() { "differ" } else { "agree" };
    let (lower, upper) = (found.difference.lower, found.difference.upper);
    format!(
        "  {name}: {} from pLogP, {} from the ping-pong: {judged} (difference {} .. {})",
        show(found.plogp),
        show(found.ping_pong),
        show(lower),
        show(upper)
    )
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

/// `12 us less` or `12 us more`.
fn apart(offset: Seconds) -> String {
    let word = if offset.0 < 0.0 { "less" } else { "more" };
    format!("{} {word}", Seconds(offset.0.abs()))
}
