//! Other methods of predicting the times of an algorithm, from the same data.

mod curve;
mod lines;
mod ports;
mod process;
mod regression;
pub(super) mod smpi;

use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::Point;

use self::lines::Lines;
use self::ports::Ports;
use self::process::Processes;
use self::regression::Regression;

/// The time of a process count and a size; `None` if the rival cannot tell.
pub(super) type Predictor<'a> = Box<dyn Fn(Procs, Bytes) -> Option<Seconds> + 'a>;

/// The rival that the goals compare with.
pub(super) const LINE: &str = "line per size";

/// Every rival that can be fitted to the points of one algorithm, with its name.
pub(super) fn fitted(
    points: &[Point],
    eager_limit: Option<Bytes>,
) -> Vec<(&'static str, Predictor<'static>)> {
    let mut rivals: Vec<(&str, Predictor)> = Vec::new();
    if let Some(lines) = Lines::fit(points) {
        rivals.push((LINE, Box::new(move |n, m| Some(lines.time(n, m)))));
    }
    if let Some(ports) = Ports::fit(points, eager_limit) {
        rivals.push(("line per (n-1)m", Box::new(move |n, m| ports.time(n, m))));
    }
    let processes = Processes::fit(points, eager_limit);
    rivals.push((
        "Gaussian process",
        Box::new(move |n, m| processes.time(n, m)),
    ));
    if let Some(regression) = Regression::fit(points) {
        rivals.push((
            "Extra-P style",
            Box::new(move |n, m| Some(regression.time(n, m))),
        ));
    }
    rivals
}
