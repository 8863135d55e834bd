//! Other methods to predict the times of an algorithm, from the same data.

mod curve;
mod gaussian_process;
mod lines;
mod neighbours;
mod ports;
mod protocol;
mod regression;
mod scaling;

use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

use self::gaussian_process::ProtocolProcesses;
use self::lines::SizeLines;
use self::neighbours::SizeCurves;
use self::ports::PortLines;
use self::regression::TermRegression;
pub use self::scaling::MessageCount;
use self::scaling::{ScaledTimes, ScalingRule};

/// The time at a process count and a size; `None` if the rival has none.
pub type RivalTime<'a> = Box<dyn Fn(Procs, Bytes) -> Option<Seconds> + 'a>;

/// The rival that the goals compare with.
pub const LINE_PER_SIZE: &str = "line per size";

/// The rival that scales the time of the largest measured count.
pub const PER_PEER: &str = "per peer";

/// The rival with a power of the process count for each size.
pub const POWER_LAW: &str = "power law";

/// The rival that interpolates between the sizes at each process count.
pub const NEIGHBOURS: &str = "neighbouring sizes";

const EXTRA_P: &str = "Extra-P style";

/// Every rival that can be fitted to the points of one algorithm, with its name.
pub fn fitted<'a>(points: &[MeasuredPoint], eager_limit: Option<Bytes>) -> Vec<(&'static str, RivalTime<'a>)> {
    let mut rivals: Vec<(&str, RivalTime)> = Vec::new();
    if let Some(lines) = SizeLines::fit(points) {
        rivals.push((LINE_PER_SIZE, Box::new(move |n, m| Some(lines.time(n, m)))));
    }
    if let Some(ports) = PortLines::fit(points, eager_limit) {
        rivals.push(("line per (n-1)m", Box::new(move |n, m| ports.time(n, m))));
    }
    let process = ProtocolProcesses::fit(points, eager_limit);
    rivals.push(("Gaussian process", Box::new(move |n, m| process.time(n, m))));
    if let Some(regression) = TermRegression::fit(points) {
        let time = move |n, m| Some(regression.time(n, m));
        rivals.push((EXTRA_P, Box::new(time)));
    }
    rivals
}

/// The rivals for sizes between the measured ones: those that can be fitted, and the neighbouring sizes.
pub fn between_sizes<'a>(points: &[MeasuredPoint]) -> Vec<(&'static str, Option<RivalTime<'a>>)> {
    let curves = SizeCurves::fit(points);
    let neighbours: RivalTime = Box::new(move |n, m| curves.time(n, m));
    let fitted = fitted(points, None).into_iter();
    std::iter::once((NEIGHBOURS, neighbours))
        .chain(fitted)
        .map(|(name, time)| (name, Some(time)))
        .collect()
}

/// The rivals that scale the times of each size; they are quick enough to choose among algorithms.
pub fn scaling<'a>(points: &[MeasuredPoint], messages: MessageCount) -> [(&'static str, Option<RivalTime<'a>>); 2] {
    [
        (PER_PEER, scaled(points, messages, ScalingRule::PerPeer)),
        (POWER_LAW, scaled(points, messages, ScalingRule::PowerLaw)),
    ]
}

fn scaled<'a>(points: &[MeasuredPoint], messages: MessageCount, rule: ScalingRule) -> Option<RivalTime<'a>> {
    let times = ScaledTimes::fit(points, messages, rule)?;
    Some(Box::new(move |n, m| Some(times.time(n, m))))
}

/// The rivals without a model of the network: scaled times of each size, lines and terms.
pub fn without_model<'a>(
    points: &[MeasuredPoint],
    messages: MessageCount,
) -> Vec<(&'static str, Option<RivalTime<'a>>)> {
    let scaled_by = |rule| scaled(points, messages, rule);
    let lines = SizeLines::fit(points);
    let terms = TermRegression::fit(points);
    vec![
        (PER_PEER, scaled_by(ScalingRule::PerPeer)),
        ("damped trend", scaled_by(ScalingRule::DampedTrend)),
        (
            LINE_PER_SIZE,
            lines.map(|fitted_lines| -> RivalTime { Box::new(move |n, m| Some(fitted_lines.time(n, m))) }),
        ),
        (POWER_LAW, scaled_by(ScalingRule::PowerLaw)),
        (
            EXTRA_P,
            terms.map(|regression| -> RivalTime { Box::new(move |n, m| Some(regression.time(n, m))) }),
        ),
    ]
}
