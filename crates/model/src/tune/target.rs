//! The libraries that rules are written for: a target is a library with a range of versions.

use std::fmt;

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, MpiFlavour, MpiSetting, OfferedAlgorithm, ServedOperations};
use netsig_base::text::guess::guess;
use strum::VariantArray as _;

use super::fewest_rules::SizeMeasure;

/// A library with the versions that read the same rules.
#[derive(Debug)]
pub struct TuningTarget {
    /// Name in `--for`.
    pub name: &'static str,
    /// The library.
    pub flavour: MpiFlavour,
    /// Numbers with which its versions begin; empty for any version.
    version: &'static [u32],
    /// First patch of the version whose rules can bound the messages in progress.
    pub(super) windows_from: Option<u32>,
    /// The command of a launch, for a rules file of this name.
    pub(super) launch: fn(&str) -> String,
    /// Other remarks for the user, one line each.
    pub(super) remarks: &'static [&'static str],
}

/// The targets, in the order of the help.
pub static TARGETS: &[TuningTarget] = &[
    TuningTarget {
        name: "openmpi-4.1",
        flavour: MpiFlavour::OpenMpi,
        version: &[4, 1],
        windows_from: Some(8),
        launch: open_mpi,
        remarks: OPEN_MPI,
    },
    TuningTarget {
        name: "openmpi-5.0",
        flavour: MpiFlavour::OpenMpi,
        version: &[5, 0],
        windows_from: Some(7),
        launch: open_mpi,
        remarks: OPEN_MPI,
    },
    TuningTarget {
        name: "mpich-4",
        flavour: MpiFlavour::Mpich,
        version: &[4],
        windows_from: None,
        launch: mpich,
        remarks: MPICH,
    },
    TuningTarget {
        name: "intelmpi",
        flavour: MpiFlavour::IntelMpi,
        version: &[],
        windows_from: None,
        launch: intel_mpi,
        remarks: INTEL_MPI,
    },
];

fn open_mpi(file: &str) -> String {
    format!("mpirun {}", MpiSetting::open_mpi_rules(file))
}

fn mpich(file: &str) -> String {
    format!("mpirun -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE {file}")
}

fn intel_mpi(file: &str) -> String {
    format!(". {file} && mpirun")
}

const OPEN_MPI: &[&str] = &[
    "sizes are totals: of alltoall, allgather, scatter and gather the number of processes times the size for each, of reductions the whole vector",
    "the library says nothing about a file that it cannot read",
    "the launch switches off han, hcoll and ucc, which take calls before tuned: where no rule holds, tuned decides",
];

const MPICH: &[&str] = &["the file begins with the library's own tree: write it anew for another build of MPICH"];

const INTEL_MPI: &[&str] = &[
    "numbers are those of the reference; from 2021.13 on the library takes them as presets:",
    "compare times with and without these settings before you rely on them",
];

/// Names of libraries whose version may be left out, so that the installed one counts.
static INSTALLED: &[(&str, MpiFlavour)] = &[("openmpi", MpiFlavour::OpenMpi), ("mpich", MpiFlavour::Mpich)];

/// A version of a library: numbers from the most significant on.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{}", _0.iter().join("."))]
pub struct LibraryVersion(Vec<u32>);

/// A target with the requested version.
#[derive(Debug, Clone)]
pub struct TargetRelease {
    /// The target.
    pub target: &'static TuningTarget,
    /// The version.
    version: LibraryVersion,
}

/// A library or simulator that the user names.
#[derive(Debug, Clone)]
pub enum NamedTarget {
    /// A version of a library.
    Release(TargetRelease),
    /// The installed version of a library.
    Installed(MpiFlavour),
    /// A simulator.
    Simulator(TargetSimulator),
}

/// Simulators that read parameters of the network; they choose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum TargetSimulator {
    /// A platform of `SimGrid`.
    SimGrid,
    /// Parameters of `LogGOPSim`.
    LogGopSim,
}

/// A name that is no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tune does not know {name}; {}write one of: {}", guess(name, &target_names().join(", ")), target_names().join(", "))]
pub struct UnknownTarget {
    name: String,
}

impl LibraryVersion {
    /// The first version in `text`, such as 4.1.4 in "mpirun (Open MPI) 4.1.4".
    pub fn find(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let words = text.split(|c| !is_part(c));
        words.filter(|word| word.contains('.')).find_map(Self::read)
    }

    fn read(text: &str) -> Option<Self> {
        let numbers: Result<Vec<u32>, _> = text.split('.').map(str::parse).collect();
        numbers.ok().map(Self)
    }
}

impl NamedTarget {
    /// The target that `text` names: `openmpi-4.1`, a version of it as in `openmpi-4.1.8`, a library
    /// alone, or a simulator.
    ///
    /// # Errors
    /// If there is no such target.
    pub fn parse(text: &str) -> Result<Self, UnknownTarget> {
        let unknown = || UnknownTarget { name: text.to_owned() };
        if let Some((_, flavour)) = INSTALLED.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Installed(*flavour));
        }
        if let Ok(simulator) = text.parse() {
            return Ok(Self::Simulator(simulator));
        }
        let (library, version) = text.split_once('-').unwrap_or((text, ""));
        let version = match version {
            "" => LibraryVersion(Vec::new()),
            version => LibraryVersion::read(version).ok_or_else(unknown)?,
        };
        let mut targets = TARGETS.iter();
        let found = targets.find(|target| target.library() == library && target.has_version(&version));
        let target = found.ok_or_else(unknown)?;
        Ok(Self::Release(TargetRelease { target, version }))
    }
}

