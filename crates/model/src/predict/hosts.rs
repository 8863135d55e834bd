//! Ranks on a host. They share its link and memory, so times with one number of ranks do not tell times with
//! another. A profile answers for the measured number only.

use netsig_base::data::cluster_facts;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;

use crate::profile::Profile;

/// Refuses a number of ranks on a host other than the measured one; `name` is the profile's name in errors.
///
/// # Errors
/// If the numbers differ.
pub(super) fn refuse_other_ranks(profile: &Profile, name: &str, wanted: Option<u32>) -> Result<(), Refusal> {
    let measured = profile.per_host();
    let Some(wanted) = wanted.filter(|ranks| *ranks != measured) else {
        return Ok(());
    };
    let found = match cluster_facts::stated_ranks_per_host(&profile.provenance) {
        Some(_) => format!(
            "was measured with {}, which does not tell the times of {wanted}",
            ranks_text(measured)
        ),
        None => format!(
            "is of data without placement, which count as 1 rank on a host and do not tell the times of {wanted}"
        ),
    };
    Err(Refusal::data(format!(
        "{found}; measure with --ppn {wanted} and fit again, or leave out --ppn"
    ))
    .about(name))
}

/// A note that the times are those of several ranks on a host.
pub(super) fn note_on_hosts(profile: &Profile) -> Option<Note> {
    let measured = profile.per_host();
    (measured > 1).then(|| {
        Note::remark(format!(
            "the times are those of {}, as was measured",
            ranks_text(measured)
        ))
    })
}

fn ranks_text(ranks: u32) -> String {
    match ranks {
        1 => "1 rank on a host".to_owned(),
        _ => format!("{ranks} ranks on a host"),
    }
}
