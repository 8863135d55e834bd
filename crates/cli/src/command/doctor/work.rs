//! The last line: the measurement for which all is ready, how it is started, and how long it takes.

use std::ffi::OsString;

use netsig_base::units::{Procs, Seconds};

use super::row::Row;
use super::{Args, DATA};
use crate::campaign::USUAL_BUDGET;
use crate::campaign::estimate::span;
use crate::input::args::{LaunchArgs, LauncherChoice, Place};
use crate::input::wish::LEAST;
use crate::job::launch::Launcher;
use crate::print::quote;

const MEASURE: &str = "measure";

/// The measurement that can be made; nothing if a check failed.
pub fn row(args: &Args, ready: Option<&(Launcher, Procs)>) -> Row {
    let Some((launcher, procs)) = ready else {
        return Row::skipped(MEASURE, "needs the checks above");
    };
    let start = quote::line(&launcher.command(*procs, &[], &[]));
    if procs.get() < LEAST {
        let detail = format!("{procs} processes show no contention; started by: {start}");
        let cure = format!("give {LEAST} hosts or more, or a plan with [pingpong] alone");
        return Row::warning(MEASURE, detail, cure);
    }
    let command = quote::line(&learn(args, *procs));
    let budget = span(Seconds(USUAL_BUDGET.as_secs_f64()));
    Row::ok(MEASURE, format!("{command} takes {budget} at most; it starts {start}"))
}

/// The command that measures and fits, with the given options.
fn learn(args: &Args, procs: Procs) -> Vec<OsString> {
    let wish = format!("alltoall library up to {}", 2 * procs.get());
    let most = procs.to_string();
    let words = ["netsig", "learn", &wish, "--most", &most, "-o", DATA];
    let mut words: Vec<OsString> = words.map(OsString::from).into();
    if let Place::Lab(scenario) = &args.place {
        words.extend(["--on".into(), format!("lab:{scenario}").into()]);
    }
    words.extend(options(&args.launch));
    words
}

/// The options of the launcher that differ from their defaults.
fn options(launch: &LaunchArgs) -> Vec<OsString> {
    let launcher = match launch.launcher {
        LauncherChoice::Auto => None,
        LauncherChoice::Openmpi => Some("openmpi"),
        LauncherChoice::Mpich => Some("mpich"),
        LauncherChoice::Srun => Some("srun"),
    };
    let path = |path: &Option<std::path::PathBuf>| path.clone().map(OsString::from);
    let given = [
        ("--launcher", launcher.map(OsString::from)),
        ("--mpirun", path(&launch.mpirun)),
        ("--hostfile", path(&launch.hostfile)),
        ("--ppn", (launch.ppn > 1).then(|| launch.ppn.to_string().into())),
    ];
    let given = given
        .into_iter()
        .filter_map(|(name, value)| Some([name.into(), value?]));
    let further = launch.launcher_options.iter();
    let further = further.map(|word| OsString::from(format!("--launcher-option={word}")));
    given.flatten().chain(further).collect()
}
