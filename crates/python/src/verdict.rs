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
use crate::profile::PyProfile;
use crate::table::PyResultTable;

/// Arguments of a verdict.
struct VerdictArguments<'py> {
    /// Measured data.
    data: Option<GivenDataset<'py>>,
    /// Process count of the changes.
    procs: Option<u32>,
    /// The links of the network.
    network: Option<NetworkArgument<'py>>,
}

impl VerdictArguments<'_> {
    /// The answers of all collectives, a row each.
    ///
    /// # Errors
    /// If the process count is zero, or there is no such network.
    fn table(self, py: Python<'_>, profile: &Profile, name: &str) -> PyResult<PyResultTable> {
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

#[pymethods]
impl PyProfile {
    /// The verdict on each collective, in the words of ``netsig fit`` and ``netsig report``.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, optional
    ///     Measured data of the network, also of process counts that the profile was not fitted to.
    /// procs : int, optional
    ///     Process count of the changes; by default the count that the data were measured for.
    /// network : Network or str, optional
    ///     The links of the network, if the profile was fitted with them.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``collective``, ``question``, ``answer`` and ``command``: words to copy, or null.
    #[pyo3(signature = (data=None, *, procs=None, network=None))]
    fn verdict(
        &self,
        py: Python<'_>,
        data: Option<GivenDataset<'_>>,
        procs: Option<u32>,
        network: Option<NetworkArgument<'_>>,
    ) -> PyResult<PyResultTable> {
        let request = VerdictArguments { data, procs, network };
        request.table(py, &self.profile, &self.name)
    }
}
