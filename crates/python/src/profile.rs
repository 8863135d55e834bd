//! Profiles for Python: files of fits, and the questions that they answer.

mod value;

use std::io::Cursor;
use std::sync::Arc;

use netsig_base::data::Dataset;
use netsig_base::text::refusal::Refusal;
use netsig_model::profile;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::ParameterSettings;
use crate::clusters::ClustersArgument;
use crate::columns::ArrowColumns;
use crate::error::refused;
use crate::files;
use crate::given_values::{GivenCollective, GivenPpn};
use crate::network::NetworkArgument;
use crate::parameters;
use crate::predict::{self, OneOrAllPredictions, requested_model};
use crate::provenance;
use crate::select::{self, PySelection};
use crate::table::PyResultTable;

/// The fitted models of one network, which predict and rank collectives on it.
///
/// :func:`fit` makes a profile, :meth:`read` and :meth:`parse` read one. Profiles are equal if their contents are,
/// under any name.
#[pyclass(frozen, module = "netsig", name = "Profile")]
pub struct PyProfile {
    /// The profile.
    pub profile: Arc<profile::Profile>,
    /// Its name in messages.
    pub name: String,
}

impl PyProfile {
    /// A profile with its name in messages.
    pub fn new(profile: profile::Profile, name: String) -> Self {
        let profile = Arc::new(profile);
        Self { profile, name }
    }
}

#[pymethods]
impl PyProfile {
    /// Reads a profile.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     A file that ``netsig fit`` or :meth:`write` wrote.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If the file cannot be read.
    /// UsageError
    ///     If it is no profile of this version.
    #[staticmethod]
    fn read(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (path, name) = files::path(path)?;
        let text = files::text(py, &path, &name)?;
        Self::parse(py, &text, &name).map_err(|error| match Dataset::read(&name, Cursor::new(&text)) {
            Ok(_) => {
                let problem = format!("is data and not a profile; give netsig.fit(netsig.read_data({name:?}))");
                refused(py, Refusal::request(problem).about(&name))
            }
            Err(_) => error,
        })
    }

    /// Reads a profile from its text; ``name`` is its name in messages.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If the text is no profile of this version.
    #[staticmethod]
    #[pyo3(signature = (text, *, name="profile"))]
    fn parse(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let parsed = profile::Profile::parse(name, text);
        let profile = parsed.map_err(|error| refused(py, error))?;
        Ok(Self::new(profile, name.to_owned()))
    }

    /// Writes the profile; a file of that name is replaced completely or not at all.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If the file cannot be written.
    fn write(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = self.to_toml();
        files::replace(py, path, |out| out.write_all(text.as_bytes()))
    }

    /// The profile as the text of a file.
    fn to_toml(&self) -> String {
        self.profile.to_toml()
    }

    /// The profile with these clusters in place of its clusters, for algorithms that follow clusters.
    ///
    /// Parameters
    /// ----------
    /// clusters : Clusters, list of int, str or os.PathLike
    ///     Clusters of the hosts, or as in :meth:`predict`, with the links between them where they were measured.
    ///
    /// Returns
    /// -------
    /// Profile
    fn with_clusters(&self, py: Python<'_>, clusters: ClustersArgument<'_>) -> PyResult<Self> {
        let replaced = self.profile.as_ref().clone().with_clusters(clusters.grid(py)?);
        Ok(Self::new(replaced, self.name.clone()))
    }

