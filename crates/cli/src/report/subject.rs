//! The files of a report, joined to subjects: a profile with the data of its network, or data with the
//! profile that is fitted to them here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use itertools::Itertools as _;
use netsig_core::algorithm::Collective;
use netsig_core::data::mixture::{self, Source};
use netsig_core::data::{Dataset, Experiment, Provenance};
use netsig_core::fit::network;
use netsig_core::profile::Profile;

use crate::input::failure::Failure;
use crate::input::files;
use crate::input::kind::Kind;

/// A profile and the data of its network.
pub struct Subject {
    /// Name of the profile, or of the data that it was fitted to here.
    pub name: String,
    /// The profile; `None` if the data allow none.
    pub profile: Option<Profile>,
    /// Data of the network of the profile; empty without any.
    pub data: Rc<Dataset>,
    /// Names of the data files.
    pub files: Vec<String>,
    /// The collectives to report.
    pub collectives: Vec<Collective>,
    /// What the reader must know of its origin.
    pub notes: Vec<String>,
}

/// Data files of one network.
struct Group {
    files: Vec<String>,
    data: Rc<Dataset>,
}

/// Reads the files, and joins those that are of one network.
///
/// # Errors
/// If a file is named twice, is neither data nor a profile, is void, or no file has a repetition or a fit.
pub fn gather(paths: &[PathBuf]) -> Result<Vec<Subject>, Failure> {
    let place = |path: &&PathBuf| path.canonicalize().unwrap_or_else(|_| (*path).clone());
    if let Some(path) = paths.iter().duplicates_by(place).next() {
        return Err(Failure::usage("is named twice; name each file once").about(path));
    }
    let (mut profiles, mut data) = (Vec::new(), Vec::new());
    for path in paths {
        if Kind::Profile.is_kind_of(path)? {
            profiles.push((path.display().to_string(), files::profile(path)?));
        } else {
            data.push((path.display().to_string(), usable(path)?));
        }
    }
    let groups = grouped(data)?;
    let mut covered = vec![BTreeSet::new(); groups.len()];
    let mut subjects = Vec::new();
    for (name, profile) in profiles {
        let own = groups.iter().position(|group| {
            let names = group.files.join(", ");
            let source = Source {
                name: &names,
                data: &group.data,
            };
            profile.differences(&name, source).is_empty()
        });
        let subject = of_profile(name, profile, own.map(|own| &groups[own]));
        if let Some(own) = own {
            covered[own].extend(subject.collectives.iter().copied());
        }
        subjects.push(subject);
    }
    for (group, covered) in groups.iter().zip(covered) {
        let rest: Vec<Collective> = measured(&group.data)
            .into_iter()
            .filter(|own| !covered.contains(own))
            .collect();
        if !rest.is_empty() || covered.is_empty() {
            subjects.push(of_data(group, rest));
        }
    }
    Ok(subjects)
}

/// Reads a data file that holds at least one time.
fn usable(path: &Path) -> Result<Dataset, Failure> {
    let data = files::usable_dataset(path)?;
    if data.samples.is_empty() && data.aggregates.is_empty() {
        return Err(Failure::data("holds no time; measure some").about(path));
    }
    Ok(data)
}

/// Joins the files that differ in no fact about their network.
fn grouped(all: Vec<(String, Dataset)>) -> Result<Vec<Group>, Failure> {
    let mut groups: Vec<(Vec<String>, Dataset)> = Vec::new();
    for (name, data) in all {
        let is_alike = |(files, known): &&mut (Vec<String>, Dataset)| {
            let names = files.join(", ");
            let sources = [(&names, known), (&name, &data)];
            let sources = sources.map(|(name, data)| Source { name, data });
            mixture::differences(&sources).is_empty()
        };
        match groups.iter_mut().find(is_alike) {
            Some((files, known)) => {
                files.push(name.clone());
                known
                    .join(data, files.len())
                    .map_err(|error| Failure::data(error).about(name))?;
            }
            None => groups.push((vec![name], data)),
        }
    }
    let group = |(files, data)| Group {
        files,
        data: Rc::new(data),
    };
    Ok(groups.into_iter().map(group).collect())
}

/// The collectives with times.
fn measured(data: &Dataset) -> BTreeSet<Collective> {
    let samples = data.samples.iter().map(|row| row.place.experiment);
    let all = samples.chain(data.aggregates.iter().map(|row| row.place.experiment));
    all.filter_map(|experiment| match experiment {
        Experiment::Collective(collective) => Some(collective),
        _ => None,
    })
    .collect()
}

/// The collectives that a profile predicts from measurements.
fn fitted(profile: &Profile) -> Vec<Collective> {
    use strum::VariantArray as _;
    let all = Collective::VARIANTS.iter().copied();
    all.filter(|own| !profile.algorithms(*own).is_empty())
        .collect()
}

fn of_profile(name: String, profile: Profile, group: Option<&Group>) -> Subject {
    let notes = match group {
        None => vec![format!(
            "No data of the network of {name} were given: what is said of it is predicted, and nothing was checked."
        )],
        Some(_) => Vec::new(),
    };
    Subject {
        name,
        collectives: fitted(&profile),
        profile: Some(profile),
        data: group.map_or_else(Rc::default, |group| Rc::clone(&group.data)),
        files: group.map_or_else(Vec::new, |group| group.files.clone()),
        notes,
    }
}

/// The data with a profile that is fitted to them, for `collectives`.
fn of_data(group: &Group, collectives: Vec<Collective>) -> Subject {
    let files = group.files.join(", ");
    let found = network::fit(&group.data, &network::Options::default());
    let (profile, note) = match found {
        Ok(fitted) => {
            let confidence = network::Options::default().model.confidence;
            let mut profile = Profile::of(&fitted, Provenance::default(), confidence);
            profile.add_facts(&group.data.provenance);
            let note = format!(
                "No profile of {files} was given for this: one was fitted to all of its data for this report. netsig fit makes one to keep."
            );
            // Values that no profile may have, such as a negative gamma, make no predictions.
            match Profile::parse(&files, &profile.to_toml()) {
                Ok(profile) => (Some(profile), note),
                Err(error) => (None, without(&error)),
            }
        }
        Err(error) => (None, without(&error)),
    };
    Subject {
        name: files,
        profile,
        data: Rc::clone(&group.data),
        files: group.files.clone(),
        collectives,
        notes: vec![note],
    }
}

fn without(error: &impl std::fmt::Display) -> String {
    format!("No profile could be fitted to these data, so nothing is predicted: {error}.")
}
