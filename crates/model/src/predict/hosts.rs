//! Ranks on a host. Ranks of a host share its link and its memory, so that times with one number of them do
//! not tell those with another: a profile answers for the number that was measured.

use netsig_base::data::places;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;

use crate::profile::Profile;

/// Refuses another number of ranks on a host than that of the measurements behind a profile with a name.
///
/// # Errors
/// If the numbers differ.
pub(super) fn refuse_other_ranks((profile, name): (&Profile, &str), wanted: Option<u32>) -> Result<(), Refusal> {
    let measured = profile.per_host();
    let Some(wanted) = wanted.filter(|own| *own != measured) else {
        return Ok(());
    };
    let found = match places::stated_per_host(&profile.provenance) {
        Some(_) => format!(
            "was measured with {}, which does not tell the times of {wanted}",
            on_a_host(measured)
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
pub(super) fn on_hosts(profile: &Profile) -> Option<Note> {
    let measured = profile.per_host();
    (measured > 1).then(|| {
        Note::remark(format!(
            "the times are those of {}, as was measured",
            on_a_host(measured)
        ))
    })
}

fn on_a_host(ranks: u32) -> String {
    match ranks {
        1 => "1 rank on a host".to_owned(),
        _ => format!("{ranks} ranks on a host"),
    }
}
