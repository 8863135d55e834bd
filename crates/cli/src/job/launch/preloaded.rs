//! Preloads the interposer into the ranks of a command that the user wrote. Its launcher passes
//! environment variables to the ranks in one of three ways: by options of mpirun, by the
//! environment of srun, or by the environment of the command itself.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::implementation::{self, MpiImplementation};
use super::netsig_files;
use super::slurm;
use crate::input::args::{LauncherChoice, MpiChoice};
use crate::input::failure::Failure;
use crate::print::progress_sentence;

/// The variable of the dynamic linker that names libraries to load first.
const PRELOAD: &str = "LD_PRELOAD";

/// Characters that separate the libraries in [`PRELOAD`].
const SEPARATORS: [char; 3] = [':', ' ', '\t'];

/// Slurm's launcher, and its option that selects the environment of the ranks.
const SRUN: (&str, &str) = ("srun", "--export");

/// Names of the launchers of MPI libraries, without endings such as `.mpich`.
const MPIRUN: [&str; 3] = ["mpirun", "mpiexec", "orterun"];

/// A command that starts an MPI program.
#[derive(Debug)]
pub struct MpiCommand<'a> {
    program: &'a OsStr,
    arguments: &'a [OsString],
    implementation: &'static MpiImplementation,
    passage: VariablePassing,
}

/// The way of environment variables to the ranks.
#[derive(Debug)]
enum VariablePassing {
    /// Options of mpirun.
    Options,
    /// The environment of srun. Its option has the libraries to preload, which srun itself must not
    /// load.
    Srun,
    /// The environment of the command.
    Environment,
}

impl<'a> MpiCommand<'a> {
    /// Determines how a command passes variables to its ranks, and its MPI unless the user names it by `mpi`.
    ///
    /// # Errors
    /// If the launcher or its MPI is not known, or the command itself sets the libraries that the ranks preload.
    pub fn recognise(program: &'a OsStr, arguments: &'a [OsString], mpi: Option<MpiChoice>) -> Result<Self, Failure> {
        let named = mpi.map(implementation::implementation_of);
        let name = Path::new(program).file_name().unwrap_or_default();
        let (passage, implementation) = match name.to_str() {
            Some(name) if name == SRUN.0 => (VariablePassing::Srun, of_srun(named)?),
            Some(name) if is_mpirun(name) => of_mpirun(Path::new(program), named)?,
            _ => (VariablePassing::Environment, of_other(program, named)?),
        };
        let command = Self {
            program,
            arguments,
            implementation,
            passage,
        };
        command.refuse_own_preload()?;
        Ok(command)
    }

    /// The interposer for the MPI of the command.
    ///
    /// # Errors
    /// If there is none.
    pub fn interposer(&self) -> Result<PathBuf, Failure> {
        netsig_files::interposer(self.implementation)
    }

    /// The command whose ranks preload `library` and have the variables of `environment`.
    ///
    /// # Errors
    /// If the library cannot be named to the dynamic linker.
    pub fn with_preload(&self, library: PathBuf, environment: &[(&str, String)]) -> Result<Command, Failure> {
        let libraries = preload_value(library)?;
        let mut command = Command::new(self.program);
        match self.passage {
            VariablePassing::Options => {
                let preload_variable = [(PRELOAD, libraries)];
                let variables = environment.iter().chain(&preload_variable);
                let options = variables.flat_map(|(name, value)| (self.implementation.variable_options)(name, value));
                command.args(self.with_options(&options.collect::<Vec<_>>()));
            }
            VariablePassing::Srun => {
                let option = format!("{}=ALL,{PRELOAD}={libraries}", SRUN.1);
                command.args(self.interface()).arg(option);
                command.args(self.arguments);
                // The option does not replace a variable that srun itself has.
                command.env_remove(PRELOAD);
                command.envs(environment.iter().cloned());
            }
            VariablePassing::Environment => {
                command.args(self.arguments).env(PRELOAD, libraries);
                command.envs(environment.iter().cloned());
            }
        }
        Ok(command)
    }

    /// The arguments with `options` for each of the programs that the launcher starts.
    fn with_options(&self, options: &[String]) -> Vec<OsString> {
        let option_words = || options.iter().map(OsString::from);
        let mut words: Vec<OsString> = option_words().collect();
        for word in self.arguments {
            words.push(word.clone());
            if self.implementation.separator.is_some_and(|separator| word == separator) {
                words.extend(option_words());
            }
        }
        words
    }

