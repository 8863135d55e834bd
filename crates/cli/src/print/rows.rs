//! Rows that commands print: as a table for users, or as CSV or JSON for programs.
//!
//! A column has a stable key; a cell has a text for users and a value for programs.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Context;
use clap::ValueEnum;
use netsig_base::text::sanitised::{printable, printable_json};
use netsig_base::units::{Bytes, Seconds};
use serde_json::Value;

use crate::input::standard;
use crate::print::table::{ColumnContent, ColumnImportance, TableWidth, TextColumn, TextTable};

/// Output format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PrintFormat {
    /// For people.
    Table,
    /// One header line, then one line a row.
    Csv,
    /// An array of objects.
    Json,
}

/// The options for printing rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct PrintArgs {
    /// Output format.
    #[arg(long, value_enum, default_value = "table")]
    pub format: PrintFormat,
    /// Show all columns of a table, even if it is wider than the terminal [default: the columns
    /// that are not empty and fit].
    #[arg(long)]
    pub wide: bool,
}

/// One value of a row; the default is an empty cell.
#[derive(Debug, Clone, Default)]
pub struct PrintedCell {
    shown: String,
    value: Value,
}

/// Rows under named columns.
#[derive(Debug)]
pub struct PrintedRows {
    columns: Vec<(&'static str, ColumnImportance)>,
    rows: Vec<Vec<PrintedCell>>,
}

/// Rows under construction, column by column.
pub struct RowsBuilder<T> {
    items: Vec<T>,
    /// The rows with the columns so far.
    pub rows: PrintedRows,
}

impl PrintedCell {
    /// A value with a different text for users.
    pub fn shown_as(value: impl Into<Value>, shown: impl fmt::Display) -> Self {
        Self {
            shown: printable(&shown.to_string()).into_owned(),
            value: value.into(),
        }
    }

    /// A word or sentence.
    pub fn text(text: impl fmt::Display) -> Self {
        let text = text.to_string();
        Self::shown_as(text.clone(), text)
    }

    /// A plain number.
    pub fn number(number: impl Into<Value> + ToString + Copy) -> Self {
        Self::shown_as(number, number.to_string())
    }

    /// A size in bytes.
    pub fn size(size: Bytes) -> Self {
        Self::shown_as(size.0, size)
    }

    /// A time in seconds.
    pub fn time(time: Seconds) -> Self {
        Self::shown_as(time.0, time)
    }

    /// The cell of a value; empty for `None`.
    pub fn if_some<T>(value: Option<T>, cell: fn(T) -> Self) -> Self {
        value.map(cell).unwrap_or_default()
    }

    /// The text for users.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// True for a number.
    pub fn is_number(&self) -> bool {
        self.value.is_number()
    }

