//! pLogP: LogP with parameters that depend on the size of the message, as tables.
//!
//! # Formula
//! One message of m bytes takes L + g(m). A process may hand over messages of m bytes
//! every g(m), and is itself busy for os(m) with sending and or(m) with receiving one.
//! L in seconds; g, os and or in seconds over m in bytes.
//!
//! # Table
//! Ascending sizes, each with a value. A size in the table has its value; between two
//! sizes the value is interpolated on a line; beyond the last the line through the last
//! two goes on (but not below zero); below the first the first value holds.
//!
//! # Relation to Hockney's model
//! L + g(m) = α + β·m: an affine g(m) = g₀ + g₁·m has β = g₁ and α = L + g₀. A ping-pong
//! alone cannot tell L from g₀. [`PLogP::from_hockney`] takes Hockney's view, in which
//! start-ups do not overlap: L = 0 and g(m) = os(m) = or(m) = α + β·m.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI LogP benchmark for the interpolation; used
//! by Barchet-Steffenel and Mounié 2005 (PPAM and RenPar). g(m) ≥ os(m), or(m) is expected
//! there, but not demanded: see [`PLogP::sizes_with_small_gap`].
//!
//! ```
//! # use netsig_core::{model::plogp::{PLogP, Table}, units::{Bytes, Seconds}};
//! // An eager/rendezvous jump between 8192 and 8193 bytes.
//! let table = |rows: &[(u64, f64)]| {
//!     Table::new("g", rows.iter().map(|&(m, t)| (Bytes(m), Seconds(t))).collect())
//! };
//! let g = table(&[(0, 1e-5), (1024, 1.2e-5), (8192, 8e-5), (8193, 1.6e-4), (65536, 6.2e-4)])?;
//! assert_eq!(g.at(Bytes(512)), Seconds(1.1e-5));
//! assert_eq!(g.at(Bytes(8193)), Seconds(1.6e-4));
//! # Ok::<(), netsig_core::model::ParameterError>(())
//! ```

use super::hockney::Hockney;
use super::{ParameterError, non_negative};
use crate::units::{Bytes, Seconds, SecondsPerByte};

/// A time for every size, from a table. Never empty; sizes ascend; values are at least 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    rows: Vec<(Bytes, Seconds)>,
    /// Where a look-up begins and ends: how many sizes have fewer binary digits than 0 … 65.
    shorter: Vec<usize>,
}

/// The parameters of a network between two processes.
#[derive(Debug, Clone, PartialEq)]
pub struct PLogP {
    /// L: end-to-end latency.
    latency: Seconds,
    /// g(m): the least interval between messages.
    gap: Table,
    /// os(m): what sending costs the sender.
    send_overhead: Table,
    /// or(m): what receiving costs the receiver.
    receive_overhead: Table,
}

/// What a pLogP is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// L.
    pub latency: Seconds,
    /// g(m).
    pub gap: Table,
    /// os(m).
    pub send_overhead: Table,
    /// or(m).
    pub receive_overhead: Table,
}

