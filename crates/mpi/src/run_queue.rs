//! The time that this process has waited for a processor while it was ready to run.
//!
//! The kernel writes it to `/proc/self/schedstat` as the second of three numbers, in nanoseconds, for the process's
//! first thread. `/proc/pressure/cpu` would not do: it counts no wait shorter than a tick (4 ms).

use std::fs::File;
use std::os::unix::fs::FileExt;

use netsig_base::units::Seconds;

/// The kernel's file, kept open; `None` on a kernel without it.
pub struct RunQueue(Option<File>);

impl RunQueue {
    /// Opens the file of this process.
    pub fn open() -> Self {
        Self(File::open("/proc/self/schedstat").ok())
    }

    /// The wait since this process began; costs one system call.
    pub fn waiting_time(&self) -> Option<Seconds> {
        let mut buffer = [0; 64];
        let length = self.0.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let nanoseconds = second(&buffer[..length])?;
        Some(Seconds(nanoseconds as f64 * 1e-9))
    }
}

/// The second number of `text`.
fn second(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_the_second_number() {
        assert_eq!(second(b"70827672 25388239 7402\n"), Some(25_388_239));
        assert_eq!(second(b"70827672\n"), None);
    }

    #[test]
    fn this_kernel_tells_the_wait() {
        assert!(RunQueue::open().waiting_time().is_some());
    }
}
