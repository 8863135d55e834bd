//! The columns of a sweep's rows: those of every simulation, and all that differs between the blocks of the
//! plan.

use std::collections::HashMap;
use std::ptr;

use itertools::Itertools;
use netsig_sim::simulate::{Point, Source};

use super::plan::{Plan, STATED, Stated};
use crate::input::failure::Failure;
use crate::print::rows::{Cell, Format, Rows};
use crate::simulate::answers::{Answer, COLUMNS};

/// The further columns of a sweep, with their values for each source.
#[derive(Debug)]
pub struct VariedColumns<'a> {
    /// Indices into [`STATED`].
    varied: Vec<usize>,
    stated: HashMap<*const Source, &'a Stated>,
}

impl<'a> VariedColumns<'a> {
    /// Those in which the blocks of a plan differ.
    pub fn of(plan: &'a Plan) -> Self {
        let is_varied = |&column: &usize| {
            let mut values = plan.stated().map(|(_, stated)| &stated[column]);
            !values.all_equal()
        };
        let stated = plan.stated();
        Self {
            varied: (0..STATED.len()).filter(is_varied).collect(),
            stated: stated.map(|(source, stated)| (ptr::from_ref(source), stated)).collect(),
        }
    }

    /// The names of all columns.
    pub fn names(&self) -> Vec<&'static str> {
        let further = self.varied.iter().map(|&column| STATED[column]);
        COLUMNS.into_iter().chain(further).collect()
    }

    /// The values of the further columns for a point.
    pub fn values(&self, point: &Point) -> Vec<&str> {
        let stated = self.stated[&ptr::from_ref(point.source)];
        let values = self.varied.iter().map(|&column| stated[column].as_str());
        values.collect()
    }

    /// The results as lines of CSV, without the header.
    ///
    /// # Errors
    /// If a result is missing.
    pub fn lines(&self, points: &[Point], answers: Vec<Result<Answer, Failure>>) -> Result<Vec<u8>, Failure> {
        let answers: Vec<Answer> = answers.into_iter().collect::<Result<_, _>>()?;
        let rows = answers.into_iter().zip(points).map(|(answer, point)| {
            let further = self.values(point).into_iter().map(Cell::text);
            answer.cells.into_iter().chain(further).collect()
        });
        let mut text = Vec::new();
        let written = Rows::new(&self.names(), rows.collect()).write(Format::Csv, &mut text);
        written.map_err(anyhow::Error::from)?;
        let end = text.iter().position(|&byte| byte == b'\n');
        text.drain(..=end.unwrap_or_default());
        Ok(text)
    }
}
