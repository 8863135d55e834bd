//! Standard input and output, which `-` names in place of a file. Standard input is read once; where a file
//! goes to standard output, everything else that a command prints goes to standard error.

use std::io::{self, Read};
use std::path::{Display, Path};
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of standard input and output in place of a path.
const DASH: &str = "-";

/// The name of standard input in messages.
const INPUT: &str = "standard input";

/// The name of standard output in messages.
const OUTPUT: &str = "standard output";

/// Most bytes that are read from a pipe or a device.
const MOST_STREAMED: u64 = 1 << 30;

static IS_READ: AtomicBool = AtomicBool::new(false);

static IS_OUTPUT_TAKEN: AtomicBool = AtomicBool::new(false);

/// True for `-`.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == DASH
}

/// The name of an input in messages.
pub fn input_name(path: &Path) -> Display<'_> {
    let shown = if is_dash(path) { Path::new(INPUT) } else { path };
    shown.display()
}

/// The name of an output in messages.
pub fn output_name(path: &Path) -> Display<'_> {
    let shown = if is_dash(path) { Path::new(OUTPUT) } else { path };
    shown.display()
}

/// Reads standard input; `None` if it was read before.
///
/// # Errors
/// If it cannot be read.
pub fn read() -> io::Result<Option<Vec<u8>>> {
    if IS_READ.swap(true, Ordering::Relaxed) {
        return Ok(None);
    }
    until_end(io::stdin().lock()).map(Some)
}

/// Reads a pipe or a device to its end.
///
/// # Errors
/// If it cannot be read, or does not end: a device such as `/dev/zero` never does.
pub fn until_end(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MOST_STREAMED + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_STREAMED {
        return Err(io::Error::other("no end after 1 GiB"));
    }
    Ok(bytes)
}

/// Sets that a file goes to standard output.
pub fn take_output() {
    IS_OUTPUT_TAKEN.store(true, Ordering::Relaxed);
}

/// True if a file goes to standard output.
pub fn is_output_taken() -> bool {
    IS_OUTPUT_TAKEN.load(Ordering::Relaxed)
}
