//! Rows that commands print: as a table for users, or as CSV or JSON for programs.
//!
//! A column has a stable key; a cell has a text for users and a value for programs.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Context;
use clap::ValueEnum;
use netsig_base::text::shown::{printable, printable_json};
use netsig_base::units::{Bytes, Seconds};
use serde_json::Value;

use crate::input::standard;
use crate::print::table::{Breadth, Column, Content, Importance, Layout};

/// Output format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
    pub format: Format,
    /// Show all columns of a table, even if it is wider than the terminal [default: the columns
    /// that are not empty and fit].
    #[arg(long)]
    pub wide: bool,
}

/// One value of a row; the default is an empty cell.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    shown: String,
    value: Value,
}

/// Rows under named columns.
#[derive(Debug)]
pub struct Rows {
    columns: Vec<(&'static str, Importance)>,
    rows: Vec<Vec<Cell>>,
}

/// Rows under construction, column by column.
pub struct Columns<T> {
    items: Vec<T>,
    /// The rows with the columns so far.
    pub rows: Rows,
}

impl Cell {
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

impl Rows {
    /// Creates a row for each item.
    pub fn of<T>(items: impl IntoIterator<Item = T>) -> Columns<T> {
        let items: Vec<T> = items.into_iter().collect();
        let rows = vec![Vec::new(); items.len()];
        Columns {
            items,
            rows: Self::new(&[], rows),
        }
    }

    /// Creates rows with one cell for each column.
    pub fn new(columns: &[&'static str], rows: Vec<Vec<Cell>>) -> Self {
        Self {
            columns: columns.iter().map(|key| (*key, Importance::Main)).collect(),
            rows,
        }
    }

    /// Prints the rows to standard output.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn print(&self, args: PrintArgs) -> anyhow::Result<()> {
        match args.format {
            Format::Table => to_stdout(|out| self.write_table(args.breadth(), out)),
            format => data_to_stdout(|out| self.write(format, out)),
        }
    }

    /// Prints the rows, if there are any, as a table on standard error.
    pub fn tell(&self) {
        if self.is_empty() {
            return;
        }
        let mut table = Vec::new();
        let written = self.write_table(Breadth::of_terminal(), &mut table);
        written.expect("memory can be written");
        eprintln!("{}", String::from_utf8_lossy(&table).trim_end());
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Table => self.write_table(Breadth::of_terminal(), out),
            Format::Csv => out.write_all(&self.csv()?),
            Format::Json => writeln!(out, "{}", printable_json(&self.json().to_string())),
        }
    }

    /// Writes the rows as a table, and nothing without rows.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_table(&self, breadth: Breadth, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let columns = self.columns.iter().enumerate();
        let columns = columns.map(|(index, (key, importance))| {
            let cells = || self.rows.iter().map(|row| &row[index]);
            let is_number = cells().any(Cell::is_number);
            Column {
                name: key.replace('_', " "),
                cells: cells().map(|cell| cell.shown.clone()).collect(),
                content: if is_number { Content::Numbers } else { Content::Text },
                importance: *importance,
            }
        });
        writeln!(out, "{}", Layout::new(columns.collect(), breadth))
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, each with one cell for each of the [`Rows::keys`].
    pub fn cells(&self) -> impl Iterator<Item = &[Cell]> {
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
        let object = |row: &Vec<Cell>| {
            let values = row.iter().map(|cell| cell.value.clone());
            let keys = self.keys().map(str::to_owned);
            Value::Object(keys.zip(values).collect())
        };
        self.rows.iter().map(object).collect()
    }
}

impl<T> Columns<T> {
    /// Adds the column `key`, with a cell for each item.
    #[must_use]
    pub fn column(self, key: &'static str, cell: impl Fn(&T) -> Cell) -> Self {
        self.with(key, Importance::Main, cell)
    }

    /// Adds a column that narrow tables leave out, the greatest `level` first.
    #[must_use]
    pub fn detail(self, level: u8, key: &'static str, cell: impl Fn(&T) -> Cell) -> Self {
        self.with(key, Importance::Detail(level), cell)
    }

    fn with(mut self, key: &'static str, importance: Importance, cell: impl Fn(&T) -> Cell) -> Self {
        self.rows.columns.push((key, importance));
        for (row, item) in self.rows.rows.iter_mut().zip(&self.items) {
            row.push(cell(item));
        }
        self
    }
}

impl PrintArgs {
    /// The columns of a table printed to standard output.
    pub fn breadth(self) -> Breadth {
        if self.wide {
            Breadth::Wide
        } else {
            Breadth::of_terminal()
        }
    }
}

/// Writes the output of `write`, without control characters, to standard output, or to standard error where a
/// file goes to standard output; a closed pipe is no error.
///
/// # Errors
/// If standard output cannot be written.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    pass_on(write, |_| true)
}

/// As [`to_stdout`], for what programs read: control characters stay, unless a terminal would obey them.
///
/// # Errors
/// If standard output cannot be written.
pub fn data_to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    pass_on(write, |is_terminal| is_terminal)
}

fn pass_on(write: impl FnOnce(&mut dyn Write) -> io::Result<()>, is_escaped: fn(bool) -> bool) -> anyhow::Result<()> {
    let mut text = Vec::new();
    let written = write(&mut text).and_then(|()| {
        let (mut out, is_terminal) = place();
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
fn place() -> (Box<dyn Write>, bool) {
    if standard::is_output_taken() {
        (Box::new(io::stderr().lock()), io::stderr().is_terminal())
    } else {
        (Box::new(io::stdout().lock()), io::stdout().is_terminal())
    }
}