    /// srun's option for the interface to the MPI, since most sites set no default; `None` if the user or the site has
    /// chosen one.
    fn interface(&self) -> Option<String> {
        let is_chosen = self
            .arguments
            .iter()
            .any(|word| is_name_or_assignment(word, slurm::INTERFACE_OPTION));
        let found = || slurm::interface(Path::new(self.program), self.implementation.mpi);
        let interface = (!is_chosen).then(found)??;
        let option = format!("{}={interface}", slurm::INTERFACE_OPTION);
        progress_sentence::print(format_args!(
            "netsig: srun starts the ranks with {option}, which suits {}",
            self.implementation.mpi
        ));
        Some(option)
    }

    /// Refuses words of the command that would replace the interposer.
    fn refuse_own_preload(&self) -> Result<(), Failure> {
        let is_named = |name: &str| self.arguments.iter().any(|word| is_name_or_assignment(word, name));
        if is_named(PRELOAD) {
            return Err(Failure::usage(format!(
                "the command sets {PRELOAD} itself; set it for netsig instead, which passes it on to the ranks"
            )));
        }
        let (srun, export) = SRUN;
        if matches!(self.passage, VariablePassing::Srun) && is_named(export) {
            return Err(Failure::usage(format!(
                "the command has an {export} and netsig gives {srun} its own; leave it out"
            )));
        }
        Ok(())
    }
}

/// True for the word `name` and for `name=VALUE`.
fn is_name_or_assignment(word: &OsStr, name: &str) -> bool {
    let rest = word.as_encoded_bytes().strip_prefix(name.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
}

/// True for `mpirun` and similar names, also with an ending.
fn is_mpirun(name: &str) -> bool {
    let stem = name.split(['.', '-']).next();
    stem.is_some_and(|stem| MPIRUN.contains(&stem))
}

/// The MPI of srun's ranks: the user's choice, or the MPI of the mpirun in PATH.
fn of_srun(named: Option<&'static MpiImplementation>) -> Result<&'static MpiImplementation, Failure> {
    let in_path = || Some(implementation::in_use(LauncherChoice::Auto).ok()?.1);
    named.or_else(in_path).ok_or_else(|| {
        Failure::usage(
            "srun does not show the MPI library, and PATH has no mpirun of Open MPI or MPICH; load the module of the MPI, or give --mpi",
        )
    })
}

/// The MPI of an mpirun. The ranks of an unknown one inherit the environment if the user names its
/// MPI.
fn of_mpirun(
    mpirun: &Path,
    named: Option<&'static MpiImplementation>,
) -> Result<(VariablePassing, &'static MpiImplementation), Failure> {
    let refuse = |problem: String| Err(Failure::usage(problem).about(mpirun));
    match (implementation::of_mpirun(mpirun)?, named) {
        (Some(found), Some(named)) if found.mpi != named.mpi => refuse(format!(
            "is the mpirun of {} and not of {}; leave out --mpi or give another mpirun",
            found.mpi, named.mpi
        )),
        (Some(found), _) => Ok((VariablePassing::Options, found)),
        (None, Some(named)) => Ok((VariablePassing::Environment, named)),
        (None, None) => refuse(
            "is the mpirun of neither Open MPI nor MPICH; give another, or --mpi if its MPI has the binary interface of one of them"
                .to_owned(),
        ),
    }
}

/// The MPI of a command that begins with no launcher.
fn of_other(program: &OsStr, named: Option<&'static MpiImplementation>) -> Result<&'static MpiImplementation, Failure> {
    named.ok_or_else(|| {
        let problem =
            "is neither mpirun nor srun; put the launcher first, or give --mpi if its ranks inherit the environment";
        Failure::usage(problem).about(program)
    })
}

/// The value of [`PRELOAD`]: the library, then the libraries of the environment, then the lab's yield shim, which ranks
/// would otherwise lose.
fn preload_value(library: PathBuf) -> Result<String, Failure> {
    let shown = library.display().to_string();
    if shown.contains(SEPARATORS) {
        let problem = format!(
            "its path has a space or a colon, which separate libraries in {PRELOAD}; move netsig to another directory"
        );
        return Err(Failure::usage(problem).about(shown));
    }
    let further_sources = [std::env::var_os(PRELOAD), netsig_lab::shim_in_use()];
    let further = further_sources.into_iter().flatten().filter(|value| !value.is_empty());
    let all: Vec<OsString> = [library.into()].into_iter().chain(further).collect();
    text(all.join(OsStr::new(":")))
}

/// A value of a variable as text, as the options of launchers need it.
///
/// # Errors
/// If the value is not UTF-8.
pub fn text(value: impl Into<OsString>) -> Result<String, Failure> {
    value.into().into_string().map_err(|value| {
        let problem = "is not UTF-8, and launchers pass on UTF-8 alone; rename it";
        Failure::usage(problem).about(value)
    })
}
