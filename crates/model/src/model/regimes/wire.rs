//! Time of contiguous bytes on the wire.
//!
//! # Formula
//! V(w) = t(w) − t(m₀) + V(m₀) for w up to w₁, the largest message that is sent at once; beyond w₁, V(w) = V(w₁) +
//! β·(w − w₁). t is the time of a ping-pong message and m₀ the smallest size. V(m₀) = β·m₀, at most t(m₀). Between
//! sizes V is linear. The first bytes may pass without delay, by the burst of a shaped link or the buffer of an
//! adapter. They thus count once for all messages that a process sends in a row, not once per message.
//!
//! # Units
//! Bytes and seconds.
//!
//! # Source
//! netsig; t(m) − t(0) is g(m) − g(0) of pLogP (Kielmann, Bal, Verstoep 2000). Where t falls with
//! the size it is replaced by its isotonic regression (Ayer et al. 1955).

use serde::{Deserialize, Serialize};

use netsig_base::units::parameter::{ParameterError, non_negative};
use netsig_base::units::table::rows;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

/// h: bytes of headers per message, which β does not include: 66 bytes of Ethernet, IP and TCP with
/// time stamps, and about 30 of MPI.
const HEADERS: f64 = 96.0;

/// Bytes of this many messages on a link, with headers.
pub(super) fn with_headers(bytes: f64, messages: f64) -> f64 {
    bytes + messages * HEADERS
}

/// Time V(w) of w contiguous bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredWireTime", into = "StoredWireTime")]
pub struct WireTime {
    /// (w, V(w)), ascending in both, from 0 bytes and 0 s on.
    table: Vec<(f64, f64)>,
    /// Gap per byte β beyond the table.
    beta: SecondsPerByte,
}

impl WireTime {
    /// V from β and the ping-pong times of sizes, ascending, that are sent at once.
    ///
    /// # Errors
    /// If β or a time is negative or not finite.
    pub fn new(times: &[(Bytes, Seconds)], beta: SecondsPerByte) -> Result<Self, ParameterError> {
        non_negative("beta", beta.0)?;
        for (_, time) in times {
            non_negative("time", time.0)?;
        }
        let rising = isotonic(times.iter().map(|(_, time)| time.0));
        let start = match (times.first(), rising.first()) {
            (Some((size, _)), Some(first)) => first - (beta * *size).0.min(*first),
            _ => 0.0,
        };
        let points = times.iter().zip(&rising);
        let mut table = vec![(0.0, 0.0)];
        table.extend(
            points
                .map(|((size, _), time)| (size.as_f64(), time - start))
                .filter(|(size, _)| *size > 0.0),
        );
        // Sizes beyond 2^53 may be one number.
        table.dedup_by_key(|(size, _)| *size);
        Ok(Self { table, beta })
    }

    /// A wire with V(w) = β·w.
    pub fn proportional(beta: SecondsPerByte) -> Self {
        Self {
            table: vec![(0.0, 0.0)],
            beta,
        }
    }

    /// Gap per byte β.
    pub fn beta(&self) -> SecondsPerByte {
        self.beta
    }

    /// Points (w, V(w)) beyond zero bytes, ascending.
    pub fn points(&self) -> impl Iterator<Item = (Bytes, Seconds)> {
        let point = |(size, time): &(f64, f64)| (Bytes::rounded(*size), Seconds(*time));
        self.table[1..].iter().map(point)
    }

    /// V of `bytes`, at least 0.
    pub fn time(&self, bytes: f64) -> Seconds {
        let last = self.table[self.table.len() - 1];
        if bytes >= last.0 {
            return Seconds(last.1 + self.beta.0 * (bytes - last.0));
        }
        let above = self.table.partition_point(|(size, _)| *size <= bytes);
        let [(lower, from), (upper, to)] = [self.table[above - 1], self.table[above]];
        Seconds(from + (to - from) * (bytes.max(0.0) - lower) / (upper - lower))
    }
}

/// [`WireTime`] as stored in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredWireTime {
    /// Points (w, V(w)) beyond 0 bytes.
    #[serde(with = "rows")]
    times_s: Vec<(Bytes, Seconds)>,
    beta_s_per_byte: SecondsPerByte,
}

impl TryFrom<StoredWireTime> for WireTime {
    type Error = String;
    fn try_from(stored: StoredWireTime) -> Result<Self, String> {
        let mut times = vec![(Bytes(0), Seconds(0.0))];
        times.extend(stored.times_s);
        for pair in times.windows(2) {
            let [(lower, from), (upper, to)] = [pair[0], pair[1]];
            if lower.as_f64() >= upper.as_f64() || from.0 > to.0 {
                let row = format!("[{}, {}]", upper.0, to.0);
                return Err(format!("times_s: {row} is not above the row before it"));
            }
        }
        Self::new(&times, stored.beta_s_per_byte).map_err(|error| format!("times_s, beta_s_per_byte: {error}"))
    }
}

impl From<WireTime> for StoredWireTime {
    fn from(wire: WireTime) -> Self {
        Self {
            times_s: wire.points().collect(),
            beta_s_per_byte: wire.beta,
        }
    }
}

/// Isotonic regression: the nearest ascending numbers in the sense of least squares. Descending
/// neighbours are replaced by their mean until none are left.
fn isotonic(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for value in values {
        blocks.push((value, 1));
        while let [.., (before, many), (after, more)] = blocks[..]
            && before > after
        {
            let all = many + more;
            let mean = (before * many as f64 + after * more as f64) / all as f64;
            blocks.truncate(blocks.len() - 2);
            blocks.push((mean, all));
        }
    }
    let expanded = |(mean, count): (f64, usize)| std::iter::repeat_n(mean, count);
    blocks.into_iter().flat_map(expanded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 and 2000 bytes are pooled to 107.5 µs, 7.5 µs more than 0 bytes.
    #[test]
    fn times_are_linear_between_sizes_never_fall_and_end_with_the_slope_beta() {
        let raw_times = [(0, 1e-4), (1000, 1.1e-4), (2000, 1.05e-4), (8000, 1.3e-3)];
        let times = raw_times.map(|(size, time)| (Bytes(size), Seconds(time)));
        let wire = WireTime::new(&times, SecondsPerByte(2e-7)).unwrap();
        for (bytes, expected) in [
            (0.0, 0.0),
            (1500.0, 7.5e-6),
            (5000.0, 6.0375e-4),
            (8000.0, 1.2e-3),
            (9000.0, 1.4e-3),
        ] {
            assert!((wire.time(bytes).0 - expected).abs() < 1e-15, "{bytes}");
        }
        assert!((0..2000).map(|i| wire.time(f64::from(i) * 7.0)).is_sorted());
        let line = WireTime::proportional(SecondsPerByte(3e-9));
        assert!((line.time(1e6).0 - 3e-3).abs() < 1e-15);
    }
}
