//! Networks for Python: the links that predictions, fits and simulations take into account.

use netsig_base::network;
use netsig_base::network::named::{SHIPPED_SCENARIOS, SlurmSpeeds};
use pyo3::prelude::*;

use crate::arguments::SizeOrText;
use crate::error::{of_type, refused, usage};
use crate::files::{PyLocalFiles, path};
use crate::pickle::{PickledObject, PickledState, text_hash, value_methods};

/// A network: its hosts, switches and links.
///
/// Parameters
/// ----------
/// named : str or os.PathLike
///     A shipped scenario (see :func:`scenarios`), a ``.toml`` file, or from Slurm ``topology.conf``,
///     ``topology.yaml`` or the output of ``scontrol show topology``.
/// rate, uplink_rate : str, optional
///     Rates such as ``"1Gbit/s"`` of the hosts' links and of the links between switches, for a
///     ``topology.conf``, which does not state them. By default the second equals the first.
/// port_buffer : str or int, optional
///     Buffer of a port in bytes, for a ``topology.conf``; by default 128 KiB.
///
/// Raises
/// ------
/// UsageError
///     If there is no such network, or its file cannot be used.
///
/// Networks are equal if their names, hosts, switches and links are.
#[pyclass(frozen, module = "netsig", name = "Network")]
pub struct PyNetwork {
    pub network: network::Network,
}

impl PartialEq for PyNetwork {
    fn eq(&self, other: &Self) -> bool {
        self.network.name == other.network.name && self.to_toml() == other.to_toml()
    }
}

impl PickledObject for PyNetwork {
    const KIND: &'static str = "Network";

    fn state(&self) -> PickledState {
        PickledState::of_text(&self.network.name, self.to_toml())
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        let parsed = network::Network::parse(&state.fact("name")?, state.text()?);
        let network = parsed.map_err(|error| error.to_string())?;
        Ok(Self { network })
    }
}

value_methods!(PyNetwork);

#[pymethods]
impl PyNetwork {
    #[new]
    #[pyo3(signature = (named, *, rate=None, uplink_rate=None, port_buffer=None))]
    fn new(
        named: &Bound<'_, PyAny>,
        rate: Option<&str>,
        uplink_rate: Option<&str>,
        port_buffer: Option<SizeOrText>,
    ) -> PyResult<Self> {
        let py = named.py();
        let (_, named) = path(named)?;
        let rate_of = |text: Option<&str>| text.map(str::parse).transpose();
        let speeds = SlurmSpeeds {
            rate: rate_of(rate).map_err(|error| usage(py, format!("rate: {error}")))?,
            uplink_rate: rate_of(uplink_rate).map_err(|error| usage(py, format!("uplink_rate: {error}")))?,
            port_buffer: port_buffer
                .map(|buffer| buffer.to_string().parse())
                .transpose()
                .map_err(|error| usage(py, format!("port_buffer: {error}")))?,
        };
        let network = speeds.load(&named, &PyLocalFiles).map_err(|error| refused(py, error))?;
        Ok(Self { network })
    }

    /// Name of the network.
    #[getter]
    fn name(&self) -> &str {
        &self.network.name
    }

    /// Number of hosts.
    #[getter]
    fn hosts(&self) -> u32 {
        self.network.hosts().get()
    }

    /// The network as the text of a ``.toml`` file.
    fn to_toml(&self) -> String {
        self.network.to_toml()
    }

    fn __hash__(&self) -> u64 {
        text_hash(&self.to_toml())
    }

    fn __repr__(&self) -> String {
        format!("Network({}: {})", self.network.name, self.network.summary())
    }
}

/// A network, or the name of one.
#[derive(FromPyObject)]
pub enum NetworkArgument<'py> {
    /// A network.
    Loaded(PyRef<'py, PyNetwork>),
    /// Its name.
    Name(Bound<'py, PyAny>),
}

/// The network, if one is given.
///
/// # Errors
/// If there is no such network.
pub fn given_network(named: Option<NetworkArgument<'_>>) -> PyResult<Option<network::Network>> {
    match named {
        None => Ok(None),
        Some(NetworkArgument::Loaded(loaded)) => Ok(Some(loaded.network.clone())),
        Some(NetworkArgument::Name(object)) if path(&object).is_err() => Err(no_network(&object)),
        Some(NetworkArgument::Name(name)) => Ok(Some(PyNetwork::new(&name, None, None, None)?.network)),
    }
}

/// The error for an object that names no network.
pub fn no_network(object: &Bound<'_, PyAny>) -> PyErr {
    let remedy = "give its name, such as \"ethernet-12x40\", its file, or netsig.Network(…)";
    of_type(object, "a Network", remedy)
}

/// Names of the shipped scenarios, smallest first.
///
/// Returns
/// -------
/// list of str
#[pyfunction]
pub fn scenarios() -> Vec<&'static str> {
    SHIPPED_SCENARIOS.iter().map(|(name, _)| *name).collect()
}
