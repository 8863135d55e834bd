//! How much netsig prints while it works: the options --quiet and --verbose. They never change warnings, errors and
//! results.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::input::failure::Failure;

static IS_QUIET: AtomicBool = AtomicBool::new(false);

static SHOWS_CELLS: AtomicBool = AtomicBool::new(false);

/// The option of every command.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct QuietArgs {
    /// Print no notes and no progress; warnings, errors and results remain.
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// The option of the commands that measure.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct VerboseArgs {
    /// Print each measured cell as soon as a launch has all its repetitions: its median time and their number.
    #[arg(short, long)]
    verbose: bool,
}

impl QuietArgs {
    /// Silences notes and progress, if wanted.
    pub fn apply(self) {
        IS_QUIET.store(self.quiet, Ordering::Relaxed);
    }
}

impl VerboseArgs {
    /// Lets measured cells be printed, if wanted.
    ///
    /// # Errors
    /// If --quiet is given, too.
    pub fn apply(self) -> Result<(), Failure> {
        if self.verbose && is_quiet() {
            return Err(Failure::usage(
                "--quiet prints no progress and --verbose prints every cell; leave one of them out",
            ));
        }
        SHOWS_CELLS.store(self.verbose, Ordering::Relaxed);
        Ok(())
    }
}

/// True if notes and progress are silenced.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// True if measured cells are printed.
pub fn shows_cells() -> bool {
    SHOWS_CELLS.load(Ordering::Relaxed)
}