impl Table {
    /// A table of (size, value) rows; `name` is what errors call it.
    ///
    /// # Errors
    /// If there is no row, a size is not greater than the one before it, or a value is
    /// negative or not finite.
    pub fn new(name: &'static str, rows: Vec<(Bytes, Seconds)>) -> Result<Self, ParameterError> {
        if rows.is_empty() {
            return Err(ParameterError::new(
                name,
                "[]",
                "a table of at least one size",
            ));
        }
        for &(_, value) in &rows {
            non_negative(name, value.0)?;
        }
        if let Some(pair) = rows.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            let value = format!("[… {} B, {} B …]", pair[0].0.0, pair[1].0.0);
            return Err(ParameterError::new(
                name,
                value,
                "a table of ascending sizes, each once",
            ));
        }
        Ok(Self::of(rows))
    }

    /// The table of the line `at_zero` + `slope`·m.
    fn line(at_zero: Seconds, slope: SecondsPerByte) -> Self {
        const FAR: Bytes = Bytes(1 << 30);
        Self::of(vec![(Bytes(0), at_zero), (FAR, at_zero + slope * FAR)])
    }

    fn of(rows: Vec<(Bytes, Seconds)>) -> Self {
        let shorter = |digits| rows.partition_point(|&(known, _)| binary_digits(known) < digits);
        Self {
            shorter: (0..66).map(shorter).collect(),
            rows,
        }
    }

    /// The value for `size`.
    pub fn at(&self, size: Bytes) -> Seconds {
        let rows = &self.rows;
        let digits = binary_digits(size);
        let (least, most) = (self.shorter[digits], self.shorter[digits + 1]);
        let next = least + rows[least..most].partition_point(|&(known, _)| known < size);
        if next < rows.len() && rows[next].0 == size || next == 0 {
            return rows[next].1;
        }
        if rows.len() == 1 {
            return rows[0].1;
        }
        let (low, high) = (
            rows[next.min(rows.len() - 1) - 1],
            rows[next.min(rows.len() - 1)],
        );
        let share = apart(low.0, size) / apart(low.0, high.0);
        Seconds((low.1.0 + (high.1.0 - low.1.0) * share).max(0.0))
    }

    /// Σ of the values for `step`, 2·`step` … `count`·`step`, which must be sizes. Between two
    /// rows the values are an arithmetic series, so the sum takes a step a row and not one
    /// a value.
    pub(crate) fn sum_of_multiples(&self, step: Bytes, count: u32) -> Seconds {
        let count = u64::from(count);
        let at = |multiple: u64| self.at(Bytes(multiple * step.0)).0;
        let series = |first: u64, last: u64| {
            let terms = (last + 1 - first) as f64;
            f64::midpoint(at(first), at(last)) * terms
        };
        let mut total = 0.0;
        let mut done = 0;
        for &(size, _) in &self.rows {
            let within = size.0.checked_div(step.0).unwrap_or(count).min(count);
            if within > done {
                total += series(done + 1, within);
                done = within;
            }
        }
        // Beyond the last row a falling line ends at zero.
        let (mut positive, mut rest) = (done, count);
        while positive < rest {
            let middle = positive.midpoint(rest) + 1;
            if at(middle) > 0.0 {
                positive = middle;
            } else {
                rest = middle - 1;
            }
        }
        if positive > done {
            total += series(done + 1, positive);
        }
        Seconds(total)
    }

    /// Whether `size` lies beyond the last row, where the value is extrapolated.
    pub fn is_extrapolated(&self, size: Bytes) -> bool {
        self.rows.last().is_some_and(|&(last, _)| size > last)
    }

    /// The rows.
    pub fn rows(&self) -> &[(Bytes, Seconds)] {
        &self.rows
    }
}

fn binary_digits(size: Bytes) -> usize {
    (u64::BITS - size.0.leading_zeros()) as usize
}

impl PLogP {
    /// A network with these parameters.
    ///
    /// # Errors
    /// If L is negative or not finite.
    pub fn new(parameters: Parameters) -> Result<Self, ParameterError> {
        non_negative("L", parameters.latency.0)?;
        let Parameters {
            latency,
            gap,
            send_overhead,
            receive_overhead,
        } = parameters;
        Ok(Self {
            latency,
            gap,
            send_overhead,
            receive_overhead,
        })
    }

    /// Hockney's model as pLogP: L = 0, g(m) = os(m) = or(m) = α + β·m.
    pub fn from_hockney(model: &Hockney) -> Self {
        let line = Table::line(model.alpha(), model.beta());
        Self {
            latency: Seconds(0.0),
            gap: line.clone(),
            send_overhead: line.clone(),
            receive_overhead: line,
        }
    }

    /// α = L + g(0) and β from the last two rows of g: Hockney's model of large messages
    /// where g is affine.
    ///
    /// # Errors
    /// If g has one row only, or falls at its end.
    pub fn to_hockney(&self) -> Result<Hockney, ParameterError> {
        let [.., low, high] = self.gap.rows() else {
            let rule = "a table of at least two sizes, to have a slope";
            return Err(ParameterError::new("g", "[one row]", rule));
        };
        let slope = (high.1 - low.1).0 / apart(low.0, high.0);
        Hockney::new(self.latency + self.g(Bytes(0)), SecondsPerByte(slope))
    }

    /// L.
    pub fn latency(&self) -> Seconds {
        self.latency
    }

    /// g(m).
    pub fn g(&self, size: Bytes) -> Seconds {
        self.gap.at(size)
    }

    /// g(m) + g(2·m) + … + g(`count`·m), where `count`·m is below 2^64.
    pub(crate) fn sum_of_gaps(&self, size: Bytes, count: u32) -> Seconds {
        self.gap.sum_of_multiples(size, count)
    }

    /// os(m).
    pub fn os(&self, size: Bytes) -> Seconds {
        self.send_overhead.at(size)
    }

    /// or(m).
    pub fn or(&self, size: Bytes) -> Seconds {
        self.receive_overhead.at(size)
    }

    /// One message: L + g(m).
    pub fn message(&self, size: Bytes) -> Seconds {
        self.latency + self.g(size)
    }

    /// The tables of g, os and or.
    pub fn tables(&self) -> [&Table; 3] {
        [&self.gap, &self.send_overhead, &self.receive_overhead]
    }

