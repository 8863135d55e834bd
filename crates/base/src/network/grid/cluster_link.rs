//! Times of messages between two clusters, or inside one.
//!
//! # Choices
//! A link has the times of two sizes at least. Between two sizes time is linear in size. Beyond the largest size it
//! goes on as between the two largest; below the smallest it is that of the smallest.
//!
//! # Pauses
//! After a pause of a retransmission timeout, TCP of Linux sends a first window and then waits for acknowledgements.
//! A message that needs two windows then takes t = `α + β·b + 2·α − β·W`, from which the first window W follows.

use itertools::Itertools as _;
use serde::{Deserialize, Serialize};

use super::{ClusterGridError, joined_names};
use crate::units::{Bytes, Seconds, SecondsPerByte};

/// Least share of a round trip that counts as a wait.
const LEAST_WAIT: f64 = 0.25;

/// Times of messages between two clusters, or inside one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredClusterLink", into = "StoredClusterLink")]
pub struct ClusterLink {
    between: [String; 2],
    /// One-way times of messages by size, ascending, two at least.
    times: Vec<(Bytes, Seconds)>,
    /// The one-way time of a message over a connection that has paused, and its size.
    paused: Option<(Bytes, Seconds)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredClusterLink {
    between: [String; 2],
    bytes: Vec<u64>,
    time_s: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused_time_s: Option<f64>,
}

impl TryFrom<StoredClusterLink> for ClusterLink {
    type Error = ClusterGridError;
    fn try_from(wire: StoredClusterLink) -> Result<Self, ClusterGridError> {
        let (sizes, times) = (wire.bytes.len(), wire.time_s.len());
        if sizes != times {
            return Err(ClusterGridError::Unequal {
                between: joined_names(&wire.between),
                sizes,
                times,
            });
        }
        let sizes_with_times = wire.bytes.into_iter().zip(wire.time_s);
        let times = sizes_with_times.map(|(size, time)| (Bytes(size), Seconds(time)));
        let link = Self::new(wire.between, times.collect())?;
        match (wire.paused_bytes, wire.paused_time_s) {
            (None, None) => Ok(link),
            (Some(size), Some(time)) => link.with_pause(Bytes(size), Seconds(time)),
            _ => Err(ClusterGridError::HalfPaused(joined_names(&link.between))),
        }
    }
}

impl From<ClusterLink> for StoredClusterLink {
    fn from(link: ClusterLink) -> Self {
        let ClusterLink { between, times, paused } = link;
        let (bytes, time_s) = times.into_iter().map(|(size, time)| (size.0, time.0)).unzip();
        Self {
            between,
            bytes,
            time_s,
            paused_bytes: paused.map(|(size, _)| size.0),
            paused_time_s: paused.map(|(_, time)| time.0),
        }
    }
}

impl ClusterLink {
    /// A link `between` clusters of these names with the one-way `times` of messages by size.
    ///
    /// # Errors
    /// If there are fewer than two sizes, they do not ascend, or a time is not finite and above 0.
    pub fn new(between: [String; 2], times: Vec<(Bytes, Seconds)>) -> Result<Self, ClusterGridError> {
        if times.len() < 2 {
            return Err(ClusterGridError::TooFew(joined_names(&between)));
        }
        let mut pairs = times.iter().tuple_windows();
        if let Some((_, (size, _))) = pairs.find(|(one, next)| one.0 >= next.0) {
            return Err(ClusterGridError::NotAscending {
                between: joined_names(&between),
                size: size.0,
            });
        }
        for (_, time) in &times {
            check_time(&between, *time)?;
        }
        Ok(Self {
            between,
            times,
            paused: None,
        })
    }

    /// The link with the one-way time of a message over a connection that has paused.
    ///
    /// # Errors
    /// If the time is not finite and above 0.
    pub fn with_pause(self, size: Bytes, time: Seconds) -> Result<Self, ClusterGridError> {
        check_time(&self.between, time)?;
        let paused = Some((size, time));
        Ok(Self { paused, ..self })
    }

    /// The names of the clusters, equal for a link inside a cluster.
    pub fn cluster_names(&self) -> [&str; 2] {
        self.between.each_ref().map(String::as_str)
    }

    /// The measured one-way times by size, ascending.
    pub fn times(&self) -> &[(Bytes, Seconds)] {
        &self.times
    }

    /// The time of the smallest message.
    pub fn alpha(&self) -> Seconds {
        self.times[0].1
    }

