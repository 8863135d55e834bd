//! Facts of a profile that exported files share: their origin as comment lines, and the eager limit.

use netsig_base::units::Bytes;

use crate::profile::Profile;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Comment lines on the origin of the values; `name` is the name of the profile's file.
pub(super) fn lines(profile: &Profile, name: &str) -> Vec<String> {
    let fact = |key| profile.provenance.get(key);
    let version = env!("CARGO_PKG_VERSION");
    let date = fact("data_started_unix_s").and_then(|seconds| seconds.parse().ok());
    let measured = match date.map(date_of) {
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

/// The UTC date, YYYY-MM-DD, of a time in seconds since 1970, in the Gregorian calendar.
fn date_of(unix_seconds: i64) -> String {
    // Years begin in March here, so that a leap day ends its year.
    let days = unix_seconds.div_euclid(DAY) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leaps = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leaps) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + next_year;
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date_of;

    #[test]
    fn dates_around_leap_days_are_those_of_the_calendar() {
        let known = [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_425_818, "2026-11-23"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
        ];
        for (seconds, date) in known {
            assert_eq!(date_of(seconds), date);
        }
    }
}
