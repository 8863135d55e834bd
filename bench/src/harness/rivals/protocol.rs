//! Separate fits of eager and of other messages.

use netsig_base::units::Bytes;
use netsig_model::fit::MeasuredPoint;

/// The fits of eager messages and of other messages; without a limit all messages are eager.
pub(super) struct ProtocolFits<T> {
    eager_limit: Option<Bytes>,
    fits: [T; 2],
}

impl<T> ProtocolFits<T> {
    /// Fits the points of each protocol.
    pub(super) fn fit(
        points: &[MeasuredPoint],
        eager_limit: Option<Bytes>,
        fit: impl Fn(&[&MeasuredPoint]) -> T,
    ) -> Self {
        let is_eager = |size| eager_limit.is_none_or(|limit| size < limit);
        let fits = [true, false].map(|eager| {
            let protocol_points = points.iter().filter(|point| is_eager(point.size) == eager);
            fit(&protocol_points.collect::<Vec<_>>())
        });
        Self { eager_limit, fits }
    }

    /// The fit of a size's protocol.
    pub(super) fn fit_of(&self, size: Bytes) -> &T {
        let is_eager = self.eager_limit.is_none_or(|limit| size < limit);
        &self.fits[usize::from(!is_eager)]
    }

    /// Both fits.
    pub(super) fn both(&self) -> &[T; 2] {
        &self.fits
    }
}
