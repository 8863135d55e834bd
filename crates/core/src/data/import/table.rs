//! Tables of numbers between white space under a line of names.

use crate::units::{Bytes, Seconds};

/// The names of a table's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns<'a>(pub Vec<&'a str>);

/// A line of a table.
pub(super) struct Row<'a> {
    columns: &'a Columns<'a>,
    cells: Vec<&'a str>,
}

impl<'a> Columns<'a> {
    /// The names in a line.
    pub fn of(line: &'a str) -> Self {
        Self(line.split_whitespace().collect())
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// The line of cells below the names.
    pub fn row(&'a self, line: &'a str) -> Result<Row<'a>, String> {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.len() == self.0.len() {
            let columns = self;
            return Ok(Row { columns, cells });
        }
        Err(format!(
            "{} values where the table has {} columns; complete or delete the line",
            cells.len(),
            self.0.len()
        ))
    }
}

impl Row<'_> {
    /// The text in a column.
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.columns.0.iter().position(|column| *column == name)?;
        Some(self.cells[index])
    }

    /// The text in a column that there must be.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.get(name)
            .ok_or_else(|| format!("the table has no column {name}; give the whole output"))
    }

    /// A count.
    pub fn count<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        let text = self.text(name)?;
        text.parse().map_err(|_| {
            format!("{name} {text:?} is not a whole number in range; correct or delete the line")
        })
    }

    /// A size in bytes.
    pub fn size(&self, name: &str) -> Result<Bytes, String> {
        self.count(name).map(Bytes)
    }

    /// A time in seconds.
    pub fn seconds(&self, name: &str) -> Result<Seconds, String> {
        self.scaled(name, "")
    }

    /// A time in microseconds. The digits are read with the exponent, so that `278651.54`
    /// is 0.27865154 s and no neighbour of it.
    pub fn microseconds(&self, name: &str) -> Result<Seconds, String> {
        self.scaled(name, "e-6")
    }

    fn scaled(&self, name: &str, exponent: &str) -> Result<Seconds, String> {
        let text = self.text(name)?;
        let number = format!("{text}{exponent}").parse().ok();
        let time = number.filter(|time: &f64| time.is_finite());
        time.map(Seconds)
            .ok_or_else(|| format!("{name} {text:?} is not a time; correct or delete the line"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_digits() {
        let columns = Columns::of("a  b c");
        let row = columns.row(" 278651.54\t0.1 -nan").unwrap();
        assert_eq!(row.microseconds("a").unwrap().0.to_string(), "0.27865154");
        assert_eq!(row.seconds("b"), Ok(Seconds(0.1)));
        assert!(row.microseconds("c").is_err() && row.seconds("c").is_err());
        assert!(row.text("d").is_err() && columns.row("1 2").is_err());
    }
}
