//! How the message of one rank for one rank is divided into the blocks of a schedule.

use crate::units::Bytes;

/// A piece of m bytes as `parts` blocks of `unit` bytes. The last ones are shorter, or
/// empty, where the units do not fit: part k has m − k·unit bytes, at least 0 and at most
/// `unit`.
///
/// An array of pieces has its blocks in a row: block i is part i mod `parts` of piece
/// ⌊i / `parts`⌋.
///
/// ```
/// use netsig_core::schedule::Division;
/// use netsig_core::units::Bytes;
///
/// let division = Division::segments(Bytes(20_000), Bytes(8192));
/// assert_eq!(division.parts(), 3);
/// let bytes: Vec<u64> = (0..6).map(|block| division.bytes(block)).collect();
/// assert_eq!(bytes, [8192, 8192, 3616, 8192, 8192, 3616]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    size: Bytes,
    parts: u32,
    unit: u64,
}

impl Division {
    /// One block a piece.
    pub fn whole(size: Bytes) -> Self {
        Self::equal(size, 1)
    }

    /// `parts` blocks of ⌈m / `parts`⌉ bytes. No parts are taken as one.
    pub fn equal(size: Bytes, parts: u32) -> Self {
        let parts = parts.max(1);
        Self {
            size,
            parts,
            unit: size.0.div_ceil(u64::from(parts)),
        }
    }

    /// ⌈m / `segment`⌉ blocks, at least one, of `segment` bytes; at most 2³² − 1, in which
    /// case they do not hold the message. A segment of no bytes is taken as one of one.
    pub fn segments(size: Bytes, segment: Bytes) -> Self {
        let unit = segment.0.max(1);
        Self {
            size,
            parts: u32::try_from(size.0.div_ceil(unit))
                .unwrap_or(u32::MAX)
                .max(1),
            unit,
        }
    }

    /// m.
    pub fn size(self) -> Bytes {
        self.size
    }

    /// How many blocks a piece has.
    pub fn parts(self) -> u32 {
        self.parts
    }

    /// The length of block `index` of an array.
    pub fn bytes(self, index: u32) -> u64 {
        let before = u64::from(index % self.parts).saturating_mul(self.unit);
        self.size.0.saturating_sub(before).min(self.unit)
    }

    /// The length of the first `index` blocks of an array: where block `index` begins. No
    /// blocks of different parts, and none of undivided pieces, are longer together than as
    /// many from the first on.
    pub fn offset(self, index: u32) -> u64 {
        let pieces = u64::from(index / self.parts).saturating_mul(self.size.0);
        let rest = u64::from(index % self.parts).saturating_mul(self.unit);
        let rest = rest.min(self.size.0);
        pieces.saturating_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn division() -> impl Strategy<Value = Division> {
        let size = (0u64..2000).prop_map(Bytes);
        let equal = (size.clone(), 1u32..50).prop_map(|(size, parts)| Division::equal(size, parts));
        let segment = (1u64..3000).prop_map(Bytes);
        let segments =
            (size, segment).prop_map(|(size, segment)| Division::segments(size, segment));
        prop_oneof![equal, segments]
    }

    proptest! {
        #[test]
        fn blocks_lie_in_a_row_and_make_up_their_pieces(division in division()) {
            let mut end = 0;
            for block in 0..3 * division.parts() {
                prop_assert_eq!(division.offset(block), end);
                end += division.bytes(block);
                if (block + 1).is_multiple_of(division.parts()) {
                    let pieces = u64::from((block + 1) / division.parts());
                    prop_assert_eq!(end, pieces * division.size().0);
                }
            }
        }

        #[test]
        fn no_part_is_longer_than_one_before(division in division()) {
            let parts: Vec<u64> = (0..division.parts()).map(|part| division.bytes(part)).collect();
            prop_assert!(parts.is_sorted_by(|a, b| a >= b));
        }
    }

    /// Segments are whole but for the last and never empty; equal parts beyond the message are.
    #[test]
    fn lengths_are_those_worked_by_hand() {
        let segments = |size, segment| Division::segments(Bytes(size), Bytes(segment));
        let equal = |size, parts| Division::equal(Bytes(size), parts);
        for (division, expected) in [
            (segments(7, 3), &[3, 3, 1][..]),
            (segments(6, 3), &[3, 3]),
            (segments(2, 3), &[2]),
            (segments(0, 3), &[0]),
            (equal(7, 3), &[3, 3, 1]),
            (equal(4, 3), &[2, 2, 0]),
            (equal(2, 4), &[1, 1, 0, 0]),
        ] {
            let lengths = (0..division.parts()).map(|part| division.bytes(part));
            assert_eq!(lengths.collect::<Vec<_>>(), expected);
        }
    }
}
