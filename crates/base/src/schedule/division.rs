//! Division of the message of one rank for one rank into the blocks of a schedule.

use crate::units::Bytes;

/// A piece of m bytes, divided into `parts` blocks.
///
/// An array of pieces stores its blocks consecutively: block i is part i mod `parts` of piece ⌊i
/// / `parts`⌋. Parts of a number of bytes are of `unit` bytes; if m is smaller than their sum, the last ones are
/// shorter or empty: part k has m − k·unit bytes, at least 0 and at most `unit`. Other parts consist of whole elements.
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
    rule: PartRule,
}

/// Where the parts of a piece begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartRule {
    /// Part k at k·unit bytes.
    Unit(u64),
    /// c elements in blocks of whole elements: the first c mod `blocks` are one element longer. Each block is divided
    /// likewise.
    Elements { bytes: u64, blocks: u32 },
    /// Halves of halves; the first half of w elements has ⌊w/2⌋.
    Halves { bytes: u64 },
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
            rule: PartRule::Unit(size.0.div_ceil(u64::from(parts))),
        }
    }

    /// ⌈m / `segment`⌉ blocks, at least one, of `segment` bytes; at most 2³² − 1 blocks, which
    /// then do not hold the message. A segment of 0 bytes counts as 1 byte.
    pub fn segments(size: Bytes, segment: Bytes) -> Self {
        let unit = segment.0.max(1);
        Self {
            size,
            parts: u32::try_from(size.0.div_ceil(unit)).unwrap_or(u32::MAX).max(1),
            rule: PartRule::Unit(unit),
        }
    }

    /// `blocks` blocks of whole elements of `element` bytes, each of them in `parts` parts. Of c elements in k blocks the
    /// first c mod k have one element more than the others, and so have the parts of a block. Blocks may be empty.
    pub fn elements(size: Bytes, element: Bytes, blocks: u32, parts: u32) -> Self {
        Self {
            size,
            parts: blocks.saturating_mul(parts).max(1),
            rule: PartRule::Elements {
                bytes: element.0.max(1),
                blocks: blocks.max(1),
            },
        }
    }

    /// 2^`levels` blocks of whole elements of `element` bytes: halves of halves, the first of which have ⌊w/2⌋ of w
    /// elements.
    pub fn halves(size: Bytes, element: Bytes, levels: u32) -> Self {
        Self {
            size,
            parts: 1 << levels,
            rule: PartRule::Halves {
                bytes: element.0.max(1),
            },
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
        let part = index % self.parts;
        self.start(part + 1) - self.start(part)
    }

    /// The length of block `index` if its piece has `size` bytes, at most m, and m is in parts of `unit` bytes:
    /// min(`unit`, max(0, `size` − k·`unit`)) for part k.
    pub fn bytes_of(self, size: Bytes, index: u32) -> u64 {
        let part = index % self.parts;
        self.start(part + 1).min(size.0) - self.start(part).min(size.0)
    }

    /// Length of the longest block.
    pub fn longest(self) -> u64 {
        match self.rule {
            // The other halves are at least as long.
            PartRule::Halves { .. } => self.bytes(self.parts - 1),
            PartRule::Unit(_) | PartRule::Elements { .. } => self.bytes(0),
        }
    }

    /// Length of the first `index` blocks of an array, which is the offset of block `index`. Any
    /// `index` blocks of different parts of a piece in bytes are together at most as long, and so are those of undivided
    /// pieces.
    pub fn offset(self, index: u32) -> u64 {
        let pieces = u64::from(index / self.parts).saturating_mul(self.size.0);
        pieces.saturating_add(self.start(index % self.parts))
    }

    /// Where part `part` of a piece begins; for the number of parts, the end of the piece.
    fn start(self, part: u32) -> u64 {
        if part >= self.parts && !matches!(self.rule, PartRule::Unit(_)) {
            return self.size.0;
        }
        let (elements, bytes) = match self.rule {
            PartRule::Unit(unit) => (u64::from(part), unit),
            PartRule::Elements { bytes, blocks } => {
                let parts_of_block = self.parts / blocks;
                let (block, part) = (part / parts_of_block, part % parts_of_block);
                let count = self.size.0.div_ceil(bytes);
                let before = share_start(count, blocks, block);
                let length = share_start(count, blocks, block + 1) - before;
                (before + share_start(length, parts_of_block, part), bytes)
            }
            PartRule::Halves { bytes } => (half_start(self.size.0.div_ceil(bytes), self.parts, part), bytes),
        };
        elements.saturating_mul(bytes).min(self.size.0)
    }
}

/// Where share `index` of `count` elements begins: the first `count` mod `shares` have one element more.
fn share_start(count: u64, shares: u32, index: u32) -> u64 {
    let (shares, index) = (u64::from(shares), u64::from(index));
    index * (count / shares) + index.min(count % shares)
}

/// Where part `index` of a piece of `count` elements in halves of halves begins, for a power of two of parts.
fn half_start(count: u64, parts: u32, index: u32) -> u64 {
    let (mut start, mut length) = (0, count);
    let mut half = parts / 2;
    while half > 0 {
        let low = length / 2;
        if index & half == 0 {
            length = low;
        } else {
            start += low;
            length -= low;
        }
        half /= 2;
    }
    start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn division() -> impl Strategy<Value = PieceDivision> {
        let equal = (0u64..2000, 1u32..50).prop_map(|(m, parts)| PieceDivision::equal(Bytes(m), parts));
        let segment_inputs = (0u64..2000, 1u64..3000);
        let segments = segment_inputs.prop_map(|(m, part)| PieceDivision::segments(Bytes(m), Bytes(part)));
        let counts = || (0u64..2000, 1u64..20, 1u32..12);
        let elements = (counts(), 1u32..5)
            .prop_map(|((m, e, blocks), parts)| PieceDivision::elements(Bytes(m * e), Bytes(e), blocks, parts));
        let halves =
            (counts(), 0u32..5).prop_map(|((m, e, _), levels)| PieceDivision::halves(Bytes(m * e), Bytes(e), levels));
        prop_oneof![equal, segments, elements, halves]
    }

    proptest! {
        /// And none is longer than the longest.
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
            prop_assert_eq!(parts.max(), Some(division.longest()));
        }
    }

    /// Segments are whole but for the last and never empty; equal parts beyond the message are. Elements stay whole.
    #[test]
    fn lengths_are_those_worked_by_hand() {
        let segments = |size, segment| PieceDivision::segments(Bytes(size), Bytes(segment));
        let equal = |size, parts| PieceDivision::equal(Bytes(size), parts);
        let elements = |size, blocks, parts| PieceDivision::elements(Bytes(size), Bytes(4), blocks, parts);
        for (division, expected) in [
            (segments(7, 3), &[3, 3, 1][..]),
            (segments(6, 3), &[3, 3]),
            (segments(2, 3), &[2]),
            (segments(0, 3), &[0]),
            (equal(7, 3), &[3, 3, 1]),
            (equal(4, 3), &[2, 2, 0]),
            (equal(2, 4), &[1, 1, 0, 0]),
            (elements(12, 8, 1), &[4, 4, 4, 0, 0, 0, 0, 0]),
            (elements(44, 2, 2), &[12, 12, 12, 8]),
            (PieceDivision::halves(Bytes(52), Bytes(4), 3), &[4, 8, 4, 8, 4, 8, 8, 8]),
        ] {
            let lengths = (0..division.parts()).map(|part| division.bytes(part));
            assert_eq!(lengths.collect::<Vec<_>>(), expected);
        }
    }
}
