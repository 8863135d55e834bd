//! Networks for Python: the links that predictions, fits and simulations take into account.

use netsig_base::network;
use netsig_base::network::named::{SHIPPED, Speeds};
use pyo3::prelude::*;

use crate::error::{refused, usage};
use crate::files::{Disk, path};

/// A network: its hosts, switches and links.
///
/// Parameters
/// ----------
/// named : str or os.PathLike
///     A shipped scenario (see :func:`scenarios`), a ``.toml`` file, or Slurm's ``topology.conf``,
///     ``topology.yaml`` or output of ``scontrol show topology``.
/// rate, uplink_rate : str, optional
///     Rates of the hosts' links and of those between switches such as ``"1Gbit/s"``, for a
///     ``topology.conf``, which does not state them. The second is the first if it is not given.
/// port_buffer : str or int, optional
///     Buffer of a port in bytes, for a ``topology.conf``; 128 KiB if it is not given.
///
/// Raises
/// ------
/// UsageError
///     If there is no such network, or its file cannot be used.
#[pyclass(frozen, module = "netsig")]
pub struct Network {
    pub network: network::Network,
}

/// The speeds as text or numbers.
#[derive(FromPyObject)]
enum Size {
    Bytes(u64),
    Text(String),
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (named, *, rate=None, uplink_rate=None, port_buffer=None))]
    fn new(
        named: &Bound<'_, PyAny>,
        rate: Option<&str>,
        uplink_rate: Option<&str>,
        port_buffer: Option<Size>,
    ) -> PyResult<Self> {
        let py = named.py();
        let (_, named) = path(named)?;
        let rate_of = |text: Option<&str>| text.map(str::parse).transpose();
        let speeds = Speeds {
            rate: rate_of(rate).map_err(|error| usage(py, format!("rate: {error}")))?,
            uplink_rate: rate_of(uplink_rate).map_err(|error| usage(py, format!("uplink_rate: {error}")))?,
            port_buffer: match port_buffer {
                None => None,
                Some(Size::Bytes(bytes)) => Some(netsig_base::units::Bytes(bytes)),
                Some(Size::Text(text)) => Some(
                    text.parse()
                        .map_err(|error| usage(py, format!("port_buffer: {error}")))?,
                ),
            },
        };
        let network = speeds.load(&named, &Disk).map_err(|error| refused(py, error))?;
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

    fn __repr__(&self) -> String {
        format!("Network({}: {})", self.network.name, self.network.summary())
    }
}

/// A network, or the name of one.
#[derive(FromPyObject)]
pub enum Named<'py> {
    /// A network.
    Loaded(PyRef<'py, Network>),
    /// Its name.
    Name(Bound<'py, PyAny>),
}

/// The network, if one is given.
///
/// # Errors
/// If there is no such network.
pub fn given(named: Option<Named<'_>>) -> PyResult<Option<network::Network>> {
    match named {
        None => Ok(None),
        Some(Named::Loaded(own)) => Ok(Some(own.network.clone())),
        Some(Named::Name(name)) => Ok(Some(Network::new(&name, None, None, None)?.network)),
    }
}

/// Names of the shipped scenarios, smallest first.
///
/// Returns
/// -------
/// list of str
#[pyfunction]
pub fn scenarios() -> Vec<&'static str> {
    SHIPPED.iter().map(|(name, _)| *name).collect()
}
