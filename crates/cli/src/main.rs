//! netsig: the command line. One file per subcommand; each parses, calls the library and
//! prints.
//!
//! Layers, each using only those before it: input, print, job, campaign, simulate, command. `cargo xtask tidy` checks it.

// Shadows the standard macro in all modules below, so that text of files reaches the terminal only through
// `terminal.rs`.
macro_rules! eprintln {
    ($($word:tt)*) => { $crate::input::terminal::to_stderr(&format!($($word)*)) };
}

mod campaign;
mod command;
mod input;
mod job;
mod print;
mod simulate;

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Parser;
use clap::error::ErrorKind;

use crate::command::Cli;
use crate::input::failure::Failure;
use crate::input::interrupt;

fn main() -> ExitCode {
    if let Some(code) = netsig_lab::entry(std::env::args_os()) {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help may go to standard error, if an argument is missing.
        Err(error) if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        Err(error) => return Failure::from(error).report(),
    };
    if let Err(error) = interrupt::watch_signals() {
        return Failure::from(anyhow!("cannot watch for signals: {error}; end other programs")).report();
    }
    cli.quiet.apply();
    match cli.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
