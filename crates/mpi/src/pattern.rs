//! Data that prove their origin: every piece depends on sender, receiver and repetition, so that
//! stale, swapped or shifted data are detected.

use netsig_base::units::Rank;

/// Identification of a piece of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataLabel {
    /// The rank that sends the piece.
    pub origin: Rank,
    /// The destination rank; 0 if the piece goes to all ranks.
    pub target: Rank,
    /// The repetition.
    pub repetition: u32,
}

/// The first wrong byte of what a rank received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFault {
    /// Its index in the piece.
    pub byte: usize,
    /// The rank that sent the piece.
    pub origin: Rank,
    /// The destination rank of the piece.
    pub target: Rank,
}

const WORD: usize = size_of::<u64>();

/// An odd constant with well-mixed bits (the golden ratio in 64 bits).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl DataLabel {
    fn start(self) -> u64 {
        let mut hash = 0u64;
        for part in [self.origin.0, self.target.0, self.repetition] {
            hash = (hash ^ u64::from(part)).wrapping_add(1).wrapping_mul(STEP);
            hash ^= hash >> 29;
        }
        hash
    }

    /// Fills `block` with this label's data.
    pub fn fill(self, block: &mut [u8]) {
        let mut word = self.start();
        for chunk in block.chunks_mut(WORD) {
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
            word = word.wrapping_add(STEP);
        }
    }

    /// Compares `block` with this label's data.
    ///
    /// # Errors
    /// The first byte that differs.
    pub fn check(self, block: &[u8]) -> Result<(), DataFault> {
        let mut word = self.start();
        for (index, chunk) in block.chunks(WORD).enumerate() {
            let expected = word.to_le_bytes();
            if chunk != &expected[..chunk.len()] {
                let mut bytes = chunk.iter().zip(expected);
                let within = bytes.position(|(got, want)| *got != want).unwrap_or(0);
                return Err(DataFault {
                    byte: index * WORD + within,
                    origin: self.origin,
                    target: self.target,
                });
            }
            word = word.wrapping_add(STEP);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: DataLabel = DataLabel {
        origin: Rank(1),
        target: Rank(2),
        repetition: 3,
    };

    #[test]
    fn the_first_wrong_byte_is_found() {
        let mut block = [0; 21];
        LABEL.fill(&mut block);
        assert_eq!(LABEL.check(&block), Ok(()));
        block[19] ^= 1;
        assert_eq!(LABEL.check(&block).unwrap_err().byte, 19);
    }

    #[test]
    fn swapped_ends_and_another_repetition_do_not_pass() {
        let mut block = [0; 8];
        LABEL.fill(&mut block);
        for other in [
            DataLabel {
                origin: Rank(2),
                target: Rank(1),
                repetition: 3,
            },
            DataLabel { repetition: 4, ..LABEL },
            DataLabel {
                origin: Rank(0),
                ..LABEL
            },
        ] {
            assert!(other.check(&block).is_err(), "{other:?}");
        }
    }
}