    /// The slope between the two largest sizes, or before the largest if that alone waits for the receiver's
    /// consent; 0 if noise makes the larger take less time.
    pub fn beta(&self) -> SecondsPerByte {
        let slope = |index: usize| {
            let [(low, early), (high, late)] = self.interval_at(index);
            ((late - early) / (high - low)).max(0.0)
        };
        let last = self.times.len() - 1;
        let [(low, early), (high, late)] = self.interval_at(last);
        let before = (last > 1).then(|| slope(last - 1)).filter(|before| {
            let wait = late - early - before * (high - low);
            wait > LEAST_WAIT * 2.0 * self.alpha().0
        });
        SecondsPerByte(before.unwrap_or_else(|| slope(last)))
    }

    /// The time of a message of so many bytes.
    pub fn time(&self, bytes: f64) -> Seconds {
        let next = self.times.partition_point(|(size, _)| size.as_f64() < bytes);
        if next == 0 {
            return self.alpha();
        }
        if next == self.times.len() {
            let (size, time) = self.times[next - 1];
            return Seconds(time.0 + self.beta().0 * (bytes - size.as_f64()));
        }
        let [(low, early), (high, late)] = self.interval_at(next);
        Seconds(early + (late - early) * (bytes - low) / (high - low))
    }

    /// The smallest measured size from which a message waits for the receiver's consent. There the time beyond that
    /// of the bytes has grown by a round trip; a quarter of a round trip is enough.
    pub fn consent_size(&self) -> Option<Bytes> {
        let waits = |&&(size, time): &&(Bytes, Seconds)| self.excess(size, time) > LEAST_WAIT;
        self.times.iter().find(waits).map(|(size, _)| *size)
    }

    /// Bytes that a connection sends at once after a pause; `None` if it was seen to send all, or
    /// pauses were not measured.
    pub fn first_window(&self) -> Option<Bytes> {
        let (size, time) = self.paused?;
        let waited = self.excess(size, time);
        let sent = 2.0 * self.alpha().0 * (1.0 - waited) / self.beta().0;
        let most = size.as_f64();
        (waited > LEAST_WAIT && sent < most).then(|| Bytes::rounded(sent.max(1.0)))
    }

    /// Time of a message beyond that of its bytes and the latency, in round trips.
    fn excess(&self, size: Bytes, time: Seconds) -> f64 {
        let usual = self.alpha().0 + self.beta().0 * size.as_f64();
        (time.0 - usual) / (2.0 * self.alpha().0)
    }

    /// Size and time before and at an index.
    fn interval_at(&self, index: usize) -> [(f64, f64); 2] {
        [index - 1, index].map(|index| {
            let (size, time) = self.times[index];
            (size.as_f64(), time.0)
        })
    }

    pub(super) fn joins(&self, one: &str, other: &str) -> bool {
        self.cluster_names() == [one, other] || self.cluster_names() == [other, one]
    }
}

/// Refuses a time that is not finite and above 0.
fn check_time(between: &[String; 2], time: Seconds) -> Result<(), ClusterGridError> {
    if time.0.is_finite() && time.0 > 0.0 {
        return Ok(());
    }
    Err(ClusterGridError::NoTime {
        between: joined_names(between),
        time: time.0.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 10 ms and 0.3 µs a byte; from 64 KiB on a message waits a round trip of 20 ms. After a pause
    /// 14480 bytes leave in 4.344 ms, and the rest waits for the other 15.656 ms of a round trip.
    #[test]
    fn waits_tell_consent_and_first_window() {
        let usual = |size: u64| Seconds(0.01 + 0.3e-6 * size as f64);
        let link = |paused: f64| {
            let late = |size: u64| (Bytes(size), Seconds(usual(size).0 + 0.02));
            let times = vec![
                (Bytes(0), usual(0)),
                (Bytes(32768), usual(32768)),
                late(65536),
                late(1_048_576),
            ];
            let names = ["a", "b"].map(str::to_owned);
            let link = ClusterLink::new(names, times).unwrap();
            link.with_pause(Bytes(32768), Seconds(usual(32768).0 + paused)).unwrap()
        };
        assert_eq!(link(0.015_656).consent_size(), Some(Bytes(65536)));
        assert_eq!(link(0.015_656).first_window(), Some(Bytes(14480)));
        assert_eq!(link(0.001).first_window(), None);
        let short_times = link(0.001).times[..3].to_vec();
        let short = ClusterLink::new(["a", "b"].map(str::to_owned), short_times).unwrap();
        assert!((short.beta().0 / 0.3e-6 - 1.0).abs() < 1e-9, "not of the wait");
        assert_eq!(short.consent_size(), Some(Bytes(65536)));
    }
}
