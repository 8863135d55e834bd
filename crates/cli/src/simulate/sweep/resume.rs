//! The rows that an interrupted sweep left in its file.

use std::path::Path;

use netsig_sim::simulate::SimPoint;

use super::varied::VariedColumns;
use crate::input::failure::Failure;
use crate::input::files;
use crate::simulate::points;
use crate::simulate::result_rows::{COLUMNS, KEY_COLUMNS, SimulationRow};

/// The valid part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweepProgress {
    /// Length of the complete lines in bytes.
    pub bytes: u64,
    /// Number of points in these lines.
    pub points: usize,
}

/// Finds the part of `points` that the file `output` has already; nothing if there is no file. An
/// incomplete last line does not count.
///
/// # Errors
/// If the header or the keys of a line do not match the plan, or if a sampled or incomplete last row differs from a
/// repeated simulation.
pub fn finished_part(
    output: &Path,
    header: &[u8],
    points: &[SimPoint],
    columns: &VariedColumns,
) -> Result<SweepProgress, Failure> {
    if !output.exists() {
        return Ok(SweepProgress::default());
    }
    let text = files::read(output, |path| std::fs::read(path))?;
    let whole_length = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let foreign_line = |line: usize| {
        Failure::usage(format!(
            "{}:{line}: is not of this plan; choose another --output or remove it",
            output.display()
        ))
    };
    let (whole, torn) = text.split_at(whole_length);
    if whole.is_empty() && !header.is_empty() {
        let is_of_header = header.starts_with(torn);
        return is_of_header.then(SweepProgress::default).ok_or_else(|| foreign_line(1));
    }
    let rows = whole.strip_prefix(header).ok_or_else(|| foreign_line(1))?;
    let first = usize::from(!header.is_empty()) + 1;
    let line = |point: &SimPoint| columns.lines(&[*point], vec![points::simulate(point)]);
    let row_offsets = offsets_of_matching_rows(rows, points, columns).map_err(|row| foreign_line(first + row))?;
    for row in sampled_rows(&points[..row_offsets.len()]) {
        let end = row_offsets.get(row + 1).copied().unwrap_or(rows.len());
        if rows[row_offsets[row]..end] != line(&points[row])? {
            return Err(foreign_line(first + row));
        }
    }
    if !torn.is_empty() {
        let next = points.get(row_offsets.len()).map(line).transpose()?;
        if !next.is_some_and(|next| next.starts_with(torn)) {
            return Err(foreign_line(first + row_offsets.len()));
        }
    }
    Ok(SweepProgress {
        bytes: whole.len() as u64,
        points: row_offsets.len(),
    })
}

/// The offset of each row, or as an error the index of the first row that does not match its point.
fn offsets_of_matching_rows(rows: &[u8], points: &[SimPoint], columns: &VariedColumns) -> Result<Vec<usize>, usize> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(rows);
    let mut begins = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|_| index)?;
        let is_of_plan = points
            .get(index)
            .is_some_and(|point| is_row_of_point(&record, point, columns));
        let begin = record.position().filter(|_| is_of_plan).ok_or(index)?;
        begins.push(usize::try_from(begin.byte()).expect("it is in memory"));
    }
    Ok(begins)
}

/// The indices of points whose rows are compared in full: the first of each network model, and the last.
fn sampled_rows(points: &[SimPoint]) -> Vec<usize> {
    let is_sample = |&index: &usize| {
        let is_new = |last: usize| !std::ptr::eq(points[last].sim_model, points[index].sim_model);
        index + 1 == points.len() || index.checked_sub(1).is_none_or(is_new)
    };
    (0..points.len()).filter(is_sample).collect()
}

/// True if a row matches the point in the columns that are known before its simulation.
fn is_row_of_point(record: &csv::StringRecord, point: &SimPoint, columns: &VariedColumns) -> bool {
    let keys = SimulationRow::keys(point.case, point.sim_model);
    let further = columns.values(point);
    record.len() == COLUMNS.len() + further.len()
        && record.iter().skip(COLUMNS.len()).eq(further)
        && KEY_COLUMNS.iter().zip(keys).all(|(&key, value)| record[key] == *value)
}
