//! Columns of tables in Arrow: numbers as float64, counts and sizes as int64, texts, true and false.

use std::fmt::Display;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema};

/// A table under construction, column by column.
#[derive(Default)]
pub struct ArrowColumns<'a> {
    /// The only column to keep; `None` for all.
    kept: Option<&'a str>,
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl<'a> ArrowColumns<'a> {
    /// A table that keeps only the column with a name, and does not compute the others.
    pub fn only(name: &'a str) -> Self {
        Self {
            kept: Some(name),
            ..Self::default()
        }
    }

    /// Adds a column of numbers, null for `None`.
    #[must_use]
    pub fn floats(self, name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        self.with_column(name, || Arc::new(values.into_iter().collect::<Float64Array>()))
    }

    /// Adds a column of counts, null for `None`.
    #[must_use]
    pub fn counts(self, name: &str, values: impl IntoIterator<Item = Option<u32>>) -> Self {
        let values = values.into_iter().map(|value| value.map(i64::from));
        self.with_column(name, || Arc::new(values.collect::<Int64Array>()))
    }

    /// Adds a column of sizes or large counts, null for `None`; larger ones than int64 holds become its largest.
    #[must_use]
    pub fn sizes(self, name: &str, values: impl IntoIterator<Item = Option<u64>>) -> Self {
        let at_most = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let values = values.into_iter().map(|value| value.map(at_most));
        self.with_column(name, || Arc::new(values.collect::<Int64Array>()))
    }

    /// Adds a column of true and false.
    #[must_use]
    pub fn flags(self, name: &str, values: impl IntoIterator<Item = bool>) -> Self {
        let values = values.into_iter().map(Some);
        self.with_column(name, || Arc::new(values.collect::<BooleanArray>()))
    }

    /// Adds a column of texts, null for `None`.
    #[must_use]
    pub fn texts<T: AsRef<str>>(self, name: &str, values: impl IntoIterator<Item = Option<T>>) -> Self {
        self.with_column(name, || Arc::new(values.into_iter().collect::<StringArray>()))
    }

    /// Adds a column of values as text.
    #[must_use]
    pub fn words(self, name: &str, values: impl IntoIterator<Item = impl Display>) -> Self {
        let values = values.into_iter().map(|value| Some(value.to_string()));
        self.texts(name, values)
    }

    fn with_column(mut self, name: &str, array: impl FnOnce() -> ArrayRef) -> Self {
        if self.kept.is_none_or(|kept| kept == name) {
            let array = array();
            let kind: DataType = array.data_type().clone();
            self.fields.push(Field::new(name, kind, true));
            self.arrays.push(array);
        }
        self
    }

    /// The table.
    pub fn batch(self) -> RecordBatch {
        let schema = Arc::new(Schema::new(self.fields));
        let row_count = self.arrays.first().map_or(0, |array| array.len());
        let options = RecordBatchOptions::new().with_row_count(Some(row_count));
        RecordBatch::try_new_with_options(schema, self.arrays, &options).expect("columns of one length")
    }
}
