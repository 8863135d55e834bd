//! Prints rows as a table for users. Columns without content are left out. A value that is the same in all rows is
//! printed once above the table. A table wider than the terminal loses its details, then its last columns; names,
//! numbers and headings stay on one line. Without a terminal the width is fixed, so that tables in files depend on the
//! rows alone.

use std::fmt;

use comfy_table::{Attribute, Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
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
    /// The name.
    pub name: String,
    /// The unit of the cells; `None` if they have their own, or none.
    pub unit: Option<&'static str>,
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
    /// Left-aligned, on one line.
    Names,
    /// Left-aligned sentences, on several lines if necessary.
    Sentences,
    /// Right-aligned, on one line.
    Numbers,
}

/// Condition for leaving a column out of a narrow table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnImportance {
    /// The column is left out if the table without details is too wide: the last texts first, then the last numbers.
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
    /// Width of the lines around the table.
    limit: Option<usize>,
}

/// Width of tables away from a terminal, in characters.
pub const FILE_WIDTH: u16 = 80;

/// A column of sentences is at least so wide, if it has such long lines or words.
const SENTENCE_WIDTHS: SentenceWidths = SentenceWidths { line: 20, word: 24 };

/// Least widths of a column of sentences.
struct SentenceWidths {
    line: usize,
    word: usize,
}

/// A narrow table keeps so many columns, even if they do not fit.
const LEAST_COLUMNS: usize = 2;

/// Characters of borders and gaps for each column, and for the whole table.
const GAPS: (usize, usize) = (2, 2);

impl TextColumn {
    /// The name with the unit.
    fn heading(&self) -> String {
        match self.unit {
            Some(unit) => format!("{} [{unit}]", self.name),
            None => self.name.clone(),
        }
    }

    /// True if the values of all rows are equal.
    fn is_shared(&self) -> bool {
        self.cells.len() > 1 && self.cells.iter().all_equal()
    }

