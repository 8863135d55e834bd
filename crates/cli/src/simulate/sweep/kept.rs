//! The rows that an interrupted sweep left in its file.

use std::path::Path;

use netsig_sim::simulate::Point;

use super::varied::VariedColumns;
use crate::input::failure::Failure;
use crate::input::files;
use crate::simulate::answers::{Answer, COLUMNS, KEYS};
use crate::simulate::points;

/// The valid part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// Length of the complete lines in bytes.
    pub bytes: u64,
    /// Number of points in these lines.
    pub points: usize,
}

/// Finds the part of `points` that the file `output` has already; nothing if there is no file. An
/// incomplete last line does not count.
///
/// # Errors
/// If the header or the keys of a line do not match the plan, or a row differs from a repeated
/// simulation (of sampled rows and of an incomplete last row).
pub fn points(output: &Path, header: &[u8], points: &[Point], columns: &VariedColumns) -> Result<Kept, Failure> {
    if !output.exists() {
        return Ok(Kept::default());
    }
    let text = files::read(output, |path| std::fs::read(path))?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let other = |line: usize| {
        Failure::usage(format!(
            "{}:{line}: is not of this plan; choose another --output or remove it",
            output.display()
        ))
    };
    let (whole, torn) = text.split_at(whole);
    if whole.is_empty() && !header.is_empty() {
        let is_of_header = header.starts_with(torn);
        return is_of_header.then(Kept::default).ok_or_else(|| other(1));
    }
    let rows = whole.strip_prefix(header).ok_or_else(|| other(1))?;
    let first = usize::from(!header.is_empty()) + 1;
    let line = |point: &Point| columns.lines(&[*point], vec![points::simulate(point)]);
    let kept = agreeing(rows, points, columns).map_err(|row| other(first + row))?;
    for row in samples(&points[..kept.len()]) {
        let end = kept.get(row + 1).copied().unwrap_or(rows.len());
        if rows[kept[row]..end] != line(&points[row])? {
            return Err(other(first + row));
        }
    }
    if !torn.is_empty() {
        let next = points.get(kept.len()).map(line).transpose()?;
        if !next.is_some_and(|next| next.starts_with(torn)) {
            return Err(other(first + kept.len()));
        }
    }
    Ok(Kept {
        bytes: whole.len() as u64,
        points: kept.len(),
    })
}

/// The offset of each row, or as an error the index of the first row that does not match its point.
fn agreeing(rows: &[u8], points: &[Point], columns: &VariedColumns) -> Result<Vec<usize>, usize> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(rows);
    let mut begins = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|_| index)?;
        let is_of_plan = points.get(index).is_some_and(|point| agrees(&record, point, columns));
        let begin = record.position().filter(|_| is_of_plan).ok_or(index)?;
        begins.push(usize::try_from(begin.byte()).expect("it is in memory"));
    }
    Ok(begins)
}

/// The indices of points whose rows are compared in full: the first of each source, and the last.
fn samples(points: &[Point]) -> Vec<usize> {
    let is_sample = |&index: &usize| {
        let is_new = |last: usize| !std::ptr::eq(points[last].source, points[index].source);
        index + 1 == points.len() || index.checked_sub(1).is_none_or(is_new)
    };
    (0..points.len()).filter(is_sample).collect()
}

/// True if a row matches the point in the columns that are known before its simulation.
fn agrees(record: &csv::StringRecord, point: &Point, columns: &VariedColumns) -> bool {
    let keys = Answer::keys(point.case, point.source);
    let further = columns.values(point);
    record.len() == COLUMNS.len() + further.len()
        && record.iter().skip(COLUMNS.len()).eq(further)
        && KEYS.iter().zip(keys).all(|(&key, value)| record[key] == *value)
}
