//! `netsig generate`: man pages, completions of shells and a module file, from the definition of the command
//! line, in the folders where man, the shells and module systems look for them.

mod man;
mod modulefile;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use super::Cli;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::output::OutputPath;

/// Write man pages, completions for bash, zsh and fish, and a module file into a share folder.
///
/// man and the shells find them if the folder is /usr/share, /usr/local/share or ~/.local/share (zsh:
/// if its fpath has DIR/zsh/site-functions). The module file is for an installation whose programs are
/// in DIR/../bin: `module use DIR/modulefiles`, then `module load netsig`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The share folder; it is made if it does not exist.
    #[arg(value_name = "DIR")]
    share: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  netsig generate ~/.local/share
  netsig generate /opt/netsig/share";

/// The shells, with the place of their completions in a share folder.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/netsig"),
    (Shell::Zsh, "zsh/site-functions/_netsig"),
    (Shell::Fish, "fish/vendor_completions.d/netsig.fish"),
];

/// Runs the command.
///
/// # Errors
/// If a file cannot be written, or would replace one that netsig did not write.
pub fn run(args: &Args) -> Result<(), Failure> {
    for page in man::pages(Cli::command()) {
        write(&args.share, &page.place, &page.text)?;
    }
    for (shell, place) in SHELLS {
        write(&args.share, place, &completion(shell, &mut Cli::command()))?;
    }
    let (place, text) = modulefile::of_this_version();
    write(&args.share, &place, text.as_bytes())
}

/// The completion of netsig's command line for a shell.
fn completion(shell: Shell, command: &mut Command) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, command, "netsig", &mut text);
    text
}

/// Writes a file at a place in the share folder.
fn write(share: &Path, place: &str, text: &[u8]) -> Result<(), Failure> {
    let path = share.join(place);
    let folder = path.parent().expect("a file of the share folder");
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made; choose another DIR", folder.display()))
        .map_err(Failure::unusable)?;
    Ok(OutputPath::replacing("DIR", &path, FileKind::Shared, &[])?.replace(text)?)
}
