//! Rows under named columns: as a table for users, or as CSV or JSON for programs.
//!
//! A column has a stable key; a cell has a text for users and a value for programs.

mod cell;
pub mod quantity;
pub mod table;

use std::io::{self, Write};

use itertools::Itertools as _;
use netsig_base::text::sanitised::printable_json;
use netsig_base::units::SecondsUnit;
use serde_json::Value;

pub use self::cell::PrintedCell;
use self::quantity::{CellQuantity, ColumnUnit, name_and_unit};
use self::table::{ColumnContent, ColumnImportance, TableWidth, TextColumn, TextTable};

/// Rows under named columns.
#[derive(Debug)]
pub struct PrintedRows {
    columns: Vec<PrintedColumn>,
    rows: Vec<Vec<PrintedCell>>,
    /// Indices of the rows to emphasise.
    emphasised: Vec<usize>,
}

/// A table is divided only if its parts have so many rows in the mean.
const LEAST_PART: usize = 3;

/// A column of rows.
#[derive(Debug)]
struct PrintedColumn {
    key: &'static str,
    importance: ColumnImportance,
    /// Layout of its texts.
    text_content: ColumnContent,
}

/// Rows under construction, column by column.
pub struct RowsBuilder<T> {
    items: Vec<T>,
    /// The rows with the columns so far.
    pub rows: PrintedRows,
}

impl PrintedRows {
    /// Creates a row for each item.
    pub fn of<T>(items: impl IntoIterator<Item = T>) -> RowsBuilder<T> {
        let items: Vec<T> = items.into_iter().collect();
        let rows = vec![Vec::new(); items.len()];
        RowsBuilder {
            items,
            rows: Self::new(&[], rows),
        }
    }

    /// Creates rows with one cell for each column.
    pub fn new(columns: &[&'static str], rows: Vec<Vec<PrintedCell>>) -> Self {
        Self {
            columns: columns.iter().map(|key| PrintedColumn::main(key)).collect(),
            rows,
            emphasised: Vec::new(),
        }
    }

    /// Makes details of the columns with these keys, which narrow tables leave out, the greatest `level` first.
    #[must_use]
    pub fn with_details(mut self, level: u8, keys: &[&str]) -> Self {
        for column in self.columns.iter_mut().filter(|column| keys.contains(&column.key)) {
            column.importance = ColumnImportance::Detail(level);
        }
        self
    }

    /// Writes the rows as a table, and nothing without rows.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_table(&self, width: TableWidth, out: &mut dyn Write) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", self.tables(width).iter().join("\n\n"))
    }

    /// The rows as a table; as a table for each value of the first column, if a wide table would lose more than details.
    pub fn tables(&self, width: TableWidth) -> Vec<TextTable> {
        if self.is_empty() {
            return Vec::new();
        }
        let all: Vec<usize> = (0..self.rows.len()).collect();
        let whole = self.table(&all, width);
        let parts: Vec<&[usize]> = all
            .chunk_by(|one, next| self.rows[*one][0].shown == self.rows[*next][0].shown)
            .collect();
        if whole.has_all_main_columns() || parts.len() * LEAST_PART > self.rows.len() {
            return vec![whole];
        }
        parts.into_iter().map(|part| self.table(part, width)).collect()
    }

    /// The rows with these indices as a table.
    fn table(&self, indices: &[usize], width: TableWidth) -> TextTable {
        let mut time_unit = None;
        let indexed_columns = self.columns.iter().enumerate();
        let columns = indexed_columns.map(|(column_index, column)| {
            let cells = indices.iter().map(|index| &self.rows[*index][column_index]);
            let cells_of_column: Vec<&PrintedCell> = cells.collect();
            let unit = column_unit(&cells_of_column, time_unit);
            time_unit = time_unit.or(unit.and_then(ColumnUnit::time));
            column.text_column(&cells_of_column, unit)
        });
        let positions = indices.iter().positions(|index| self.emphasised.contains(index));
        TextTable::new(columns.collect(), &positions.collect::<Vec<usize>>(), width)
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, each with one cell for each of the [`PrintedRows::keys`].
    pub fn cells(&self) -> impl Iterator<Item = &[PrintedCell]> {
        self.rows.iter().map(Vec::as_slice)
    }

    /// The keys of the columns.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.key)
    }

