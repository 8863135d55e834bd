//! The setting of an algorithm: the VALUE in `name:VALUE`.

use std::num::NonZeroU32;

use crate::units::Bytes;

/// The longest segment: MPI counts bytes in a C int.
const LONGEST_SEGMENT: u32 = i32::MAX as u32;

/// What `name:VALUE` sets, for algorithms that have such a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// What help calls the value.
    pub name: &'static str,
    /// An ordinary value.
    pub example: u32,
    least: u32,
    kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// In bytes; a unit may follow.
    Size,
}

/// The most messages in progress.
pub(super) const WINDOW: Parameter = number("WINDOW", 1);

/// The number of ranks in the first cluster.
pub(super) const N1: Parameter = number("N1", 1);

/// The base of the numbers that order the ranks.
pub(super) const RADIX: Parameter = number("RADIX", 2);

/// The size of the segments that a message is cut into.
pub(super) const SEGMENT: Parameter = Parameter {
    name: "SEGMENT",
    example: 8192,
    least: 1,
    kind: Kind::Size,
};

const fn number(name: &'static str, least: u32) -> Parameter {
    Parameter {
        name,
        example: 2,
        least,
        kind: Kind::Number,
    }
}

impl Parameter {
    /// The value written as `text`, if it is allowed.
    pub(super) fn read(&self, text: &str) -> Option<NonZeroU32> {
        let value = match self.kind {
            Kind::Number => text.parse().ok()?,
            Kind::Size => segment(text)?.get(),
        };
        NonZeroU32::new(value).filter(|value| value.get() >= self.least)
    }
}

/// A segment size written as `text`, from 1 byte to the largest message.
pub(super) fn segment(text: &str) -> Option<NonZeroU32> {
    let bytes: Bytes = text.parse().ok()?;
    let bytes = u32::try_from(bytes.0).ok()?;
    NonZeroU32::new(bytes).filter(|bytes| bytes.get() <= LONGEST_SEGMENT)
}
