//! Whether two paths name the same file: also by links, and by standard input.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::input::standard;

/// Identity of a file on this machine.
pub type FileIdentity = (u64, u64);

/// Standard input as a file.
const STANDARD_INPUT: &str = "/proc/self/fd/0";

/// The identity of the file that is read from a path; `-` is standard input.
pub fn identity_of_input(path: &Path) -> Option<FileIdentity> {
    let input_path = if standard::is_dash(path) {
        Path::new(STANDARD_INPUT)
    } else {
        path
    };
    input_path.metadata().ok().map(|found| identity(&found))
}

/// The identity of the file with this metadata.
pub fn identity(found: &Metadata) -> FileIdentity {
    (found.dev(), found.ino())
}
