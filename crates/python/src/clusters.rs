//! Clusters of hosts for Python: from files of `netsig discover` and from descriptions of networks.

use std::collections::BTreeMap;

use itertools::{Itertools as _, iproduct};
use netsig_base::network::named::SlurmSpeeds;
use netsig_base::network::{ClusterGrid, ClusterLink, HostClusters};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use crate::columns::ArrowColumns;
use crate::error::{of_type, refused, usage, warn};
use crate::files::{self, PyLocalFiles};
use crate::frame::notebook_table;
use crate::network::{NetworkArgument, no_network};
use crate::pickle::{PickledObject, PickledState, text_hash, value_methods};
use crate::table::PyResultTable;

/// Clusters of hosts behind slow links, with the measured links inside and between them.
///
/// :meth:`read` reads the file that ``netsig discover`` wrote, :func:`discover` takes the clusters from
/// the description of a network. ``Clusters([4, 8])`` are clusters of so many hosts.
///
/// Parameters
/// ----------
/// sizes : list of int
///     Number of hosts, or processes, of each cluster.
///
/// Raises
/// ------
/// UsageError
///     If there are none, or one is less than 1.
#[pyclass(frozen, module = "netsig", name = "Clusters")]
#[derive(Debug, PartialEq)]
pub struct PyClusters {
    /// The clusters and links.
    pub grid: ClusterGrid,
}

impl PickledObject for PyClusters {
    const KIND: &'static str = "Clusters";

    fn state(&self) -> PickledState {
        PickledState::of_text("clusters", self.grid.to_toml())
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        let parsed = ClusterGrid::parse(&state.fact("name")?, state.text()?);
        let grid = parsed.map_err(|error| error.to_string())?;
        Ok(Self { grid })
    }
}

value_methods!(PyClusters);

#[pymethods]
impl PyClusters {
    #[new]
    fn new(sizes: &Bound<'_, PyAny>) -> PyResult<Self> {
        let extracted: PyResult<Vec<Bound<'_, PyAny>>> = sizes.extract();
        let remedy = "give such as [4, 8], or netsig.Clusters.read(path)";
        let numbers = extracted.map_err(|_| of_type(sizes, "a list of numbers of processes", remedy))?;
        Self::of_numbers(sizes.py(), &numbers)
    }

    /// Reads a file of clusters.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     A file that ``netsig discover`` or :meth:`write` wrote.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If the file cannot be read.
    /// UsageError
    ///     If it is no file of clusters.
    #[staticmethod]
    fn read(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (path, name) = files::path(path)?;
        Self::parse(py, &files::text(py, &path, &name)?, &name)
    }

    /// Reads clusters from the text of their file; ``name`` is its name in messages.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If the text is no file of clusters.
    #[staticmethod]
    #[pyo3(signature = (text, *, name="clusters"))]
    fn parse(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        let grid = ClusterGrid::parse(name, text).map_err(|error| refused(py, error))?;
        Ok(Self { grid })
    }

    /// Writes the clusters; a file of that name is replaced completely or not at all.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If the file cannot be written.
    fn write(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = self.to_toml();
        files::replace(py, path, |out| out.write_all(text.as_bytes()))
    }

    /// The clusters as the text of a file.
    fn to_toml(&self) -> String {
        self.grid.to_toml()
    }

    /// The hosts of each cluster, by its name; empty if each host is a cluster.
    #[getter]
    fn hosts(&self) -> BTreeMap<String, Vec<String>> {
        let clusters = self.grid.named_clusters().iter();
        clusters
            .map(|cluster| (cluster.name.clone(), cluster.hosts.clone()))
            .collect()
    }

    /// The clusters and the links between them, as ``netsig discover`` prints them.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``cluster``, ``to``, ``hosts``, ``latency_s`` and ``bandwidth_mbit_per_s``.
    fn table(&self) -> PyResultTable {
        let rows = || self.grid.rows();
        let columns = ArrowColumns::default()
            .words("cluster", rows().map(|row| row.cluster))
            .texts("to", rows().map(|row| row.to))
            .texts("hosts", rows().map(|row| Some(row.hosts?.join(","))))
            .floats("latency_s", rows().map(|row| Some(row.link.map(ClusterLink::alpha)?.0)))
            .floats("bandwidth_mbit_per_s", rows().map(|row| row.megabits()));
        columns.batch().into()
    }

    /// Number of clusters.
    fn __len__(&self) -> usize {
        self.grid.named_clusters().len()
    }

    /// The names of the clusters.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let names = self.grid.named_clusters().iter().map(|cluster| &cluster.name);
        PyList::new(py, names.collect::<Vec<_>>())?.try_iter()
    }

    fn __hash__(&self) -> u64 {
        text_hash(&self.to_toml())
    }

    fn _repr_html_(&self) -> String {
        notebook_table(&self.table(), &self.__repr__())
    }

    fn __repr__(&self) -> String {
        let clusters = self.grid.named_clusters().iter();
        let described = clusters.map(|cluster| format!("{}: {} hosts", cluster.name, cluster.hosts.len()));
        format!("Clusters({})", described.collect::<Vec<_>>().join(", "))
    }
}