impl TargetRelease {
    /// The version of a library that is installed.
    ///
    /// # Errors
    /// If no target has this version.
    pub fn installed(flavour: MpiFlavour, version: LibraryVersion) -> Result<Self, UnknownTarget> {
        let mut targets = TARGETS.iter();
        let found = targets.find(|target| target.flavour == flavour && target.has_version(&version));
        let target = found.ok_or_else(|| UnknownTarget {
            name: format!("the installed {flavour} {version}"),
        })?;
        Ok(Self { target, version })
    }

    /// True if rules can bound the messages in progress.
    pub fn has_windows(&self) -> bool {
        let patch = self.version.0.get(self.target.version.len());
        let from = self.target.windows_from;
        patch
            .zip(from)
            .is_some_and(|(patch_number, from)| *patch_number >= from)
    }

    /// True if rules can ask a call for its operation and for the number of elements, besides its bytes.
    pub(super) fn rules_see_operands(&self) -> bool {
        self.target.flavour == MpiFlavour::Mpich
    }

    /// True if rules may name an algorithm where programs use these operations.
    pub(super) fn may_name(&self, offer: &OfferedAlgorithm, operations: ServedOperations) -> bool {
        self.rules_see_operands() || offer.served_operations() <= operations
    }

    /// Measure of size that rules of a collective look at; `None` if one rule must hold for all
    /// sizes.
    ///
    /// In a scatter or gather, the ranks of Open MPI and MPICH look at arguments that need not agree: by rules with
    /// sizes they could choose different algorithms.
    pub fn measure(&self, collective: Collective) -> Option<SizeMeasure> {
        use Collective::{
            Allgather, Allreduce, Alltoall, Alltoallv, AlltoallvSkewed, AlltoallvSparse, Barrier, Bcast, Gather,
            Reduce, ReduceScatter, ReduceScatterBlock, Scatter,
        };
        match (self.target.flavour, collective) {
            (_, Scatter | Gather | Alltoallv | AlltoallvSkewed | AlltoallvSparse | Barrier) => None,
            (MpiFlavour::OpenMpi, Alltoall | Allgather) | (MpiFlavour::Mpich, Allgather) => Some(SizeMeasure::Total),
            (_, Bcast | Reduce | Allreduce | ReduceScatter | ReduceScatterBlock)
            | (MpiFlavour::Mpich | MpiFlavour::IntelMpi, Alltoall | Allgather) => Some(SizeMeasure::Each),
        }
    }
}

impl TuningTarget {
    /// Name of the library.
    fn library(&self) -> &str {
        self.name.split('-').next().unwrap_or(self.name)
    }

    /// True for a version of the target, also for the target's own without a patch.
    fn has_version(&self, version: &LibraryVersion) -> bool {
        version.0.starts_with(self.version)
    }
}

/// The names that `--for` accepts.
pub fn target_names() -> Vec<&'static str> {
    let installed = INSTALLED.iter().map(|(name, _)| *name);
    let simulators = TargetSimulator::VARIANTS.iter().map(<&str>::from);
    installed
        .chain(TARGETS.iter().map(|target| target.name))
        .chain(simulators)
        .collect()
}

/// The library with its version, if one is requested.
impl fmt::Display for TargetRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flavour = match self.target.flavour {
            MpiFlavour::IntelMpi => "Intel MPI".to_owned(),
            other => other.to_string(),
        };
        let version = self.version.to_string();
        f.write_str(format!("{flavour} {version}").trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_library_with_a_known_version() {
        let release = |text| match NamedTarget::parse(text) {
            Ok(NamedTarget::Release(named)) => Some((named.target.name, named.has_windows())),
            _ => None,
        };
        for (text, found) in [
            ("openmpi-4.1", Some(("openmpi-4.1", false))),
            ("openmpi-4.1.7", Some(("openmpi-4.1", false))),
            ("openmpi-4.1.8", Some(("openmpi-4.1", true))),
            ("openmpi-5.0.7", Some(("openmpi-5.0", true))),
            ("mpich-4.0.2", Some(("mpich-4", false))),
            ("intelmpi", Some(("intelmpi", false))),
            ("intelmpi-2021.18", Some(("intelmpi", false))),
            ("openmpi", None),
            ("openmpi-4", None),
            ("openmpi-4.10", None),
            ("openmpi-", None),
            ("mpich-5.0", None),
            ("mpich-x", None),
            ("mvapich-2", None),
        ] {
            assert_eq!(release(text), found, "{text}");
        }
        let version = LibraryVersion::find("HYDRA build details:\n  Version:   4.0.2\n").unwrap();
        let installed = TargetRelease::installed(MpiFlavour::Mpich, version).unwrap();
        assert_eq!(installed.to_string(), "MPICH 4.0.2");
        let version = LibraryVersion::find("mpirun (Open MPI) 6.0.1").unwrap();
        let refused = TargetRelease::installed(MpiFlavour::OpenMpi, version).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "tune does not know the installed Open MPI 6.0.1; write one of: openmpi, mpich, openmpi-4.1, openmpi-5.0, mpich-4, intelmpi, simgrid, loggopsim"
        );
    }
}
