//! The common clock: the time on rank 0's clock, from this rank's clock and messages between the
//! two ranks, with an error bound.
//!
//! # Formula
//! Rank 0 reads its clock (`remote`) between the times at which this rank `sent` a request and `received` the answer,
//! in seconds. At the midpoint t of these two times, the offset of the clocks is o = remote − t. Its error is at most
//! h = (received − sent)/2, however unequal the delays of the two directions are. The exchange with the least h
//! represents its burst.
//!
//! The drift s is the slope of the least squares line through the (t, o) of all bursts. Its error is at most d =
//! Σ|wᵢ|·hᵢ, wᵢ = (tᵢ − t̄)/Σ(tⱼ − t̄)². If d is not below 10⁻⁴, the most that two quartz clocks drift apart, then s
//! = 0 and d = 10⁻⁴. At any time t, burst i confines the offset to oᵢ + s·(t − tᵢ) ± (hᵢ + d·|t − tᵢ|). The middle of
//! the intersection of these intervals is the offset, and half its width is the error bound.
//!
//! # Domain
//! The bound holds for clocks with constant drift. With varying drift the intersection may be
//! empty; the error bound is then the least h plus half the gap between the intervals.
//!
//! # Source
//! F. Cristian, Distributed Computing 3, 1989, for the bound of one exchange; K. Marzullo
//! 1984 for the intersection. Offset and drift by ping-pong are as in `SKaMPI`
//! and Hunold and Carpen-Amarie 2015.
//!
//! ```
//! # use netsig_base::units::Seconds;
//! # use netsig_measure::clock::{ClockConversion, ClockExchange};
//! // The answer was read at 107 s over there, between 2 s and 4 s here.
//! let exchange = ClockExchange { sent: Seconds(2.0), remote: Seconds(107.0), received: Seconds(4.0) };
//! let clock = ClockConversion::fit(&[vec![exchange]]).expect("one exchange is enough");
//! assert_eq!(clock.to_common(Seconds(3.0)), Seconds(107.0));
//! assert_eq!(clock.error_at(Seconds(3.0)), Seconds(1.0));
//! ```

use netsig_base::stats::line::FittedLine;
use netsig_base::units::Seconds;

/// Largest drift between two clocks, in s/s: each quartz is off by up to 50 millionths.
const MOST_DRIFT: f64 = 1e-4;

/// A request to rank 0 and its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockExchange {
    /// Time of the request's departure, on this rank's clock.
    pub sent: Seconds,
    /// Time on rank 0's clock when it answered.
    pub remote: Seconds,
    /// Time of the answer's arrival, on this rank's clock.
    pub received: Seconds,
}

/// Exchanges in quick succession.
pub type ExchangeBurst = Vec<ClockExchange>;

/// Conversion from this rank's clock to rank 0's; the default is the identity, for rank 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClockConversion {
    moments: Vec<BestExchange>,
    /// Drift s, in seconds per second.
    drift: f64,
    /// Error bound d of the drift.
    drift_error: f64,
}

/// The exchange of a burst with the least error.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BestExchange {
    /// Midpoint t, on this rank's clock.
    local: f64,
    /// Offset o.
    offset: f64,
    /// Error bound h.
    error: f64,
}

impl ClockConversion {
    /// Fits the clock to one or more bursts of exchanges; `None` without a usable exchange.
    pub fn fit(bursts: &[ExchangeBurst]) -> Option<Self> {
        let best = |burst: &ExchangeBurst| {
            let moments = burst.iter().filter_map(BestExchange::of);
            moments.min_by(|a, b| a.error.total_cmp(&b.error))
        };
        let moments: Vec<BestExchange> = bursts.iter().filter_map(best).collect();
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

    /// Converts the time `local` of this rank's clock to rank 0's.
    pub fn to_common(&self, local: Seconds) -> Seconds {
        if self.moments.is_empty() {
            return local;
        }
        let [lower, upper] = self.range(local);
        local + Seconds(lower.midpoint(upper))
    }

    /// Error bound of [`ClockConversion::to_common`] at `local`.
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

    /// Interval of the offset at a time. Its ends are in reverse order if the bursts contradict
    /// each other.
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

impl BestExchange {
    /// The offset of an exchange; `None` if its times are impossible.
    fn of(exchange: &ClockExchange) -> Option<Self> {
        let local = exchange.sent.0.midpoint(exchange.received.0);
        let moment = Self {
            local,
            offset: exchange.remote.0 - local,
            error: (exchange.received - exchange.sent).0 / 2.0,
        };
        (moment.error >= 0.0 && moment.offset.is_finite()).then_some(moment)
    }
}

/// The drift s and its error bound d.
fn drift(moments: &[BestExchange]) -> (f64, f64) {
    let points = moments.iter().map(|m| (m.local, m.offset, 1.0));
    let line = FittedLine::through(&points.collect::<Vec<_>>());
    let weight = |m: &BestExchange| (m.local - line.mean_x) / line.spread;
    let error: f64 = moments.iter().map(|m| weight(m).abs() * m.error).sum();
    if line.spread > 0.0 && error < MOST_DRIFT {
        (line.slope, error)
    } else {
        (0.0, MOST_DRIFT)
    }
}
