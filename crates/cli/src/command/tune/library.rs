//! Rules for MPI libraries: the files that make them take the fastest of their algorithms.

use std::path::{self, Path};

use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::list::{ListItem, QuantityList};
use netsig_model::predict::answer::refuse_single;
use netsig_model::predict::notes::note_on_links;
use netsig_model::profile::Profile;
use netsig_model::tune::{
    self, CommentNames, DataOrigin, TargetRelease, TunedCollective, TuningRequest, intelmpi, mpich, openmpi,
};

use super::Args;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::output::OutputPath;
use crate::job::installed;
use crate::print::notes::{print, print_remark, print_warning};
use crate::print::quote;
use crate::print::rows::to_stdout;

/// A file to write, and its comments.
struct RulesFile {
    text: String,
    /// Comments, where the file has no room for them.
    comments: Vec<String>,
}

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
    refuse_single(args.procs.as_ref().map_or(&[], QuantityList::items))?;
    let request = TuningRequest {
        profile: &profile,
        network: network.as_ref(),
        release,
        counts: args.procs.as_ref().map(ascending),
        sizes: args.size.as_ref().map(ascending),
    };
    let all = tune::tune(&request)?;
    if all.is_empty() {
        return Err(nothing_to_choose(&profile, release).about(&args.profile));
    }
    refuse_unanswered(&request, &all).map_err(|failure| failure.about(&args.profile))?;
    let rules_file = rules_file(args, &profile, release, &all)?;
    output.replace(rules_file.text.as_bytes())?;
    print(&note_on_links(&profile, network.as_ref()));
    print_notes(&profile, release, &all);
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

/// The file for the library.
fn rules_file(
    args: &Args,
    profile: &Profile,
    release: &TargetRelease,
    all: &[TunedCollective],
) -> Result<RulesFile, Failure> {
    let from = files::name(&args.profile);
    let file = shell_path(&args.output);
    let names = CommentNames {
        profile: &from,
        file: &file,
    };
    let without_comments = |text| RulesFile {
        text,
        comments: Vec::new(),
    };
    match release.target.flavour {
        MpiFlavour::OpenMpi => Ok(without_comments(openmpi::rules(profile, release, all, names))),
        MpiFlavour::IntelMpi => Ok(without_comments(intelmpi::settings(profile, release, all, names))),
        MpiFlavour::Mpich => {
            let tree = match &args.library {
                Some(path) => installed::in_library(path, mpich::generic_tree)?,
                None => installed::in_mpich(mpich::generic_tree)?,
            };
            let text = mpich::patched(&tree, all).ok_or_else(|| {
                Failure::usage("the selection tree of this MPICH has another form; name a library of MPICH 4.0 to 4.3 by --library")
            })?;
            let comments = mpich::comments(profile, release, all, names);
            Ok(RulesFile { text, comments })
        }
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

/// Refuses process counts and sizes of the user that are too far from the measurements of every collective.
fn refuse_unanswered(request: &TuningRequest, all: &[TunedCollective]) -> Result<(), Failure> {
    let maps = || all.iter().map(|tuned| &tuned.times);
    let refused = |what: String| {
        let remedy = "leave it out, or measure nearer to it";
        Failure::data(format!(
            "{what}: no collective was measured near enough for a rule; {remedy}"
        ))
    };
    let counts = request.counts.as_deref().unwrap_or_default();
    let sizes = request.sizes.as_deref().unwrap_or_default();
    let is_unknown_count = |place: &usize| maps().all(|map| !map.answers_count(*place));
    if let Some(place) = (0..counts.len()).find(is_unknown_count) {
        return Err(refused(format!("{} processes", counts[place])));
    }
    let is_unknown_size = |place: &usize| maps().all(|map| !map.answers_size(*place));
    if let Some(place) = (0..sizes.len()).find(is_unknown_size) {
        return Err(refused(sizes[place].to_string()));
    }
    Ok(())
}

fn nothing_to_choose(profile: &Profile, release: &TargetRelease) -> Failure {
    let cause = match DataOrigin::of(profile, release.target.flavour) {
        DataOrigin::Other(name) => format!("; its library was {name}"),
        _ => String::new(),
    };
    Failure::data(format!(
        "no collective has two measured choices that {release} can be told{cause}; measure library and library:NAME with it, and fit them, or start programs by netsig run, which takes netsig's own algorithms, too"
    ))
}

/// Notes and warnings about the rules.
fn print_notes(profile: &Profile, release: &TargetRelease, all: &[TunedCollective]) {
    match DataOrigin::of(profile, release.target.flavour) {
        DataOrigin::Same => {}
        DataOrigin::Unknown => print_warning(format!(
            "the profile does not say by which MPI it was measured; its library is taken to be {release}"
        )),
        DataOrigin::Other(name) => print_warning(format!(
            "the profile was measured by {name}: its library and library:NAME are left out, and gains over {release}'s own choice are unknown"
        )),
    }
    for tuned in all {
        let collective = tuned.collective;
        if !tuned.choices.has_own_decision() {
            print_warning(format!(
                "the library's own choice of {collective} was not measured and may be faster than the rules; measure library too"
            ));
        }
        if !tuned.has_rules() {
            print_remark(format!(
                "no rule for {collective}: none is predicted to be faster than the library's own choice"
            ));
        }
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
