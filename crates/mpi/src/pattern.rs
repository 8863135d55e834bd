//! Data that prove where they come from: every piece differs by sender, receiver and
//! repetition, so that nothing stale, swapped or shifted passes for what was sent.

/// What distinguishes a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The rank that sends it.
    pub origin: u32,
    /// The rank that it is for; rank 0 for what is for all.
    pub target: u32,
    /// The repetition.
    pub repetition: u32,
}

const WORD: usize = size_of::<u64>();

/// An odd constant with well-mixed bits (the golden ratio in 64 bits).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Label {
    fn start(self) -> u64 {
        let mut hash = 0u64;
        for part in [self.origin, self.target, self.repetition] {
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

    /// The place of the first byte of `block` that is not this label's.
    pub fn first_fault(self, block: &[u8]) -> Option<usize> {
        let mut word = self.start();
        for (index, chunk) in block.chunks(WORD).enumerate() {
            let expected = word.to_le_bytes();
            if chunk != &expected[..chunk.len()] {
                let within = chunk
                    .iter()
                    .zip(expected)
                    .position(|(got, want)| *got != want);
                return within.map(|byte| index * WORD + byte);
            }
            word = word.wrapping_add(STEP);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: Label = Label {
        origin: 1,
        target: 2,
        repetition: 3,
    };

    #[test]
    fn the_first_wrong_byte_is_found() {
        let mut block = [0; 21];
        LABEL.fill(&mut block);
        assert_eq!(LABEL.first_fault(&block), None);
        block[19] ^= 1;
        assert_eq!(LABEL.first_fault(&block), Some(19));
    }

    #[test]
    fn swapped_ends_and_another_repetition_do_not_pass() {
        let mut block = [0; 8];
        LABEL.fill(&mut block);
        for other in [
            Label {
                origin: 2,
                target: 1,
                repetition: 3,
            },
            Label {
                repetition: 4,
                ..LABEL
            },
            Label { origin: 0, ..LABEL },
        ] {
            assert!(other.first_fault(&block).is_some(), "{other:?}");
        }
    }
}
