//! The files of a report, joined to subjects: a profile with the data of its network, or data with the
//! profile that is fitted to them here.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::mixture::NamedDataset;
use netsig_base::data::{Dataset, Experiment, Provenance};
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_model::fit::accepted::{self, DataDoubt};
use netsig_model::fit::network;
use netsig_model::fit::notes::notes_on_fit;
use netsig_model::profile::Profile;
use netsig_model::verdict::{CollectiveVerdict, VerdictRequest};

/// A profile and the data of its network.
pub struct PageSubject {
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
    /// Notes on its origin for the reader.
    pub notes: Vec<Note>,
}

impl PageSubject {
    /// The name without the folder.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The verdict on a collective. A profile that was fitted here has no file: commands name the one that
    /// `netsig fit` would write.
    pub fn verdict(&self, collective: Collective) -> CollectiveVerdict {
        let unwritten = self.files.first().filter(|_| self.files.join(", ") == self.name);
        let profile_name = unwritten.map_or_else(
            || self.name.clone(),
            |file| Path::new(file).with_extension("toml").display().to_string(),
        );
        let request = VerdictRequest {
            profile: self.profile.as_ref(),
            profile_name: &profile_name,
            data: &self.data,
            network: None,
            procs: None,
        };
        request.verdict(collective)
    }
}

/// Data files of one network.
struct NetworkFiles {
    files: Vec<String>,
    data: Rc<Dataset>,
    /// Reasons not to fit the data.
    doubts: Vec<DataDoubt>,
    /// Remarks on the files.
    notes: Vec<Note>,
}

/// Profiles and data with their names, in the order of the user.
#[derive(Default)]
pub struct NamedSources {
    /// Profiles.
    pub profiles: Vec<(String, Profile)>,
    /// Data.
    pub data: Vec<(String, Dataset)>,
}

impl NamedSources {
    /// Adds data.
    ///
    /// # Errors
    /// If they hold no time.
    pub fn add_data(&mut self, name: String, dataset: Dataset) -> Result<(), Refusal> {
        if dataset.samples.is_empty() && dataset.aggregates.is_empty() {
            return Err(Refusal::data("holds no time; measure some").about(name));
        }
        self.data.push((name, dataset));
        Ok(())
    }
}

/// Joins the sources of one network.
///
/// # Errors
/// If data of one network cannot be joined.
pub fn subjects(sources: NamedSources) -> Result<Vec<PageSubject>, Refusal> {
    let NamedSources { profiles, data } = sources;
    let groups = grouped(data)?;
    let mut covered = vec![BTreeSet::new(); groups.len()];
    let mut subjects = Vec::new();
    for (name, profile) in profiles {
        let matching_place = groups.iter().position(|group| {
            let names = group.files.join(", ");
            let source = NamedDataset {
                name: &names,
                data: &group.data,
            };
            profile.differences(&name, source).is_empty()
        });
        let subject = of_profile(name, profile, matching_place.map(|place| &groups[place]));
        if let Some(place) = matching_place {
            covered[place].extend(subject.collectives.iter().copied());
        }
        subjects.push(subject);
    }
    for (group, covered) in groups.iter().zip(covered) {
        let rest: Vec<Collective> = measured_collectives(&group.data)
            .into_iter()
            .filter(|collective| !covered.contains(collective))
            .collect();
        if !rest.is_empty() || covered.is_empty() {
            subjects.push(of_data(group, rest));
        }
    }
    Ok(subjects)
}

/// The subjects by network: those with the same data, and those whose profiles have the same parameters between two
/// processes.
pub fn networks(subjects: &[PageSubject]) -> Vec<Vec<&PageSubject>> {
    let parameters = |subject: &PageSubject| subject.profile.as_ref().map(parameters_key);
    let is_same = |one: &PageSubject, other: &PageSubject| {
        let has_same_data = !one.files.is_empty() && Rc::ptr_eq(&one.data, &other.data);
        has_same_data || one.profile.is_some() && parameters(one) == parameters(other)
    };
    let mut networks: Vec<Vec<&PageSubject>> = Vec::new();
    for subject in subjects {
        let mut known = networks.iter_mut();
        match known.find(|network| network.iter().any(|member| is_same(member, subject))) {
            Some(network) => network.push(subject),
            None => networks.push(vec![subject]),
        }
    }
    networks
}

/// Text that is the same for profiles with the same parameters between two processes.
pub fn parameters_key(profile: &Profile) -> String {
    format!("{:?} {:?}", profile.hockney, profile.plogp)
}

