//! Datasets for Python: reading, importing, writing, and rows as Arrow tables in both directions.

mod arrays;
mod arrow;
mod cells;
mod columns;
pub mod given;

use std::fs::File;
use std::io::Cursor;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use itertools::Itertools as _;
use netsig_base::data;
use netsig_base::data::import::{self, BenchmarkProgram, ImportInput, ImportOptions, ImportResult};
use netsig_base::network::named::FileAccess as _;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use netsig_model::fit::accepted::{AcceptedData, DoubtfulDataRule, accept};
use netsig_model::profile::Profile;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3_arrow::PyTable;

use crate::arguments::parsed;
use crate::error::{of_type, refused, warn};
use crate::files;
use crate::frame::{ArrowRows, frame_methods};
use crate::given_values::{GivenCollective, GivenName};
use crate::numpy_columns::no_column;
use crate::pickle::{PickledObject, PickledState, value_methods};
use crate::provenance::{self, GivenProvenance};

/// Measured repetitions with their provenance: the content of data files.
///
/// :func:`read_data` and :func:`import_data` give datasets, :meth:`from_arrow` makes one of a data
/// frame. Polars, pandas, PyArrow and others take the rows over through the Arrow PyCapsule
/// interface: ``polars.DataFrame(dataset)``.
///
/// A dataset is used as a pandas data frame (see :class:`Table`): ``data["time_s"]`` is a read-only column, and
/// ``len(data)`` the number of rows. Datasets are equal if their rows and their provenance are, whatever their names and
/// the order of the facts; which cells an interrupted measurement had completed does not count.
#[pyclass(frozen, mapping, module = "netsig", name = "Dataset")]
pub struct PyDataset {
    /// The data.
    pub data: data::Dataset,
    /// The names of their files, for messages and profiles.
    pub name: String,
}

impl ArrowRows for PyDataset {
    fn batch(&self) -> RecordBatch {
        arrow::rows(&self.data)
    }

    fn column_names(&self) -> Vec<String> {
        data::COLUMNS.map(str::to_owned).to_vec()
    }

    fn with_column(&self, name: &str) -> PyResult<RecordBatch> {
        let found = data::COLUMNS.contains(&name).then(|| arrow::column(&self.data, name));
        found.ok_or_else(|| no_column(name, &self.column_names()))
    }

    fn row_count(&self) -> usize {
        self.data.samples.len() + self.data.rejected.len() + self.data.aggregates.len()
    }

    fn first_rows(&self, most: usize) -> RecordBatch {
        arrow::first_rows(&self.data, most)
    }
}

impl PartialEq for PyDataset {
    fn eq(&self, other: &Self) -> bool {
        let (one, two) = (&self.data, &other.data);
        let is_same_rows =
            one.samples == two.samples && one.rejected == two.rejected && one.aggregates == two.aggregates;
        is_same_rows && provenance::is_same(&one.provenance, &two.provenance)
    }
}

impl PickledObject for PyDataset {
    const KIND: &'static str = "Dataset";

    fn state(&self) -> PickledState {
        let mut text = Vec::new();
        self.data.write(&mut text).expect("memory can be written");
        PickledState::of_text(&self.name, text)
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        let name = state.fact("name")?;
        let data = data::Dataset::read(&name, Cursor::new(state.text()?)).map_err(|error| error.to_string())?;
        Ok(Self { data, name })
    }
}

frame_methods!(PyDataset);
value_methods!(PyDataset);

#[pymethods]
impl PyDataset {
    /// Makes a dataset of a data frame or table.
    ///
    /// Parameters
    /// ----------
    /// table : object with ``__arrow_c_stream__``
    ///     A pandas, Polars or PyArrow table with the columns of a data file; other columns are
    ///     ignored.
    /// provenance : dict of str to str, optional
    ///     Facts about the origin, as in :attr:`provenance`. By default those of the dataset behind the
    ///     table, if PyArrow kept them.
    /// name : str, optional
    ///     Name of the data in messages and profiles.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If a column is missing or a cell holds no value of its kind. The line in the message counts
    ///     the names of the columns as line 1.
    #[staticmethod]
    #[pyo3(
        signature = (table, *, provenance=None, name="table".into()),
        text_signature = "(table, *, provenance=None, name='table')"
    )]
    fn from_arrow(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        provenance: Option<GivenProvenance>,
        name: GivenName,
    ) -> PyResult<Self> {
        let table: PyTable = table.extract().map_err(|_| given::no_table(table))?;
        let facts = provenance.map(GivenProvenance::facts);
        let converted = py.detach(|| arrow::dataset(table, facts, &name.0));
        let data = converted.map_err(|error| refused(py, error))?;
        Ok(Self { data, name: name.0 })
    }

    /// Writes a data file; a file of that name is replaced completely or not at all.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If the file cannot be written.
    fn write(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        files::replace(py, path, |mut out| self.data.write(&mut out))
    }

    /// The facts about the origin of the data, by key, in their order. If a fact is stated twice, the last counts.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        provenance::dict(py, &self.data.provenance)
    }

    /// The names of the files of the data, for messages and profiles.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Names of the columns of the table.
    #[classattr]
    fn columns() -> Vec<&'static str> {
        data::COLUMNS.to_vec()
    }

    fn __repr__(&self) -> String {
        format!("Dataset({} rows of {})", self.row_count(), self.name)
    }
}

