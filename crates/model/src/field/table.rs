//! γ(n, m) and its deviation as a table, interpolated between its nodes.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};
use serde::{Deserialize, Serialize};

/// γ and the standard deviation of ln γ, a row for each process count and a column for each size. Between nodes ln γ
/// and the deviation are linear in ln n and ln m. They are constant beyond the sizes, and the lines go on beyond the
/// counts. Where a library replaces the algorithm, nodes of the algorithm itself do not count, and the other way round.
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

/// A node beside a case.
#[derive(Debug, Clone, Copy)]
struct TableNode {
    row: usize,
    column: usize,
    /// Share of its value; negative where the line goes on beyond the counts.
    share: f64,
}

/// Least share of a node where those unlike the case are left out.
const LEAST_SHARE: f64 = 1e-6;

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
        self.at_alike(procs, size, |_, _| true)
    }

    /// γ at a case, from nodes like it if some of its neighbours are; `is_alike` tells so of a node.
    pub(super) fn at_alike(&self, procs: Procs, size: Bytes, is_alike: impl Fn(Procs, Bytes) -> bool) -> FieldRatio {
        let n = f64::from(procs.get()).ln();
        let m = size.as_f64().max(1.0).ln();
        let (row, down) = locate(&self.procs, n, |count| f64::from(count.get()));
        let (column, unclamped_right) = locate(&self.sizes_bytes, m, |node_size| node_size.as_f64().max(1.0));
        let right = unclamped_right.clamp(0.0, 1.0);
        let last = [self.procs.len() - 1, self.sizes_bytes.len() - 1];
        let shares = [(0, 1.0 - down), (1, down)].into_iter();
        let neighbours = shares.cartesian_product([(0, 1.0 - right), (1, right)]);
        let nodes = neighbours.map(|((below, of_row), (beside, of_column))| TableNode {
            row: (row + below).min(last[0]),
            column: (column + beside).min(last[1]),
            share: of_row * of_column,
        });
        let all_nodes = nodes.collect_vec();
        let alike = all_nodes
            .iter()
            .filter(|node| is_alike(self.procs[node.row], self.sizes_bytes[node.column]));
        let mut used = alike.copied().collect_vec();
        if used.len() < all_nodes.len() && !used.is_empty() {
            let all: f64 = used.iter().map(|node| node.share.max(LEAST_SHARE)).sum();
            for node in &mut used {
                node.share = node.share.max(LEAST_SHARE) / all;
            }
        } else {
            used = all_nodes;
        }
        let value = |table: &[Vec<f64>], transform: fn(f64) -> f64| -> f64 {
            let parts = used
                .iter()
                .map(|node| node.share * transform(table[node.row][node.column]));
            parts.sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::procs;

    /// Half way between two counts γ is the geometric mean, or that of the count which is like the case.
    #[test]
    fn nodes_unlike_the_case_do_not_count() {
        let counts = [8, 32].map(procs);
        let table = FieldTable::of(&counts, &[Bytes(64)], &[1.0, 4.0], &[0.1, 0.3]);
        let at = |is_alike: fn(Procs) -> bool| table.at_alike(procs(16), Bytes(64), |count, _| is_alike(count)).gamma;
        for (found, expected) in [
            (at(|_| true), 2.0),
            (at(|count| count.get() > 8), 4.0),
            (at(|_| false), 2.0),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }
}