    /// The least width: sentences are split between words, and nothing else is split.
    fn least_width(&self) -> usize {
        let widest = self.cells.iter().map(|cell| width(cell)).max().unwrap_or_default();
        let content = match self.content {
            ColumnContent::Names | ColumnContent::Numbers => widest,
            ColumnContent::Sentences => {
                let words = self.cells.iter().flat_map(|cell| cell.split(' ')).map(width);
                let longest = words.max().unwrap_or_default();
                widest.min(SENTENCE_WIDTHS.line).max(longest.min(SENTENCE_WIDTHS.word))
            }
        };
        content.max(width(&self.heading()))
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

impl TextTable {
    /// Lays out `columns`; the rows with these indices are `emphasised`.
    pub fn new(columns: Vec<TextColumn>, emphasised: &[usize], width: TableWidth) -> Self {
        let TableWidth::Fit(limit) = width else {
            return Self {
                shared: Vec::new(),
                table: table(&columns, emphasised, None),
                left_out: Vec::new(),
                limit: None,
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
        let is_one_row = columns.first().is_some_and(|column| column.cells.len() == 1);
        if is_one_row && least_width(&columns) > limit {
            name_above(&mut columns, &mut shared);
        }
        while least_width(&columns) > limit
            && let Some(dropped) = next_to_leave_out(&mut columns)
        {
            left_out.extend(dropped);
        }
        Self {
            table: table(&columns, emphasised, Some(limit)),
            shared,
            left_out,
            limit: Some(limit),
        }
    }

    /// True if details alone are left out.
    pub fn has_all_main_columns(&self) -> bool {
        let mut left_out = self.left_out.iter();
        left_out.all(|column| column.importance > ColumnImportance::Main)
    }

    /// The text with the codes that a terminal shows as bold.
    pub fn styled(&self) -> String {
        let mut styled_table = self.table.clone();
        styled_table.enforce_styling();
        self.with_notes(&styled_table)
    }

    /// The shared values, the table, and the names of the columns left out.
    fn with_notes(&self, table: &Table) -> String {
        let shared_columns = self.shared.iter();
        let shared = shared_columns.map(|column| format!("{}: {}", column.heading(), column.cells[0]));
        let names = self.left_out.iter().map(|column| column.name.as_str()).join(", ");
        let left_out = format!("left out: {names}; --wide shows them");
        let left_out_words = left_out.split(' ').filter(|_| !self.left_out.is_empty());
        let parts = [
            filled(shared, ", ", self.limit),
            table.to_string(),
            filled(left_out_words, " ", self.limit),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).join("\n")
    }
}

/// The parts with `gap` between them, in lines of at most `limit` characters, as far as the parts allow it.
fn filled(parts: impl Iterator<Item = impl AsRef<str>>, gap: &str, limit: Option<usize>) -> String {
    let mut text = String::new();
    let mut line_width = 0;
    for part in parts {
        let part_width = width(part.as_ref());
        if text.is_empty() {
            line_width = part_width;
        } else if limit.is_none_or(|limit| line_width + width(gap) + part_width < limit) {
            text.push_str(gap);
            line_width += width(gap) + part_width;
        } else {
            text.push_str(gap.trim_end());
            text.push('\n');
            line_width = part_width;
        }
        text.push_str(part.as_ref());
    }
    text
}

/// Moves the names of a single row above its numbers.
fn name_above(columns: &mut Vec<TextColumn>, shared: &mut Vec<TextColumn>) {
    let is_name = |column: &TextColumn| column.content == ColumnContent::Names;
    if !columns.iter().all(is_name) {
        shared.extend(columns.extract_if(.., |column| is_name(column)));
    }
}

/// Takes the least important columns out: the details of the greatest level, else the last text, else the last number.
/// `None` if the others must stay.
fn next_to_leave_out(columns: &mut Vec<TextColumn>) -> Option<Vec<TextColumn>> {
    let least = columns.iter().map(|column| column.importance).max()?;
    if least > ColumnImportance::Main {
        return Some(columns.extract_if(.., |column| column.importance == least).collect());
    }
    if columns.len() <= LEAST_COLUMNS {
        return None;
    }
    let is_text = |column: &TextColumn| column.content != ColumnContent::Numbers;
    let last_text = columns.iter().rposition(is_text);
    // The first text names the rows.
    let index = last_text.filter(|last| columns[..*last].iter().any(is_text));
    Some(vec![columns.remove(index.unwrap_or(columns.len() - 1))])
}

/// The least width of a table.
fn least_width(columns: &[TextColumn]) -> usize {
    let (beside, once) = GAPS;
    let widths = columns.iter().map(|column| column.least_width() + beside);
    widths.sum::<usize>() + once
}

fn table(columns: &[TextColumn], emphasised: &[usize], limit: Option<usize>) -> Table {
    let mut table = Table::new();
    table.force_no_tty();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(columns.iter().map(TextColumn::heading));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        let cells = columns.iter().map(|column| Cell::new(&column.cells[row]));
        if emphasised.contains(&row) {
            table.add_row(cells.map(|cell| cell.add_attribute(Attribute::Bold)));
        } else {
            table.add_row(cells);
        }
    }
    let has_sentences = columns.iter().any(|column| column.content == ColumnContent::Sentences);
    let limit = limit.filter(|_| has_sentences);
    for (index, (table_column, column)) in table.column_iter_mut().zip(columns).enumerate() {
        if column.content == ColumnContent::Numbers {
            table_column.set_cell_alignment(CellAlignment::Right);
        }
        // Between columns the table has a space of its own.
        let padding = (u16::from(index == 0), 1);
        table_column.set_padding(padding);
        let content_width = u16::try_from(column.least_width()).unwrap_or(u16::MAX);
        let least = content_width.saturating_add(padding.0 + padding.1);
        table_column.set_constraint(match column.content {
            ColumnContent::Sentences => ColumnConstraint::LowerBoundary(Width::Fixed(least)),
            ColumnContent::Names | ColumnContent::Numbers => ColumnConstraint::ContentWidth,
        });
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

/// The text without styles.
impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_notes(&self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::ColumnContent::{Names, Numbers, Sentences};
    use super::ColumnImportance::{Detail, Main};
    use super::*;

    fn column(name: &str, cells: [&str; 2], content: ColumnContent, importance: ColumnImportance) -> TextColumn {
        TextColumn {
            name: name.to_owned(),
            unit: None,
            cells: cells.map(str::to_owned).to_vec(),
            content,
            importance,
        }
    }

    fn table(width: TableWidth) -> TextTable {
        let columns = vec![
            column("collective", ["bcast"; 2], Names, Main),
            column("algorithm", ["flat", "windowed:segment=4096"], Names, Main),
            column("segment", [""; 2], Numbers, Main),
            TextColumn {
                unit: Some("ms"),
                ..column("contention free", ["1000", "12.5"], Numbers, Main)
            },
            column("lower", ["500", "10.5"], Numbers, Detail(1)),
            column("standing", ["inside", "outside"], Names, Main),
        ];
        TextTable::new(columns, &[1], width)
    }

    /// Piped, in a wide table, and on screens of 70, 60 and 30 columns.
    #[test]
    fn a_table_shows_what_tells_rows_apart_and_fits() {
        let fit = [FILE_WIDTH, 70, 60, 30].map(TableWidth::Fit);
        let all_widths = [TableWidth::Wide].into_iter().chain(fit);
        let shown_tables = all_widths.map(|width| table(width).to_string()).join("\n\n");
        insta::assert_snapshot!(shown_tables);
    }

    #[test]
    fn sentences_are_split_between_words() {
        let columns = vec![
            column("check", ["interposer", "start"], Names, Main),
            column(
                "cure",
                ["install the package or give its folder", "none"],
                Sentences,
                Main,
            ),
        ];
        let text = TextTable::new(columns, &[], TableWidth::Fit(40)).to_string();
        assert!(text.lines().all(|line| width(line) <= 40), "{text}");
        assert!(text.contains("install the package"), "{text}");
    }

    #[test]
    fn an_emphasised_row_is_bold_where_styles_are_wanted() {
        let bold = table(TableWidth::Wide).styled();
        let bold_lines: Vec<&str> = bold.lines().filter(|line| line.contains('\u{1b}')).collect();
        assert!(matches!(bold_lines[..], [line] if line.contains("windowed")), "{bold}");
        assert!(!table(TableWidth::Wide).to_string().contains('\u{1b}'));
    }
}
