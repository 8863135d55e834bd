//! Datasets of columns: from arrays and data frames, and as tables.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{PyDataset, arrays, arrow, cells};
use crate::given_values::GivenName;
use crate::provenance::GivenProvenance;
use crate::table::PyResultTable;

impl PyDataset {
    /// All rows.
    pub fn rows(&self) -> PyResultTable {
        arrow::rows(&self.data).into()
    }

    /// The dataset of columns by name.
    fn of_columns(columns: &Bound<'_, PyDict>, provenance: Option<GivenProvenance>, name: GivenName) -> PyResult<Self> {
        let mut data = arrays::dataset(columns, &name.0)?;
        data.provenance = provenance.map(GivenProvenance::facts).unwrap_or_default();
        Ok(Self { data, name: name.0 })
    }
}

#[pymethods]
impl PyDataset {
    /// Makes a dataset of arrays, one for each column, which broadcast against each other.
    ///
    /// Parameters
    /// ----------
    /// procs, size_bytes, time_s : array or number
    ///     Process counts, bytes per destination (of a reduction: of the whole vector), and times in seconds.
    /// collective : str or array of str
    ///     The collective; may be missing if ``experiment`` names no collective.
    /// provenance : dict of str to str, optional
    ///     Facts about the origin, as in :attr:`provenance`.
    /// name : str, optional
    ///     Name of the data in messages and profiles.
    /// **columns : array or value
    ///     Further columns of a data file (:attr:`columns`). By default ``experiment`` is
    ///     ``"collective"``, ``algorithm`` is ``"library"``, ``launch`` is 0, and ``repetition`` counts the
    ///     rows of a cell. ``None`` and NaN are missing values.
    ///
    /// Returns
    /// -------
    /// Dataset
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If a column is missing or unknown, the shapes do not broadcast, or a time is not finite and
    ///     above 0.
    #[staticmethod]
    #[pyo3(
        signature = (*, provenance=None, name="arrays".into(), **columns),
        text_signature = "(*, provenance=None, name='arrays', **columns)"
    )]
    fn from_arrays(
        py: Python<'_>,
        provenance: Option<GivenProvenance>,
        name: GivenName,
        columns: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let none = PyDict::new(py);
        Self::of_columns(columns.unwrap_or(&none), provenance, name)
    }

    /// Makes a dataset of a pandas data frame; columns that it lacks are given as constants or have the
    /// usual values of :meth:`from_arrays`.
    ///
    /// Parameters
    /// ----------
    /// frame : pandas.DataFrame
    ///     Columns of a data file (:attr:`columns`).
    /// provenance, name
    ///     As in :meth:`from_arrays`.
    /// **constants : value
    ///     Values of further columns, such as ``collective="alltoall"``.
    ///
    /// Returns
    /// -------
    /// Dataset
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     As :meth:`from_arrays`, and if a constant is a column too.
    #[staticmethod]
    #[pyo3(
        signature = (frame, *, provenance=None, name="frame".into(), **constants),
        text_signature = "(frame, *, provenance=None, name='frame', **constants)"
    )]
    fn from_pandas(
        frame: &Bound<'_, PyAny>,
        provenance: Option<GivenProvenance>,
        name: GivenName,
        constants: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let columns = arrays::frame_columns(frame, "pandas", constants)?;
        Self::of_columns(&columns, provenance, name)
    }

    /// Makes a dataset of a Polars data frame, as :meth:`from_pandas`.
    ///
    /// Parameters
    /// ----------
    /// frame : polars.DataFrame
    ///     Columns of a data file (:attr:`columns`).
    /// provenance, name, constants
    ///     As in :meth:`from_pandas`.
    ///
    /// Returns
    /// -------
    /// Dataset
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     As :meth:`from_pandas`.
    #[staticmethod]
    #[pyo3(
        signature = (frame, *, provenance=None, name="frame".into(), **constants),
        text_signature = "(frame, *, provenance=None, name='frame', **constants)"
    )]
    fn from_polars(
        frame: &Bound<'_, PyAny>,
        provenance: Option<GivenProvenance>,
        name: GivenName,
        constants: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let columns = arrays::frame_columns(frame, "Polars", constants)?;
        Self::of_columns(&columns, provenance, name)
    }

    /// Statistics of the repetitions of each experiment, algorithm, process count and size.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``experiment``, ``collective``, ``algorithm``, ``procs``, ``size_bytes``,
    ///     ``repetitions``, ``median_s``, ``mean_s``, ``deviation_s`` (sample standard deviation), ``min_s``
    ///     and ``max_s``. The sums ``retransmits``, ``rtos`` and ``tail_probes`` are null where they were not
    ///     read. ``statistic`` is that of another program in place of repetitions.
    pub fn cells(&self, py: Python<'_>) -> PyResultTable {
        py.detach(|| cells::table(&self.data))
    }
}
