//! Dates of the calendar.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The UTC date, YYYY-MM-DD, of a time in seconds since 1970, in the Gregorian calendar.
pub fn utc_date(unix_seconds: i64) -> String {
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
    use super::utc_date;

    /// As `date --utc --date @SECONDS` prints them.
    #[test]
    fn dates_around_leap_days_are_those_of_the_calendar() {
        let known = [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_603_200, "2024-12-31"),
            (1_795_425_818, "2026-11-23"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
        ];
        for (seconds, date) in known {
            assert_eq!(utc_date(seconds), date);
        }
    }
}
