//! Prints rows as a table for users. Columns without content are left out. A value that is the same in all rows is
//! printed once above the table. A table wider than the terminal loses its details. Without a terminal the width is
//! fixed, so that tables in files depend on the rows alone.

use std::fmt;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use itertools::Itertools;

/// Width of a table: all columns, or those that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableWidth {
    /// All columns.
    Wide,
    /// Columns with content, within this number of characters.
    Fit(u16),
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct TextColumn {
    /// Name of the column.
    pub name: String,
    /// One cell for each row.
    pub cells: Vec<String>,
    /// Layout of the cells.
    pub content: ColumnContent,
    /// Condition for leaving the column out.
    pub importance: ColumnImportance,
}

/// Layout of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnContent {
    /// Left-aligned, on several lines if necessary.
    Text,
    /// Right-aligned, on one line.
    Numbers,
}

/// Condition for leaving a column out of a narrow table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnImportance {
    /// The column is always shown.
    Main,
    /// The column is left out if the table is too wide, together with all columns of its level; the greatest level is
    /// left out first.
    Detail(u8),
}

/// A table with the text around it.
#[derive(Debug)]
pub struct TextTable {
    shared: Vec<TextColumn>,
    table: Table,
    left_out: Vec<TextColumn>,
}

impl TableWidth {
    /// The width of the terminal, or [`FILE_WIDTH`] if standard output is no terminal.
    pub fn of_terminal() -> Self {
        Self::Fit(Table::new().width().unwrap_or(FILE_WIDTH))
    }
}

/// Width of tables away from a terminal, in characters.
const FILE_WIDTH: u16 = 120;

/// Characters of borders and gaps for each column, and for the whole table.
const GAPS: (usize, usize) = (3, 1);

impl TextColumn {
    /// True if the values of all rows are equal.
    fn is_shared(&self) -> bool {
        self.cells.len() > 1 && self.cells.iter().all_equal()
    }

    /// The width below which words or numbers would be split.
    fn least_width(&self) -> usize {
        let words = self.name.split(' ');
        let cells = self.cells.iter().map(String::as_str);
        let parts: Box<dyn Iterator<Item = &str>> = match self.content {
            ColumnContent::Numbers => Box::new(cells),
            ColumnContent::Text => Box::new(cells.flat_map(|cell| cell.split(' '))),
        };
        let widths = words.chain(parts).map(|part| part.chars().count());
        widths.max().unwrap_or_default()
    }
}

impl TextTable {
    /// Lays out `columns`.
    pub fn new(columns: Vec<TextColumn>, width: TableWidth) -> Self {
        let TableWidth::Fit(limit) = width else {
            return Self {
                shared: Vec::new(),
                table: table(&columns, None),
                left_out: Vec::new(),
            };
        };
        let is_empty = |column: &TextColumn| column.cells.iter().all(String::is_empty);
        let has_content = columns.into_iter().filter(|column| !is_empty(column));
        let (mut shared, mut columns): (Vec<TextColumn>, Vec<TextColumn>) =
            has_content.partition(TextColumn::is_shared);
        if columns.is_empty() {
            columns.append(&mut shared);
        }
        let mut left_out = Vec::new();
        let limit = usize::from(limit);
        while least_width(&columns) > limit
            && let Some(least) = columns.iter().map(|column| column.importance).max()
            && least > ColumnImportance::Main
        {
            left_out.extend(columns.extract_if(.., |column| column.importance == least));
        }
        Self {
            table: table(&columns, Some(limit)),
            shared,
            left_out,
        }
    }
}

/// The width below which words or numbers of the columns would be split.
fn least_width(columns: &[TextColumn]) -> usize {
    let (beside, once) = GAPS;
    let widths = columns.iter().map(|column| column.least_width() + beside);
    widths.sum::<usize>() + once
}

fn table(columns: &[TextColumn], limit: Option<usize>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(columns.iter().map(|column| &column.name));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        table.add_row(columns.iter().map(|column| &column.cells[row]));
    }
    for (table_column, column) in table.column_iter_mut().zip(columns) {
        if column.content == ColumnContent::Numbers {
            table_column.set_cell_alignment(CellAlignment::Right);
        }
        let least = u16::try_from(column.least_width() + 2).unwrap_or(u16::MAX);
        table_column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
    }
    match limit {
        None => table.set_content_arrangement(ContentArrangement::Disabled),
        Some(limit) => {
            let width = limit.max(least_width(columns));
            table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(u16::try_from(width).unwrap_or(u16::MAX))
        }
    };
    table
}

/// Prints the shared values, the table, and the names of the columns left out.
impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.shared.is_empty() {
            let shared_columns = self.shared.iter();
            let shared = shared_columns.map(|column| format!("{}: {}", column.name, column.cells[0]));
            writeln!(f, "{}", shared.format(", "))?;
        }
        write!(f, "{}", self.table)?;
        if !self.left_out.is_empty() {
            let names = self.left_out.iter().map(|column| &column.name);
            write!(f, "\nleft out: {}; --wide shows them", names.format(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ColumnContent::{Numbers, Text};
    use super::ColumnImportance::{Detail, Main};
    use super::*;

    fn shown(width: TableWidth) -> String {
        let column = |name: &str, cells: [&str; 2], content, importance| TextColumn {
            name: name.to_owned(),
            cells: cells.map(str::to_owned).to_vec(),
            content,
            importance,
        };
        let columns = vec![
            column("collective", ["bcast"; 2], Text, Main),
            column("algorithm", ["flat", "in a chain"], Text, Main),
            column("segment", [""; 2], Numbers, Main),
            column("contention free s", ["1 s", "12.5 ms"], Numbers, Main),
            column("lower s", ["0.5 s", "10.5 ms"], Numbers, Detail(1)),
        ];
        TextTable::new(columns, width).to_string()
    }

    /// Piped, in a wide table, and on screens of 50 and 30 columns.
    #[test]
    fn a_table_shows_what_tells_rows_apart_and_fits() {
        let fit = [FILE_WIDTH, 50, 30].map(TableWidth::Fit);
        let shown_tables = [TableWidth::Wide].into_iter().chain(fit).map(shown).join("\n\n");
        insta::assert_snapshot!(shown_tables);
    }
}
