//! Rival `Gaussian process`: ln T over ln m and ln n with a linear trend, without knowledge of
//! networks; eager and other messages apart.

use netsig_base::stats::gaussian::{self, Grid, Process, Trend};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::Point;

use super::protocol::ByProtocol;

/// Lengths in ln m and ln n, and the noise of the medians.
const GRID: Grid<'static, 2> = Grid {
    lengths: [&[0.5, 1.0, 2.0, 4.0], &[0.5, 1.0, 2.0, 4.0]],
    noise: &[1e-4, 1e-3, 1e-2, 1e-1],
};

/// A process of each protocol that was measured.
pub(super) struct ProtocolProcesses(ByProtocol<Option<Process<2>>>);

impl ProtocolProcesses {
    pub(super) fn fit(points: &[Point], eager_limit: Option<Bytes>) -> Self {
        Self(ByProtocol::fit(points, eager_limit, |points| {
            let own = points.iter().filter(|point| point.size.0 > 0);
            let own: Vec<gaussian::Point<2>> = own.map(|point| of_point(point)).collect();
            Process::fit(&own, Trend::Linear, &GRID)
        }))
    }

    /// The time; `None` for a protocol that was not measured.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        let process = self.0.of(size).as_ref()?;
        Some(Seconds(process.at(place(procs, size)).0.exp()))
    }
}

fn place(procs: Procs, size: Bytes) -> [f64; 2] {
    [size.as_f64().ln(), f64::from(procs.get()).ln()]
}

fn of_point(point: &Point) -> gaussian::Point<2> {
    gaussian::Point {
        at: place(point.procs, point.size),
        value: point.time.0.ln(),
        variance: 1.0 / point.repetitions.max(1) as f64,
    }
}
