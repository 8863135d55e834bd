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

/// The first wrong datum of what a rank received.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataFault {
    /// A byte of a piece.
    #[error("byte {byte} of the data from rank {origin} for rank {target} is wrong")]
    Byte {
        /// Its index in the piece.
        byte: usize,
        /// The rank that sent the piece.
        origin: Rank,
        /// The destination rank of the piece.
        target: Rank,
    },
    /// An element of a combined vector.
    #[error("element {element} of the result on rank {rank} is {found} instead of {expected}")]
    Element {
        /// Its index in the vector.
        element: usize,
        /// The rank that has the result.
        rank: Rank,
        /// The value that it has.
        found: String,
        /// The value that it should have.
        expected: String,
    },
}

const WORD: usize = size_of::<u64>();

/// An odd constant with well-mixed bits (the golden ratio in 64 bits).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl DataFault {
    /// The fault of a piece that `rank` has received.
    pub fn received_by(self, rank: Rank) -> Self {
        match self {
            Self::Byte { byte, origin, .. } => Self::Byte {
                byte,
                origin,
                target: rank,
            },
            other @ Self::Element { .. } => other,
        }
    }
}

/// A hash of three numbers.
pub fn mixed(parts: [u32; 3]) -> u64 {
    let mut hash = 0u64;
    for part in parts {
        hash = (hash ^ u64::from(part)).wrapping_add(1).wrapping_mul(STEP);
        hash ^= hash >> 29;
    }
    hash
}

impl DataLabel {
    fn start(self) -> u64 {
        mixed([self.origin.0, self.target.0, self.repetition])
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
                return Err(DataFault::Byte {
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
        let fault = DataFault::Byte {
            byte: 19,
            origin: LABEL.origin,
            target: LABEL.target,
        };
        assert_eq!(LABEL.check(&block), Err(fault));
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
