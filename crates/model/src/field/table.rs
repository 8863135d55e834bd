//! γ(n, m) and its deviation as a table, interpolated between its nodes.

use netsig_base::units::{Bytes, Procs};
use serde::{Deserialize, Serialize};

/// γ and the standard deviation of ln γ, a row for each process count and a column for each size. Between nodes ln γ
/// and the deviation are linear in ln n and ln m. They are constant beyond the sizes, and the lines go on beyond the
/// counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldTable {
    /// Process counts, ascending.
    pub procs: Vec<Procs>,
    /// Sizes, ascending.
    pub sizes_bytes: Vec<Bytes>,
    /// γ.
    pub gamma: Vec<Vec<f64>>,
    /// Standard deviation of ln γ for a new measurement.
    pub deviation: Vec<Vec<f64>>,
}

/// γ and its deviation at a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldRatio {
    /// γ.
    pub gamma: f64,
    /// Standard deviation of ln γ.
    pub deviation: f64,
}

/// Significant digits of stored numbers.
const DIGITS: i32 = 4;

impl FieldTable {
    /// The table of values at every count and size, listed count by count.
    pub(super) fn of(procs: &[Procs], sizes: &[Bytes], gamma: &[f64], deviation: &[f64]) -> Self {
        let rows = |values: &[f64]| {
            let value_rows = values.chunks(sizes.len());
            value_rows
                .map(|row| row.iter().map(|value| rounded(*value)).collect())
                .collect()
        };
        Self {
            procs: procs.to_vec(),
            sizes_bytes: sizes.to_vec(),
            gamma: rows(gamma),
            deviation: rows(deviation),
        }
    }

    /// γ at a case.
    pub fn at(&self, procs: Procs, size: Bytes) -> FieldRatio {
        let n = f64::from(procs.get()).ln();
        let m = size.as_f64().max(1.0).ln();
        let (row, down) = locate(&self.procs, n, |count| f64::from(count.get()));
        let (column, unclamped_right) = locate(&self.sizes_bytes, m, |node_size| node_size.as_f64().max(1.0));
        let right = unclamped_right.clamp(0.0, 1.0);
        let value = |table: &[Vec<f64>], transform: fn(f64) -> f64| {
            let in_row = |row_index: usize| {
                let row = &table[row_index.min(table.len() - 1)];
                let [a, b] = [column, column + 1].map(|index| transform(row[index.min(row.len() - 1)]));
                a + right * (b - a)
            };
            let [a, b] = [row, row + 1].map(in_row);
            a + down * (b - a)
        };
        FieldRatio {
            gamma: value(&self.gamma, f64::ln).exp(),
            deviation: value(&self.deviation, |deviation| deviation).max(0.0),
        }
    }

    /// Refuses a table that no fit makes.
    pub(super) fn check(&self) -> Result<(), String> {
        let ascend = self.procs.is_sorted_by(|a, b| a < b) && self.sizes_bytes.is_sorted_by(|a, b| a < b);
        if self.procs.is_empty() || self.sizes_bytes.is_empty() || !ascend {
            return Err("procs and sizes_bytes must ascend and not be empty".to_owned());
        }
        for (name, table, least) in [
            ("gamma", &self.gamma, f64::MIN_POSITIVE),
            ("deviation", &self.deviation, 0.0),
        ] {
            let is_full =
                table.len() == self.procs.len() && table.iter().all(|row| row.len() == self.sizes_bytes.len());
            if !is_full {
                return Err(format!(
                    "{name} must have a row for each of procs and a column for each of sizes_bytes"
                ));
            }
            if let Some(value) = table
                .iter()
                .flatten()
                .find(|entry| !entry.is_finite() || **entry < least)
            {
                return Err(format!(
                    "{name} has {value}; it must be finite and {}",
                    if least > 0.0 { "above 0" } else { "at least 0" }
                ));
            }
        }
        Ok(())
    }
}

/// Position of x among the logarithms of nodes: the node before it, and the fraction of the way to the next node.
fn locate<T>(nodes: &[T], x: f64, value: impl Fn(&T) -> f64) -> (usize, f64) {
    let log = |index: usize| value(&nodes[index]).ln();
    let last = nodes.len() - 1;
    if last == 0 {
        return (0, 0.0);
    }
    let nodes_up_to = nodes.partition_point(|node| value(node).ln() <= x);
    let before = nodes_up_to.clamp(1, last) - 1;
    (before, (x - log(before)) / (log(before + 1) - log(before)))
}

fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the decimal exponent of a double")]
    let scale = 10f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}
