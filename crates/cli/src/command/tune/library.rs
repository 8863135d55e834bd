//! Rules for MPI libraries: the files that make them take the fastest of their algorithms.

use std::path::{self, Path};

use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::list::{ListItem, QuantityList};
use netsig_model::tune::mpich::{self, MpichTree};
use netsig_model::tune::{CommentNames, TargetRelease, TunedLibrary, TuningRequest};

use super::Args;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::output::OutputPath;
use crate::job::installed;
use crate::print::notes::print;
use crate::print::quote;
use crate::print::rows::to_stdout;

/// Writes the rules for a library.
///
/// # Errors
/// If the profile cannot be used, or has nothing to choose among.
pub fn run(args: &Args, release: &TargetRelease) -> Result<(), Failure> {
    let kind = file_kind(release.target.flavour);
    if args.library.is_some() && kind != FileKind::MpichSelection {
        return Err(Failure::usage(
            "--library is for MPICH, whose own rules the file completes; leave it out",
        ));
    }
    let optional_reads = [
        Some(args.profile.as_path()),
        args.network.path(),
        args.library.as_deref(),
    ];
    let reads: Vec<&Path> = optional_reads.into_iter().flatten().collect();
    let output = OutputPath::replacing("--output", &args.output, kind, &reads)?;
    let profile = files::profile(&args.profile)?;
    let network = args.network.load()?;
    args.refuse_other_rate(&profile, network.as_ref())?;
    let request = TuningRequest {
        profile: &profile,
        network: network.as_ref(),
        release,
        counts: args.procs.as_ref().map(ascending),
        sizes: args.size.as_ref().map(ascending),
        operations: args.operations(),
    };
    let from = files::name(&args.profile);
    let tuned = TunedLibrary::of(request, &from)?;
    let names = CommentNames {
        profile: &from,
        file: &shell_path(&args.output),
    };
    let tree = match kind {
        FileKind::MpichSelection => Some(mpich_tree(args)?),
        _ => None,
    };
    let rules_file = tuned.file(names, tree.as_ref())?;
    output.replace(rules_file.text.as_bytes())?;
    print(&tuned.notes());
    Ok(to_stdout(|out| {
        let mut lines = rules_file.comments.iter();
        lines.try_for_each(|line| writeln!(out, "# {line}"))
    })?)
}

fn file_kind(flavour: MpiFlavour) -> FileKind {
    match flavour {
        MpiFlavour::OpenMpi => FileKind::OpenMpiRules,
        MpiFlavour::Mpich => FileKind::MpichSelection,
        MpiFlavour::IntelMpi => FileKind::IntelMpiSettings,
    }
}

fn ascending<T: ListItem + Ord>(list: &QuantityList<T>) -> Vec<T> {
    let mut all = list.items().to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// The tree by which an MPICH chooses without a file.
fn mpich_tree(args: &Args) -> Result<MpichTree, Failure> {
    match &args.library {
        Some(path) => installed::in_library(path, mpich::generic_tree),
        None => installed::in_mpich(mpich::generic_tree),
    }
}

/// Absolute path of the rules as a shell reads it, since a launch may start anywhere. For a pipe, a device or a name
/// that cannot stand in a comment: words that the user replaces.
fn shell_path(path: &Path) -> String {
    let regular_file = match Destination::of(path) {
        Ok(Destination::Regular(file)) => path::absolute(file).ok(),
        _ => None,
    };
    let file = regular_file.map(|file| file.to_string_lossy().into_owned());
    match file.filter(|name| !name.contains(char::is_control)) {
        Some(name) => quote::line(&[name.into()]),
        None => "/ABSOLUTE/PATH/OF/THIS/FILE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that no launch can name are replaced by words; other paths are quoted for a shell.
    #[test]
    fn a_launch_names_a_file_by_its_path_alone() {
        for path in ["-", "/dev/null", "my\nrules"] {
            assert_eq!(shell_path(Path::new(path)), "/ABSOLUTE/PATH/OF/THIS/FILE");
        }
        assert_eq!(shell_path(Path::new("/my rules")), "'/my rules'");
    }
}
