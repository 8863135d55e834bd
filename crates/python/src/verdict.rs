//! Verdicts for Python, in the words of the command line.

use netsig_base::data::Dataset;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use netsig_model::profile::Profile;
use netsig_model::verdict::VerdictRequest;
use pyo3::prelude::*;

use crate::columns::ArrowColumns;
use crate::dataset::given::GivenDataset;
use crate::error::refused;
use crate::network::{NetworkArgument, given_network};
use crate::table::PyResultTable;

/// Arguments of a verdict.
pub struct VerdictArguments<'py> {
    /// Measured data.
    pub data: Option<GivenDataset<'py>>,
    /// Process count of the changes.
    pub procs: Option<u32>,
    /// The links of the network.
    pub network: Option<NetworkArgument<'py>>,
}

impl VerdictArguments<'_> {
    /// The answers of all collectives, a row each.
    ///
    /// # Errors
    /// If the process count is zero, or there is no such network.
    pub fn table(self, py: Python<'_>, profile: &Profile, name: &str) -> PyResult<PyResultTable> {
        let network = given_network(self.network)?;
        let procs = self.procs.map(Procs::new).transpose();
        let dataset = self.data.map(GivenDataset::into_bound);
        let no_data = Dataset::default();
        let request = VerdictRequest {
            profile: Some(profile),
            profile_name: name,
            data: dataset.as_ref().map_or(&no_data, |dataset| &dataset.get().data),
            network: network.as_ref(),
            procs: procs.map_err(|error| refused(py, Refusal::request(error)))?,
        };
        let verdicts = request.verdicts();
        let answers = || {
            let each = verdicts.iter();
            each.flat_map(|verdict| verdict.answers().into_iter().map(|answer| (verdict.collective, answer)))
        };
        let columns = ArrowColumns::default()
            .words("collective", answers().map(|(collective, _)| collective))
            .words("question", answers().map(|(_, answer)| answer.question))
            .words("answer", answers().map(|(_, answer)| answer.answer))
            .texts("command", answers().map(|(_, answer)| answer.command));
        Ok(columns.batch().into())
    }
}
