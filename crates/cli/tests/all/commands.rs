//! Commands as the user sees them. `refusals/*.trycmd` hold refused commands with exit code and message,
//! `worked/*.trycmd` answers that can be checked by hand. All run in the directory `refusals/home`. For a new command
//! write its `$` line; `TRYCMD=overwrite cargo test -p netsig-cli --test all commands` fills in the rest.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{TestHome, stderr_text};

#[test]
fn commands_print_what_stands_in_the_files() {
    let cases = trycmd::TestCases::new();
    cases
        .register_bin("netsig", assert_cmd::cargo::cargo_bin!("netsig"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .env("NETSIG_RANK_PROGRAM", "empty")
        .case("tests/refusals/*.trycmd")
        .case("tests/worked/*.trycmd");
    if std::env::var_os("SLURM_JOB_ID").is_some() {
        cases.skip("tests/*/launchers.trycmd");
        cases.skip("tests/worked/doctor.trycmd");
    }
}

/// The refused commands.
fn refused_commands() -> Vec<String> {
    let entries = fs::read_dir("tests/refusals").unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_list = |path: &PathBuf| path.extension().is_some_and(|end| end == "trycmd");
    let text: String = paths
        .filter(is_list)
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.map(str::to_owned).collect()
}

#[test]
fn a_refusal_prints_no_result_and_changes_no_file() {
    let home = TestHome::new();
    let mut copy = Command::new("cp");
    copy.args(["-r", "tests/refusals/home/."]).arg(home.0.path());
    assert!(copy.status().unwrap().success());
    let before = home.files();
    let commands = refused_commands();
    assert!(commands.len() >= 200, "{} commands", commands.len());
    for command in commands {
        let (variables, arguments) = command.split_once("netsig ").unwrap();
        let variables = variables.split(' ').filter_map(|word| word.split_once('='));
        let mut netsig = home.netsig(arguments);
        netsig.env("NETSIG_RANK_PROGRAM", "empty");
        let output = netsig.envs(variables).output().unwrap();
        let message = stderr_text(&output);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{command}: {message}");
        let is_plain = message.lines().all(|line| line.starts_with("netsig: "));
        assert!(is_plain && !message.is_empty(), "{command}: {message}");
        assert!(output.stdout.is_empty(), "{command} prints a result");
        assert!(before == home.files(), "{command} changed a file");
    }
}
