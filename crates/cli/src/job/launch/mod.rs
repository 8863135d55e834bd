//! Finds the launcher and its MPI, and builds the command line that starts netsig's rank program.

mod hosts;
mod implementation;
pub mod installation;
mod netsig_files;
pub mod preloaded;
mod slurm;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::Procs;

use crate::input::args::{LaunchArgs, LauncherChoice, MeasurementPlace};
use crate::input::failure::Failure;
use hosts::HostCapacity;
use implementation::MpiImplementation;
use slurm::SlurmAllocation;

/// The launcher, the rank program, and the options to start it.
#[derive(Debug)]
pub struct Launcher {
    program: PathBuf,
    /// The MPI of the rank program, if known.
    mpi: Option<MpiFlavour>,
    kind: LauncherKind,
    host_options: Vec<OsString>,
    /// Number of ranks on each host.
    ppn: u32,
    /// The hosts of the ranks, if known.
    capacity: Option<HostCapacity>,
    /// Additional options of the user for the launcher.
    user_options: Vec<String>,
    rank_program: PathBuf,
}

#[derive(Debug)]
enum LauncherKind {
    Mpirun(&'static MpiImplementation),
    Srun {
        allocation: SlurmAllocation,
        /// The interface between srun and MPI, unless Slurm has a default.
        interface: Option<String>,
    },
}

/// The program that starts the ranks.
struct FoundLauncher {
    program: PathBuf,
    /// The MPI of the mpirun; for srun, of the mpirun in PATH.
    implementation: Option<&'static MpiImplementation>,
    /// The allocation, if it is srun.
    allocation: Option<SlurmAllocation>,
}

/// The mpirun of an installed MPI, and its version text.
///
/// # Errors
/// If there is none in PATH.
pub fn installed(mpi: MpiFlavour) -> Result<(PathBuf, String), Failure> {
    implementation::installed(mpi)
}

impl Launcher {
    /// Finds the launcher of MPI programs at `place`, and the rank program for its MPI.
    ///
    /// # Errors
    /// If either is missing, or the MPI is not supported.
    pub fn find(args: &LaunchArgs, place: &MeasurementPlace) -> Result<Self, Failure> {
        let FoundLauncher {
            program,
            implementation,
            allocation,
        } = FoundLauncher::find(args, place)?;
        let rank_program = rank_program(args, implementation)?;
        let of_ranks = implementation::of_rank_program(&rank_program);
        let (kind, mpi) = match (allocation, implementation) {
            (None, Some(implementation)) => {
                refuse_other_mpi(&program, implementation, &rank_program, of_ranks)?;
                (LauncherKind::Mpirun(implementation), Some(implementation.mpi))
            }
            (allocation, _) => {
                let mpi = of_ranks.or(implementation).map(|implementation| implementation.mpi);
                let kind = LauncherKind::Srun {
                    allocation: allocation.unwrap_or_default(),
                    interface: mpi.and_then(|mpi| slurm::interface(&program, mpi)),
                };
                (kind, mpi)
            }
        };
        let host_options = match (&args.hostfile, &kind) {
            (Some(file), LauncherKind::Mpirun(implementation)) => {
                vec![
                    implementation.hostfile_option.into(),
                    existing_file(file, "host file")?.into(),
                ]
            }
            _ => Vec::new(),
        };
        Ok(Self {
            program,
            mpi,
            capacity: host_capacity(args, place, &kind)?,
            kind,
            host_options,
            ppn: args.ppn,
            user_options: args.launcher_options.clone(),
            rank_program,
        })
    }

    /// The MPI of the rank program.
    ///
    /// # Errors
    /// If the MPI is not known.
    pub fn mpi(&self) -> Result<MpiFlavour, Failure> {
        self.mpi.ok_or_else(|| {
            Failure::usage(
                "srun does not show the MPI library, so that none of its algorithms can be forced; load the module of the MPI, or leave library:NAME out of the plan",
            )
        })
    }

    /// The launcher in words: its program, of srun with the interface to MPI, and the user's options.
    pub fn in_words(&self) -> String {
        let interface_option = match &self.kind {
            LauncherKind::Srun {
                interface: Some(name), ..
            } if !has_option(&self.user_options, slurm::INTERFACE_OPTION) => {
                Some(format!("{}={name}", slurm::INTERFACE_OPTION))
            }
            _ => None,
        };
        let program = self.program.display().to_string();
        let words = std::iter::once(program).chain(interface_option);
        words.chain(self.user_options.iter().cloned()).join(" ")
    }

