//! Fits of eager messages and of others, apart.

use netsig_base::units::Bytes;
use netsig_model::fit::Point;

/// A fit of eager messages, then one of others; without a limit all messages are eager.
pub(super) struct ByProtocol<T> {
    eager_limit: Option<Bytes>,
    fits: [T; 2],
}

impl<T> ByProtocol<T> {
    /// Fits the points of each protocol.
    pub(super) fn fit(points: &[Point], eager_limit: Option<Bytes>, fit: impl Fn(&[&Point]) -> T) -> Self {
        let is_eager = |size| eager_limit.is_none_or(|limit| size < limit);
        let fits = [true, false].map(|eager| {
            let own = points.iter().filter(|point| is_eager(point.size) == eager);
            fit(&own.collect::<Vec<_>>())
        });
        Self { eager_limit, fits }
    }

    /// The fit of a size's protocol.
    pub(super) fn of(&self, size: Bytes) -> &T {
        let is_eager = self.eager_limit.is_none_or(|limit| size < limit);
        &self.fits[usize::from(!is_eager)]
    }

    /// Both fits.
    pub(super) fn all(&self) -> &[T; 2] {
        &self.fits
    }
}
