//! Columns of tables in Arrow.

use std::fmt::Display;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};

/// A table under construction, column by column.
#[derive(Default)]
pub struct ArrowColumns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl ArrowColumns {
    /// Adds a column of numbers, null for `None`.
    #[must_use]
    pub fn floats(self, name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values: Float64Array = values.into_iter().collect();
        self.with_column(name, Arc::new(values))
    }

    /// Adds a column of counts, null for `None`.
    #[must_use]
    pub fn counts(self, name: &str, values: impl IntoIterator<Item = Option<u32>>) -> Self {
        let values: UInt32Array = values.into_iter().collect();
        self.with_column(name, Arc::new(values))
    }

    /// Adds a column of sizes or large counts, null for `None`.
    #[must_use]
    pub fn sizes(self, name: &str, values: impl IntoIterator<Item = Option<u64>>) -> Self {
        let values: UInt64Array = values.into_iter().collect();
        self.with_column(name, Arc::new(values))
    }

    /// Adds a column of true and false.
    #[must_use]
    pub fn flags(self, name: &str, values: impl IntoIterator<Item = bool>) -> Self {
        let values: BooleanArray = values.into_iter().map(Some).collect();
        self.with_column(name, Arc::new(values))
    }

    /// Adds a column of texts, null for `None`.
    #[must_use]
    pub fn texts<T: AsRef<str>>(self, name: &str, values: impl IntoIterator<Item = Option<T>>) -> Self {
        let values: StringArray = values.into_iter().collect();
        self.with_column(name, Arc::new(values))
    }

    /// Adds a column of values as text.
    #[must_use]
    pub fn words(self, name: &str, values: impl IntoIterator<Item = impl Display>) -> Self {
        let values = values.into_iter().map(|value| Some(value.to_string()));
        self.texts(name, values)
    }

    fn with_column(mut self, name: &str, array: ArrayRef) -> Self {
        let kind: DataType = array.data_type().clone();
        self.fields.push(Field::new(name, kind, true));
        self.arrays.push(array);
        self
    }

    /// The table.
    pub fn batch(self) -> RecordBatch {
        let schema = Arc::new(Schema::new(self.fields));
        RecordBatch::try_new(schema, self.arrays).expect("columns of one length")
    }
}