    /// Name of the profile in messages: its file, or ``"profile"``.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The facts about the origin of the profile and of its data, by key, in their order.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        provenance::dict(py, &self.profile.provenance)
    }

    /// Start-up alpha of a message between two processes, in seconds.
    #[getter]
    fn alpha(&self) -> f64 {
        self.profile.hockney.alpha.value
    }

    /// Gap per byte beta between two processes, in seconds per byte.
    #[getter]
    fn beta(&self) -> f64 {
        self.profile.hockney.beta.value
    }

    /// The measured algorithms of a collective.
    ///
    /// Returns
    /// -------
    /// list of str
    fn algorithms(&self, collective: GivenCollective) -> Vec<String> {
        let known = self.profile.algorithms(collective.0).into_iter();
        known.map(str::to_owned).collect()
    }

    /// The model that the fit chose for each algorithm, with the reason.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``collective``, ``algorithm``, ``model``, ``reason``.
    pub fn choices(&self) -> PyResultTable {
        let all = || self.profile.choices.iter();
        let columns = ArrowColumns::default()
            .words("collective", all().map(|choice| choice.collective))
            .words("algorithm", all().map(|choice| &choice.algorithm))
            .words("model", all().map(|choice| &choice.model))
            .words("reason", all().map(|choice| &choice.reason));
        columns.batch().into()
    }

    /// Fitted parameters with their intervals: alpha, beta, and those of the fitted models.
    ///
    /// The parameters of the regimes are in :meth:`to_toml` alone.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``collective``, ``algorithm``, ``model``, ``parameter``, ``value``, ``lower`` and
    ///     ``upper``, in SI units; values from a search have no interval.
    fn parameters(&self) -> PyResultTable {
        parameters::table(&self.profile)
    }

    /// Predicts times with intervals, as ``netsig predict``.
    ///
    /// Parameters
    /// ----------
    /// collective : str
    ///     ``"alltoall"``, ``"alltoallv"``, ``"allgather"``, ``"bcast"``, ``"scatter"``, ``"gather"``,
    ///     ``"allreduce"``, ``"reduce"``, ``"reduce-scatter"``, ``"reduce-scatter-block"`` or ``"barrier"``.
    /// procs : int, array of int, or str
    ///     Numbers of processes; as text also a list such as ``"8,16"`` or ``"8..64"`` (doubling).
    /// size : int, array of int, or str
    ///     Bytes per destination (of a bcast: of the message; of a reduction: of the whole vector; of a
    ///     barrier: 0); as text also with units and as a list such as ``"1KiB..64KiB"``. The two broadcast against each other.
    /// algorithm : str or None
    ///     An algorithm as ``netsig measure`` takes it; ``"library"`` is the MPI library's own choice.
    ///     ``None`` for all that ``netsig predict`` takes without ``--algorithm``: the measured ones, and
    ///     except for an alltoall also the others.
    /// model : str, optional
    ///     Name of the model; else the choice of the fit.
    /// all_models : bool
    ///     Predict by every model that applies, in place of ``model``.
    /// statistic : str
    ///     ``"median"`` or ``"mean"`` of the predicted distribution. Only the contention regimes have
    ///     one; other models give a single time.
    /// quantile : float, optional
    ///     Instead of a statistic, the time that this share of repetitions does not exceed.
    /// settings : dict, optional
    ///     Parameters of the model by name, as numbers in SI units or as text with a unit.
    /// segment : int or str, optional
    ///     Segment size of segmented algorithms in bytes; by default the best.
    /// network : Network or str, optional
    ///     The links of the network, if the profile was fitted with them.
    /// clusters : Clusters, list of int, str or os.PathLike, optional
    ///     Clusters of the hosts in place of those of the profile. They may be a file of
    ///     ``netsig discover``, or the numbers of their processes.
    /// exchange : array of int, str or os.PathLike, optional
    ///     Sizes of an alltoallv from pair to pair in place of ``procs`` and ``size``, as in :func:`bounds`.
    /// ppn : int, optional
    ///     Ranks on a host, as a check: another number than the measured one is refused.
    /// extrapolate : bool
    ///     Predict also far outside the measured process counts and sizes, with a warning.
    ///
    /// Returns
    /// -------
    /// Predictions or dict of str to Predictions
    ///     Times, intervals and standing in the shape of the arrays. A dict by algorithm if ``algorithm`` is
    ///     ``None``, and by ``(algorithm, model)`` with ``all_models``.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     If the profile does not answer, or a case is too far from the measurements.
    /// UsageError
    ///     If an argument cannot be used.
    ///
    /// Notes
    /// -----
    /// A new measurement of the statistic lies within the interval with the confidence of the fit.
    /// ``standing`` says where a case is: ``interpolated``, ``extrapolated``, ``outside`` (only with
    /// ``extrapolate``), ``unfitted``, ``unsaturated`` or ``contention-free``.
    #[pyo3(signature = (
        collective, procs=None, size=None, *, algorithm="library", model=None, all_models=false,
        statistic="median", quantile=None, settings=None, segment=None, network=None, clusters=None, exchange=None, ppn=None,
        extrapolate=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn predict(
        &self,
        py: Python<'_>,
        collective: GivenCollective,
        procs: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        algorithm: Option<&str>,
        model: Option<&str>,
        all_models: bool,
        statistic: &str,
        quantile: Option<f64>,
        settings: Option<ParameterSettings>,
        segment: Option<&Bound<'_, PyAny>>,
        network: Option<NetworkArgument<'_>>,
        clusters: Option<ClustersArgument<'_>>,
        exchange: Option<&Bound<'_, PyAny>>,
        ppn: Option<GivenPpn>,
        extrapolate: bool,
    ) -> PyResult<OneOrAllPredictions> {
        let options = predict::PredictArguments {
            collective: collective.0,
            algorithm,
            model: requested_model(py, model, all_models)?,
            statistic: (statistic, quantile),
            settings,
            segment,
            network,
            clusters,
            exchange,
            ppn: ppn.map(|given| given.0),
            extrapolate,
        };
        predict::predict(py, &self.profile, &self.name, options, procs, size)
    }

    /// Ranks the algorithms of a collective, as ``netsig select``.
    ///
    /// Parameters
    /// ----------
    /// collective, procs, size, statistic, network, clusters, exchange, ppn, extrapolate
    ///     As in :meth:`predict`.
    /// binomial : str
    ///     Model of the binomial tree: as ``"printed"``, or ``"exact"`` for every process count.
    /// segments : str
    ///     Search for the segment size: ``"pow2"``, ``"hill"`` or ``"exhaustive"``.
    /// datatype : int or str
    ///     Segments are multiples of so many bytes.
    /// mpi : str, optional
    ///     The MPI library whose settings to give: ``"openmpi"`` or ``"mpich"``; else that of the data.
    ///
    /// Returns
    /// -------
    /// Selection
    ///     The best algorithms in the shape of the arrays, and the whole ranking as a table.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     If the profile has no algorithm of the collective, or all are too far from the measurements.
    /// UsageError
    ///     If an argument cannot be used.
    #[pyo3(signature = (
        collective, procs=None, size=None, *, statistic="median", binomial="printed", segments="hill",
        datatype=None, mpi=None, network=None, clusters=None, exchange=None, ppn=None, extrapolate=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn select(
        &self,
        py: Python<'_>,
        collective: GivenCollective,
        procs: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        statistic: &str,
        binomial: &str,
        segments: &str,
        datatype: Option<&Bound<'_, PyAny>>,
        mpi: Option<&str>,
        network: Option<NetworkArgument<'_>>,
        clusters: Option<ClustersArgument<'_>>,
        exchange: Option<&Bound<'_, PyAny>>,
        ppn: Option<GivenPpn>,
        extrapolate: bool,
    ) -> PyResult<PySelection> {
        let options = select::SelectArguments {
            collective: collective.0,
            statistic,
            binomial,
            segments,
            datatype,
            mpi,
            network,
            clusters,
            exchange,
            ppn: ppn.map(|given| given.0),
            extrapolate,
        };
        select::select(py, &self.profile, &self.name, options, procs, size)
    }

    /// Finds the sizes at which the best algorithm changes, as ``netsig select --show cross-overs``.
    ///
    /// A cross-over is found by bisection between two neighbouring sizes whose best algorithms differ;
    /// there may be more, which a denser list finds.
    ///
    /// Parameters
    /// ----------
    /// collective, procs, size, statistic, binomial, segments, datatype, network, clusters, ppn, extrapolate
    ///     As in :meth:`select`; every process count takes all sizes.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``collective``, ``procs``, ``from_bytes``, ``before``, ``algorithm``.
    #[pyo3(signature = (
        collective, procs, size, *, statistic="median", binomial="printed", segments="hill",
        datatype=None, network=None, clusters=None, ppn=None, extrapolate=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn cross_overs(
        &self,
        collective: GivenCollective,
        procs: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        statistic: &str,
        binomial: &str,
        segments: &str,
        datatype: Option<&Bound<'_, PyAny>>,
        network: Option<NetworkArgument<'_>>,
        clusters: Option<ClustersArgument<'_>>,
        ppn: Option<GivenPpn>,
        extrapolate: bool,
    ) -> PyResult<PyResultTable> {
        let options = select::SelectArguments {
            collective: collective.0,
            statistic,
            binomial,
            segments,
            datatype,
            mpi: None,
            network,
            clusters,
            exchange: None,
            ppn: ppn.map(|given| given.0),
            extrapolate,
        };
        select::cross_overs(&self.profile, &self.name, options, procs, size)
    }

    fn __repr__(&self) -> String {
        format!("Profile({})", self.name)
    }
}