impl PyClusters {
    fn of_numbers(py: Python<'_>, sizes: &[Bound<'_, PyAny>]) -> PyResult<Self> {
        if sizes.is_empty() {
            return Err(usage(
                py,
                "clusters is empty; give numbers of processes, such as [4, 8]",
            ));
        }
        let number = |(place, size): (usize, &Bound<'_, PyAny>)| {
            let whole: Option<u32> = size.extract().ok();
            whole.filter(|number| *number > 0).ok_or_else(|| {
                let problem = format!("clusters[{place}] is {size}; give whole numbers from 1");
                usage(py, problem)
            })
        };
        let numbers: Vec<u32> = sizes.iter().enumerate().map(number).collect::<PyResult<_>>()?;
        Self::of_sizes(py, &numbers.iter().join(","))
    }

    /// Clusters of so many hosts, from text such as `4,8`.
    fn of_sizes(py: Python<'_>, text: &str) -> PyResult<Self> {
        let clusters = HostClusters::of_sizes(text).ok_or_else(|| {
            let problem = format!("clusters={text:?}: neither a file nor numbers of processes; write such as [4, 8]");
            usage(py, problem)
        })?;
        let grid = clusters.into();
        Ok(Self { grid })
    }
}

/// Clusters, a file of them, or the numbers of their processes.
#[derive(FromPyObject)]
pub enum ClustersArgument<'py> {
    /// Clusters.
    Loaded(PyRef<'py, PyClusters>),
    /// Numbers of processes.
    Sizes(Vec<Bound<'py, PyAny>>),
    /// A file, or numbers of processes as text.
    Named(Bound<'py, PyAny>),
}

impl ClustersArgument<'_> {
    /// The clusters with their links.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn grid(self, py: Python<'_>) -> PyResult<ClusterGrid> {
        match self {
            Self::Loaded(loaded) => Ok(loaded.grid.clone()),
            Self::Sizes(sizes) => Ok(PyClusters::of_numbers(py, &sizes)?.grid),
            Self::Named(named) => {
                let Ok((path, name)) = files::path(&named) else {
                    let remedy = "give numbers of processes, such as [4, 8], or netsig.Clusters.read(path)";
                    return Err(of_type(&named, "a Clusters", remedy));
                };
                let clusters = if name.starts_with(|c: char| c.is_ascii_digit()) && !path.exists() {
                    PyClusters::of_sizes(py, &name)
                } else {
                    PyClusters::read(py, &named)
                };
                Ok(clusters?.grid)
            }
        }
    }
}

/// The clusters, if they are given, with hosts for all process counts.
///
/// # Errors
/// If they cannot be read, or have fewer hosts than there are processes.
pub fn given_grid(
    py: Python<'_>,
    given: Option<ClustersArgument<'_>>,
    counts: &[Procs],
) -> PyResult<Option<ClusterGrid>> {
    let grid = given.map(|clusters| clusters.grid(py)).transpose()?;
    for (grid, &procs) in iproduct!(&grid, counts) {
        let checked = grid.clusters.refuse_more_than_hosts(procs);
        checked.map_err(|error| refused(py, Refusal::request(format!("clusters: {error}"))))?;
    }
    Ok(grid)
}

/// Finds the clusters of hosts in the description of a network, as ``netsig discover --network``.
///
/// A link between switches separates clusters if it has a delay; if no link has one, every switch
/// with hosts is a cluster. The command ``netsig discover`` also measures clusters; :meth:`Clusters.read`
/// reads what it wrote.
///
/// Parameters
/// ----------
/// network : Network, str or os.PathLike
///     The network, as in :class:`Network`; a description of Slurm needs no rates here.
///
/// Returns
/// -------
/// Clusters
///     Clusters without measured links.
///
/// Raises
/// ------
/// UsageError
///     If there is no such network, or its file cannot be used.
#[pyfunction]
pub fn discover(py: Python<'_>, network: NetworkArgument<'_>) -> PyResult<PyClusters> {
    let clusters = match network {
        NetworkArgument::Loaded(loaded) => HostClusters::described(&loaded.network, &loaded.network.name),
        NetworkArgument::Name(name) => {
            let (_, named) = files::path(&name).map_err(|_| no_network(&name))?;
            let speeds = SlurmSpeeds {
                rate: None,
                uplink_rate: None,
                port_buffer: None,
            };
            let loaded = speeds.load_switches(&named, &PyLocalFiles);
            let described_network = loaded.map_err(|error| refused(py, error))?;
            HostClusters::described(&described_network, &named)
        }
    };
    let grid = ClusterGrid::from(clusters);
    warn(py, &grid.notes())?;
    Ok(PyClusters { grid })
}
