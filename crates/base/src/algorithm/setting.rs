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
pub struct Setting {
    /// Name of the setting, written where several are given.
    pub key: &'static str,
    /// Value for examples.
    pub example: u32,
    /// Kind of value.
    pub kind: Kind,
    /// Values that a choice among algorithms tries.
    pub(super) tried: &'static [u32],
    least: u32,
}

/// Kind of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A count.
    Number,
    /// A number of bytes; a unit may follow.
    Size,
}

/// Values of an algorithm's settings, in the order of its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Values([u32; MOST_SETTINGS]);

/// Largest number of messages in progress.
pub(super) const WINDOW: Setting = Setting {
    tried: &[2, 1, 3, 4, 8],
    ..number("window", 1)
};

/// Largest number of exchanges in progress between two clusters.
pub(super) const WAN_FLOWS: Setting = Setting {
    tried: &[1, 2, 4, 16],
    ..number("wan_flows", 1)
};

/// Distance between messages that cross one after another, in the time that a host takes to send one.
pub(super) const SPACING: Setting = Setting {
    tried: &[1, 2, 4],
    ..number("spacing", 1)
};

/// Base of the numbers that order the ranks.
pub(super) const RADIX: Setting = Setting {
    tried: &[2, 3, 4, 8],
    ..number("radix", 2)
};

/// Segment size of a message.
pub(super) const SEGMENT: Setting = Setting {
    key: "segment",
    example: 8192,
    tried: &[1024, 2048, 4096, 8192, 16384, 32768],
    least: 1,
    kind: Kind::Size,
};

/// Segment size of an exchange. Longer segments gain nothing there and fill the ports.
pub(super) const SHORT_SEGMENT: Setting = Setting {
    tried: &[1024, 2048, 4096, 8192],
    ..SEGMENT
};

const fn number(key: &'static str, least: u32) -> Setting {
    Setting {
        key,
        example: 2,
        tried: &[],
        least,
        kind: Kind::Number,
    }
}

impl Setting {
    /// Name of the value in help.
    pub(super) fn placeholder(&self) -> String {
        self.key.to_uppercase()
    }

    /// Allowed values in words.
    pub(super) fn range(&self) -> String {
        let (name, least) = (self.placeholder(), self.least);
        match self.kind {
            Kind::Number => format!("{name} at least {least}"),
            Kind::Size => format!("{name} from {least} to {LONGEST_SEGMENT} bytes"),
        }
    }

    /// The value written as `text`; `None` if it is not allowed.
    fn read(&self, text: &str) -> Option<u32> {
        let value = match self.kind {
            Kind::Number => text.parse().ok()?,
            Kind::Size => segment(text)?.get(),
        };
        (value >= self.least).then_some(value)
    }
}

impl Values {
    /// The values of `settings` written as `text`, the part after the colon; `None` unless each
    /// setting is given exactly once.
    pub(super) fn read(settings: &[Setting], text: Option<&str>) -> Option<Self> {
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
pub(super) fn text<T: fmt::Display>(name: &str, settings: &[Setting], value: impl Fn(usize, &Setting) -> T) -> String {
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
pub(super) fn segment(text: &str) -> Option<NonZeroU32> {
    let bytes: Bytes = text.parse().ok()?;
    let bytes = u32::try_from(bytes.0).ok()?;
    NonZeroU32::new(bytes).filter(|bytes| bytes.get() <= LONGEST_SEGMENT)
}

/// Splits a list of algorithms at its commas, except at commas between the settings of one
/// algorithm.
pub fn split(list: &str) -> Vec<&str> {
    let starts = |&(place, _): &(usize, &str)| {
        let item = &list[place + 1..];
        let item = item.split(',').next().unwrap_or_default();
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
            assert_eq!(split(list), items, "{list}");
        }
    }
}
