//! The rules of all collectives as the file of a library, with what is to be said beside it.

use itertools::Itertools as _;
use netsig_base::algorithm::{COLLECTIVES, Collective, MpiFlavour, ServedOperations};
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;

use super::mpich::MpichTree;
use super::{CommentNames, DataOrigin, TunedCollective, TuningChoices, TuningRequest, intelmpi, mpich, openmpi, tune};
use crate::predict::answer::refuse_single;
use crate::predict::notes::note_on_links;

/// The rules that a request asks for, at least for one collective.
#[derive(Debug, Clone)]
pub struct TunedLibrary<'a> {
    request: TuningRequest<'a>,
    collectives: Vec<TunedCollective>,
}

/// A file to write, and its comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesFile {
    /// The text of the file.
    pub text: String,
    /// Comments, where the file has no room for them.
    pub comments: Vec<String>,
}

impl<'a> TunedLibrary<'a> {
    /// The rules of all collectives; `name` is the profile's name in errors.
    ///
    /// # Errors
    /// If there is nothing to choose among, or a process count or size of the request is too far from the
    /// measurements of every collective.
    pub fn of(request: TuningRequest<'a>, name: &str) -> Result<Self, Refusal> {
        refuse_single(request.counts.as_deref().unwrap_or_default())?;
        let collectives = tune(&request)?;
        let tuned = Self { request, collectives };
        if tuned.collectives.is_empty() {
            return Err(tuned.nothing_to_choose().about(name));
        }
        tuned.refuse_unanswered().map_err(|refusal| refusal.about(name))?;
        Ok(tuned)
    }

    /// The file for the library; `tree` is the selection tree of an MPICH, which its file completes.
    ///
    /// # Errors
    /// For MPICH, if the tree has an unknown form.
    ///
    /// # Panics
    /// For MPICH without a tree.
    pub fn file(&self, names: CommentNames, tree: Option<&MpichTree>) -> Result<RulesFile, Refusal> {
        let TuningRequest { profile, release, .. } = self.request;
        let all = &self.collectives;
        let without_comments = |text| RulesFile {
            text,
            comments: Vec::new(),
        };
        match release.target.flavour {
            MpiFlavour::OpenMpi => Ok(without_comments(openmpi::rules(profile, release, all, names))),
            MpiFlavour::IntelMpi => Ok(without_comments(intelmpi::settings(profile, release, all, names))),
            MpiFlavour::Mpich => {
                let generic = tree.expect("MPICH's file completes its tree");
                let text = mpich::patched(generic, all).ok_or_else(|| {
                    Refusal::request("the selection tree of this MPICH has another form; name a library of MPICH 4.0 to 4.3 by --library")
                })?;
                let comments = mpich::comments(profile, release, all, names);
                Ok(RulesFile { text, comments })
            }
        }
    }

    /// Notes and warnings about the rules.
    pub fn notes(&self) -> Vec<Note> {
        let TuningRequest { profile, release, .. } = self.request;
        let mut notes = Vec::from_iter(note_on_links(profile, self.request.network));
        match DataOrigin::of(profile, release.target.flavour) {
            DataOrigin::Same => {}
            DataOrigin::Unknown => notes.push(Note::warning(format!(
                "the profile does not say by which MPI it was measured; its library is taken to be {release}"
            ))),
            DataOrigin::Other(name) => notes.push(Note::warning(format!(
                "the profile was measured by {name}: its library and library:NAME are left out, and gains over {release}'s own choice are unknown"
            ))),
        }
        for tuned in &self.collectives {
            let collective = tuned.collective;
            if !tuned.choices.has_own_decision() {
                notes.push(Note::warning(format!(
                    "the library's own choice of {collective} was not measured and may be faster than the rules; measure library too"
                )));
            }
            let left_out = tuned.choices.wrong_for_some.iter();
            let names = left_out.map(|choice| &choice.measured).join(", ");
            if !names.is_empty() {
                notes.push(Note::remark(format!(
                    "left out of {collective}, since wrong for operations that do not commute: {names}; give --commutative if all operations of the programs commute, as those of MPI do"
                )));
            }
            if !tuned.has_rules() {
                notes.push(Note::remark(format!(
                    "no rule for {collective}: none is predicted to be faster than the library's own choice"
                )));
            }
        }
        notes
    }

    /// Refuses process counts and sizes of the request that are too far from the measurements of every collective.
    fn refuse_unanswered(&self) -> Result<(), Refusal> {
        let maps = || self.collectives.iter().map(|tuned| &tuned.times);
        let refused = |what: String| {
            let remedy = "leave it out, or measure nearer to it";
            Refusal::data(format!(
                "{what}: no collective was measured near enough for a rule; {remedy}"
            ))
        };
        let counts = self.request.counts.as_deref().unwrap_or_default();
        let of_data = || {
            let with_data = self.collectives.iter().filter(|tuned| tuned.collective.has_data());
            with_data.map(|tuned| &tuned.times)
        };
        let sizes = self.request.sizes.as_deref().unwrap_or_default();
        let is_unknown_count = |place: &usize| maps().all(|map| !map.answers_count(*place));
        if let Some(place) = (0..counts.len()).find(is_unknown_count) {
            return Err(refused(format!("{} processes", counts[place])));
        }
        let is_unknown_size = |place: &usize| of_data().all(|map| !map.answers_size(*place));
        if let Some(place) = (0..sizes.len()).find(is_unknown_size) {
            return Err(refused(sizes[place].to_string()));
        }
        Ok(())
    }

    fn nothing_to_choose(&self) -> Refusal {
        let TuningRequest { profile, release, .. } = self.request;
        let with_commutative = |collective: &&Collective| {
            let choices = TuningChoices::of(profile, release, **collective, ServedOperations::Commutative);
            collective.is_reduction() && choices.can_choose()
        };
        if let Some(collective) = COLLECTIVES.iter().find(with_commutative) {
            return Refusal::data(format!(
                "the measured algorithms of {collective} are wrong for operations that do not commute; give --commutative if all operations of the programs commute, as those of MPI do"
            ));
        }
        let cause = match DataOrigin::of(profile, release.target.flavour) {
            DataOrigin::Other(name) => format!("; its library was {name}"),
            _ => String::new(),
        };
        Refusal::data(format!(
            "no collective has two measured choices that {release} can be told{cause}; measure library and library:NAME with it, and fit them, or start programs by netsig run, which takes netsig's own algorithms, too"
        ))
    }
}
