//! The columns of a sweep's rows: the columns of every simulation, and the options that differ between the blocks of
//! the plan.

use std::collections::HashMap;
use std::ptr;

use itertools::Itertools;
use netsig_sim::simulate::{SimModel, SimPoint};

use super::plan::{STATED_COLUMNS, StatedOptions, SweepPlan};
use crate::input::failure::Failure;
use crate::simulate::result_rows::{COLUMNS, SimulationRow};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// The further columns of a sweep, with their values for each network model.
#[derive(Debug)]
pub struct VariedColumns<'a> {
    /// Indices into [`STATED_COLUMNS`].
    varied: Vec<usize>,
    stated: HashMap<*const SimModel, &'a StatedOptions>,
}

impl<'a> VariedColumns<'a> {
    /// The columns in which the blocks of a plan differ.
    pub fn of(plan: &'a SweepPlan) -> Self {
        let is_varied = |&column: &usize| {
            let mut values = plan.stated_options().map(|(_, stated)| &stated[column]);
            !values.all_equal()
        };
        let stated = plan.stated_options();
        Self {
            varied: (0..STATED_COLUMNS.len()).filter(is_varied).collect(),
            stated: stated
                .map(|(sim_model, stated)| (ptr::from_ref(sim_model), stated))
                .collect(),
        }
    }

    /// The names of all columns.
    pub fn names(&self) -> Vec<&'static str> {
        let further = self.varied.iter().map(|&column| STATED_COLUMNS[column]);
        COLUMNS.into_iter().chain(further).collect()
    }

    /// The values of the further columns for a point.
    pub fn values(&self, point: &SimPoint) -> Vec<&str> {
        let stated = self.stated[&ptr::from_ref(point.sim_model)];
        let values = self.varied.iter().map(|&column| stated[column].as_str());
        values.collect()
    }

    /// The results as lines of CSV, without the header.
    ///
    /// # Errors
    /// If a result is missing.
    pub fn lines(&self, points: &[SimPoint], results: Vec<Result<SimulationRow, Failure>>) -> Result<Vec<u8>, Failure> {
        let simulated: Vec<SimulationRow> = results.into_iter().collect::<Result<_, _>>()?;
        let rows = simulated.into_iter().zip(points).map(|(row, point)| {
            let further = self.values(point).into_iter().map(PrintedCell::text);
            row.cells.into_iter().chain(further).collect()
        });
        let text = PrintedRows::new(&self.names(), rows.collect()).csv_text();
        Ok(text.split_once('\n').map_or(Vec::new(), |(_, lines)| lines.into()))
    }
}
