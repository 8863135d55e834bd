//! Division of the message of one rank for one rank into the blocks of a schedule.

use crate::units::Bytes;

/// A piece of m bytes as `parts` blocks of `unit` bytes. If m is smaller than their sum, the last
/// blocks are shorter or empty: part k has m − k·unit bytes, at least 0 and at most `unit`.
///
/// An array of pieces stores its blocks consecutively: block i is part i mod `parts` of piece ⌊i
/// / `parts`⌋.
///
/// ```
/// use netsig_base::schedule::PieceDivision;
/// use netsig_base::units::Bytes;
///
/// let division = PieceDivision::segments(Bytes(20_000), Bytes(8192));
/// assert_eq!(division.parts(), 3);
/// let bytes: Vec<u64> = (0..6).map(|block| division.bytes(block)).collect();
/// assert_eq!(bytes, [8192, 8192, 3616, 8192, 8192, 3616]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceDivision {
    size: Bytes,
    parts: u32,
    unit: u64,
}

impl PieceDivision {
    /// One block per piece.
    pub fn whole(size: Bytes) -> Self {
        Self::equal(size, 1)
    }

    /// `parts` blocks of ⌈m / `parts`⌉ bytes; 0 parts count as 1.
    pub fn equal(size: Bytes, parts: u32) -> Self {
        let parts = parts.max(1);
        Self {
            size,
            parts,
            unit: size.0.div_ceil(u64::from(parts)),
        }
    }

    /// ⌈m / `segment`⌉ blocks, at least one, of `segment` bytes; at most 2³² − 1 blocks, which
    /// then do not hold the message. A segment of 0 bytes counts as 1 byte.
    pub fn segments(size: Bytes, segment: Bytes) -> Self {
        let unit = segment.0.max(1);
        Self {
            size,
            parts: u32::try_from(size.0.div_ceil(unit)).unwrap_or(u32::MAX).max(1),
            unit,
        }
    }

    /// Size m of a piece.
    pub fn size(self) -> Bytes {
        self.size
    }

    /// Number of blocks of a piece.
    pub fn parts(self) -> u32 {
        self.parts
    }

    /// The length of block `index` of an array.
    pub fn bytes(self, index: u32) -> u64 {
        self.bytes_of(self.size, index)
    }

    /// The length of block `index` if its piece has `size` bytes, at most m, in blocks of the same
    /// `unit`: min(`unit`, max(0, `size` − k·`unit`)) for part k.
    pub fn bytes_of(self, size: Bytes, index: u32) -> u64 {
        let before = u64::from(index % self.parts).saturating_mul(self.unit);
        size.0.saturating_sub(before).min(self.unit)
    }

    /// Length of the first `index` blocks of an array, which is the offset of block `index`. Any
    /// `index` blocks of different parts, or of undivided pieces, are together at most as long.
    pub fn offset(self, index: u32) -> u64 {
        let pieces = u64::from(index / self.parts).saturating_mul(self.size.0);
        let full_rest = u64::from(index % self.parts).saturating_mul(self.unit);
        let rest = full_rest.min(self.size.0);
        pieces.saturating_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn division() -> impl Strategy<Value = PieceDivision> {
        let equal = (0u64..2000, 1u32..50).prop_map(|(m, parts)| PieceDivision::equal(Bytes(m), parts));
        let segment_inputs = (0u64..2000, 1u64..3000);
        let segments = segment_inputs.prop_map(|(m, part)| PieceDivision::segments(Bytes(m), Bytes(part)));
        prop_oneof![equal, segments]
    }

    proptest! {
        /// And no part is longer than one before.
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
            let parts = (0..division.parts()).map(|part| division.bytes(part));
            prop_assert!(parts.is_sorted_by(|a, b| a >= b));
        }
    }

    /// Segments are whole but for the last and never empty; equal parts beyond the message are.
    #[test]
    fn lengths_are_those_worked_by_hand() {
        let segments = |size, segment| PieceDivision::segments(Bytes(size), Bytes(segment));
        let equal = |size, parts| PieceDivision::equal(Bytes(size), parts);
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
