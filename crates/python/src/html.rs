//! Tables for notebooks: the first rows in HTML, without scripts and styles of other elements.

use std::fmt;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use netsig_base::text::sanitised::printable;
use netsig_base::units::{Bytes, Seconds, three_digits};

/// Greatest number of characters of a cell.
const MOST_CHARACTERS: usize = 100;

/// The first rows of a table under a title.
pub struct HtmlTable<'a> {
    /// The title.
    pub title: &'a str,
    /// The rows to show.
    pub rows: RecordBatch,
    /// Number of all rows.
    pub row_count: usize,
}

impl HtmlTable<'_> {
    /// Greatest number of rows that are shown.
    pub const MOST_ROWS: usize = 10;
}

impl fmt::Display for HtmlTable<'_> {
    /// The table without columns that are empty in all shown rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.rows.schema_ref();
        let all_columns = schema.fields().iter().zip(self.rows.columns());
        let shown: Vec<(&str, &ArrayRef)> = all_columns
            .filter(|(_, column)| column.is_empty() || column.null_count() < column.len())
            .map(|(field, column)| (field.name().as_str(), column))
            .collect();
        write!(f, "<div><p>{}</p>", markup(self.title))?;
        f.write_str("<table><thead><tr>")?;
        for (name, column) in &shown {
            write!(
                f,
                "<th style=\"text-align: {}\">{}</th>",
                alignment(column),
                markup(name)
            )?;
        }
        f.write_str("</tr></thead><tbody>")?;
        for row in 0..self.rows.num_rows() {
            f.write_str("<tr>")?;
            for (name, column) in &shown {
                let text = cell(name, column, row);
                write!(
                    f,
                    "<td style=\"text-align: {}\">{}</td>",
                    alignment(column),
                    markup(&text)
                )?;
            }
            f.write_str("</tr>")?;
        }
        f.write_str("</tbody></table>")?;
        if let Some(more @ 1..) = self.row_count.checked_sub(self.rows.num_rows()) {
            write!(f, "<p>… {more} more</p>")?;
        }
        f.write_str("</div>")
    }
}

fn alignment(column: &ArrayRef) -> &'static str {
    match column.data_type() {
        DataType::Float64 | DataType::Int64 => "right",
        _ => "left",
    }
}

/// A value as the command line prints it: times and sizes with units, other numbers with three digits.
fn cell(name: &str, column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    match column.data_type() {
        DataType::Boolean => if column.as_boolean().value(row) { "yes" } else { "no" }.to_owned(),
        DataType::Float64 => {
            let value = column.as_primitive::<Float64Type>().value(row);
            if name.ends_with("_s") {
                Seconds(value).to_string()
            } else {
                three_digits(value)
            }
        }
        DataType::Int64 => {
            let value = column.as_primitive::<Int64Type>().value(row);
            match u64::try_from(value) {
                Ok(bytes) if name.ends_with("_bytes") => Bytes(bytes).to_string(),
                _ => value.to_string(),
            }
        }
        _ => shortened(column.as_string::<i32>().value(row)),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Text as HTML shows it, without control characters.
fn markup(text: &str) -> String {
    let printable_text = printable(text);
    let mut html = String::with_capacity(printable_text.len());
    for sign in printable_text.chars() {
        match sign {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}
