//! The settings of an algorithm: the VALUE in `name:VALUE`, or each KEY=VALUE in
//! `name:KEY=VALUE,KEY=VALUE`.

use std::fmt;
use std::num::NonZeroU32;

use crate::units::Bytes;

/// The longest segment: MPI counts bytes in a C int.
pub const LONGEST_SEGMENT: u32 = i32::MAX as u32;

/// Largest number of settings of an algorithm.
pub(super) const MOST_SETTINGS: usize = 4;

/// A setting of an algorithm. Help shows its value as the key in capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlgorithmSetting {
    /// Name of the setting, written where several are given.
    pub key: &'static str,
    /// Value for examples.
    pub example: u32,
    /// Kind of value.
    pub kind: SettingKind,
    /// Values that a choice among algorithms tries.
    pub(super) candidate_values: &'static [u32],
    minimum: u32,
}

/// Kind of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// A count.
    Number,
    /// A number of bytes; a unit may follow.
    Size,
}

/// Values of an algorithm's settings, in the order of its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct SettingValues([u32; MOST_SETTINGS]);

/// Largest number of messages in progress.
pub(super) const WINDOW: AlgorithmSetting = AlgorithmSetting {
    candidate_values: &[2, 1, 3, 4, 8],
    ..number_setting("window", 1)
};

/// Largest number of exchanges in progress between two clusters.
pub(super) const WAN_FLOWS: AlgorithmSetting = AlgorithmSetting {
    candidate_values: &[1, 2, 4, 16],
    ..number_setting("wan_flows", 1)
};

/// Distance between messages that cross one after another, in units of the time in which a host sends one.
pub(super) const SPACING: AlgorithmSetting = AlgorithmSetting {
    candidate_values: &[1, 2, 4],
    ..number_setting("spacing", 1)
};

/// Base of the numbers that order the ranks.
pub(super) const RADIX: AlgorithmSetting = AlgorithmSetting {
    candidate_values: &[2, 3, 4, 8],
    ..number_setting("radix", 2)
};

/// Segment size of a message.
pub(super) const SEGMENT: AlgorithmSetting = AlgorithmSetting {
    key: "segment",
    example: 8192,
    candidate_values: &[1024, 2048, 4096, 8192, 16384, 32768],
    minimum: 1,
    kind: SettingKind::Size,
};

/// Segment size of an exchange. Longer segments gain nothing there and fill the ports.
pub(super) const SHORT_SEGMENT: AlgorithmSetting = AlgorithmSetting {
    candidate_values: &[1024, 2048, 4096, 8192],
    ..SEGMENT
};

const fn number_setting(key: &'static str, minimum: u32) -> AlgorithmSetting {
    AlgorithmSetting {
        key,
        example: 2,
        candidate_values: &[],
        minimum,
        kind: SettingKind::Number,
    }
}

impl AlgorithmSetting {
    /// Name of the value in help.
    pub(super) fn placeholder(&self) -> String {
        self.key.to_uppercase()
    }

    /// Allowed values in words.
    pub(super) fn range(&self) -> String {
        let (name, least) = (self.placeholder(), self.minimum);
        match self.kind {
            SettingKind::Number => format!("{name} at least {least}"),
            SettingKind::Size => format!("{name} from {least} to {LONGEST_SEGMENT} bytes"),
        }
    }

    /// The value written as `text`; `None` if it is not allowed.
    fn read(&self, text: &str) -> Option<u32> {
        let value = match self.kind {
            SettingKind::Number => text.parse().ok()?,
            SettingKind::Size => parse_segment(text)?.get(),
        };
        (value >= self.minimum).then_some(value)
    }
}

impl SettingValues {
    /// The values of `settings` written as `text`, the part after the colon; `None` unless each
    /// setting is given exactly once.
    pub(super) fn read(settings: &[AlgorithmSetting], text: Option<&str>) -> Option<Self> {
        let mut values = Self([0; MOST_SETTINGS]);
        match (settings, text) {
            ([], None) => {}
            ([setting], Some(text)) if !text.contains('=') => values.0[0] = setting.read(text)?,
            ([_, ..], Some(text)) => {
                let mut given = 0;
                for pair in text.split(',') {
                    let (key, value) = pair.trim().split_once('=')?;
                    let place = settings.iter().position(|setting| setting.key == key)?;
                    if values.0[place] != 0 {
                        return None;
                    }
                    values.0[place] = settings[place].read(value)?;
                    given += 1;
                }
                if given < settings.len() {
                    return None;
                }
            }
            _ => return None,
        }
        Some(values)
    }

    /// Value of the setting at this index of the entry.
    pub(super) fn get(self, place: usize) -> u32 {
        self.0[place]
    }

    pub(super) fn set(&mut self, place: usize, value: u32) {
        self.0[place] = value;
    }
}

/// `name`, `name:VALUE` or `name:KEY=VALUE,KEY=VALUE`.
pub(super) fn text<T: fmt::Display>(
    name: &str,
    settings: &[AlgorithmSetting],
    value: impl Fn(usize, &AlgorithmSetting) -> T,
) -> String {
    let mut text = name.to_owned();
    for (place, setting) in settings.iter().enumerate() {
        text.push(if place == 0 { ':' } else { ',' });
        if settings.len() > 1 {
            text.push_str(setting.key);
            text.push('=');
        }
        text.push_str(&value(place, setting).to_string());
    }
    text
}

/// A segment size written as `text`, from 1 byte to the largest message.
pub(super) fn parse_segment(text: &str) -> Option<NonZeroU32> {
    let size: Bytes = text.parse().ok()?;
    let bytes = u32::try_from(size.0).ok()?;
    NonZeroU32::new(bytes).filter(|bytes| bytes.get() <= LONGEST_SEGMENT)
}

/// Splits a list of algorithms at its commas, except at commas between the settings of one
/// algorithm.
pub fn split_algorithms(list: &str) -> Vec<&str> {
    let starts = |&(place, _): &(usize, &str)| {
        let following = &list[place + 1..];
        let item = following.split(',').next().unwrap_or_default();
        let before_value = item.split_once('=').map(|(before, _)| before);
        before_value.is_none_or(|before| before.contains(':'))
    };
    let mut items = Vec::new();
    let mut start = 0;
    for (comma, _) in list.match_indices(',').filter(starts) {
        items.push(list[start..comma].trim());
        start = comma + 1;
    }
    items.push(list[start..].trim());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_settings_stay_with_their_algorithm() {
        for (list, items) in [
            ("direct", &["direct"][..]),
            ("", &[""]),
            ("direct,", &["direct", ""]),
            ("a:2, b ,c:k=1", &["a:2", "b", "c:k=1"]),
            ("a:k=1,l=2,b:k=3, l=4,c", &["a:k=1,l=2", "b:k=3, l=4", "c"]),
        ] {
            assert_eq!(split_algorithms(list), items, "{list}");
        }
    }
}
