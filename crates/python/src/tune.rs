//! Tuning files for Python: rules for MPI libraries, parameters for simulators.

use std::path;

use netsig_base::algorithm::{MpiFlavour, ServedOperations};
use netsig_base::network::Network;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_model::predict::rate::refuse_other_rate;
use netsig_model::profile::Profile;
use netsig_model::tune::simgrid::{self, PlatformTopology};
use netsig_model::tune::{
    CommentNames, NamedTarget, TargetRelease, TargetSimulator, TunedLibrary, TuningRequest, loggopsim, mpich,
};
use pyo3::prelude::*;

use crate::arguments::too_far;
use crate::error::{refused, usage, warn};
use crate::files;
use crate::grid::{ascending_counts, ascending_sizes};
use crate::network::{NetworkArgument, given_network};
use crate::profile::PyProfile;

/// Name of the rules in their comments, if they are not written to a file.
const UNWRITTEN: &str = "/ABSOLUTE/PATH/OF/THIS/FILE";

/// Arguments of the rules for a library.
struct LibraryArguments<'a, 'py> {
    profile: &'a Profile,
    name: &'a str,
    network: Option<&'a Network>,
    procs: Option<&'a Bound<'py, PyAny>>,
    size: Option<&'a Bound<'py, PyAny>>,
    library: Option<&'a Bound<'py, PyAny>>,
    operations: ServedOperations,
    path: Option<&'a Bound<'py, PyAny>>,
}

