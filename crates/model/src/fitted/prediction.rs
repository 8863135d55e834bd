//! A predicted time with its interval, its position relative to the data, and the size from which ports
//! overflow.

use itertools::Itertools as _;
use netsig_base::network::LINUX_RTO;
use netsig_base::text::range_beside;
use netsig_base::units::{Bytes, Seconds};

use crate::model::regimes::{OnsetSource, StallOnset};
use crate::model::segment::Segment;

/// Size from which on M(n) is rounded to KiB.
const SMALL: f64 = 8192.0;

/// A predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Best value.
    pub time: Seconds,
    /// Interval for a new measurement; `None` if unknown.
    pub interval: Option<Interval>,
    /// Position of the case relative to the data.
    pub standing: PredictionStanding,
    /// Segment size, for a segmented algorithm.
    pub segment: Option<Segment>,
}

/// An interval of times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lower: Seconds,
    /// Upper end.
    pub upper: Seconds,
}

/// Position of a prediction relative to the data behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum PredictionStanding {
    /// Within the measured process counts and sizes.
    Interpolated,
    /// More or fewer processes, or larger or smaller messages, than measured.
    Extrapolated,
    /// Fewer processes than needed to saturate the network: outside the model's domain.
    Unsaturated,
    /// From the parameters between two processes, without contention.
    ContentionFree,
    /// From parameters that were not fitted to this collective.
    Unfitted,
    /// Too far from the measurements: see [`OutsideDomain`](super::outside_domain::OutsideDomain).
    Outside,
}

/// Message size from which ports overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortOverflow {
    /// M(n).
    pub from: Bytes,
    /// Its interval.
    pub interval: [Bytes; 2],
    /// False if the data only show that nothing was lost up to the lower end.
    pub is_known: bool,
    /// Origin of M(n).
    pub source: OnsetSource,
}

impl PortOverflow {
    /// The interval and the source of the onset in brackets, with a space before them; empty where nothing is in doubt.
    /// `text` prints a size.
    pub fn doubt(&self, text: fn(Bytes) -> String) -> String {
        let [from, least, greatest] = [self.from, self.interval[0], self.interval[1]].map(text);
        let ends = range_beside(from, least, greatest);
        let remarks = ends
            .into_iter()
            .chain(self.source.remark().map(str::to_owned))
            .join("; ");
        if remarks.is_empty() {
            remarks
        } else {
            format!(" ({remarks})")
        }
    }

    /// The overflow from a number of bytes on, of which a message of the case contributes `share` times its size.
    pub(crate) fn new(onset: StallOnset, share: f64) -> Self {
        let size = |bytes_at_port: f64| {
            let bytes = bytes_at_port / share;
            let unit = if bytes < SMALL { 1.0 } else { 1024.0 };
            Bytes::rounded((bytes / unit).round() * unit)
        };
        Self {
            from: size(onset.bytes),
            interval: [onset.lower, onset.upper].map(size),
            is_known: onset.is_known(),
            source: onset.source,
        }
    }
}

/// Load of a port beyond all loads that were measured over TCP, none of which stalled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnmeasuredLoad {
    most_measured: f64,
    port_bytes: f64,
}

impl UnmeasuredLoad {
    /// The load of `port_bytes`, if it exceeds the most measured bytes.
    pub(crate) fn of(most_measured: Option<Bytes>, port_bytes: Option<f64>) -> Option<Self> {
        let (most_measured, port_bytes) = (most_measured?.as_f64(), port_bytes?);
        (port_bytes > most_measured).then_some(Self {
            most_measured,
            port_bytes,
        })
    }

    /// The interval extended by one more stall, of the least time-out of Linux.
    pub(crate) fn with_one_stall_more(interval: Interval) -> Interval {
        Interval {
            upper: interval.upper + LINUX_RTO,
            ..interval
        }
    }

    /// The size of the case from which ports may overflow.
    pub(crate) fn overflow(&self, size: Bytes) -> PortOverflow {
        PortOverflow {
            is_known: false,
            source: OnsetSource::Prior,
            ..PortOverflow::new(StallOnset::at(self.most_measured), self.port_bytes / size.as_f64())
        }
    }
}

impl Interval {
    /// T·exp(±t·s), where `spread` is t·s. A spread that leaves the range of numbers (NaN) gives the
    /// interval from 0 to infinity.
    pub(crate) fn around(time: Seconds, spread: f64) -> Self {
        let factor = if spread.is_nan() { f64::INFINITY } else { spread.exp() };
        Self {
            lower: Seconds(time.0 / factor),
            upper: Seconds(time.0 * factor),
        }
    }

    /// The smallest interval that contains both.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self {
            lower: Seconds(self.lower.0.min(other.lower.0)),
            upper: Seconds(self.upper.0.max(other.upper.0)),
        }
    }
}
