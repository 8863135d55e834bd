//! Describes fitted regimes.

use itertools::Itertools;
use netsig_base::text::range_beside;
use netsig_base::units::{Bytes, EstimatedBytes, Procs};
use netsig_model::fit::network::FittedRegimes;
use netsig_model::fit::notes::class_prefix;
use netsig_model::model::regimes::{ExchangeOrder, ProtocolParameters, Regimes, StallOnset, TrafficPattern};
use netsig_model::regimes::fit::{CellObservation, RegimesFit};

/// Describes the regimes of an algorithm in a sentence.
pub fn sentence(regimes: &FittedRegimes) -> String {
    format!(
        "{} {}: {}.",
        regimes.collective,
        regimes.algorithm,
        describe_regimes(regimes)
    )
}

/// Describes the parameters, with a part for each class of process counts.
pub fn describe_regimes(regimes: &FittedRegimes) -> String {
    let part = |fit: &RegimesFit| format!("{}{}", class_prefix(fit.class), describe_class(fit));
    regimes.fit.fits.iter().map(part).join("; ")
}

fn describe_class(fit: &RegimesFit) -> String {
    let model = &fit.model;
    let stalls = model.eager.as_ref().and_then(|eager| eager.stalls);
    let onset = stalls.map(|stalls| stalls.onset);
    let largest = fit.cells.iter().max_by_key(|cell| cell.procs);
    let most = largest.map(|cell| cell.procs);
    let overflow = onset.zip(largest).map(|(onset, cell)| overflow(onset, cell));
    let stalled = most_stalled(fit).map(|(procs, probability)| {
        let percent = probability * 100.0;
        format!("among {procs} up to {percent:.0} % of repetitions stall (tail-loss probe or time-out)")
    });
    let ratios = format!("it takes its time on the wire {}", ratios(model, most));
    let parts = [Some(ratios), overflow, stalled];
    parts.into_iter().flatten().join(", ")
}

/// Describes M(n) = X/(n − 1) for the n of a cell; for pieces of different sizes, X is divided by the bytes of the
/// fullest port per byte of the mean size.
fn overflow(onset: StallOnset, cell: &CellObservation) -> String {
    let most = cell.procs;
    let at_once = TrafficPattern::Exchange(ExchangeOrder::AtOnce).port_bytes(cell.point(None));
    let bytes_of_port = at_once.unwrap_or_default() / cell.size.as_f64();
    let size = |bytes: f64| Bytes::rounded((bytes / bytes_of_port / 1024.0).round() * 1024.0);
    let [from, least, greatest] = [onset.bytes, onset.lower, onset.upper].map(size);
    if onset.is_known() {
        let ends = range_beside(from, least, greatest);
        let formula = format!("M(n) = X/(n-1), X = {}", EstimatedBytes(onset.bytes));
        let remark = onset.source.remark().map(str::to_owned);
        let doubt = ends.into_iter().chain([formula]).chain(remark).join("; ");
        format!("a port overflows from M({most}) = {from} on ({doubt})")
    } else {
        format!("no port overflows up to {least} among {most}, and larger exchanges may stall")
    }
}

/// Describes the ratio of both protocols among the most measured processes.
fn ratios(model: &Regimes, most: Option<Procs>) -> String {
    let gamma = |protocol: &Option<ProtocolParameters>| {
        let ratio = protocol.as_ref()?.ratio(most?);
        Some(format!("{ratio:.2} times"))
    };
    let [eager, rendezvous] = [&model.eager, &model.rendezvous].map(gamma);
    match (eager, rendezvous, model.eager_limit) {
        (Some(eager), Some(rendezvous), Some(limit)) => {
            format!("{eager} below the eager limit of {limit} and {rendezvous} from there on")
        }
        (Some(eager), _, Some(limit)) => format!("{eager} below the eager limit of {limit}"),
        (_, Some(rendezvous), Some(limit)) => {
            format!("{rendezvous} from the eager limit of {limit} on")
        }
        (eager, rendezvous, _) => eager.or(rendezvous).unwrap_or_default(),
    }
}

/// The largest measured process count, and the greatest probability of a stall at this count, if it
/// is not negligible.
fn most_stalled(fit: &RegimesFit) -> Option<(Procs, f64)> {
    let procs = fit.cells.iter().map(|cell| cell.procs).max()?;
    let cells = fit.cells.iter().filter(|cell| cell.procs == procs);
    let probability = |cell: &CellObservation| {
        let times = fit.model.times(cell.point(None))?;
        Some(times.stall?.probability)
    };
    let all = cells.filter_map(probability);
    let most = all.fold(0.0, f64::max);
    (most >= LEAST_PROBABILITY).then_some((procs, most))
}

/// Least probability of a stall that is mentioned.
const LEAST_PROBABILITY: f64 = 0.005;