/// Joins files unless their provenance or their times show different networks.
fn grouped(all: Vec<(String, Dataset)>) -> Result<Vec<NetworkFiles>, Refusal> {
    let mut groups: Vec<Vec<(String, Dataset)>> = Vec::new();
    for file in all {
        let is_alike =
            |group: &&mut Vec<(String, Dataset)>| accepted::may_be_alike(&named_sources(group.iter().chain([&file])));
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(file),
            None => groups.push(vec![file]),
        }
    }
    groups.into_iter().map(joined).collect()
}

fn named_sources<'a>(files: impl IntoIterator<Item = &'a (String, Dataset)>) -> Vec<NamedDataset<'a>> {
    let source = |(name, data): &'a (String, Dataset)| NamedDataset { name, data };
    files.into_iter().map(source).collect()
}

/// Joins files of one network.
fn joined(files: Vec<(String, Dataset)>) -> Result<NetworkFiles, Refusal> {
    let (doubts, notes) = accepted::doubts(&named_sources(&files));
    let (files, all): (Vec<String>, Vec<Dataset>) = files.into_iter().unzip();
    Ok(NetworkFiles {
        data: Rc::new(accepted::join_files(&files, all)?),
        files,
        doubts,
        notes,
    })
}

/// The collectives with times.
fn measured_collectives(data: &Dataset) -> BTreeSet<Collective> {
    let samples = data.samples.iter().map(|row| row.cell.experiment);
    let all = samples.chain(data.aggregates.iter().map(|row| row.cell.experiment));
    all.filter_map(|experiment| match experiment {
        Experiment::Collective(collective) => Some(collective),
        _ => None,
    })
    .collect()
}

/// The collectives that a profile predicts from measurements.
fn fitted_collectives(profile: &Profile) -> Vec<Collective> {
    use strum::VariantArray as _;
    let all = Collective::VARIANTS.iter().copied();
    all.filter(|collective| !profile.algorithms(*collective).is_empty())
        .collect()
}

fn of_profile(name: String, profile: Profile, group: Option<&NetworkFiles>) -> PageSubject {
    let notes = match group {
        None => vec![Note::remark(format!(
            "no data of the network of {name} were given: what is said of it is predicted, and nothing was checked"
        ))],
        Some(group) => {
            let reasons = group.doubts.iter();
            let warnings = reasons.map(|doubt| Note::warning(format!("doubtful data: {doubt}")));
            group.notes.iter().cloned().chain(warnings).collect()
        }
    };
    let collectives = fitted_collectives(&profile);
    let unfitted = collectives.is_empty().then(|| {
        let problem = format!("{name} holds no fitted algorithm, so that it predicts nothing");
        Note::warning(format!("{problem}; measure a collective and fit it with netsig fit"))
    });
    PageSubject {
        name,
        collectives,
        profile: Some(profile),
        data: group.map_or_else(Rc::default, |group| Rc::clone(&group.data)),
        files: group.map_or_else(Vec::new, |group| group.files.clone()),
        notes: notes.into_iter().chain(unfitted).collect(),
    }
}

/// The data with a profile that is fitted to them, for `collectives`.
fn of_data(group: &NetworkFiles, collectives: Vec<Collective>) -> PageSubject {
    let name = group.files.join(", ");
    let (profile, fit_notes) = match profile_of_data(group, &name) {
        Ok((profile, notes)) => (Some(profile), notes),
        Err(error) => {
            let note = format!("nothing is predicted from {name}, to which no profile could be fitted: {error}");
            (None, vec![Note::warning(note)])
        }
    };
    PageSubject {
        profile,
        data: Rc::clone(&group.data),
        files: group.files.clone(),
        collectives,
        notes: group.notes.iter().cloned().chain(fit_notes).collect(),
        name,
    }
}

/// The profile fitted to data of this name, with the notes on the fit.
///
/// # Errors
/// If the data are in doubt, or allow no fit.
fn profile_of_data(group: &NetworkFiles, name: &str) -> Result<(Profile, Vec<Note>), Refusal> {
    if !group.doubts.is_empty() {
        let all = group.doubts.iter().join("; ");
        let remedy = "or fit them with netsig fit --force, and name the profile as well";
        return Err(Refusal::data(format!("{all}, {remedy}")));
    }
    let options = network::NetworkFitOptions::default();
    let fitted = network::fit(&group.data, &options).map_err(Refusal::data)?;
    let mut profile = Profile::of(&fitted, Provenance::default(), options.model.confidence);
    profile.add_facts(&group.data.provenance);
    // Values that no profile may have, such as a negative gamma, make no predictions.
    profile.refuse_unreadable(name)?;
    let mut notes = vec![Note::remark(format!(
        "no profile of {name} was given for this: one was fitted to all of its data for this report; netsig fit makes one to keep"
    ))];
    let all = notes_on_fit(&fitted, 0).into_iter();
    notes.extend(all.filter(|note| matches!(note, Note::Warning(_))));
    notes.extend(profile.note_on_misses(&group.data, None));
    Ok((profile, notes))
}
