//! Other methods of predicting the times of an algorithm, from the same data.

mod curve;
mod lines;
mod ports;
mod process;
mod protocol;
mod regression;

use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::Point;

use self::lines::SizeLines;
use self::ports::PortLines;
use self::process::ProtocolProcesses;
use self::regression::TermRegression;

/// The time of a process count and a size; `None` if the rival cannot tell.
pub type RivalTime<'a> = Box<dyn Fn(Procs, Bytes) -> Option<Seconds> + 'a>;

/// The rival that the goals compare with.
pub const LINE: &str = "line per size";

/// Every rival that can be fitted to the points of one algorithm, with its name.
pub fn fitted<'a>(
    points: &[Point],
    eager_limit: Option<Bytes>,
) -> Vec<(&'static str, RivalTime<'a>)> {
    let mut rivals: Vec<(&str, RivalTime)> = Vec::new();
    if let Some(lines) = SizeLines::fit(points) {
        rivals.push((LINE, Box::new(move |n, m| Some(lines.time(n, m)))));
    }
    if let Some(ports) = PortLines::fit(points, eager_limit) {
        rivals.push(("line per (n-1)m", Box::new(move |n, m| ports.time(n, m))));
    }
    let process = ProtocolProcesses::fit(points, eager_limit);
    rivals.push(("Gaussian process", Box::new(move |n, m| process.time(n, m))));
    if let Some(regression) = TermRegression::fit(points) {
        let time = move |n, m| Some(regression.time(n, m));
        rivals.push(("Extra-P style", Box::new(time)));
    }
    rivals
}
