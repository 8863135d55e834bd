//! Rival `Gaussian process`: ln T over ln m and ln n with a linear trend, fitted separately for eager and other
//! messages, without knowledge of networks.

use netsig_base::stats::gaussian::{self, GaussianGrid, GaussianProcess, GaussianTrend};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

use super::protocol::ProtocolFits;

/// Candidate length scales in ln m and ln n, and candidate noises of the medians.
const GRID: GaussianGrid<'static, 2> = GaussianGrid {
    lengths: [&[0.5, 1.0, 2.0, 4.0], &[0.5, 1.0, 2.0, 4.0]],
    noise: &[1e-4, 1e-3, 1e-2, 1e-1],
};

/// A Gaussian process for each measured protocol.
pub(super) struct ProtocolProcesses(ProtocolFits<Option<GaussianProcess<2>>>);

impl ProtocolProcesses {
    pub(super) fn fit(points: &[MeasuredPoint], eager_limit: Option<Bytes>) -> Self {
        Self(ProtocolFits::fit(points, eager_limit, |points| {
            let non_empty = points.iter().filter(|point| point.size.0 > 0);
            let gaussian_points: Vec<gaussian::GaussianPoint<2>> =
                non_empty.map(|point| gaussian_point(point)).collect();
            GaussianProcess::fit(&gaussian_points, GaussianTrend::Linear, &GRID)
        }))
    }

    /// The time; `None` for a protocol that was not measured.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Option<Seconds> {
        let process = self.0.fit_of(size).as_ref()?;
        Some(Seconds(process.mean_and_variance(coordinates(procs, size)).0.exp()))
    }
}

fn coordinates(procs: Procs, size: Bytes) -> [f64; 2] {
    [size.as_f64().ln(), f64::from(procs.get()).ln()]
}

fn gaussian_point(point: &MeasuredPoint) -> gaussian::GaussianPoint<2> {
    gaussian::GaussianPoint {
        coordinates: coordinates(point.procs, point.size),
        value: point.time.0.ln(),
        variance: 1.0 / point.repetitions.max(1) as f64,
    }
}
