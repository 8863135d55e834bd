//! Rows and texts of commands on standard output.

use std::io::{self, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};
use anyhow::Context;
use clap::ValueEnum;
use comfy_table::Table;
use itertools::Itertools as _;
use netsig_base::text::sanitised::printable;
use netsig_render::rows::PrintedRows;
use netsig_render::rows::table::{FILE_WIDTH, TableWidth, TextTable};

use crate::input::standard;

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

impl PrintArgs {
    /// Width of a table printed to standard output.
    pub fn table_width(self) -> TableWidth {
        if self.wide { TableWidth::Wide } else { terminal_width() }
    }
}

/// The width of the terminal, or a fixed one if standard output is no terminal, so that tables in files depend on the
/// rows alone.
pub fn terminal_width() -> TableWidth {
    TableWidth::Fit(Table::new().width().unwrap_or(FILE_WIDTH))
}

/// Prints the rows to standard output.
///
/// # Errors
/// If standard output cannot be written.
pub fn print_rows(rows: &PrintedRows, args: PrintArgs) -> anyhow::Result<()> {
    match args.format {
        PrintFormat::Table if is_styled() && !rows.is_empty() => table_to_stdout(|out| {
            let tables = rows.tables(args.table_width());
            writeln!(out, "{}", tables.iter().map(TextTable::styled).join("\n\n"))
        }),
        PrintFormat::Table => to_stdout(|out| rows.write_table(args.table_width(), out)),
        PrintFormat::Csv => data_to_stdout(|out| out.write_all(rows.csv_text().as_bytes())),
        PrintFormat::Json => data_to_stdout(|out| writeln!(out, "{}", rows.json_text())),
    }
}

/// Prints the rows, if there are any, as a table on standard error.
pub fn print_rows_to_stderr(rows: &PrintedRows) {
    if rows.is_empty() {
        return;
    }
    let mut table = Vec::new();
    let written = rows.write_table(terminal_width(), &mut table);
    written.expect("memory can be written");
    eprintln!("{}", String::from_utf8_lossy(&table).trim_end());
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

/// As [`to_stdout`], for a table with styles, whose cells have no control characters.
fn table_to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    print_text(write, |_| false)
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

/// True if the stream of the output shows styles: a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
fn is_styled() -> bool {
    let choice = if standard::is_output_taken() {
        AutoStream::choice(&io::stderr())
    } else {
        AutoStream::choice(&io::stdout())
    };
    choice != ColorChoice::Never
}
