//! The checks without a job: MPI, the programs built for it, the launcher, and the number of hosts.

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::Procs;

use super::Args;
use super::check_row::CheckRow;
use crate::campaign::planless_job::PlanlessJob;
use crate::input::args::MeasurementPlace;
use crate::input::failure::Failure;
use crate::job::launch::Launcher;
use crate::job::launch::installation::{MpiInstallation, version_of};

/// The checks, and the launcher of the trial job.
pub struct InstallationChecks {
    /// The checks.
    pub rows: Vec<CheckRow>,
    /// The launcher and the number of ranks, if there are enough hosts.
    pub launcher: Option<(Launcher, Procs)>,
}

/// The libraries that netsig can start.
const STARTED_MPIS: [MpiFlavour; 2] = [MpiFlavour::OpenMpi, MpiFlavour::Mpich];

impl InstallationChecks {
    /// Makes the checks for the trial job.
    pub fn find(args: &Args, planless_job: &PlanlessJob) -> Self {
        let installation = MpiInstallation::find(&args.launch, &args.place);
        let mut rows = match &installation {
            Ok(installation) => vec![
                mpi(installation),
                rank_program(installation, args),
                interposer(installation),
            ],
            Err(failure) => vec![
                CheckRow::of_failure("mpi", failure),
                CheckRow::skipped("rank program", "depends on the MPI"),
                CheckRow::skipped("interposer", "depends on the MPI"),
            ],
        };
        let launcher = if rows.iter().any(CheckRow::has_failed) {
            rows.push(CheckRow::skipped("launcher", "depends on the checks above"));
            rows.push(CheckRow::skipped("hosts", "depends on the launcher"));
            None
        } else {
            find_launcher(args, planless_job, &mut rows)
        };
        Self { rows, launcher }
    }
}

fn mpi(installation: &MpiInstallation) -> CheckRow {
    let Some(mpi) = installation.mpi() else {
        let detail = "no mpirun is in PATH; srun starts the rank program that is given";
        return CheckRow::ok("mpi", detail);
    };
    let name_with_version = |mpi| Some(format!("{mpi} {}", version_of(mpi)?));
    let used_mpi = name_with_version(mpi).unwrap_or(mpi.to_string());
    let program = installation.program().display();
    let other_flavours = STARTED_MPIS.into_iter().filter(|other| *other != mpi);
    let other_versions = other_flavours.filter_map(name_with_version);
    let notes_on_others = other_versions.map(|other| format!("{other} is installed too (--launcher)"));
    let all = std::iter::once(format!("{used_mpi}, {program}")).chain(notes_on_others);
    CheckRow::ok("mpi", all.collect_vec().join("; "))
}

fn rank_program(installation: &MpiInstallation, args: &Args) -> CheckRow {
    let program = match installation.rank_program(&args.launch) {
        Ok(program) => program,
        Err(failure) => return CheckRow::of_failure("rank program", &failure),
    };
    let netsig_version = env!("CARGO_PKG_VERSION");
    let found = format!("{}, {}", program.version, program.path.display());
    if program.version.split_whitespace().any(|word| word == netsig_version) {
        return CheckRow::ok("rank program", found);
    }
    let cure = "build it again: make openmpi or make mpich";
    CheckRow::failed("rank program", format!("{found}, and netsig is {netsig_version}"), cure)
}

/// Only `netsig run` needs the interposer.
fn interposer(installation: &MpiInstallation) -> CheckRow {
    match installation.interposer() {
        Ok(Some(path)) => CheckRow::ok("interposer", path.display()),
        Ok(None) => CheckRow::skipped("interposer", "depends on the MPI"),
        Err(failure) => CheckRow::of_failure("interposer", &failure).into_warning(),
    }
}

/// The checks of the launcher and its hosts.
fn find_launcher(args: &Args, planless_job: &PlanlessJob, rows: &mut Vec<CheckRow>) -> Option<(Launcher, Procs)> {
    let launcher = match Launcher::find(&args.launch, &args.place) {
        Ok(launcher) => launcher,
        Err(failure) => {
            rows.push(CheckRow::of_failure("launcher", &failure));
            rows.push(CheckRow::skipped("hosts", "depends on the launcher"));
            return None;
        }
    };
    rows.push(if launcher.lacks_interface() {
        let cure =
            "give --launcher openmpi or mpich, or --launcher-option=--mpi=NAME with another of `srun --mpi=list`";
        CheckRow::failed("launcher", "srun offers no interface that suits the MPI", cure)
    } else {
        CheckRow::ok("launcher", launcher.in_words())
    });
    match check_hosts(args, planless_job, &launcher) {
        Ok((row, procs)) => {
            rows.push(row);
            Some((launcher, procs))
        }
        Err(failure) => {
            rows.push(CheckRow::of_failure("hosts", &failure));
            None
        }
    }
}

/// The check of the number of hosts, and the number of ranks.
fn check_hosts(args: &Args, planless_job: &PlanlessJob, launcher: &Launcher) -> Result<(CheckRow, Procs), Failure> {
    let procs = planless_job.procs(launcher, args.procs)?;
    let two = Procs::new(2).expect("two is a number of processes");
    if procs < two {
        launcher.check(two)?;
        return Err(Failure::usage("there is one rank; give --procs 2 or more"));
    }
    let placement = match (&args.place, launcher.hosts()) {
        (MeasurementPlace::Lab(scenario), _) => format!(" on {scenario}"),
        (_, Some(1)) => {
            let detail = format!("{procs} ranks on one host: times would be those of its memory");
            let cure = "give --hostfile with more, or ask the batch system for more nodes";
            return Ok((CheckRow::warning("hosts", detail, cure), procs));
        }
        (_, Some(hosts)) => format!(" on {hosts} hosts"),
        (_, None) => ", placed by --launcher-option".to_owned(),
    };
    Ok((CheckRow::ok("hosts", format!("{procs} ranks{placement}")), procs))
}