#[pymethods]
impl PyProfile {
    /// Rules by which an MPI library takes its fastest algorithms, or a network for a simulator, as
    /// ``netsig tune``.
    ///
    /// Parameters
    /// ----------
    /// target : str
    ///     The library with its version (``"openmpi-4.1"``, ``"openmpi-5.0"``, ``"mpich-4"``,
    ///     ``"intelmpi"``), or a simulator (``"simgrid"``, ``"loggopsim"``).
    /// path : str or os.PathLike, optional
    ///     The file to write; it is replaced completely or not at all.
    /// procs : int, array of int, or str, optional
    ///     Process counts of the rules; by default all that :meth:`predict` answers. For a platform of
    ///     SimGrid without ``network``, the number of hosts.
    /// size : int, array of int, or str, optional
    ///     Sizes at which algorithms are compared; by default all that :meth:`predict` answers.
    /// library : str or os.PathLike, optional
    ///     MPICH's library, such as ``libmpich.so.12``, whose own rules the file completes. MPICH reads
    ///     the file that ``MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`` names.
    /// commutative : bool
    ///     All operations of the programs commute, as those of MPI do: take also reductions that are
    ///     wrong for others.
    /// network : Network or str, optional
    ///     The links of the network.
    /// extrapolate : bool
    ///     Take also a profile whose messages pass at another rate than the links of ``network``.
    ///
    /// Returns
    /// -------
    /// str
    ///     The text of the file.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     If the profile has nothing to choose among, or is of other links.
    /// UsageError
    ///     If an argument cannot be used.
    /// FileError
    ///     If the file cannot be written.
    #[pyo3(signature = (
        target, *, path=None, procs=None, size=None, library=None, commutative=false, network=None,
        extrapolate=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn tune(
        &self,
        py: Python<'_>,
        target: &str,
        path: Option<&Bound<'_, PyAny>>,
        procs: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        library: Option<&Bound<'_, PyAny>>,
        commutative: bool,
        network: Option<NetworkArgument<'_>>,
        extrapolate: bool,
    ) -> PyResult<String> {
        let network = given_network(network)?;
        let arguments = LibraryArguments {
            profile: &self.profile,
            name: &self.name,
            network: network.as_ref(),
            procs,
            size,
            library,
            operations: if commutative {
                ServedOperations::Commutative
            } else {
                ServedOperations::Every
            },
            path,
        };
        let text = match NamedTarget::parse(target).map_err(|error| usage(py, error))? {
            NamedTarget::Installed(mpi) => return Err(installed(py, mpi, target)),
            NamedTarget::Release(release) => {
                arguments.refuse_other_rate(py, extrapolate)?;
                arguments.rules(py, &release)?
            }
            NamedTarget::Simulator(simulator) => arguments.of_simulator(py, simulator, extrapolate)?,
        };
        if let Some(path) = path {
            files::replace(py, path, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(text)
    }
}

/// The refusal of a library without a version: only the command line asks the installed MPI for it.
fn installed(py: Python<'_>, mpi: MpiFlavour, target: &str) -> PyErr {
    let example = match mpi {
        MpiFlavour::Mpich => "mpich-4",
        _ => "openmpi-4.1",
    };
    let problem = format!(
        "target={target:?}: the version is missing, which netsig tune asks the installed library for; write it, as in {example:?}"
    );
    usage(py, problem)
}

impl LibraryArguments<'_, '_> {
    fn refuse_other_rate(&self, py: Python<'_>, extrapolate: bool) -> PyResult<()> {
        let checked = refuse_other_rate(self.profile, self.name, self.network, too_far(extrapolate));
        checked.map_err(|error| refused(py, error))
    }

    /// The rules for a library, with their notes as warnings.
    fn rules(&self, py: Python<'_>, release: &TargetRelease) -> PyResult<String> {
        let is_mpich = release.target.flavour == MpiFlavour::Mpich;
        if self.library.is_some() && !is_mpich {
            let problem = "library is for MPICH, whose own rules the file completes; leave it out";
            return Err(usage(py, problem));
        }
        let request = TuningRequest {
            profile: self.profile,
            network: self.network,
            release,
            counts: self.procs.map(ascending_counts).transpose()?,
            sizes: self.size.map(ascending_sizes).transpose()?,
            operations: self.operations,
        };
        let found = py.detach(|| TunedLibrary::of(request, self.name));
        let tuned = found.map_err(|error| refused(py, error))?;
        let tree = self.library.map(self::tree).transpose()?;
        if is_mpich && tree.is_none() {
            let problem = "library is missing: the path of the libmpich.so.12 whose own rules the file completes";
            return Err(usage(py, problem));
        }
        let names = CommentNames {
            profile: self.name,
            file: &self.shell_path(py)?,
        };
        let rules_file = tuned.file(names, tree.as_ref());
        let text = rules_file.map_err(|error| refused(py, error))?.text;
        warn(py, &tuned.notes())?;
        Ok(text)
    }

    /// Absolute path of the rules as a shell reads it.
    fn shell_path(&self, py: Python<'_>) -> PyResult<String> {
        let Some(path) = self.path else {
            return Ok(UNWRITTEN.to_owned());
        };
        let absolute = path::absolute(files::path(path)?.0).map_err(|error| usage(py, format!("path: {error}")))?;
        let quoted = py
            .import("shlex")?
            .call_method1("quote", (absolute.into_os_string(),))?;
        quoted.extract()
    }

    /// Parameters of the network for a simulator.
    fn of_simulator(&self, py: Python<'_>, simulator: TargetSimulator, extrapolate: bool) -> PyResult<String> {
        if self.size.is_some() || self.library.is_some() || self.operations != ServedOperations::Every {
            let problem = "size, library and commutative are for MPI libraries; a simulator takes the network alone";
            return Err(usage(py, problem));
        }
        let unsupported = |error: String| refused(py, Refusal::data(error).about(self.name));
        match simulator {
            TargetSimulator::SimGrid => {
                self.refuse_other_rate(py, extrapolate)?;
                let hosts = self.procs.map(ascending_counts).transpose()?;
                let most = hosts.and_then(|counts| counts.last().copied());
                let topology = PlatformTopology::of(self.network, most).map_err(|error| refused(py, error))?;
                simgrid::platform(self.profile, self.name, topology).map_err(|error| unsupported(error.to_string()))
            }
            TargetSimulator::LogGopSim => {
                let parameters = loggopsim::parameters(self.profile, self.name);
                let text = parameters.map_err(|error| unsupported(error.to_string()))?;
                let note: Note =
                    loggopsim::accuracy_note(self.profile).map_err(|error| unsupported(error.to_string()))?;
                warn(py, [&note])?;
                Ok(text)
            }
        }
    }
}

/// The selection tree of an MPICH.
fn tree(library: &Bound<'_, PyAny>) -> PyResult<mpich::MpichTree> {
    let py = library.py();
    let (path, name) = files::path(library)?;
    let bytes = files::read(py, &path, &name, |path| std::fs::read(path))?;
    mpich::generic_tree(&bytes).ok_or_else(|| {
        let problem = format!("{name}: holds no selection tree of MPICH 4; name its libmpich.so.12");
        usage(py, problem)
    })
}