/// Reads data files of one network and one MPI, and takes all their repetitions together.
///
/// Parameters
/// ----------
/// *paths : str or os.PathLike
///     The files that ``netsig measure``, ``learn`` or ``import`` wrote.
/// force : bool
///     Warn instead of refusing data of different networks or settings, data of ranks that shared a
///     host, and times that the links do not allow.
///
/// Returns
/// -------
/// Dataset
///
/// Raises
/// ------
/// FileError
///     If a file cannot be read.
/// UsageError
///     If a file is no data file or is named twice.
/// DataError
///     If the data are void, or, without ``force``, in doubt.
#[pyfunction]
#[pyo3(signature = (*paths, force=false))]
pub fn read_data(py: Python<'_>, paths: &Bound<'_, PyTuple>, force: bool) -> PyResult<PyDataset> {
    let paths = paths_with_names(paths)?;
    let place = |(path, _): &&(PathBuf, String)| path.canonicalize().unwrap_or_else(|_| path.clone());
    if let Some((_, name)) = paths.iter().duplicates_by(place).next() {
        return Err(refused(py, Refusal::named_twice(name)));
    }
    let mut read_files = Vec::new();
    for (path, name) in paths {
        let file = files::read(py, &path, &name, |path| File::open(path))?;
        let parsed_data = py.detach(|| data::Dataset::read(&name, file));
        let data = parsed_data.map_err(|error| {
            // A pipe cannot be read again.
            let regular_path = Some(&path).filter(|path| path.is_file());
            let foreign_text = regular_path.and_then(|path| files::PyLocalFiles.text(path).ok());
            let foreign = foreign_text.and_then(|text| refuse_other_file(&name, &text));
            refused(py, foreign.unwrap_or_else(|| error.into()))
        })?;
        read_files.push((name, data));
    }
    let doubtful = if force {
        DoubtfulDataRule::Taken
    } else {
        DoubtfulDataRule::Refused
    };
    let accepted = py.detach(|| accept(read_files, doubtful));
    let AcceptedData { data, name, notes } = accepted.map_err(|error| refused(py, error))?;
    warn(py, &notes)?;
    Ok(PyDataset { data, name })
}

/// The refusal of a profile, or of the output of another program, in place of data.
fn refuse_other_file(name: &str, text: &str) -> Option<Refusal> {
    if Profile::parse(name, text).is_ok() {
        let problem = format!("is a profile and not data; give netsig.Profile.read({name:?})");
        return Some(Refusal::request(problem).about(name));
    }
    import::refuse_other_output(name, text)
}

/// Turns the output of another benchmark program into a dataset.
///
/// Parameters
/// ----------
/// program : str or None
///     The program that printed the files: ``"osu"``, ``"imb"``, ``"reprompi"``, ``"netgauge"``
///     or ``"logp_mpi"``, as for ``netsig import``; with ``None`` all programs that are recognised.
/// *paths : str or os.PathLike
///     Its outputs.
/// procs : int or list of int, optional
///     The number of processes, if neither the text of the files nor ``pN``, ``nN`` or ``npN`` in their
///     names states it. For several tables of one benchmark in a file, a list in their order.
/// algorithm : str
///     The algorithm of the collectives; ``"library"`` is the MPI library's own choice.
/// collective : str, optional
///     The collective of OSU tables without a title.
///
/// Returns
/// -------
/// Dataset
///
/// Raises
/// ------
/// FileError
///     If a file cannot be read.
/// UsageError
///     If a file is not of that program, or lacks information.
#[pyfunction]
#[pyo3(signature = (program, *paths, procs=None, algorithm="library", collective=None))]
pub fn import_data(
    py: Python<'_>,
    program: Option<&str>,
    paths: &Bound<'_, PyTuple>,
    procs: Option<&Bound<'_, PyAny>>,
    algorithm: &str,
    collective: Option<GivenCollective>,
) -> PyResult<PyDataset> {
    let of_name = |name: &str| parsed(py, "program", name, name.parse::<BenchmarkProgram>());
    let program = program.map(of_name).transpose()?;
    let options = ImportOptions {
        procs: procs.map_or(Ok(Vec::new()), |procs| procs_list(py, procs))?,
        algorithm: algorithm.into(),
        collective: collective.map(|given| given.0),
    };
    let mut texts = Vec::new();
    for (path, name) in paths_with_names(paths)? {
        let text = files::text(py, &path, &name)?;
        texts.push((name, text));
    }
    let input_files = texts.iter().map(|(name, text)| ImportInput { name, text });
    let inputs: Vec<ImportInput<'_>> = input_files.collect();
    let imported = py.detach(|| import::import(program, &inputs, &options));
    let ImportResult { data, notes } = imported.map_err(|error| refused(py, error))?;
    warn(
        py,
        &notes
            .into_iter()
            .map(netsig_base::text::note::Note::remark)
            .collect::<Vec<_>>(),
    )?;
    let name = texts.iter().map(|(name, _)| name).join(", ");
    Ok(PyDataset { data, name })
}

/// One number of processes, or a list of them.
fn procs_list(py: Python<'_>, procs: &Bound<'_, PyAny>) -> PyResult<Vec<Procs>> {
    let one = |procs: &Bound<'_, PyAny>| {
        let text = procs.str()?.to_string();
        parsed(py, "procs", &text, text.parse())
    };
    match procs.cast::<PyList>() {
        Ok(several) => several.iter().map(|procs| one(&procs)).collect(),
        Err(_) => Ok(vec![one(procs)?]),
    }
}

/// Paths with their texts; at least one.
fn paths_with_names(paths: &Bound<'_, PyTuple>) -> PyResult<Vec<(PathBuf, String)>> {
    if paths.is_empty() {
        let problem = "no file is named; name one or more";
        return Err(crate::error::usage(paths.py(), problem));
    }
    let path = |object: Bound<'_, PyAny>| match object.cast::<PyDataset>() {
        Ok(dataset) => Err(of_type(dataset, "a path", "it is the data already; use it as it is")),
        Err(_) => files::path(&object),
    };
    paths.iter().map(path).collect()
}
