//! The common clock: what rank 0's clock shows, from this rank's own and from messages that
//! both exchanged, with a bound of the error.
//!
//! # Formula
//! Rank 0 reads its clock (`remote`) between the moments at which this rank `sent` a request
//! and `received` the answer, in seconds. So at the middle t of the two, the offset of
//! the clocks is o = remote − t, wrong by no more than h = (received − sent)/2, however
//! unequal the two ways are. Of each burst of exchanges the one with the least h stands.
//!
//! The drift s is the slope of the least squares line through the (t, o) of all bursts, wrong
//! by at most d = Σ|wᵢ|·hᵢ, wᵢ = (tᵢ − t̄)/Σ(tⱼ − t̄)². Where that says less than what two
//! quartz clocks can drift apart, 100 millionths, s = 0 and d = 10⁻⁴. At any moment t each
//! burst then tells that the offset lies in oᵢ + s·(t − tᵢ) ± (hᵢ + d·|t − tᵢ|); the middle
//! of what all have in common is the offset, half its width the bound of the error.
//!
//! # Domain
//! The bound holds for clocks that drift steadily. Where they do not, the bursts may have
//! nothing in common; the gap between them and the least h then make the bound.
//!
//! # Source
//! F. Cristian, Distributed Computing 3, 1989, for the bound of one exchange; K. Marzullo
//! 1984 for the intersection. Offset and drift by ping-pong are as in `SKaMPI`
//! and Hunold and Carpen-Amarie 2015.
//!
//! ```
//! # use netsig_core::units::Seconds;
//! # use netsig_measure::clock::{Clock, Exchange};
//! // The answer was read at 107 s over there, between 2 s and 4 s here.
//! let exchange = Exchange { sent: Seconds(2.0), remote: Seconds(107.0), received: Seconds(4.0) };
//! let clock = Clock::fit(&[vec![exchange]]).expect("one exchange is enough");
//! assert_eq!(clock.to_common(Seconds(3.0)), Seconds(107.0));
//! assert_eq!(clock.error_at(Seconds(3.0)), Seconds(1.0));
//! ```

use netsig_core::stats::line::Line;
use netsig_core::units::Seconds;

/// How fast two clocks drift apart at most: each quartz is off by up to 50 millionths.
const MOST_DRIFT: f64 = 1e-4;

/// A request to rank 0 and its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchange {
    /// When the request left, on this rank's clock.
    pub sent: Seconds,
    /// What rank 0's clock showed between.
    pub remote: Seconds,
    /// When the answer was here, on this rank's clock.
    pub received: Seconds,
}

/// Exchanges in quick succession.
pub type Burst = Vec<Exchange>;

/// How this rank's clock relates to rank 0's; by default it is that clock itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clock {
    moments: Vec<Moment>,
    /// s, in seconds per second.
    drift: f64,
    /// d.
    drift_error: f64,
}

/// The best exchange of a burst.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moment {
    /// t, on this rank's clock.
    local: f64,
    /// o.
    offset: f64,
    /// h.
    error: f64,
}

impl Clock {
    /// The clock that explains the exchanges of one or more bursts; `None` without any.
    pub fn fit(bursts: &[Burst]) -> Option<Self> {
        let best = |burst: &Burst| {
            let moments = burst.iter().filter_map(Moment::of);
            moments.min_by(|a, b| a.error.total_cmp(&b.error))
        };
        let moments: Vec<Moment> = bursts.iter().filter_map(best).collect();
        if moments.is_empty() {
            return None;
        }
        let (drift, drift_error) = drift(&moments);
        Some(Self {
            moments,
            drift,
            drift_error,
        })
    }

    /// What rank 0's clock shows when this rank's shows `local`.
    pub fn to_common(&self, local: Seconds) -> Seconds {
        if self.moments.is_empty() {
            return local;
        }
        let [lower, upper] = self.range(local);
        local + Seconds(lower.midpoint(upper))
    }

    /// By how much [`Clock::to_common`] may be off there.
    pub fn error_at(&self, local: Seconds) -> Seconds {
        if self.moments.is_empty() {
            return Seconds(0.0);
        }
        let [lower, upper] = self.range(local);
        let half = (upper - lower) / 2.0;
        let errors = self.moments.iter().map(|moment| moment.error);
        let least = errors.fold(f64::INFINITY, f64::min);
        Seconds(if half >= 0.0 { half } else { least - half })
    }

    /// Where the offset lies at a moment. The ends cross where the bursts contradict each other.
    fn range(&self, local: Seconds) -> [f64; 2] {
        let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
        let moments = self.moments.iter();
        moments.fold(everywhere, |[lower, upper], moment| {
            let since = local.0 - moment.local;
            let offset = moment.offset + self.drift * since;
            let error = moment.error + self.drift_error * since.abs();
            [lower.max(offset - error), upper.min(offset + error)]
        })
    }
}

impl Moment {
    /// What an exchange tells, unless its times are impossible.
    fn of(exchange: &Exchange) -> Option<Self> {
        let local = exchange.sent.0.midpoint(exchange.received.0);
        let moment = Self {
            local,
            offset: exchange.remote.0 - local,
            error: (exchange.received - exchange.sent).0 / 2.0,
        };
        (moment.error >= 0.0 && moment.offset.is_finite()).then_some(moment)
    }
}

/// s and d.
fn drift(moments: &[Moment]) -> (f64, f64) {
    let points = moments.iter().map(|m| (m.local, m.offset, 1.0));
    let line = Line::through(&points.collect::<Vec<_>>());
    let weight = |m: &Moment| (m.local - line.mean_x) / line.spread;
    let error: f64 = moments.iter().map(|m| weight(m).abs() * m.error).sum();
    if line.spread > 0.0 && error < MOST_DRIFT {
        (line.slope, error)
    } else {
        (0.0, MOST_DRIFT)
    }
}
