//! Figures for Python; they are drawn in Python, by `netsig/_plots.py`, with matplotlib.

use netsig_base::units::Procs;
use numpy::IntoPyArray as _;
use pyo3::prelude::*;

use crate::dataset::PyDataset;
use crate::dataset::given::GivenDataset;
use crate::given_values::GivenCollective;
use crate::grid::{ascending_counts, ascending_sizes};
use crate::profile::PyProfile;

/// The module that draws.
const MODULE: &str = "netsig._plots";

#[pymethods]
impl PyDataset {
    /// Draws the measured times of a collective over size: each repetition, and the median of each cell.
    ///
    /// Both axes are logarithmic, and each process count has a colour. Needs matplotlib
    /// (``pip install matplotlib``).
    ///
    /// Parameters
    /// ----------
    /// collective : str, optional
    ///     The collective; may be missing if the data have one alone.
    /// algorithm : str, optional
    ///     The algorithm; may be missing if the collective has one alone.
    /// procs : int or list of int, optional
    ///     Process counts; by default all.
    /// ax : matplotlib.axes.Axes, optional
    ///     The axis to draw on; by default that of a new figure.
    ///
    /// Returns
    /// -------
    /// matplotlib.axes.Axes
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If the data have no such collective, algorithm or process count, or several to choose from.
    /// ImportError
    ///     Without matplotlib.
    #[pyo3(signature = (collective=None, *, algorithm=None, procs=None, ax=None))]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        collective: Option<&Bound<'py, PyAny>>,
        algorithm: Option<&Bound<'py, PyAny>>,
        procs: Option<&Bound<'py, PyAny>>,
        ax: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import(MODULE)?;
        let data = slf.get();
        let arguments = (data.rows(), data.cells(slf.py()), collective, algorithm, procs, ax);
        module.call_method1("plot_data", arguments)
    }
}

#[pymethods]
impl PyProfile {
    /// Draws the predicted median of a collective over size, with the band of its interval.
    ///
    /// Both axes are logarithmic, and each process count has a colour. Steps of the model are drawn as
    /// steps. Needs matplotlib (``pip install matplotlib``).
    ///
    /// Parameters
    /// ----------
    /// collective : str
    ///     The collective.
    /// procs : int, array of int, or str, optional
    ///     Process counts; by default those of ``data``, which must then be given.
    /// size : int, array of int, or str, optional
    ///     The least and the greatest of these sizes bound the figure; by default those of ``data``, else
    ///     256 bytes to 256 KiB.
    /// algorithm : str
    ///     The algorithm.
    /// data : Dataset, optional
    ///     Measured data, whose cells are drawn on top.
    /// network : Network or str, optional
    ///     The links of the network, if the profile was fitted with them.
    /// extrapolate : bool
    ///     Draw also sizes far outside the measured ones.
    /// ax : matplotlib.axes.Axes, optional
    ///     The axis to draw on; by default that of a new figure.
    ///
    /// Returns
    /// -------
    /// matplotlib.axes.Axes
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If neither ``procs`` nor ``data`` are given.
    /// ImportError
    ///     Without matplotlib.
    #[pyo3(signature = (
        collective, *, procs=None, size=None, algorithm="library", data=None, network=None,
        extrapolate=false, ax=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        collective: GivenCollective,
        procs: Option<&Bound<'py, PyAny>>,
        size: Option<&Bound<'py, PyAny>>,
        algorithm: &str,
        data: Option<GivenDataset<'py>>,
        network: Option<&Bound<'py, PyAny>>,
        extrapolate: bool,
        ax: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import(MODULE)?;
        let cells = data.map(|given| given.into_bound().get().cells(slf.py()));
        let counts = procs.map(ascending_counts).transpose()?;
        let count_array = counts.map(|all| {
            all.into_iter()
                .map(Procs::get)
                .collect::<Vec<_>>()
                .into_pyarray(slf.py())
        });
        let sizes = size.map(ascending_sizes).transpose()?;
        let size_array = sizes.map(|all| {
            all.into_iter()
                .map(|size| size.0)
                .collect::<Vec<_>>()
                .into_pyarray(slf.py())
        });
        let arguments = (
            slf,
            cells,
            collective.0.to_string(),
            count_array,
            size_array,
            algorithm,
            network,
            extrapolate,
            ax,
        );
        module.call_method1("plot_profile", arguments)
    }
}
