//! Memory of a communicator for relayed blocks, packed elements, and arrays that a schedule names and a rank does not
//! have. It grows to the largest call and stays.

use std::mem::MaybeUninit;

/// Memory that only grows.
#[derive(Debug, Default)]
pub struct GrowingMemory(Vec<MaybeUninit<u8>>);

impl GrowingMemory {
    /// Address of at least `bytes` bytes.
    pub fn address(&mut self, bytes: usize) -> usize {
        if self.0.capacity() < bytes {
            // Frees the old memory first.
            self.0 = Vec::new();
            self.0.reserve_exact(bytes);
        }
        self.0.as_mut_ptr().expose_provenance()
    }
}