    /// The rows as CSV.
    pub fn csv_text(&self) -> String {
        let csv = self.csv().expect("memory can be written");
        String::from_utf8(csv).expect("the keys and values are text")
    }

    fn csv(&self) -> io::Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.keys())?;
        for row in &self.rows {
            let values: Vec<&Value> = row.iter().map(|cell| &cell.value).collect();
            writer.serialize(values)?;
        }
        writer.into_inner().map_err(csv::IntoInnerError::into_error)
    }

    /// The rows as JSON: an array of objects.
    pub fn json_text(&self) -> String {
        let object = |row: &Vec<PrintedCell>| {
            let values = row.iter().map(|cell| cell.value.clone());
            let keys = self.keys().map(str::to_owned);
            Value::Object(keys.zip(values).collect())
        };
        let array: Value = self.rows.iter().map(object).collect();
        printable_json(&array.to_string()).into_owned()
    }
}

/// The unit of a column with these cells. A value that all rows share keeps its unit in the cell.
fn column_unit(cells: &[&PrintedCell], earlier: Option<SecondsUnit>) -> Option<ColumnUnit> {
    let is_shared = cells.len() > 1 && cells.iter().map(|cell| cell.shown()).all_equal();
    let filled = cells.iter().filter(|cell| !cell.shown.is_empty() && !is_shared);
    let quantities: Vec<CellQuantity> = filled.map(|cell| cell.quantity).collect();
    ColumnUnit::of(&quantities, earlier)
}

impl PrintedColumn {
    fn main(key: &'static str) -> Self {
        Self {
            key,
            importance: ColumnImportance::Main,
            text_content: ColumnContent::Names,
        }
    }

    /// The column of a table with these cells, in this unit.
    fn text_column(&self, cells: &[&PrintedCell], unit: Option<ColumnUnit>) -> TextColumn {
        let (name, unit_of_key) = name_and_unit(self.key);
        TextColumn {
            name,
            unit: unit.map(ColumnUnit::name).or(unit_of_key),
            cells: cells.iter().map(|cell| cell.shown_in(unit)).collect(),
            content: if cells.iter().any(|cell| cell.is_number()) {
                ColumnContent::Numbers
            } else {
                self.text_content
            },
            importance: self.importance,
        }
    }
}

impl<T> RowsBuilder<T> {
    /// Adds the column `key`, with a cell for each item.
    #[must_use]
    pub fn column(self, key: &'static str, cell: impl Fn(&T) -> PrintedCell) -> Self {
        self.with_column(PrintedColumn::main(key), cell)
    }

    /// Adds a column of sentences, which tables split between words.
    #[must_use]
    pub fn sentences(self, key: &'static str, cell: impl Fn(&T) -> PrintedCell) -> Self {
        let column = PrintedColumn {
            text_content: ColumnContent::Sentences,
            ..PrintedColumn::main(key)
        };
        self.with_column(column, cell)
    }

    /// Adds a column that narrow tables leave out, the greatest `level` first.
    #[must_use]
    pub fn detail(self, level: u8, key: &'static str, cell: impl Fn(&T) -> PrintedCell) -> Self {
        let column = PrintedColumn {
            importance: ColumnImportance::Detail(level),
            ..PrintedColumn::main(key)
        };
        self.with_column(column, cell)
    }

    /// Shows the rows of these items bold on a terminal.
    #[must_use]
    pub fn emphasised(mut self, is_emphasised: impl Fn(&T) -> bool) -> Self {
        let indexed_items = self.items.iter().enumerate();
        let found = indexed_items.filter(|(_, item)| is_emphasised(item));
        self.rows.emphasised = found.map(|(index, _)| index).collect();
        self
    }

    fn with_column(mut self, column: PrintedColumn, cell: impl Fn(&T) -> PrintedCell) -> Self {
        self.rows.columns.push(column);
        for (row, item) in self.rows.rows.iter_mut().zip(&self.items) {
            row.push(cell(item));
        }
        self
    }
}