    /// True if srun offers no interface that suits the MPI, and the user names none.
    pub fn lacks_interface(&self) -> bool {
        let is_named = has_option(&self.user_options, slurm::INTERFACE_OPTION) || slurm::has_default_interface();
        matches!(self.kind, LauncherKind::Srun { interface: None, .. }) && !is_named
    }

    /// Number of hosts, if known.
    pub fn hosts(&self) -> Option<u32> {
        self.capacity.map(|capacity| capacity.hosts)
    }

    /// The number of processes with `ppn` on every host; `None` if the number of hosts is not known.
    pub fn procs_on_all_hosts(&self) -> Option<Procs> {
        let capacity = self.capacity?;
        Procs::new(capacity.hosts.saturating_mul(capacity.ppn)).ok()
    }

    /// Checks that `procs` processes can be started, as far as the resources are known.
    ///
    /// # Errors
    /// If the resources are too small.
    pub fn check(&self, procs: Procs) -> Result<(), Failure> {
        if let LauncherKind::Srun { allocation, .. } = &self.kind {
            allocation.check(procs)?;
        }
        self.capacity.map_or(Ok(()), |capacity| capacity.check(procs))
    }

    /// The command that starts `procs` ranks with `arguments`, and with the variables of
    /// `environment` in their environments.
    pub fn command(&self, procs: Procs, environment: &[(String, String)], arguments: &[OsString]) -> Vec<OsString> {
        let mut words = vec![self.program.clone().into()];
        words.extend(self.options(procs).map(OsString::from));
        words.extend(self.host_options.iter().cloned());
        words.extend(self.variables(environment).into_iter().map(OsString::from));
        words.extend(self.user_options.iter().map(OsString::from));
        words.push(self.rank_program.clone().into());
        words.extend(arguments.iter().cloned());
        words
    }

    /// netsig's options for the launcher, without those that the user also gives.
    fn options(&self, procs: Procs) -> impl Iterator<Item = String> {
        let all = match &self.kind {
            LauncherKind::Mpirun(implementation) => vec![
                vec!["-np".to_owned(), procs.to_string()],
                (implementation.placement_options)(self.ppn),
            ],
            LauncherKind::Srun { interface, .. } => slurm::options(procs, self.ppn, interface.as_deref()),
        };
        let kept_options = all
            .into_iter()
            .filter(|option| !has_option(&self.user_options, &option[0]));
        kept_options.flatten()
    }

