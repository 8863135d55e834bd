//! Finds the launcher and its MPI, and builds the command line that starts netsig's rank program.

mod beside;
mod flavour;
mod hosts;
pub mod preloaded;
mod slurm;
pub mod survey;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::Procs;

use crate::input::args::{LaunchArgs, LauncherChoice, Place};
use crate::input::failure::Failure;
use flavour::Flavour;
use hosts::Room;
use slurm::Allocation;

/// The launcher, the rank program, and the options to start it.
#[derive(Debug)]
pub struct Launcher {
    program: PathBuf,
    /// The MPI of the rank program, if known.
    mpi: Option<MpiFlavour>,
    starter: Starter,
    host_options: Vec<OsString>,
    /// Number of ranks on each host.
    ppn: u32,
    /// The hosts of the ranks, if known.
    room: Option<Room>,
    /// Additional options of the user for the launcher.
    further: Vec<String>,
    rank_program: PathBuf,
}

#[derive(Debug)]
enum Starter {
    Mpirun(&'static Flavour),
    Srun {
        allocation: Allocation,
        /// The interface between srun and MPI, unless Slurm has a default.
        interface: Option<String>,
    },
}

/// What starts the ranks.
struct Base {
    program: PathBuf,
    /// The MPI of the mpirun, with srun that of the mpirun in PATH.
    flavour: Option<&'static Flavour>,
    /// The allocation, if it is srun.
    allocation: Option<Allocation>,
}

/// The mpirun of an installed MPI, and what it prints about its version.
///
/// # Errors
/// If there is none in PATH.
pub fn installed(mpi: MpiFlavour) -> Result<(PathBuf, String), Failure> {
    flavour::installed(mpi)
}

impl Launcher {
    /// Finds the launcher of MPI programs at `place`, and the rank program for its MPI.
    ///
    /// # Errors
    /// If either is missing, or the MPI is not supported.
    pub fn find(args: &LaunchArgs, place: &Place) -> Result<Self, Failure> {
        let Base {
            program,
            flavour,
            allocation,
        } = Base::find(args, place)?;
        let rank_program = rank_program(args, flavour)?;
        let of_ranks = flavour::of_rank_program(&rank_program);
        let (starter, mpi) = match (allocation, flavour) {
            (None, Some(flavour)) => {
                refuse_other(&program, flavour, &rank_program, of_ranks)?;
                (Starter::Mpirun(flavour), Some(flavour.mpi))
            }
            (allocation, _) => {
                let mpi = of_ranks.or(flavour).map(|flavour| flavour.mpi);
                let starter = Starter::Srun {
                    allocation: allocation.unwrap_or_default(),
                    interface: mpi.and_then(|mpi| slurm::interface(&program, mpi)),
                };
                (starter, mpi)
            }
        };
        let host_options = match (&args.hostfile, &starter) {
            (Some(file), Starter::Mpirun(flavour)) => {
                vec![flavour.hostfile.into(), existing(file, "host file")?.into()]
            }
            _ => Vec::new(),
        };
        Ok(Self {
            program,
            mpi,
            room: room(args, place, &starter)?,
            starter,
            host_options,
            ppn: args.ppn,
            further: args.launcher_options.clone(),
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
        let own = match &self.starter {
            Starter::Srun {
                interface: Some(name), ..
            } if !gives(&self.further, slurm::INTERFACE) => Some(format!("{}={name}", slurm::INTERFACE)),
            _ => None,
        };
        let program = self.program.display().to_string();
        let words = std::iter::once(program).chain(own);
        words.chain(self.further.iter().cloned()).join(" ")
    }

    /// True if srun offers no interface that suits the MPI, and the user names none.
    pub fn lacks_interface(&self) -> bool {
        let is_named = gives(&self.further, slurm::INTERFACE) || slurm::has_own_interface();
        matches!(self.starter, Starter::Srun { interface: None, .. }) && !is_named
    }

    /// Number of hosts, if known.
    pub fn hosts(&self) -> Option<u32> {
        self.room.map(|room| room.hosts)
    }

    /// The number of processes of which each host has its number; `None` if the number of hosts is
    /// not known.
    pub fn all(&self) -> Option<Procs> {
        let room = self.room?;
        Procs::new(room.hosts.saturating_mul(room.ppn)).ok()
    }

    /// Checks that `procs` processes can be started, as far as the resources are known.
    ///
    /// # Errors
    /// If the resources are too small.
    pub fn check(&self, procs: Procs) -> Result<(), Failure> {
        if let Starter::Srun { allocation, .. } = &self.starter {
            allocation.check(procs)?;
        }
        self.room.map_or(Ok(()), |room| room.check(procs))
    }

    /// The command that starts `procs` ranks with `arguments`, and with the variables of
    /// `environment` in their environments.
    pub fn command(&self, procs: Procs, environment: &[(String, String)], arguments: &[OsString]) -> Vec<OsString> {
        let mut words = vec![self.program.clone().into()];
        words.extend(self.options(procs).map(OsString::from));
        words.extend(self.host_options.iter().cloned());
        words.extend(self.variables(environment).into_iter().map(OsString::from));
        words.extend(self.further.iter().map(OsString::from));
        words.push(self.rank_program.clone().into());
        words.extend(arguments.iter().cloned());
        words
    }

    /// netsig's options for the launcher, without those that the user also gives.
    fn options(&self, procs: Procs) -> impl Iterator<Item = String> {
        let all = match &self.starter {
            Starter::Mpirun(flavour) => vec![vec!["-np".to_owned(), procs.to_string()], (flavour.placement)(self.ppn)],
            Starter::Srun { interface, .. } => slurm::options(procs, self.ppn, interface.as_deref()),
        };
        let own = all.into_iter().filter(|option| !gives(&self.further, &option[0]));
        own.flatten()
    }

    fn variables(&self, environment: &[(String, String)]) -> Vec<String> {
        let each = environment.iter();
        match self.starter {
            _ if environment.is_empty() => Vec::new(),
            Starter::Mpirun(flavour) => each.flat_map(|(name, value)| (flavour.variable)(name, value)).collect(),
            Starter::Srun { .. } => {
                let each = each.map(|(name, value)| format!(",{name}={value}"));
                vec![format!("--export=ALL{}", each.collect::<String>())]
            }
        }
    }
}

impl Base {
    /// Finds the launcher of MPI programs at `place`.
    fn find(args: &LaunchArgs, place: &Place) -> Result<Self, Failure> {
        let (program, flavour, allocation) = match srun(args, place)? {
            Some(_) if args.hostfile.is_some() => {
                return Err(Failure::usage(
                    "srun takes the hosts from its allocation; leave out --hostfile or give --mpirun",
                ));
            }
            Some((program, allocation)) => {
                let found = flavour::in_use(LauncherChoice::Auto).ok();
                (program, found.map(|(_, flavour)| flavour), Some(allocation))
            }
            None => {
                let (program, flavour) = match &args.mpirun {
                    Some(path) => flavour::at(absolute(path)?, args.launcher)?,
                    None => flavour::in_use(args.launcher)?,
                };
                (program, Some(flavour), None)
            }
        };
        Ok(Self {
            program,
            flavour,
            allocation,
        })
    }
}

/// The rank program: the given one, or that for the MPI.
fn rank_program(args: &LaunchArgs, flavour: Option<&Flavour>) -> Result<PathBuf, Failure> {
    match (&args.rank_program, flavour) {
        (Some(path), _) => existing(path, "rank program"),
        (None, Some(flavour)) => beside::rank_program(flavour),
        (None, None) => Err(Failure::usage(
            "srun does not show the MPI library, and PATH has no mpirun of Open MPI or MPICH; load the module of the MPI, or give --rank-program",
        )),
    }
}

/// Refuses a rank program that was built with another MPI than the mpirun's: each of its processes
/// would run as a separate job.
fn refuse_other(
    mpirun: &Path,
    flavour: &Flavour,
    rank_program: &Path,
    built_with: Option<&Flavour>,
) -> Result<(), Failure> {
    match built_with {
        Some(other) if other.mpi != flavour.mpi => Err(Failure::usage(format!(
            "was built with {0}, and {1} is the mpirun of {2}; give the --rank-program for {2} or the --mpirun of {0}",
            other.mpi,
            mpirun.display(),
            flavour.mpi
        ))
        .about(rank_program)),
        _ => Ok(()),
    }
}

/// The hosts for the ranks; `None` if their number is not known, and in the lab, which has enough.
fn room(args: &LaunchArgs, place: &Place, starter: &Starter) -> Result<Option<Room>, Failure> {
    let further = &args.launcher_options;
    let is_placed = |option: &str| gives(further, option);
    let (hosts, remedy) = match starter {
        _ if matches!(place, Place::Lab(_)) => return Ok(None),
        Starter::Mpirun(flavour) if is_placed(&(flavour.placement)(args.ppn)[0]) => {
            return Ok(None);
        }
        Starter::Mpirun(flavour) => (
            hosts::count(args.hostfile.as_deref(), flavour, further)?,
            "give --hostfile with more, ask the batch system for more nodes",
        ),
        Starter::Srun { .. } if is_placed("--ntasks-per-node") => return Ok(None),
        Starter::Srun { allocation, .. } => (allocation.nodes, "ask salloc or sbatch for more --nodes"),
    };
    Ok(hosts.map(|hosts| Room {
        hosts,
        ppn: args.ppn,
        remedy,
    }))
}

/// True if the user's options for the launcher include `option`.
fn gives(further: &[String], option: &str) -> bool {
    let name = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        name.starts_with('-').then(|| name.trim_start_matches('-').to_owned())
    };
    further.iter().any(|word| name(word) == name(option))
}

/// The srun to use and its allocation. `None` if an mpirun is to be used, always in the lab: only
/// mpirun can start processes in the emulated cluster.
fn srun(args: &LaunchArgs, place: &Place) -> Result<Option<(PathBuf, Allocation)>, Failure> {
    let allocation = Allocation::find();
    let is_lab = matches!(place, Place::Lab(_));
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
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::usage(format!("{error}; check the path")).about(path))
}

fn in_path(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
}

/// The absolute path of a file that must exist.
fn existing(path: &Path, what: &str) -> Result<PathBuf, Failure> {
    if path.is_file() {
        return absolute(path);
    }
    Err(Failure::usage(format!("there is no {what}; give its path")).about(path))
}
