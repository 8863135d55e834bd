//! MPI handles in the form in which they pass through a preloaded function: a machine word.
//!
//! Handles of Open MPI are pointers, those of MPICH are C ints. Entry points take words, so that a library built for
//! one MPI passes the calls of a program for another MPI on unchanged.

use std::mem::{size_of, transmute_copy};

/// A handle of any kind, as the word of a call.
pub type Word = usize;

/// A handle of this MPI from its word.
pub fn handle<T: Copy>(word: Word) -> T {
    const {
        assert!(size_of::<T>() <= size_of::<Word>());
        assert!(cfg!(target_endian = "little"), "an int is the low half of a word");
    }
    // SAFETY: handles are C ints or pointers, for which every pattern of bits is a value; the word has at
    // least as many bytes.
    unsafe { transmute_copy::<Word, T>(&word) }
}

/// The word of a handle.
pub fn word<T: Copy>(handle: T) -> Word {
    const { assert!(size_of::<T>() <= size_of::<Word>() && size_of::<T>() >= size_of::<u32>()) };
    // SAFETY: a handle is a pointer or a C int, whose bytes are those of the lower half of a word.
    unsafe {
        if size_of::<T>() == size_of::<Word>() {
            transmute_copy::<T, Word>(&handle)
        } else {
            transmute_copy::<T, u32>(&handle) as Word
        }
    }
}