    /// The sizes of the tables at which os or or exceeds g by more than the share
    /// `tolerance`: a sign of a bad measurement. To be called on tables that were just
    /// measured, before anything is predicted from them.
    pub fn sizes_with_small_gap(&self, tolerance: f64) -> Vec<Bytes> {
        let overheads = [&self.send_overhead, &self.receive_overhead];
        let is_small = |size: Bytes| {
            let most = self.g(size).0 * (1.0 + tolerance);
            self.os(size).0 > most || self.or(size).0 > most
        };
        let mut sizes: Vec<Bytes> = overheads
            .iter()
            .flat_map(|table| table.rows())
            .map(|&(size, _)| size)
            .filter(|&size| is_small(size))
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// How many bytes `large` has beyond `small`: exact before it is rounded, so that
/// neighbours beyond 2^53 stay apart.
fn apart(small: Bytes, large: Bytes) -> f64 {
    (large.0 - small.0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(u64, f64)]) -> Result<Table, ParameterError> {
        let rows = rows
            .iter()
            .map(|&(size, value)| (Bytes(size), Seconds(value)));
        Table::new("g", rows.collect())
    }

    #[test]
    fn tables_interpolate_clamp_and_extrapolate() {
        let g = table(&[(16, 2.0), (32, 4.0), (64, 5.0)]).unwrap();
        let values = [0, 16, 24, 32, 48, 64, 128].map(|m| g.at(Bytes(m)));
        assert_eq!(values, [2.0, 2.0, 3.0, 4.0, 4.5, 5.0, 7.0].map(Seconds));
        assert!(g.is_extrapolated(Bytes(65)) && !g.is_extrapolated(Bytes(64)));
        let falling = table(&[(0, 2.0), (10, 1.0)]).unwrap();
        assert_eq!(falling.at(Bytes(100)), Seconds(0.0));
        assert_eq!(table(&[(5, 3.0)]).unwrap().at(Bytes(100)), Seconds(3.0));
    }

    /// Each value is its row's number: a look-up must give the numbers of its neighbours.
    #[test]
    fn look_ups_find_the_neighbours_among_sizes_of_all_lengths() {
        let sizes = [0, 1, 2, 3, 5, 8, 9, 8192, 8193, 1 << 40, u64::MAX];
        let rows: Vec<(u64, f64)> = sizes.into_iter().zip((0..).map(f64::from)).collect();
        let g = table(&rows).unwrap();
        for (size, number) in rows {
            assert_eq!(g.at(Bytes(size)), Seconds(number));
            let after = g.at(Bytes(size.saturating_add(1))).0;
            let before = g.at(Bytes(size.saturating_sub(1))).0;
            assert!((number..=number + 1.0).contains(&after), "{size}: {after}");
            assert!(
                (number - 1.0..=number).contains(&before),
                "{size}: {before}"
            );
        }
    }

    #[test]
    fn a_sum_of_multiples_is_the_sum_of_the_values() {
        let tables = [
            &[(16, 2.0), (32, 4.0), (33, 9.0), (64, 5.0)][..],
            &[(0, 7.0), (100, 1.0)],
            &[(50, 3.0)],
        ];
        for rows in tables {
            let g = table(rows).unwrap();
            for (step, count) in [(0, 4), (1, 1), (1, 300), (7, 40), (16, 3), (500, 9)] {
                let one_by_one: f64 = (1..=count).map(|j| g.at(Bytes(j * step)).0).sum();
                let sum = g
                    .sum_of_multiples(Bytes(step), u32::try_from(count).unwrap())
                    .0;
                assert!(
                    (sum - one_by_one).abs() < 1e-9,
                    "{rows:?} {step} {count}: {sum}"
                );
            }
        }
    }

    #[test]
    fn impossible_tables_say_what_is_wrong() {
        let message = |rows: &[(u64, f64)]| table(rows).unwrap_err().to_string();
        assert!(message(&[(0, 1.0), (0, 2.0)]).starts_with("g = [… 0 B, 0 B …] is not allowed"));
        assert!(message(&[(8, 1.0), (4, 2.0)]).ends_with("ascending sizes, each once"));
        assert!(message(&[(0, -1.0)]).starts_with("g = -1 is not allowed"));
        assert!(message(&[(0, f64::NAN)]).starts_with("g = NaN"));
        assert!(message(&[]).ends_with("at least one size"));
    }

    #[test]
    fn hockney_survives_the_way_there_and_back() {
        let hockney = Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap();
        let plogp = PLogP::from_hockney(&hockney);
        assert!((plogp.message(Bytes(1000)).0 / 6e-5 - 1.0).abs() < 1e-14);
        let back = plogp.to_hockney().unwrap();
        assert!((back.alpha().0 / 5e-5 - 1.0).abs() < 1e-12);
        assert!((back.beta().0 / 1e-8 - 1.0).abs() < 1e-12);
        assert!(plogp.sizes_with_small_gap(0.0).is_empty());
    }
}