    /// The same value, not shown in a table.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self {
            shown: String::new(),
            ..self
        }
    }

    /// A relative error, shown in per cent with its sign.
    pub fn error(error: f64) -> Self {
        Self::shown_as(error, format!("{:+.1} %", error * 100.0))
    }

    /// A ratio of times, shown with two decimals.
    pub fn factor(ratio: f64) -> Self {
        Self::shown_as(ratio, format!("{ratio:.2} x"))
    }

    /// An absolute relative error, shown in per cent.
    pub fn share(share: f64) -> Self {
        Self::shown_as(share, format!("{:.1} %", share * 100.0))
    }
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
            columns: columns.iter().map(|key| (*key, ColumnImportance::Main)).collect(),
            rows,
        }
    }

    /// Prints the rows to standard output.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn print(&self, args: PrintArgs) -> anyhow::Result<()> {
        match args.format {
            PrintFormat::Table => to_stdout(|out| self.write_table(args.table_width(), out)),
            format => data_to_stdout(|out| self.write(format, out)),
        }
    }

    /// Prints the rows, if there are any, as a table on standard error.
    pub fn print_to_stderr(&self) {
        if self.is_empty() {
            return;
        }
        let mut table = Vec::new();
        let written = self.write_table(TableWidth::of_terminal(), &mut table);
        written.expect("memory can be written");
        eprintln!("{}", String::from_utf8_lossy(&table).trim_end());
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, format: PrintFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            PrintFormat::Table => self.write_table(TableWidth::of_terminal(), out),
            PrintFormat::Csv => out.write_all(&self.csv()?),
            PrintFormat::Json => writeln!(out, "{}", printable_json(&self.json().to_string())),
        }
    }

    /// Writes the rows as a table, and nothing without rows.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_table(&self, width: TableWidth, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let indexed_columns = self.columns.iter().enumerate();
        let columns = indexed_columns.map(|(index, (key, importance))| {
            let cells = || self.rows.iter().map(|row| &row[index]);
            let is_number = cells().any(PrintedCell::is_number);
            TextColumn {
                name: key.replace('_', " "),
                cells: cells().map(|cell| cell.shown.clone()).collect(),
                content: if is_number {
                    ColumnContent::Numbers
                } else {
                    ColumnContent::Text
                },
                importance: *importance,
            }
        });
        writeln!(out, "{}", TextTable::new(columns.collect(), width))
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
        self.columns.iter().map(|(key, _)| *key)
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

    fn json(&self) -> Value {
        let object = |row: &Vec<PrintedCell>| {
            let values = row.iter().map(|cell| cell.value.clone());
            let keys = self.keys().map(str::to_owned);
            Value::Object(keys.zip(values).collect())
        };
        self.rows.iter().map(object).collect()
    }
}

impl<T> RowsBuilder<T> {
    /// Adds the column `key`, with a cell for each item.
    #[must_use]
    pub fn column(self, key: &'static str, cell: impl Fn(&T) -> PrintedCell) -> Self {
        self.with_column(key, ColumnImportance::Main, cell)
    }

    /// Adds a column that narrow tables leave out, the greatest `level` first.
    #[must_use]
    pub fn detail(self, level: u8, key: &'static str, cell: impl Fn(&T) -> PrintedCell) -> Self {
        self.with_column(key, ColumnImportance::Detail(level), cell)
    }

    fn with_column(
        mut self,
        key: &'static str,
        importance: ColumnImportance,
        cell: impl Fn(&T) -> PrintedCell,
    ) -> Self {
        self.rows.columns.push((key, importance));
        for (row, item) in self.rows.rows.iter_mut().zip(&self.items) {
            row.push(cell(item));
        }
        self
    }
}

impl PrintArgs {
    /// Width of a table printed to standard output.
    pub fn table_width(self) -> TableWidth {
        if self.wide {
            TableWidth::Wide
        } else {
            TableWidth::of_terminal()
        }
    }
}

/// Writes the output of `write`, without control characters, to standard output, or to standard error where a
/// file goes to standard output; a closed pipe is no error.
///
/// # Errors
/// If standard output cannot be written.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    print_text(write, |_| true)
}

/// As [`to_stdout`], for data that programs read: control characters remain, unless a terminal would obey them.
///
/// # Errors
/// If standard output cannot be written.
pub fn data_to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    print_text(write, |is_terminal| is_terminal)
}

fn print_text(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    is_escaped: fn(bool) -> bool,
) -> anyhow::Result<()> {
    let mut text = Vec::new();
    let written = write(&mut text).and_then(|()| {
        let (mut out, is_terminal) = output_stream();
        if is_escaped(is_terminal) {
            text = printable(&String::from_utf8_lossy(&text)).into_owned().into();
        }
        out.write_all(&text)?;
        out.flush()
    });
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("standard output cannot be written; is the disk full?"),
    }
}

/// Where commands print, and whether it is a terminal.
fn output_stream() -> (Box<dyn Write>, bool) {
    if standard::is_output_taken() {
        (Box::new(io::stderr().lock()), io::stderr().is_terminal())
    } else {
        (Box::new(io::stdout().lock()), io::stdout().is_terminal())
    }
}
