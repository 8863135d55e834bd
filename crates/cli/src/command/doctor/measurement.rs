//! The last row: the measurement that can be made, its command and its duration.

use std::ffi::OsString;

use netsig_base::units::{Procs, Seconds, duration_in_words};
use netsig_measure::prediction_scope::LEAST_PROCS;

use super::check_row::CheckRow;
use super::{Args, DATA};
use crate::campaign::DEFAULT_BUDGET;
use crate::input::args::{LaunchArgs, LauncherChoice, MeasurementPlace};
use crate::job::launch::Launcher;
use crate::print::quote;

const MEASURE: &str = "measure";

/// The row of the measurement that can be made; skipped if a check failed.
pub fn measurement_check(args: &Args, ready: Option<&(Launcher, Procs)>) -> CheckRow {
    let Some((launcher, procs)) = ready else {
        return CheckRow::skipped(MEASURE, "needs the checks above");
    };
    let start = quote::line(&launcher.command(*procs, &[], &[]));
    if procs.get() < LEAST_PROCS {
        let detail = format!("{procs} processes show no contention; started by: {start}");
        let cure = format!("give {LEAST_PROCS} hosts or more, or a plan with [pingpong] alone");
        return CheckRow::warning(MEASURE, detail, cure);
    }
    let command = quote::line(&learn_command(args, *procs));
    let budget = duration_in_words(Seconds(DEFAULT_BUDGET.as_secs_f64()));
    CheckRow::ok(MEASURE, format!("{command} takes {budget} at most; it starts {start}"))
}

/// The command that measures and fits, with the given options.
fn learn_command(args: &Args, procs: Procs) -> Vec<OsString> {
    let prediction = format!("alltoall library,library:pairwise up to {}", 2 * procs.get());
    let most = procs.to_string();
    let fixed_words = ["netsig", "learn", &prediction, "--max-procs", &most, "-o", DATA];
    let mut words: Vec<OsString> = fixed_words.map(OsString::from).into();
    if let MeasurementPlace::Lab(scenario) = &args.place {
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
    let option_values = [
        ("--launcher", launcher.map(OsString::from)),
        ("--mpirun", path(&launch.mpirun)),
        ("--hostfile", path(&launch.hostfile)),
        ("--ppn", (launch.ppn > 1).then(|| launch.ppn.to_string().into())),
    ];
    let given = option_values
        .into_iter()
        .filter_map(|(name, value)| Some([name.into(), value?]));
    let further_options = launch.launcher_options.iter();
    let further = further_options.map(|word| OsString::from(format!("--launcher-option={word}")));
    given.flatten().chain(further).collect()
}
