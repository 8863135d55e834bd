//! What an interrupted sweep has left in its file.

use std::path::Path;

use anyhow::Context;

use super::lines;
use crate::failure::Failure;
use crate::simulate::answers::{Answer, COLUMNS, KEYS};
use crate::simulate::points::Point;

/// How far the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// How many bytes of it are whole lines.
    pub bytes: u64,
    /// How many points these are.
    pub points: usize,
}

/// What of `points` the file `output` holds already: nothing if there is no file. A last
/// line that was cut short does not count.
///
/// # Errors
/// If its header or the keys of a line are not those of the plan, or its last row is not
/// what the plan gives.
pub fn points(output: &Path, header: &[u8], points: &[Point]) -> Result<Kept, Failure> {
    if !output.exists() {
        return Ok(Kept::default());
    }
    let text = std::fs::read(output)
        .with_context(|| format!("{}: cannot be read; check the path", output.display()))
        .map_err(Failure::Usage)?;
    let whole = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let other = |line: usize| {
        Failure::usage(format!(
            "{}:{line}: is not of this plan; choose another --output or remove it",
            output.display()
        ))
    };
    if whole == 0 {
        let is_torn_header = header.starts_with(&text) || header.is_empty();
        return is_torn_header.then(Kept::default).ok_or_else(|| other(1));
    }
    let rows = text[..whole].strip_prefix(header).ok_or_else(|| other(1))?;
    let first = usize::from(!header.is_empty()) + 1;
    let records: Vec<Vec<String>> = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(rows)
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(|_| other(first))?;
    for (index, record) in records.iter().enumerate() {
        let is_of_plan = points.get(index).is_some_and(|point| agrees(record, point));
        if !is_of_plan {
            return Err(other(first + index));
        }
    }
    if let Some(last) = records.len().checked_sub(1) {
        let again = lines(vec![points[last].simulate()?])?;
        if !rows.ends_with(&again) {
            return Err(other(first + last));
        }
    }
    Ok(Kept {
        bytes: whole as u64,
        points: records.len(),
    })
}

/// Whether a row is that of the point, by the columns that are known before it is simulated.
fn agrees(record: &[String], point: &Point) -> bool {
    let keys = Answer::keys(point);
    record.len() == COLUMNS.len()
        && KEYS
            .iter()
            .zip(keys)
            .all(|(&key, value)| record[key] == value)
}
