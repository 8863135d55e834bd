//! The checks of what is installed, which start no job: MPI, the programs built for it, the launcher, and
//! the number of hosts.

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::Procs;

use super::Args;
use super::row::Row;
use crate::campaign::errand::Errand;
use crate::input::args::Place;
use crate::input::failure::Failure;
use crate::job::launch::Launcher;
use crate::job::launch::survey::{Survey, version_of};

/// The checks, and what starts the trial job.
pub struct Installed {
    /// The checks.
    pub rows: Vec<Row>,
    /// The launcher and the number of ranks, if there are enough hosts.
    pub launcher: Option<(Launcher, Procs)>,
}

/// The libraries that netsig can start.
const KNOWN: [MpiFlavour; 2] = [MpiFlavour::OpenMpi, MpiFlavour::Mpich];

impl Installed {
    /// Makes the checks for the trial job.
    pub fn find(args: &Args, errand: &Errand) -> Self {
        let survey = Survey::find(&args.launch, &args.place);
        let mut rows = match &survey {
            Ok(survey) => vec![mpi(survey), rank_program(survey, args), interposer(survey)],
            Err(failure) => vec![
                Row::of_failure("mpi", failure),
                Row::skipped("rank program", "depends on the MPI"),
                Row::skipped("interposer", "depends on the MPI"),
            ],
        };
        let launcher = if rows.iter().any(Row::has_failed) {
            rows.push(Row::skipped("launcher", "depends on the checks above"));
            rows.push(Row::skipped("hosts", "depends on the launcher"));
            None
        } else {
            started(args, errand, &mut rows)
        };
        Self { rows, launcher }
    }
}

fn mpi(survey: &Survey) -> Row {
    let Some(mpi) = survey.mpi() else {
        let detail = "no mpirun is in PATH; srun starts the rank program that is given";
        return Row::ok("mpi", detail);
    };
    let named = |mpi| Some(format!("{mpi} {}", version_of(mpi)?));
    let own = named(mpi).unwrap_or(mpi.to_string());
    let program = survey.program().display();
    let others = KNOWN.into_iter().filter(|other| *other != mpi);
    let others = others.filter_map(named);
    let others = others.map(|other| format!("{other} is installed too (--launcher)"));
    let all = std::iter::once(format!("{own}, {program}")).chain(others);
    Row::ok("mpi", all.collect_vec().join("; "))
}

fn rank_program(survey: &Survey, args: &Args) -> Row {
    let program = match survey.rank_program(&args.launch) {
        Ok(program) => program,
        Err(failure) => return Row::of_failure("rank program", &failure),
    };
    let own = env!("CARGO_PKG_VERSION");
    let found = format!("{}, {}", program.version, program.path.display());
    if program.version.split_whitespace().any(|word| word == own) {
        return Row::ok("rank program", found);
    }
    let cure = "build it again: make openmpi or make mpich";
    Row::failed("rank program", format!("{found}, and netsig is {own}"), cure)
}

/// Only `netsig run` needs the interposer.
fn interposer(survey: &Survey) -> Row {
    match survey.interposer() {
        Ok(Some(path)) => Row::ok("interposer", path.display()),
        Ok(None) => Row::skipped("interposer", "depends on the MPI"),
        Err(failure) => Row::of_failure("interposer", &failure).into_warning(),
    }
}

/// The checks of the launcher and its hosts.
fn started(args: &Args, errand: &Errand, rows: &mut Vec<Row>) -> Option<(Launcher, Procs)> {
    let launcher = match Launcher::find(&args.launch, &args.place) {
        Ok(launcher) => launcher,
        Err(failure) => {
            rows.push(Row::of_failure("launcher", &failure));
            rows.push(Row::skipped("hosts", "depends on the launcher"));
            return None;
        }
    };
    rows.push(if launcher.lacks_interface() {
        let cure =
            "give --launcher openmpi or mpich, or --launcher-option=--mpi=NAME with another of `srun --mpi=list`";
        Row::failed("launcher", "srun offers no interface that suits the MPI", cure)
    } else {
        Row::ok("launcher", launcher.in_words())
    });
    match hosts(args, errand, &launcher) {
        Ok((row, procs)) => {
            rows.push(row);
            Some((launcher, procs))
        }
        Err(failure) => {
            rows.push(Row::of_failure("hosts", &failure));
            None
        }
    }
}

/// The number of hosts, and that of the ranks.
fn hosts(args: &Args, errand: &Errand, launcher: &Launcher) -> Result<(Row, Procs), Failure> {
    let procs = errand.procs(launcher, args.procs)?;
    let two = Procs::new(2).expect("two is a number of processes");
    if procs < two {
        launcher.check(two)?;
        return Err(Failure::usage("there is one rank; give --procs 2 or more"));
    }
    let on = match (&args.place, launcher.hosts()) {
        (Place::Lab(scenario), _) => format!(" on {scenario}"),
        (_, Some(1)) => {
            let detail = format!("{procs} ranks on one host: times would be those of its memory");
            let cure = "give --hostfile with more, or ask the batch system for more nodes";
            return Ok((Row::warning("hosts", detail, cure), procs));
        }
        (_, Some(hosts)) => format!(" on {hosts} hosts"),
        (_, None) => ", placed by --launcher-option".to_owned(),
    };
    Ok((Row::ok("hosts", format!("{procs} ranks{on}")), procs))
}