    fn variables(&self, environment: &[(String, String)]) -> Vec<String> {
        let assignments = environment.iter();
        match self.kind {
            _ if environment.is_empty() => Vec::new(),
            LauncherKind::Mpirun(implementation) => assignments
                .flat_map(|(name, value)| (implementation.variable_options)(name, value))
                .collect(),
            LauncherKind::Srun { .. } => {
                let assignment_words = assignments.map(|(name, value)| format!(",{name}={value}"));
                vec![format!("--export=ALL{}", assignment_words.collect::<String>())]
            }
        }
    }
}

impl FoundLauncher {
    /// Finds the launcher of MPI programs at `place`.
    fn find(args: &LaunchArgs, place: &MeasurementPlace) -> Result<Self, Failure> {
        let (program, implementation, allocation) = match srun(args, place)? {
            Some(_) if args.hostfile.is_some() => {
                return Err(Failure::usage(
                    "srun takes the hosts from its allocation; leave out --hostfile or give --mpirun",
                ));
            }
            Some((program, allocation)) => {
                let found = implementation::in_use(LauncherChoice::Auto).ok();
                (
                    program,
                    found.map(|(_, implementation)| implementation),
                    Some(allocation),
                )
            }
            None => {
                let (program, implementation) = match &args.mpirun {
                    Some(path) => implementation::at(absolute_path(path)?, args.launcher)?,
                    None => implementation::in_use(args.launcher)?,
                };
                (program, Some(implementation), None)
            }
        };
        Ok(Self {
            program,
            implementation,
            allocation,
        })
    }
}

/// The rank program: the given one, or that for the MPI.
fn rank_program(args: &LaunchArgs, implementation: Option<&MpiImplementation>) -> Result<PathBuf, Failure> {
    match (&args.rank_program, implementation) {
        (Some(path), _) => existing_file(path, "rank program"),
        (None, Some(implementation)) => netsig_files::rank_program(implementation),
        (None, None) => Err(Failure::usage(
            "srun does not show the MPI library, and PATH has no mpirun of Open MPI or MPICH; load the module of the MPI, or give --rank-program",
        )),
    }
}

/// Refuses a rank program that was built with another MPI than the mpirun's: each of its processes
/// would run as a separate job.
fn refuse_other_mpi(
    mpirun: &Path,
    implementation: &MpiImplementation,
    rank_program: &Path,
    built_with: Option<&MpiImplementation>,
) -> Result<(), Failure> {
    match built_with {
        Some(other) if other.mpi != implementation.mpi => Err(Failure::usage(format!(
            "was built with {0}, and {1} is the mpirun of {2}; give the --rank-program for {2} or the --mpirun of {0}",
            other.mpi,
            mpirun.display(),
            implementation.mpi
        ))
        .about(rank_program)),
        _ => Ok(()),
    }
}

/// The hosts for the ranks; `None` if their number is not known, and in the lab, which has enough.
fn host_capacity(
    args: &LaunchArgs,
    place: &MeasurementPlace,
    kind: &LauncherKind,
) -> Result<Option<HostCapacity>, Failure> {
    let user_options = &args.launcher_options;
    let is_placed = |option: &str| has_option(user_options, option);
    let (hosts, remedy) = match kind {
        _ if matches!(place, MeasurementPlace::Lab(_)) => return Ok(None),
        LauncherKind::Mpirun(implementation) if is_placed(&(implementation.placement_options)(args.ppn)[0]) => {
            return Ok(None);
        }
        LauncherKind::Mpirun(implementation) => (
            hosts::count(args.hostfile.as_deref(), implementation, user_options)?,
            "give --hostfile with more, ask the batch system for more nodes",
        ),
        LauncherKind::Srun { .. } if is_placed("--ntasks-per-node") => return Ok(None),
        LauncherKind::Srun { allocation, .. } => (allocation.nodes, "ask salloc or sbatch for more --nodes"),
    };
    Ok(hosts.map(|hosts| HostCapacity {
        hosts,
        ppn: args.ppn,
        remedy,
    }))
}

/// True if the user's options for the launcher include `option`.
fn has_option(user_options: &[String], option: &str) -> bool {
    let name = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        name.starts_with('-').then(|| name.trim_start_matches('-').to_owned())
    };
    user_options.iter().any(|word| name(word) == name(option))
}

/// The srun to use and its allocation. `None` if an mpirun is to be used, always in the lab: only
/// mpirun can start processes in the emulated cluster.
fn srun(args: &LaunchArgs, place: &MeasurementPlace) -> Result<Option<(PathBuf, SlurmAllocation)>, Failure> {
    let allocation = SlurmAllocation::find();
    let is_lab = matches!(place, MeasurementPlace::Lab(_));
    match args.launcher {
        LauncherChoice::Srun if is_lab => Err(Failure::usage(
            "srun starts nothing in the lab; leave out --launcher srun",
        )),
        LauncherChoice::Srun if args.mpirun.is_some() => Err(Failure::usage(
            "--launcher srun and --mpirun exclude each other; leave one out",
        )),
        LauncherChoice::Srun => {
            let program = in_path("srun")
                .ok_or_else(|| Failure::usage("srun is not in PATH; load Slurm's module or leave out --launcher"))?;
            // Outside of an allocation, srun requests one.
            Ok(Some((program, allocation.unwrap_or_default())))
        }
        LauncherChoice::Auto if !is_lab && args.mpirun.is_none() => Ok(in_path("srun").zip(allocation)),
        _ => Ok(None),
    }
}

/// Makes `path` absolute, so that it is valid in any directory.
///
/// # Errors
/// If there is no current directory.
pub fn absolute_path(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::usage(format!("{error}; check the path")).about(path))
}

fn in_path(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
}

/// The absolute path of a file that must exist.
fn existing_file(path: &Path, description: &str) -> Result<PathBuf, Failure> {
    if path.is_file() {
        return absolute_path(path);
    }
    Err(Failure::usage(format!("there is no {description}; give its path")).about(path))
}
