//! Facts of a profile that exported files share: their origin as comment lines, and the eager limit.

use netsig_base::text::date::utc_date;
use netsig_base::units::Bytes;

use crate::profile::Profile;

/// Comment lines on the origin of the values; `name` is the name of the profile's file.
pub(super) fn lines(profile: &Profile, name: &str) -> Vec<String> {
    let fact = |key| profile.provenance.get(key);
    let version = env!("CARGO_PKG_VERSION");
    let date = fact("data_started_unix_s").and_then(|seconds| seconds.parse().ok());
    let measured = match date.map(utc_date) {
        Some(date) => format!("measured on {date}"),
        None => "whose date the profile does not state".to_owned(),
    };
    let data = fact("data").unwrap_or("not named");
    let mpi = fact("data_mpi").map(|mpi| format!("MPI of the data: {mpi}."));
    let origin_lines = [
        format!("Written by netsig {version} from the profile {name}."),
        format!("Data of the profile: {data}, {measured}."),
    ];
    origin_lines.into_iter().chain(mpi).collect()
}

/// Smallest size that the MPI library does not send at once, as fitted, else as set in the library.
pub(super) fn eager_limit(profile: &Profile) -> Option<Bytes> {
    let seen = profile.protocol.map(|protocol| protocol.eager_up_to);
    seen.or_else(|| profile.provenance.eager_limit())
}
